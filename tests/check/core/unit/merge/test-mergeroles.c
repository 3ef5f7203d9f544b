/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which source leads, which of them send, and how long a loss waits.
 */
#include "faspmergeprivate.h"
#include "made.h"

#define PROVEN 64 /* blocks, 64 KiB, after which a source is trusted */

static FaspOtherSources
get (const Made *m, guint i)
{
  return fasp_merge_get_other_sources (m->merge, i);
}

/* A loss waits for as long as the others are slower and 5 ms, if a retransmission is still in time
 * after that. */
static void
test_recovery_time (void)
{
  static const struct
  {
    FaspTime slower, latency, rtt, recovery_time; /* ms */
  } table[] = {
    { 0, 400, 50, 5 },
    { 30, 400, 50, 35 },
    { 200, 400, 50, 150 },
    { 30, 400, 180, 20 },
    { 30, 400, 300, 0 },
    { 30, 0, 50, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

    m->delays[1] = m->delays[0] + table[i].slower * FASP_MSEC;
    g_assert_cmpint (get (m, 0).recovery_time, ==, 0);
    made_run (m, 0, 1, 0, 2 * PROVEN);
    m->states[0].latency = table[i].latency * FASP_MSEC;
    m->states[0].rtt = table[i].rtt * FASP_MSEC;
    made_decide (m);
    g_assert_cmpint (get (m, 0).recovery_time, ==, table[i].recovery_time * FASP_MSEC);
    /* nobody else may bring anything */
    m->states[1].is_connected = FALSE;
    made_decide (m);
    g_assert_cmpint (get (m, 0).recovery_time, ==, 0);
  }
}

/* What the reader has is said to all, as soon as it is known. */
static void
test_has (void)
{
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_STANDBY, 2);

  g_assert_false (get (m, 0).has.known);
  g_assert_false (get (m, 0).stands_by);
  made_arrive (m, 0, 0);
  for (guint i = 0; i < 2; i++) {
    FaspOtherSources others = get (m, i);

    g_assert_cmpint (others.has.known, ==, i == 0);
    if (others.has.known)
      g_assert_cmpuint (others.has.offset, ==, MADE_SIZE);
  }
}

/* Another one leads when the leader is gone; the one that is trusted, then the nearest. */
static void
test_leader_gone (void)
{
  for (guint nearest = 1; nearest <= 2; nearest++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 3);

    m->states[nearest].rtt /= 2;
    for (guint64 k = 0; k < 2 * PROVEN; k++)
      for (guint i = 0; i < 3; i++)
        made_arrive (m, i, k);
    m->states[0].is_connected = FALSE;
    made_decide (m);
    g_assert_cmpuint (m->events[FASP_MERGE_LEADS][nearest], ==, 1);
    g_assert_cmpuint (m->events[FASP_MERGE_LEADS][3 - nearest], ==, 0);
  }
}

/* Time passes to the next timeout, again and again: nobody is woken for nothing.  Returns how
 * often. */
static guint
sleep_until (Made *m, FaspTime until)
{
  guint times = 0;

  for (; m->now < until; times++) {
    FaspTime timeout = fasp_merge_get_timeout (m->merge, m->now);

    /* something happened just now, and is done with then */
    m->now = timeout > m->now ? MIN (timeout, until) : m->now;
    for (guint i = 0; i < m->n; i++)
      fasp_merge_set_state (m->merge, m->now, i, &m->states[i]);
    fasp_merge_decide (m->merge, m->now);
    made_take (m);
    g_assert_cmpuint (times, <, 100);
  }
  return times;
}

/* A standby is not to send once it has shown that it has the stream; it is asked when the leader is
 * silent, leads when it brought what the leader did not, and nobody spins meanwhile, however many
 * others stand by. */
