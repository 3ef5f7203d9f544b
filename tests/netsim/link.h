/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * link.h: the main loop of the emulator. Packets come in from either side, wait for
 * their time, and leave at the other side. Two functions hide where packets come from
 * and go to.
 *
 * Packets are late by what the kernel's timers and scheduler add: usually 10 to 100 µs,
 * or 1 or 2 µs when it spins. The figures report how late they were.
 */
#pragma once

#include <poll.h>
#include "linkoptions.h"

G_BEGIN_DECLS

#define LINK_PACKET_MAX 65536
#define LINK_FDS 128
/* Packets under way at most, besides the limit of the rate's queue. */
#define LINK_PACKETS (1 << 18)

typedef struct
{
  LinkSide from;
  guint route;     /* for the backend's own use */
  guint overhead;  /* bytes of headers that are not in data */
  guint protect;   /* number of leading bytes that are never corrupted */
  gboolean ecn;    /* accepts a mark instead of a loss */
  gboolean marked; /* it is to be marked */
  gsize size;
  guint8 data[LINK_PACKET_MAX];
} LinkPacket;

typedef struct
{
  gpointer data;
  /* Fills in what to poll for input; returns how many there are. */
  guint (*get_fds) (gpointer data, struct pollfd *fds);
  /* Gets the next packet that is there; FALSE: none is. */
  gboolean (*receive) (gpointer data, LinkPacket *packet);
  /* Passes a packet on to the side that it does not come from. */
  void (*send) (gpointer data, LinkPacket *packet);
  /* Called now and then with the time since the start in µs; FALSE: end. */
  gboolean (*tick) (gpointer data, gint64 now);
} LinkBackend;

/* Runs until tick returns FALSE, or the time in the options is over. Then writes the
 * figures. */
gboolean link_run (LinkOptions *options, const LinkBackend *backend, GError **error);

G_END_DECLS
