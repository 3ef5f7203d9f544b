/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rate controllers alone, with feedback that is made up for them: marks, small packets, a mistake
 * of the path, and feedback that nobody could have.
 */
#include "fasplimits.h"
#include "fasprate.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspRate, fasp_rate_free)

static void
test_dry (void)
{
  g_autoptr (FaspRate) rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);

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
}

static void
test_hostile (gconstpointer data)
{
  static const FaspTime odd[] = { 0, 1, -1, G_MAXINT64, G_MININT64, FASP_SEC, -FASP_SEC,
    G_GINT64_CONSTANT (1) << 32 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autoptr (FaspRate) rate = fasp_rate_new (GPOINTER_TO_INT (data), 200000, 50000000, 0);

  for (FaspTime now = 0; now < 200 * FASP_SEC; now += 5000) {
    FaspRateSample samples[FASP_TIMESTAMPS];
    FaspRateFeedback report = {
      .now = now,
      .samples = samples,
      .rtt = g_rand_int (rand) % 4 ? 100000 : odd[g_rand_int (rand) % 8],
      .flow = g_rand_int (rand) % 80,
      .reported = g_rand_int (rand),
      .lost = g_rand_int (rand),
      .marked = g_rand_int (rand),
      .delay = odd[now / 5000 % 8],
      .n = g_rand_int (rand) % (FASP_TIMESTAMPS + 1),
    };
    gboolean ordered = g_rand_boolean (rand);
    FaspTime until = 0;
    guint64 bits;

    for (guint i = 0; i < report.n; i++)
      samples[i] =
          (FaspRateSample) { ordered ? now - 1000000 + 100 * i : odd[g_rand_int (rand) % 8],
            ordered ? (gint64) g_rand_int (rand) % 5 * i : odd[g_rand_int (rand) % 8],
            ordered ? now + i : g_rand_int (rand) };
    fasp_rate_feedback (rate, &report);
    bits = fasp_rate_get (rate, now, g_rand_int (rand), &until);
    g_assert_cmpuint (bits, >=, 200000);
    g_assert_cmpuint (bits, <=, 50000000);
    g_assert_cmpuint (rate->rate, >=, 200000);
    g_assert_cmpint (until, >, now);
  }
  fasp_rate_set_bounds (rate, 5000000, 1000000);
  g_assert_cmpuint (rate->rate, ==, 1000000);
}

/* A round trip of 40 ms: what arrived 20 ms ago or earlier, sixteen at most, is reported of now and
 * leaves @way. */
static void
report_arrived (FaspRate *rate, GArray *way, guint64 *reported, FaspTime now)
{
  const FaspRateSample *samples = (const FaspRateSample *) way->data;
  FaspRateFeedback report = { .now = now, .samples = samples };

  while (report.n < MIN (way->len, 16) && samples[report.n].arrived + 20000 <= now)
    report.n++;
  if (report.n > 0)
    report.rtt = now - samples[report.n - 1].sent;
  *reported += report.n;
  report.reported = *reported;
  fasp_rate_feedback (rate, &report);
  g_array_remove_range (way, 0, report.n);
}

/* A busy host lets some packets trickle from @trickle on, as a path of a ninth would, and
 * then the others come as if nothing had been.  The rate is what it was RECOVERS later. */
#define RECOVERS (600 * FASP_MSEC)
static void
make_mistake (FaspTime trickle)
{
  g_autoptr (FaspRate) rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 10000000, 0);
  FaspTime sent = 0, arrived = 0, until;
  guint64 bytes = 0, reported = 0;
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (FaspRateSample));

  for (FaspTime now = 0; now < trickle + RECOVERS + FASP_SEC; now += 500) {
    while (sent <= now) {
      FaspTime late = CLAMP (sent - trickle, 0, 8 * FASP_MSEC) * 8;
      FaspRateSample sample;

      arrived = MAX (arrived, sent + 20000 + (late < 64000 ? late : 0));
      bytes += 1500;
      sample = (FaspRateSample) { sent, arrived, bytes };
      g_array_append_val (way, sample);
      sent += 12000 * FASP_SEC / fasp_rate_get (rate, now, bytes, &until);
    }
    if (now % 10000 == 0) {
      report_arrived (rate, way, &reported, now);
    }
    if (now >= trickle + RECOVERS)
      g_assert_cmpuint (rate->rate, >, 9000000);
  }
}

