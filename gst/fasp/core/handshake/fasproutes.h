/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasproutes.h: which of several endpoints at one port a datagram is for.
 *
 * Each endpoint has a number, its place in a table, and all connection ids that it gives begin
 * with that number.  So a session's datagram names its endpoint, and no table of sessions is
 * needed.  A call names its endpoint by the stream that it is for (faspstream.h).  A datagram that
 * is for no endpoint goes to the oldest one, which counts it, or answers it for all.
 *
 * An endpoint may be beside another one: both are called by the name of the first, and whoever
 * deals out the calls chooses between them.
 *
 * The work that callers may cause is bounded for the port as a whole, so the endpoints
 * share one limiter (fasplimiter.h).
 */
#pragma once

#include "faspstream.h"

G_BEGIN_DECLS

#define FASP_ROUTES_BITS 10
#define FASP_ROUTES_MAX (1 << FASP_ROUTES_BITS) /* streams at one port */
#define FASP_ROUTES_NONE FASP_ROUTES_MAX
/* How long a stream that has left is remembered.  Its element may be about to start
 * again, so callers are told to wait and not to give up. */
#define FASP_ROUTES_MEMORY (30 * FASP_SEC)
#define FASP_ROUTES_GONE 64 /* streams remembered */

typedef struct _FaspRoutes FaspRoutes;

/* @first: any number; the search for free numbers begins there. */
FaspRoutes *fasp_routes_new (guint first);
void fasp_routes_free (FaspRoutes *routes);

typedef enum
{
  FASP_ROUTES_ADDED,
  FASP_ROUTES_TAKEN, /* another one has this name already */
  FASP_ROUTES_FULL,
} FaspRoutesResult;

/* @role: of the endpoint.  @streamid: NULL or empty for the one that gets all callers that
 * name none of the others.  *number: the endpoint's number. */
FaspRoutesResult fasp_routes_add (FaspRoutes *routes, FaspRole role, const gchar *streamid,
    guint *number);
/* Beside endpoint @first, which has a number and is beside nobody. */
FaspRoutesResult fasp_routes_add_beside (FaspRoutes *routes, guint first, guint *number);
/* The next endpoint beside @first, behind @number (@first to begin with); FASP_ROUTES_NONE: there
 * are no more. */
guint fasp_routes_next_beside (const FaspRoutes *routes, guint first, guint number);
/* Is any endpoint beside another? */
gboolean fasp_routes_has_beside (const FaspRoutes *routes);
void fasp_routes_remove (FaspRoutes *routes, FaspTime now, guint number);

/* The number of the endpoint that a datagram goes to, or FASP_ROUTES_NONE if there is
 * none.  *route: how the endpoint must take it. */
guint fasp_routes_find (FaspRoutes *routes, FaspTime now, const guint8 *data, gsize size,
    FaspRoute *route);

/* The connection ids of an endpoint: those with these high bits. */
static inline guint32
fasp_routes_get_prefix (guint number)
{
  return (guint32) number << (32 - FASP_ROUTES_BITS);
}

G_END_DECLS