static void
test_standby (void)
{
  FaspTime silent;
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_STANDBY, 3);

  for (guint64 k = 0; k < 2 * PROVEN; k++)
    for (guint i = 0; i < 3; i++)
      made_arrive (m, i, k);
  g_assert_false (get (m, 0).stands_by);
  g_assert_true (get (m, 1).stands_by);
  g_assert_true (get (m, 2).stands_by);
  silent = m->now;
  /* the others are heard now and then, the leader is not */
  sleep_until (m, silent + FASP_SEC);
  g_assert_cmpuint (m->events[FASP_MERGE_HELPS][1] + m->events[FASP_MERGE_HELPS][2], ==, 1);
  g_assert_cmpuint (get (m, 1).stands_by + get (m, 2).stands_by, ==, 1);
  /* the stream rests: nobody brings anything */
  sleep_until (m, silent + 10 * FASP_SEC);
  g_assert_cmpuint (m->events[FASP_MERGE_LEADS][1] + m->events[FASP_MERGE_LEADS][2], ==, 0);
  /* the helper brings what the leader does not */
  for (guint64 k = 2 * PROVEN; k < 2 * PROVEN + 10; k++) {
    guint helper = get (m, 1).stands_by ? 2 : 1;

    made_bring_block (m, helper, k);
    made_take (m);
    sleep_until (m, m->now + MADE_GAP);
  }
  g_assert_cmpuint (m->next, ==, (2 * PROVEN + 10) * MADE_SIZE);
  g_assert_cmpuint (m->events[FASP_MERGE_LEADS][1] + m->events[FASP_MERGE_LEADS][2], ==, 1);
  g_assert_cmpuint (m->discontinuities, ==, 0);
}

/* --- roles ------------------------------------------------------------------------- */

typedef gboolean Seen[FASP_SOURCE_ACTIVE + 1][FASP_SOURCE_ACTIVE + 1];

static FaspSourceRole
get_role (const Made *m, guint i)
{
  return m->merge->sources[i].role;
}

/* Source @i has changed from @from to @to, which is its role now. */
static void
note (Seen seen, const Made *m, guint i, FaspSourceRole from, FaspSourceRole to)
{
  g_assert_cmpint (get_role (m, i), ==, to);
  /* when another source leads, the leader may at once be given something else to do */
  if (from == FASP_SOURCE_ACTIVE && to != FASP_SOURCE_IDLE) {
    seen[from][FASP_SOURCE_SENDING] = TRUE;
    from = FASP_SOURCE_SENDING;
  }
  seen[from][to] = TRUE;
}

/* Source @i has another session; 0: none. */
static void
set_session (Seen seen, Made *m, guint i, guint32 session)
{
  FaspSourceRole before = get_role (m, i);

  m->states[i].session = session;
  m->states[i].is_connected = session != 0;
  made_decide (m);
  note (seen, m, i, before, session != 0 ? FASP_SOURCE_SENDING : FASP_SOURCE_IDLE);
}

/* All sources bring blocks [k, k + n), those that are to. */
static void
bring (Made *m, guint64 *k, guint n)
{
  for (guint64 end = *k + n; *k < end; ++*k)
    for (guint i = 0; i < m->n; i++)
      if (m->states[i].session != 0 && !get (m, i).stands_by)
        made_arrive (m, i, *k);
}

/* The leader brings nothing until another source is asked.  Returns that one. */
static guint
fail_leader (Seen seen, Made *m)
{
  guint i = 0;

  sleep_until (m, m->now + FASP_SEC);
  while (get_role (m, i) != FASP_SOURCE_BACKUP)
    g_assert_cmpuint (++i, <, m->n);
  note (seen, m, i, FASP_SOURCE_STANDBY, FASP_SOURCE_BACKUP);
  return i;
}

