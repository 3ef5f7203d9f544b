/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of addresses that may connect: which are taken, which addresses they have, and which
 * callers they turn away.
 */
#include <string.h>
#include "relayallowed.h"
#include "relaybranch.h"

static const struct
{
  const gchar *list, *address;
  gboolean has;
} table[] = {
  { "192.0.2.7", "192.0.2.7", TRUE },
  { "192.0.2.7", "192.0.2.8", FALSE },
  { "192.0.2.7", "::ffff:192.0.2.7", TRUE },
  { "192.0.2.7", "::192.0.2.7", FALSE },
  { "10.0.0.0/8", "10.255.255.255", TRUE },
  { "10.0.0.0/8", "::ffff:10.1.2.3", TRUE },
  { "10.0.0.0/8", "11.0.0.0", FALSE },
  { "192.0.2.0/25", "192.0.2.128", FALSE },
  { "0.0.0.0/0", "203.0.113.9", TRUE },
  { "0.0.0.0/0", "2001:db8::1", FALSE },
  { "::/0", "2001:db8::1", TRUE },
  { "::/0", "203.0.113.9", FALSE },
  { "::/0", "::ffff:203.0.113.9", FALSE },
  { "2001:db8::/47", "2001:db8:1:ffff::1", TRUE },
  { "2001:db8::/47", "2001:db8:2::1", FALSE },
  { "fe80::/10", "fe80::1", TRUE },
  { "192.0.2.7;2001:db8::1;10.0.0.0/8", "10.0.0.1", TRUE },
  { "192.0.2.7;2001:db8::1;10.0.0.0/8", "2001:db8::1", TRUE },
  { "192.0.2.7;2001:db8::1;10.0.0.0/8", "2001:db8::2", FALSE },
  { NULL, "2001:db8::2", TRUE },
};

static GPtrArray *
parse (const gchar *list)
{
  g_auto (GStrv) texts = g_strsplit (list, ";", -1);

  return relay_allowed_parse (texts);
}

static void
test_has (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    g_autoptr (GPtrArray) allowed = table[i].list != NULL ? parse (table[i].list) : NULL;
    g_autoptr (GInetAddress) address = g_inet_address_new_from_string (table[i].address);
    g_autoptr (GSocketAddress) with_port = g_inet_socket_address_new (address, 9);

    g_assert_true ((allowed != NULL) == (table[i].list != NULL));
    if (relay_allowed_has (allowed, address) != table[i].has
        || relay_allowed_has_socket (allowed, with_port) != table[i].has)
      g_error ("%s, %s", table[i].list, table[i].address);
    /* where the address is not known */
    g_assert_true (relay_allowed_has (allowed, NULL) == (allowed == NULL));
    g_assert_true (relay_allowed_has_socket (allowed, NULL) == (allowed == NULL));
  }
}

static void
test_faults (void)
{
  static const gchar *const faults[] = { "", "localhost", "10.1.2.3/8", "10.0.0.0/33", "10.0.0.0/",
    "2001:db8::/129", "10.0.0.0/8;", "10.0.0.0/8,10.1.0.0/16", "192.0.2", "-1", "::ffff:192.0.2.7",
    "::ffff:10.0.0.0/104", "::ffff:0:0/96", "fe80::1%lo", "fe80::%lo/64" };
  g_autoptr (GString) many = g_string_new ("::1");

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    if (parse (faults[i]) != NULL)
      g_error ("it was taken: %s", faults[i]);
  for (guint n = 1; n <= RELAY_ALLOWED_MAX; n++, g_string_append (many, ";::1")) {
    g_autoptr (GPtrArray) allowed = parse (many->str);

    g_assert_cmpuint (allowed->len, ==, n);
  }
  g_assert_null (parse (many->str));
}

static void
test_same (void)
{
  g_autoptr (GPtrArray) a = parse ("10.0.0.0/8;::1"), b = parse ("10.0.0.0/8;::1"),
                        c = parse ("10.0.0.0/8"), d = parse ("10.0.0.0/9;::1");

  g_assert_true (relay_allowed_is_same (NULL, NULL) && relay_allowed_is_same (a, b));
  g_assert_false (relay_allowed_is_same (a, NULL) || relay_allowed_is_same (NULL, a));
  g_assert_false (relay_allowed_is_same (a, c) || relay_allowed_is_same (c, a)
      || relay_allowed_is_same (a, d));
}

static gboolean
know (GstElement *element, const gchar *ticket)
{
  return TRUE;
}

/* A caller that is turned away for its address is counted, unless it has gone before: then the
 * element, which is told of the refusal, does not know it any more. */
static void
test_counted (void)
{
  g_autoptr (GPtrArray) allowed = parse ("192.0.2.7");
  RelayEnd end = { .id = 1, .sends = TRUE, .uri = (gchar *) "fasp://:9", .allowed = allowed };
  gint require_streamid = FALSE;
  RelayBranch *branch = relay_branch_new (&end, "s", NULL, &require_streamid, NULL);

  for (guint known = 0; known <= 1; known++) {
    RelayEndStats stats = { 0 };
    gboolean later = FALSE;

    if (known)
      g_signal_connect_after (branch->element, "decide-caller", G_CALLBACK (know), NULL);
    g_signal_emit_by_name (branch->element, "caller-asked", "192.0.2.8:1", NULL, NULL, NULL, "1",
        &later);
    g_assert_true (later);
    relay_branch_get_stats (branch, RELAY_RUNNING, &stats);
    g_assert_cmpuint (stats.refused, ==, known);
    gst_structure_free (stats.stats);
    g_free (stats.uri);
  }
  relay_branch_unref (branch);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/allowed/has", test_has);
  g_test_add_func ("/relay/allowed/faults", test_faults);
  g_test_add_func ("/relay/allowed/same", test_same);
  g_test_add_func ("/relay/allowed/counted", test_counted);
  return g_test_run ();
}
