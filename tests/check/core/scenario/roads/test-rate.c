/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rate controllers on a road of their own (vroad), in whole sessions, and with
 * feedback that nobody could have.
 */
#include <math.h>
#include "fasparrivals.h"
#include "faspecn.h"
#include "faspneed.h"
#include "fasppolicer.h"
#include "faspqueue.h"
#include "faspsentlog.h"
#include "faspwander.h"
#include "vroad.h"
#include "vstream.h"

/* --- what they stand on ------------------------------------------------------------ */

static void
test_queue (void)
{
  FaspQueue queue = { 0 };

  /* clocks differ by any number */
  g_assert_cmpint (fasp_queue_add (&queue, 1000, -5000000), ==, 0);
  g_assert_cmpint (fasp_queue_add (&queue, 2000, -4996000), ==, 3000);
  g_assert_cmpint (fasp_queue_add (&queue, 3000, -4998500), ==, 0);
  g_assert_cmpint (fasp_queue_add (&queue, 4000, -4997000), ==, 500);
  /* a longer path that nobody saw becoming longer is believed in ten seconds */
  for (FaspTime t = FASP_SEC; t < 12 * FASP_SEC; t += FASP_SEC / 2) {
    FaspTime delay = fasp_queue_add (&queue, t, t - 4901500);

    if (t < 10 * FASP_SEC)
      g_assert_cmpint (delay, ==, 100000);
    else if (t > 11 * FASP_SEC)
      g_assert_cmpint (delay, ==, 0);
  }
}

/* One that drains for longer than that is no longer path. */
static void
test_queue_drains (void)
{
  FaspQueue queue = { 0 };
  FaspTime left = 0;

  fasp_queue_add (&queue, 0, 50000);
  for (FaspTime t = FASP_SEC; t < 31 * FASP_SEC; t += FASP_SEC / 10) {
    left = MAX (0, 6 * FASP_SEC - t / 5);
    g_assert_cmpint (fasp_queue_add (&queue, t, t + 50000 + left), ==, left);
  }
  g_assert_cmpint (left, <, 20000);
}

/* Packets every 2 ms, whose delay is more by 100 ms at once: for good, for as long as it takes
 * to send again what was held up, and by a queue that grows. */
static void
test_queue_jumps (void)
{
  for (guint kind = 0; kind < 3; kind++) {
    FaspQueue queue = { 0 };
    FaspTime now, last = 0;

    for (now = 0; now < 3 * FASP_SEC; now += 2 * FASP_MSEC) {
      FaspTime since = MAX (0, now - FASP_SEC), more = 0;

      if (since > 0)
        more = kind == 0 ? 100 * FASP_MSEC : kind == 1 ? MAX (0,
            100 * FASP_MSEC - since) : MIN (since * 3, 100 * FASP_MSEC);
      last = fasp_queue_add (&queue, now, now + 50000 + more);
      g_assert_cmpint (last, ==, more);
      if (since > 50 * FASP_MSEC)
        g_assert_cmpint (fasp_queue_get_jump (&queue, now), ==,
            kind == 0 ? 100 * FASP_MSEC : 0);
    }
    g_assert_cmpint (fasp_queue_get_jump (&queue, FASP_SEC), ==, 0);
    if (kind == 0) {
      g_assert_cmpint (fasp_queue_take_jump (&queue), ==, 0);
      g_assert_cmpint (fasp_queue_add (&queue, now, now + 151000), ==, 1000);
    }
  }
}

/* Packets every ms.  The delay goes up and down by 50 ms each second whatever is sent; or as a link
 * of 9 packets a time has it that gets 12 and then 6. */
static void
test_wander (void)
{
  for (guint queue = 0; queue < 2; queue++) {
    FaspWander wander = { 0 };
    gdouble delay = 0;
    guint64 bytes = 0;

    for (FaspTime now = 0; now < 5 * FASP_SEC; now += FASP_MSEC) {
      gboolean grows = now % FASP_SEC < FASP_SEC / 2;
      guint n = grows ? 12 : 6;
      FaspRateSample sample = {.sent = now,.bytes = bytes += queue ? n : 9 };

      delay = queue ? MAX (0, delay + FASP_MSEC * (n / 9. - 1)) : 100. * (grows
          ? now % FASP_SEC : FASP_SEC - now % FASP_SEC) / FASP_SEC * FASP_MSEC;
      sample.arrived = now + delay;
      fasp_wander_add (&wander, &sample, 0);
      if (now > 4 * FASP_SEC)
        g_assert_cmpfloat (ABS (fasp_wander_get (&wander, now) - (queue ? 0 :
                    49000)), <=, 3000);
    }
    g_assert_cmpfloat (fasp_wander_get (&wander, 65 * FASP_SEC), <, 3000);
  }
}

/* 2.5 Mbit/s of 5 that it is offered, for @looks looks in 3 s. */
static FaspNeed
get_need (guint looks)
{
  FaspNeed need = { 0 };

  for (guint i = 0; i < looks; i++)
    fasp_need_look (&need, i * 3 * FASP_SEC / looks, 2500000);
  return need;
}

/* A second in which @sent is sent of 3 Mbit/s, and of it @arrives arrives; the queue takes the
 * rest. */
static void
run_need (FaspNeed * need, FaspRateSample * sample, FaspTime rtt, gdouble sent,
    gdouble arrives)
{
  for (guint i = 0; i < 100; i++) {
    sample->sent += 10000;
    sample->arrived += 10000 / arrives;
    sample->bytes += sent / 8 / 100;
    fasp_need_send (need, sample->sent, sample->bytes, 3000000);
    fasp_need_extend (need, sample, sample->arrived - sample->sent, 0, rtt);
  }
}

static void
test_need (void)
{
  FaspNeed need = get_need (3);
  FaspRateSample sample = { 0 };

  g_assert_cmpfloat (fasp_need_get (&need), ==, 0);
  need = get_need (30);
  g_assert_cmpfloat (fasp_need_get (&need), ==, 1.25 * 2500000);
  fasp_need_look (&need, 3 * FASP_SEC, 0);
  /* others begin, and fill a queue of 0.4 s; and then there is enough for it */
  for (guint i = 0; i < 60; i++)
    run_need (&need, &sample, 40000, 2500000, i < 2 ? .83 : .95);
  g_assert_cmpfloat (fasp_need_get (&need), >, 2900000);
  /* it turns out to be an encoder that follows, and then it may have as much again */
  run_need (&need, &sample, 40000, 1000000, 1);
  run_need (&need, &sample, 40000, 1000000, 1);
  g_assert_cmpfloat (fasp_need_get (&need), <, 1.3 * 1000000);
  for (guint i = 0; i < 10; i++)
    run_need (&need, &sample, 40000, 2540000, 1);
  g_assert_cmpfloat (fasp_need_get (&need), ==, 1.25 * 2500000);
  /* the path has become slower */
  for (guint i = 0; i < 5; i++)
    run_need (&need, &sample, 40000, 3000000, .7);
  g_assert_cmpfloat (fasp_need_get (&need), ==, 0);
}

/* Others fill a queue of a second, and begin to overflow it; and do not give way. */
static void
test_need_deep (void)
{
  FaspNeed need = get_need (30);
  FaspRateSample sample = { 0 };

  for (guint i = 0; i < 60; i++)
    run_need (&need, &sample, MIN (i, 2) * FASP_SEC / 2, 2500000,
        i < 2 ? .6 : .95);
  g_assert_cmpfloat (fasp_need_get (&need), >, 2900000);
  for (guint i = 0; i < 16; i++)
    run_need (&need, &sample, FASP_SEC, 2500000, .7);
  g_assert_cmpfloat (fasp_need_get (&need), ==, 0);
}

/* What is live is told after 2 s, although a burst looks like more; an encoder that follows is often
 * offered no more than it takes. */
static void
test_need_burst (void)
{
  for (guint every = 4; every <= 10; every += 6) {
    FaspNeed need = { 0 };

    for (guint i = 1; i < 30; i++)
      fasp_need_look (&need, i * FASP_SEC / 10, i % every > 0 ? 2500000 : 0);
    g_assert_cmpint (fasp_need_get (&need) > 0, ==, every > 4);
  }
}

/* However long it had no more: from when it takes nearly all that it is offered, that is forgotten. */
static void
test_need_long (void)
{
  FaspNeed need = get_need (30);
  FaspTime now = 3 * FASP_SEC;

  for (guint i = 0; i < 36000; i++)
    fasp_need_look (&need, now += FASP_SEC / 10, 2500000);
  for (guint i = 0; i < 1000; i++)
    fasp_need_look (&need, now += FASP_SEC / 10, i % 8 == 7 ? 1000000 : 0);
  g_assert_cmpfloat (fasp_need_get (&need), ==, 1.25 * 2500000);
}

/* A queue that is its own.  That more arrives when less is sent is others' doing, too. */
static void
test_need_alone (void)
{
  FaspNeed need = get_need (30);

  g_assert_false (fasp_need_judge (&need, .05));
  g_assert_false (fasp_need_judge (&need, .5));
  g_assert_false (fasp_need_judge (&need, .05));
  g_assert_false (fasp_need_judge (&need, -.5));
  g_assert_false (fasp_need_judge (&need, .05));
  g_assert_cmpfloat (fasp_need_get (&need), >, 0);
  g_assert_true (fasp_need_judge (&need, -.05));
  g_assert_cmpfloat (fasp_need_get (&need), ==, 0);
}

/* Packets of 9 Mbit/s, told of each 20 ms: through a policer of 6, which is found, to a seventh;
 * where chance loses a fifth, which is none. */
static void
test_policer (void)
{
  for (guint seed = 0; seed < 20; seed++)
    for (guint police = 0; police < 2; police++) {
      Impair impair = {.config = {.police = police * 6000000,.loss =
              police ? .02 : .2}
      };
      GRand *rand = g_rand_new_with_seed (seed);
      FaspPolicer policer = { 0 };
      guint told = 0, lost = 0;
      guint64 bytes = 0;

      for (FaspTime now = 0; now < 3 * FASP_SEC; now += 1333) {
        gboolean arrives = impair_packet (&impair, rand, now, 1500,
            FALSE).copies > 0;

        bytes += 1500;
        told++;
        lost += !arrives;
        if (!arrives || told < 15)
          continue;
        fasp_policer_add (&policer, now, 40000, &(FaspRateSample) {
            now, now, bytes}
            , told, lost, FALSE);
        told = lost = 0;
      }
      if (police)
        g_assert_cmpfloat (ABS (policer.rate / 6e6 - 1), <, .15);
      else
        g_assert_cmpfloat (policer.rate, ==, 0);
      g_rand_free (rand);
    }
}

/* A stream of 0.43 Mbit/s, of which bursts are lost, and then nearly all for 0.6 s: a policer would have
 * let through what passed before. */
