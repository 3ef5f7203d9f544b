/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pacer.h: cbrpacer in a harness, in virtual time: what goes in, what comes out, and when.
 */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>

G_BEGIN_DECLS

#define MS GST_MSECOND
#define LIMIT (30 * G_TIME_SPAN_SECOND) /* of real time, for anything */

/* Caps. */
#define SIMPLE "application/x-test"
#define TS "video/mpegts,systemstream=true,packetsize=188"

typedef struct
{
  GstHarness *h;
  GstTestClock *clock;
  GstBus *bus;
  GMutex lock;
  GArray *lists; /* buffers per push */
} Pacer;

/* cbrpacer with "name=value ..."; without headers on the wire, to count with
 * round numbers, unless told otherwise. */
Pacer *pacer_new (const gchar *properties, const gchar *caps);
void pacer_free (Pacer *f);

/* --- what goes in ------------------------------------------------------------------------ */

GstBuffer *pacer_make (gsize size, GstClockTime pts);
/* @n packets of a transport stream. */
GstBuffer *pacer_make_ts (guint n);
/* Seven packets of 2 ms, of which the first has a PCR. */
GstBuffer *pacer_make_ts_at (guint i);
/* Bytes @from ... @to - 1 of packets of @size bytes. */
GstBuffer *pacer_make_part (guint size, guint from, guint to);
void pacer_push (Pacer *f, gsize size);
/* @n buffers, all there before anything leaves. */
void pacer_push_list (Pacer *f, guint n, gsize size);
void pacer_push_caps (Pacer *f, const gchar *text);
/* As a file: it waits. */
gboolean pacer_answer_not_live (GstPad *pad, GstObject *parent, GstQuery *query);

/* --- what comes out ---------------------------------------------------------------------- */

/* The thread sleeps until @time and until nothing else; it is @time now. */
void pacer_advance_to (Pacer *f, GstClockTime time);
/* The next buffer; it is waited for. */
GstBuffer *pacer_pull (Pacer *f);
/* The next buffer, or NULL if none has come out. */
GstBuffer *pacer_try_pull (Pacer *f);
/* The next buffer is of @size bytes. */
void pacer_assert_pull (Pacer *f, gsize size);
void pacer_assert_nothing (Pacer *f);
/* The next buffer, whenever it is due: the clock goes on as the thread waits for it. */
GstBuffer *pacer_pull_when_due (Pacer *f);
/* The next @n buffers, whenever they are due. */
void pacer_pull_in_time (Pacer *f, guint n);
GstEventType pacer_pull_event_type (Pacer *f);
/* The null packets in a part of a transport stream, which is of whole packets. */
guint pacer_count_nulls (GstBuffer *buffer);

/* --- what it tells ----------------------------------------------------------------------- */

guint64 pacer_get_stat (Pacer *f, const gchar *name);
/* Until it is @value: another thread changes it, and tells nobody. */
void pacer_wait_for_stat (Pacer *f, const gchar *name, guint64 value);
/* The text of the error or warning that comes. */
gchar *pacer_wait_text (Pacer *f, GstMessageType type);
void pacer_assert_text (const gchar *text, const gchar *part);

/* --- a gate ------------------------------------------------------------------------------ */

#define DATA (GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST)

/* Holds the thread that pushes; all zero before it is closed. */
typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean inside, open;
} PacerGate;

/* The next push does not come back.  @what: what is held; returns the probe. */
gulong pacer_gate_close (PacerGate *gate, GstPad *pad, GstPadProbeType what);
/* Until a thread stands there. */
void pacer_gate_wait (PacerGate *gate);
gboolean pacer_gate_is_reached (PacerGate *gate);
/* Who stands there goes on, and nobody comes to it any more. */
void pacer_gate_open (PacerGate *gate, GstPad *pad, gulong probe);
void pacer_gate_clear (PacerGate *gate);

G_END_DECLS
