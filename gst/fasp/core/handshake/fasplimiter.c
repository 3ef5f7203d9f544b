/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptokenbucket.h"
#include "faspbytes.h"
#include "faspcrypto.h"
#include "fasplimiter.h"

#define INTERVAL (FASP_SEC / FASP_LIMITER_RATE)
#define UNPROVED_INTERVAL (FASP_SEC / FASP_LIMITER_UNPROVED_RATE)
/* First byte and size of an IPv6 /32 as fasp_address_get_network() writes a /48. */
#define WIDE 7
#define WIDE_SIZE 5

void
fasp_limiter_init (FaspLimiter *limiter, const guint8 secret[16])
{
  memset (limiter, 0, sizeof *limiter);
  memcpy (limiter->secret, secret, sizeof limiter->secret);
}

/* --- networks -------------------------------------------------------------------- */

/* The buckets of a network, or of an IPv6 /32. */
typedef struct
{
  guint64 number;
  guint networks; /* networks as which it counts */
  FaspBucket *rows[FASP_LIMITER_ROWS];
} Buckets;

static void
find (FaspLimiter *limiter, const guint8 network[FASP_NETWORK_SIZE], guint networks,
    Buckets *buckets)
{
  guint8 hash[8 + 2 * FASP_LIMITER_ROWS];
  FaspReader r = { hash, sizeof hash };

  fasp_hmac (limiter->secret, sizeof limiter->secret, "fasp gate 1", network, FASP_NETWORK_SIZE,
      hash, sizeof hash);
  buckets->networks = networks;
  buckets->number = fasp_read_uint (&r, 8);
  for (guint i = 0; i < FASP_LIMITER_ROWS; i++)
    buckets->rows[i] = &limiter->networks[i][fasp_read_uint (&r, 2) % FASP_LIMITER_BUCKETS];
}

static void
find_network (FaspLimiter *limiter, const FaspAddress *address, Buckets *buckets)
{
  guint8 network[FASP_NETWORK_SIZE];

  fasp_address_get_network (address, network);
  find (limiter, network, 1, buckets);
}

/* Finds the buckets of the network and, for an IPv6 address, of its /32; returns their number. */
static guint
find_both (FaspLimiter *limiter, const FaspAddress *address, Buckets both[2])
{
  guint8 network[FASP_NETWORK_SIZE];

  fasp_address_get_network (address, network);
  find (limiter, network, 1, &both[0]);
  if (network[0] == 4)
    return 1;
  network[0] = WIDE;
  memset (network + WIDE_SIZE, 0, FASP_NETWORK_SIZE - WIDE_SIZE);
  find (limiter, network, FASP_LIMITER_WIDE, &both[1]);
  return 2;
}

FaspNetwork
fasp_limiter_get_network (const FaspLimiter *limiter, const FaspAddress *address)
{
  Buckets both[2];
  guint n = find_both ((FaspLimiter *) limiter, address, both);

  return (FaspNetwork) { both[0].number, n > 1 ? MAX (both[1].number, 1) : 0 };
}

/* --- wrong keys ------------------------------------------------------------------- */

static FaspTime
get_full (const Buckets *buckets)
{
  FaspTime full = FASP_NEVER;

  for (guint i = 0; i < FASP_LIMITER_ROWS; i++)
    full = MIN (full, buckets->rows[i]->full);
  return full;
}

static gboolean
has_guess (const Buckets *buckets, FaspTime now)
{
  FaspTime full = get_full (buckets);

  return fasp_token_bucket_take (&full, now, FASP_LIMITER_GUESS_EVERY / buckets->networks,
      FASP_LIMITER_GUESSES * buckets->networks);
}

/* Takes @guesses from the buckets, which may have a debt as large as their burst. */
static void
charge (const Buckets *buckets, FaspTime now, guint guesses)
{
  FaspTime more = guesses * (FASP_LIMITER_GUESS_EVERY / buckets->networks);
  FaspTime full = MIN (MAX (get_full (buckets), now) + more,
      now + 2 * FASP_LIMITER_GUESSES * FASP_LIMITER_GUESS_EVERY);

  for (guint i = 0; i < FASP_LIMITER_ROWS; i++)
    buckets->rows[i]->full = MAX (buckets->rows[i]->full, full);
}