static void
test_policer_outage (void)
{
  static const FaspTime out[][2] = { {6360, 6440}, {10030, 10070},
  {10180, 10800}, {10810, 10830}
  };
  FaspPolicer policer = { 0 };
  guint64 bytes = 0;
  guint lost = 0;

  for (FaspTime now = 0; now < 14 * FASP_SEC; now += 12 * FASP_MSEC) {
    gboolean is_out = FALSE;

    bytes += 643;
    for (guint i = 0; i < G_N_ELEMENTS (out); i++)
      is_out |= now >= out[i][0] * FASP_MSEC && now < out[i][1] * FASP_MSEC;
    if (is_out) {
      lost++;
      continue;
    }
    fasp_policer_add (&policer, now, 290000, &(FaspRateSample) {
        now, now, bytes}
        , lost + 1, lost, FALSE);
    lost = 0;
    g_assert_cmpfloat (fasp_policer_get_most (&policer, now), >, 350000);
  }
}

static void
test_arrivals (void)
{
  FaspArrivals arrivals;

  fasp_arrivals_init (&arrivals);
  for (guint round = 0; round < 20; round++) {
    guint per = round < 10 ? 1000 : 3;  /* a fast stream becomes a slow one */

    for (guint i = 0; i < per; i++)
      fasp_arrivals_add (&arrivals, 10 * i, i);
    g_assert_cmpuint (arrivals.n, <=, FASP_ARRIVALS);
    if (round < 10)
      g_assert_cmpuint (arrivals.n, >=, FASP_ARRIVALS / 2 - 1);
    else if (round > 18)
      g_assert_cmpuint (arrivals.n, ==, 3);
    for (guint i = 1; i < arrivals.n; i++) {
      g_assert_cmpuint (arrivals.list[i].pn, >, arrivals.list[i - 1].pn);
      g_assert_cmpint (arrivals.list[i].time, ==,
          10 * (gint) arrivals.list[i].pn);
    }
    fasp_arrivals_reset (&arrivals);
    g_assert_cmpuint (arrivals.n, ==, 0);
  }
}

/* Reports tell of as much in the same time, whatever their clock. */
static void
test_arrivals_told (void)
{
  FaspArrivals arrivals;

  fasp_arrivals_init (&arrivals);
  for (guint i = 0; i < 1000; i++)
    fasp_arrivals_add (&arrivals, 10 * i, i);
  for (FaspTime since = 200 * FASP_MSEC; since > 0; since -= 7 * FASP_MSEC) {
    guint most = fasp_arrivals_choose (since);
    FaspArrivals told = arrivals;

    g_assert_cmpuint (most, ==, CLAMP (since * 16 / (25 * FASP_MSEC), 16, 64));
    fasp_arrivals_thin_out (&told, most);
    g_assert_cmpuint (told.n, <=, most);
    g_assert_cmpuint (told.n, >=, most / 2);
    for (guint i = 2; i < told.n; i++)
      g_assert_cmpuint (told.list[i].pn - told.list[i - 1].pn, ==,
          told.list[1].pn - told.list[0].pn);
  }
}

static void
test_dry (void)
{
  FaspRate *rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);

  fasp_rate_set_dry (rate, 5, FALSE);
  g_assert_false (fasp_rate_was_dry (rate, 1));
  fasp_rate_set_dry (rate, 10, TRUE);
  g_assert_true (fasp_rate_was_dry (rate, 20));
  /* until there is something, at whatever time that is found */
  fasp_rate_set_dry (rate, 30, FALSE);
  fasp_rate_set_dry (rate, 40, FALSE);
  g_assert_true (fasp_rate_was_dry (rate, 25));
  g_assert_true (fasp_rate_was_dry (rate, 30));
  g_assert_false (fasp_rate_was_dry (rate, 31));
  fasp_rate_free (rate);
}

static void
test_sent_log (void)
{
  FaspSentLog log = { 0 };
  guint64 start = 70000, end = start + 2 * FASP_SENT_LOG_MAX;

  g_assert_null (fasp_sent_log_get (&log, 0));
  for (guint64 pn = start; pn < end; pn++)
    fasp_sent_log_add (&log, pn, 10 * pn, 100 * pn);
  g_assert_null (fasp_sent_log_get (&log, end));
  g_assert_null (fasp_sent_log_get (&log, G_MAXUINT64));
  g_assert_null (fasp_sent_log_get (&log, end - FASP_SENT_LOG_MAX - 1));
  g_assert_cmpuint (fasp_sent_log_get (&log, end - FASP_SENT_LOG_MAX)->bytes,
      ==, 100 * (end - FASP_SENT_LOG_MAX));
  fasp_sent_log_forget (&log, end - 1);
  g_assert_null (fasp_sent_log_get (&log, end - 2));
  g_assert_cmpint (fasp_sent_log_get (&log, end - 1)->time, ==, 10 * (end - 1));
  fasp_sent_log_forget (&log, G_MAXUINT64);
  g_assert_null (fasp_sent_log_get (&log, end - 1));
  fasp_sent_log_add (&log, end, 1, 2);
  g_assert_cmpuint (fasp_sent_log_get (&log, end)->bytes, ==, 2);
  fasp_sent_log_clear (&log);
}

/* --- alone on the road ----------------------------------------------------------------- */

static Vroad *
make_road (guint mbit, gint64 buffer, gdouble loss, guint32 seed)
{
  ImpairConfig c = {.rate = mbit * 1000000,.queue = mbit * buffer / 8,.loss =
        loss,.keep_order = TRUE
  };

  return vroad_new (seed, &c);
}

static gdouble
mbit_between (guint64 from, guint64 to, gint64 time)
{
  return (to - from) * 8. / time;
}

/* 90 % of the link, a queue of 10 ms at most, and what it takes a few round trips to
 * find. */
static void
test_alone (void)
{
  static const guint links[] = { 2, 10, 100 };
  static const gint64 rtts[] = { 20000, 100000, 400000 };
  static const gdouble losses[] = { 0, .01, .05 };
  const gint64 from = 8 * FASP_SEC, until = 24 * FASP_SEC;

  for (guint i = 0; i < 27; i++) {
    guint mbit = links[i % 3];
    gint64 rtt = rtts[i / 3 % 3], queue;
    gdouble loss = losses[i / 9], share;
    Vroad *road = make_road (mbit, 200000, loss, i);
    guint64 before;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtt,.clock = i % 2 ? 1e-4 : -1e-4}
    );
    vroad_run (road, 10 * rtt + FASP_SEC / 2);
    g_assert_cmpuint (vroad_get_rate (road, 0), >, mbit * 800000);
    vroad_run (road, from);
    before = vroad_get_delivered (road, 0);
    queue = vroad_watch (road, from, until);
    share = mbit_between (before, vroad_get_delivered (road, 0),
        until - from) / mbit / (1 - loss);
    g_test_message ("%u Mbit/s, %d ms, %g: %.3f, %.1f ms", mbit,
        (gint) (rtt / 1000), loss, share, queue / 1e3);
    g_assert_cmpfloat (share, >, .9);
    g_assert_cmpint (queue, <, 10.5 * FASP_MSEC);
    vroad_free (road);
  }
}

/* A fifth to a half is lost by chance, and what of the link that leaves is used. */
static void
test_lossy (void)
{
  static const gdouble losses[] = { .2, .3, .5 };
  const gint64 from = 15 * FASP_SEC, until = 40 * FASP_SEC;

  for (guint i = 0; i < 6; i++) {
    gdouble loss = losses[i / 2], share;
    gint64 rtt = i % 2 ? 100000 : 20000, queue;
    Vroad *road = make_road (10, 200000, loss, i);
    guint64 before;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtt}
    );
    vroad_run (road, from);
    before = vroad_get_delivered (road, 0);
    queue = vroad_watch (road, from, until);
    share = mbit_between (before, vroad_get_delivered (road, 0),
        until - from) / 10 / (1 - loss);
    g_test_message ("%d ms, %g: %.3f, %.1f ms", (gint) (rtt / 1000), loss,
        share, queue / 1e3);
    g_assert_cmpfloat (share, >, .85);
    g_assert_cmpint (queue, <, 10.5 * FASP_MSEC);
    vroad_free (road);
  }
}

/* A short way and a queue of a few packets, as of a slow interface nearby; round trips are so many that a
 * packet more for each of them, of what was told of together, would be any rate. */
static void
test_short (void)
{
  const guint n = 30;
  gdouble mean = 0;

  for (guint i = 0; i < n; i++) {
    ImpairConfig c = {.rate = 6000000,.queue = 6000,.jitter =
          i % 2 * 5 * FASP_MSEC,.stall =
          i % 2 ? 0 : 10 * FASP_MSEC,.keep_order = TRUE
    };
    Vroad *road = vroad_new (1 + i, &c);
    guint64 most = 0;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = 200}
    );
    vroad_run (road, 2 * FASP_SEC);
    for (gint64 now = 2 * FASP_SEC; now < 30 * FASP_SEC; now += 50 * FASP_MSEC) {
      vroad_run (road, now);
      most = MAX (most, vroad_get_rate (road, 0));
    }
    g_test_message ("%u: %.1f Mbit/s, %.2f at most", i,
        vroad_get_delivered (road, 0) * 8 / 30e6, most / 1e6);
    mean += most / 1e6 / n;
    g_assert_cmpuint (most, <, 3 * c.rate);
    g_assert_cmpfloat (vroad_get_delivered (road, 0) * 8 / 30e6, >, 5);
    vroad_free (road);
  }
  g_test_message ("%.2f at most in the mean", mean);
  g_assert_cmpfloat (mean, <, 10.5);
}

/* Where more is not allowed, all of that is used: pulses that cannot be sent are not made
 * up for. */
static void
test_at_most (void)
{
  static const guint64 most[] = { 4000000, 11000000, 19000000 };
  static const gint64 rtts[] = { 20000, 60000, 200000 };

  for (guint i = 0; i < 9; i++) {
    guint64 max = most[i % 3], before;
    Vroad *road = make_road (20, 200000, .01, i);
    gdouble share;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtts[i / 3],.max = max}
    );
    vroad_run (road, 3 * FASP_SEC);
    before = vroad_get_delivered (road, 0);
    vroad_run (road, 13 * FASP_SEC);
    share = (vroad_get_delivered (road, 0) - before) * 8. / 10 / max;
    g_test_message ("%u of 20 Mbit/s, %d ms: %.3f", (guint) (max / 1000000),
        (gint) (rtts[i / 3] / 1000), share);
    g_assert_cmpfloat (share, >, .95);
    vroad_free (road);
  }
}

/* A stream begins, and 10 Mbit/s are found in three round trips and a little; it is not
 * kept waiting by a queue that the search made itself. */
static void
test_start (void)
{
  static const gint64 rtts[] = { 20000, 100000, 200000 };

  for (guint i = 0; i < 3; i++) {
    Vroad *road = make_road (10, 200000, 0, i);
    guint64 before;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtts[i],.source = 9000000}
    );
    vroad_run (road, 3 * rtts[i] + 150 * FASP_MSEC);
    /* but for the 3 % that are left to clocks and queues, twice: the source has less, too */
    g_assert_cmpuint (vroad_get_rate (road, 0), >, .97 * .97 * 10e6);
    before = vroad_get_delivered (road, 0);
    vroad_run (road, 3 * rtts[i] + 250 * FASP_MSEC);
    g_assert_cmpfloat ((vroad_get_delivered (road, 0) - before) * 8 / .1, >,
        9e6);
    g_assert_cmpuint (vroad_get_lost (road, 0), ==, 0);
    vroad_free (road);
  }
}