/* Each change of role is made to happen; no other one is allowed. */
static void
test_roles (void)
{
  Seen seen = { 0 };
  guint64 k = 0;
  guint backup;
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_STANDBY, 3);

  for (guint i = 0; i < 3; i++)
    note (seen, m, i, FASP_SOURCE_IDLE, FASP_SOURCE_SENDING);
  bring (m, &k, 1);
  note (seen, m, 0, FASP_SOURCE_SENDING, FASP_SOURCE_ACTIVE);
  bring (m, &k, 2 * PROVEN);
  note (seen, m, 1, FASP_SOURCE_SENDING, FASP_SOURCE_STANDBY);
  backup = fail_leader (seen, m);
  bring (m, &k, 3 * FASP_SEC / MADE_GAP);
  note (seen, m, backup, FASP_SOURCE_BACKUP, FASP_SOURCE_STANDBY);

  g_assert_true (fasp_merge_prefer (m->merge, m->now, 1));
  note (seen, m, 1, FASP_SOURCE_STANDBY, FASP_SOURCE_ACTIVE);
  note (seen, m, 0, FASP_SOURCE_ACTIVE, FASP_SOURCE_BACKUP);
  g_assert_true (fasp_merge_prefer (m->merge, m->now, 0));
  note (seen, m, 0, FASP_SOURCE_BACKUP, FASP_SOURCE_ACTIVE);
  bring (m, &k, 3 * FASP_SEC / MADE_GAP);
  g_assert_cmpint (get_role (m, 0), ==, FASP_SOURCE_ACTIVE);

  set_session (seen, m, 2, 10);
  set_session (seen, m, 2, 11);
  set_session (seen, m, 2, 0);
  set_session (seen, m, 1, 0);
  set_session (seen, m, 1, 12);
  bring (m, &k, 2 * PROVEN);
  g_assert_cmpuint (fail_leader (seen, m), ==, 1);
  set_session (seen, m, 1, 13);
  bring (m, &k, 2 * PROVEN);
  g_assert_cmpuint (fail_leader (seen, m), ==, 1);
  set_session (seen, m, 1, 0);

  /* what it brought is left to be read, and so is the other one's */
  m->states[1].is_connected = TRUE;
  m->states[0] = (FaspSourceState) { 0 };
  made_decide (m);
  note (seen, m, 1, FASP_SOURCE_IDLE, FASP_SOURCE_ACTIVE);
  note (seen, m, 0, FASP_SOURCE_ACTIVE, FASP_SOURCE_IDLE);

  for (guint from = 0; from <= FASP_SOURCE_ACTIVE; from++)
    for (guint to = 0; to <= FASP_SOURCE_ACTIVE; to++) {
      FaspSource source = { .role = from };

      g_assert_cmpint (fasp_merge_may_become (from, to), ==, seen[from][to]);
      if (!seen[from][to])
        g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_CRITICAL, "*may_become*");
      fasp_merge_become (&source, to);
      g_test_assert_expected_messages ();
      g_assert_cmpint (source.role, ==, seen[from][to] ? to : from);
    }
}

/* A standby that leads because the leader is gone first brings what was written while it stood by:
 * that is late, and not its fault. */
static void
test_standby_leads (void)
{
  guint64 k = 0, first;
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_STANDBY, 2);

  for (guint i = 0; i < 2; i++)
    m->states[i].latency = 100 * FASP_MSEC;
  bring (m, &k, 2 * PROVEN);
  g_assert_true (get (m, 1).stands_by);
  m->states[0].is_connected = FALSE;
  made_decide (m);
  g_assert_cmpuint (m->events[FASP_MERGE_LEADS][1], ==, 1);
  first = get (m, 1).has.offset / MADE_SIZE;
  g_assert_cmpuint (first, <, k);
  m->now += MADE_RTT;
  for (guint64 i = first; i < k; i++) {
    m->delays[1] = m->now - MADE_START - (gint64) i * MADE_GAP;
    g_assert_true (made_bring_block (m, 1, i));
  }
  g_assert_cmpuint (m->events[FASP_MERGE_LEFT][1], ==, 0);
}

/* A source whose session has ended counts as connected while something of it is left to be read. It
 * cannot help: another one does, though it is less good by its round trip. */
static void
test_gone_cannot_help (void)
{
  const guint few = 50; /* blocks of the leader for one of the others, which so stay unproven */
  guint64 k = 0;
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_STANDBY, 3);

  for (; k < 6 * FASP_SEC / MADE_GAP; k++) {
    made_arrive (m, 0, k);
    if (k % few == 0) {
      made_arrive (m, 1, k);
      made_arrive (m, 2, k);
    }
  }
  g_assert_true (get (m, 1).stands_by && get (m, 2).stands_by);
  g_assert_false (made_is_trusted (m, 1) || made_is_trusted (m, 2));
  m->states[2].session = 0;
  m->states[2].rtt = MADE_RTT / 2;
  made_decide (m);
  sleep_until (m, m->now + FASP_SEC);
  g_assert_cmpuint (m->events[FASP_MERGE_HELPS][1], ==, 1);
  g_assert_cmpuint (m->events[FASP_MERGE_HELPS][2], ==, 0);
}

