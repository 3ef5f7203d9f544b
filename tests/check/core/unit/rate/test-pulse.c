/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a pulse tells of a path, whatever the hosts at its ends do meanwhile.
 */
#include "fasppulse.h"

#define PACKET 1250 /* bytes */
#define LENGTH (20 * FASP_MSEC)

typedef struct
{
  gdouble pace, link;       /* Mbit/s */
  FaspTime pause_at, pause; /* the sender's host stops for that long */
  FaspTime hold_at, hold;   /* and so does the receiver's */
  gdouble left, arrived;    /* what is to be found, Mbit/s */
} Case;

static FaspPulseRates
measure (const Case *c, gboolean strong, gdouble loss)
{
  FaspPulse pulse = { 0 };
  FaspTime sent = 0, free_at = 0;

  for (guint i = 0; sent < LENGTH; i++) {
    FaspRateSample sample = { .bytes = i * PACKET };
    FaspTime came;

    sample.sent = sent;
    if (c->pause > 0 && sent >= c->pause_at)
      sample.sent += c->pause;
    free_at = MAX (free_at, sample.sent) + PACKET * 8 / c->link;
    came = free_at;
    if (came >= c->hold_at && came < c->hold_at + c->hold)
      came = c->hold_at + c->hold;
    sample.arrived = came;
    fasp_pulse_add (&pulse, &sample, came - sample.sent, loss);
    sent += PACKET * 8 / c->pace;
  }
  return fasp_pulse_measure (&pulse, c->pace * 1e6, strong);
}

static void
assert_near (gdouble found, gdouble mbit, gdouble by)
{
  g_assert_cmpfloat_with_epsilon (found / 1e6, mbit, mbit * by);
}

/* Into a link of 100 Mbit/s at 125. */
static void
test_hosts (void)
{
  static const Case cases[] = {
    { 125, 100, 0, 0, 0, 0, 125, 100 },
    /* there is room */
    { 125, 200, 0, 0, 0, 0, 125, 125 },
    /* a pause, of the host or of the source, in which the queue vanishes, one in which it does not,
       and one at the very end */
    { 125, 100, 6000, 8000, 0, 0, 125, 100 },
    { 125, 100, 12000, 2000, 0, 0, 125, 100 },
    { 125, 100, 19900, 8000, 0, 0, 125, 100 },
    { 125, 200, 6000, 8000, 0, 0, 125, 125 },
    /* packets that are held: at once, later, and for nearly half of the time */
    { 125, 100, 0, 0, 0, 3000, 125, 100 },
    { 125, 100, 0, 0, 9000, 3000, 125, 100 },
    { 125, 100, 0, 0, 3000, 9000, 125, 100 },
    /* and both */
    { 125, 100, 10000, 5000, 2000, 3000, 125, 100 },
    /* a path that has become much slower */
    { 125, 20, 0, 0, 0, 0, 125, 20 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case *c = &cases[i];
    FaspPulseRates rates = measure (c, FALSE, .1);

    g_test_message ("%u: %.1f, %.1f", i, rates.left / 1e6, rates.arrived / 1e6);
    assert_near (rates.left, c->left, .01);
    assert_near (rates.arrived, c->arrived, .05);
    assert_near (rates.delivered, .9 * c->arrived, .05);
  }
}

/* A delay that falls for more than half of the pulse is no hold, and nothing is left out of a
 * strong one. */
static void
test_falls (void)
{
  const Case most = { 125, 1000, 0, 0, 0, 14000 }, some = { 125, 1000, 0, 0, 0, 6000 };

  g_assert_cmpfloat (measure (&most, FALSE, 0).arrived, >, 180e6);
  assert_near (measure (&some, FALSE, 0).arrived, 125, .01);
  g_assert_cmpfloat (measure (&some, TRUE, 0).arrived, >, 160e6);
}

/* Bursts as a pacer makes them, of four packets: they come to the queue unevenly, and leave it
 * evenly. */
static void
test_bursts (void)
{
  for (guint link = 80; link <= 200; link += 40) {
    FaspPulse pulse = { 0 };
    FaspTime free_at = 0;

    for (guint i = 0; i < 96; i++) {
      FaspRateSample sample = { .sent = i / 4 * 4 * 80, .bytes = i * PACKET };

      free_at = MAX (free_at, sample.sent) + PACKET * 8 / link;
      fasp_pulse_add (&pulse, &sample, free_at - sample.sent, 0);
    }
    assert_near (fasp_pulse_measure (&pulse, 125e6, FALSE).arrived, MIN (link, 125), .02);
  }
}

static void
test_short (void)
{
  FaspPulse pulse = { 0 };
  FaspPulseRates rates = fasp_pulse_measure (&pulse, 1e6, FALSE);
  FaspRateSample sample = { 0 };

  g_assert_cmpfloat (rates.left, ==, 0);
  g_assert_cmpfloat (rates.arrived, ==, 0);
  for (guint i = 0; i < 3; i++) {
    sample = (FaspRateSample) { i * 1900, i * 1900, i * PACKET };
    fasp_pulse_add (&pulse, &sample, 0, 0);
    rates = fasp_pulse_measure (&pulse, PACKET * 8e6 / 1900, FALSE);
    g_assert_cmpfloat (rates.delivered, ==, 0);
  }
  assert_near (rates.left, PACKET * 8 / 1900., .01);
}

/* What is one packet after the other, and what flows bring one after the other; and of many,
 * some. */
static void
test_order (void)
{
  for (guint n = 20; n <= 20000; n *= 10) {
    FaspPulse pulse = { 0 };

    for (guint flow = 0; flow < 4; flow++)
      for (guint i = flow; i < n; i += 4) {
        FaspRateSample sample = { .sent = (gint64) i * 800000 / n, .bytes = (guint64) i * 10000 };

        sample.arrived = sample.sent * 5 / 4;
        fasp_pulse_add (&pulse, &sample, sample.arrived - sample.sent, 0);
      }
    g_assert_cmpuint (pulse.n, <=, FASP_PULSE_POINTS);
    g_assert_cmpuint (pulse.n, >=, MIN (n, FASP_PULSE_POINTS / 2));
    assert_near (fasp_pulse_measure (&pulse, n * 1e5, FALSE).left, n / 10., .01);
    assert_near (fasp_pulse_measure (&pulse, n * 1e5, FALSE).arrived, n / 12.5, .01);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pulse/hosts", test_hosts);
  g_test_add_func ("/pulse/falls", test_falls);
  g_test_add_func ("/pulse/bursts", test_bursts);
  g_test_add_func ("/pulse/short", test_short);
  g_test_add_func ("/pulse/order", test_order);
  return g_test_run ();
}
