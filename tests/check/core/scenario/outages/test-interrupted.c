/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A session is interrupted: by an outage, a NAT that forgets, a host that stands still, a process
 * that is killed. It goes on, or both ends are told that it does not.
 */
#include "vcast.h"

#define RTT VCAST_RTT

/* Processes that are stopped, or machines, for longer than resume-timeout: they were not there to
 * hear anybody, and nobody was silent.  @data: a bit for each node. */
static void
test_standstill (gconstpointer data)
{
  const guint who = GPOINTER_TO_UINT (data);
  g_autoptr (VCast) n = vcast_new (4);
  FaspEndpoint *still[VNET_NODES] = { NULL };
  const VCastNode *receiver = &n->nodes[VNET_B];

  vcast_let_call (n, VNET_A);
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++)
    if (who >> i & 1) {
      still[i] = n->nodes[i].endpoint;
      n->nodes[i].endpoint = NULL;
      vnet_attach (n->net, i, NULL);
    }
  vcast_run (n, n->sender.resume_timeout + 10 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++)
    if (still[i] != NULL) {
      n->nodes[i].endpoint = still[i];
      vnet_attach (n->net, i, still[i]);
    }
  vcast_run (n, 5 * FASP_SEC);
  if (still[VNET_A] != NULL) {
    for (guint i = VNET_A; i <= VNET_B; i++) {
      g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_INTERRUPTED], ==, 0);
      g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_REMOVED], ==, 0);
    }
    vcast_end_whole (n, VNET_B);
  } else {
    /* the sender has given it up, and calls: that is no end, and it has kept what was not
     * confirmed */
    g_assert_cmpuint (receiver->events[FASP_EVENT_CONNECTED], ==, 2);
    g_assert_cmpint (receiver->last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_REPLACED);
    vcast_run (n, n->sender.resume_timeout); /* it catches up */
    vcast_end_whole (n, VNET_B);
  }
}

/* A path that takes small packets alone by now: the peer is heard, and nothing arrives. So it is
 * of one that lets nothing through. @data: bytes of a packet. */
static void
test_stuck (gconstpointer data)
{
  g_autoptr (VCast) n = vcast_new (4);
  ImpairConfig *wire;
  FaspAddress where;

  vcast_begin (n, VNET_B);
  wire = vnet_get_wire (n->net, VNET_A, VNET_B);
  for (guint second = 0; second < 40; second++) {
    gboolean stuck =
        fasp_endpoint_look_for_stuck (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), 5, &where);

    /* the first look after that may still see what came before */
    if (second < 15 || second > 31)
      g_assert_false (stuck);
    else if (second > 16 && second <= 30)
      g_assert_true (stuck);
    wire->mtu = second >= 10 && second < 30 ? GPOINTER_TO_UINT (data) : 0;
    vcast_run (n, FASP_SEC);
  }
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, 0);
  vcast_end_whole (n, VNET_B);
}

/* The NAT of one side gives it another port, again and again. */
static void
test_rebind (gconstpointer data)
{
  VnetSide side = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = vcast_new (5);

  vcast_let_call (n, side);
  vcast_lose (n, .02);
  vcast_begin (n, VNET_B);
  for (guint i = 1; i <= 5; i++) {
    vcast_run (n, 2 * FASP_SEC);
    vnet_rebind (n->net, side, 8000 + i);
  }
  vcast_run (n, 2 * FASP_SEC);
  vcast_end_whole (n, VNET_B);
  for (guint i = VNET_A; i <= VNET_B; i++) {
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_REMOVED], ==, 1);
  }
}

/* And where an answer is a long time under way: challenges are remembered until then. */
static void
test_rebind_far (gconstpointer data)
{
  VnetSide side = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = vcast_new (6);

  for (guint i = VNET_A; i <= VNET_B; i++) {
    vnet_get_wire (n->net, i, !i)->delay = 1500 * FASP_MSEC;
    vnet_get_wire (n->net, i, !i)->loss = .02;
  }
  vcast_begin (n, VNET_B);
  vcast_run (n, 20 * FASP_SEC);
  for (guint i = 1; i <= 3; i++) {
    guint64 read = n->nodes[VNET_B].read;

    vnet_rebind (n->net, side, 8000 + i);
    vcast_run (n, 20 * FASP_SEC);
    g_assert_cmpuint (n->nodes[VNET_B].read, >, read);
  }
  vcast_end (n);
  vcast_run (n, 20 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
  for (guint i = VNET_A; i <= VNET_B; i++)
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
}

/* 20 s of nothing: said, and then it goes on where it stood. */
static void
test_outage (void)
{
  g_autoptr (VCast) n = vcast_new (6);

  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vcast_lose (n, 1);
  vcast_run (n, 20 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++)
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_INTERRUPTED], ==, 1);
  vcast_lose (n, 0);
  vcast_run (n, 20 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++) {
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_RESUMED], ==, 1);
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
  }
  vcast_end_whole (n, VNET_B);
}

