/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspparse.h: checks URIs, and caps in URIs, before GStreamer's parsers, which crash at some of
 * them (1.22): a URI may come from the network.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* GStreamer's parser of caps calls itself for each nested bracket, with 300 bytes of the stack:
 * 30,000 brackets take the 8 MiB that a thread has on Linux. */
#define GST_FASP_PARSE_BRACKETS_MAX 64 /* a list of 63 ranges */
#define GST_FASP_PARSE_CAPS_MAX 4096   /* bytes */

/* Returns the first % before any # that does not escape a byte, or escapes the byte 0; NULL: there
 * is none. */
const gchar *gst_fasp_parse_find_bad_escape (const gchar *text);
/* As gst_uri_from_string(), which crashes if a key of the query has a bad escape.  NULL: the query
 * has one, or it is no URI.  The path is not checked: that of a file may have a date, as %F. */
GstUri *gst_fasp_parse_uri (const gchar *text);
/* May GStreamer's parser see @text? FALSE: it might crash. */
gboolean gst_fasp_parse_may_be_caps (const gchar *text);

G_END_DECLS
