/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppmtu.h"

/* The longest wait between two tests whether the path carries anything. */
#define PROBE_TIMEOUT_MAX FASP_SEC

static void
set_candidates (FaspPmtu *pmtu, guint8 overhead, guint16 limit)
{
  static const guint16 packets[FASP_PMTU_CANDIDATES] = { 1280, 1380, 1400, 1420, 1450, 1480, 1492,
    1500, 4096, 8192, 9000 };

  pmtu->n_candidates = 0;
  for (guint i = 0; i < FASP_PMTU_CANDIDATES; i++) {
    guint16 size = packets[i] - overhead;

    if (size > FASP_PMTU_BASE && size <= limit)
      pmtu->candidates[pmtu->n_candidates++] = size;
  }
}

static void
search (FaspPmtu *pmtu, FaspTime now)
{
  pmtu->searching = TRUE;
  pmtu->confirming = pmtu->widened = pmtu->suspected = FALSE;
  pmtu->tries = 0;
  pmtu->next_probe = 0;
  pmtu->expected = 0;
  pmtu->tried = FALSE;
  pmtu->next_time = now;
}

static void
rest (FaspPmtu *pmtu, FaspTime now)
{
  pmtu->searching = pmtu->confirming = pmtu->suspected = FALSE;
  pmtu->tries = 0;
  pmtu->next_probe = 0;
  pmtu->next_time = now + FASP_PMTU_CONFIRM;
  if (pmtu->widened)
    search (pmtu, now);
}

void
fasp_pmtu_init (FaspPmtu *pmtu, FaspTime now, guint8 overhead, guint16 limit)
{
  *pmtu = (FaspPmtu) { .size = FASP_PMTU_BASE, .limit = limit };
  set_candidates (pmtu, overhead, limit);
  search (pmtu, now);
}

void
fasp_pmtu_set_limit (FaspPmtu *pmtu, FaspTime now, guint8 overhead, guint16 limit)
{
  gboolean grew = limit > pmtu->limit;

  if (limit == pmtu->limit)
    return;
  pmtu->limit = limit;
  set_candidates (pmtu, overhead, limit);
  pmtu->widened = grew && pmtu->confirming;
  if (grew && !pmtu->confirming) {
    search (pmtu, now);
  } else if (pmtu->size > limit) {
    pmtu->size = pmtu->n_candidates > 0 ? pmtu->candidates[pmtu->n_candidates - 1] : FASP_PMTU_BASE;
    rest (pmtu, now);
  }
}

guint16
fasp_pmtu_get_largest (const FaspPmtu *pmtu)
{
  return pmtu->searching ? pmtu->limit : pmtu->size;
}

void
fasp_pmtu_restart (FaspPmtu *pmtu, FaspTime now, guint8 overhead)
{
  fasp_pmtu_init (pmtu, now, overhead, pmtu->limit);
}

static gboolean
is_candidate (const FaspPmtu *pmtu, guint16 size)
{
  for (guint i = 0; i < pmtu->n_candidates; i++)
    if (pmtu->candidates[i] == size)
      return TRUE;
  return FALSE;
}

FaspTime
fasp_pmtu_get_timeout (const FaspPmtu *pmtu)
{
  return pmtu->next_time;
}

/* Has this search sent no probe yet? */
static gboolean
is_new (const FaspPmtu *pmtu)
{
  return pmtu->searching && pmtu->tries == 0 && pmtu->next_probe == 0;
}

void
fasp_pmtu_expect (FaspPmtu *pmtu, guint16 size)
{
  if (!is_new (pmtu))
    return;
  for (guint i = 0; i < pmtu->n_candidates; i++)
    if (pmtu->candidates[i] <= size)
      pmtu->expected = pmtu->candidates[i];
}

