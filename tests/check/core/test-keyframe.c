/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When a sender tells the application that a key frame is wanted.
 */
#include "vcast.h"

/* What may pass between two steps of the network. */
#define STEP (5 * FASP_MSEC)

/* Runs until a key frame is wanted once more, and returns how long that took; FASP_NEVER: it was not
 * within @most. */
static FaspTime
wait_for_want (VCast * n, FaspTime most)
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
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);

  a.wait_for_connection = FALSE;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  return n;
}

/* Runs until it is connected. */
static void
join (VCast * n, VnetSide side)
{
  FaspEndpointConfig config = vcast_config (side, FASP_MODE_CALLER);
  guint before = n->nodes[VNET_A].events[FASP_EVENT_CONNECTED];

  vcast_join (n, side, &config, VNET_A);
  while (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED] == before)
    vcast_run (n, STEP);
}

static void
begin_key_frame (VCast * n)
{
  FaspTime now = vnet_get_time (n->net);

  g_assert_true (fasp_endpoint_begin_key_frame (n->nodes[VNET_A].endpoint, now,
          now, FALSE));
}

/* --- who joins -------------------------------------------------------------------- */

/* Who joins is told of at once.  Those who join within a second of that are told of at its end, all
 * together, and then it is over. */
static void
test_joins (void)
{
  VCast *n = make_live ();
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
  vcast_free (n);
}

/* A key frame that comes after a receiver has joined is its key frame.  One that came before is
 * not. */
static void
test_served (gconstpointer data)
{
  gboolean before = GPOINTER_TO_INT (data);
  VCast *n = make_live ();

  join (n, VNET_B);
  if (before)
    begin_key_frame (n);
  join (n, VNET_C);
  if (!before)
    begin_key_frame (n);
  g_assert_cmpint (wait_for_want (n, 5 * FASP_SEC) < FASP_NEVER, ==, before);
  vcast_free (n);
}

/* Nobody is there any more who would need it. */
static void
test_left (void)
{
  VCast *n = make_live ();

  join (n, VNET_B);
  join (n, VNET_C);
  for (VnetSide side = VNET_B; side <= VNET_C; side++)
    fasp_endpoint_close (n->nodes[side].endpoint, vnet_get_time (n->net),
        FASP_REASON_STOPPED);
  g_assert_cmpint (wait_for_want (n, 5 * FASP_SEC), ==, FASP_NEVER);
  vcast_free (n);
}

/* A receiver that needs the header, too, begins at a key frame behind one: a header comes once a
 * second at most, so a key frame may be of no use to it. */
static void
test_header (void)
{
  VCast *n = make_live ();
  g_autoptr (GBytes) header = g_bytes_new_static ("header", 6);

  fasp_endpoint_set_header (n->nodes[VNET_A].endpoint, vnet_get_time (n->net),
      header);
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
  vcast_free (n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key-frame/joins", test_joins);
  g_test_add_data_func ("/key-frame/served/before", GINT_TO_POINTER (TRUE),
      test_served);
  g_test_add_data_func ("/key-frame/served/after", GINT_TO_POINTER (FALSE),
      test_served);
  g_test_add_func ("/key-frame/left", test_left);
  g_test_add_func ("/key-frame/header", test_header);
  return g_test_run ();
}