/* Hours of nothing, forth or both ways, as long as the peer keeps its place: what is asked
 * meanwhile is not held against it. */
static void
test_outage_hours (gconstpointer both)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (VCast) n = vcast_new (7);

    vcast_let_call (n, i == 0 ? VNET_B : VNET_A);
    n->sender.resume_timeout = n->receiver.resume_timeout = 24 * 3600 * FASP_SEC;
    vcast_begin (n, VNET_B);
    vcast_run (n, 2 * FASP_SEC);
    vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
    if (both)
      vcast_lose (n, 1);
    vcast_run (n, FASP_SEC);
    n->bitrate = 0;
    vcast_run (n, 3 * 3600 * FASP_SEC);
    vcast_lose (n, 0);
    vcast_run (n, 5 * FASP_SEC);
    for (guint side = VNET_A; side <= VNET_B; side++) {
      g_assert_cmpuint (n->nodes[side].events[FASP_EVENT_CONNECTED], ==, 1);
      g_assert_cmpuint (n->nodes[side].events[FASP_EVENT_REMOVED], ==, 0);
    }
    vcast_end_whole (n, VNET_B);
  }
}

/* Dead for longer than the resume timeout: both say so; the memory of the
 * session goes. */
static void
test_death (void)
{
  g_autoptr (VCast) n = vcast_new (6);

  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_B); /* as by kill -9 */
  vcast_run (n, 40 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpint (n->nodes[VNET_A].last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_SILENT);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).sessions, ==, 0);
}

/* Out for longer than it is waited for: whoever dials, both ends know that there is a gap, and how
 * large it is; where enough is kept there is none. */
static void
test_back_too_late (void)
{
  for (guint i = 0; i < 4; i++) {
    gboolean sender_dials = i % 2, kept = i / 2;
    g_autoptr (VCast) n = vcast_new (i + 1);
    VCastNode *nodes = n->nodes;
    guint64 missing;

    vcast_let_call (n, sender_dials ? VNET_A : VNET_B);
    if (kept)
      n->sender.history = 2 * n->sender.resume_timeout;
    n->sender.settings.wait_for_connection = FALSE;
    n->receiver.settings.keep_listening = TRUE;
    vcast_begin (n, VNET_B);
    vcast_run (n, 2 * FASP_SEC);
    vcast_lose (n, 1);
    vcast_run (n, n->sender.resume_timeout + 10 * FASP_SEC);
    vcast_lose (n, 0);
    vcast_run (n, 20 * FASP_SEC);
    g_assert_cmpuint (nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 2);
    missing = vcast_get_stats (n, VNET_A).bytes_missing;
    g_assert_cmpuint (nodes[VNET_A].events[FASP_EVENT_BEHIND], ==, !kept);
    g_assert_cmpuint (nodes[VNET_A].last[FASP_EVENT_BEHIND].bytes_lost, ==, missing);
    g_assert_cmpuint (nodes[VNET_B].last[FASP_EVENT_MOVED].bytes_lost, ==,
        vcast_get_stats (n, VNET_B).bytes_missing);
    if (kept)
      g_assert_cmpuint (missing, ==, 0);
    else
      g_assert_cmpuint (missing, >, n->bitrate / 8 * 30);
    /* the sender that dials knows what the receiver had of what it has heard */
    if (sender_dials)
      g_assert_cmpuint (missing - vcast_get_stats (n, VNET_B).bytes_missing, <,
          n->bitrate / 8 * RTT / FASP_SEC * 2);
    else
      g_assert_cmpuint (vcast_get_stats (n, VNET_B).bytes_missing, ==, missing);
  }
}

/* A stream goes on into the silence for a while; not to where it is known that nobody is, as soon
 * as who is there could have answered. */
