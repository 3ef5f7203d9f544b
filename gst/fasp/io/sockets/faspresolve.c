/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspresolve.h"
#include "faspthread.h"

#define RETRY_AFTER G_TIME_SPAN_SECOND
/* Less than the time that each of several peers has to answer (faspfailover.c). */
#define NEXT_ADDRESS_AFTER (1 * G_TIME_SPAN_SECOND)
#define LOOK_AGAIN_AFTER (10 * G_TIME_SPAN_SECOND)

struct _FaspResolve
{
  gchar *host;
  guint16 port;
  FaspResolveFound found;
  FaspResolveSettled is_settled;
  gpointer user_data;
  void (*failed) (const gchar *, const GError *, gpointer);
  gpointer failed_data;

  GThread *thread;
  GCancellable *cancellable;
  gboolean reported; /* `failed' was called, as no address can be used; used by the thread only */
  GMutex lock;
  GCond changed;
  gboolean again, stop;
};

/* Waits for @span, or until `again' or `stop'. FALSE: the thread must end. */
static gboolean
pause_for (FaspResolve *r, gint64 span)
{
  gint64 until = g_get_monotonic_time () + span;
  gboolean go_on;

  g_mutex_lock (&r->lock);
  while (!r->stop && !r->again && g_cond_wait_until (&r->changed, &r->lock, until))
    ;
  r->again = FALSE;
  go_on = !r->stop;
  g_mutex_unlock (&r->lock);
  return go_on;
}

static gboolean
offer (FaspResolve *r, GInetAddress *address)
{
  g_autoptr (GSocketAddress) whole = g_inet_socket_address_new (address, r->port);

  return r->found (whole, r->user_data);
}

/* Reports that none of the addresses can be used. */
static void
report_unusable (FaspResolve *r)
{
  g_autoptr (GError) error = g_error_new (G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE,
      "it has no address that this socket reaches. IPv4 and IPv6 do not mix; a link-local address "
      "needs its interface, ADDRESS%%25eth0 in a URI");

  if (!r->reported)
    r->failed (r->host, error, r->failed_data);
  r->reported = TRUE;
}

/* Offers each address for a while, one after the other, until one succeeds. FALSE: the thread must
 * end. TRUE: the name must be looked up again, as all failed or the session at one has ended. */
static gboolean
offer_in_turn (FaspResolve *r, GList *addresses)
{
  const gint64 until = g_get_monotonic_time () + LOOK_AGAIN_AFTER;
  const GList *offered = NULL;

  do
    for (GList *l = addresses; l != NULL; l = l->next) {
      gboolean settled = FALSE, was_settled;

      if (l != offered && !offer (r, l->data))
        continue;
      offered = l;
      r->reported = FALSE;
      do {
        was_settled = settled;
        if (!pause_for (r, NEXT_ADDRESS_AFTER))
          return FALSE;
        settled = r->is_settled (r->user_data);
      } while (settled);
      if (was_settled)
        return TRUE;
    }
  while (offered != NULL && g_get_monotonic_time () < until);
  if (offered == NULL)
    report_unusable (r);
  return offered != NULL || pause_for (r, LOOK_AGAIN_AFTER);
}

static gpointer
run (gpointer data)
{
  FaspResolve *r = data;
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  gboolean reported = FALSE;

  for (;;) {
    g_autoptr (GError) error = NULL;
    GList *addresses = g_resolver_lookup_by_name (resolver, r->host, r->cancellable, &error);
    gboolean go_on;

    if (addresses == NULL) {
      if (!reported && !g_cancellable_is_cancelled (r->cancellable))
        r->failed (r->host, error, r->failed_data);
      reported = TRUE;
      go_on = pause_for (r, RETRY_AFTER);
    } else {
      reported = FALSE;
      go_on = offer_in_turn (r, addresses);
      g_resolver_free_addresses (addresses);
    }
    if (!go_on)
      return NULL;
  }
}

FaspResolve *
fasp_resolve_new (const gchar *host, guint16 port, FaspResolveFound found,
    FaspResolveSettled is_settled, gpointer user_data,
    void (*failed) (const gchar *, const GError *, gpointer), gpointer failed_data, GError **error)
{
  FaspResolve *r = g_new0 (FaspResolve, 1);
  g_autoptr (GSocketAddress) literal = g_inet_socket_address_new_from_string (host, port);

  r->host = g_strdup (host);
  r->port = port;
  r->found = found;
  r->is_settled = is_settled;
  r->user_data = user_data;
  r->failed = failed;
  r->failed_data = failed_data;
  r->cancellable = g_cancellable_new ();
  g_mutex_init (&r->lock);
  g_cond_init (&r->changed);
  /* a literal address needs no thread and no name server */
  if (literal != NULL && !found (literal, user_data))
    report_unusable (r);
  else if (literal == NULL)
    r->thread = fasp_thread_new ("fasp-resolve", run, r, error);
  if (literal != NULL || r->thread != NULL)
    return r;
  fasp_resolve_free (r);
  return NULL;
}

void
fasp_resolve_again (FaspResolve *r)
{
  g_mutex_lock (&r->lock);
  r->again = TRUE;
  g_cond_signal (&r->changed);
  g_mutex_unlock (&r->lock);
}

void
fasp_resolve_free (FaspResolve *r)
{
  if (r == NULL)
    return;
  g_cancellable_cancel (r->cancellable);
  g_mutex_lock (&r->lock);
  r->stop = TRUE;
  g_cond_signal (&r->changed);
  g_mutex_unlock (&r->lock);
  if (r->thread != NULL)
    g_thread_join (r->thread);
  g_mutex_clear (&r->lock);
  g_cond_clear (&r->changed);
  g_object_unref (r->cancellable);
  g_free (r->host);
  g_free (r);
}
