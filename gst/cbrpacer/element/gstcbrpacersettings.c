/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstcbrpacersettings.c: the properties of the element.
 */
#include <string.h>
#include "gstfaspcommon.h"
#include "gstfaspfield.h"
#include "gstcbrpacer.h"

#define MAX_PERIOD_DEFAULT (250 * GST_MSECOND)
#define MAX_DELAY_DEFAULT GST_SECOND
#define WINDOW_DEFAULT GST_SECOND
#define HEADER_DEFAULT 28 /* IPv4 and UDP */
#define PAYLOAD_MAX 65507 /* of a UDP datagram over IPv4 */

GST_FASP_DEFINE_ENUM (GstCbrPacerMethod, gst_cbr_pacer_method,
    { CBR_DEADLINE, "Sleep until absolute deadlines, which never drift", "deadline" },
    { CBR_SEND_AND_COMPARE, "Watch the clock all the time, on a whole core (for comparison only)",
        "send-and-compare" },
    { CBR_SEND_AND_SLEEP, "Sleep for the rest of each period, which drifts (for comparison only)",
        "send-and-sleep" });

GST_FASP_DEFINE_ENUM (GstCbrPacerOverflow, gst_cbr_pacer_overflow,
    { GST_CBR_PACER_OVERFLOW_BLOCK, "The source waits", "block" },
    { GST_CBR_PACER_OVERFLOW_DROP_OLDEST, "Drop what has waited longest, with a warning",
        "drop-oldest" });

GST_FASP_DEFINE_ENUM (GstCbrPacerStuffing, gst_cbr_pacer_stuffing,
    { GST_CBR_PACER_STUFFING_NONE, "Nothing: the line is idle", "none" },
    { GST_CBR_PACER_STUFFING_NULL_TS, "MPEG-TS null packets: the rate stays exact", "null-ts" });

enum
{
  PROP_0,
  PROP_BITRATE,
  PROP_METHOD,
  PROP_PAYLOAD_SIZE,
  PROP_HEADER_SIZE,
  PROP_MAX_BURST,
  PROP_MAX_PERIOD,
  PROP_MAX_DELAY,
  PROP_OVERFLOW,
  PROP_SPIN,
  PROP_STUFFING,
  PROP_RESTAMP,
  PROP_WINDOW,
  PROP_SEGMENTATION_OFFLOAD,
  PROP_MONITOR_TS,
  PROP_STATS,
  PROP_STATS_INTERVAL,
};

#define PLAYING (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

void
gst_cbr_pacer_settings_init (CbrSettings *settings)
{
  memset (settings, 0, sizeof *settings);
  settings->header_size = HEADER_DEFAULT;
  settings->max_period = MAX_PERIOD_DEFAULT;
  settings->max_delay = MAX_DELAY_DEFAULT;
  settings->window = WINDOW_DEFAULT;
  settings->restamp = TRUE;
}

/* While the stream's clock is not needed, it is not followed: it begins anew when it is needed. */
static void
forget_clock (GstCbrPacer *self)
{
  if (gst_cbr_pacer_wants_clock (self))
    return;
  cbr_learner_jump (&self->learner);
  self->base = CBR_NO_BASE;
}

#define IN(member, kind) GST_FASP_FIELD (CbrSettings, member, kind)

