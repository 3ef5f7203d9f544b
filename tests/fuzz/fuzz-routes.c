/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A port whose endpoints come and go, and any datagrams.  The input is a script of
 * both, and of time that passes.
 *
 * Whoever gets a datagram is there, and it is one that may have it: a session's
 * that of its number, a call's that of its name.
 */
#include "fuzz.h"
#include <stdlib.h>
#include "fasproutes.h"

#define ENDPOINTS 64 /* of which the script knows */

typedef struct
{
  FaspRoutes *routes;
  guint n;
  guint numbers[ENDPOINTS];
  FaspRole roles[ENDPOINTS];
  guint8 names[ENDPOINTS]; /* '\0': none */
} Play;

static void
come (Play *play, guint8 how)
{
  FaspRole role = how & 0x80 ? FASP_ROLE_SENDER : FASP_ROLE_RECEIVER;
  gchar streamid[2] = { how & 0x1f ? 'A' + (how & 0x1f) : '\0' };
  gboolean taken = FALSE;
  FaspRoutesResult result;
  guint number;

  if (play->n == ENDPOINTS)
    return;
  for (guint i = 0; i < play->n; i++)
    taken |= play->names[i] == streamid[0] && (streamid[0] == '\0' || play->roles[i] == role);
  result = fasp_routes_add (play->routes, role, streamid, &number);
  if (result != (taken ? FASP_ROUTES_TAKEN : FASP_ROUTES_ADDED))
    abort ();
  if (taken)
    return;
  for (guint i = 0; i < play->n; i++)
    if (play->numbers[i] == number)
      abort ();
  play->numbers[play->n] = number;
  play->roles[play->n] = role;
  play->names[play->n++] = streamid[0];
}

static void
go (Play *play, FaspTime now, guint8 how)
{
  guint i;

  if (play->n == 0)
    return;
  i = how % play->n;
  fasp_routes_remove (play->routes, now, play->numbers[i]);
  play->n--;
  play->numbers[i] = play->numbers[play->n];
  play->roles[i] = play->roles[play->n];
  play->names[i] = play->names[play->n];
}

static guint
find (Play *play, FaspTime now, const guint8 *data, gsize size, FaspRoute *route)
{
  guint number = fasp_routes_find (play->routes, now, data, size, route), i = 0;

  if (play->n == 0) {
    if (number != FASP_ROUTES_NONE)
      abort ();
    return ENDPOINTS;
  }
  while (i < play->n && play->numbers[i] != number)
    i++;
  if (i == play->n || (*route != FASP_ROUTE_HERE && size < FASP_OPEN_SIZE))
    abort ();
  return i;
}

/* A right OPEN for a name. */
static void
call (Play *play, FaspTime now, guint8 how)
{
  FaspRole role = how & 0x80 ? FASP_ROLE_SENDER : FASP_ROLE_RECEIVER;
  gchar streamid[2] = { 'A' + (how & 0x1f) };
  FaspHandshake open = {
    .type = FASP_HANDSHAKE_OPEN,
    .version = FASP_VERSION,
    .from_cid = 1,
    .nonce = { how },
  };
  guint8 data[FASP_OPEN_SIZE];
  FaspWriter w = { data, sizeof data };
  FaspStreamName name;
  FaspRoute route;
  guint found;

  fasp_stream_get_name (role, streamid, &name);
  open.to_cid = how & 0x40 ? 0 : fasp_stream_get_hint (open.nonce, &name);
  fasp_wire_write_handshake (&w, &open);
  found = find (play, now, data, w.used, &route);
  if (how & 0x40)
    return;
  for (guint i = 0; i < play->n; i++)
    if (play->names[i] == streamid[0] && play->roles[i] != role
        && (found != i || route != FASP_ROUTE_HERE))
      abort ();
}

/* The script: a byte of what, one of how, one of how many, those. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  Play play = { .routes = fasp_routes_new (size > 0 ? data[0] << 2 : 0) };
  FaspTime now = FASP_SEC;

  while (size >= 3) {
    guint8 what = data[0], how = data[1];
    gsize n = MIN (size - 3, (gsize) data[2] * 8);
    FaspRoute route;

    data += 3;
    size -= 3;
    switch (what % 5) {
      case 0:
        come (&play, how);
        n = 0;
        break;
      case 1:
        go (&play, now, how);
        n = 0;
        break;
      case 2:
        call (&play, now, how);
        n = 0;
        break;
      case 3:
        find (&play, now, data, n, &route);
        break;
      case 4:
        now += how * FASP_SEC;
        n = 0;
        break;
    }
    data += n;
    size -= n;
  }
  fasp_routes_free (play.routes);
  return 0;
}
