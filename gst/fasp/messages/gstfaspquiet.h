/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspquiet.h: limits the messages that a stranger can cause.
 *
 * Of each kind some messages are posted at once, and then one in ten seconds, which says how many
 * there were in between. So no peer can fill the log or the bus.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of one kind.  Zeroes: none was posted yet. */
typedef struct
{
  gint64 full;      /* when the token bucket would be full again: fasptokenbucket.h; µs */
  guint64 unposted; /* messages that were not posted, since the last one that was */
} GstFaspQuiet;

/* May one be posted now?  *more: a sentence, with a space before it, that says how many were not,
 * to be put behind the message; or "".  FALSE: it is counted.  Free *more with g_free(). */
gboolean gst_fasp_quiet_may_post (GstFaspQuiet *quiet, gchar **more);

G_END_DECLS
