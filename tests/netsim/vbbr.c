/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vbbr.h"

#define HIGH_GAIN 2.885
#define CWND_GAIN 2
#define WINDOW_LEAST 4
#define FULL_GROWTH 1.25
#define FULL_ROUNDS 3
#define RTT_VALID 10000000 /* µs */
#define PROBE_RTT_TIME 200000

static const gdouble cycle[] = { 1.25, .75, 1, 1, 1, 1, 1, 1 };

void
vbbr_init (Vbbr *bbr, gdouble window)
{
  *bbr = (Vbbr) { .window = window };
}

VbbrStamp
vbbr_send (Vbbr *bbr, guint in_flight, gint64 now)
{
  if (in_flight == 0)
    bbr->first_sent = bbr->delivered_time = now;
  return (VbbrStamp) { bbr->delivered, bbr->delivered_time, bbr->first_sent };
}

static gdouble
get_rate (const Vbbr *bbr)
{
  gdouble most = 0;

  for (guint i = 0; i < VBBR_ROUNDS; i++)
    most = MAX (most, bbr->best[i]);
  return most;
}

/* Packets that fit on the path. */
static gdouble
get_product (const Vbbr *bbr, gdouble gain)
{
  return gain * get_rate (bbr) * bbr->least_rtt / 1e6;
}

static void
begin_probe_bw (Vbbr *bbr, gint64 now)
{
  bbr->state = VBBR_PROBE_BW;
  bbr->phase = 2;
  bbr->phase_start = now;
}

static void
measure (Vbbr *bbr, const VbbrStamp *stamp, gint64 sent, gint64 now)
{
  gint64 took = MAX (now - stamp->delivered_time, sent - stamp->first_sent);
  gdouble rate;

  bbr->delivered++;
  bbr->delivered_time = now;
  bbr->first_sent = sent;
  if (stamp->delivered >= bbr->round_end) {
    bbr->round_end = bbr->delivered;
    bbr->round++;
    bbr->best[bbr->round % VBBR_ROUNDS] = 0;
    if (bbr->state == VBBR_STARTUP) {
      rate = get_rate (bbr);
      bbr->not_more = rate < FULL_GROWTH * bbr->full ? bbr->not_more + 1 : 0;
      bbr->full = bbr->not_more == 0 ? rate : bbr->full;
    }
  }
  if (took <= 0 || took < bbr->least_rtt)
    return;
  rate = (bbr->delivered - stamp->delivered) * 1e6 / took;
  bbr->best[bbr->round % VBBR_ROUNDS] = MAX (bbr->best[bbr->round % VBBR_ROUNDS], rate);
}

static void
go_round (Vbbr *bbr, guint in_flight, gboolean lost, gint64 now)
{
  gboolean over = now - bbr->phase_start > bbr->least_rtt;
  gdouble gain = cycle[bbr->phase];

  if (gain > 1)
    over = over && (lost || in_flight >= get_product (bbr, gain));
  else if (gain < 1)
    over = over || in_flight <= get_product (bbr, 1);
  if (over) {
    bbr->phase = (bbr->phase + 1) % G_N_ELEMENTS (cycle);
    bbr->phase_start = now;
  }
}

static void
probe_rtt (Vbbr *bbr, guint in_flight, gint64 now)
{
  if (bbr->probe_end == 0) {
    if (in_flight <= WINDOW_LEAST)
      bbr->probe_end = now + MAX (PROBE_RTT_TIME, bbr->least_rtt);
  } else if (now >= bbr->probe_end) {
    bbr->least_time = now;
    if (bbr->not_more >= FULL_ROUNDS)
      begin_probe_bw (bbr, now);
    else
      bbr->state = VBBR_STARTUP;
  }
}

void
vbbr_acknowledge (Vbbr *bbr, const VbbrStamp *stamp, gint64 sent, guint in_flight, gboolean lost,
    gint64 now)
{
  gint64 rtt = now - sent;
  gboolean old = bbr->least_time > 0 && now - bbr->least_time > RTT_VALID;
  gdouble gain, target;

  measure (bbr, stamp, sent, now);
  if (bbr->least_time == 0 || rtt <= bbr->least_rtt || old) {
    bbr->least_rtt = rtt;
    bbr->least_time = now;
  }
  if (old && bbr->state != VBBR_PROBE_RTT) {
    bbr->state = VBBR_PROBE_RTT;
    bbr->probe_end = 0;
  }
  if (bbr->state == VBBR_STARTUP && bbr->not_more >= FULL_ROUNDS)
    bbr->state = VBBR_DRAIN;
  if (bbr->state == VBBR_DRAIN && in_flight <= get_product (bbr, 1))
    begin_probe_bw (bbr, now);
  if (bbr->state == VBBR_PROBE_BW)
    go_round (bbr, in_flight, lost, now);
  else if (bbr->state == VBBR_PROBE_RTT)
    probe_rtt (bbr, in_flight, now);
  gain = bbr->state == VBBR_STARTUP ? HIGH_GAIN :
      bbr->state == VBBR_DRAIN      ? 1 / HIGH_GAIN :
      bbr->state == VBBR_PROBE_BW   ? cycle[bbr->phase] :
                                      1;
  /* not slower than at first until the path is known */
  target = gain * get_rate (bbr);
  if (bbr->not_more >= FULL_ROUNDS || target > bbr->pacing)
    bbr->pacing = target;
  target = get_product (bbr,
               bbr->state == VBBR_STARTUP || bbr->state == VBBR_DRAIN ? HIGH_GAIN : CWND_GAIN)
      + 3;
  if (bbr->state == VBBR_PROBE_RTT)
    bbr->window = WINDOW_LEAST;
  else if (bbr->not_more >= FULL_ROUNDS)
    bbr->window = MIN (bbr->window + 1, MAX (target, WINDOW_LEAST));
  else
    bbr->window += 1;
}