/* Nor does it take its own queue for somebody else's, now and then, and compete with itself. */
static void
test_alone_long (void)
{
  for (guint i = 0; i < 4; i++) {
    Vroad *road = make_road (10, 200000, .001, i);
    guint64 before;
    gdouble share;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = 20000}
    );
    vroad_run (road, 10 * FASP_SEC);
    before = vroad_get_delivered (road, 0);
    vroad_run (road, 70 * FASP_SEC);
    share = mbit_between (before, vroad_get_delivered (road, 0),
        60 * FASP_SEC) / 10;
    g_test_message ("%u: %.3f", i, share);
    g_assert_cmpfloat (share, >, .97);
    vroad_free (road);
  }
}

/* On a short path it is known soon that a pulse has found room, and what has found room is not made
 * up for: a stream of four times the first rate is behind by a picture at most. */
static void
test_start_near (void)
{
  static const gint64 rtts[] = { 1000, 5000 };

  for (guint i = 0; i < 2; i++) {
    Vroad *road = make_road (100, 200000, 0, i);
    gdouble behind = 0;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtts[i],.source = 8000000}
    );
    for (gint64 now = 0; now < 5 * FASP_SEC; now += FASP_MSEC) {
      vroad_run (road, now);
      behind = MAX (behind, now / 1e3 - vroad_get_delivered (road, 0) / 1e3);
    }
    g_test_message ("%u: %.1f ms", i, behind);
    g_assert_cmpfloat (behind, <, 20);
    vroad_free (road);
  }
}

/* 80000 packets are under way: when each of them left is remembered, and the link is followed
 * when it has half the rate. */
static void
test_many_under_way (void)
{
  Vroad *road = make_road (3000, 200000, 0, 1);

  vroad_add (road, &(VroadSender) {
      .kind = VROAD_ADAPTIVE,.rtt = 300 * FASP_MSEC}
  );
  vroad_run (road, 5 * FASP_SEC);
  g_assert_cmpuint (vroad_get_rate (road, 0), >, 2800000000);
  vroad_get_bottleneck (road)->rate = 1500000000;
  vroad_run (road, 8 * FASP_SEC);
  g_assert_cmpuint (vroad_get_rate (road, 0), <, 1500000000);
  g_assert_cmpuint (vroad_get_rate (road, 0), >, 1300000000);
  g_assert_cmpint (vroad_get_queue (road), <, 20 * FASP_MSEC);
  vroad_free (road);
}

/* Half and twice the rate, in five round trips; the queue that comes of the first is
 * gone in ten. */
static void
test_steps (void)
{
  static const gint64 rtts[] = { 50000, 100000, 400000 };

  for (guint i = 0; i < 3; i++) {
    gint64 rtt = rtts[i], at = 10 * FASP_SEC;
    Vroad *road = make_road (10, 2 * FASP_SEC, 0, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtt}
    );
    vroad_run (road, at);
    bottleneck->rate = 5000000;
    vroad_run (road, at + 5 * rtt);
    g_assert_cmpuint (vroad_get_rate (road, 0), <=, 5000000);
    g_assert_cmpuint (vroad_get_rate (road, 0), >=, 4000000);
    vroad_run (road, at + 10 * rtt);
    g_assert_cmpint (vroad_get_queue (road), <, 20 * FASP_MSEC);
    g_assert_cmpuint (vroad_get_lost (road, 0), ==, 0);
    at += 10 * FASP_SEC;
    vroad_run (road, at);
    bottleneck->rate = 10000000;
    vroad_run (road, at + 5 * rtt + 100 * FASP_MSEC);
    g_assert_cmpuint (vroad_get_rate (road, 0), >, 8500000);
    vroad_free (road);
  }
}

/* A link that pauses for a moment: what waited for it does not stay, and the rate is there again
 * soon. (A queue of as much as the pause goes on for twice as long; the more of them, the sooner
 * the rate was there again before the pause.) */
static void
test_pauses (void)
{
  static const gint64 pauses[][2] = { {40000, 2000000}, {100000, 5000000},
  {200000, 10000000}
  };

  for (guint i = 0; i < 9; i++) {
    gint64 length = pauses[i % 3][0], every = pauses[i % 3][1];
    gint64 from = 20 * FASP_SEC, until = 50 * FASP_SEC, now = 3 * FASP_SEC;
    Vroad *road = make_road (10, FASP_SEC, 0, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);
    gdouble queue = 0, delivered = 0;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = 20000 << i / 3 * 2}
    );
    vroad_run (road, now);
    for (; now < until; now += 1000) {
      if (now % every == 0)
        /* a packet that takes so long */
        bottleneck->rate = 12000 * FASP_SEC / length;
      else if (now % every == 3000)
        bottleneck->rate = 10000000;
      vroad_run (road, now);
      if (now >= from)
        queue += vroad_get_queue (road) / (gdouble) ((until - from) / 1000);
      else
        delivered = vroad_get_delivered (road, 0);
    }
    delivered = vroad_get_delivered (road, 0) - delivered;
    delivered /= 1.25 * (until - from);
    g_test_message ("%d ms every %d s, %d ms: %.1f ms, %.2f",
        (gint) (length / 1000), (gint) (every / FASP_SEC), 20 << i / 3 * 2,
        queue / 1000, delivered);
    g_assert_cmpfloat (queue, <, 90 * FASP_MSEC);
    g_assert_cmpfloat (delivered, >, .65);
    vroad_free (road);
  }
}

/* µs that a way takes longer now than at its shortest: an Ornstein-Uhlenbeck process. */
typedef struct
{
  GRand *rand;
  gdouble deviation, time, x;   /* µs; in deviations */
} Wandering;

/* For a ms. */
static gint64
wander (Wandering * w)
{
  gdouble k = FASP_MSEC / w->time, gauss = -6;

  for (guint i = 0; i < 12; i++)
    gauss += g_rand_double (w->rand);
  w->x += sqrt (2 * k) * gauss - k * w->x;
  return MAX (0, w->deviation * (w->x + 1.5));
}

/* Runs until @until; by how much a source of @rate is behind at most meanwhile, s, beside what
 * the way takes at its shortest. */
static gdouble
run_and_wander (Vroad * road, Wandering * w, gdouble rate, gint64 from,
    gint64 until)
{
  ImpairConfig *bottleneck = vroad_get_bottleneck (road);
  guint64 before = vroad_get_delivered (road, 0);
  gdouble behind = 0;

  for (gint64 now = from; now < until; now += FASP_MSEC) {
    bottleneck->delay = wander (w);
    vroad_run (road, now);
    behind = MAX (behind, (now - from) / 1e6 - (vroad_get_delivered (road,
                0) - before) * 8 / rate);
  }
  return behind;
}

/* By how much a stream is behind at most, s, on a way whose delay wanders by itself. */
static gdouble
wander_with (gint link, guint64 source, const gdouble * way, guint seed)
{
  Wandering w = {.rand = g_rand_new_with_seed (seed),.deviation =
        way[0],.time = way[1]
  };
  Vroad *road = make_road (link, FASP_SEC, .002, seed);
  gdouble behind;

  vroad_add (road, &(VroadSender) {
      .kind = VROAD_ADAPTIVE,.rtt = 60000,.source = source}
  );
  run_and_wander (road, &w, source, 0, 2 * FASP_SEC);
  behind = run_and_wander (road, &w, source, 2 * FASP_SEC, 40 * FASP_SEC);
  g_test_message ("%u: %.2f s", seed, behind);
  g_rand_free (w.rand);
  vroad_free (road);
  return behind;
}

/* Such a way is no slower one: a stream that it has room for is not late. */
static void
test_wandering (void)
{
  static const gdouble ways[][2] = { {30000, 500000}, {20000, 1000000},
  {40000, 300000}, {10000, 500000}
  };

  for (guint i = 0; i < 24; i++)
    g_assert_cmpfloat (wander_with (i / 4 % 2 ? 50 : 10, 4000000, ways[i % 4],
            i), <, 1);
}

/* Nor one that needs most of it: what it has too much for a moment is its own, whatever it is
 * offered.  (Of 800, 27 are late.) */
static void
test_wandering_full (void)
{
  static const gdouble ways[][2] = { {30000, 500000}, {40000, 300000},
  {60000, 300000}
  };

  guint late = 0;

  for (guint i = 0; i < 120; i++)
    late += wander_with (10, 8000000, ways[i % 3], i) > 1.5;
  g_test_message ("%u of 120 late", late);
  g_assert_cmpuint (late, <=, 8);
}

/* What is live and more than the link will never be in time, so a host that holds packets now and
 * then is no reason to let a queue stand. */
static void
test_too_much (void)
{
  const gint64 from = 8 * FASP_SEC, until = 24 * FASP_SEC;

  for (guint i = 0; i < 6; i++) {
    gint64 rtt = 20000 << i % 3;
    Vroad *road = make_road (10, 200000, i / 3 * .01, i);
    g_autoptr (GArray) queues = g_array_new (FALSE, FALSE, sizeof (gint64));
    gint64 queue;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtt,.source = 13000000}
    );
    for (gint64 now = 0; now < until; now += FASP_MSEC) {
      vroad_get_bottleneck (road)->delay = now % 1700000 == 0 ? 24000 : 0;
      vroad_run (road, now);
      if (now >= from)
        vroad_note_queue (road, queues);
    }
    queue = vroad_get_p95 (queues);
    g_test_message ("%d ms: %.1f ms", (gint) (rtt / 1000), queue / 1e3);
    g_assert_cmpint (queue, <, 15 * FASP_MSEC);
    vroad_free (road);
  }
}

/* What comes in the 2 s after another route, of what would have come of the old one. */
static gdouble
get_share_of_route (const gint64 * rtt, guint source, gdouble loss, guint seed)
{
  Vroad *road = make_road (10, 200000, loss, seed);
  gint64 at = 10 * FASP_SEC + seed * 7000;
  guint64 before;
  gdouble got;

  vroad_add (road, &(VroadSender) {
      .kind = VROAD_ADAPTIVE,.rtt = rtt[0],.source = source}
  );
  vroad_run (road, at);
  vroad_set_rtt (road, 0, rtt[1]);
  vroad_run (road, at + rtt[1]);
  before = vroad_get_delivered (road, 0);
  vroad_run (road, at + rtt[1] + 2 * FASP_SEC);
  got = mbit_between (before, vroad_get_delivered (road, 0), 2 * FASP_SEC);
  vroad_free (road);
  return got / (source > 0 ? source / 1e6 : 10);
}

/* Another route, of the same rate: nothing waits for longer than it takes to see that this is
 * no queue.  In the mean of some moments: what a loss or a pulse makes of one differs. */
