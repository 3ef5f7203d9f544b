/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When a sender tells the application that a key frame is wanted.
 */
#include "vcast.h"
#include "vgroup.h"

/* What may pass between two steps of the network. */
#define STEP (5 * FASP_MSEC)

/* Runs until a key frame is wanted once more, and returns how long that took; FASP_NEVER: it was
 * not within @most. */
static FaspTime
wait_for_want (VCast *n, FaspTime most)
{
  guint before = n->nodes[VNET_A].events[FASP_EVENT_KEY_FRAME];
  FaspTime start = vnet_get_time (n->net);

  while (vnet_get_time (n->net) < start + most) {
    vcast_run (n, STEP);
    if (n->nodes[VNET_A].events[FASP_EVENT_KEY_FRAME] > before)
      return vnet_get_time (n->net) - start;
  }
  return FASP_NEVER;
}

/* A sender of a live stream, which nobody hears yet. */
static VCast *
make_live (void)
{
  VCast *n = vcast_new (1);

  n->sender.settings.wait_for_connection = FALSE;
  n->sender.settings.latency_ms = 10000; /* nothing is skipped */
  vcast_join (n, VNET_A, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  return n;
}

/* Runs until it is connected. */
static void
join (VCast *n, VnetSide side)
{
  guint before = n->nodes[VNET_A].events[FASP_EVENT_CONNECTED];

  vcast_join (n, side, VNET_A);
  while (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED] == before)
    vcast_run (n, STEP);
}

static void
begin_key_frame (VCast *n)
{
  FaspTime now = vnet_get_time (n->net);

  g_assert_true (fasp_endpoint_begin_key_frame (n->nodes[VNET_A].endpoint, now, now, FALSE));
}

/* --- who joins -------------------------------------------------------------------- */

/* Who joins is told of at once.  Those who join within a second of that are told of at its end, all
 * together, and then it is over. */
static void
test_joins (void)
{
  g_autoptr (VCast) n = make_live ();
  const VCastNode *a = &n->nodes[VNET_A];
  FaspTime first;

  join (n, VNET_B);
  g_assert_cmpuint (a->events[FASP_EVENT_KEY_FRAME], ==, 1);
  first = vnet_get_time (n->net);
  for (VnetSide side = VNET_C; side < VNET_NODES; side++)
    join (n, side);
  g_assert_cmpint (vnet_get_time (n->net) - first, <, FASP_SEC - STEP);
  g_assert_cmpuint (a->events[FASP_EVENT_KEY_FRAME], ==, 1);
  g_assert_cmpint (wait_for_want (n, 5 * FASP_SEC), <, FASP_NEVER);
  g_assert_cmpint (vnet_get_time (n->net) - first, >=, FASP_SEC - STEP);
  g_assert_cmpint (vnet_get_time (n->net) - first, <=, FASP_SEC + STEP);
  g_assert_cmpint (wait_for_want (n, 5 * FASP_SEC), ==, FASP_NEVER);
}

/* A key frame that comes after a receiver has joined is its key frame.  One that came before is
 * not. */
static void
test_served (gconstpointer data)
{
  gboolean before = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = make_live ();

  join (n, VNET_B);
  if (before)
    begin_key_frame (n);
  join (n, VNET_C);
  if (!before)
    begin_key_frame (n);
  g_assert_cmpint (wait_for_want (n, 5 * FASP_SEC) < FASP_NEVER, ==, before);
}

/* Nobody is there any more who would need it. */
static void
test_left (void)
{
  g_autoptr (VCast) n = make_live ();

  join (n, VNET_B);
  join (n, VNET_C);
  for (VnetSide side = VNET_B; side <= VNET_C; side++)
    vcast_close (n, side);
  g_assert_cmpint (wait_for_want (n, 5 * FASP_SEC), ==, FASP_NEVER);
}

/* A receiver that needs the header, too, begins at a key frame behind one: a header comes once a
 * second at most, so a key frame may be of no use to it. */
static void
test_header (void)
{
  g_autoptr (VCast) n = make_live ();
  g_autoptr (GBytes) header = g_bytes_new_static ("header", 6);

  fasp_endpoint_set_header (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), header);
  join (n, VNET_B);
  begin_key_frame (n);
  vcast_run (n, FASP_SEC / 2);
  g_assert_cmpuint (n->nodes[VNET_B].read, >, 0);

  join (n, VNET_C);
  begin_key_frame (n);
  vcast_run (n, FASP_SEC / 5);
  g_assert_cmpuint (n->nodes[VNET_C].read, ==, 0);
  g_assert_cmpint (wait_for_want (n, FASP_SEC), <, FASP_NEVER);
  begin_key_frame (n);
  vcast_run (n, FASP_SEC / 5);
  g_assert_cmpuint (n->nodes[VNET_C].read, >, 0);
}

