/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "relayclient.h"
#include <gio/gio.h>
#if HAVE_SOUP
#include <libsoup/soup.h>
#endif

#define BAD(error, ...) g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE, __VA_ARGS__)

gboolean
relay_client_may_help (guint status)
{
  return status < 300 || status >= 500 || status == 408 || status == 429;
}

#if HAVE_SOUP

/* So much of a body is read, bytes, that the connection can serve the next request. */
#define BODY 4096
#define KEPT 60 /* s that a connection is kept for the next request */
/* More than there are requests: 32 questions about callers (relayauth.h), or one of each of 16
 * hooks. */
#define CONNECTIONS 64

struct _RelayClient
{
  SoupSession *session;
  GPtrArray *posts; /* Post, under way */
};

typedef struct
{
  RelayClient *client;
  SoupMessage *message;
  GCancellable *cancellable;
  guint timer, most; /* ms */
  gboolean late, given_up;
  RelayClientFunc func;
  gpointer data;
} Post;

gboolean
relay_client_check (const gchar *url, GError **error)
{
  g_autoptr (GUri) uri = g_uri_parse (url, SOUP_HTTP_URI_FLAGS, NULL);
  const gchar *scheme = uri != NULL ? g_uri_get_scheme (uri) : "";

  if (!g_str_equal (scheme, "http") && !g_str_equal (scheme, "https"))
    BAD (error, "write http://HOST:PORT/PATH, or https://.");
  else if (g_uri_get_host (uri) == NULL || g_uri_get_host (uri)[0] == '\0')
    BAD (error, "the URL needs a host.");
  else if (g_uri_get_userinfo (uri) != NULL)
    BAD (error, "a user and a password in a URL are not sent: leave them out.");
  else
    return TRUE;
  return FALSE;
}

RelayClient *
relay_client_new (void)
{
  RelayClient *client = g_new0 (RelayClient, 1);

  client->posts = g_ptr_array_new ();
  client->session =
      soup_session_new_with_options ("user-agent", "fasp-relay/" VERSION, "max-conns", CONNECTIONS,
          "max-conns-per-host", CONNECTIONS, "idle-timeout", KEPT, "proxy-resolver", NULL, NULL);
  soup_session_remove_feature_by_type (client->session, SOUP_TYPE_CONTENT_DECODER);
  return client;
}

void
relay_client_free (RelayClient *client)
{
  for (guint i = 0; i < client->posts->len; i++) {
    Post *post = g_ptr_array_index (client->posts, i);

    post->given_up = TRUE;
    g_cancellable_cancel (post->cancellable);
  }
  soup_session_abort (client->session);
  /* each ends at once, as it is cancelled */
  while (client->posts->len > 0)
    g_main_context_iteration (NULL, TRUE);
  g_object_unref (client->session);
  g_ptr_array_unref (client->posts);
  g_free (client);
}

static gboolean
on_late (gpointer data)
{
  Post *post = data;

  post->timer = 0;
  post->late = TRUE;
  g_cancellable_cancel (post->cancellable);
  return G_SOURCE_REMOVE;
}

/* Takes over @why. */
static void
end (Post *post, guint status, gchar *why)
{
  if (post->timer != 0)
    g_source_remove (post->timer);
  g_ptr_array_remove_fast (post->client->posts, post);
  if (!post->given_up)
    post->func (status, why, post->data);
  g_object_unref (post->message);
  g_object_unref (post->cancellable);
  g_free (why);
  g_free (post);
}

/* The body is not used, so it does not matter whether it came whole and in time. */
static void
on_read (GObject *body, GAsyncResult *result, gpointer data)
{
  Post *post = data;

  g_input_stream_skip_finish (G_INPUT_STREAM (body), result, NULL);
  end (post, soup_message_get_status (post->message), NULL);
}

static void
on_answer (GObject *session, GAsyncResult *result, gpointer data)
{
  Post *post = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) body = soup_session_send_finish (SOUP_SESSION (session), result, &error);

  if (body != NULL)
    g_input_stream_skip_async (body, BODY, G_PRIORITY_DEFAULT, post->cancellable, on_read, post);
  else if (post->late)
    end (post, RELAY_CLIENT_LATE, g_strdup_printf ("no answer in %.1f s", post->most / 1e3));
  else
    end (post, 0, g_strdup (error->message));
}

void
relay_client_post (RelayClient *client, const gchar *url, GBytes *body, const gchar *signature,
    guint most, RelayClientFunc func, gpointer data)
{
  Post *post = g_new0 (Post, 1);

  post->client = client;
  post->message = soup_message_new (SOUP_METHOD_POST, url);
  post->cancellable = g_cancellable_new ();
  post->most = most;
  post->func = func;
  post->data = data;
  g_ptr_array_add (client->posts, post);
  soup_message_add_flags (post->message, SOUP_MESSAGE_NO_REDIRECT);
  soup_message_set_request_body_from_bytes (post->message, "application/json", body);
  if (signature != NULL)
    soup_message_headers_replace (soup_message_get_request_headers (post->message),
        "Fasp-Signature", signature);
  post->timer = g_timeout_add (most, on_late, post);
  soup_session_send_async (client->session, post->message, G_PRIORITY_DEFAULT, post->cancellable,
      on_answer, post);
}

#else

gboolean
relay_client_check (const gchar *url, GError **error)
{
  BAD (error, "this fasp-relay was built without libsoup-3.0, and calls no HTTP server.");
  return FALSE;
}

RelayClient *
relay_client_new (void)
{
  return NULL;
}

void
relay_client_free (RelayClient *client)
{
}

/* Not called, as no URL is good. */
void
relay_client_post (RelayClient *client, const gchar *url, GBytes *body, const gchar *signature,
    guint most, RelayClientFunc func, gpointer data)
{
}

#endif