static guint16
poll_search (FaspPmtu *pmtu, FaspTime now, FaspTime rtt_timeout)
{
  if (is_new (pmtu) && pmtu->expected > pmtu->size && !pmtu->tried) {
    pmtu->tried = TRUE;
    pmtu->next_time = now + rtt_timeout;
    return pmtu->expected;
  }
  /* smallest first: a full queue then drops the largest, which are least likely to pass */
  while (pmtu->next_probe < pmtu->n_candidates) {
    guint16 size = pmtu->candidates[pmtu->next_probe++];

    if (size > pmtu->size)
      return size;
  }
  if (++pmtu->tries >= FASP_PMTU_TRIES || pmtu->n_candidates == 0
      || pmtu->size == pmtu->candidates[pmtu->n_candidates - 1]) {
    rest (pmtu, now);
    return 0;
  }
  pmtu->next_probe = 0;
  pmtu->next_time = now + rtt_timeout;
  return 0;
}

static guint16
poll_confirm (FaspPmtu *pmtu, FaspTime now, FaspTime rtt_timeout)
{
  if (pmtu->tries >= FASP_PMTU_TRIES) {
    /* a black hole: the path no longer carries the size in use */
    pmtu->size = MAX (pmtu->passed, FASP_PMTU_BASE);
    search (pmtu, now);
    return poll_search (pmtu, now, rtt_timeout);
  }
  if (pmtu->tries++ == 0)
    pmtu->passed = 0;
  pmtu->next_time = now + rtt_timeout;
  return pmtu->size;
}

guint16
fasp_pmtu_poll (FaspPmtu *pmtu, FaspTime now, FaspTime rtt_timeout, gboolean passes)
{
  if (now < pmtu->next_time)
    return 0;
  if (pmtu->tries > 0 && pmtu->next_probe == 0 && !passes) {
    pmtu->probe_timeout = MAX (MIN (2 * pmtu->probe_timeout, PROBE_TIMEOUT_MAX), rtt_timeout);
    pmtu->next_time = now + pmtu->probe_timeout;
    return 0;
  }
  pmtu->probe_timeout = 0;
  if (pmtu->searching)
    return poll_search (pmtu, now, rtt_timeout);
  if (pmtu->size == FASP_PMTU_BASE) {
    search (pmtu, now); /* nothing to confirm; the path may carry more now */
    return poll_search (pmtu, now, rtt_timeout);
  }
  pmtu->confirming = TRUE;
  return poll_confirm (pmtu, now, rtt_timeout);
}

gboolean
fasp_pmtu_postpone (FaspPmtu *pmtu, FaspTime now)
{
  if (pmtu->size > FASP_PMTU_BASE)
    return FALSE;
  pmtu->next_time = now + FASP_PMTU_POSTPONED;
  return TRUE;
}

gboolean
fasp_pmtu_will_do (FaspPmtu *pmtu, FaspTime now)
{
  /* a size that is not a candidate comes from data that arrived: the path may carry more */
  if (now < pmtu->next_time || pmtu->searching || pmtu->confirming || pmtu->suspected
      || !is_candidate (pmtu, pmtu->size))
    return FALSE;
  rest (pmtu, now);
  return TRUE;
}

void
fasp_pmtu_answered (FaspPmtu *pmtu, FaspTime now, guint16 size)
{
  if (pmtu->confirming && size >= pmtu->size) {
    /* a size that is not a candidate comes from data that arrived: the path may carry more */
    if (is_candidate (pmtu, pmtu->size))
      rest (pmtu, now);
    else
      search (pmtu, now);
  }
  if (size <= pmtu->size)
    return;
  for (guint i = 0; i < pmtu->n_candidates; i++)
    if (pmtu->candidates[i] == size) {
      pmtu->size = size;
      if (i + 1 == pmtu->n_candidates)
        rest (pmtu, now);
      else if (is_new (pmtu))
        pmtu->next_time = now; /* the expected size passes: search above it */
      return;
    }
}

void
fasp_pmtu_passed (FaspPmtu *pmtu, FaspTime now, guint16 size)
{
  if (!pmtu->confirming)
    return;
  pmtu->passed = MIN (MAX (pmtu->passed, size), pmtu->size);
  if (pmtu->passed == pmtu->size)
    rest (pmtu, now);
}

void
fasp_pmtu_suspect (FaspPmtu *pmtu, FaspTime now)
{
  if (!pmtu->searching && !pmtu->confirming && pmtu->size > FASP_PMTU_BASE
      && now >= pmtu->suspect_after) {
    pmtu->suspect_after = now + FASP_SEC;
    pmtu->suspected = TRUE;
    pmtu->next_time = now;
  }
}
