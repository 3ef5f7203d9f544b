/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplanes.h: threads that send.
 *
 * Each has a lane of the endpoint, which is a part of its sessions
 * (fasp_endpoint_poll_lane()). The threads take turns at the endpoint: with the guard
 * held, each takes a batch of what is due. Sealing it and handing it to the kernel,
 * which is most of the work, they do in parallel. Each sleeps until its own lane is
 * due.
 *
 * The first lane has no thread of its own: the receiving thread sends there, or the
 * writer.
 */
#pragma once

#include "faspguard.h"
#include "faspsockets.h"

G_BEGIN_DECLS

typedef struct _FaspLanes FaspLanes;

/* Called from a lane's thread, with the guard held: other threads may have something to do now. */
typedef void (*FaspLanesFunc) (FaspLanes *lanes, gpointer user_data);

/* The number of lanes for a sink that listens. @wanted: 0: as many as processors. */
guint fasp_lanes_choose (guint wanted, guint processors);

/* Makes a lane for each lane of the endpoint, and starts the threads. @waits: threads wait while a
 * socket takes no more, rather than drop datagrams. NULL: *error says what to do. */
FaspLanes *fasp_lanes_new (FaspGuard *guard, FaspSockets *sockets, gboolean waits,
    FaspLanesFunc rouse, gpointer user_data, GError **error);
/* Ends the threads, after they have sent the datagrams they have taken. */
void fasp_lanes_stop (FaspLanes *lanes);
void fasp_lanes_free (FaspLanes *lanes);

/* Sends the datagrams that are due in the first lane. Returns the socket that takes no more now, or
 * -1. */
gint fasp_lanes_send (FaspLanes *lanes);
/* The same, unless another thread is sending. FALSE: another thread is, or a socket takes no more.
 */
gboolean fasp_lanes_try_send (FaspLanes *lanes);
/* errno of a socket that refused something since the last call, and that socket; 0: none
 * did. Call it again for further sockets. */
gint fasp_lanes_take_error (FaspLanes *lanes, guint *number);

/* With the guard held: the first lane's thread is about to wait until @until; FASP_NEVER: without
 * limit. */
void fasp_lanes_fall_asleep (FaspLanes *lanes, FaspTime until);
/* Without the guard: waits until one of @sockets (a bit each) can be read, @blocked (a
 * socket; -1: none) can be written to again, it is woken, or @until. Returns the
 * sockets that can be read, a bit each. */
guint64 fasp_lanes_wait (FaspLanes *lanes, guint64 sockets, FaspTime until, gint blocked);

/* With the guard held, from other threads: does the first lane's thread sleep? */
gboolean fasp_lanes_is_asleep (const FaspLanes *lanes);
/* Does the first lane's thread sleep longer than its next work allows? */
gboolean fasp_lanes_oversleeps (const FaspLanes *lanes);
void fasp_lanes_rouse (FaspLanes *lanes);
/* Wakes the threads of the other lanes that oversleep. */
void fasp_lanes_rouse_others (FaspLanes *lanes);

/* From any thread, with or without the guard: makes the first lane's thread look for work. */
void fasp_lanes_wake (FaspLanes *lanes);

G_END_DECLS
