/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lan.h: what fasp-lan-send and fasp-lan-play share: the command line, when what passed, in
 * a file, and running a pipeline until it ends.
 *
 * A line of the file is a word, a number, µs of the machine's real-time clock, and for some words
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

#include <gst/video/video.h>
#include <stdio.h>
#include "toolrange.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *name;            /* of the program */
  const gchar *arguments, *summary, *description;       /* for --help */
  const gchar *example;         /* what to say when there is no address */
} LanProgram;

typedef struct
{
  const gchar *address;         /* "": none was given */
  gint latency;                 /* ms */
  gdouble seconds;              /* 0: no end */
  gboolean silent;              /* pictures alone */
  FILE *log;                    /* NULL: nothing is written */
} LanOptions;

/* Options that both have, and @entries. An address has to be given unless @instead points to
 * something by then. Ends the program, having said why, when the command line is wrong or
 * one of these numbers makes no sense. */
LanOptions lan_parse (const LanProgram * program, const GOptionEntry * entries,
    gchar ** instead, int *argc, char ***argv);
/* Prints the pipeline, to be taken elsewhere, and makes it; NULL, having said why, if it cannot.
 * The passphrase of the environment is for the element @end, if there is one. */
GstElement *lan_launch (const LanProgram * program, const gchar * line,
    const gchar * end);
/* TRUE: an event passed a probe, and nothing else; what it says of the video is taken. */
gboolean lan_take_event (GstPadProbeInfo * probe, GstVideoInfo * info,
    gboolean * has_info);

/* Lines of several threads do not mix; @log may be NULL. */
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