static const GstFaspField fields[] = {
  [PROP_BITRATE] = IN (bitrate, G_TYPE_UINT64),
  [PROP_METHOD] = IN (method, G_TYPE_ENUM),
  [PROP_PAYLOAD_SIZE] = IN (payload_size, G_TYPE_UINT),
  [PROP_HEADER_SIZE] = IN (header_size, G_TYPE_UINT),
  [PROP_MAX_BURST] = IN (max_burst, G_TYPE_UINT),
  [PROP_MAX_PERIOD] = IN (max_period, G_TYPE_UINT64),
  [PROP_MAX_DELAY] = IN (max_delay, G_TYPE_UINT64),
  [PROP_OVERFLOW] = IN (overflow, G_TYPE_ENUM),
  [PROP_SPIN] = IN (spin, G_TYPE_UINT64),
  [PROP_STUFFING] = IN (stuffing, G_TYPE_ENUM),
  [PROP_RESTAMP] = IN (restamp, G_TYPE_BOOLEAN),
  [PROP_WINDOW] = IN (window, G_TYPE_UINT64),
  [PROP_SEGMENTATION_OFFLOAD] = IN (offload, G_TYPE_BOOLEAN),
  [PROP_MONITOR_TS] = IN (monitor, G_TYPE_BOOLEAN),
  [PROP_STATS_INTERVAL] = IN (stats_interval, G_TYPE_UINT),
};

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (object);
  guint64 before;

  g_mutex_lock (&self->lock);
  before = self->settings.bitrate;
  if (id == PROP_BITRATE || id == PROP_STUFFING)
    forget_clock (self);
  gst_fasp_field_set (&fields[id], &self->settings, value);
  if (id == PROP_WINDOW)
    cbr_learner_set_window (&self->learner, self->settings.window);
  if (id == PROP_WINDOW || (id == PROP_BITRATE && (before == 0 || self->settings.bitrate == 0)))
    self->base = CBR_NO_BASE;
  /* else the bytes that have left would have another rate, or packets that no clock has seen */
  if (id == PROP_BITRATE || id == PROP_STUFFING)
    gst_cbr_pacer_break_clocks (self);
  /* without null packets, the time at which data came was not noted */
  if (id == PROP_STUFFING)
    cbr_queue_limit_marks (&self->queue, G_MAXINT64, gst_cbr_pacer_read_clock (self));
  /* both threads compute their waits anew */
  cbr_waiter_interrupt (&self->waiter);
  cbr_waiter_interrupt (&self->room);
  if (self->settings.monitor != (self->monitor != NULL))
    gst_cbr_pacer_begin_monitor (self);
  gst_cbr_pacer_post_latency (self);
  g_mutex_unlock (&self->lock);
}

static void
describe_pcrs (GstCbrPacer *self, GstStructure *s)
{
  CbrRestampCounts counts = { 0 };

  if (self->restamp != NULL)
    counts = cbr_restamp_get_counts (self->restamp);
  gst_structure_set (s, "pcrs-restamped", G_TYPE_UINT64, counts.stamped, "pcrs-inserted",
      G_TYPE_UINT64, counts.inserted, "pcrs-unchanged", G_TYPE_UINT64, counts.unchanged,
      "pcr-clocks-begun-anew", G_TYPE_UINT64, counts.begun_anew, NULL);
}

/* Makes the structure of `stats'. Call this with the lock held. */
static GstStructure *
describe (GstCbrPacer *self)
{
  GstStructure *s = cbr_stats_describe (self->stats);
  guint64 rate = gst_cbr_pacer_get_rate (self);
  guint64 waiting = gst_cbr_pacer_get_wire_bytes (self, self->queue.bytes, self->queue.buffers);

  gst_structure_set (s, "bitrate", G_TYPE_UINT64, rate, "bytes-queued", G_TYPE_UINT64,
      self->queue.bytes, "delay", G_TYPE_UINT64, (guint64) fasp_rate_clock_span (rate, waiting),
      "wakeup-latency", G_TYPE_UINT64, (guint64) cbr_waiter_get_latency (&self->waiter, FALSE),
      "segmentation-offload", G_TYPE_BOOLEAN, self->offload.payload > 0, NULL);
  if (self->settings.bitrate == 0 && self->learner.known_by == CBR_CLOCK_PCR
      && self->learner.ts.has_pid)
    gst_structure_set (s, "pcr-pid", G_TYPE_UINT64, (guint64) self->learner.ts.pid, NULL);
  describe_pcrs (self, s);
  return s;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (object);
  g_autoptr (GstFaspMonitor) monitor = NULL;
  GstStructure *stats = NULL;

  g_mutex_lock (&self->lock);
  if (id == PROP_STATS) {
    stats = describe (self);
    monitor = gst_fasp_monitor_copy (self->monitor,
        self->clock != NULL ? (gint64) gst_clock_get_time (self->clock) : 0);
  } else {
    gst_fasp_field_get (&fields[id], &self->settings, value);
  }
  g_mutex_unlock (&self->lock);
  if (stats == NULL)
    return;
  gst_fasp_monitor_add_figures (monitor, stats);
  g_value_take_boxed (value, stats);
}

static void
install_rate (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_BITRATE,
      g_param_spec_uint64 ("bitrate", "Bit rate",
          "Bit/s on the wire, headers included (0: learned from the stream's "
          "PCR, timestamps or arrival)",
          0, CBR_RATE_MAX, 0, PLAYING));
  g_object_class_install_property (klass, PROP_WINDOW,
      g_param_spec_uint64 ("window", "Learning window",
          "With bitrate=0: the rate is learned as the mean over this time, in ns", GST_MSECOND,
          60 * GST_SECOND, WINDOW_DEFAULT, PLAYING));
  g_object_class_install_property (klass, PROP_METHOD,
      g_param_spec_enum ("method", "Method", "How the rate is kept", GST_TYPE_CBR_PACER_METHOD,
          CBR_DEADLINE, PLAYING));
  g_object_class_install_property (klass, PROP_SPIN,
      g_param_spec_uint64 ("spin", "Spin",
          "For up to this many ns before a deadline, watch the clock instead of "
          "sleeping, to be exact to microseconds (0: sleep only)",
          0, 10 * GST_MSECOND, 0, PLAYING));
}