static void
test_route (void)
{
  static const gint64 rtts[][2] = { {40000, 300000}, {300000, 40000},
  {20000, 120000}, {100000, 400000}, {40000, 75000}, {20000, 50000},
  {60000, 85000}, {150000, 180000}
  };
  const guint n = 8, m = G_N_ELEMENTS (rtts);

  for (guint i = 0; i < 4 * m; i++) {
    const gint64 *rtt = rtts[i % m];
    gdouble share = 0;

    for (guint seed = 0; seed < n; seed++)
      share += get_share_of_route (rtt, i / 2 / m ? 6000000 : 0,
          i / m % 2 ? .01 : 0, seed) / n;
    g_test_message ("%d to %d ms: %.3f", (gint) (rtt[0] / 1000),
        (gint) (rtt[1] / 1000), share);
    g_assert_cmpfloat (share, >, .85);
  }
}

/* A tenth is found, to a fifth, in three round trips and 0.1 s, and what has piled up meanwhile goes. */
static void
test_deep_step (void)
{
  for (guint i = 0; i < 8; i++) {
    gint64 rtt = 50000 << i % 3, at = 10 * FASP_SEC + i * 7000;
    Vroad *road = make_road (10, 20 * FASP_SEC, 0, i);

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtt}
    );
    vroad_run (road, at);
    vroad_get_bottleneck (road)->rate = 1000000;
    vroad_run (road, at + 3 * rtt + 100 * FASP_MSEC);
    g_assert_cmpuint (vroad_get_rate (road, 0), <=, 1200000);
    g_assert_cmpuint (vroad_get_rate (road, 0), >=, 700000);
    vroad_run (road, at + 60 * rtt + 2 * FASP_SEC);
    g_assert_cmpint (vroad_get_queue (road), <, 80 * FASP_MSEC);
    vroad_free (road);
  }
}

/* Also one that takes more than ten seconds to drain goes, and is not taken for the path. */
static void
test_deepest_step (void)
{
  for (guint i = 0; i < 4; i++) {
    gint64 at = 10 * FASP_SEC + i * 130000;
    Vroad *road = make_road (10, 20 * FASP_SEC, 0, i);

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = 400000}
    );
    vroad_run (road, at);
    vroad_get_bottleneck (road)->rate = 1000000;
    vroad_run (road, at + 2 * FASP_SEC);
    g_assert_cmpint (vroad_get_queue (road), >, 3 * FASP_SEC);
    vroad_run (road, at + 25 * FASP_SEC);
    g_assert_cmpint (vroad_get_queue (road), <, 80 * FASP_MSEC);
    g_assert_cmpuint (vroad_get_rate (road, 0), >=, 700000);
    vroad_free (road);
  }
}

/* Delays that spread by 20 ms without a queue are no slower path, and nobody else's
 * queue. */
static void
test_jitter (void)
{
  for (guint i = 0; i < 8; i++) {
    Vroad *road = make_road (10, 200000, i & 4 ? .01 : 0, i);
    gdouble wanted = i & 2 ? 6 : 10, got;

    vroad_get_bottleneck (road)->jitter = 20000;
    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = i & 1 ? 100000 : 20000,.source =
          i & 2 ? 6000000 : 0}
    );
    vroad_run (road, 10 * FASP_SEC);
    got = mbit_between (0, vroad_get_delivered (road, 0), 10 * FASP_SEC);
    g_test_message ("%u: %.3f", i, got / wanted);
    g_assert_cmpfloat (got, >, wanted * (i & 2 ? .95 : .8));
    vroad_free (road);
  }
}

/* Nor do they keep a search from finding what a stream needs: it is behind by more than 0.4 s for
 * a moment at most, in the mean, from its start on. */
static void
test_jitter_start (void)
{
  const gdouble mbit = 4;
  const guint n = 16;

  for (guint i = 0; i < 4; i++) {
    gdouble behind = 0;

    for (guint seed = 0; seed < n; seed++) {
      Vroad *road = make_road (20, 200000, .005, seed);
      ImpairConfig *bottleneck = vroad_get_bottleneck (road);

      bottleneck->jitter = 40000 << i / 2;
      bottleneck->keep_order = i % 2;
      vroad_add (road, &(VroadSender) {
          .kind = VROAD_ADAPTIVE,.rtt = 60000,.source = mbit * 1e6}
      );
      for (gint64 now = 0; now < 12 * FASP_SEC; now += FASP_SEC / 10) {
        gdouble all = mbit * (now - 400000) / 8;

        vroad_run (road, now);
        behind += vroad_get_delivered (road, 0) < all ? .1 / n : 0;
      }
      vroad_free (road);
    }
    g_test_message ("%d ms%s: %.2f s", 40 << i / 2, i % 2 ? "" :
        ", reordered", behind);
    g_assert_cmpfloat (behind, <, .6);
  }
}

/* Packets that overtake each other by up to 60 ms: those that are not there yet are not lost,
 * and what waits for them is no queue. */
static void
test_reordering (void)
{
  static const gdouble sources[] = { 0, 2, 6 };

  for (guint i = 0; i < 9; i++) {
    gdouble source = sources[i % 3], wanted = source > 0 ? source : 20, got;
    Vroad *road = make_road (20, 200000, .005, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);
    guint64 before;

    bottleneck->jitter = 20000 * (1 + i / 3);
    bottleneck->keep_order = FALSE;
    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = 60000,.source = source * 1e6}
    );
    vroad_run (road, 5 * FASP_SEC);
    before = vroad_get_delivered (road, 0);
    vroad_run (road, 25 * FASP_SEC);
    got = mbit_between (before, vroad_get_delivered (road, 0), 20 * FASP_SEC);
    g_test_message ("%u: %.3f", i, got / wanted);
    g_assert_cmpfloat (got, >, wanted * .85);
    vroad_free (road);
  }
}

/* A host or a radio link that holds everything for up to 100 ms now and then has not become
 * slower, either. */
static void
test_stalls (void)
{
  for (guint i = 0; i < 16; i++) {
    Vroad *road = make_road (10, 500000, 0, i);
    gdouble got;

    vroad_get_bottleneck (road)->stall = 100000;
    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = i & 1 ? 100000 : 20000,.follow = .9}
    );
    vroad_run (road, 60 * FASP_SEC);
    got = mbit_between (0, vroad_get_delivered (road, 0), 60 * FASP_SEC);
    g_test_message ("%u: %.3f", i, got);
    g_assert_cmpfloat (got, >, 9);
    vroad_free (road);
  }
}

/* What the source has is all that is known to fit; it is not kept waiting. */
static void
test_slow_source (void)
{
  Vroad *road = make_road (10, 200000, 0, 1);
  guint64 before;

  vroad_add (road, &(VroadSender) {
      .kind = VROAD_ADAPTIVE,.rtt = 100000,.source = 4000000});
  vroad_run (road, 5 * FASP_SEC);
  before = vroad_get_delivered (road, 0);
  g_assert_cmpint (vroad_watch (road, 5 * FASP_SEC, 15 * FASP_SEC), <,
      5 * FASP_MSEC);
  g_assert_cmpfloat (ABS (mbit_between (before, vroad_get_delivered (road, 0),
              10 * FASP_SEC) - 4), <, .05);
  vroad_free (road);
}

/* One that has never met the bottleneck, and then there is less than it has: what is told of
 * few packets says so, too. */
static void
test_source_falls (void)
{
  static const struct
  {
    guint link;
    guint64 source, then;
  } falls[] = {
    {100, 4000000, 3000000}, {50, 6000000, 4000000}, {10, 1000000, 700000}, {10,
        500000, 300000},
  };

  for (guint i = 0; i < G_N_ELEMENTS (falls); i++) {
    Vroad *road = make_road (falls[i].link, 200000, 0, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);
    guint64 lost;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = 100000,.source = falls[i].source}
    );
    vroad_run (road, 10 * FASP_SEC);
    bottleneck->rate = falls[i].then;
    bottleneck->queue = falls[i].then / 8 / 5;
    vroad_run (road, 15 * FASP_SEC);
    lost = vroad_get_lost (road, 0);
    vroad_run (road, 40 * FASP_SEC);
    g_assert_cmpuint (vroad_get_rate (road, 0), <=, falls[i].then * 1.3);
    g_assert_cmpuint (vroad_get_lost (road, 0) - lost, <,
        .01 * 25 * falls[i].then / 8);
    vroad_free (road);
  }
}

/* Live sources whose line falls far below what they have: how much is lost until that is known, in
 * seconds of what the line carries, in the mean of a few moments. */
static void
test_source_falls_far (void)
{
  static const struct
  {
    guint64 link, source, then;
    gsize queue;
    gint64 rtt;
    gdouble lost;
  } falls[] = {
    {15000000, 4200000, 2100000, 200000, 50000, 3},
    {15000000, 4200000, 2900000, 70000, 150000, 1.8},
    {15000000, 4200000, 1260000, 120000, 50000, 16},
    {10000000, 500000, 300000, 7500, 100000, 3.5},
  };
  const guint n = 4;

  for (guint i = 0; i < G_N_ELEMENTS (falls); i++) {
    gdouble lost = 0;

    for (guint seed = 0; seed < n; seed++) {
      ImpairConfig config = {.rate = falls[i].link,.queue = falls[i].queue };
      Vroad *road = vroad_new (seed, &config);
      gint64 at = 8 * FASP_SEC + seed * 37000;

      vroad_add (road, &(VroadSender) {
          .kind = VROAD_ADAPTIVE,.rtt = falls[i].rtt,.source = falls[i].source}
      );
      vroad_run (road, at);
      vroad_get_bottleneck (road)->rate = falls[i].then;
      lost -= vroad_get_lost (road, 0);
      vroad_run (road, at + 30 * FASP_SEC);
      lost += vroad_get_lost (road, 0);
      vroad_free (road);
    }
    lost *= 8. / falls[i].then / n;
    g_test_message ("%u: %.2f s", i, lost);
    g_assert_cmpfloat (lost, <, falls[i].lost);
  }
}

/* Wherever in its search an encoder on a long path is when the link falls, what it makes meanwhile is gone within
 * ten round trips and two seconds. */
static void
test_encoder_long (void)
{
  const gint64 rtt = 400000;
  gdouble mean = 0;

  for (guint i = 0; i < 30; i++) {
    Vroad *road = make_road (10, 2 * FASP_SEC, 0, i);
    gint64 at = 20 * FASP_SEC + i * 146000, longest = 0;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtt,.follow = .9}
    );
    vroad_run (road, at);
    vroad_get_bottleneck (road)->rate = 3000000;
    for (gint64 now = at; now < at + 2 * FASP_SEC + 10 * rtt;
        now += 10 * FASP_MSEC) {
      vroad_run (road, now);
      longest = MAX (longest, vroad_get_queue (road));
    }
    g_assert_cmpint (vroad_get_queue (road), <, 50 * FASP_MSEC);
    mean += longest / 30e6;
    vroad_free (road);
  }
  g_test_message ("%.2f s", mean);
  g_assert_cmpfloat (mean, <, 1.3);
}

