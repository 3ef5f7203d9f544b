/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasproutes.h"

struct _FaspRoutes
{
  guint next; /* number to try first */
  gboolean taken[FASP_ROUTES_MAX];
  /* endpoints, oldest first */
  guint n;
  FaspStreamName names[FASP_STREAM_NAMES][FASP_ROUTES_MAX];
  guint numbers[FASP_ROUTES_MAX];
  guint beside[FASP_ROUTES_MAX]; /* by an endpoint's number: that of the endpoint that it is beside,
                                    or its own */
  guint n_beside;                /* endpoints that are beside another one */
  guint fallback;                /* number of the endpoint without a name, or none */
  guint n_gone, oldest; /* removed streams that are remembered; index of the one to forget next */
  FaspStreamName gone[FASP_ROUTES_GONE];
  FaspTime gone_until[FASP_ROUTES_GONE];
};

FaspRoutes *
fasp_routes_new (guint first)
{
  FaspRoutes *routes = g_new0 (FaspRoutes, 1);

  routes->next = first % FASP_ROUTES_MAX;
  routes->fallback = FASP_ROUTES_NONE;
  return routes;
}

void
fasp_routes_free (FaspRoutes *routes)
{
  g_free (routes);
}

/* --- adding and removing ------------------------------------------------------------ */

static gboolean
has_name (const FaspRoutes *routes, const FaspStreamName *name)
{
  for (guint i = 0; i < routes->n; i++)
    if (memcmp (&routes->names[FASP_STREAM_FITS][i], name, sizeof *name) == 0)
      return TRUE;
  return FALSE;
}

/* Numbers are used in turn, so that late datagrams for a removed endpoint do not reach another
 * one. */
static guint
take_number (FaspRoutes *routes)
{
  guint number = routes->next;

  while (routes->taken[number])
    number = (number + 1) % FASP_ROUTES_MAX;
  routes->taken[number] = TRUE;
  routes->next = (number + 1) % FASP_ROUTES_MAX;
  return number;
}

static void
add (FaspRoutes *routes, guint number, guint first, const FaspStreamName names[FASP_STREAM_NAMES])
{
  for (guint i = 0; i < FASP_STREAM_NAMES; i++)
    routes->names[i][routes->n] = names[i];
  routes->numbers[routes->n] = number;
  routes->beside[routes->n] = first;
  routes->n++;
}

FaspRoutesResult
fasp_routes_add (FaspRoutes *routes, FaspRole role, const gchar *streamid, guint *number)
{
  gboolean named = streamid != NULL && streamid[0] != '\0';
  FaspStreamName names[FASP_STREAM_NAMES] = { 0 };

  if (named)
    fasp_stream_get_names (role, streamid, names);
  if (named ? has_name (routes, &names[FASP_STREAM_FITS]) : routes->fallback != FASP_ROUTES_NONE)
    return FASP_ROUTES_TAKEN;
  if (routes->n == FASP_ROUTES_MAX)
    return FASP_ROUTES_FULL;
  *number = take_number (routes);
  if (!named)
    routes->fallback = *number;
  add (routes, *number, *number, names);
  return FASP_ROUTES_ADDED;
}

FaspRoutesResult
fasp_routes_add_beside (FaspRoutes *routes, guint first, guint *number)
{
  static const FaspStreamName none[FASP_STREAM_NAMES];

  if (routes->n == FASP_ROUTES_MAX)
    return FASP_ROUTES_FULL;
  *number = take_number (routes);
  add (routes, *number, first, none);
  routes->n_beside++;
  return FASP_ROUTES_ADDED;
}

gboolean
fasp_routes_has_beside (const FaspRoutes *routes)
{
  return routes->n_beside > 0;
}

guint
fasp_routes_next_beside (const FaspRoutes *routes, guint first, guint number)
{
  gboolean found = FALSE;

  for (guint i = 0; i < routes->n; i++) {
    if (found && routes->beside[i] == first && routes->numbers[i] != first)
      return routes->numbers[i];
    found |= routes->numbers[i] == number;
  }
  return FASP_ROUTES_NONE;
}

