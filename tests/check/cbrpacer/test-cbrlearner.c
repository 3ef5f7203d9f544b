/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a stream tells of its rate: PCR, timestamps, arrival.
 */
#include <string.h>
#include "cbrlearner.h"

#define MSEC G_GINT64_CONSTANT (1000000)
#define SEC (1000 * MSEC)
#define PCR_WRAP ((G_GUINT64_CONSTANT (1) << 33) * 300)

/* A packet of PID @pid, with a PCR in 27 MHz, or none (G_MAXUINT64). */
static void
make_packet (guint8 *p, guint16 pid, guint64 pcr, gboolean discontinuity)
{
  memset (p, 0xab, TS_PACKET);
  p[0] = TS_SYNC;
  p[1] = pid >> 8;
  p[2] = pid;
  p[3] = 0x10;
  if (pcr != G_MAXUINT64) {
    guint64 base = pcr / 300, extension = pcr % 300;

    p[3] = 0x30;
    p[4] = 7;
    p[5] = discontinuity ? 0x90 : 0x10;
    p[6] = base >> 25;
    p[7] = base >> 17;
    p[8] = base >> 9;
    p[9] = base >> 1;
    p[10] = (base & 1) << 7 | 0x7e | extension >> 8;
    p[11] = extension;
  }
}

/* Whole packets, which come at @arrival. */
static void
feed (CbrLearner *learner, gconstpointer packets, gsize size, gint64 arrival)
{
  GstBuffer *buffer = gst_buffer_new_memdup (packets, size);

  cbr_learner_feed (learner, buffer, GST_CLOCK_TIME_NONE, arrival, 0);
  gst_buffer_unref (buffer);
}

/* A constant rate on its own clock, in pieces of any size: found exactly,
 * through the wrap of the PCR. */
static void
test_pcr (void)
{
  static const guint64 rates[] = { 300000, 5000000, 38010000, 270000000 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    GRand *rand = g_rand_new_with_seed (i);
    GByteArray *waiting = g_byte_array_new ();
    CbrLearner learner;

    cbr_learner_init (&learner, SEC);
    for (guint64 n = 0; n * 188 * 8 < 3 * rates[i]; n++) {
      guint8 packet[188];
      guint64 pcr = (PCR_WRAP - 27000000 + n * 188 * 8 * 27000000 / rates[i]) % PCR_WRAP;

      /* of the other programme, too */
      make_packet (packet, n % 7 == 0 ? 0x100 : 0x200,
          n % 7 == 0     ? pcr :
              n % 7 == 3 ? (pcr + 777777) % PCR_WRAP :
                           G_MAXUINT64,
          FALSE);
      g_byte_array_append (waiting, packet, sizeof packet);
      while (waiting->len > 3000) {
        guint size = g_rand_int_range (rand, 1, 3000);
        GstBuffer *buffer = gst_buffer_new_memdup (waiting->data, size);

        cbr_learner_feed (&learner, buffer, 0, 0, 0);
        gst_buffer_unref (buffer);
        g_byte_array_remove_range (waiting, 0, size);
      }
    }
    g_assert_cmpint (learner.clock, ==, CBR_CLOCK_PCR);
    g_assert_true (cbr_rate_is_known (&learner.rate));
    /* with the headers of datagrams of seven packets, to one bit/s */
    g_assert_cmpfloat_with_epsilon ((gdouble) cbr_learner_get_rate (&learner, 1316, 28)
            / (rates[i] * 1344. / 1316),
        1, 4e-6);
    g_byte_array_unref (waiting);
    g_rand_free (rand);
  }
}

/* In five days the PCR wraps four times: no time is lost, and the rate stays what it is. */
static void
test_days (void)
{
  const guint n = 5 * 24 * 3600 * 10;
  CbrLearner learner;

  cbr_learner_init (&learner, SEC);
  for (guint i = 0; i < n; i++) {
    guint8 packet[188];

    /* 100 ms, and a tick now and then */
    make_packet (packet, 0x100, (i * G_GUINT64_CONSTANT (2700000) + i % 2) % PCR_WRAP, FALSE);
    feed (&learner, packet, sizeof packet, 0);
    if (i > 100)
      g_assert_cmpuint (cbr_rate_get (&learner.rate), ==, 188 * 8 * 10);
  }
  g_assert_cmpint (ABS (learner.elapsed - (gint64) (n - CBR_TS_RUN) * 100 * MSEC), <=, 38);
}

