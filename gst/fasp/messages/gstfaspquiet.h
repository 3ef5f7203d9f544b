/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspquiet.h: limits the messages that any host can cause.
 *
 * Of each kind some messages are posted at once, and then one in ten seconds, which says how many
 * were left out in between. So no peer can fill the log or the bus.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The messages of one kind.  Zeroes: none was posted yet. */
typedef struct
{
  gint64 full;      /* when the token bucket would be full again: fasptokenbucket.h; µs */
  guint64 unposted; /* messages left out since the last one that was posted */
} GstFaspQuiet;

/* May a message be posted now?  *more: to be appended to it: a space and a sentence that says how
 * many were left out; or "".  FALSE: the message is counted as left out.  Free *more with
 * g_free(). */
gboolean gst_fasp_quiet_may_post (GstFaspQuiet *quiet, gchar **more);

G_END_DECLS