/* A leader whose session has ended counts as connected while something of it is left to be read. It
 * is not asked for anything when another source leads. */
static void
test_gone_unread (void)
{
  guint64 k = 0;
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_STANDBY, 2);

  m->states[1] = (FaspSourceState) { 0 };
  made_decide (m);
  bring (m, &k, PROVEN);
  m->states[0].session = 0;
  made_decide (m);
  made_arrive (m, 0, k);
  m->states[1] = (FaspSourceState) { TRUE, 7, m->now, MADE_RTT, MADE_LATENCY };
  made_decide (m);
  made_arrive (m, 1, k);
  g_assert_true (made_is_trusted (m, 0));
  g_assert_true (fasp_merge_prefer (m->merge, m->now, 1));
  g_assert_cmpint (get_role (m, 1), ==, FASP_SOURCE_ACTIVE);
  g_assert_cmpint (get_role (m, 0), ==, FASP_SOURCE_IDLE);
  made_decide (m);
  g_assert_cmpuint (m->events[FASP_MERGE_HELPS][0], ==, 0);
}

/* One that comes too late is left, and does not set the play time; it is back when it has been good
 * for 10 s. */
static void
test_left (void)
{
  FaspTime delay;
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);

  made_run (m, 0, 1, 0, 2 * PROVEN);
  delay = m->delay;
  m->delays[1] += 350 * FASP_MSEC;
  made_run (m, 0, 1, 2 * PROVEN, 4 * PROVEN);
  g_assert_cmpuint (m->events[FASP_MERGE_LEFT][1], ==, 1);
  g_assert_cmpint (m->delay - delay, <, 2 * FASP_MSEC);
  m->delays[1] -= 350 * FASP_MSEC;
  made_run (m, 0, 1, 4 * PROVEN, 4 * PROVEN + 900);
  g_assert_cmpuint (m->events[FASP_MERGE_BACK][1], ==, 0);
  made_run (m, 0, 1, 4 * PROVEN + 900, 4 * PROVEN + 1200);
  g_assert_cmpuint (m->events[FASP_MERGE_BACK][1], ==, 1);
  g_assert_cmpuint (m->events[FASP_MERGE_LEFT][0], ==, 0);
}

/* A reader that was busy for longer than the latency finds what has come meanwhile.  That is no
 * fault of the sources. */
static void
test_busy_reader (gconstpointer redundancy)
{
  const guint64 first = 2 * PROVEN, n = 2 * MADE_LATENCY / MADE_GAP;
  g_autoptr (Made) m = made_new (GPOINTER_TO_UINT (redundancy), 2);

  made_run (m, 0, 1, 0, first);
  m->now += n * MADE_GAP;
  for (guint64 k = first; k < first + n; k++) {
    for (guint i = 0; i < 2; i++)
      if (!get (m, i).stands_by)
        g_assert_true (made_bring_block (m, i, k));
    made_decide (m);
    made_take (m);
  }
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpuint (m->events[FASP_MERGE_LEFT][i], ==, 0);
    g_assert_cmpuint (m->events[FASP_MERGE_HELPS][i], ==, 0);
  }
  g_assert_cmpuint (m->next, ==, (first + n) * MADE_SIZE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mergeroles/recovery-time", test_recovery_time);
  g_test_add_func ("/mergeroles/has", test_has);
  g_test_add_func ("/mergeroles/leader-gone", test_leader_gone);
  g_test_add_func ("/mergeroles/standby", test_standby);
  g_test_add_func ("/mergeroles/roles", test_roles);
  g_test_add_func ("/mergeroles/standby-leads", test_standby_leads);
  g_test_add_func ("/mergeroles/gone-unread", test_gone_unread);
  g_test_add_func ("/mergeroles/gone-cannot-help", test_gone_cannot_help);
  g_test_add_func ("/mergeroles/left", test_left);
  g_test_add_data_func ("/mergeroles/busy-reader/hot", GUINT_TO_POINTER (FASP_REDUNDANCY_HOT),
      test_busy_reader);
  g_test_add_data_func ("/mergeroles/busy-reader/standby",
      GUINT_TO_POINTER (FASP_REDUNDANCY_STANDBY), test_busy_reader);
  return g_test_run ();
}