/* A PCR that jumps says nothing of the rate; what was known stays. */
static void
test_pcr_jump (void)
{
  CbrLearner learner;
  guint64 pcr = 0;

  cbr_learner_init (&learner, SEC);
  for (guint n = 0; n < 4000; n++) {
    guint8 packet[188];
    gboolean announced = n == 3000;

    if (n == 2000)
      pcr = 77 * G_GINT64_CONSTANT (27000000); /* without a word */
    if (announced)
      pcr += 1000;
    make_packet (packet, 0x100, pcr, announced);
    feed (&learner, packet, sizeof packet, n);
    if (n > 1100)
      g_assert_cmpuint (cbr_rate_get (&learner.rate), ==, 188 * 8 * 1000);
    pcr += 27000; /* 1 ms */
  }
}

/* A packet with a PCR of @us, which may be negative. */
static void
feed_pcr (CbrLearner *learner, gint64 us, gboolean announced)
{
  guint8 packet[188];

  make_packet (packet, 0x100, (PCR_WRAP + (guint64) (us * 27)) % PCR_WRAP, announced);
  feed (learner, packet, sizeof packet, 0);
}

/* The PCR makes a step in the middle of 200, for good or in one of them, however far they are
 * apart. */
static void
test_pcr_steps (void)
{
  static const gint64 intervals[] = { 20, 100, 300, 500, 1000 };
  static const struct
  {
    const gchar *name;
    gint64 step; /* ms */
    gboolean once, announced;
    gint64 longer; /* by so many ms */
  } cases[] = {
    { "none", 0, FALSE, FALSE, 0 },
    { "a short pause", 200, FALSE, FALSE, 200 },
    { "a pause", 1500, FALSE, FALSE, 1500 },
    { "a longer one", 5000, FALSE, FALSE, 5000 },
    { "the longest", 8900, FALSE, FALSE, 8900 },
    { "another clock", 11000, FALSE, FALSE, 0 },
    { "a far one", 40000000, FALSE, FALSE, 0 },
    { "an earlier one", -30, FALSE, FALSE, 0 },
    { "an earlier one", -3000, FALSE, FALSE, 0 },
    { "an earlier one", -40000000, FALSE, FALSE, 0 },
    { "announced", 1500, FALSE, TRUE, 0 },
    { "announced", -1500, FALSE, TRUE, 0 },
    { "slightly wrong", 200, TRUE, FALSE, 0 },
    { "wrong", 1500, TRUE, FALSE, 0 },
    { "wrong", 5000, TRUE, FALSE, 0 },
    { "wrong", 9000, TRUE, FALSE, 0 },
    { "wrong", 40000000, TRUE, FALSE, 0 },
    { "wrong, earlier", -30, TRUE, FALSE, 0 },
    { "wrong, earlier", -200, TRUE, FALSE, 0 },
    { "wrong, earlier", -5000, TRUE, FALSE, 0 },
    { "wrong, earlier", -40000000, TRUE, FALSE, 0 },
    { "wrong and announced", 5000, TRUE, TRUE, 0 },
    { "wrong and announced, earlier", -5000, TRUE, TRUE, 0 },
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (intervals); i++)
    for (guint j = 0; j < G_N_ELEMENTS (cases); j++) {
      gint64 interval = intervals[i / 2], late;
      /* the first one of all may be wrong, too: nothing tells if that is near */
      guint at = i % 2 == 1 && cases[j].once ? CBR_TS_RUN - 1 : 100;
      CbrLearner learner;

      cbr_learner_init (&learner, SEC);
      for (guint k = 0; k < 200; k++) {
        gboolean is = cases[j].once ? k == at : k >= at;

        feed_pcr (&learner, (k * interval + is * cases[j].step) * 1000,
            cases[j].announced && k == at);
        /* not even for a moment */
        if (cases[j].once)
          g_assert_cmpint (learner.elapsed, <=,
              k * interval * MSEC + 3 * MAX (interval, 100) * MSEC);
      }
      late = (200 * interval + cases[j].longer) * MSEC - learner.elapsed;
      g_test_message ("%s of %d, every %d ms: %d ms", cases[j].name, (gint) cases[j].step,
          (gint) interval, (gint) (late / MSEC));
      /* the sync bytes, and where a clock begins; the last ones may be in doubt */
      g_assert_cmpint (late, >=, at < 100 ? -300 * MSEC : 0);
      g_assert_cmpint (late, <=, (CBR_TS_RUN + CBR_TS_DOUBTS + 2) * interval * MSEC);
    }
}

