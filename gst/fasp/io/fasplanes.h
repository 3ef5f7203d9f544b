/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplanes.h: threads that send.
 *
 * Each has a lane of the endpoint, a part of its sessions (fasp_endpoint_poll_lane()).
 * What is due they take from the endpoint in turn, a batch at a time, with the guard held;
 * sealing it and handing it to the kernel, which is most of the work, they do at the same
 * time.  Each sleeps until its own lane is due.
 *
 * The first lane has no thread of its own: who receives sends there, or who writes.
 */
#pragma once

#include "faspguard.h"
#include "fasplinks.h"

G_BEGIN_DECLS

typedef struct _FaspLanes FaspLanes;

/* With the guard held, from such a thread: others may have something to do now. */
typedef void (*FaspLanesFunc) (FaspLanes * lanes, gpointer user_data);

/* How many there are to be of @wanted for a sink that listens; 0: as many as
 * processors. */
guint fasp_lanes_choose (guint wanted, guint processors);

/* As many as the endpoint has; starts the threads.  @waits: nothing is lost where a socket
 * takes no more.  NULL and *error: what to do. */
FaspLanes *fasp_lanes_new (FaspGuard * guard, FaspLinks * links,
    gboolean waits, FaspLanesFunc rouse, gpointer user_data, GError ** error);
/* Ends the threads, behind what they have taken. */
void fasp_lanes_stop (FaspLanes * lanes);
void fasp_lanes_free (FaspLanes * lanes);

/* Sends what is due in the first lane.  Returns the link that takes no more now, or -1. */
gint fasp_lanes_send (FaspLanes * lanes);
/* The same, unless another thread does so just now.  FALSE: it does, or a link takes no
 * more. */
gboolean fasp_lanes_try_send (FaspLanes * lanes);
/* errno of what a link refused since it was asked for last, and that link; 0: none did more. */
gint fasp_lanes_take_error (FaspLanes * lanes, guint * link);

/* With the guard held: the first lane's thread will wait until then, FASP_NEVER for ever. */
void fasp_lanes_fall_asleep (FaspLanes * lanes, FaspTime until);
/* Without: it waits, for one of @links (a bit for each) to be read from, @blocked (a link,
 * -1: none) to take something again, or somebody to wake it.  Returns a bit for each link
 * that can be read from. */
guint64 fasp_lanes_wait (FaspLanes * lanes, guint64 links, FaspTime until,
    gint blocked);

/* With the guard held, from other threads.  Does the first one sleep? */
gboolean fasp_lanes_is_asleep (const FaspLanes * lanes);
/* Past what there is to do? */
gboolean fasp_lanes_oversleeps (const FaspLanes * lanes);
void fasp_lanes_rouse (FaspLanes * lanes);
/* Wakes the others that do. */
void fasp_lanes_rouse_others (FaspLanes * lanes);

/* At any time: the first one's thread is to look. */
void fasp_lanes_wake (FaspLanes * lanes);

G_END_DECLS
