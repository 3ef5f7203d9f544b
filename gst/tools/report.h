/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * report.h: runs a pipeline to its end, and prints the statistics of its fasp element at
 * intervals, as a line of JSON.
 */
#pragma once

#include <stdio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* Adds the application's own fields to a line. */
typedef void (*ReportFunc) (FILE *out, gpointer user_data);

/* Plays @pipeline until EOS, an error or SIGINT. SIGINT ends the stream in good order,
 * or at once if no peer is connected; a second one always ends at once. Prints
 * the stats of the element called @element every 500 ms and at the end. Returns the
 * exit status: 0: the stream has ended; 1: there was an error, or no peer was
 * connected; 130: ended by a second signal. */
int report_run (GstElement *pipeline, const gchar *element, ReportFunc more, gpointer user_data);

G_END_DECLS