/* An encoder that has 90 % of what is offered, over 10, 3, 8 Mbit/s: nothing is lost, no
 * queue ever lasts, and it gets there. */
static void
test_encoder (void)
{
  static const gint64 rtts[] = { 20000, 100000, 400000 };

  for (guint i = 0; i < 3; i++) {
    Vroad *road = make_road (10, 2 * FASP_SEC, 0, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);
    guint64 before;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtts[i],.follow = .9}
    );
    vroad_run (road, 20 * FASP_SEC);
    g_assert_cmpuint (vroad_get_delivered (road, 0), >, 18 * 8500000 / 8);
    bottleneck->rate = 3000000;
    vroad_run (road, 22 * FASP_SEC + 10 * rtts[i]);
    g_assert_cmpint (vroad_get_queue (road), <, 50 * FASP_MSEC);
    before = vroad_get_delivered (road, 0);
    g_assert_cmpint (vroad_watch (road, 22 * FASP_SEC + 10 * rtts[i],
            40 * FASP_SEC), <, 80 * FASP_MSEC);
    g_assert_cmpfloat (mbit_between (before, vroad_get_delivered (road, 0),
            18 * FASP_SEC - 10 * rtts[i]), >, 2.5);
    bottleneck->rate = 8000000;
    vroad_run (road, 55 * FASP_SEC);
    g_assert_cmpuint (vroad_get_rate (road, 0), >, 7000000);
    g_assert_cmpuint (vroad_get_lost (road, 0), ==, 0);
    vroad_free (road);
  }
}

/* One that has all that it can do with on the path as it was is told as soon that there is less: no
 * more is in the queue than was under way. */
static void
test_full_encoder (void)
{
  static const gint64 rtts[] = { 20000, 100000, 200000 };

  for (guint i = 0; i < 3; i++) {
    Vroad *road = make_road (10, FASP_SEC, .001, i);

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtts[i],.follow = .9,.follow_most =
          6000000}
    );
    vroad_run (road, 15 * FASP_SEC);
    vroad_get_bottleneck (road)->rate = 3000000;
    g_assert_cmpint (vroad_watch (road, 15 * FASP_SEC, 17 * FASP_SEC), <,
        100 * FASP_MSEC + 3 * rtts[i] / 2);
    g_assert_cmpint (vroad_watch (road, 17 * FASP_SEC, 30 * FASP_SEC), <,
        300 * FASP_MSEC);
    vroad_free (road);
  }
}

/* One that has less of it gets there, too, and is not pushed back for ever by a queue that is
 * its own. */
static void
test_modest_encoder (void)
{
  static const gdouble shares[] = { .6, .7, .8 };

  for (guint i = 0; i < 9; i++) {
    gint64 rtt = (const gint64[]) { 20000, 100000, 400000 }[i / 3];
    Vroad *road = make_road (10, 2 * FASP_SEC, 0, i);
    ImpairConfig *bottleneck = vroad_get_bottleneck (road);
    guint64 before;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = rtt,.follow = shares[i % 3]}
    );
    vroad_run (road, 30 * FASP_SEC);
    bottleneck->rate = 3000000;
    vroad_run (road, 60 * FASP_SEC);
    bottleneck->rate = 8000000;
    vroad_run (road, 80 * FASP_SEC);
    before = vroad_get_delivered (road, 0);
    g_assert_cmpint (vroad_watch (road, 80 * FASP_SEC, 100 * FASP_SEC), <,
        200 * FASP_MSEC);
    g_test_message ("%u: %.3f", i, mbit_between (before,
            vroad_get_delivered (road, 0), 20 * FASP_SEC));
    g_assert_cmpfloat (mbit_between (before, vroad_get_delivered (road, 0),
            20 * FASP_SEC), >, 4.5);
    g_assert_cmpuint (vroad_get_lost (road, 0), ==, 0);
    vroad_free (road);
  }
}

/* Who sends nothing but a sign of life now and then is not slowed down by a host that keeps
 * packets for some ms, or by one that stalls. */
static void
test_idle (void)
{
  FaspRate *rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);
  GRand *rand = g_rand_new_with_seed (1);
  FaspRateSample sample = { 0 };
  FaspRateReport report = {.rtt = 45000,.samples = &sample,.n = 1 };
  FaspTime until;

  for (FaspTime now = 0; now < 30 * FASP_SEC; now += 10000) {
    fasp_rate_get (rate, now, sample.bytes, &until);
    if (now / 10000 % 5 > 0)
      continue;
    sample.sent = now - 45000;
    /* the first is as fast as can be */
    sample.arrived = MAX (sample.arrived, now + (now > 0 ? 5000 : 0) +
        g_rand_int (rand) % (now / FASP_SEC % 3 ? 2000 : 50000));
    sample.bytes += 61;
    report.now = now;
    report.told++;
    fasp_rate_report (rate, &report);
    g_assert_cmpuint (rate->rate, ==, FASP_RATE_FIRST);
  }
  fasp_rate_free (rate);
  g_rand_free (rand);
}

/* From the least rate, where few packets leave, it is up again at once. */
static void
test_from_least (void)
{
  for (guint i = 0; i < 20; i++) {
    Vroad *road = make_road (10, 200000, 0, i);
    guint64 before;
    guint sender = vroad_add (road, &(VroadSender) {
          .kind = VROAD_ADAPTIVE,.rtt = 5000 + 10000 * i,.max = FASP_RATE_LEAST
        }
    );

    vroad_run (road, 5 * FASP_SEC + i * 50000);
    vroad_set_max (road, sender, 0);
    vroad_run (road, 9 * FASP_SEC + i * 50000);
    before = vroad_get_delivered (road, sender);
    vroad_run (road, 10 * FASP_SEC + i * 50000);
    g_assert_cmpfloat (mbit_between (before, vroad_get_delivered (road, sender),
            FASP_SEC), >, 9);
    vroad_free (road);
  }
}

/* A policer has no queue that would tell of it: who takes all there is, in the mean, and an encoder that
 * follows have most of its rate, and do not fill it with what it loses. */
static void
test_policed (void)
{
  gdouble mean = 0;

  for (guint i = 0; i < 24; i++) {
    gdouble mbit = i / 3 % 2 ? 30 : 6;
    ImpairConfig c = {.police = mbit * 1e6,.bucket =
          (const guint[]) {10000, 50000, 500000}[i % 3],.keep_order = TRUE
    };
    Vroad *road = vroad_new (i, &c);
    guint64 before, lost;
    gdouble share;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = i / 6 % 2 ? 100000 : 20000,.follow =
          i / 12 * .9}
    );
    vroad_run (road, 10 * FASP_SEC);
    before = vroad_get_delivered (road, 0);
    lost = vroad_get_lost (road, 0);
    vroad_run (road, 50 * FASP_SEC);
    share = mbit_between (before, vroad_get_delivered (road, 0),
        40 * FASP_SEC) / mbit;
    lost = vroad_get_lost (road, 0) - lost;
    mean += i < 12 ? mbit_between (0, lost, 40 * FASP_SEC) / mbit / 12 : 0;
    g_test_message ("%u: %.3f, %.4f lost", i, share, mbit_between (0, lost,
            40 * FASP_SEC) / mbit);
    g_assert_cmpfloat (share, >, .8);
    if (i >= 12)
      g_assert_cmpfloat (mbit_between (0, lost, 40 * FASP_SEC), <, .05 * mbit);
    vroad_free (road);
  }
  g_assert_cmpfloat (mean, <, .05);
}

/* Chance that loses in bursts is no policer, also where pictures do: in the mean of some runs a stream is
 * hardly behind. */
static void
test_bursts (void)
{
  static const gdouble bursts[] = { 4, 8, 30 };
  const guint n = 6;

  for (guint i = 0; i < 6; i++) {
    gdouble behind = 0;

    for (guint seed = 0; seed < n; seed++) {
      Vroad *road = make_road (100, 200000, .05, seed);
      gdouble most = 0;

      vroad_get_bottleneck (road)->burst = bursts[i % 3];
      vroad_add (road, &(VroadSender) {
          .kind = VROAD_ADAPTIVE,.rtt = 60000,.source = 4000000,.key =
            i / 3 * 10}
      );
      for (gint64 now = 0; now < 40 * FASP_SEC; now += FASP_SEC / 50) {
        vroad_run (road, now);
        most = MAX (most, now / 1e6 - (vroad_get_delivered (road, 0)
                + vroad_get_lost (road, 0)) * 8 / 4e6);
      }
      behind += most / n;
      vroad_free (road);
    }
    g_test_message ("%u: %.2f s", i, behind);
    g_assert_cmpfloat (behind, <, 1);
  }
}

/* --- with others ------------------------------------------------------------------------ */

/* What each gets once both are settled.  @ecn: both can do with marks.  @n: another time, at another
 * moment. */