/* PCRs at random intervals, now and then (but not behind the first) after a pause; each tenth is
 * wrong by a random time. */
static void
test_pcr_seeds (void)
{
  for (guint seed = 0; seed < 200; seed++) {
    GRand *rand = g_rand_new_with_seed (seed);
    gint64 us = 0, begin = -1, most = 0, steps[2] = { 0 };
    CbrLearner learner;

    cbr_learner_init (&learner, SEC);
    for (guint k = 0; k < 2000; k++) {
      gint64 wrong = k % 10 == 9 ?
          (gint64) (g_rand_double_range (rand, -1, 1) * (1 << g_rand_int_range (rand, 10, 27))) :
          0;

      feed_pcr (&learner, us + wrong, FALSE);
      if (begin < 0 && learner.clock == CBR_CLOCK_PCR)
        begin = us;
      /* one that is wrong leads by no more than the longest step that is taken for granted, or that
       * was seen just now */
      most = MAX (most, us - begin + MAX (300000, MAX (steps[0], steps[1])));
      if (begin >= 0)
        g_assert_cmpint (learner.elapsed / 1000, <=, most);
      steps[k % 2] = g_rand_int_range (rand, 10000, 100000);
      if (g_rand_int_range (rand, 0, 100) == 0 && k > CBR_TS_RUN)
        steps[k % 2] += g_rand_int_range (rand, 0, 4500000);
      us += steps[k % 2];
    }
    /* a lead is made up for */
    for (guint k = 0; k < 300; k++, us += 20000)
      feed_pcr (&learner, us, FALSE);
    g_assert_cmpint (ABS (learner.elapsed / 1000 + 20000 - (us - begin)), <=, 1);
    g_rand_free (rand);
  }
}

/* One file behind another, whose PCR is in packets of another PID: its clock goes on, and so does
 * it when the PCR of one of several programmes ends. */
static void
test_pcr_of_another (void)
{
  static const struct
  {
    guint per_ms;    /* packets of the second */
    gboolean before; /* it was there before */
  } cases[] = { { 2, FALSE }, { 1, TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 last = 0;
    CbrLearner learner;

    cbr_learner_init (&learner, SEC);
    for (guint ms = 0; ms < 10000; ms++) {
      gboolean first = ms < 3000;
      guint n = first ? 2 : cases[i].per_ms;
      guint8 packets[2][188];

      for (guint j = 0; j < n; j++) {
        gboolean own = first && j == 0;
        guint64 pcr = (own ? ms : 500000 + ms) * G_GUINT64_CONSTANT (27000);

        make_packet (packets[j], own ? 0x100 : 0x200,
            ms % 20 > 0 || (first && !own && !cases[i].before) ? G_MAXUINT64 : pcr, FALSE);
      }
      feed (&learner, packets, n * 188, 0);
      /* it never stands still for long */
      g_assert_cmpint (learner.elapsed, >=, last);
      g_assert_cmpint (learner.elapsed, >=, ((gint64) ms - 650) * MSEC);
      g_assert_cmpint (learner.elapsed, <=, ms * MSEC);
      last = learner.elapsed;
    }
    g_assert_cmpint (learner.clock, ==, CBR_CLOCK_PCR);
    g_assert_cmpuint (cbr_rate_get (&learner.rate), ==, cases[i].per_ms * 188 * 8 * 1000);
  }
}

/* Two programmes, and behind them a third one: neither PCR of before comes again. */
static void
test_pcr_of_third (void)
{
  gint64 last = 0, changed = 0;
  CbrLearner learner;

  cbr_learner_init (&learner, SEC);
  for (guint ms = 0; ms < 10000; ms++) {
    guint64 pcr = ms % 20 == 0 ? ms * G_GUINT64_CONSTANT (27000) : G_MAXUINT64;
    gboolean first = ms < 3000;
    guint8 packets[2][188];

    make_packet (packets[0], first ? 0x100 : 0x300, pcr, FALSE);
    make_packet (packets[1], first ? 0x200 : 0x300, first ? pcr : G_MAXUINT64, FALSE);
    feed (&learner, packets, sizeof packets, 0);
    if (learner.elapsed > last)
      changed = ms;
    last = learner.elapsed;
    g_assert_cmpint (ms - changed, <, 2000);
  }
  g_assert_cmpuint (cbr_rate_get (&learner.rate), ==, 2 * 188 * 8 * 1000);
}

/* A packet that is marked as damaged has no PCR that counts. */
static void
test_pcr_damaged (void)
{
  CbrLearner learner;

  cbr_learner_init (&learner, SEC);
  for (guint ms = 0; ms < 3000; ms++) {
    guint64 pcr = ms * G_GUINT64_CONSTANT (27000);
    guint8 packet[188];

    make_packet (packet, 0x100, ms % 100 == 99 ? pcr + 77777777 : pcr, FALSE);
    if (ms % 100 == 99)
      packet[1] |= 0x80;
    feed (&learner, packet, sizeof packet, 0);
    g_assert_cmpint (learner.elapsed, <=, ms * MSEC);
  }
  g_assert_true (cbr_rate_is_known (&learner.rate));
  g_assert_cmpuint (cbr_rate_get (&learner.rate), ==, 188 * 8 * 1000);
}

static void
feed_frame (CbrLearner *learner, GstClockTime time, guint size, gint64 arrival)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0, size);
  cbr_learner_feed (learner, buffer, time, arrival, 28);
  gst_buffer_unref (buffer);
}

