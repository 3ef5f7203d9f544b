/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test-loss-steps.c: a path without a queue begins to lose at random, and stops.  A stream whose
 * sender finds the rate (adaptive) is hardly later than one whose sender knows it.
 */
#include "faspconfig.h"
#include "vcases.h"
#include "vstream.h"

#define LEAD FASP_SEC
#define BEGINS (4 * FASP_SEC)
#define ENDS (14 * FASP_SEC)
#define LATEST FASP_SEC
/* Later than with a known rate: a trial of less takes a round trip and some packets. */
#define LATER (FASP_SEC / 2)

typedef struct
{
  const gchar *name;
  gdouble mbit;
  FaspTime rtt;
  gdouble loss, burst, back;
  guint flows;
  gboolean skip; /* what is too late */
} Case;

typedef struct
{
  VstreamConfig config;
  guint64 read;
  FaspTime begin, latest;
} Run;

static void
on_read (gpointer data, guint32 size, FaspTime now)
{
  Run *run = data;
  FaspTime made;

  run->read += size;
  made = run->read * 8 * FASP_SEC / run->config.bitrate;
  run->latest = MAX (run->latest, now - run->begin - made);
}

static void
set_loss (Vnet *net, const Case *c, gdouble there, gdouble back)
{
  for (guint link = 0; link < c->flows; link++) {
    ImpairConfig *ab = vnet_get_link_wire (net, VNET_A, VNET_B, link);
    ImpairConfig *ba = vnet_get_link_wire (net, VNET_B, VNET_A, link);

    ab->loss = there;
    ba->loss = back;
    ab->burst = ba->burst = c->burst;
  }
}

/* How late the latest byte was. */
static FaspTime
run (const Case *c, guint seed, FaspRateControl control)
{
  static const gdouble none[2] = { 0, 0 };
  Vnet *net = vnet_new (seed);
  Run r = { 0 };
  Vstream *stream;

  vnet_set_path (net, c->rtt, none, none, 0);
  vstream_config_init (&r.config);
  r.config.bitrate = c->mbit * 1e6;
  r.config.channel = control == FASP_RATE_CONTROL_FIXED ? 5 * r.config.bitrate : 0;
  r.config.flows = c->flows > 1 ? c->flows : 0;
  r.config.duration = 18 * FASP_SEC;
  r.config.lead = LEAD;
  r.config.on_read = on_read;
  r.config.data = &r;
  r.config.sender.settings.latency_ms = r.config.receiver.settings.latency_ms = 1000;
  r.config.sender.rate_control = control;
  r.config.receiver.settings.too_late_skip = c->skip;
  stream = vstream_new (net, &r.config);
  r.begin = stream->started + LEAD;
  vstream_run_until (stream, LEAD + BEGINS);
  set_loss (net, c, c->loss, c->back);
  vstream_run_until (stream, LEAD + ENDS);
  set_loss (net, c, 0, 0);
  g_assert_true (vstream_run (stream));
  vstream_free (stream);
  vnet_free (net);
  return r.latest - c->rtt / 2;
}

static void
test_step (gconstpointer data)
{
  const Case *c = data;

  for (guint seed = 1; seed <= 2; seed++) {
    FaspTime known = run (c, seed, FASP_RATE_CONTROL_FIXED);
    FaspTime found = run (c, seed, FASP_RATE_CONTROL_ADAPTIVE);

    g_test_message ("%d ms late, %d with a known rate", (gint) (found / 1000),
        (gint) (known / 1000));
    g_assert_cmpint (found, <, MAX (LATEST, known + LATER));
  }
}

int
main (int argc, char **argv)
{
  static const Case cases[] = {
    { "10", 10, 20 * FASP_MSEC, .1, .flows = 1 },
    { "20", 3, 80 * FASP_MSEC, .2, .flows = 1 },
    { "25", 6, 80 * FASP_MSEC, .25, .flows = 1 },
    { "25/near", 6, 20 * FASP_MSEC, .25, .flows = 1 },
    { "25/slow", 1, 20 * FASP_MSEC, .25, .flows = 1 },
    { "25/far", 10, 200 * FASP_MSEC, .25, .flows = 1 },
    { "25/skips", 6, 80 * FASP_MSEC, .25, .flows = 1, .skip = TRUE },
    { "25/flows", 6, 80 * FASP_MSEC, .25, .flows = 2 },
    { "25/both-ways", 6, 80 * FASP_MSEC, .25, .back = .25, .flows = 1 },
    { "40", 10, 80 * FASP_MSEC, .4, .flows = 1 },
    { "40/near", 4, 20 * FASP_MSEC, .4, .flows = 1 },
    { "bursts/10", 4, 20 * FASP_MSEC, .1, 8, .flows = 1 },
    { "bursts/25", 6, 80 * FASP_MSEC, .25, 8, .flows = 1 },
    { "bursts/40", 10, 20 * FASP_MSEC, .4, 8, .flows = 1 },
  };

  g_test_init (&argc, &argv, NULL);
  vcases_add ("/loss-steps", cases, sizeof *cases, G_N_ELEMENTS (cases), test_step);
  return g_test_run ();
}
