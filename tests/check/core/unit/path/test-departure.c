/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A host that holds its thread up, at any point between the making of datagrams and
 * their leaving, and many paces.
 */
#include "faspdeparture.h"
#include "fasppacer.h"

#define PACES 50
#define RATE 6250000 /* bit/s */
#define SIZE 1428    /* bytes of a datagram */
#define BATCH 64
#define SAME_TIME 8 /* datagrams between two looks at the clock */

typedef struct
{
  FaspPacer pacer;
  guint64 owed; /* bytes of stream to be sent */
  /* as it leaves */
  FaspTime last;
  gdouble ahead, most; /* bytes, of the rate */
} Pace;

typedef struct
{
  GRand *dice;
  FaspTime now;
  Pace paces[PACES];
  FaspDeparture departure;
  guint batch[BATCH], n;
} Host;

/* Some time goes by; now and then much, as others are the machine's. */
static void
work (Host *host)
{
  host->now += g_rand_int_range (host->dice, 1, 8);
  if (g_rand_int_range (host->dice, 0, 1000) == 0)
    host->now += g_rand_int_range (host->dice, 100, 8000);
}

static gboolean
make (Host *host, Pace *pace, FaspTime now)
{
  if (pace->owed < SIZE || fasp_pacer_get_time (&pace->pacer, now, SIZE) > now)
    return FALSE;
  fasp_pacer_sent (&pace->pacer, now, SIZE);
  pace->owed -= SIZE;
  fasp_departure_made (&host->departure, now);
  host->batch[host->n++] = pace - host->paces;
  work (host);
  return TRUE;
}

/* FALSE: there is no more. */
static gboolean
make_batch (Host *host)
{
  FaspTime now = 0;
  guint made = 0;

  for (guint i = 0; i < PACES; i++)
    for (;;) {
      if (made % SAME_TIME == 0)
        now = host->now;
      if (host->n == BATCH || !fasp_departure_takes (&host->departure, now))
        return TRUE;
      if (!make (host, &host->paces[i], now))
        break;
      made++;
    }
  return FALSE;
}

static void
leave (Host *host)
{
  FaspTime from;

  for (guint i = 0; i < host->n; i++) {
    Pace *pace = &host->paces[host->batch[i]];

    work (host);
    pace->ahead = MAX (0, pace->ahead - (host->now - pace->last) * (RATE / 8e6));
    pace->ahead += SIZE;
    pace->most = MAX (pace->most, pace->ahead);
    pace->last = host->now;
  }
  host->n = 0;
  if (fasp_departure_left (&host->departure, host->now, &from))
    for (guint i = 0; i < PACES; i++)
      fasp_pacer_late (&host->paces[i].pacer, from, host->now);
}

static void
test_bursts (void)
{
  Host host = { .dice = g_rand_new_with_seed (7), .now = FASP_SEC };
  guint32 burst = fasp_pacer_choose_burst (RATE, 50 * PACES);
  FaspTime written = host.now;

  for (guint i = 0; i < PACES; i++)
    fasp_pacer_init (&host.paces[i].pacer, RATE, burst);
  while (host.now < 60 * FASP_SEC) {
    /* a stream of four fifths of the rate */
    for (guint i = 0; i < PACES; i++)
      host.paces[i].owed += (host.now - written) * (RATE / 10000000.);
    written = host.now;
    while (make_batch (&host))
      leave (&host);
    leave (&host);
    host.now += 300;
  }
  for (guint i = 0; i < PACES; i++) {
    g_assert_cmpfloat (host.paces[i].most, <=, burst + RATE / 8e6 * FASP_DEPARTURE_LATE);
    /* and as good as nothing is left behind */
    g_assert_cmpuint (host.paces[i].owed, <, 30000);
  }
  g_rand_free (host.dice);
}

/* Nothing was made: nobody is late. */
static void
test_nothing (void)
{
  FaspDeparture departure = { FALSE };
  FaspTime from;

  g_assert_true (fasp_departure_takes (&departure, FASP_SEC));
  g_assert_false (fasp_departure_left (&departure, FASP_SEC, &from));
  fasp_departure_made (&departure, FASP_SEC);
  fasp_departure_made (&departure, FASP_SEC + 200);
  g_assert_true (fasp_departure_takes (&departure, FASP_SEC + 299));
  g_assert_false (fasp_departure_takes (&departure, FASP_SEC + 300));
  g_assert_true (fasp_departure_left (&departure, FASP_SEC + 300, &from));
  g_assert_cmpint (from, ==, FASP_SEC);
  g_assert_false (fasp_departure_left (&departure, 2 * FASP_SEC, &from));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/departure/bursts", test_bursts);
  g_test_add_func ("/departure/nothing", test_nothing);
  return g_test_run ();
}