/* Frames in several buffers, all at once: timestamps count. */
static void
test_timestamps (void)
{
  CbrLearner learner;

  cbr_learner_init (&learner, SEC);
  for (guint frame = 0; frame < 100; frame++)
    for (guint part = 0; part < 10; part++)
      feed_frame (&learner, frame * 20 * MSEC, 972, 5);
  g_assert_cmpint (learner.clock, ==, CBR_CLOCK_TIMESTAMPS);
  g_assert_cmpuint (cbr_rate_get (&learner.rate), ==, 10 * 1000 * 8 * 50);
}

/* After a seek the times may be smaller, and no buffer says DISCONT: muxers do not. */
static void
test_timestamps_again (void)
{
  CbrLearner learner;

  cbr_learner_init (&learner, SEC);
  for (guint i = 0; i < 2; i++) {
    for (guint frame = 0; frame < 500; frame++)
      feed_frame (&learner, frame * 20 * MSEC, 972, 5);
    g_assert_cmpint (learner.elapsed, ==, (i + 1) * 499 * 20 * MSEC);
    cbr_learner_flush (&learner);
  }
}

static void
test_arrival (void)
{
  CbrLearner learner;

  cbr_learner_init (&learner, SEC);
  for (guint i = 0; i < 300; i++)
    feed_frame (&learner, GST_CLOCK_TIME_NONE, 972, i * 10 * MSEC);
  g_assert_cmpint (learner.clock, ==, CBR_CLOCK_ARRIVAL);
  g_assert_cmpuint (cbr_rate_get (&learner.rate), ==, 1000 * 8 * 100);
}

/* A file without a clock. */
static void
test_patience (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1 << 20, NULL);
  CbrLearner learner;
  guint n = 0;

  gst_buffer_memset (buffer, 0, 0, 1 << 20);
  cbr_learner_init (&learner, SEC);
  while (!cbr_learner_is_lost (&learner)) {
    cbr_learner_feed (&learner, buffer, GST_CLOCK_TIME_NONE, n * 1000, 28);
    n++;
  }
  g_assert_cmpuint (n, ==, 257);
  gst_buffer_unref (buffer);
}

typedef enum
{
  GOOD,
  STUCK,       /* the same for ever */
  CREEPING,    /* a tick each */
  ANNOUNCED,   /* a discontinuity at each */
  EVERY_OTHER, /* at every other */
  BACKWARDS,
} Kind;

#define BIG (5577 * TS_PACKET) /* 1 MiB */

