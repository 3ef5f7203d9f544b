/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaycalls.h: calls that were let in, and are not connected yet.
 *
 * An element of SRT asks whether a caller may come in, and signals when it is connected.  In
 * between, SRT compares passphrases, and the element does not signal the result: a call that is not
 * connected a second later was refused there.
 *
 * Time is an argument.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_CALLS_MAX 64              /* a call beyond these makes the oldest one late */
#define RELAY_CALLS_LATE G_USEC_PER_SEC /* µs; SRT answers a call at once */

typedef struct
{
  gchar *address; /* and port */
  gchar *streamid;
  gint64 time; /* µs */
} RelayPeerCall;

/* All 0 at first. */
typedef struct
{
  GQueue all; /* RelayPeerCall, the oldest first */
} RelayCalls;

/* @streamid: or NULL.  A caller that calls again from its port has one call. */
void relay_calls_add (RelayCalls *calls, gint64 now, const gchar *address, const gchar *streamid);
/* Takes the call from @address. NULL: there is none. */
RelayPeerCall *relay_calls_take (RelayCalls *calls, const gchar *address);
/* Takes a call that is late. NULL: none is. */
RelayPeerCall *relay_calls_take_late (RelayCalls *calls, gint64 now);
void relay_peer_call_free (RelayPeerCall *call);
void relay_calls_clear (RelayCalls *calls);

G_END_DECLS
