/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simnets: live streams over networks that chance has made up, in virtual time.
 *
 *   simnets --first 1 --networks 2000
 *   simnets --first 1821 --every 0.5
 *
 * A stream of 15 to 80 % of a link, with no rate set or that of the link, and whatever may be wrong
 * with a network.  Told of are the streams that are later than that explains, the worst first, and
 * those of which half as much again is on the wire: to look there for what nobody has thought of.
 */
#include <stdio.h>
#include "draw.h"
#include "options.h"
#include "vstream.h"

#define DURATION (20 * FASP_SEC)
#define LEAD (5 * FASP_SEC) /* greetings are lost, too */
/* The last of it is repaired at the pace of its own end. */
#define END FASP_SEC
#define WIRE_MOST 1.5

typedef struct
{
  guint32 seed;
  gdouble link, share, rtt;    /* bit/s, of it, s */
  guint64 bitrate;             /* of the stream: that share, less what is lost of it */
  gdouble loss[2], burst[2];   /* there and back */
  gdouble queue;               /* s */
  gdouble jitter[2], stall[2]; /* s */
  gdouble black;               /* s */
  gdouble narrow, from, to;    /* the link's rate is so much of that between, s; 0: it stays */
  gboolean fixed;              /* the rate is set */
  guint latency, chunk;        /* ms, bytes */
  /* what became of it */
  gboolean complete;
  gdouble latest, when; /* s */
  gdouble beyond;       /* what explains it, s */
  gdouble wire;         /* of each byte */
  gchar *text;
} Network;

typedef struct
{
  Network *network;
  VstreamConfig config;
  FaspTime begin;
  guint64 read;
} Run;

static gint first = 1, networks = 200, worst = 20;
static gdouble every;

/* One direction: what may be wrong with both. */
static void
make_wire (GRand *rand, Network *n, guint way, ImpairConfig *wire)
{
  if (happens (rand, way ? .25 : .4))
    n->jitter[way] = draw (rand, .002, .06);
  if (happens (rand, way ? .1 : .2))
    n->stall[way] = draw (rand, .02, .3);
  wire->jitter = n->jitter[way] * FASP_SEC;
  wire->keep_order = !happens (rand, .3);
  wire->stall = n->stall[way] * FASP_SEC;
}