static void
test_closed_port (void)
{
  for (guint told = 0; told < 2; told++) {
    g_autoptr (VCast) n = vcast_new (6);
    FaspAddress b = vnet_get_address (VNET_B);
    guint64 before;

    vcast_begin (n, VNET_B);
    vcast_run (n, 2 * FASP_SEC);
    vcast_leave (n, VNET_B);
    vcast_run (n, FASP_SEC / 5);
    if (told)
      fasp_endpoint_unreachable (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), &b);
    vcast_run (n, 2 * RTT);
    before = vnet_get_counters (n->net, VNET_A, VNET_B)->packets;
    vcast_run (n, 2 * FASP_SEC);
    before = vnet_get_counters (n->net, VNET_A, VNET_B)->packets - before;
    if (told)
      g_assert_cmpuint (before, <, 30);
    else
      g_assert_cmpuint (before, >, 100);
  }
}

/* The listening receiver is killed and started anew: the sender, who calls,
 * finds out and goes on with the first byte that was not acknowledged. */
static void
test_restart (void)
{
  g_autoptr (VCast) n = vcast_new (7);
  guint64 read;

  vcast_let_call (n, VNET_A);
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  read = n->nodes[VNET_B].read;
  vcast_leave (n, VNET_B);
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, 10 * FASP_SEC);
  vcast_end_whole (n, VNET_B);
  /* nothing is missing between the two; what was under way may come twice */
  g_assert_cmpint (n->nodes[VNET_B].origin, <=, read);
  g_assert_cmpint (n->nodes[VNET_B].origin, >, read - n->written / 10);
}

typedef enum
{
  KILLED,   /* the session is replaced */
  GOODBYE,  /* the receiver stops, and is called again */
  FORGOTTEN /* it is silent for longer than resume-timeout */
} Gone;

typedef struct
{
  Gone gone;
  FaspTime history;
} Live;

/* A sender that dials, and does not wait for receivers, finds another receiver in the place of the
 * first one: the new one has nothing of the stream, and begins with what is sent from then on. */
static void
test_restart_live (gconstpointer data)
{
  const Live *c = data;
  g_autoptr (VCast) n = vcast_new (7);
  guint64 read, joined, skipped, dropped;

  vcast_let_call (n, VNET_A);
  n->sender.settings.wait_for_connection = FALSE;
  n->sender.history = c->history;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  if (c->gone == GOODBYE) {
    vcast_close (n, VNET_B);
    vcast_run (n, RTT);
  }
  read = n->nodes[VNET_B].origin + n->nodes[VNET_B].read;
  dropped = vcast_get_stats (n, VNET_A).bytes_dropped;
  vcast_leave (n, VNET_B);
  vcast_run (n, 10 * FASP_SEC + (c->gone == FORGOTTEN ? n->sender.resume_timeout : 0));
  joined = n->written;
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 2);
  g_assert_cmpint (n->nodes[VNET_B].origin, >=, joined);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_missing, ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).bytes_missing, ==, 0);
  if (c->gone == KILLED) {
    /* what the first one had not acknowledged is counted, and nothing else */
    skipped = n->nodes[VNET_B].origin - read;
    dropped = vcast_get_stats (n, VNET_A).bytes_dropped - dropped;
    g_assert_cmpuint (dropped, >=, skipped);
    g_assert_cmpuint (dropped - skipped, <, n->bitrate / 8 * RTT / FASP_SEC * 2);
  }
  vcast_end_whole (n, VNET_B);
}

/* The same sender, and a receiver that was only cut off: it goes on at its byte, also if it has
 * given up the session before the sender has.  @data: it has. */
static void
test_outage_live (gconstpointer data)
{
  g_autoptr (VCast) n = vcast_new (7);
  const VCastNode *receiver = &n->nodes[VNET_B];

  vcast_let_call (n, VNET_A);
  n->sender.settings.wait_for_connection = FALSE;
  n->receiver.settings.keep_listening = TRUE;
  if (data != NULL)
    n->receiver.resume_timeout = 5 * FASP_SEC;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  vcast_lose (n, 1);
  vcast_run (n, 10 * FASP_SEC);
  vcast_lose (n, 0);
  vcast_run (n, 20 * FASP_SEC);
  g_assert_cmpuint (receiver->events[FASP_EVENT_CONNECTED], ==, data != NULL ? 2 : 1);
  g_assert_cmpuint (receiver->discontinuities, ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_missing, ==, 0);
  vcast_end_whole (n, VNET_B);
}

/* The same at once, and that its port was closed was said in between, when it had just been heard:
 * it is found out as soon as nothing comes any more. Of a receiver that lives that may be said as
 * often as one likes. */