static void
share (Vroad * road, VroadKind a, VroadKind b, gint64 rtt, gboolean ecn,
    guint n, gdouble * first, gdouble * second)
{
  guint64 before[2];

  vroad_add (road, &(VroadSender) {
      .kind = a,.rtt = rtt,.ecn = ecn}
  );
  vroad_add (road, &(VroadSender) {
      .kind = b,.rtt = rtt,.ecn = ecn,.start = 5 * FASP_SEC + n * 37000}
  );
  vroad_run (road, 20 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    before[i] = vroad_get_delivered (road, i);
  vroad_run (road, 100 * FASP_SEC);
  *first = vroad_get_delivered (road, 0) - before[0];
  *second = vroad_get_delivered (road, 1) - before[1];
}

/* Neither starves, with a queue of 50 ms or more. */
static void
test_beside_tcp (void)
{
  for (guint i = 0; i < 16; i++) {
    Vroad *road = make_road (i & 1 ? 50 : 10, i & 2 ? 200000 : 50000, 0, i);
    gdouble ours, theirs;

    share (road, VROAD_ADAPTIVE, i & 8 ? VROAD_RENO : VROAD_CUBIC,
        i & 4 ? 100000 : 20000, FALSE, 0, &ours, &theirs);
    g_test_message ("%u: %.3f", i, ours / theirs);
    g_assert_cmpfloat (ours / theirs, >, 1. / 3);
    g_assert_cmpfloat (ours / theirs, <, 3);
    vroad_free (road);
  }
}

/* By how much, s, a stream of 4 Mbit/s is behind at most in the 20 s after a TCP came to its
 * 10 Mbit/s. */
static gdouble
get_behind (VroadKind kind, gint64 rtt, gint64 buffer, guint seed)
{
  Vroad *road = make_road (10, buffer, 0, seed);
  gint64 at = 10 * FASP_SEC + seed * 37000;
  gdouble behind = 0;
  guint64 before;

  vroad_add (road, &(VroadSender) {
      .kind = VROAD_ADAPTIVE,.rtt = rtt,.source = 4000000}
  );
  vroad_add (road, &(VroadSender) {
      .kind = kind,.rtt = rtt,.start = at}
  );
  vroad_run (road, at);
  before = vroad_get_delivered (road, 0);
  for (gint64 now = at; now < at + 20 * FASP_SEC; now += FASP_SEC / 20) {
    gdouble got;

    vroad_run (road, now);
    got = (vroad_get_delivered (road, 0) - before) * 8 / 4e6;
    behind = MAX (behind, (now - at) / 1e6 - got);
  }
  vroad_free (road);
  return behind;
}

/* Who takes all there is leaves what does with less than half of it what it needs.  In the mean of
 * some moments; what is lost, which nobody sends again here, counts as late. */
static void
test_guest (void)
{
  static const VroadKind kinds[] = { VROAD_RENO, VROAD_CUBIC, VROAD_BBR };
  static const gint64 paths[][2] = { {20000, 200000}, {40000, 200000}, {40000,
      400000}, {100000, 200000}
  };
  const guint n = 8;

  for (guint i = 0; i < 12; i++) {
    VroadKind kind = kinds[i / 4];
    gint64 rtt = paths[i % 4][0], buffer = paths[i % 4][1];
    gdouble behind = 0;

    for (guint seed = 0; seed < n; seed++)
      behind += get_behind (kind, rtt, buffer, seed) / n;
    g_test_message ("%u: %.2f s", i, behind);
    g_assert_cmpfloat (behind, <, 1.6);
  }
}

/* An upload that fills a queue of up to a second, as a home's modem has one, does not look like a path
 * that has become slower: of a stream nothing waits for long before it leaves, but for one run in a
 * hundred. */
static void
test_guest_deep (void)
{
  static const struct
  {
    gint64 mbit, buffer, rtt;
  } paths[] = { {1, 500000, 100000}, {1, 1000000, 20000}, {1, 1000000, 40000},
  {2, 1000000, 40000}, {10, 1000000, 20000}
  };

  guint late = 0;

  for (guint i = 0; i < 200; i++) {
    guint64 bitrate = 400000 * paths[i % 5].mbit;
    gint64 at = 6 * FASP_SEC + i * 37000;
    Vroad *road = make_road (paths[i % 5].mbit, paths[i % 5].buffer, 0, i);
    guint64 most = 0;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = paths[i % 5].rtt,.source = bitrate}
    );
    vroad_add (road, &(VroadSender) {
        .kind = VROAD_CUBIC,.rtt = paths[i % 5].rtt,.start = at}
    );
    for (gint64 now = at; now < at + 20 * FASP_SEC; now += FASP_SEC / 20) {
      vroad_run (road, now);
      most = MAX (most, vroad_get_waiting (road, 0) * 8 * FASP_SEC / bitrate);
    }
    late += most > FASP_SEC / 2;
    vroad_free (road);
  }
  g_test_message ("%u", late);
  g_assert_cmpuint (late, <=, 2);
}

/* Two encoders do not take what each does to the other for a way that wanders, but now and
 * then. */
static void
test_two_encoders (void)
{
  guint slow = 0;

  for (guint i = 0; i < 8; i++) {
    Vroad *road = make_road (10, 500000, .0005, i);
    gint64 queue;

    for (guint sender = 0; sender < 2; sender++)
      vroad_add (road, &(VroadSender) {
          .kind = VROAD_ADAPTIVE,.rtt = i & 1 ? 60000 : 20000,.start =
          sender * (3 + i) * FASP_SEC,.follow = .9}
    );
    vroad_run (road, 20 * FASP_SEC);
    queue = vroad_watch (road, 20 * FASP_SEC, 80 * FASP_SEC);
    g_test_message ("%u: %d ms", i, (gint) (queue / 1000));
    slow += queue > 80 * FASP_MSEC;
    vroad_free (road);
  }
  g_assert_cmpuint (slow, <, 3);
}

static void
test_two (void)
{
  for (guint i = 0; i < 6; i++) {
    Vroad *road = make_road (i & 1 ? 100 : 10, 200000, 0, i);
    gdouble first, second;

    share (road, VROAD_ADAPTIVE, VROAD_ADAPTIVE,
        i < 2 ? 20000 : i < 4 ? 100000 : 400000, FALSE, 0, &first, &second);
    g_test_message ("%u: %.3f", i, first / second);
    g_assert_cmpfloat (ABS (first - second) / (first + second), <, .2);
    vroad_free (road);
  }
}

/* They take each other for somebody who fills the queue now and then: for an eighth of the time
 * it is long. */
static void
test_two_queue (void)
{
  static const guint links[] = { 5, 10, 20 };
  static const gint64 rtts[] = { 10000, 20000, 40000 };
  guint long_ms = 0;

  for (guint i = 0; i < 90; i++) {
    Vroad *road = make_road (links[i % 3], 500000, .001, i);

    for (guint k = 0; k < 2; k++)
      vroad_add (road, &(VroadSender) {
          .kind = VROAD_ADAPTIVE,.rtt = rtts[i / 3 % 3],.start =
          k * 5 * FASP_SEC}
    );
    for (gint64 now = 0; now < 60 * FASP_SEC; now += 10 * FASP_MSEC) {
      vroad_run (road, now);
      long_ms += vroad_get_queue (road) > 30 * FASP_MSEC ? 10 : 0;
    }
    vroad_free (road);
  }
  g_test_message ("%.1f %%", long_ms / 90. / 600);
  g_assert_cmpuint (long_ms, <, 90 * 60000 * .16);
}

/* Two of PERT share the slides' link: 15 Mbit/s, 45 ms, 500 kbit. */
static void
test_pert (void)
{
  Vroad *road = make_road (15, 33000, 0, 1);
  gdouble first, second;

  share (road, VROAD_PERT, VROAD_PERT, 45000, FALSE, 0, &first, &second);
  g_assert_cmpfloat (first + second, >, .9 * 15e6 / 8 * 80);
  g_assert_cmpfloat (ABS (first - second) / (first + second), <, .2);
  vroad_free (road);
}

/* Where there is room for few packets: none runs away, whatever it takes the delay of a full
 * queue for, as the second does that begins with one. */
static void
test_pert_narrow (void)
{
  for (guint i = 0; i < 2; i++) {
    Vroad *road = make_road (4, 33000, 0, i);
    gdouble first, second;

    share (road, VROAD_PERT, VROAD_PERT, i ? 45000 : 20000, FALSE, 0, &first,
        &second);
    g_assert_cmpfloat (first / second, >, 1. / 3);
    g_assert_cmpfloat (first / second, <, 3);
    g_assert_cmpuint (vroad_get_rate (road, 0), <, 16000000);
    g_assert_cmpuint (vroad_get_rate (road, 1), <, 16000000);
    vroad_free (road);
  }
}

/* A buffer of 5 ms is short for pulses; it is not overflowed for ever. */
static void
test_narrow (void)
{
  for (guint i = 0; i < 4; i++) {
    guint mbit = i & 1 ? 50 : 10;
    Vroad *road = make_road (mbit, 5000, i & 2 ? .005 : 0, i);
    guint64 before, lost;
    gdouble share;

    vroad_add (road, &(VroadSender) {
        .kind = VROAD_ADAPTIVE,.rtt = 100000}
    );
    vroad_run (road, 10 * FASP_SEC);
    before = vroad_get_delivered (road, 0);
    lost = vroad_get_lost (road, 0);
    vroad_run (road, 40 * FASP_SEC);
    lost = vroad_get_lost (road, 0) - lost;
    share = mbit_between (before, vroad_get_delivered (road, 0),
        30 * FASP_SEC) / mbit;
    g_test_message ("%u: %.3f, %.4f lost", i, share, mbit_between (0, lost,
            30 * FASP_SEC) / mbit);
    g_assert_cmpfloat (share, >, .8);
    g_assert_cmpfloat (mbit_between (0, lost, 30 * FASP_SEC), <, .015 * mbit);
    vroad_free (road);
  }
}

/* Where there is no room for a queue, what overflows says that others are there; CoDel loses what
 * it cannot mark.  In the mean of some runs. */
static void
test_beside_tcp_shallow (void)
{
  static const gint64 buffers[] = { 5000, 20000, 0 };

  for (guint i = 0; i < 12; i++) {
    gint64 buffer = buffers[i % 3];
    guint n = i == 11 ? 24 : 3; /* that is near the bound, and runs differ by half */
    gdouble all_ours = 0, all_theirs = 0;

    for (guint seed = 0; seed < n; seed++) {
      Vroad *road = make_road (50, buffer > 0 ? buffer : 200000, 0, i);
      gdouble ours, theirs;

      vroad_get_bottleneck (road)->codel = buffer > 0 ? 0 : 5000;
      share (road, VROAD_ADAPTIVE, i / 3 & 1 ? VROAD_RENO : VROAD_CUBIC,
          i / 6 ? 100000 : 20000, FALSE, seed, &ours, &theirs);
      all_ours += ours;
      all_theirs += theirs;
      vroad_free (road);
    }
    g_test_message ("%u: %.3f", i, all_ours / all_theirs);
    g_assert_cmpfloat (all_ours / all_theirs, >, 1. / 3);
    g_assert_cmpfloat (all_ours / all_theirs, <, 3);
  }
}

/* CoDel with marks in the place of losses: nobody starves who goes by them. */
static void
test_codel (void)
{
  static const VroadKind others[] = { VROAD_CUBIC, VROAD_RENO, VROAD_ADAPTIVE };

  for (guint i = 0; i < 12; i++) {
    Vroad *road = make_road (i & 1 ? 50 : 10, 200000, 0, i);
    gdouble ours, theirs;

    vroad_get_bottleneck (road)->codel = 5000;
    share (road, VROAD_ADAPTIVE, others[i / 2 % 3], i / 6 ? 100000 : 20000,
        TRUE, 0, &ours, &theirs);
    g_test_message ("%u: %.3f", i, ours / theirs);
    g_assert_cmpfloat (ours / theirs, >, 1. / 3);
    g_assert_cmpfloat (ours / theirs, <, 3);
    vroad_free (road);
  }
}

/* Marks lower the rate, once a round trip; what is told again is nothing new. */
static void
test_marks (void)
{
  FaspRate *rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);
  FaspRateSample sample = { 0, 50000, 1500 };
  FaspRateReport report = {.rtt = 100000,.samples = &sample,.n = 1 };
  guint64 before = rate->rate;

  for (guint i = 1; i <= 40; i++) {
    report.now = sample.sent = i * 10000;
    sample.arrived = sample.sent + 50000;
    sample.bytes = i * 1500;
    report.told = i;
    report.marked = i < 5 ? 0 : MIN (i - 4, 20);
    fasp_rate_report (rate, &report);
    if (i == 4)
      g_assert_cmpuint (rate->rate, ==, before);
    else if (i == 14)
      g_assert_cmpuint (rate->rate, ==, (guint64) (before * .8));
    else if (i == 24)
      g_assert_cmpuint (rate->rate, ==, (guint64) (before * .8 * .8));
  }
  /* the last mark was of the twenty-fourth */
  g_assert_cmpuint (rate->rate, ==, (guint64) (before * .8 * .8));
  fasp_rate_free (rate);
}

