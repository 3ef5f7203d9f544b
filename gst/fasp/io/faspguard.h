/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspguard.h: an endpoint that threads have in turn.
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
fasp_guard_lock (FaspGuard * guard)
{
  g_mutex_lock (&guard->mutex);
}

/* What the endpoint does not need any more goes behind it: others need not wait for
 * that. */
static inline void
fasp_guard_unlock (FaspGuard * guard)
{
  GPtrArray *forgotten = fasp_endpoint_take_forgotten (guard->endpoint);

  g_mutex_unlock (&guard->mutex);
  g_clear_pointer (&forgotten, g_ptr_array_unref);
}

/* For who may hold locks, an application's or a port's, which what goes may want, too: its
 * memory may be an application's. TRUE: there is some, which is left to the I/O thread. */
static inline gboolean
fasp_guard_unlock_only (FaspGuard * guard)
{
  gboolean forgotten = fasp_endpoint_has_forgotten (guard->endpoint);

  g_mutex_unlock (&guard->mutex);
  return forgotten;
}

G_END_DECLS
