/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspaddress.h"
#include "gstfaspevents.h"
#include "gstfaspwatch.h"

#define LOOK_EVERY G_USEC_PER_SEC
/* A stream whose data waits for longer than this is behind, µs. */
#define BEHIND (2 * G_USEC_PER_SEC)
/* A line may lose up to this share now and then; if the rate is too high, more is lost. */
#define LOSSY .25
/* If the sending thread does nothing for this share of the time, though the rate would allow it to
 * send, the machine does not run it in time. */
#define LATE .1
/* Below this, max-bitrate may have been meant in kbit/s, as x264enc's bitrate is. */
#define LOW_RATE 100000
/* Warns if this many looks in a row find the same fault. */
#define LOOKS 3

/* If no block was acknowledged within this many looks, the path delivers nothing any more. */
#define STUCK_LOOKS 5

/* A receiver that joins a stream with a header waits for a key frame.  After this time, probably
 * none comes, µs. */
#define KEYLESS (10 * G_USEC_PER_SEC)

/* A file is read as fast as the line takes it.  A live source keeps its own pace: if the line is
 * slower, the delay of the stream keeps growing. */
static gboolean
is_live (GstElement *sink)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  return live;
}

/* Warns if max-bitrate was probably given in another unit. */
static gboolean
warn_unit (const GstFaspWatch *w, GstElement *sink)
{
  guint64 max;

  g_object_get (sink, "max-bitrate", &max, NULL);
  if (max == 0 || max >= LOW_RATE || w->rate <= max)
    return FALSE;
  GST_ELEMENT_WARNING (sink, RESOURCE, BUSY,
      ("max-bitrate is in bit/s: %" G_GUINT64_FORMAT
       " bit/s is less than this stream of %" G_GUINT64_FORMAT " kbit/s needs, and its delay keeps "
       "growing. If kbit/s are meant, as for x264enc, set max-bitrate=%" G_GUINT64_FORMAT
       "; else raise it to 1.2 times the stream's rate, or lower the encoder's rate.",
          max, (w->rate + 500) / 1000, max * 1000),
      (NULL));
  return TRUE;
}

static void
warn_behind (GstFaspWatch *w, GstElement *sink, guint held)
{
  if (w->behind < LOOKS || !is_live (sink) || !gst_fasp_events_is_due (&w->behind_warned)
      || warn_unit (w, sink))
    return;
  GST_ELEMENT_WARNING (sink, RESOURCE, BUSY,
      ("The stream comes faster than it "
       "leaves, and its delay keeps growing: %.1f s of it wait here, and "
       "lately its source had to wait for %u %% of the time. Raise max-bitrate "
       "(bit/s) if the line has room, and with a long round trip also "
       "buffer-size on both ends; else lower the encoder's rate "
       "(available-bitrate tells what there is room for). A receiver that is "
       "paused holds up the stream, too: see slow-policy.",
          w->backlog / 1e6, held),
      (NULL));
}

static void
warn_lossy (GstFaspWatch *w, GstElement *sink, gdouble loss)
{
  if (w->lossy < LOOKS || !gst_fasp_events_is_due (&w->lossy_warned))
    return;
  GST_ELEMENT_WARNING (sink, RESOURCE, BUSY,
      ("%.0f %% of what is sent is lost on the way. If the line has less room "
       "than max-bitrate, lower max-bitrate, or set rate-control=adaptive, "
       "which finds out how much room there is. If the line itself loses "
       "that much, there is nothing to change.",
          100 * loss),
      (NULL));
}

static void
warn_late (GstFaspWatch *w, GstElement *sink, guint missed)
{
  if (w->late < LOOKS || !gst_fasp_events_is_due (&w->late_warned))
    return;
  GST_ELEMENT_WARNING (sink, RESOURCE, BUSY,
      ("This machine is too busy to send as fast as it may: for %u %% of the last "
       "time, data was due to leave and the thread that sends did not run. End "
       "other programs, or run this one with real-time priority (chrt --rr 5 "
       "gst-launch-1.0 ...). If this is a virtual machine, its host may be the "
       "busy one.",
          missed),
      (NULL));
}

