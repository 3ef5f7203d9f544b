/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * link.h: the loop of the emulator: packets come in from either side, wait
 * their time, go out at the other.  What a packet comes from and goes to is
 * behind two functions.
 *
 * Late by what the kernel's timers and scheduler add: usually 10 to 100 µs, by
 * 1 or 2 when it spins.
 * The figures say how much it was.
 */
#pragma once

#include <poll.h>
#include "linkoptions.h"

G_BEGIN_DECLS

#define LINK_PACKET_MAX 65536
#define LINK_FDS 128
/* Packets under way at most, beyond what the rate's queue drops. */
#define LINK_PACKETS (1 << 18)

typedef struct
{
  LinkSide from;
  guint route;                  /* the backend's */
  guint overhead;               /* bytes of headers not in data */
  guint protect;                /* leading bytes never corrupted */
  gboolean ecn;                 /* a mark will do in the place of a loss, and */
  gboolean marked;              /* it is */
  gsize size;
  guint8 data[LINK_PACKET_MAX];
} LinkPacket;

typedef struct
{
  gpointer data;
  /* Fills in what to poll for input; returns how many. */
  guint (*get_fds) (gpointer data, struct pollfd * fds);
  /* The next packet that is there; FALSE when there is none. */
  gboolean (*receive) (gpointer data, LinkPacket * packet);
  /* Passes it on to the side it does not come from. */
  void (*send) (gpointer data, LinkPacket * packet);
  /* Called now and then with the time since the start in µs; FALSE ends. */
  gboolean (*tick) (gpointer data, gint64 now);
} LinkBackend;

/* Runs until tick says FALSE, or the time in the options is over, and writes
 * the figures. */
gboolean link_run (LinkOptions * options, const LinkBackend * backend,
    GError ** error);

G_END_DECLS
