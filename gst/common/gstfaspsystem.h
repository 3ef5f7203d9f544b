/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspsystem.h: what Linux alone tells or does for the elements. Elsewhere it is not known, or
 * not done (gstfaspsystemnone.c); but for the time of a processor (gstfaspcputime.c).
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Linux lets threads sleep up to 50 µs longer, to wake several at once. This switches that off for
 * this thread; returns what gst_fasp_system_restore_timers() takes. */
gint gst_fasp_system_sharpen_timers (void);
void gst_fasp_system_restore_timers (gint slack);
/* The time of a processor that this thread has used, ns. */
gint64 gst_fasp_system_get_cpu_time (void);
/* Lets the kernel cut what is sent into datagrams of @size bytes; 0: not any more. FALSE: it
 * cannot, errno says why. */
gboolean gst_fasp_system_cut_datagrams (GSocket *socket, gint size);
/* Asks what the system's clock follows. *tai: TAI less UTC, s; 0: not known. *error: µs, at most;
 * -1: nothing disciplines the clock, or that is not known. */
void gst_fasp_system_ask_clock (gint *tai, gint64 *error);

G_END_DECLS