static void
test_mistake (void)
{
  for (FaspTime i = 0; i < 100; i++)
    make_mistake (5 * FASP_SEC + i * 1700);
}

/* Sound in small packets: a packet's worth of bytes takes its time, but a path that becomes too
 * slow for it is found out. */
static void
test_small_packets (void)
{
  const guint size = 320, bitrate = 256000, then = 200000;
  g_autoptr (FaspRate) rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (FaspRateSample));
  FaspTime link = 0, made = 0, sent = 0, until;
  guint64 bytes = 0, reported = 0;

  for (FaspTime now = 0; now < 40 * FASP_SEC; now += 10000) {
    while (sent <= now) {
      FaspRateSample sample;
      guint64 may = fasp_rate_get (rate, sent, bytes, &until);

      link = MAX (link, sent) + size * 8 * FASP_SEC / (sent < 10 * FASP_SEC ? 10000000 : then);
      bytes += size;
      sample = (FaspRateSample) { sent, link + 20000, bytes };
      g_array_append_val (way, sample);
      made += size * 8 * FASP_SEC / bitrate;
      sent += size * 8 * FASP_SEC / may;
      fasp_rate_set_dry (rate, sent, made > sent);
      sent = MAX (made, sent);
    }
    report_arrived (rate, way, &reported, now);
  }
  g_assert_cmpuint (rate->rate, <, then * 1.3);
}

/* Who sends nothing but a sign of life now and then is hardly slowed down by a host that keeps
 * packets for some ms, or by one that stalls. */
static void
test_idle (void)
{
  g_autoptr (FaspRate) rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  FaspRateSample sample = { 0 };
  FaspRateFeedback report = { .rtt = 45000, .samples = &sample, .n = 1 };
  FaspTime until;

  for (FaspTime now = 0; now < 30 * FASP_SEC; now += 10000) {
    fasp_rate_get (rate, now, sample.bytes, &until);
    if (now / 10000 % 5 > 0)
      continue;
    sample.sent = now - 45000;
    /* the first is as fast as can be */
    sample.arrived = MAX (sample.arrived,
        now + (now > 0 ? 5000 : 0) + g_rand_int (rand) % (now / FASP_SEC % 3 ? 2000 : 50000));
    sample.bytes += 61;
    report.now = now;
    report.reported++;
    fasp_rate_feedback (rate, &report);
    g_assert_cmpuint (rate->rate, >=, FASP_RATE_FIRST / 2);
    g_assert_cmpuint (rate->rate, <, 2 * FASP_RATE_FIRST);
  }
}

/* A stream pauses, and what little leaves is reported half a second after it arrived: the turn
 * stays that of the path. */
static void
test_pause (void)
{
  g_autoptr (FaspRate) rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);
  FaspRateSample sample = { 0 };
  FaspRateFeedback report = {
    .rtt = 20 * FASP_MSEC,
    .samples = &sample,
    .n = 1,
    .delay = 480 * FASP_MSEC,
  };

  for (FaspTime now = FASP_SEC; now < 30 * FASP_SEC; now += FASP_SEC / 2) {
    sample.sent = now - report.delay - report.rtt;
    sample.arrived = sample.sent + report.rtt / 2;
    sample.bytes += 61;
    report.now = now;
    report.reported++;
    fasp_rate_feedback (rate, &report);
    /* the round trip, and twice the clock */
    g_assert_cmpint (rate->feedback_rtt, <=, 40 * FASP_MSEC);
  }
}

/* Marks lower the rate once a round trip, by half of the share of marks: at first that of the
 * report that has one.  What is reported again is nothing new.  Then it grows by a packet in each
 * round trip. */
