/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstcbrpacer.h: the state of the element, which its files share.
 */
#pragma once

#include <gst/gst.h>
#include "cbrformat.h"
#include "cbrlearner.h"
#include "cbroffload.h"
#include "cbrrestamp.h"
#include "cbrstats.h"
#include "cbrwaiter.h"
#include "gstfaspmonitor.h"

G_BEGIN_DECLS

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
  guint64 bitrate; /* bit/s; 0: learned */
  CbrMethod method;
  guint payload_size, header_size, max_burst; /* bytes */
  GstClockTime max_period, max_delay, spin, window;
  GstCbrPacerOverflow overflow;
  GstCbrPacerStuffing stuffing;
  gboolean offload, restamp;
  gboolean monitor;     /* what leaves is measured as a transport stream */
  guint stats_interval; /* ms */
} CbrSettings;

#define GST_TYPE_CBR_PACER (gst_cbr_pacer_get_type ())
G_DECLARE_FINAL_TYPE (GstCbrPacer, gst_cbr_pacer, GST, CBR_PACER, GstElement);

#define CBR_NO_BASE G_MININT64

/* Values of offload_payload that no datagram has: datagrams may have any size, so that offload is
 * not possible; and the sink may be another one, so that offload must be tried again, or undone. */
#define CBR_OFFLOAD_UNKNOWN G_MAXUINT
#define CBR_OFFLOAD_ANEW (G_MAXUINT - 1)

/* The state of the data that comes in at the sink pad. */
typedef struct
{
  gboolean eos;
  gboolean discont; /* an empty buffer had DISCONT: the next one gets it */
  gboolean live,
      live_known; /* upstream is live: it does not wait; upstream has said whether it is */
  gsize blocked;  /* bytes that wait for room; 0: none */
  GstSegment segment;
  CbrFormat format;
} CbrInput;

/* Does the sink take data?  If a push returns EOS, it takes none before another segment: WANTED
 * becomes REFUSED, or DROPPED if that segment waits in the queue already.
 * REFUSED becomes DROPPED when it comes, and both WANTED when it leaves. */
typedef enum
{
  CBR_WANTED,
  CBR_DROPPED, /* the thread of the source pad drops data, up to the segment */
  CBR_REFUSED, /* as with DROPPED; and the sink pad takes no data */
} CbrDemand;

/* A serialized query, which waits for its turn: there is one at the most. */
typedef enum
{
  CBR_QUERY_NONE,
  CBR_QUERY_WAITS,
  CBR_QUERY_UNDER_WAY,
  CBR_QUERY_ANSWERED,
  CBR_QUERY_UNANSWERED,
} CbrQueryState;

/* The state of the warnings about a stream that is too fast. */
typedef struct
{
  guint64 dropped;        /* bytes dropped since the last warning about that */
  gint64 dropped_at;      /* when that warning was posted; monotonic, µs */
  gboolean held;          /* the source waited for room since the last look */
  gsize least, most;      /* bytes in the queue since then: the least before a buffer was added,
                             the most after it */
  guint looks;            /* number of looks in a row that found the source held up */
  gint64 looked;          /* when the last look was; on the clock, ns, as all below */
  gint64 held_at;         /* the last warning about a held-up source; 0: none */
  gint64 lag, lag_before; /* how late the stream left at `looked' and at `looked_before' */
  gint64 looked_before;   /* when the look before `looked' was */
} CbrWarned;

struct _GstCbrPacer
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;

  /* one lock for all fields below; never held while something is pushed or posted */
  GMutex lock;
  CbrWaiter room;   /* the one thread that brings data waits for room here */
  CbrWaiter waiter; /* the thread of the source pad waits here */
  CbrSettings settings;
  CbrInput input;
  CbrQueue queue;
  CbrDeparture departure;
  CbrLearner learner;
  CbrStats *stats;
  GstFaspMonitor *monitor; /* NULL: not set */
  CbrRestamp *restamp;     /* NULL: not needed yet */
  CbrOffload offload;
  CbrWarned warned;

  GstFlowReturn result; /* OK until a push fails, or EOS has left */
  gboolean flushing;    /* the sink pad is flushing */
  CbrDemand demand;
  CbrQueryState query;
  gboolean playing;
  gboolean begun;         /* data of the stream has left */
  guint pauses;           /* number of pauses so far */
  guint links;            /* how often the source pad was linked */
  gint64 base;            /* if the source waits for us: when the stream's clock
                             was at 0; CBR_NO_BASE: not known */
  guint64 peak;           /* highest rate since more data waits than leaves in max-delay, bit/s */
  guint64 drain, drained; /* rate at which the queue must leave, bit/s, until this
                             number of bytes has left */
  gsize skipped;          /* bytes skipped lately as they were not in packets */
  guint offload_payload;  /* the payload that offload was tried with; 0: none */
  GstClock *clock;        /* the clock of all times in this struct; NULL: none was read yet */
  GstMemory *nulls;       /* null packets, shared */
  GstClockTime latency;   /* the last answer to a query; NONE: no query has come since it changed */

  GThread *thread;     /* the thread that cpu_mark belongs to */
  gint64 cpu_mark;     /* ns */
  gint64 stats_posted; /* monotonic, µs */
};

