/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Small writes: they fill datagrams where that takes a short part of the latency, and are late by
 * no more than that.
 */
#include "vcases.h"
#include "vstream.h"

#define RTT (20 * FASP_MSEC)
#define SMALL 188
#define DURATION (10 * FASP_SEC)

typedef struct
{
  const gchar *name;
  guint64 bitrate;
  guint latency_ms;
  guint32 chunk;
  gdouble writes; /* in each block, at least */
  gdouble most;   /* and at most */
  FaspTime bound; /* for the wait of any byte, µs */
} Case;

static const Case cases[] = {
  { "4M", 4000000, 1000, SMALL, 5.5, 7, 3 * FASP_MSEC },
  { "300k", 300000, 1000, SMALL, 5.5, 7, 50 * FASP_MSEC },
  { "10k", 10000, 1000, SMALL, 1, 1.1, 0 },           /* a block would take a second */
  { "short-latency", 300000, 200, SMALL, 1, 1.1, 0 }, /* 10 ms are allowed */
  { "no-latency", 4000000, 0, SMALL, 1, 1.5, 0 },
  { "large", 4000000, 1000, 800, .4, 1, 0 },
};

typedef struct
{
  const Case *of;
  Vstream *stream;
  guint64 read;
  FaspTime latest; /* time from a write to its arrival, beyond the path's, µs */
} Look;

static void
look (gpointer data, guint32 size, FaspTime now)
{
  Look *l = data;
  FaspTime since = l->stream->started + l->stream->config.lead;
  /* the first of these bytes waited for the longest time, since its chunk was complete */
  guint64 written = (l->read / l->of->chunk + 1) * l->of->chunk;

  l->read += size;
  l->latest =
      MAX (l->latest, now - since - (FaspTime) (written * 8 * FASP_SEC / l->of->bitrate) - RTT / 2);
}

static void
test_gather (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (Vnet) net = vnet_new (1);
  Look l = { .of = c };
  VstreamConfig config;
  gdouble writes;

  vnet_set_path (net, RTT, (const gdouble[2]) { 0, 0 }, (const gdouble[2]) { 0, 0 }, 0);
  vstream_config_init (&config);
  config.bitrate = c->bitrate;
  config.channel = 0;
  config.chunk = c->chunk;
  config.lead = 2 * FASP_SEC; /* for the connection */
  config.duration = DURATION;
  config.on_read = look;
  config.data = &l;
  config.sender.settings.latency_ms = c->latency_ms;
  l.stream = vstream_new (net, &config);
  g_assert_true (vstream_run (l.stream));
  writes = (gdouble) l.stream->writes / l.stream->sender_stats.sent.blocks;
  g_test_message ("%.2f writes a block, late by %.1f ms at most", writes, l.latest / 1e3);
  g_assert_cmpfloat (writes, >=, c->writes);
  g_assert_cmpfloat (writes, <=, c->most);
  /* the simulated applications write and read once in the time of a write, or in 50 ms */
  g_assert_cmpint (l.latest, <=,
      c->bound + 2 * MIN (c->chunk * 8 * FASP_SEC / (FaspTime) c->bitrate, 50 * FASP_MSEC));
  vstream_free (l.stream);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/gather", cases, sizeof *cases, G_N_ELEMENTS (cases), test_gather);
  return g_test_run ();
}
