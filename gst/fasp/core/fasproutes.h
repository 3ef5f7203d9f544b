/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasproutes.h: several endpoints that listen at one port: which of them a datagram
 * is for.
 *
 * Each has a place, a number, and all connection ids that it gives begin with it: so
 * a session's datagram finds its endpoint by itself, whatever sessions come and go,
 * and no table is kept of these.  A call finds it by the stream that it is for
 * (faspstream.h).  What is nobody's goes to the oldest one, the doorkeeper, which
 * counts it, or answers it in the name of all.
 *
 * What callers may cause is bounded for the port as a whole, so the endpoints have
 * one gate (faspgate.h).
 */
#pragma once

#include "faspstream.h"

G_BEGIN_DECLS

#define FASP_ROUTES_BITS 10
#define FASP_ROUTES_MAX (1 << FASP_ROUTES_BITS) /* streams at one port */
#define FASP_ROUTES_NONE FASP_ROUTES_MAX
/* A stream that has left is not unknown for so long: its element may have been
 * started anew, and whoever wants it is told to wait rather than to give up. */
#define FASP_ROUTES_MEMORY (30 * FASP_SEC)
#define FASP_ROUTES_GONE 64     /* that are remembered */

typedef struct _FaspRoutes FaspRoutes;

/* @first: any number, where places are looked for from. */
FaspRoutes *fasp_routes_new (guint first);
void fasp_routes_free (FaspRoutes * routes);

typedef enum
{
  FASP_ROUTES_ADDED,
  FASP_ROUTES_TAKEN,            /* another one has this name already */
  FASP_ROUTES_FULL,
} FaspRoutesResult;

/* @role: of the endpoint. @streamid: NULL or empty for the one that gets all callers who
 * name none of the others. *place: its number. */
FaspRoutesResult fasp_routes_add (FaspRoutes * routes, FaspRole role,
    const gchar * streamid, guint * place);
void fasp_routes_remove (FaspRoutes * routes, FaspTime now, guint place);

/* The place of who is to have a datagram, or FASP_ROUTES_NONE if there is nobody.
 * *route: how it is to be received. */
guint fasp_routes_find (FaspRoutes * routes, FaspTime now,
    const guint8 * data, gsize size, FaspRoute * route);

/* The connection ids of a place: those with these high bits. */
static inline guint32
fasp_routes_get_prefix (guint place)
{
  return (guint32) place << (32 - FASP_ROUTES_BITS);
}

G_END_DECLS