/* Casts without a check of the type: GST_CBR_PACER() calls the function that registers the type, so
 * each file that uses it would depend on gstcbrpacer.c, which depends on all of them. */
#define GST_CBR_PACER_CAST(object) ((GstCbrPacer *) (object))

GST_DEBUG_CATEGORY_EXTERN (gst_cbr_pacer_debug);
GST_ELEMENT_REGISTER_DECLARE (cbrpacer);

/* gstcbrpacerclock.c: call these with the lock held */
/* Returns the time on the pipeline's clock, or the system's if there is none, ns. If the clock is
 * another one than before, the schedule and all measurements begin anew. */
gint64 gst_cbr_pacer_read_clock (GstCbrPacer *self);
/* Another stream or another clock begins: the next cycle starts a new schedule. */
void gst_cbr_pacer_reset_departure (GstCbrPacer *self);
/* No data could leave before @now: forgets the lag that was measured before. */
void gst_cbr_pacer_forget_lag (GstCbrPacer *self, gint64 now);
/* The element has got a clock. Call this without the lock. */
void gst_cbr_pacer_clock_changed (GstCbrPacer *self);

/* gstcbrpacerstates.c */
/* Begins to measure, or ends that, as the settings say. Call this with the lock held. */
void gst_cbr_pacer_begin_monitor (GstCbrPacer *self);
void gst_cbr_pacer_start_task (GstCbrPacer *self);
/* Drops everything of the stream so far, except for the events that outlive a flush: they go
 * to @kept. Call this with the lock held. */
void gst_cbr_pacer_forget_stream (GstCbrPacer *self, GQueue *kept);
/* Ends the waits of both threads. */
void gst_cbr_pacer_set_flushing (GstCbrPacer *self);
gboolean gst_cbr_pacer_sink_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode,
    gboolean active);
gboolean gst_cbr_pacer_src_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode,
    gboolean active);
/* READY to PAUSED. FALSE: the settings contradict each other, and an error was posted. */
gboolean gst_cbr_pacer_prepare (GstCbrPacer *self);
void gst_cbr_pacer_set_playing (GstCbrPacer *self, gboolean playing);
/* PAUSED to READY, when the pads are inactive. */
void gst_cbr_pacer_release (GstCbrPacer *self);

/* gstcbrpacerinput.c */
GstFlowReturn gst_cbr_pacer_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer);
GstFlowReturn gst_cbr_pacer_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list);

/* gstcbrpacerwarnings.c: call these with the lock held; it is released meanwhile */
/* Posts LATENCY if the latency differs from the last answer. */
void gst_cbr_pacer_post_latency (GstCbrPacer *self);
/* Warns about dropped data, at most once a second. */
void gst_cbr_pacer_warn_of_dropped (GstCbrPacer *self);
/* Warns if the source is live and has to wait, so that its delay keeps growing.  For other sources,
 * waiting is normal. */
void gst_cbr_pacer_warn_of_held (GstCbrPacer *self);