/* --- who says so ------------------------------------------------------------------- */

/* What may pass until the sender has heard of it. */
#define HEARD (VCAST_RTT / 2 + 2 * STEP)

static gboolean
want (VCast *n, VnetSide side)
{
  return fasp_endpoint_want_key_frame (n->nodes[side].endpoint, vnet_get_time (n->net));
}

/* A receiver that joined some time ago. */
static VCast *
make_joined (void)
{
  VCast *n = make_live ();

  join (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  return n;
}

/* Loses all that goes to or comes from the first receiver. */
static void
lose (VCast *n, gdouble there, gdouble back)
{
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = there;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = back;
}

/* The sender hears of the first want at once, even if the stream pauses, and of those that follow
 * within a second at its end. */
static void
test_wants (gconstpointer data)
{
  g_autoptr (VCast) n = make_joined ();
  FaspTime first;
  guint count;

  if (GPOINTER_TO_INT (data))
    n->bitrate = 0;
  vcast_run (n, 2 * FASP_SEC);
  g_assert_true (want (n, VNET_B));
  g_assert_cmpint (wait_for_want (n, HEARD), <, FASP_NEVER);
  first = vnet_get_time (n->net);
  count = n->nodes[VNET_A].events[FASP_EVENT_KEY_FRAME];
  while (vnet_get_time (n->net) < first + 5 * FASP_SEC / 2) {
    want (n, VNET_B);
    vcast_run (n, 4 * STEP);
  }
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_KEY_FRAME], ==, count + 2);
  g_assert_cmpint (wait_for_want (n, FASP_SEC), <, FASP_NEVER);
  g_assert_cmpint (vnet_get_time (n->net) - first, <=, 3 * FASP_SEC + 2 * STEP);
  g_assert_cmpint (wait_for_want (n, 5 * FASP_SEC), ==, FASP_NEVER);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).key_frames_wanted, ==, 4);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).key_frames_wanted, ==, 4);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).key_frames_requested, ==, count + 3);
}

/* Both ends wake for the end of the second, though nothing else happens: at the receiver the second
 * that began with its first want, at the sender that of who joined. */
static void
test_time (void)
{
  g_autoptr (VCast) n = make_live ();
  FaspTime joined;

  n->bitrate = 0;
  join (n, VNET_B);
  joined = vnet_get_time (n->net);
  vcast_run (n, 330 * FASP_MSEC);
  want (n, VNET_B);
  want (n, VNET_B);
  vnet_run (n->net, joined + FASP_SEC - STEP);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).key_frames_requested, ==, 1);
  vnet_run (n->net, joined + FASP_SEC + STEP);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).key_frames_requested, ==, 2);
  want (n, VNET_B);
  /* so that the receiver does not report just then anyway, half a second after it did */
  n->bitrate = 4000000;
  vcast_run (n, 50 * FASP_MSEC);
  n->bitrate = 0;
  vnet_run (n->net, joined + 1330 * FASP_MSEC - STEP);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).key_frames_wanted, ==, 1);
  vnet_run (n->net, joined + 1330 * FASP_MSEC + STEP);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).key_frames_wanted, ==, 2);
}

/* A want is heard once, though all that would tell of it is lost for a while, or the receiver is
 * silent meanwhile. */
static void
test_lost (gconstpointer data)
{
  gboolean silent = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = make_joined ();

  lose (n, silent, 1);
  if (silent)
    vcast_run (n, 3 * FASP_SEC);
  want (n, VNET_B);
  g_assert_cmpint (wait_for_want (n, FASP_SEC), ==, FASP_NEVER);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_INTERRUPTED], ==, silent);
  lose (n, 0, 0);
  g_assert_cmpint (wait_for_want (n, FASP_SEC), <, FASP_NEVER);
  g_assert_cmpint (wait_for_want (n, 5 * FASP_SEC), ==, FASP_NEVER);
}

/* A key frame that comes while the sender waits for the end of the second is for this want. */
static void
test_wants_served (gconstpointer data)
{
  gboolean served = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = make_joined ();

  join (n, VNET_C);
  vcast_run (n, FASP_SEC / 4);
  want (n, VNET_B);
  vcast_run (n, HEARD);
  if (served)
    begin_key_frame (n);
  g_assert_cmpint (wait_for_want (n, 5 * FASP_SEC) < FASP_NEVER, ==, !served);
}

/* A receiver that is silent for long is a new one when it is back, with no want but that of who
 * joins; what it wants then is heard. */
