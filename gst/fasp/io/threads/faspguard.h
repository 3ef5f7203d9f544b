/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspguard.h: an endpoint, and the lock that a thread holds while it uses it.
 */
#pragma once

#include "faspendpoint.h"

G_BEGIN_DECLS

typedef struct
{
  GMutex mutex;
  FaspEndpoint *endpoint;
} FaspGuard;

static inline void
fasp_guard_lock (FaspGuard *guard)
{
  g_mutex_lock (&guard->mutex);
}

/* Unlocks, and only then releases blocks that the endpoint does not need any more, so that other
 * threads do not wait for that. */
static inline void
fasp_guard_unlock (FaspGuard *guard)
{
  GPtrArray *forgotten = fasp_endpoint_take_forgotten (guard->endpoint);

  g_mutex_unlock (&guard->mutex);
  g_clear_pointer (&forgotten, g_ptr_array_unref);
}

/* Unlocks without releasing anything, for callers that may hold a lock of the application or of a
 * port: releasing the application's memory may take such a lock. TRUE: there are blocks to release,
 * which the I/O thread must do. */
static inline gboolean
fasp_guard_unlock_only (FaspGuard *guard)
{
  gboolean forgotten = fasp_endpoint_has_forgotten (guard->endpoint);

  g_mutex_unlock (&guard->mutex);
  return forgotten;
}

G_END_DECLS