static void
test_marks (void)
{
  g_autoptr (FaspRate) rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);
  FaspRateSample sample = { 0, 50000, 1500 };
  FaspRateFeedback report = { .rtt = 100000, .samples = &sample, .n = 1 };
  guint64 before = rate->rate, least = before;
  FaspTime until;

  /* one leaves each 10 ms, and is reported 100 ms later */
  for (guint i = 1; i <= 60; i++) {
    fasp_rate_get (rate, i * 10000, i * 1500, &until);
    if (i <= 10)
      continue;
    report.now = i * 10000;
    sample.sent = (i - 10) * 10000;
    sample.arrived = sample.sent + 50000;
    sample.bytes = (i - 10) * 1500;
    report.reported = i - 10;
    report.marked = i <= 12 ? 0 : MIN (i - 12, 10);
    fasp_rate_feedback (rate, &report);
    g_assert_cmpuint (rate->rate, >=, before / 4);
    if (i <= 12)
      g_assert_cmpuint (rate->rate, ==, before);
    least = MIN (least, rate->rate);
  }
  g_assert_cmpuint (least, <=, before * .6);
  g_assert_cmpuint (rate->rate, <=, least + 5 * FASP_RATE_PACKET * 10);
}

/* What is under way fits the window; if nothing is reported, a datagram leaves now and then
 * nevertheless, less and less often. */
static void
test_window (void)
{
  g_autoptr (FaspRate) rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);
  FaspRateSample sample = { 0, 50000, 1500 };
  FaspRateFeedback report = { .rtt = 100000, .samples = &sample, .n = 1, .reported = 1 };
  FaspTime now = 100000, until;
  guint64 sent = 1500;
  guint probes = 0;

  fasp_rate_sent (rate, 0, sent);
  report.now = now;
  fasp_rate_feedback (rate, &report);
  while (fasp_rate_get_time (rate, now, sent, 1500) <= now) {
    fasp_rate_get (rate, now, sent, &until);
    fasp_rate_sent (rate, now, sent += 1500);
    g_assert_cmpuint (sent, <, 1000000);
  }
  /* 2 Mbit/s for a round trip and what may wait */
  g_assert_cmpuint (sent, >, 2000000 / 8 / 10);
  g_assert_cmpuint (fasp_rate_get_excess (rate, sent), >, 0);
  g_assert_cmpuint (fasp_rate_get_excess (rate, 3000), ==, 0);
  /* all of it left now: it is overdue after a turn, the longer the more */
  g_assert_cmpint (fasp_rate_get_overdue (rate, now + rate->feedback_rtt), ==, 0);
  g_assert_cmpint (fasp_rate_get_overdue (rate, now + rate->feedback_rtt + 7), ==, 7);
  while (now < 20 * FASP_SEC) {
    now = fasp_rate_get_time (rate, now, sent, 1500);
    fasp_rate_get (rate, now, sent, &until);
    fasp_rate_sent (rate, now, sent += 1500);
    probes++;
  }
  g_assert_cmpuint (probes, >=, 19);
  g_assert_cmpuint (probes, <, 30);
  /* who makes what is sent is reported of less, too */
  g_assert_cmpuint (rate->offer, <, rate->rate / 10);
  /* a report opens it again */
  report.now = now + 50000;
  sample = (FaspRateSample) { now, now + 100000, sent };
  report.reported = 2;
  fasp_rate_feedback (rate, &report);
  g_assert_cmpint (fasp_rate_get_time (rate, report.now, sent, 1500), <=, report.now);
}

/* All bytes up to @bytes are reported @now. */
static void
report_bytes (FaspRate *rate, FaspTime now, guint64 bytes)
{
  FaspRateSample sample = { now - 100 * FASP_MSEC, now - 50 * FASP_MSEC, bytes };
  FaspRateFeedback report = {
    .now = now,
    .rtt = 100 * FASP_MSEC,
    .samples = &sample,
    .n = 1,
    .reported = bytes / FASP_RATE_PACKET,
  };

  fasp_rate_feedback (rate, &report);
}

/* What arrived while packets waited on the path is proven: from the last report before the wait to
 * the last one within it. */
