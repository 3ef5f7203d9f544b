/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lanlog.h: what fasp-lan-send and fasp-lan-play share: when what passed, in a file, and
 * running a pipeline until it ends.
 *
 * A line is a word, a number, µs of the machine's real-time clock, and for some words
 * another number:
 *
 *   source  picture, time                  left the source (fasp-lan-send)
 *   encoded picture, time                  left the encoder
 *   sent    PTS of 90 kHz, time            its first packet was given to the sink
 *   came    PTS of 90 kHz, time            its first packet left the source (fasp-lan-play)
 *   decoded picture, time, its time code   left the decoder
 *   shown   picture, time, its time code   the sink's clock said it was time
 */
#pragma once

#include <gst/gst.h>
#include <stdio.h>

G_BEGIN_DECLS

/* NULL: nothing is written. Lines of several threads do not mix. */
FILE *lan_log_open (const gchar * path);
void lan_log (FILE * log, const gchar * what, guint64 number, gint64 time);
void lan_log_code (FILE * log, const gchar * what, guint64 number,
    gint64 time, guint32 code);

/* The pictures that begin in a transport stream which passes a pad. */
void lan_log_stream (GstPad * pad, const gchar * what, FILE * log);

/* The pad @name of the element @element. */
GstPad *lan_get_pad (GstElement * pipeline, const gchar * element,
    const gchar * name);

/* Plays until the stream or @seconds (0: none) end, or at a signal; says what happens.
 * @at_end: called before it stops, may be NULL.  Returns the program's status. */
gint lan_run (GstElement * pipeline, gdouble seconds,
    void (*at_end) (GstElement * pipeline));

G_END_DECLS
