/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the relay's log says of peers that come and go, and how much of it.
 */
#include "relaylog.h"
#include "relayvisits.h"

static const struct
{
  const gchar *structure, *text;
} visits[] = {
  { "connection-added, address-string=(string)\"192.0.2.1:5\", streamid=(string)\"\";",
      "192.0.2.1:5 is connected." },
  { "connection-added, address-string=(string)\"[::1]:5\", streamid=(string)news;",
      "[::1]:5 is connected (streamid \"news\")." },
  { "connection-added, address-string=(string)\"[::1]:5\", "
    "streamid=(string)news, peer-key=(string)MCow, peer-name=(string)van;",
      "[::1]:5 is connected (streamid \"news\", key of van)." },
  { "connection-added, address-string=(string)\"[::1]:5\", "
    "streamid=(string)\"\", peer-key=(string)MCow, "
    "peer-name=(string)\"\";",
      "[::1]:5 is connected (key MCow)." },
  { "connection-removed, address-string=(string)\"[::1]:5\", "
    "streamid=(string)news, reason=(string)\"[::1]:5 has finished\", "
    "bytes=(guint64)12345678901, duration=(guint64)61250000000;",
      "[::1]:5 has gone after 61.2 s and 12345678901 bytes "
      "(streamid \"news\"): [::1]:5 has finished." },
  { "promise-changed, latency-ms=(uint)7;", NULL },
};

static void
test_visits (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (visits); i++) {
    GstStructure *s = gst_structure_from_string (visits[i].structure, NULL);
    g_autoptr (GstMessage) message = gst_message_new_element (NULL, s);
    g_autofree gchar *text = relay_visits_describe (message);

    g_assert_nonnull (s);
    g_assert_cmpstr (text, ==, visits[i].text);
  }
}

/* A flood is so many lines in so much time, and says how many there were. */
static void
test_budget (void)
{
  RelayLogBudget budget = { .most = 3, .time = 1000 };
  guint missed, lines = 0;

  for (gint64 now = 5; now < 1005; now++) {
    lines += relay_log_may (&budget, now, &missed);
    g_assert_cmpuint (missed, ==, 0);
  }
  g_assert_cmpuint (lines, ==, 3);
  g_assert_true (relay_log_may (&budget, 1005, &missed));
  g_assert_cmpuint (missed, ==, 997);
  /* one that is alone is told at once */
  g_assert_true (relay_log_may (&budget, 5000, &missed));
  g_assert_cmpuint (missed, ==, 0);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/log/visits", test_visits);
  g_test_add_func ("/relay/log/budget", test_budget);
  return g_test_run ();
}
