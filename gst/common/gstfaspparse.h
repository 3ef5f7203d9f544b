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
/* The keys that a URI may have, by their names. */
typedef gboolean (*GstFaspParseFunc) (const gchar *key, gpointer data);
/* Refuses keys that @is_known does not know, and values in which another key may be.  After that, a
 * message may quote the first gst_fasp_parse_count_plain() bytes of a value.  It names an unknown
 * key only where that cannot be a part of a secret: the rest of one that has a & in it, or one
 * without a key.  @what: of which the keys are.  @all: the names of the keys. */
gboolean gst_fasp_parse_check_query (GHashTable *query, GstFaspParseFunc is_known, gpointer data,
    const gchar *what, const gchar *all, GError **error);
/* How many bytes of a value, or of a URI, a message may quote: no user, path, query or fragment,
 * and nothing behind what separates values. */
int gst_fasp_parse_count_plain (const gchar *text);
/* May GStreamer's parser see @text? FALSE: it might crash. */
gboolean gst_fasp_parse_may_be_caps (const gchar *text);
/* Does the name of each caps structure begin with a letter?  At any other, GStreamer's parser logs
 * a critical message. */
gboolean gst_fasp_parse_has_caps_names (const gchar *text);

G_END_DECLS