/* 1 MiB of packets, from @start on, @step long, with a PCR as @kind makes it. */
static GstBuffer *
make_big (gint64 start, gint64 step, Kind kind)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, BIG, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < 5577; i++) {
    guint64 ticks = (guint64) (start + step * i / 5577) * 27 / 1000;
    guint8 *packet = map.data + i * TS_PACKET;

    if (kind == STUCK)
      ticks = 0;
    else if (kind == CREEPING)
      ticks /= 20000;
    else if (kind == BACKWARDS)
      ticks = PCR_WRAP - ticks;
    make_packet (packet, 0x100, i % 20 == 0 ? ticks : G_MAXUINT64,
        kind == ANNOUNCED || (kind == EVERY_OTHER && i % 40 == 0));
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* A clock that is there but never tells a window: 256 MiB, and it is none. One
 * that tells it slowly is one. */
static void
test_broken_clock (void)
{
  static const struct
  {
    const gchar *name;
    gboolean is_ts;
    Kind kind;
    gboolean discont; /* at each buffer */
    gint64 window, step;
    gboolean lost;
  } cases[] = {
    { "stands still", TRUE, STUCK, FALSE, SEC, 250 * MSEC, TRUE },
    { "creeps", TRUE, CREEPING, FALSE, SEC, 250 * MSEC, TRUE },
    { "announced at each", TRUE, ANNOUNCED, FALSE, SEC, 250 * MSEC, TRUE },
    { "at every other", TRUE, EVERY_OTHER, FALSE, SEC, 250 * MSEC, TRUE },
    { "backwards", TRUE, BACKWARDS, FALSE, SEC, 250 * MSEC, TRUE },
    { "buffers", TRUE, GOOD, TRUE, SEC, 250 * MSEC, TRUE },
    { "a window of 400 MiB", TRUE, GOOD, FALSE, 40 * SEC, 100 * MSEC, FALSE },
    { "times far apart", FALSE, GOOD, FALSE, SEC, 11 * SEC, TRUE },
    { "times at buffers", FALSE, GOOD, TRUE, SEC, 250 * MSEC, TRUE },
    { "times stand still", FALSE, STUCK, FALSE, SEC, 250 * MSEC, TRUE },
    { "times of 400 MiB", FALSE, GOOD, FALSE, 40 * SEC, 100 * MSEC, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    CbrLearner learner;
    guint n;

    cbr_learner_init (&learner, cases[i].window);
    for (n = 0; n < 420 && !cbr_learner_is_lost (&learner); n++) {
      GstClockTime time = n * cases[i].step;
      GstBuffer *buffer = make_big (time, cases[i].step, cases[i].kind);

      if (!cases[i].is_ts)
        gst_buffer_memset (buffer, 0, 0, BIG);
      if (cases[i].discont) {
        GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
        cbr_learner_jump (&learner);
      }
      cbr_learner_feed (&learner, buffer,
          cases[i].is_ts             ? GST_CLOCK_TIME_NONE :
              cases[i].kind == STUCK ? 0 :
                                       time,
          0, 0);
      gst_buffer_unref (buffer);
    }
    g_test_message ("%s: %u", cases[i].name, n);
    if (cases[i].lost) {
      g_assert_true (cbr_learner_is_lost (&learner));
      /* one more, that saw a part of a window */
      g_assert_cmpuint (n, <=, 258);
      cbr_learner_flush (&learner);
      g_assert_false (cbr_learner_is_lost (&learner));
    } else {
      g_assert_true (cbr_learner_is_known (&learner));
    }
  }
}

/* A file without a clock behind one that had a PCR, or timestamps: its rate is not known,
 * either. */
static void
test_patience_again (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1 << 20, NULL);

  gst_buffer_memset (buffer, 0, 0, 1 << 20);
  for (guint is_ts = 0; is_ts < 2; is_ts++) {
    CbrLearner learner;
    guint n;

    cbr_learner_init (&learner, SEC);
    for (n = 0; n < 20; n++) {
      GstBuffer *big = make_big (n * 250 * MSEC, 250 * MSEC, GOOD);

      cbr_learner_feed (&learner, is_ts ? big : buffer,
          is_ts ? GST_CLOCK_TIME_NONE : n * 250 * MSEC, 0, 0);
      gst_buffer_unref (big);
    }
    g_assert_true (cbr_learner_is_known (&learner));
    /* rubbish at the end */
    cbr_learner_feed (&learner, buffer, GST_CLOCK_TIME_NONE, 0, 0);
    g_assert_false (cbr_learner_is_unpaced (&learner));
    cbr_learner_jump (&learner);
    g_assert_false (cbr_learner_is_unpaced (&learner));
    for (n = 0; n < 300 && !cbr_learner_is_lost (&learner); n++) {
      cbr_learner_feed (&learner, buffer, GST_CLOCK_TIME_NONE, n * 1000, 28);
      /* what came is more than a second has */
      if (n > 6)
        g_assert_true (cbr_learner_is_unpaced (&learner));
    }
    /* the first packets may still have had a PCR */
    g_assert_cmpuint (n, >=, 254);
    g_assert_cmpuint (n, <=, 258);
  }
  gst_buffer_unref (buffer);
}

/* A clock that stops says nothing more, and the rate stays. */
static void
test_stopped_clock (void)
{
  CbrLearner learner;
  guint64 rate = 0;

  cbr_learner_init (&learner, SEC);
  for (guint n = 0; n < 200; n++) {
    GstBuffer *buffer = make_big (MIN (n, 20) * 100 * MSEC, n < 20 ? 100 * MSEC : 0, GOOD);

    cbr_learner_feed (&learner, buffer, GST_CLOCK_TIME_NONE, 0, 0);
    gst_buffer_unref (buffer);
    if (n == 20)
      rate = cbr_learner_get_rate (&learner, 0, 0);
  }
  g_assert_cmpint (learner.clock, ==, CBR_CLOCK_PCR);
  g_assert_cmpuint (rate, >, 0);
  g_assert_cmpuint (cbr_learner_get_rate (&learner, 0, 0), ==, rate);
}

/* Before anything was learned, a jump leaves nothing behind; after, the old rate
 * until there is a new one, but no less than comes. */
static void
test_jumps (void)
{
  CbrRate rate;

  cbr_rate_init (&rate, SEC);
  cbr_rate_add (&rate, 0, 0);
  cbr_rate_add (&rate, 1000, 188);
  cbr_rate_jump (&rate);
  g_assert_cmpuint (cbr_rate_get (&rate), ==, 0);
  for (guint i = 0; i <= 20; i++)
    cbr_rate_add (&rate, i * 100 * MSEC, i * 12500);
  g_assert_cmpuint (cbr_rate_get (&rate), ==, 1000000);
  for (guint i = 0; i <= 20; i++) {
    cbr_rate_add (&rate, 100 * SEC + i * 100 * MSEC, i * 1250000);
    g_assert_cmpuint (cbr_rate_get (&rate), ==, i == 0 ? 1000000 : MIN (i, 10) * 10000000);
  }
  /* frames further apart than the window */
  cbr_rate_init (&rate, 20 * MSEC);
  for (guint i = 0; i <= 20; i++)
    cbr_rate_add (&rate, i * 40 * MSEC, i * 5000);
  g_assert_cmpuint (cbr_rate_get (&rate), ==, 1000000);
}

/* The window is a window also behind a pause, in which it begins: what came in the pause came
 * steadily, and what came before it does not count. */
static void
test_pause (void)
{
  CbrRate rate;

  cbr_rate_init (&rate, SEC);
  for (guint i = 0; i <= 20; i++)
    cbr_rate_add (&rate, i * 100 * MSEC, i * 12500);
  for (guint i = 0; i <= 20; i++) {
    /* 4 s with 4000 bytes */
    cbr_rate_add (&rate, 6 * SEC + i * 100 * MSEC, 254000 + i * 12500);
    g_assert_cmpuint (cbr_rate_get (&rate), ==, MIN (i, 10) * 100000 + (10 - MIN (i, 10)) * 800);
  }
}

/* What is known stays known, however fine the clock. */
static void
test_fine_clock (void)
{
  static const gint64 steps[] = { 1000, 37037, 78125, 100000, 312500, 1000000 };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    gint64 window = 40 * MSEC;
    CbrRate rate;

    cbr_rate_init (&rate, window);
    for (gint64 t = 0; t < 3 * window; t += steps[i]) {
      cbr_rate_add (&rate, t, t);
      g_assert_cmpint (cbr_rate_is_known (&rate), ==, t >= window);
      if (t >= 2 * window)
        g_assert_cmpuint (cbr_rate_get (&rate), ==, G_GUINT64_CONSTANT (8) * SEC);
    }
  }
}

