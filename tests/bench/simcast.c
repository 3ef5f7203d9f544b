/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simcast: one multicast to many receivers, in virtual time: what it costs beside what it
 * must, and how many ask for what is lost.
 *
 *   simcast [--receivers N] [--trunk PERCENT] [--branch PERCENT] [--back PERCENT]
 *           [--fec PERCENT] [--buffer MIB] [--far MS] [--warm S] [--rtt MS] [--seconds S]
 *           [--bitrate BIT/S] [--channel BIT/S] [--seed N] [--header]
 *
 * Prints a line of figures, tab-separated.
 */
#include <math.h>
#include <stdio.h>
#include "options.h"
#include "vgroup.h"

#define JOIN_MAX 60 /* s */

static gint receivers = 100, seconds = 20, warm = 5, seed = 1, rtt_ms = 20;
static gint buffer = 64, far_ms;
static gint64 bitrate = 5000000, channel = 10000000;
static gdouble trunk, branch, back, fec;
static gboolean header;

static GOptionEntry entries[] = {
  { "receivers", 0, 0, G_OPTION_ARG_INT, &receivers, "how many", "N" },
  { "trunk", 0, 0, G_OPTION_ARG_DOUBLE, &trunk, "loss for all", "PERCENT" },
  { "branch", 0, 0, G_OPTION_ARG_DOUBLE, &branch, "loss for each", "PERCENT" },
  { "back", 0, 0, G_OPTION_ARG_DOUBLE, &back, "loss of what they say", "PERCENT" },
  { "fec", 0, 0, G_OPTION_ARG_DOUBLE, &fec,
      "repairs for so many blocks; -1: as many as are worth it", "PERCENT" },
  { "buffer", 0, 0, G_OPTION_ARG_INT, &buffer, "of both ends", "MIB" },
  { "far", 0, 0, G_OPTION_ARG_INT, &far_ms,
      "round trip of the last receiver, other than that of the others", "MS" },
  { "rtt", 0, 0, G_OPTION_ARG_INT, &rtt_ms, "longest round trip", "MS" },
  { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "of stream", "S" },
  { "warm", 0, 0, G_OPTION_ARG_INT, &warm, "before, that does not count but for lateness", "S" },
  { "bitrate", 0, 0, G_OPTION_ARG_INT64, &bitrate, "of the stream", "BIT/S" },
  { "channel", 0, 0, G_OPTION_ARG_INT64, &channel, "max-bitrate", "BIT/S" },
  { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "of all chance", "N" },
  { "header", 0, 0, G_OPTION_ARG_NONE, &header, "say what the figures are", NULL },
  { NULL },
};

/* Transmissions to all that a block takes until each of them has it, in the mean, when
 * each transmission is lost to all with @t and then to each with @b: no scheme that sends whole
 * blocks again, to all, needs less. */
static gdouble
count_least (gdouble t, gdouble b, guint n)
{
  gdouble sum = 0, lacks = 1, arrived[64] = { 1 };

  /* after k of them: how many have come as far as the fork is binomial */
  for (guint k = 0; k < 63 && lacks > 1e-12; k++) {
    sum += lacks;
    for (guint j = k + 1; j > 0; j--)
      arrived[j] = arrived[j] * t + arrived[j - 1] * (1 - t);
    arrived[0] *= t;
    lacks = 0;
    for (guint j = 0; j <= k + 1; j++)
      lacks += arrived[j] * (1 - pow (1 - pow (b, j), n));
  }
  return sum;
}

/* Retransmissions of one member. */
static guint64
count_alone (Vgroup *g)
{
  g_autofree FaspSessionStats *sessions = g_new0 (FaspSessionStats, receivers);
  guint64 alone = 0;

  fasp_endpoint_get_sessions (g->sender, g->now, &(guint64) { 0 }, sessions, receivers);
  for (gint i = 0; i < receivers; i++)
    alone += sessions[i].sent.blocks_rtx;
  return alone;
}

static gint
count_members (Vgroup *g)
{
  FaspGroupStats stats;

  fasp_endpoint_get_group (g->sender, &stats);
  return stats.members;
}

/* Bytes that the receivers have sent. */
static guint64
count_up (Vgroup *g)
{
  guint64 wire = 0;

  for (gint i = 0; i < receivers; i++)
    wire += g->receivers[i].sent_wire;
  return wire;
}

