/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A made-up version 1.1 writes options into its hello that this version does not know: they are
 * skipped, whichever end is the newer one and whoever calls, unless they must be understood.
 */
#include "faspwirehello.h"
#include "vcast.h"

#define NEVER_SKIPPED 128 /* options from here on must be understood */

static FaspRole newer;   /* the role of the end that is newer */
static guint8 must_know; /* an option that it writes, too; 0: none */

/* tests/check/core/scenario/opening/meson.build has the linker put the first in place of the
 * second. */
void __wrap_fasp_wire_write_hello (FaspWriter *w, const FaspHello *hello);
void __real_fasp_wire_write_hello (FaspWriter *w, const FaspHello *hello);

static void
write_option (FaspWriter *w, guint8 id, gsize size)
{
  guint8 value[300];

  memset (value, id, sizeof value);
  fasp_write_uint (w, id, 1);
  fasp_write_uint (w, size, 2);
  fasp_write_bytes (w, value, size);
}

void
__wrap_fasp_wire_write_hello (FaspWriter *w, const FaspHello *hello)
{
  if (hello->role != newer) {
    __real_fasp_wire_write_hello (w, hello);
    return;
  }
  write_option (w, 100, 5);
  __real_fasp_wire_write_hello (w, hello);
  write_option (w, 19, 0);
  write_option (w, 127, 300);
  if (must_know > 0)
    write_option (w, must_know, 1);
}

/* A, which sends, and B; one of them calls. */
static VCast *
start (gboolean receiver_calls)
{
  VCast *n = vcast_new (1);

  vcast_let_call (n, receiver_calls ? VNET_B : VNET_A);
  vcast_begin (n, VNET_B);
  return n;
}

static void
test_options (void)
{
  for (guint i = 0; i < 4; i++) {
    g_autoptr (VCast) n = NULL;

    newer = i / 2 == 0 ? FASP_ROLE_SENDER : FASP_ROLE_RECEIVER;
    n = start (i % 2);
    vcast_run (n, FASP_SEC);
    vcast_end_whole (n, VNET_B);
    g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_FINISHED);
  }
}

/* The listener refuses a call with such an option; the caller takes no answer with one. */
static void
test_must_know (void)
{
  must_know = NEVER_SKIPPED;
  for (guint i = 0; i < 4; i++) {
    gboolean receiver_calls = i % 2, caller_is_newer;
    VnetSide caller = receiver_calls ? VNET_B : VNET_A;
    g_autoptr (VCast) n = NULL;

    newer = i / 2 == 0 ? FASP_ROLE_SENDER : FASP_ROLE_RECEIVER;
    caller_is_newer = (newer == FASP_ROLE_RECEIVER) == receiver_calls;
    n = start (receiver_calls);
    vcast_run (n, 3 * FASP_SEC);
    g_assert_cmpuint (n->nodes[caller].events[FASP_EVENT_CONNECTED], ==, 0);
    if (caller_is_newer)
      g_assert_cmpint (n->nodes[caller].last[FASP_EVENT_REJECTED].reason, ==,
          FASP_REASON_UNSUPPORTED);
  }
  must_know = 0;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/newer/options", test_options);
  g_test_add_func ("/newer/must-know", test_must_know);
  return g_test_run ();
}
