/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pacer.h: cbrpacer in a harness, in virtual time: what goes in, what comes out, and when.
 *
 * A test makes one (g_autoptr), pushes, and says what leaves at which time.  The clock stands still
 * until the element waits for it and the test lets it go on: nothing sleeps.  Each step that
 * several tests make is one call here: a burst, another stream or clock, a datagram at its time, a
 * gate that holds the thread that pushes, a message with its text.  A test has only what is its
 * own: numbers, order, and assertions.
 */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>

G_BEGIN_DECLS

#define MS GST_MSECOND
#define DATA (GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST)
#define LIMIT (30 * G_TIME_SPAN_SECOND) /* of real time, for anything */

/* Properties: the rate is learned, in 100 ms, and so long may data wait. */
#define LEARN "max-burst=1 window=100000000 max-delay=100000000"
/* Caps. */
#define SIMPLE "application/x-test"
#define TS "video/mpegts,systemstream=true,packetsize=188"

typedef struct
{
  GstHarness *h;
  GstTestClock *clock;
  GstBus *bus;
  GstPad *src; /* of the element */
  GMutex lock;
  GArray *lists; /* buffers per push */
} Pacer;

/* cbrpacer with "name=value ..."; without headers on the wire, to count with
 * round numbers, unless told otherwise. */
Pacer *pacer_new (const gchar *properties, const gchar *caps);
/* Behind a file, which waits for it. */
Pacer *pacer_new_file (const gchar *properties, const gchar *caps);
void pacer_free (Pacer *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pacer, pacer_free)

/* --- what goes in ------------------------------------------------------------------------ */

GstBuffer *pacer_make (gsize size, GstClockTime pts);
/* @n packets of a transport stream. */
GstBuffer *pacer_make_ts (guint n);
/* Seven packets of 2 ms, of which the first has a PCR. */
GstBuffer *pacer_make_ts_at (guint i);
/* Bytes @from ... @to - 1 of packets of @size bytes. */
GstBuffer *pacer_make_part (guint size, guint from, guint to);
void pacer_push (Pacer *f, gsize size);
/* @n buffers, one by one. */
void pacer_push_many (Pacer *f, guint n, gsize size);
/* @n buffers, all there before anything leaves. */
void pacer_push_list (Pacer *f, guint n, gsize size);
void pacer_push_caps (Pacer *f, const gchar *text);
void pacer_push_segment (Pacer *f, GstFormat format);
/* Another stream, and its segment. */
void pacer_begin_stream (Pacer *f, GstFormat format);
/* Another clock, at @time. */
void pacer_set_clock (Pacer *f, GstClockTime time);
/* As a file: it waits. */
gboolean pacer_answer_not_live (GstPad *pad, GstObject *parent, GstQuery *query);

/* --- what comes out ---------------------------------------------------------------------- */

/* Waits until the thread sleeps.  Returns the time until which it does. */
gint64 pacer_wait_for_sleep (Pacer *f);
/* The thread sleeps until @time and until nothing else; it is @time now. */
void pacer_advance_to (Pacer *f, GstClockTime time);
/* The next buffer; it is waited for. */
GstBuffer *pacer_pull (Pacer *f);
/* The next buffer, or NULL if none has come out. */
GstBuffer *pacer_try_pull (Pacer *f);
/* The next buffer is of @size bytes. */
void pacer_assert_pull (Pacer *f, gsize size);
/* pacer_advance_to() and then that. */
void pacer_assert_pull_at (Pacer *f, GstClockTime time, gsize size);
/* @n of the packets in the next buffer are null packets. */
void pacer_assert_nulls (Pacer *f, guint n);
void pacer_assert_nothing (Pacer *f);
/* The next buffer, whenever it is due: the clock goes on as the thread waits for it. */
GstBuffer *pacer_pull_when_due (Pacer *f);
/* The next @n buffers, whenever they are due. */
void pacer_pull_in_time (Pacer *f, guint n);
GstEventType pacer_pull_event_type (Pacer *f);
/* Drops the events that have come out so far. */
void pacer_forget_events (Pacer *f);
/* The null packets in a part of a transport stream, which is of whole packets. */
guint pacer_count_nulls (GstBuffer *buffer);

/* --- what it tells ----------------------------------------------------------------------- */

guint64 pacer_get_stat (Pacer *f, const gchar *name);
/* Until it is @value: another thread changes it, and signals nothing. */
void pacer_wait_for_stat (Pacer *f, const gchar *name, guint64 value);
/* The text of the error or warning that comes. */
gchar *pacer_wait_text (Pacer *f, GstMessageType type);
void pacer_assert_text (const gchar *text, const gchar *part);
void pacer_assert_message (Pacer *f, GstMessageType type, const gchar *part);

/* --- a gate ------------------------------------------------------------------------------ */

/* Holds the thread that pushes through a pad. */
typedef struct _PacerGate PacerGate;

/* The next push of @what through @pad does not come back. */
PacerGate *pacer_gate_close (GstPad *pad, GstPadProbeType what);
/* Until a thread stands there; as the clock goes on. */
void pacer_gate_wait (PacerGate *gate);
void pacer_gate_reach (PacerGate *gate, GstTestClock *clock);
/* The thread that stands there goes on, none comes to it any more, and the gate is gone. */
void pacer_gate_open (PacerGate *gate);

G_END_DECLS
