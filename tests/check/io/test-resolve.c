/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The addresses of a name, by a resolver of our own.
 */
#include <string.h>
#include "faspresolve.h"

/* The longest wait for the other thread. */
#define WAIT_MAX (30 * G_TIME_SPAN_SECOND)

/* What happened: `?', the name was looked up; `1', the address that ends so was handed out;
 * `.', whether anything came of it was asked; `!', it was told that none can be used. */
static struct
{
  GMutex lock;
  GCond changed;
  GString *events;
  gboolean settled; /* something has, when that is asked next */
  gboolean useless; /* none of the addresses can be used */
} seen;

static void
note (gchar event)
{
  g_mutex_lock (&seen.lock);
  g_string_append_c (seen.events, event);
  g_cond_signal (&seen.changed);
  g_mutex_unlock (&seen.lock);
}

GList *
g_resolver_lookup_by_name (GResolver *resolver, const gchar *host, GCancellable *cancellable,
    GError **error)
{
  note ('?');
  return g_list_append (g_list_append (NULL, g_inet_address_new_from_string ("192.0.2.1")),
      g_inet_address_new_from_string ("192.0.2.2"));
}

static gboolean
on_found (GSocketAddress *address, gpointer data)
{
  g_autofree gchar *text = g_inet_address_to_string (
      g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)));

  note (text[strlen (text) - 1]);
  return !seen.useless;
}

static gboolean
on_settled (gpointer data)
{
  gboolean settled;

  g_mutex_lock (&seen.lock);
  settled = seen.settled;
  seen.settled = FALSE;
  g_mutex_unlock (&seen.lock);
  note ('.');
  return settled;
}

static void
on_failed (const gchar *host, const GError *error, gpointer data)
{
  note ('!');
}

static FaspResolve *
begin (gboolean settled)
{
  g_autoptr (GError) error = NULL;
  FaspResolve *resolve;

  seen.events = g_string_new (NULL);
  seen.settled = settled;
  resolve = fasp_resolve_new ("studio.example", 7001, on_found, on_settled, NULL, on_failed, NULL,
      &error);
  g_assert_no_error (error);
  return resolve;
}

static void
end (FaspResolve *resolve)
{
  fasp_resolve_free (resolve);
  g_string_free (seen.events, TRUE);
}

/* These are the first events; none of them waits long. */
static void
assert_begins (FaspResolve *resolve, const gchar *events)
{
  gint64 until = g_get_monotonic_time () + WAIT_MAX;

  for (guint n = 1; n <= strlen (events); n++) {
    g_mutex_lock (&seen.lock);
    while (seen.events->len < n)
      g_assert_true (g_cond_wait_until (&seen.changed, &seen.lock, until));
    g_assert_cmpmem (seen.events->str, n, events, n);
    g_mutex_unlock (&seen.lock);
    fasp_resolve_again (resolve);
  }
}

/* While no peer answers, each address has its turn, again and again, the last one no longer than
 * the others. */
static void
test_turns (void)
{
  FaspResolve *resolve = begin (FALSE);

  assert_begins (resolve, "?1.2.1.2");
  end (resolve);
}

/* When the peer is not heard any more, the name may be another machine's, or the same one has
 * started anew: what was known of it is not gone on with. */
static void
test_again (void)
{
  FaspResolve *resolve = begin (TRUE);

  assert_begins (resolve, "?1..?1");
  end (resolve);
}

/* None of its addresses is of the kind that the socket takes. That is told once, though the name is
 * looked up again and again. */
static void
test_useless (void)
{
  FaspResolve *resolve;

  seen.useless = TRUE;
  resolve = begin (FALSE);
  assert_begins (resolve, "?12!?12?12?");
  end (resolve);
  seen.useless = FALSE;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resolve/turns", test_turns);
  g_test_add_func ("/resolve/again", test_again);
  g_test_add_func ("/resolve/useless", test_useless);
  return g_test_run ();
}