/* What leaves at the learned rate is never more than what came, and never
 * later than a window, whatever comes. */
static void
test_moving_average (void)
{
  for (guint seed = 0; seed < 20; seed++) {
    GRand *rand = g_rand_new_with_seed (seed);
    guint64 in[20000] = { 0 };
    gdouble out = 0;
    CbrRate rate;

    cbr_rate_init (&rate, SEC);
    for (guint ms = 1; ms < G_N_ELEMENTS (in); ms++) {
      in[ms] = in[ms - 1];
      if (ms % 20 == 0)
        in[ms] += ms % 500 == 0 ? 200000 : g_rand_int_range (rand, 0, 30000);
      cbr_rate_add (&rate, ms * MSEC, in[ms]);
      out += cbr_rate_get (&rate) / 8000.;
      /* points are 8 ms apart */
      g_assert_cmpfloat (out, <=, in[ms] + 1);
      if (ms > 1010)
        g_assert_cmpfloat (out, >=, in[ms - 1010] * .999);
    }
    g_rand_free (rand);
  }
}

/* Whatever is fed, nothing breaks, and a rate is a number. */
static void
test_garbage (void)
{
  for (guint seed = 0; seed < 50; seed++) {
    GRand *rand = g_rand_new_with_seed (seed);
    CbrLearner learner;

    cbr_learner_init (&learner, g_rand_int_range (rand, 1, 1000) * MSEC);
    for (guint i = 0; i < 500; i++) {
      guint size = g_rand_int_range (rand, 1, 2000);
      GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
      GstMapInfo map;

      gst_buffer_map (buffer, &map, GST_MAP_WRITE);
      for (guint j = 0; j < size; j++)
        map.data[j] = g_rand_int_range (rand, 0, 3) ? TS_SYNC : g_rand_int (rand);
      gst_buffer_unmap (buffer, &map);
      if (g_rand_int_range (rand, 0, 50) == 0)
        cbr_learner_jump (&learner);
      cbr_learner_feed (&learner, buffer,
          g_rand_boolean (rand) ? GST_CLOCK_TIME_NONE : g_rand_int (rand), g_rand_int (rand),
          i % 3 ? 28 : 0);
      cbr_rate_get (&learner.rate);
      g_assert_cmpuint (learner.rate.n, <=, CBR_RATE_POINTS + 3);
      gst_buffer_unref (buffer);
    }
    g_rand_free (rand);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/learner/pcr", test_pcr);
  g_test_add_func ("/learner/days", test_days);
  g_test_add_func ("/learner/pcr-jump", test_pcr_jump);
  g_test_add_func ("/learner/pcr-steps", test_pcr_steps);
  g_test_add_func ("/learner/pcr-seeds", test_pcr_seeds);
  g_test_add_func ("/learner/pcr-of-another", test_pcr_of_another);
  g_test_add_func ("/learner/pcr-of-third", test_pcr_of_third);
  g_test_add_func ("/learner/pcr-damaged", test_pcr_damaged);
  g_test_add_func ("/learner/timestamps", test_timestamps);
  g_test_add_func ("/learner/timestamps-again", test_timestamps_again);
  g_test_add_func ("/learner/arrival", test_arrival);
  g_test_add_func ("/learner/patience", test_patience);
  g_test_add_func ("/learner/patience-again", test_patience_again);
  g_test_add_func ("/learner/broken-clock", test_broken_clock);
  g_test_add_func ("/learner/stopped-clock", test_stopped_clock);
  g_test_add_func ("/learner/jumps", test_jumps);
  g_test_add_func ("/learner/pause", test_pause);
  g_test_add_func ("/learner/fine-clock", test_fine_clock);
  g_test_add_func ("/learner/moving-average", test_moving_average);
  g_test_add_func ("/learner/garbage", test_garbage);
  return g_test_run ();
}