/* gstcbrpacerevents.c */
gboolean gst_cbr_pacer_sink_event (GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_cbr_pacer_src_event (GstPad *pad, GstObject *parent, GstEvent *event);

/* gstcbrpacerqueries.c */
gboolean gst_cbr_pacer_sink_query (GstPad *pad, GstObject *parent, GstQuery *query);
gboolean gst_cbr_pacer_src_query (GstPad *pad, GstObject *parent, GstQuery *query);
/* Asks upstream for `live'. Call this with the lock held; it is released meanwhile. */
void gst_cbr_pacer_ask_if_live (GstCbrPacer *self);

/* gstcbrpacerformat.c: call these with the lock held */
/* Is the line filled up with null packets, by the settings? */
gboolean gst_cbr_pacer_is_stuffed (GstCbrPacer *self);
/* Do null packets fill the line now? */
gboolean gst_cbr_pacer_is_stuffing (GstCbrPacer *self);
/* Returns the most bytes of a datagram; 0: buffers leave as they come. */
guint gst_cbr_pacer_get_payload (GstCbrPacer *self);
/* Returns the piece of the queue that may leave next, at most @n datagrams without their first
 * @taken bytes. */
CbrPiece gst_cbr_pacer_look (GstCbrPacer *self, guint n, gsize taken);
/* Drops the oldest datagram.  Returns its bytes. */
gsize gst_cbr_pacer_drop (GstCbrPacer *self);
/* FALSE: null packets do not fit the datagrams, and an error was posted, for which the lock was
 * released. */
gboolean gst_cbr_pacer_check_stuffing (GstCbrPacer *self);

/* gstcbrpacersettings.c */
void gst_cbr_pacer_install_properties (GObjectClass *klass);
void gst_cbr_pacer_settings_init (CbrSettings *settings);

/* gstcbrpacerlevel.c: call these with the lock held */
guint64 gst_cbr_pacer_get_wire_bytes (GstCbrPacer *self, guint64 bytes, guint64 buffers);
guint64 gst_cbr_pacer_get_rate (GstCbrPacer *self);
GstClockTime gst_cbr_pacer_get_max_delay (GstCbrPacer *self);
/* Returns how long data is queued at most, for the LATENCY query. */
GstClockTime gst_cbr_pacer_get_latency (GstCbrPacer *self);
/* Is the stream's clock needed?  If the rate is learned, a source that can wait is played at the
 * pace of its clock.  With null packets this holds for a set rate, too: otherwise the source would
 * fill the whole rate. */
gboolean gst_cbr_pacer_wants_clock (GstCbrPacer *self);
/* Would @size more bytes wait for too long? Updates `peak' if the stream comes at the
 * pace of its clock. */
gboolean gst_cbr_pacer_look_if_full (GstCbrPacer *self, gsize size);
/* Returns until when the buffer that was last fed to the learner waits before it is queued: its
 * time on the stream's clock has not come, and its source can wait. Chooses `base' anew where the
 * stream begins, or if upstream or downstream was too slow. */
gint64 gst_cbr_pacer_choose_entry (GstCbrPacer *self, gint64 now);
/* Call this before a cycle leaves: updates `drain', the rate that the queue needs. */
void gst_cbr_pacer_look_at_pile (GstCbrPacer *self);

/* gstcbrpacercycle.c: call these with the lock held */
/* Returns the datagrams that leave now, perhaps none, and counts them in @cycle. *wrong: the stream
 * is not a transport stream. */
GstBufferList *gst_cbr_pacer_make_cycle (GstCbrPacer *self, CbrCycle *cycle, gboolean *wrong);

/* gstcbrpacerrestamp.c: call these with the lock held */
/* Do PCRs get the time at which they leave? */
gboolean gst_cbr_pacer_is_restamping (GstCbrPacer *self);
/* @size bytes came at @now. */
void gst_cbr_pacer_note_burst (GstCbrPacer *self, gint64 now, gsize size);
/* Is queued data held, so that datagrams of null packets leave behind @before bytes on the wire of
 * this cycle? */
gboolean gst_cbr_pacer_is_holding (GstCbrPacer *self, guint payload, guint64 before);
/* The next cycle does not follow the last one as the schedule had it: other clocks begin. */
void gst_cbr_pacer_break_clocks (GstCbrPacer *self);
/* Returns the packet of a PCR that is due, to be the first one of the @n datagrams of @payload
 * bytes that leave behind @before bytes on the wire of this cycle.  NULL: none is due. */
GstMemory *gst_cbr_pacer_insert_pcr (GstCbrPacer *self, guint payload, guint n, guint64 before);
/* Puts it there.  Takes both, and returns the datagrams. */
GstBuffer *gst_cbr_pacer_prepend_pcr (GstBuffer *datagram, GstMemory *pcr);
/* Gives the packets of @data, which was cut from the queue last, their PCRs: it begins at byte
 * @from of those datagrams.  Returns it, or a copy. */
GstBuffer *gst_cbr_pacer_restamp (GstCbrPacer *self, GstBuffer *data, guint payload, guint64 before,
    gsize from);

/* gstcbrpacerthread.c: call these with the lock held */
/* Wakes the thread if it waits for data or events. */
void gst_cbr_pacer_thread_wake (GstCbrPacer *self);
/* The task of the source pad. Call this without the lock. */
void gst_cbr_pacer_thread_run (gpointer pad);

G_END_DECLS