static void
remember (FaspRoutes *routes, FaspTime now, const FaspStreamName *name)
{
  guint i = 0;

  while (i < routes->n_gone && memcmp (&routes->gone[i], name, sizeof *name) != 0)
    i++;
  if (i == FASP_ROUTES_GONE)
    i = routes->oldest++ % FASP_ROUTES_GONE;
  else if (i == routes->n_gone)
    routes->n_gone++;
  routes->gone[i] = *name;
  routes->gone_until[i] = now + FASP_ROUTES_MEMORY;
}

void
fasp_routes_remove (FaspRoutes *routes, FaspTime now, guint number)
{
  guint i = 0, behind;

  while (i < routes->n && routes->numbers[i] != number)
    i++;
  g_return_if_fail (i < routes->n);
  if (number == routes->fallback)
    routes->fallback = FASP_ROUTES_NONE;
  else if (routes->beside[i] != number)
    routes->n_beside--;
  else
    remember (routes, now, &routes->names[FASP_STREAM_FITS][i]);
  routes->taken[number] = FALSE;
  behind = --routes->n - i;
  for (guint k = 0; k < FASP_STREAM_NAMES; k++)
    memmove (routes->names[k] + i, routes->names[k] + i + 1, behind * sizeof (FaspStreamName));
  memmove (routes->numbers + i, routes->numbers + i + 1, behind * sizeof *routes->numbers);
  memmove (routes->beside + i, routes->beside + i + 1, behind * sizeof *routes->beside);
}

/* --- datagrams --------------------------------------------------------------------- */

static gboolean
is_gone (const FaspRoutes *routes, FaspTime now, const guint8 *nonce, guint32 hint)
{
  guint i = fasp_stream_find (nonce, hint, routes->gone, routes->n_gone);

  return i < routes->n_gone && routes->gone_until[i] > now;
}

static guint
find_name (const FaspRoutes *routes, const guint8 *nonce, guint32 hint, guint which)
{
  guint i = hint == 0 ? routes->n : fasp_stream_find (nonce, hint, routes->names[which], routes->n);

  return i < routes->n ? routes->numbers[i] : FASP_ROUTES_NONE;
}

static guint
find_called (FaspRoutes *routes, FaspTime now, const guint8 *nonce, guint32 hint, FaspRoute *route)
{
  guint number = find_name (routes, nonce, hint, FASP_STREAM_FITS);

  if (number == FASP_ROUTES_NONE)
    number = routes->fallback;
  if (number != FASP_ROUTES_NONE)
    return number;
  if (hint == 0) {
    *route = routes->n - routes->n_beside > 1 ? FASP_ROUTE_UNNAMED : FASP_ROUTE_HERE;
    return routes->numbers[0];
  }
  if (is_gone (routes, now, nonce, hint)) {
    *route = FASP_ROUTE_GONE;
    return routes->numbers[0];
  }
  number = find_name (routes, nonce, hint, FASP_STREAM_SAME_ROLE);
  if (number != FASP_ROUTES_NONE)
    return number;
  *route = FASP_ROUTE_ABSENT;
  return routes->numbers[0];
}

guint
fasp_routes_find (FaspRoutes *routes, FaspTime now, const guint8 *data, gsize size,
    FaspRoute *route)
{
  FaspSessionHeader header;
  FaspHandshake call;

  *route = FASP_ROUTE_HERE;
  if (routes->n == 0)
    return FASP_ROUTES_NONE;
  if (fasp_wire_is_session (data, size)) {
    if (routes->n > 1 && fasp_wire_parse_session (data, size, &header)
        && routes->taken[header.cid >> (32 - FASP_ROUTES_BITS)])
      return header.cid >> (32 - FASP_ROUTES_BITS);
  } else if (size >= FASP_OPEN_SIZE && fasp_wire_parse_handshake (data, size, &call)
      && call.type == FASP_HANDSHAKE_OPEN && call.version == FASP_VERSION) {
    return find_called (routes, now, call.nonce, call.to_cid, route);
  }
  return routes->numbers[0];
}