/* --- what nobody could have seen ------------------------------------------------------------ */

static void
test_hostile (gconstpointer data)
{
  static const FaspTime odd[] = { 0, 1, -1, G_MAXINT64, G_MININT64, FASP_SEC,
    -FASP_SEC, G_GINT64_CONSTANT (1) << 32
  };
  GRand *rand = g_rand_new_with_seed (7);
  FaspRate *rate = fasp_rate_new (GPOINTER_TO_INT (data), 200000, 50000000, 0);

  for (FaspTime now = 0; now < 200 * FASP_SEC; now += 5000) {
    FaspRateSample samples[FASP_ARRIVALS];
    FaspRateReport report = {.now = now,.samples = samples,.rtt =
          g_rand_int (rand) % 4 ? 100000 : odd[g_rand_int (rand) % 8],.flow =
          g_rand_int (rand) % 80,.told = g_rand_int (rand),.lost =
          g_rand_int (rand),.marked = g_rand_int (rand),.n =
          g_rand_int (rand) % (FASP_ARRIVALS + 1)
    };
    gboolean ordered = g_rand_boolean (rand);
    FaspTime until = 0;
    guint64 bits;

    for (guint i = 0; i < report.n; i++)
      samples[i] = (FaspRateSample) {
      ordered ? now - 1000000 + 100 * i : odd[g_rand_int (rand) % 8],
          ordered ? (gint64) g_rand_int (rand) % 5 * i :
          odd[g_rand_int (rand) % 8], ordered ? now + i : g_rand_int (rand)};
    fasp_rate_report (rate, &report);
    bits = fasp_rate_get (rate, now, g_rand_int (rand), &until);
    g_assert_cmpuint (bits, >=, 200000);
    g_assert_cmpuint (bits, <=, 50000000);
    g_assert_cmpuint (rate->rate, >=, 200000);
    g_assert_cmpint (until, >, now);
  }
  fasp_rate_set_bounds (rate, 5000000, 1000000);
  g_assert_cmpuint (rate->rate, ==, 1000000);
  fasp_rate_free (rate);
  g_rand_free (rand);
}

/* --- whole sessions ------------------------------------------------------------------------- */

/* A stream over @rate, shared out over its flows, with loss each way; lossless as a whole. */
static Vstream *
run_session_at (Vnet * net, FaspRateControl control, const VstreamConfig * what,
    FaspTime rtt, gdouble loss, guint64 rate, guint latency_ms)
{
  FaspEndpointConfig sender;
  Vstream *stream;

  vnet_set_path (net, rtt, (const gdouble[2]) {
        loss, loss
      }, (const gdouble[2]) {
        0, 0
      }, rate / MAX (what->flows, 1));
  fasp_endpoint_config_init (&sender, FASP_ROLE_SENDER, FASP_MODE_CALLER);
  sender.rate_control = control;
  sender.latency_ms = latency_ms;
  stream = vstream_new (net, what, &sender, NULL);
  g_assert_true (vstream_run (stream));
  return stream;
}

/* Over 10 Mbit/s. */
static Vstream *
run_session (Vnet * net, FaspRateControl control, const VstreamConfig * what,
    FaspTime rtt, gdouble loss)
{
  return run_session_at (net, control, what, rtt, loss, 10000000,
      FASP_LATENCY_MS_DEFAULT);
}

/* One that takes 94 % of the link with all that goes with it, and losses; over
 * several flows, which fill unevenly by chance, 64 %.  Nothing is lost in a queue. */
static void
test_session (gconstpointer data)
{
  guint flows = GPOINTER_TO_UINT (data);
  Vnet *net = vnet_new (3);
  VstreamConfig config;
  Vstream *stream;

  vstream_config_init (&config);
  config.bitrate = flows == 1 ? 8800000 : 6000000;
  config.channel = 0;
  config.flows = flows;
  config.duration = 30 * FASP_SEC;
  config.lead = FASP_SEC;
  stream = run_session (net, FASP_RATE_CONTROL_ADAPTIVE, &config,
      100 * FASP_MSEC, .01);
  g_assert_cmpuint (vnet_get_counters (net, VNET_A, VNET_B)->queue_lost, ==, 0);
  g_assert_cmpuint (stream->sender_stats.channel_rate, >, config.bitrate);
  /* a quarter more than what passes, headers and rexes counted, which is told of short
   * spans: not what an encoder is offered, twice as much */
  if (flows == 1)
    g_assert_cmpuint (stream->sender_stats.channel_rate, <, 13000000);
  vstream_free (stream);
  vnet_free (net);
}

/* A round trip of 40 ms: what arrived 20 ms ago or earlier, sixteen at most, is told of now and
 * leaves @way. */
static void
tell_arrived (FaspRate * rate, GArray * way, guint64 * told, FaspTime now)
{
  const FaspRateSample *samples = (const FaspRateSample *) way->data;
  FaspRateReport report = {.now = now,.samples = samples };

  while (report.n < MIN (way->len, 16)
      && samples[report.n].arrived + 20000 <= now)
    report.n++;
  if (report.n > 0)
    report.rtt = now - samples[report.n - 1].sent;
  *told += report.n;
  report.told = *told;
  fasp_rate_report (rate, &report);
  g_array_remove_range (way, 0, report.n);
}

/* A busy host lets some packets trickle from @trickle on, as a path of a ninth would, and
 * then the others come as if nothing had been.  The least rate from then on; it is what it
 * was 0.2 s later. */
static guint64
make_mistake (FaspTime trickle)
{
  FaspRate *rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 10000000, 0);
  FaspTime sent = 0, arrived = 0, until;
  guint64 least = G_MAXUINT64, bytes = 0, told = 0;
  GArray *way = g_array_new (FALSE, FALSE, sizeof (FaspRateSample));

  for (FaspTime now = 0; now < trickle + 300 * FASP_MSEC; now += 500) {
    while (sent <= now) {
      FaspTime late = CLAMP (sent - trickle, 0, 8 * FASP_MSEC) * 8;
      FaspRateSample sample;

      arrived = MAX (arrived, sent + 20000 + (late < 64000 ? late : 0));
      bytes += 1500;
      sample = (FaspRateSample) {
      sent, arrived, bytes};
      g_array_append_val (way, sample);
      sent += 12000 * FASP_SEC / fasp_rate_get (rate, now, bytes, &until);
    }
    if (now % 10000 == 0) {
      tell_arrived (rate, way, &told, now);
    }
    if (now >= trickle)
      least = MIN (least, rate->rate);
    if (now >= trickle + 200 * FASP_MSEC)
      g_assert_cmpuint (rate->rate, >, 9000000);
  }
  g_array_unref (way);
  fasp_rate_free (rate);
  return least;
}

static void
test_mistake (void)
{
  guint mistakes = 0;

  for (FaspTime i = 0; i < 100; i++)
    mistakes += make_mistake (5 * FASP_SEC + i * 1700) < 5000000;
  g_test_message ("%u of 100 times it fell", mistakes);
  g_assert_cmpuint (mistakes, >, 5);
}

/* Sound in small packets: a packet's worth of bytes takes its time, but a path that becomes too
 * slow for it is found out. */
static void
test_small_packets (void)
{
  const guint size = 320, bitrate = 256000, then = 200000;
  FaspRate *rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);
  GArray *way = g_array_new (FALSE, FALSE, sizeof (FaspRateSample));
  FaspTime link = 0, made = 0, sent = 0, until;
  guint64 bytes = 0, told = 0;

  for (FaspTime now = 0; now < 40 * FASP_SEC; now += 10000) {
    while (sent <= now) {
      FaspRateSample sample;
      guint64 may = fasp_rate_get (rate, sent, bytes, &until);

      link = MAX (link, sent) + size * 8 * FASP_SEC / (sent < 10 * FASP_SEC ?
          10000000 : then);
      bytes += size;
      sample = (FaspRateSample) {
      sent, link + 20000, bytes};
      g_array_append_val (way, sample);
      made += size * 8 * FASP_SEC / bitrate;
      sent += size * 8 * FASP_SEC / may;
      fasp_rate_set_dry (rate, sent, made > sent);
      sent = MAX (made, sent);
    }
    tell_arrived (rate, way, &told, now);
  }
  g_assert_cmpuint (rate->rate, <, then * 1.3);
  g_array_unref (way);
  fasp_rate_free (rate);
}

/* Key frames that are ten times as large as other pictures, through a policer that takes a third more
 * than the stream: they are sent as fast as it takes them, so next to nothing is sent twice, and nothing
 * is late. */
static void
test_session_policer (void)
{
  for (guint i = 0; i < 12; i++) {
    Vnet *net = vnet_new (i);
    ImpairConfig *wire = vnet_get_wire (net, VNET_A, VNET_B);
    FaspEndpointConfig sender;
    VstreamConfig config;
    Vstream *stream;
    gdouble sent;

    vnet_set_path (net, (i % 2 ? 60 : 20) * FASP_MSEC, (const gdouble[2]) {
          i / 2 % 2 * .01, 0
        }
        , (const gdouble[2]) {
          0, 0
        }
        , 0);
    wire->police = 5300000;
    wire->bucket = (const guint[]) { 10000, 20000, 50000 }[i / 4];
    vstream_config_init (&config);
    config.bitrate = 4000000;
    config.key = 10;
    config.channel = 0;
    config.duration = 40 * FASP_SEC;
    config.lead = FASP_SEC + i * 37 * FASP_MSEC;
    fasp_endpoint_config_init (&sender, FASP_ROLE_SENDER, FASP_MODE_CALLER);
    sender.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
    stream = vstream_new (net, &config, &sender, NULL);
    g_assert_true (vstream_run (stream));
    sent = (gdouble) vnet_get_counters (net, VNET_A, VNET_B)->bytes /
        stream->read;
    g_test_message ("%u: %.3f, %d ms", i, sent,
        (gint) (fasp_hist_percentile (fasp_endpoint_get_lateness
                (stream->receiver, FALSE), 1) / 1000));
    g_assert_cmpfloat (sent, <, 1.15);
    g_assert_cmpint (fasp_hist_percentile (fasp_endpoint_get_lateness
            (stream->receiver, FALSE), 1), <, FASP_SEC);
    vstream_free (stream);
    vnet_free (net);
  }
}

/* Where half of all is lost, both ways, a live stream needs more than twice its rate, and the link has
 * twice as much as that: it is in time. */
static void
test_session_lossy (void)
{
  for (guint i = 0; i < 8; i++) {
    Vnet *net = vnet_new (i);
    VstreamConfig config;
    Vstream *stream;
    FaspTime latest;

    vstream_config_init (&config);
    config.bitrate = 2000000;
    config.channel = 0;
    config.duration = 30 * FASP_SEC;
    config.lead = 5 * FASP_SEC; /* calls are lost, too */
    stream = run_session (net, FASP_RATE_CONTROL_ADAPTIVE, &config,
        50 * FASP_MSEC, .5);
    latest = fasp_hist_percentile (fasp_endpoint_get_lateness
        (stream->receiver, TRUE), 1);
    g_test_message ("%u: %d ms", i, (gint) (latest / 1000));
    g_assert_cmpint (latest, <, 2 * FASP_SEC);
    vstream_free (stream);
    vnet_free (net);
  }
}