static void
test_proven (void)
{
  const guint64 burst = 100 * FASP_RATE_PACKET, half = burst / 2;
  g_autoptr (FaspRate) rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);
  FaspTime now = FASP_SEC;

  g_assert_cmpfloat (rate->proven, ==, 0);
  for (guint i = 1; i <= 10; i++) {
    fasp_rate_sent (rate, now, i * FASP_RATE_PACKET);
    report_bytes (rate, now += 100 * FASP_MSEC, i * FASP_RATE_PACKET);
    g_assert_cmpfloat (rate->proven, ==, 0);
  }
  /* a second report of the same time measures nothing */
  fasp_rate_sent (rate, now, 10 * FASP_RATE_PACKET + burst);
  report_bytes (rate, now, 11 * FASP_RATE_PACKET);
  g_assert_cmpuint (fasp_rate_get_excess (rate, rate->left), >, 0);
  g_assert_cmpfloat (rate->proven, ==, 0);
  report_bytes (rate, now + 50 * FASP_MSEC, 10 * FASP_RATE_PACKET + half);
  g_assert_cmpuint (fasp_rate_get_excess (rate, rate->left), >, 0);
  g_assert_cmpfloat_with_epsilon (rate->proven, half * 8 * 20, 1);
  /* one that comes later than others, and reports less, does not lower what arrived */
  report_bytes (rate, now + 50 * FASP_MSEC, 0);
  g_assert_cmpfloat_with_epsilon (rate->proven, half * 8 * 20, 1);
  /* the wait is over */
  report_bytes (rate, now + 60 * FASP_MSEC, 10 * FASP_RATE_PACKET + burst);
  g_assert_cmpuint (fasp_rate_get_excess (rate, rate->left), ==, 0);
  g_assert_cmpfloat_with_epsilon (rate->proven, half * 8 * 20, 1);
  /* the next wait counts alone, from its own beginning */
  now += FASP_SEC;
  report_bytes (rate, now, 10 * FASP_RATE_PACKET + burst);
  fasp_rate_sent (rate, now, 10 * FASP_RATE_PACKET + 2 * burst);
  report_bytes (rate, now + 100 * FASP_MSEC, 10 * FASP_RATE_PACKET + burst + half);
  g_assert_cmpuint (fasp_rate_get_excess (rate, rate->left), >, 0);
  g_assert_cmpfloat_with_epsilon (rate->proven, half * 8 * 10, 1);
  /* what was never sent proves nothing */
  report_bytes (rate, now + 110 * FASP_MSEC, 1000 * burst);
  g_assert_cmpfloat_with_epsilon (rate->proven, half * 8 * 10, 1);
  fasp_rate_sent (rate, now + 110 * FASP_MSEC, 3 * burst);
  report_bytes (rate, now + 120 * FASP_MSEC, 2000 * burst);
  g_assert_cmpfloat_with_epsilon (rate->proven, half * 8 * 10, 1);
}

/* The peer's clock says that packets have waited for longer than they were under way, and then that
 * they have not. */
static void
test_clock (void)
{
  g_autoptr (FaspRate) rate = fasp_rate_new (FASP_RATE_CONTROL_ADAPTIVE, 0, 0, 0);
  FaspRateSample sample = { 0 };
  FaspRateFeedback report = { .rtt = 1000, .samples = &sample, .n = 1 };
  FaspTime until;

  for (FaspTime now = 0; now < 20 * FASP_SEC; now += 20000) {
    report.now = sample.sent = now;
    sample.arrived = now + (now / FASP_SEC % 4 == 1 ? 1000 * FASP_SEC : 50000);
    sample.bytes += 1500;
    report.reported++;
    fasp_rate_get (rate, now, sample.bytes, &until);
    fasp_rate_feedback (rate, &report);
    g_assert_cmpint (rate->feedback_rtt, >=, 0);
    g_assert_cmpint (rate->feedback_rtt, <, FASP_SEC);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/dry", test_dry);
  g_test_add_func ("/rate/window", test_window);
  g_test_add_data_func ("/rate/hostile/pert", GINT_TO_POINTER (FASP_RATE_CONTROL_PERT),
      test_hostile);
  g_test_add_data_func ("/rate/hostile/adaptive", GINT_TO_POINTER (FASP_RATE_CONTROL_ADAPTIVE),
      test_hostile);
  g_test_add_func ("/rate/proven", test_proven);
  g_test_add_func ("/rate/clock", test_clock);
  g_test_add_func ("/rate/mistake", test_mistake);
  g_test_add_func ("/rate/small-packets", test_small_packets);
  g_test_add_func ("/rate/idle", test_idle);
  g_test_add_func ("/rate/pause", test_pause);
  g_test_add_func ("/rate/marks", test_marks);
  return g_test_run ();
}