int
main (int argc, char **argv)
{
  FaspEndpointConfig *s, *r;
  guint64 up_wire, alone, whole = 0;
  FaspGroupStats group, before;
  FaspHist lateness = { 0 };
  g_autoptr (Vgroup) g = NULL;

  options_parse (&argc, &argv, entries, NULL);
  if (header)
    printf ("receivers\ttrunk\tbranch\tback\trtt\tblocks\tcomplete\tresent_all\t"
            "resent_one\trepairs\tsent_per_block\tleast_arq\tleast\trequests_per_loss\t"
            "feedback_bits\tlate_p50_ms\tlate_p99_ms\tlate_max_ms\n");
  g = vgroup_new (seed);
  s = &g->sender_config;
  r = &g->receiver_config;
  s->settings.max_bitrate = channel;
  s->buffer_size = r->buffer_size = (gsize) buffer << 20;
  s->resume_timeout = r->resume_timeout = 30 * FASP_SEC;
  s->settings.wait_for_connection = TRUE;
  if (fec != 0) {
    s->fec = fec < 0 ? FASP_FEC_AUTO : FASP_FEC_FIXED;
    s->fec_share = fec / 100;
    r->fec = FASP_FEC_AUTO;
  }
  vgroup_set_sender (g);
  g->trunk.config.loss = trunk / 100;
  for (gint i = 0; i < receivers; i++) {
    gdouble rtt =
        far_ms > 0 && i == receivers - 1 ? far_ms : rtt_ms / 2 + rtt_ms / 2. * (i + 1) / receivers;
    guint n = vgroup_add (g, rtt * FASP_MSEC);

    g->receivers[n].branch.config.loss = branch / 100;
    g->receivers[n].back.config.loss = back / 100;
  }
  /* a listener opens so many a second, and who joins later lacks what was before */
  g->bitrate = 0;
  vgroup_run (g, 3 * FASP_SEC);
  for (gint i = 0; i < JOIN_MAX && count_members (g) < receivers; i++)
    vgroup_run (g, FASP_SEC);
  g->bitrate = bitrate;
  vgroup_run (g, warm * FASP_SEC);
  fasp_endpoint_get_group (g->sender, &before);
  alone = count_alone (g);
  up_wire = count_up (g);
  vgroup_run (g, seconds * FASP_SEC);
  fasp_endpoint_get_group (g->sender, &group);
  group.blocks_sent -= before.blocks_sent;
  group.blocks_resent -= before.blocks_resent;
  group.repairs_sent -= before.repairs_sent;
  group.losses -= before.losses;
  group.requests -= before.requests;
  alone = count_alone (g) - alone;
  up_wire = count_up (g) - up_wire;
  for (gint i = 0; i < receivers; i++) {
    const FaspHist *h = fasp_endpoint_get_lateness (g->receivers[i].endpoint, TRUE);

    lateness.count += h->count;
    lateness.max = MAX (lateness.max, h->max);
    for (guint j = 0; j < FASP_HIST_BUCKETS; j++)
      lateness.buckets[j] += h->buckets[j];
  }
  vgroup_end (g, 10 * FASP_SEC);
  for (gint i = 0; i < receivers; i++)
    whole += vgroup_is_whole (g, i);
  printf ("%d\t%g\t%g\t%g\t%d\t%lu\t%lu\t%lu\t%lu\t%lu\t%.4f\t%.4f\t%.4f\t%.2f\t%.0f\t"
          "%.1f\t%.1f\t%.1f\n",
      receivers, trunk, branch, back, rtt_ms, (gulong) group.blocks_sent, (gulong) whole,
      (gulong) group.blocks_resent, (gulong) alone, (gulong) group.repairs_sent,
      (gdouble) (group.blocks_sent + group.blocks_resent + alone + group.repairs_sent)
          / group.blocks_sent,
      count_least (trunk / 100, branch / 100, receivers),
      1 / ((1 - trunk / 100) * (1 - branch / 100)),
      (gdouble) group.requests / MAX (group.losses, 1), up_wire * 8. / seconds,
      fasp_hist_percentile (&lateness, .5) / 1e3, fasp_hist_percentile (&lateness, .99) / 1e3,
      lateness.max / 1e3);
  return whole == (guint64) receivers ? 0 : 1;
}
