/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include "cbrfigures.h"
#include "cbrlearner.h"
#include "cbroffload.h"
#include "cbrqueue.h"
#include "cbrschedule.h"
#include "cbrwaiter.h"

G_BEGIN_DECLS

typedef enum
{
  GST_CBR_PACER_METHOD_DEADLINE = CBR_DEADLINE,
  GST_CBR_PACER_METHOD_SEND_AND_COMPARE = CBR_SEND_AND_COMPARE,
  GST_CBR_PACER_METHOD_SEND_AND_SLEEP = CBR_SEND_AND_SLEEP,
} GstCbrPacerMethod;

typedef enum
{
  GST_CBR_PACER_OVERFLOW_BLOCK,
  GST_CBR_PACER_OVERFLOW_DROP_OLDEST,
} GstCbrPacerOverflow;

typedef enum
{
  GST_CBR_PACER_STUFFING_NONE,
  GST_CBR_PACER_STUFFING_NULL_TS,
} GstCbrPacerStuffing;

#define GST_TYPE_CBR_PACER_METHOD (gst_cbr_pacer_method_get_type ())
GType gst_cbr_pacer_method_get_type (void);
#define GST_TYPE_CBR_PACER_OVERFLOW (gst_cbr_pacer_overflow_get_type ())
GType gst_cbr_pacer_overflow_get_type (void);
#define GST_TYPE_CBR_PACER_STUFFING (gst_cbr_pacer_stuffing_get_type ())
GType gst_cbr_pacer_stuffing_get_type (void);

typedef struct
{
  guint64 bitrate;              /* bit/s; 0: learned */
  GstCbrPacerMethod method;
  guint payload_size, header_size, max_burst;   /* bytes */
  GstClockTime max_period, max_delay, spin, window;
  GstCbrPacerOverflow overflow;
  GstCbrPacerStuffing stuffing;
  gboolean offload;
  guint stats_interval;         /* ms */
} CbrSettings;

#define GST_TYPE_CBR_PACER (gst_cbr_pacer_get_type ())
G_DECLARE_FINAL_TYPE (GstCbrPacer, gst_cbr_pacer, GST, CBR_PACER, GstElement);

#define CBR_NO_BASE G_MININT64

struct _GstCbrPacer
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;

  /* one lock for all below; never held while something is pushed or posted */
  GMutex lock;
  CbrWaiter room;               /* who waits to bring something: there is one */
  CbrWaiter waiter;             /* the thread of the source pad */
  CbrSettings settings;
  CbrQueue queue;
  CbrSchedule schedule;
  CbrLearner learner;
  CbrFigures figures;
  CbrOffload offload;

  GstFlowReturn result;         /* what pushing came to */
  gboolean flushing, eos;       /* of the sink pad */
  gboolean discont;             /* an empty buffer had it: the next is it then */
  /* the sink has all it wants, until another segment: to the thread of the
   * source pad, and to who brings something */
  gboolean unwanted, refusing;
  gboolean playing, resumed;
  guint pauses;                 /* counted */
  gsize blocked;                /* bytes that wait for room; 0: none */
  gboolean hungry;              /* the thread sleeps until something comes */
  gboolean begun;               /* something of the stream has left */
  gboolean started;             /* the schedule has begun */
  gint64 fed_at;                /* until then there was nothing to leave */
  gint64 base;                  /* when the clock of a stream that waits for us
                                   was at 0; CBR_NO_BASE */
  guint64 peak;                 /* bit/s that came since more waits than should */
  guint64 drain, drained;       /* bit/s at which what waits is to leave, until
                                   so many bytes have */
  gint64 partial_since;         /* a datagram began to wait for its rest; -1 */
  gboolean impatient;           /* it has waited long enough */
  gsize skipped;                /* bytes that were no packets, lately */
  guint64 waiting_rate;         /* a wait under way was computed with it */
  guint offload_payload;        /* that offload was tried for; 0: none */

  GstClock *clock;              /* of the schedule */
  gboolean live, live_known;    /* upstream does not wait */
  GstSegment segment;           /* of the sink pad */
  gboolean is_ts, ts_known;     /* the caps or the bytes say so */
  guint ts_payload;             /* seven of its packets */
  GstMemory *nulls;             /* null packets, shared */

  GstQuery *query;              /* that waits for its turn, or is under way */
  gboolean query_busy, query_result;

  GThread *thread;              /* that cpu_mark is of */
  gint64 cpu_mark;              /* ns */
  gint64 dropped_told, stats_told;      /* monotonic, µs */
  guint64 dropped_untold;       /* bytes */
  gboolean held;                /* the source waited for room since the last look */
  gsize least, most;            /* of what was queued, as a buffer came and with it, bytes */
  gint64 held_looked, held_told;        /* clock, ns */
  gint64 lost;                  /* ns of the schedule that were not made good */
  gint64 lag;                   /* at the last look; and at the one before, and when */
  gint64 lag_before, looked_before;
  guint held_looks;             /* in a row that found it so */
};

GST_ELEMENT_REGISTER_DECLARE (cbrpacer);

/* gstcbrpacer.c: with the lock */
/* The pipeline's, or the system's where there is none; a reference. */
GstClock *gst_cbr_pacer_get_clock (GstCbrPacer * self);
/* ns on that clock. */
gint64 gst_cbr_pacer_read_clock (GstCbrPacer * self);
/* How what is behind the event is cut. */
void gst_cbr_pacer_look_at_caps (GstCbrPacer * self, GstEvent * event);

/* gstcbrpacersettings.c */
void gst_cbr_pacer_install_properties (GObjectClass * klass);
void gst_cbr_pacer_settings_init (CbrSettings * settings);
/* With the lock. FALSE: null packets do not fit the datagrams, and the user was told;
 * unlocks meanwhile. */
gboolean gst_cbr_pacer_check_stuffing (GstCbrPacer * self);

/* gstcbrpacerlevel.c: with the lock */
guint gst_cbr_pacer_get_payload (GstCbrPacer * self);
guint64 gst_cbr_pacer_get_wire_bytes (GstCbrPacer * self, guint64 bytes,
    guint64 buffers);
guint64 gst_cbr_pacer_get_rate (GstCbrPacer * self);
GstClockTime gst_cbr_pacer_get_max_delay (GstCbrPacer * self);
/* A source that waits is played at the time that its clock tells: with a rate, too,
 * where null packets fill it, or there would be room for none. */
gboolean gst_cbr_pacer_wants_clock (GstCbrPacer * self);
/* Would @size more bytes wait for too long? Of a stream that comes at its time,
 * @peak follows. */
gboolean gst_cbr_pacer_look_if_full (GstCbrPacer * self, gsize size);
/* Until when the buffer that was fed to the learner last is to wait outside, as
 * its source waits for us and its time has not come. Where the stream begins, or
 * somebody was too slow, @base is chosen anew. */
gint64 gst_cbr_pacer_choose_entry (GstCbrPacer * self, gint64 now);
/* By how much all leaves later than it should, ns, with what was not made good:
 * grows while something waits and what is behind takes less than the rate. */
gint64 gst_cbr_pacer_get_lag (GstCbrPacer * self, gint64 now);
/* Before a departure: @drain, the rate that what waits asks for. */
void gst_cbr_pacer_look_at_pile (GstCbrPacer * self);

/* gstcbrpacerthread.c */
/* With the lock. */
void gst_cbr_pacer_thread_reset (GstCbrPacer * self);
void gst_cbr_pacer_thread_run (gpointer pad);

G_END_DECLS
