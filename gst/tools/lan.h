/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lan.h: shared by fasp-lan-send and fasp-lan-play: the command line, a file that logs
 * when pictures pass, and running a pipeline until it ends.
 *
 * A line of the file is a word, a number, µs of the machine's real-time clock, and for
 * some words another number:
 *
 *   source  picture, time                  left the source (fasp-lan-send)
 *   encoded picture, time                  left the encoder
 *   sent    PTS of 90 kHz, time            its first packet was given to the sink
 *   came    PTS of 90 kHz, time            its first packet left the source (fasp-lan-play)
 *   decoded picture, time, its time code   left the decoder
 *   shown   picture, time, its time code   due to be shown, by the sink's clock
 */
#pragma once

#include <gst/video/video.h>
#include <stdio.h>
#include "toolrange.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *name;                              /* of the program */
  const gchar *arguments, *summary, *description; /* for --help */
  const gchar *example;                           /* shown if no address is given */
} LanProgram;

typedef struct
{
  const gchar *address; /* "": none was given */
  gint latency;         /* ms */
  gdouble seconds;      /* 0: no end */
  gboolean silent;      /* no sound */
  FILE *log;            /* NULL: no log */
} LanOptions;

/* Parses the options of both programs, and @entries. The command line must have an address, unless
 * *@instead is set by one of @entries. If it is wrong, or a number is out of its range, prints why
 * and ends the program. */
LanOptions lan_parse (const LanProgram *program, const GOptionEntry *entries, gchar **instead,
    int *argc, char ***argv);
/* Prints the pipeline, so that you can use it elsewhere, and makes it. NULL: it cannot be made, and
 * the reason was printed. @end: the element that gets FASP_PASSPHRASE, if that is set. */
GstElement *lan_launch (const LanProgram *program, const gchar *line, const gchar *end);
/* TRUE: an event passes the probe. Takes the video format from a CAPS event. */
gboolean lan_take_event (GstPadProbeInfo *probe, GstVideoInfo *info, gboolean *has_info);

/* Writes a line; lines of several threads do not mix. @log may be NULL. */
void lan_log (FILE *log, const gchar *what, guint64 number, gint64 time);
void lan_log_code (FILE *log, const gchar *what, guint64 number, gint64 time, guint32 code);

/* Closes the log. Returns the program's exit status: @status, unless that is success and the log is
 * incomplete. */
gint lan_end_log (FILE *log, gint status);

/* Logs the beginning of each picture in the transport stream that passes @pad. */
void lan_log_stream (GstPad *pad, const gchar *what, FILE *log);

/* Returns the pad @name of the element named @element. If there is none, prints an error and ends
 * the program. */
GstPad *lan_get_pad (GstElement *pipeline, const gchar *element, const gchar *name);

/* Plays until the stream or @seconds (0: no limit) end, or until a signal, and prints errors and
 * warnings. @at_end: called before it stops; may be NULL. Returns the program's exit status. */
gint lan_run (GstElement *pipeline, gdouble seconds, void (*at_end) (GstElement *pipeline));

G_END_DECLS
