/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasproutes.h: finds the endpoint for a datagram, of several at one port.
 *
 * Each endpoint has a number, its index in a table, and all its connection ids begin with that
 * number.  So a session's datagram names its endpoint, and no table of sessions is needed.  A call
 * names its endpoint by its stream (faspstream.h).  Other datagrams go to the oldest endpoint,
 * which counts or answers them.
 *
 * An endpoint may be beside another one: both have the name of the first, and the owner of the port
 * chooses the one that gets a call.
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
/* How long a removed stream is remembered.  Its element may be about to start again, so callers get
 * the answer to try again, not a final refusal. */
#define FASP_ROUTES_MEMORY (30 * FASP_SEC)
#define FASP_ROUTES_GONE 64 /* streams remembered */

typedef struct _FaspRoutes FaspRoutes;

/* @first: any number; the search for free numbers begins there. */
FaspRoutes *fasp_routes_new (guint first);
void fasp_routes_free (FaspRoutes *routes);

typedef enum
{
  FASP_ROUTES_ADDED,
  FASP_ROUTES_TAKEN, /* another endpoint has this name already */
  FASP_ROUTES_FULL,
} FaspRoutesResult;

/* @role: of the endpoint.  @streamid: NULL or empty for the endpoint that gets all calls for other
 * streams.  *number: the endpoint's number. */
FaspRoutesResult fasp_routes_add (FaspRoutes *routes, FaspRole role, const gchar *streamid,
    guint *number);
/* Adds an endpoint beside endpoint @first, which has a number and is not beside another one. */
FaspRoutesResult fasp_routes_add_beside (FaspRoutes *routes, guint first, guint *number);
/* The next endpoint beside @first, behind @number (@first to begin with); FASP_ROUTES_NONE: there
 * are no more. */
guint fasp_routes_next_beside (const FaspRoutes *routes, guint first, guint number);
gboolean fasp_routes_has_beside (const FaspRoutes *routes);
void fasp_routes_remove (FaspRoutes *routes, FaspTime now, guint number);

/* The number of the endpoint for a datagram, or FASP_ROUTES_NONE if there is no endpoint.  *route:
 * how the endpoint must treat it. */
guint fasp_routes_find (FaspRoutes *routes, FaspTime now, const guint8 *data, gsize size,
    FaspRoute *route);

/* The high bits of an endpoint's connection ids. */
static inline guint32
fasp_routes_get_prefix (guint number)
{
  return (guint32) number << (32 - FASP_ROUTES_BITS);
}

G_END_DECLS