static void
test_restart_notified (void)
{
  for (guint dies = 0; dies < 2; dies++) {
    g_autoptr (VCast) n = vcast_new (7);
    FaspAddress at = vnet_get_address (VNET_B);
    FaspTime before;

    vcast_let_call (n, VNET_A);
    vcast_begin (n, VNET_B);
    vcast_run (n, 3 * FASP_SEC);
    if (dies) {
      vcast_leave (n, VNET_B);
      vcast_join (n, VNET_B, VNET_A);
    }
    before = vnet_get_time (n->net);
    while (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED] == 0
        && vnet_get_time (n->net) < before + FASP_SEC) {
      if (!dies || vnet_get_time (n->net) == before)
        fasp_endpoint_unreachable (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), &at);
      vcast_run (n, 20 * FASP_MSEC);
    }
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, dies);
    if (dies) {
      g_assert_cmpint (vnet_get_time (n->net) - before, <, RTT + FASP_SEC / 5);
      g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
      vcast_run (n, 3 * RTT);
      g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 2);
    }
    vcast_end_whole (n, VNET_B);
  }
}

/* Nor is it believed of who lives and has nothing to say, whenever it is said: it is asked. */
static void
test_refused_idle (void)
{
  for (guint phase = 0; phase < 20; phase++) {
    g_autoptr (VCast) n = vcast_new (7);
    FaspAddress at = vnet_get_address (VNET_B);

    vcast_begin (n, VNET_B);
    n->bitrate = 0;
    vcast_run (n, 3 * FASP_SEC + phase * 27 * FASP_MSEC);
    fasp_endpoint_unreachable (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), &at);
    vcast_run (n, FASP_SEC);
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, 0);
  }
}

/* The listener is killed and started anew while the end is on its way. */
static void
test_restart_at_end (void)
{
  g_autoptr (VCast) n = vcast_new (14);

  vcast_let_call (n, VNET_A);
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vcast_leave (n, VNET_B);
  n->bitrate = n->held = 0;
  n->finish = TRUE;
  vcast_run (n, FASP_SEC);
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, 10 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).bytes_unconfirmed, ==, 0);
}

static const struct
{
  const gchar *path;
  Live live;
} lives[] = {
  { "/endpoint/restart-live/killed", { KILLED, 0 } },
  { "/endpoint/restart-live/killed-history", { KILLED, 60 * FASP_SEC } },
  { "/endpoint/restart-live/goodbye", { GOODBYE, 0 } },
  { "/endpoint/restart-live/goodbye-history", { GOODBYE, 60 * FASP_SEC } },
  { "/endpoint/restart-live/forgotten", { FORGOTTEN, 0 } },
  { "/endpoint/restart-live/forgotten-history", { FORGOTTEN, 60 * FASP_SEC } },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/endpoint/stuck/large", GUINT_TO_POINTER (1000), test_stuck);
  g_test_add_data_func ("/endpoint/stuck/all", GUINT_TO_POINTER (1), test_stuck);
  g_test_add_data_func ("/endpoint/standstill/both", GUINT_TO_POINTER (3), test_standstill);
  g_test_add_data_func ("/endpoint/standstill/receiver", GUINT_TO_POINTER (2), test_standstill);
  g_test_add_data_func ("/endpoint/rebind/receiver", GINT_TO_POINTER (VNET_B), test_rebind);
  g_test_add_data_func ("/endpoint/rebind/sender", GINT_TO_POINTER (VNET_A), test_rebind);
  g_test_add_func ("/endpoint/back-too-late", test_back_too_late);
  g_test_add_data_func ("/endpoint/rebind/receiver-far", GINT_TO_POINTER (VNET_B), test_rebind_far);
  g_test_add_data_func ("/endpoint/rebind/sender-far", GINT_TO_POINTER (VNET_A), test_rebind_far);
  g_test_add_func ("/endpoint/outage/long", test_outage);
  g_test_add_data_func ("/endpoint/outage/hours", NULL, test_outage_hours);
  g_test_add_data_func ("/endpoint/outage/hours-both", "both", test_outage_hours);
  g_test_add_func ("/endpoint/death", test_death);
  g_test_add_func ("/endpoint/closed-port", test_closed_port);
  g_test_add_func ("/endpoint/restart", test_restart);
  for (guint i = 0; i < G_N_ELEMENTS (lives); i++)
    g_test_add_data_func (lives[i].path, &lives[i].live, test_restart_live);
  g_test_add_data_func ("/endpoint/outage-live/short", NULL, test_outage_live);
  g_test_add_data_func ("/endpoint/outage-live/given-up", "given up", test_outage_live);
  g_test_add_func ("/endpoint/restart-notified", test_restart_notified);
  g_test_add_func ("/endpoint/refused-idle", test_refused_idle);
  g_test_add_func ("/endpoint/restart-at-end", test_restart_at_end);
  return g_test_run ();
}
