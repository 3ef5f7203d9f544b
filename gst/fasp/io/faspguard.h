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

G_END_DECLS