static void
install_cycle (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_PAYLOAD_SIZE,
      g_param_spec_uint ("payload-size", "Payload size",
          "Split and merge buffers into datagrams of this many bytes (0: MPEG-TS "
          "in seven packets, 1316 bytes if they have 188, anything else as it "
          "comes)",
          0, PAYLOAD_MAX, 0, PLAYING));
  g_object_class_install_property (klass, PROP_HEADER_SIZE,
      g_param_spec_uint ("header-size", "Header size",
          "Bytes on the wire around each datagram, counted in the rate: 28 "
          "for UDP over IPv4, 48 over IPv6; 12 more if RTP headers are added "
          "behind",
          0, 1000, HEADER_DEFAULT, PLAYING));
  g_object_class_install_property (klass, PROP_MAX_BURST,
      g_param_spec_uint ("max-burst", "Maximum burst",
          "Bytes on the wire that may leave at once (0: 8000 up to 1 Gbit/s, "
          "above that what leaves in 50 us; with PCRs restamped, no more than leaves "
          "in 0.5 ms); at least one datagram leaves",
          0, G_MAXINT, 0, PLAYING));
  g_object_class_install_property (klass, PROP_MAX_PERIOD,
      g_param_spec_uint64 ("max-period", "Maximum period",
          "Datagrams leave at least once in this time, in ns, unless a single "
          "one takes longer; also how long an incomplete datagram waits for "
          "more data",
          GST_USECOND, 60 * GST_SECOND, MAX_PERIOD_DEFAULT, PLAYING));
  g_object_class_install_property (klass, PROP_SEGMENTATION_OFFLOAD,
      g_param_spec_boolean ("segmentation-offload", "Segmentation offload",
          "Hand several datagrams as one buffer to the udpsink behind and let "
          "the kernel cut it (UDP_SEGMENT), which takes a fraction of the CPU "
          "time",
          FALSE, PLAYING));
}

void
gst_cbr_pacer_install_properties (GObjectClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  install_rate (klass);
  install_cycle (klass);
  g_object_class_install_property (klass, PROP_MAX_DELAY,
      g_param_spec_uint64 ("max-delay", "Maximum delay",
          "How much data may wait here, as the time in ns that it takes to leave "
          "at the rate",
          0, 3600 * GST_SECOND, MAX_DELAY_DEFAULT, PLAYING));
  g_object_class_install_property (klass, PROP_OVERFLOW,
      g_param_spec_enum ("overflow", "Overflow", "What happens when more waits than max-delay",
          GST_TYPE_CBR_PACER_OVERFLOW, GST_CBR_PACER_OVERFLOW_BLOCK, PLAYING));
  g_object_class_install_property (klass, PROP_STUFFING,
      g_param_spec_enum ("stuffing", "Stuffing", "What to send when the input runs dry",
          GST_TYPE_CBR_PACER_STUFFING, GST_CBR_PACER_STUFFING_NONE, PLAYING));
  /**
   * GstCbrPacer:monitor-ts:
   *
   * Measure what leaves by ETSI TR 101 290: #GstCbrPacer:stats has `transport-stream' then.
   *
   * Since: 1.0
   */
  g_object_class_install_property (klass, PROP_MONITOR_TS,
      g_param_spec_boolean ("monitor-ts", "Monitor the transport stream",
          "Measure what leaves by ETSI TR 101 290; stats has the errors of priority 1 and 2", FALSE,
          PLAYING));
  /**
   * GstCbrPacer:restamp:
   *
   * Give each PCR the time at which its packet leaves, with #GstCbrPacer:stuffing=null-ts.
   *
   * Since: 1.0
   */
  g_object_class_install_property (klass, PROP_RESTAMP,
      g_param_spec_boolean ("restamp", "Restamp",
          "With stuffing=null-ts: each PCR says when its packet leaves, and one comes every 40 ms",
          TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Figures of this element: application/x-cbrpacer-statistics", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint ("stats-interval", "Statistics interval",
          "Interval in ms at which stats is posted as an element message, while "
          "data leaves (0: never)",
          0, G_MAXINT, 0, PLAYING));
}
