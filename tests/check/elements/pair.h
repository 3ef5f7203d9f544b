/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pair.h: pipelines for the tests of the elements.
 *
 * A test makes its pipelines with g_autoptr, so that they stop in the reverse order and are gone
 * when it returns.  Most tests need a Pair: both ends, at a port of its own, an appsrc before them,
 * and what came out behind them.  They push a part of a stream, wait for what that causes (bytes, a
 * message and its text, a figure of the statistics), and check it.  Nothing waits for a time: each
 * wait is for an event, and fails after 20 s.  chain.h has relays in between.
 */
#pragma once

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* Of both ends, so that there is nothing to warn of. */
#define SECRET "passphrase=correct-horse-battery"

/* ms. One second for a goodbye (asserted in virtual time), and what a busy
 * machine adds: beyond this it hangs. */
#define HANGS 4000

/* A UDP port of this machine that is free, and that no other test is given; for one thread. */
guint pair_get_port (void);
/* The first of @n ports one above the other, all of them free. */
guint pair_get_ports (guint n);
/* The first of two, as RTP has them: an even one. */
guint pair_get_even_port (void);
/* gst_parse_launch with arguments; a mistake fails the test. */
GstElement *pair_launch (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
/* A pipeline that is stopped before it is freed: pair_end(). */
typedef GstElement PairPipeline;
void pair_end (PairPipeline *pipeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PairPipeline, pair_end)
/* Waits for one of @types from @element (NULL: any), 20 s at most, else the
 * test fails.  Other messages are passed over. */
GstMessage *pair_wait (GstElement *pipeline, GstMessageType types);
/* Waits for the element message called @name. */
GstMessage *pair_wait_element (GstElement *pipeline, const gchar *name);
/* The sink of this pipeline disconnects the next receiver that it says is connected. */
void pair_drop_caller (GstElement *pipeline);
/* The text of the error or warning that comes. */
gchar *pair_wait_text (GstElement *pipeline, GstMessageType type);
/* @part is in it. */
void pair_expect (GstElement *pipeline, GstMessageType type, const gchar *part);
/* To NULL, and how long that took in ms. */
guint pair_stop (GstElement *pipeline);
/* A field of the stats of the element called @name. */
guint64 pair_get_stat (GstElement *pipeline, const gchar *name, const gchar *field);
/* Until it is @value; until it is @least or more.  20 s at most, else the test fails. */
void pair_wait_for_stat (GstElement *pipeline, const gchar *name, const gchar *field,
    guint64 value);
void pair_wait_for_least (GstElement *pipeline, const gchar *name, const gchar *field,
    guint64 least);
/* Until what another thread counts is that; atomic. */
void pair_wait_for_count (gint *count, gint least);

/* Carries datagrams from a port of its own to another of this machine, and what comes back; of the
 * larger ones of the way there two in five are lost. */
typedef struct _PairWire PairWire;
PairWire *pair_wire_new (guint to, guint *port);
/* From now on, all of these are lost. */
void pair_wire_cut (PairWire *wire);
/* From now on, nothing passes, either way; or as before. */
void pair_wire_switch (PairWire *wire, gboolean on);
void pair_wire_free (PairWire *wire);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PairWire, pair_wire_free)

/* Waits until an element is gone, 20 s at most, else the test fails. */
typedef struct _PairWatch PairWatch;
PairWatch *pair_watch_new (GstElement *element);
void pair_watch_end (PairWatch *watch);

/* The stream of the tests: @size bytes that tell their place. */
GBytes *pair_make_stream (gsize size);

/* A faspsink with an appsrc before it, and a faspsrc with an appsink behind it. */
typedef struct
{
  GstElement *sender, *receiver;
  GByteArray *got; /* what appsink saw */
  GstClockTime last_pts;
  guint buffers, backwards, discont, gaps;
  guint split; /* not of whole packets of MPEG-TS */
  GMutex lock;
  GCond more; /* of what appsink saw */
} Pair;

/* @sink and @source: properties, in which PORT is the first of four that are free. Nothing is
 * started. */
Pair *pair_new (const gchar *sink, const gchar *source);
/* The sender dials the receiver on this machine. */
Pair *pair_new_default (void);
/* Both stop, at once. */
void pair_free (Pair *pair);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pair, pair_free)
void pair_play (Pair *pair);
/* The sender's appsrc, which the pipeline holds. */
GstAppSrc *pair_get_in (Pair *pair);
/* Bytes @from ... @to - 1 of @stream in buffers of @chunk bytes. */
void pair_push (Pair *pair, GBytes *stream, gsize from, gsize to, gsize chunk);
/* Until so much has come; the time of the last buffer. */
GstClockTime pair_wait_for_size (Pair *pair, gsize size);
/* The stream ends, at both ends, and all of it has come. */
void pair_finish (Pair *pair, GBytes *stream);

G_END_DECLS
