/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lan.h: what fasp-lan-send and fasp-lan-play share: the command line, a file that logs
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

/* Parses the options that both programs have, and @entries. An address must be given
 * unless @instead points to a value afterwards. If the command line is wrong, or one of
 * these numbers makes no sense, says why and ends the program. */
LanOptions lan_parse (const LanProgram *program, const GOptionEntry *entries, gchar **instead,
    int *argc, char ***argv);
/* Prints the pipeline, so that you can use it elsewhere, and makes it. NULL: it cannot,
 * and has said why. @end: name of the element that gets the passphrase of the
 * environment, if there is one. */
GstElement *lan_launch (const LanProgram *program, const gchar *line, const gchar *end);
/* TRUE: what passes the probe is an event. Takes the video format from it, if it says
 * one. */
gboolean lan_take_event (GstPadProbeInfo *probe, GstVideoInfo *info, gboolean *has_info);

/* Writes a line; lines of several threads do not mix. @log may be NULL. */
void lan_log (FILE *log, const gchar *what, guint64 number, gint64 time);
void lan_log_code (FILE *log, const gchar *what, guint64 number, gint64 time, guint32 code);

/* Closes the log. Returns the program's exit status: @status, unless that is success and the log is
 * incomplete. */
gint lan_end_log (FILE *log, gint status);

/* Logs the pictures that begin in a transport stream which passes @pad. */
void lan_log_stream (GstPad *pad, const gchar *what, FILE *log);

/* Gets the pad @name of the element @element. */
GstPad *lan_get_pad (GstElement *pipeline, const gchar *element, const gchar *name);

/* Plays until the stream or @seconds (0: no limit) end, or until a signal; says what
 * happens. @at_end: called before it stops; may be NULL. Returns the program's exit
 * status. */
gint lan_run (GstElement *pipeline, gdouble seconds, void (*at_end) (GstElement *pipeline));

G_END_DECLS