/* A line that is slower than a live stream for 5 s, with 0.8 s of queue in front of it: 3.4 s are behind
 * then at best. Once it turns out that nobody else is there, it is not competed with. */
static void
test_session_falls (void)
{
  const guint n = 6;
  gdouble latest = 0;

  for (guint i = 1; i <= n; i++) {
    Vnet *net = vnet_new (i);
    ImpairConfig *wire = vnet_get_wire (net, VNET_A, VNET_B);
    FaspTime at = 10 * FASP_SEC + i * 37000;
    FaspEndpointConfig sender;
    VstreamConfig config;
    Vstream *stream;

    vnet_set_path (net, 60 * FASP_MSEC, (const gdouble[2]) {
          .001, .001
        }, (const gdouble[2]) {
          0, 0
        }, 10000000);
    wire->queue = 100000;
    vstream_config_init (&config);
    config.bitrate = 3000000;
    config.channel = 0;
    config.duration = 30 * FASP_SEC;
    config.lead = 2 * FASP_SEC;
    fasp_endpoint_config_init (&sender, FASP_ROLE_SENDER, FASP_MODE_CALLER);
    sender.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
    stream = vstream_new (net, &config, &sender, NULL);
    vstream_run_until (stream, at);
    wire->rate = 1000000;
    vstream_run_until (stream, at + 5 * FASP_SEC);
    wire->rate = 10000000;
    g_assert_true (vstream_run (stream));
    latest += fasp_hist_percentile (fasp_endpoint_get_lateness
        (stream->receiver, TRUE), 1) / 1e6 / n;
    vstream_free (stream);
    vnet_free (net);
  }
  g_test_message ("%.2f s", latest);
  g_assert_cmpfloat (latest, <, 5.3);
}

/* Stalls of up to 150 ms while a live stream takes 80 % of the link: no fall that costs
 * seconds. */
static void
test_session_stalls (void)
{
  for (guint i = 0; i < 10; i++) {
    Vnet *net = vnet_new (i);
    VstreamConfig config;
    Vstream *stream;

    vnet_get_wire (net, VNET_A, VNET_B)->stall = 150 * FASP_MSEC;
    vnet_get_wire (net, VNET_B, VNET_A)->stall = 150 * FASP_MSEC;
    vstream_config_init (&config);
    config.bitrate = 8000000;
    config.channel = 0;
    config.duration = 20 * FASP_SEC;
    config.lead = FASP_SEC;
    stream = run_session (net, FASP_RATE_CONTROL_ADAPTIVE, &config,
        45 * FASP_MSEC, .001);
    g_assert_cmpint (fasp_hist_percentile (fasp_endpoint_get_lateness
            (stream->receiver, FALSE), 1), <, 300 * FASP_MSEC);
    vstream_free (stream);
    vnet_free (net);
  }
}

/* Where jitter hides a short queue that overflows, what is lost is sent again and again: that is no room
 * for more.  (The mean of a few networks, 3.7 without that; of others the search does not end too high.) */
static void
test_session_hidden_queue (void)
{
  static const guint seeds[] = { 19, 80, 107, 127, 147 };
  gdouble sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++) {
    Vnet *net = vnet_new (seeds[i]);
    ImpairConfig *there = vnet_get_wire (net, VNET_A, VNET_B);
    VstreamConfig config;
    Vstream *stream;
    gdouble wire;

    there->queue = 14000;
    there->jitter = 40 * FASP_MSEC;
    vstream_config_init (&config);
    config.bitrate = 2550000;
    config.channel = 0;
    config.chunk = 6000;
    config.duration = 20 * FASP_SEC;
    config.lead = 5 * FASP_SEC;
    stream = run_session_at (net, FASP_RATE_CONTROL_ADAPTIVE, &config,
        84 * FASP_MSEC, 0, 3250000, 430);
    wire = vnet_get_counters (net, VNET_A, VNET_B)->bytes;
    g_test_message ("%u: %g on the wire", seeds[i], wire / stream->written);
    sum += wire / stream->written;
    vstream_free (stream);
    vnet_free (net);
  }
  g_assert_cmpfloat (sum / G_N_ELEMENTS (seeds), <, 2);
}

/* Where queues are marked, and where all that can be is lost.  pert, as it keeps some queue
 * and adaptive none. */
static void
test_session_ecn (gconstpointer data)
{
  gboolean lost = GPOINTER_TO_INT (data);
  Vnet *net = vnet_new (3);
  ImpairConfig *wire = vnet_get_wire (net, VNET_A, VNET_B);
  const ImpairCounters *counters;
  VstreamConfig config;
  Vstream *stream;

  wire->codel = 2000;
  wire->no_ecn = lost;
  vstream_config_init (&config);
  config.bitrate = 12000000;    /* more than there is room for */
  config.duration = 10 * FASP_SEC;
  config.channel = 0;
  config.lead = FASP_SEC;
  stream = run_session (net, FASP_RATE_CONTROL_PERT, &config, 40 * FASP_MSEC,
      0);
  counters = vnet_get_counters (net, VNET_A, VNET_B);
  if (lost) {
    g_assert_cmpuint (counters->lost, ==, FASP_ECN_TESTED);
    g_assert_cmpuint (stream->sender_stats.marked, ==, 0);
  } else {
    g_assert_cmpuint (counters->marked, >, 0);
    g_assert_cmpuint (counters->marked, ==, stream->receiver_stats.marked);
    /* it does not hear of what came behind the end of the stream */
    g_assert_cmpuint (stream->sender_stats.marked, <=, counters->marked);
    g_assert_cmpuint (stream->sender_stats.marked, >=, counters->marked - 2);
    g_assert_cmpuint (stream->sender_stats.blocks_lost, ==, 0);
  }
  vstream_free (stream);
  vnet_free (net);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/queue", test_queue);
  g_test_add_func ("/rate/queue/drains", test_queue_drains);
  g_test_add_func ("/rate/queue/jumps", test_queue_jumps);
  g_test_add_func ("/rate/wander", test_wander);
  g_test_add_func ("/rate/need", test_need);
  g_test_add_func ("/rate/need/deep", test_need_deep);
  g_test_add_func ("/rate/need/burst", test_need_burst);
  g_test_add_func ("/rate/need/long", test_need_long);
  g_test_add_func ("/rate/need/alone", test_need_alone);
  g_test_add_func ("/rate/policer", test_policer);
  g_test_add_func ("/rate/policer/outage", test_policer_outage);
  g_test_add_func ("/rate/arrivals", test_arrivals);
  g_test_add_func ("/rate/dry", test_dry);
  g_test_add_func ("/rate/arrivals/told", test_arrivals_told);
  g_test_add_func ("/rate/sent-log", test_sent_log);
  g_test_add_func ("/rate/alone", test_alone);
  g_test_add_func ("/rate/alone/long", test_alone_long);
  g_test_add_func ("/rate/lossy", test_lossy);
  g_test_add_func ("/rate/short", test_short);
  g_test_add_func ("/rate/at-most", test_at_most);
  g_test_add_func ("/rate/start", test_start);
  g_test_add_func ("/rate/start/near", test_start_near);
  g_test_add_func ("/rate/many-under-way", test_many_under_way);
  g_test_add_func ("/rate/steps", test_steps);
  g_test_add_func ("/rate/pauses", test_pauses);
  g_test_add_func ("/rate/wandering", test_wandering);
  g_test_add_func ("/rate/wandering/full", test_wandering_full);
  g_test_add_func ("/rate/wandering/too-much", test_too_much);
  g_test_add_func ("/rate/route", test_route);
  g_test_add_func ("/rate/deep-step", test_deep_step);
  g_test_add_func ("/rate/deepest-step", test_deepest_step);
  g_test_add_func ("/rate/jitter", test_jitter);
  g_test_add_func ("/rate/jitter/start", test_jitter_start);
  g_test_add_func ("/rate/reordering", test_reordering);
  g_test_add_func ("/rate/stalls", test_stalls);
  g_test_add_func ("/rate/slow-source", test_slow_source);
  g_test_add_func ("/rate/source-falls", test_source_falls);
  g_test_add_func ("/rate/source-falls/far", test_source_falls_far);
  g_test_add_func ("/rate/encoder", test_encoder);
  g_test_add_func ("/rate/encoder/long", test_encoder_long);
  g_test_add_func ("/rate/full-encoder", test_full_encoder);
  g_test_add_func ("/rate/modest-encoder", test_modest_encoder);
  g_test_add_func ("/rate/idle", test_idle);
  g_test_add_func ("/rate/from-least", test_from_least);
  g_test_add_func ("/rate/policed", test_policed);
  g_test_add_func ("/rate/bursts", test_bursts);
  g_test_add_func ("/rate/beside-tcp", test_beside_tcp);
  g_test_add_func ("/rate/narrow", test_narrow);
  g_test_add_func ("/rate/beside-tcp/shallow", test_beside_tcp_shallow);
  g_test_add_func ("/rate/guest", test_guest);
  g_test_add_func ("/rate/guest/deep", test_guest_deep);
  g_test_add_func ("/rate/two", test_two);
  g_test_add_func ("/rate/two-queue", test_two_queue);
  g_test_add_func ("/rate/two-encoders", test_two_encoders);
  g_test_add_func ("/rate/codel", test_codel);
  g_test_add_func ("/rate/marks", test_marks);
  g_test_add_func ("/rate/pert", test_pert);
  g_test_add_func ("/rate/pert-narrow", test_pert_narrow);
  g_test_add_data_func ("/rate/hostile/pert",
      GINT_TO_POINTER (FASP_RATE_CONTROL_PERT), test_hostile);
  g_test_add_data_func ("/rate/hostile/adaptive",
      GINT_TO_POINTER (FASP_RATE_CONTROL_ADAPTIVE), test_hostile);
  g_test_add_func ("/rate/mistake", test_mistake);
  g_test_add_func ("/rate/small-packets", test_small_packets);
  g_test_add_func ("/rate/session/policer", test_session_policer);
  g_test_add_func ("/rate/session/lossy", test_session_lossy);
  g_test_add_func ("/rate/session/falls", test_session_falls);
  g_test_add_func ("/rate/session/stalls", test_session_stalls);
  g_test_add_func ("/rate/session/hidden-queue", test_session_hidden_queue);
  g_test_add_data_func ("/rate/session/ecn", GINT_TO_POINTER (FALSE),
      test_session_ecn);
  g_test_add_data_func ("/rate/session/no-ecn", GINT_TO_POINTER (TRUE),
      test_session_ecn);
  g_test_add_data_func ("/rate/session/one", GUINT_TO_POINTER (1),
      test_session);
  g_test_add_data_func ("/rate/session/flows", GUINT_TO_POINTER (4),
      test_session);
  return g_test_run ();
}