/* The peer is heard, so there is no warning about an interruption. */
static void
warn_stuck (GstFaspWatch *w, GstElement *sink, const FaspAddress *where)
{
  g_autofree gchar *peer = NULL;

  if (!gst_fasp_events_is_due (&w->stuck_warned))
    return;
  peer = gst_fasp_address_to_string (where);
  GST_ELEMENT_WARNING_WITH_DETAILS (sink, RESOURCE, WRITE,
      ("Nothing of the stream arrives at %s any more, though that end is heard. "
       "Does the path still take IP packets of 1228 bytes (IPv6: 1280; look at "
       "tunnels and VPNs on the way), and do the firewalls let them through? "
       "The stream is sent again until it arrives.",
          peer),
      (NULL), GST_FASP_PEER ("stream-stuck", peer));
}

static void
warn_keyless (GstFaspWatch *w, GstElement *sink, FaspTime wait)
{
  if (wait < KEYLESS || !gst_fasp_events_is_due (&w->keyless_warned))
    return;
  GST_ELEMENT_WARNING (sink, STREAM, FORMAT,
      ("A receiver that joined has waited for %u s for a key frame to begin with, "
       "and has had nothing of the stream so far. Set the encoder's interval of "
       "key frames to two seconds or so (x264enc key-int-max=50).",
          (guint) (wait / G_USEC_PER_SEC)),
      (NULL));
}

/* Measures the stream's mean rate so far, except while its source is held up and writes less than
 * it would. */
static void
note_rate (GstFaspWatch *w, guint64 written, gint64 now, gint64 held)
{
  if (w->began == 0) {
    w->began = now;
    w->before = written;
  } else if (held < (now - w->looked) / 10) {
    w->rate = gst_util_uint64_scale (written - w->before, 8 * G_USEC_PER_SEC, now - w->began);
  }
}

void
gst_fasp_watch_look (GstFaspWatch *w, GstElement *sink, FaspIo *io, GstFaspWatchStream stream)
{
  gint64 now = g_get_monotonic_time (), since = now - w->looked;
  gint64 held = MIN (w->held, since);
  FaspEndpoint *endpoint;
  FaspTime backlog, missed, keyless;
  FaspEndpointStats stats;
  FaspAddress where;
  gboolean stuck;
  gdouble loss;

  if (since < LOOK_EVERY)
    return;
  endpoint = fasp_io_lock (io);
  backlog = fasp_endpoint_get_backlog (endpoint, now);
  loss = fasp_endpoint_look_at_loss (endpoint);
  missed = fasp_endpoint_look_at_missed (endpoint);
  stuck = fasp_endpoint_look_for_stuck (endpoint, now, STUCK_LOOKS, &where);
  keyless = fasp_endpoint_get_header_wait (endpoint, now);
  fasp_endpoint_get_stats (endpoint, &stats);
  fasp_io_unlock (io, FALSE);
  /* a shrinking backlog is left from an outage, and does not count */
  w->behind = stream != GST_FASP_WATCH_ENDS && backlog >= 0
          && (held > since / 2 || (backlog > BEHIND && backlog > w->backlog)) ?
      w->behind + 1 :
      0;
  w->lossy = loss >= LOSSY ? w->lossy + 1 : 0;
  w->late = missed >= LATE * since ? w->late + 1 : 0;
  note_rate (w, stats.bytes_written, now, held);
  w->looked = now;
  w->held = 0;
  w->backlog = backlog;
  warn_late (w, sink, 100 * missed / since);
  if (stream == GST_FASP_WATCH_PASSES)
    warn_keyless (w, sink, keyless);
  if (stuck) { /* another rate would not help */
    warn_stuck (w, sink, &where);
    return;
  }
  if (w->late < LOOKS) /* a higher rate would not help */
    warn_behind (w, sink, 100 * held / since);
  warn_lossy (w, sink, loss);
}

void
gst_fasp_watch_held (GstFaspWatch *w, gint64 time)
{
  w->held += time;
}