void
fasp_limiter_refused (FaspLimiter *limiter, FaspTime now, const FaspAddress *address,
    gboolean proved)
{
  Buckets both[2];

  if (proved) {
    for (guint n = find_both (limiter, address, both); n > 0; n--)
      charge (&both[n - 1], now, 1);
    return;
  }
  limiter->unproved_full =
      MIN (MAX (limiter->unproved_full, now) + FASP_LIMITER_UNPROVED_REFUSED * UNPROVED_INTERVAL,
          now + 2 * FASP_LIMITER_UNPROVED_RATE * UNPROVED_INTERVAL);
}

void
fasp_limiter_owe (FaspBucket *bucket)
{
  g_atomic_int_inc (&bucket->owed);
}

/* --- handshakes ------------------------------------------------------------------- */

FaspTime
fasp_limiter_get_quiet (const FaspLimiter *limiter, FaspTime now)
{
  gint64 taken = (MAX (limiter->full - now, 0) + INTERVAL - 1) / INTERVAL;

  if (taken < FASP_LIMITER_CALM)
    return 0;
  return taken < FASP_LIMITER_BURST ?
      FASP_LIMITER_QUIET << ((taken - FASP_LIMITER_CALM) / FASP_LIMITER_STEP) :
      FASP_NEVER;
}

static gboolean
is_quiet (const Buckets *buckets, FaspTime now, FaspTime quiet)
{
  FaspTime called = FASP_NEVER;

  for (guint i = 0; i < FASP_LIMITER_ROWS; i++)
    called = MIN (called, buckets->rows[i]->called);
  return called == 0 || now - called >= quiet / buckets->networks;
}

static gboolean
take_proved (FaspLimiter *limiter, FaspTime now, const FaspAddress *address)
{
  FaspTime quiet = fasp_limiter_get_quiet (limiter, now);
  guint owed, n;
  Buckets both[2];

  if (quiet == FASP_NEVER)
    return FALSE;
  n = find_both (limiter, address, both);
  owed = g_atomic_int_and (&both[0].rows[0]->owed, 0);
  for (guint i = 0; i < n && owed > 0; i++)
    charge (&both[i], now, owed);
  if (g_atomic_int_get (&both[0].rows[0]->half) >= FASP_LIMITER_HALF_MAX)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!has_guess (&both[i], now) || !is_quiet (&both[i], now, quiet))
      return FALSE;
  for (guint i = 0; i < n; i++)
    for (guint row = 0; row < FASP_LIMITER_ROWS; row++)
      both[i].rows[row]->called = MAX (now, 1);
  return fasp_token_bucket_take (&limiter->full, now, INTERVAL, FASP_LIMITER_BURST);
}

gboolean
fasp_limiter_take (FaspLimiter *limiter, FaspTime now, const FaspAddress *address, gboolean proved)
{
  if (proved)
    return take_proved (limiter, now, address);
  /* an unproved address may be forged, so its network does not count as quiet */
  return fasp_limiter_get_quiet (limiter, now) == 0
      && fasp_token_bucket_take (&limiter->unproved_full, now, UNPROVED_INTERVAL,
          FASP_LIMITER_UNPROVED_RATE)
      && fasp_token_bucket_take (&limiter->full, now, INTERVAL, FASP_LIMITER_BURST);
}

/* --- half-open sessions ------------------------------------------------------------ */

FaspBucket *
fasp_limiter_enter (FaspLimiter *limiter, const FaspAddress *address)
{
  Buckets buckets;

  find_network (limiter, address, &buckets);
  g_atomic_int_inc (&limiter->half);
  g_atomic_int_inc (&buckets.rows[0]->half);
  return buckets.rows[0];
}

void
fasp_limiter_leave (FaspLimiter *limiter, FaspBucket *bucket)
{
  g_atomic_int_add (&limiter->half, -1);
  g_atomic_int_add (&bucket->half, -1);
}

guint
fasp_limiter_count_half (FaspLimiter *limiter)
{
  return g_atomic_int_get (&limiter->half);
}