static void
make_network (GRand *rand, Network *n, Vnet *net)
{
  ImpairConfig *there = vnet_get_wire (net, VNET_A, VNET_B);
  ImpairConfig *back = vnet_get_wire (net, VNET_B, VNET_A);

  n->link = draw (rand, .7e6, 60e6);
  n->share = g_rand_double_range (rand, .15, .8);
  n->rtt = draw (rand, .004, .5);
  for (guint way = 0; way < 2; way++) {
    if (happens (rand, way ? .4 : .6))
      n->loss[way] = draw (rand, .001, .08);
    if (happens (rand, way ? .3 : .4))
      n->burst[way] = draw (rand, 2, 20);
  }
  n->bitrate = n->link * n->share * (1 - 2 * n->loss[0]);
  vnet_set_path (net, n->rtt * FASP_SEC, n->loss, n->burst, 0);
  n->queue = MAX (6000 * 8 / n->link, draw (rand, .02, 1));
  there->rate = n->link;
  there->queue = n->queue * n->link / 8;
  make_wire (rand, n, 0, there);
  make_wire (rand, n, 1, back);
  if (happens (rand, .15))
    there->codel = 5 * FASP_MSEC;
  if (happens (rand, .15)) {
    there->duplicate = g_rand_double_range (rand, 0, .1);
    there->corrupt = g_rand_double_range (rand, 0, .01);
  }
  if (happens (rand, .15)) {
    there->reorder = g_rand_double_range (rand, 0, .1);
    there->reorder_by = draw (rand, .001, .03) * FASP_SEC;
  }
  if (happens (rand, .2)) {
    gdouble at = g_rand_double_range (rand, 9, 17);

    n->black = draw (rand, .05, 1.5);
    there->blackouts[0].start = at * FASP_SEC;
    there->blackouts[0].end = (at + n->black) * FASP_SEC;
    if (happens (rand, .5))
      back->blackouts[0] = there->blackouts[0];
  }
  if (happens (rand, .15))
    there->mtu = g_rand_int_range (rand, 1260, 1500);
  if (happens (rand, .2))
    back->rate = MAX (60e3, n->link * n->share * draw (rand, .03, .2));
  if (happens (rand, .3)) {
    n->narrow = g_rand_double_range (rand, MIN (.95, 1.2 * n->share), 1);
    n->from = g_rand_double_range (rand, 9, 15);
    n->to = n->from + draw (rand, .3, 8);
  }
  n->fixed = happens (rand, .2);
  n->latency = 1000 * (n->rtt * g_rand_double_range (rand, 1.5, 5) + .05);
  n->chunk = happens (rand, .5) ? 1316 : g_rand_int_range (rand, 188, 9000);
  n->text =
      g_strdup_printf ("%.2f of %.2f Mbit/s%s, %.0f ms, latency %u, "
                       "queue %.0f ms%s, loss %.1f/%.1f%% (%.0f/%.0f), jitter %.0f/%.0f%s%s, "
                       "stall %.0f/%.0f, doubled %.2f, early %.2f, black %.2f, mtu %u, back %g k, "
                       "narrow %.2f (%.1f-%.1f), chunk %u",
          n->bitrate / 1e6, n->link / 1e6, n->fixed ? ", set" : "", n->rtt * 1e3, n->latency,
          n->queue * 1e3, there->codel > 0 ? " CoDel" : "", n->loss[0] * 100, n->loss[1] * 100,
          n->burst[0], n->burst[1], n->jitter[0] * 1e3, n->jitter[1] * 1e3,
          there->keep_order ? "" : " overtaking", back->keep_order ? "" : " overtaking back",
          n->stall[0] * 1e3, n->stall[1] * 1e3, there->duplicate, there->reorder, n->black,
          there->mtu, back->rate / 1e3, n->narrow, n->from, n->to, n->chunk);
}

/* s: the way, two rounds of repairs, the search for the rate, and what stands or falls in
 * between. */
static gdouble
explain (const Network *n)
{
  gboolean lossy = n->loss[0] > .03 || n->burst[0] > 5;

  return (lossy ? 4.7 : 2.7) * n->rtt + .3 + .7 * n->queue + 3 * (n->jitter[0] + n->jitter[1])
      + 2 * (n->stall[0] + n->stall[1]) + 1.3 * n->black * (1 + n->share);
}

static void
on_read (gpointer data, guint32 size, FaspTime now)
{
  Run *run = data;
  FaspTime made;
  gdouble late;

  run->read += size;
  made = run->read * 8. * FASP_SEC / run->config.bitrate;
  late = (gdouble) (now - run->begin - made) / FASP_SEC;
  if (made > DURATION - END || late <= run->network->latest)
    return;
  run->network->latest = late;
  run->network->when = (gdouble) (now - run->begin) / FASP_SEC;
}

static void
tell (const Run *run, const Vstream *stream, FaspTime now)
{
  const FaspSessionStats *s = &stream->sender_stats;

  printf ("  %6.2f s: channel %.0f k, rtt %.0f, queue %.1f ms, sent again %" G_GUINT64_FORMAT
          " + %" G_GUINT64_FORMAT ", in flight %" G_GUINT64_FORMAT ", behind %.2f s\n",
      (gdouble) (now - LEAD) / FASP_SEC, s->pacing.rate / 1e3, s->path.rtt / 1e3,
      s->pacing.queueing_delay / 1e3, s->sent.blocks_rtx, s->sent.copies, s->delivery.in_flight,
      (gdouble) (now - LEAD) / FASP_SEC - run->read * 8. / run->config.bitrate);
}

/* Until @until; the link is what it is by then. */
static void
advance (Run *run, Vstream *stream, FaspTime *now, FaspTime until)
{
  FaspTime step = every * FASP_SEC;

  for (; step > 0 && *now + step < until; *now += step) {
    vstream_run_until (stream, *now);
    tell (run, stream, *now);
  }
  *now = until;
  vstream_run_until (stream, until);
}

