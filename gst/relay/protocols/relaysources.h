/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysources.h: several sources of an input (docs/hitless.md), as the configuration has them.
 *
 * faspsrc has them: they are in the input's URI, in fallback-addresses and redundancy.  What it
 * refuses itself is not looked at here.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* What people write who mean several sources, or several ways to one, and is no URI of an end.
 * @text: the value of the key `input' or, if @sends, one URI of `output'. */
gboolean relay_sources_check_text (const gchar *text, gboolean sends, GError **error);
/* How many sources this faspsrc has at once; 0: one at a time. */
guint relay_sources_count (GstElement *source);
/* The sources of a faspsrc that has taken its URI: no address may be there twice.  A name may,
 * which has several. */
gboolean relay_sources_check (GstElement *source, const gchar *uri, GError **error);

G_END_DECLS
