/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include "ends.h"

static void
on_event (FaspIo *io, const FaspEvent *event, gpointer data)
{
}

static void
on_send_failed (guint link, const gchar *why, gpointer data)
{
  g_test_message ("%s", why);
}

static void
on_receive_failed (const gchar *why, gpointer data)
{
  g_test_message ("%s", why);
}

static void
on_resolve_failed (const gchar *host, const GError *error, gpointer data)
{
  g_assert_not_reached ();
}

static void
on_short (guint64 rate, gsize granted, gsize wanted, gpointer data)
{
}

void
end_settings_init (EndSettings *settings, FaspRole role, FaspMode mode, guint16 peer, gpointer data)
{
  *settings = (EndSettings) {
    .link = { .local_address = "127.0.0.1", .tos = -1 },
    .io = {
      .sockets = &settings->link,
      .n_sockets = 1,
      .event = on_event,
      .send_failed = on_send_failed,
      .receive_failed = on_receive_failed,
      .resolve_failed = on_resolve_failed,
      .buffer_short = on_short,
      .user_data = data,
      .peer_host = mode == FASP_MODE_CALLER ? "127.0.0.1" : NULL,
      .peer_port = peer,
    },
  };
  fasp_endpoint_config_init (&settings->io.endpoint, role, mode);
}

FaspIo *
end_new (const EndSettings *settings)
{
  g_autoptr (GError) error = NULL;
  FaspIo *io = fasp_io_new (&settings->io, &error);

  g_assert_no_error (error);
  return io;
}

void
end_drain (FaspIo *io)
{
  FaspIoResult result;
  FaspEvent event;
  guint64 lost;

  for (guint i = 0; (result = fasp_io_drain (io, &lost, &event)) == FASP_IO_WAITING; i++)
    g_assert_cmpuint (i, <, LOOKS_MAX * 1000 / FASP_IO_TIMEOUT);
  g_assert_cmpint (result, ==, FASP_IO_OK);
  g_assert_cmpuint (lost, ==, 0);
}

gint threads_left = -1;

GThread *
g_thread_try_new (const gchar *name, GThreadFunc func, gpointer data, GError **error)
{
  GThread *(*real) (const gchar *, GThreadFunc, gpointer, GError **) =
      dlsym (RTLD_NEXT, "g_thread_try_new");

  if (threads_left != 0) {
    threads_left -= threads_left > 0;
    return real (name, func, data, error);
  }
  g_set_error_literal (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "no more threads");
  return NULL;
}

void
pause_before_look (guint *looks)
{
  g_assert_cmpuint ((*looks)++, <, LOOKS_MAX);
  g_usleep (1000);
}

void
wait_for_count (gint *count, gint n)
{
  for (guint looks = 0; g_atomic_int_get (count) < n;)
    pause_before_look (&looks);
}
