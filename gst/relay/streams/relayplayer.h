/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayplayer.h: plays the element of one source of several, in a thread of its own.
 *
 * An element that has failed, or whose stream has ended, is stopped, and started again after the
 * delay of relayretry.h.  Nothing but this thread changes its state.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _RelayPlayer RelayPlayer;

/* @element: keeps its state when that of its bin changes. @queues: it has a passphrase, and waits
 * for its turn to start (relaytransit.h). */
RelayPlayer *relay_player_new (GstElement *element, gboolean queues);
/* The player is stopped. */
void relay_player_free (RelayPlayer *player);
/* @base_time: of the element. Does nothing if it is started already. FALSE: there is no thread. */
gboolean relay_player_start (RelayPlayer *player, GstClockTime base_time, GError **error);
/* Has the element started again. Called in any thread. */
void relay_player_note_over (RelayPlayer *player, gboolean failed);
/* Has the thread stop the element, and end; does not wait for it. */
void relay_player_call_off (RelayPlayer *player);
/* Waits until the thread has ended. */
void relay_player_join (RelayPlayer *player);

G_END_DECLS