static void
run (Network *n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (n->seed);
  g_autoptr (Vnet) net = vnet_new (n->seed);
  Run r = { .network = n };
  gboolean receiver_calls = happens (rand, .3);
  FaspTime now = 0;
  g_autoptr (Vstream) stream = NULL;

  make_network (rand, n, net);
  vstream_config_init (&r.config);
  r.config.bitrate = n->bitrate;
  r.config.channel = n->fixed ? n->link * .95 : 0;
  r.config.chunk = n->chunk;
  r.config.duration = DURATION;
  r.config.lead = LEAD;
  r.config.limit = 40 * FASP_SEC;
  r.config.receiver_calls = receiver_calls;
  r.config.on_read = on_read;
  r.config.data = &r;
  r.config.sender.rate_control = n->fixed ? FASP_RATE_CONTROL_FIXED : FASP_RATE_CONTROL_ADAPTIVE;
  r.config.sender.settings.latency_ms = r.config.receiver.settings.latency_ms = n->latency;
  stream = vstream_new (net, &r.config);
  r.begin = stream->started + LEAD;
  if (n->narrow > 0) {
    advance (&r, stream, &now, n->from * FASP_SEC);
    vnet_get_wire (net, VNET_A, VNET_B)->rate = n->link * n->narrow;
    advance (&r, stream, &now, n->to * FASP_SEC);
    vnet_get_wire (net, VNET_A, VNET_B)->rate = n->link;
  }
  advance (&r, stream, &now, LEAD + DURATION);
  n->complete = vstream_run (stream);
  n->beyond = n->latest - explain (n);
  n->wire = (gdouble) vnet_get_counters (net, VNET_A, VNET_B)->bytes / MAX (r.read, 1);
}

static gboolean
is_odd (const Network *n)
{
  return !n->complete || n->beyond > 0 || n->wire > WIRE_MOST;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const Network *x = *(Network *const *) a, *y = *(Network *const *) b;

  if (x->complete != y->complete)
    return x->complete ? 1 : -1;
  return (x->beyond < y->beyond) - (x->beyond > y->beyond);
}

static void
free_network (gpointer data)
{
  g_free (((Network *) data)->text);
  g_free (data);
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "first", 0, 0, G_OPTION_ARG_INT, &first, "Network", "N" },
    { "networks", 0, 0, G_OPTION_ARG_INT, &networks, "", "N" },
    { "worst", 0, 0, G_OPTION_ARG_INT, &worst, "Tell of so many", "N" },
    { "every", 0, 0, G_OPTION_ARG_DOUBLE, &every, "Tell how it goes, of the first alone", "S" },
    { NULL },
  };
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (free_network);
  guint complete = 0, late = 0, wire = 0, told = 0;

  options_parse (&argc, &argv, entries, NULL);
  networks = every > 0 ? 1 : CLAMP (networks, 1, 1000000);
  for (gint i = 0; i < networks; i++) {
    Network *n = g_new0 (Network, 1);

    n->seed = first + i;
    n->latest = -G_MAXDOUBLE;
    g_ptr_array_add (all, n);
    run (n);
  }
  g_ptr_array_sort (all, compare);
  for (guint i = 0; i < all->len; i++) {
    const Network *n = g_ptr_array_index (all, i);

    complete += n->complete;
    late += n->beyond > 0;
    wire += n->wire > WIRE_MOST;
    if (is_odd (n) && (gint) told++ < worst)
      printf ("%u: %s%.2f s late at %.1f s, %+.2f beyond; wire %.2f; %s\n", n->seed,
          n->complete ? "" : "not complete! ", n->latest, n->when, n->beyond, n->wire, n->text);
  }
  printf ("%d networks: %u streams complete, %u later than that explains, %u with "
          "more than %g on the wire\n",
      networks, complete, late, wire, WIRE_MOST);
  return complete < (guint) networks;
}
