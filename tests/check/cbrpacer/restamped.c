/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "restamped.h"

#define PAYLOAD (7 * TS_PACKET)
#define HEADERS 28
#define ACCURACY 500 /* ns */

/* The last PCR of a PID. */
typedef struct
{
  gboolean known;
  guint64 pcr;
  gint64 at; /* ns */
} Last;

typedef struct
{
  gsize end; /* bytes up to the end of a buffer */
  gint64 at; /* when it came, ns */
} Came;

typedef struct
{
  Restamped *out;
  guint64 packets;
  TsMonitor *monitor;
  GByteArray *in; /* what came in */
  gsize compared; /* so many of its bytes have left */
  GArray *came;   /* Came */
  guint leaving;  /* the one in `came' that leaves now */
  Last last[TS_PIDS];
} Run;

static gint64
get_time (GPtrArray *stream, guint i)
{
  return (gint64) GST_BUFFER_DTS_OR_PTS (GST_BUFFER (g_ptr_array_index (stream, i)))
      - (gint64) GST_BUFFER_DTS_OR_PTS (GST_BUFFER (g_ptr_array_index (stream, 0)));
}

/* Pushes the buffers that have come by @now, after buffer *next. */
static void
push_until (Pacer *f, GPtrArray *stream, guint *next, gint64 now, const Run *run)
{
  while (*next < stream->len && get_time (stream, *next) <= now) {
    GstBuffer *buffer = g_ptr_array_index (stream, (*next)++);
    GstMapInfo map;
    Came came;

    gst_buffer_map (buffer, &map, GST_MAP_READ);
    g_byte_array_append (run->in, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    came = (Came) { run->in->len, (gint64) gst_clock_get_time (GST_CLOCK (f->clock)) };
    g_array_append_val (run->came, came);
    g_assert_cmpint (gst_harness_push (f->h, gst_buffer_ref (buffer)), ==, GST_FLOW_OK);
  }
}

/* Is it the source's next packet, as it was but for a PCR, and the announcement of its clock? */
static gboolean
is_next (Run *run, const guint8 *data, const TsPacket *packet)
{
  guint8 was[TS_PACKET];

  if (run->compared + TS_PACKET > run->in->len)
    return FALSE;
  memcpy (was, run->in->data + run->compared, TS_PACKET);
  if (packet->has_pcr) {
    was[5] |= packet->announced ? 0x80 : 0;
    memcpy (was + 6, data + 6, TS_HEADER - 6);
  }
  return memcmp (data, was, TS_PACKET) == 0;
}

/* The time from @from to @to, ns; below 0 if @to is before it. */
static gint64
get_distance (guint64 from, guint64 to)
{
  gint64 step = ts_pcr_get_step (from, to);

  return (step > (gint64) TS_PCR_WRAP / 2 ? step - (gint64) TS_PCR_WRAP : step) * 1000 / 27;
}

static void
note_early (const Run *run, const TsPacket *packet, gint64 now)
{
  TsPacket source;
  gint64 early;

  ts_packet_read (&source, run->in->data + run->compared, TS_PACKET);
  early = get_distance (packet->pcr, source.pcr);
  if (now < (gint64) GST_SECOND)
    return;
  run->out->least_early = MIN (run->out->least_early, early);
  run->out->most_early = MAX (run->out->most_early, early);
}

static void
check_pcr (Run *run, const TsPacket *packet, gint64 now)
{
  Last *last = &run->last[packet->pid];

  if (last->known && !packet->announced)
    g_assert_cmpint (ABS (get_distance (last->pcr, packet->pcr) - (now - last->at)), <=, ACCURACY);
  *last = (Last) { TRUE, packet->pcr, now };
}

static void
take_packet (Run *run, const guint8 *data)
{
  gint64 now = (gint64) gst_util_uint64_scale (run->packets++,
      8 * (PAYLOAD + HEADERS) * GST_SECOND / 7, run->out->rate);
  TsPacket packet;

  ts_monitor_push (run->monitor, data, TS_PACKET, now);
  ts_packet_read (&packet, data, TS_PACKET);
  if (is_next (run, data, &packet)) {
    if (packet.has_pcr && !packet.damaged) {
      note_early (run, &packet, now);
      run->out->pcrs++;
      run->out->announced += packet.announced;
    }
    run->compared += TS_PACKET;
    while (run->compared > g_array_index (run->came, Came, run->leaving).end)
      run->leaving++;
    run->out->most_waited =
        MAX (run->out->most_waited, now - g_array_index (run->came, Came, run->leaving).at);
  } else {
    g_assert_true (packet.pid == TS_NULL_PID || (packet.has_pcr && packet.step == 0));
  }
  if (packet.has_pcr && !packet.damaged)
    check_pcr (run, &packet, now);
}

static void
take_buffer (Run *run, GstBuffer *buffer)
{
  GstMapInfo map;

  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, PAYLOAD);
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (gsize at = 0; at < map.size; at += TS_PACKET)
    take_packet (run, map.data + at);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

static void
read_figures (Restamped *out, Pacer *f, const TsMonitor *monitor)
{
  out->restamped = pacer_get_stat (f, "pcrs-restamped");
  out->inserted = pacer_get_stat (f, "pcrs-inserted");
  out->begun_anew = pacer_get_stat (f, "pcr-clocks-begun-anew");
  out->accuracy = ts_monitor_get_state (monitor, TS_ERROR_PCR_ACCURACY);
  for (TsErrorKind kind = 0; kind < TS_ERRORS; kind++)
    out->errors[kind] = ts_monitor_get_error (monitor, kind)->count;
}

void
restamped_run (Restamped *out, GPtrArray *stream)
{
  g_autofree gchar *settings =
      g_strdup_printf ("bitrate=%u header-size=%u stuffing=null-ts max-delay=300000000", out->rate,
          HEADERS);
  g_autoptr (Pacer) f = pacer_new (settings, TS);
  g_autoptr (TsMonitor) monitor = ts_monitor_new (out->limits);
  g_autoptr (GByteArray) in = g_byte_array_new ();
  g_autoptr (GArray) came = g_array_new (FALSE, FALSE, sizeof (Came));
  g_autofree Run *run = g_new0 (Run, 1);
  guint next = 0;

  out->least_early = G_MAXINT64;
  out->most_early = G_MININT64;
  *run = (Run) { .out = out, .in = in, .came = came, .monitor = monitor };
  push_until (f, stream, &next, 0, run);
  while (next < stream->len || run->compared < in->len) {
    gint64 now = pacer_wait_for_sleep (f);
    GstBuffer *buffer;

    push_until (f, stream, &next, now, run);
    gst_test_clock_crank (f->clock);
    while ((buffer = pacer_try_pull (f)) != NULL)
      take_buffer (run, buffer);
  }
  read_figures (out, f, monitor);
}