static void
test_back (void)
{
  g_autoptr (VCast) n = make_joined ();
  const VCastNode *a = &n->nodes[VNET_A];
  guint count;

  for (guint i = 0; i < 3; i++) {
    want (n, VNET_B);
    vcast_run (n, 2 * FASP_SEC);
  }
  lose (n, 1, 1);
  vcast_run (n, 40 * FASP_SEC);
  g_assert_cmpuint (a->events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_false (want (n, VNET_B));
  count = a->events[FASP_EVENT_KEY_FRAME];
  lose (n, 0, 0);
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (a->events[FASP_EVENT_CONNECTED], ==, 2);
  g_assert_cmpuint (a->events[FASP_EVENT_KEY_FRAME], ==, count + 1);
  want (n, VNET_B);
  g_assert_cmpint (wait_for_want (n, HEARD), <, FASP_NEVER);
}

/* All members of a group want one at the same moment, and take turns to say so. */
static void
test_members (void)
{
  g_autoptr (Vgroup) g = vgroup_new (1);
  const guint n = 200;
  guint64 before = 0, sent = 0;
  guint count;

  g->bitrate = 400000; /* it is about what the members say */
  vgroup_set_sender (g);
  for (guint i = 0; i < n; i++)
    vgroup_add (g, 20 * FASP_MSEC);
  vgroup_run (g, 10 * FASP_SEC);
  count = g->events[FASP_EVENT_KEY_FRAME];
  for (guint i = 0; i < n; i++) {
    g_assert_true (fasp_endpoint_want_key_frame (g->receivers[i].endpoint, g->now));
    g->receivers[i].timeout = g->now;
    before += g->receivers[i].sent;
  }
  vgroup_run (g, 10 * FASP_MSEC);
  for (guint i = 0; i < n; i++)
    sent += g->receivers[i].sent;
  g_assert_cmpuint (sent - before, <, n / 4);
  vgroup_run (g, 5 * FASP_SEC);
  g_assert_cmpuint (g->events[FASP_EVENT_KEY_FRAME], >, count);
  g_assert_cmpuint (g->events[FASP_EVENT_KEY_FRAME], <=, count + 2);
}

/* A key frame's mark was the last thing that came, and is read when the session is over:
 * that it can go now is due at once. */
static void
test_last_mark (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  FaspEndpoint *e;
  FaspTime now;
  FaspRead read;

  n->sender.join = FASP_JOIN_KEY_FRAME;
  n->receiver.settings.reconnect = FALSE;
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  n->bitrate = 0;
  vcast_run (n, FASP_SEC);
  n->nodes[VNET_B].stopped = TRUE;
  now = vnet_get_time (n->net);
  fasp_endpoint_begin_key_frame (n->nodes[VNET_A].endpoint, now, now, FALSE);
  vcast_run (n, FASP_SEC / 5);
  vcast_close (n, VNET_A);
  vcast_run (n, 5 * FASP_SEC);
  e = n->nodes[VNET_B].endpoint;
  now = vnet_get_time (n->net);
  g_assert_true (fasp_endpoint_can_read (e));
  g_assert_false (fasp_endpoint_read (e, now, &read));
  g_assert_cmpint (fasp_endpoint_get_timeout (e), <=, now);
  n->nodes[VNET_B].stopped = FALSE;
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_REMOVED], ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key-frame/joins", test_joins);
  g_test_add_data_func ("/key-frame/served/before", GINT_TO_POINTER (TRUE), test_served);
  g_test_add_data_func ("/key-frame/served/after", GINT_TO_POINTER (FALSE), test_served);
  g_test_add_func ("/key-frame/left", test_left);
  g_test_add_func ("/key-frame/header", test_header);
  g_test_add_data_func ("/key-frame/wants/stream", GINT_TO_POINTER (FALSE), test_wants);
  g_test_add_data_func ("/key-frame/wants/pause", GINT_TO_POINTER (TRUE), test_wants);
  g_test_add_func ("/key-frame/time", test_time);
  g_test_add_data_func ("/key-frame/lost/one-way", GINT_TO_POINTER (FALSE), test_lost);
  g_test_add_data_func ("/key-frame/lost/silent", GINT_TO_POINTER (TRUE), test_lost);
  g_test_add_data_func ("/key-frame/wants-served/no", GINT_TO_POINTER (FALSE), test_wants_served);
  g_test_add_data_func ("/key-frame/wants-served/yes", GINT_TO_POINTER (TRUE), test_wants_served);
  g_test_add_func ("/key-frame/back", test_back);
  g_test_add_func ("/key-frame/members", test_members);
  g_test_add_func ("/past/last-mark", test_last_mark);
  return g_test_run ();
}
