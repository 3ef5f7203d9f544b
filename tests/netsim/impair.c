/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "impair.h"

#define QUEUE_DEFAULT_MS 200
#define BUCKET_DEFAULT 50000
#define REORDER_DEFAULT 5000
#define STALL_INTERVAL 1000000

static gboolean
chance (GRand *rand, gdouble p)
{
  return p > 0 && g_rand_double (rand) < p;
}

static gboolean
is_lost (Impair *impair, GRand *rand)
{
  const ImpairConfig *c = &impair->config;

  if (c->burst <= 1)
    return chance (rand, c->loss);
  /* stays bad for `burst' packets in the mean, and is bad for `loss' of all packets */
  if (impair->bad)
    impair->bad = !chance (rand, 1 / c->burst);
  else
    impair->bad = chance (rand, c->loss / (1 - c->loss) / c->burst);
  return impair->bad;
}

static gboolean
is_black (const ImpairConfig *c, gint64 now)
{
  for (guint i = 0; i < IMPAIR_BLACKOUTS; i++)
    if (now >= c->blackouts[i].start && now < c->blackouts[i].end)
      return TRUE;
  return FALSE;
}

/* Are there fewer tokens than the packet has bytes? */
static gboolean
is_policed (Impair *impair, gint64 now, gsize bytes)
{
  const ImpairConfig *c = &impair->config;
  gdouble bucket = c->bucket > 0 ? c->bucket : BUCKET_DEFAULT;

  if (c->police == 0)
    return FALSE;
  impair->spent = MAX (0, impair->spent - (now - impair->spent_time) * (c->police / 8e6));
  impair->spent_time = now;
  if (impair->spent + bytes > bucket)
    return TRUE;
  impair->spent += bytes;
  return FALSE;
}

/* When the packet has left the bottleneck, in ns. FALSE: the queue drops it. */
static gboolean
serialise (Impair *impair, gint64 now_ns, gsize bytes, gboolean ecn, gint64 *leaves_ns,
    ImpairFate *fate)
{
  const ImpairConfig *c = &impair->config;
  guint64 queue = c->queue > 0 ? c->queue : c->rate / 8 * QUEUE_DEFAULT_MS / 1000;
  gint64 start = MAX (now_ns, impair->free_ns);

  *leaves_ns = start;
  fate->waited = (start - now_ns) / 1000;
  if (c->rate == 0)
    return TRUE;
  if ((gdouble) (start - now_ns) * c->rate / 8e9 > queue)
    return FALSE;
  if (c->codel > 0
      && codel_drops (&impair->codel, start, start - now_ns, c->codel * 1000,
          (start - now_ns) * (c->rate / 8e9) <= MAX (bytes, 1500))) {
    if (!ecn)
      return FALSE;
    fate->mark = TRUE;
  }
  *leaves_ns = start + (gint64) (bytes * 8e9 / c->rate);
  impair->free_ns = *leaves_ns;
  return TRUE;
}

/* When a packet arrives that would arrive at @when, not before the previous one. That
 * may be later, because of a stall. */
static gint64
hold (Impair *impair, GRand *rand, gint64 when)
{
  const ImpairConfig *c = &impair->config;
  gint64 interval = c->stall_interval > 0 ? c->stall_interval : STALL_INTERVAL;

  while (when >= impair->stall_end) {
    impair->stall_start = impair->stall_end + 2 * interval * g_rand_double (rand);
    impair->stall_end = impair->stall_start + 1 + c->stall * g_rand_double (rand);
  }
  return when < impair->stall_start ? when : impair->stall_end;
}

ImpairFate
impair_packet (Impair *impair, GRand *rand, gint64 now, gsize bytes, gboolean ecn)
{
  const ImpairConfig *c = &impair->config;
  ImpairCounters *n = &impair->counters;
  ImpairFate fate = { 0 };
  gint64 leaves_ns;

  n->packets++;
  n->bytes += bytes;
  if (c->mtu > 0 && bytes > c->mtu) {
    n->mtu_lost++;
    return fate;
  }
  if (c->no_ecn && ecn) {
    n->lost++;
    return fate;
  }
  if (is_black (c, now)) {
    n->blackout_lost++;
    return fate;
  }
  if (is_policed (impair, now, bytes)) {
    n->policed++;
    return fate;
  }
  if (!serialise (impair, now * 1000, bytes, ecn, &leaves_ns, &fate)) {
    n->queue_lost++;
    return fate;
  }
  n->marked += fate.mark;
  if (is_lost (impair, rand)) {
    n->lost++;
    return fate;
  }
  fate.corrupt = chance (rand, c->corrupt);
  fate.truncate = chance (rand, c->truncate);
  fate.copies = chance (rand, c->duplicate) ? 2 : 1;
  n->corrupted += fate.corrupt;
  n->duplicated += fate.copies - 1;
  for (guint i = 0; i < fate.copies; i++) {
    gint64 when = (leaves_ns + 500) / 1000 + c->delay;

    if (c->jitter > 0)
      when += g_rand_int_range (rand, 0, c->jitter + 1);
    if (c->stall > 0)
      when = hold (impair, rand, when);
    if (c->keep_order)
      when = MAX (when, impair->last);
    impair->last = MAX (impair->last, when);
    if (chance (rand, c->reorder)) {
      gint64 by = c->reorder_by > 0 ? c->reorder_by : REORDER_DEFAULT;

      when -= g_rand_int_range (rand, 0, 1 + MIN (c->delay, by));
      n->reordered++;
    }
    fate.when[i] = MAX (when, now);
    n->delivered++;
    n->delivered_bytes += bytes;
  }
  return fate;
}
