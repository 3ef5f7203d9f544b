/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspcallers.h"
#include <stdio.h>
#include "faspsocket.h"
#include "gstfaspaddress.h"
#include "gstfaspkeys.h"

static gboolean
stop_at_refusal (GSignalInvocationHint *hint, GValue *sum, const GValue *one, gpointer unused)
{
  gboolean accept = g_value_get_boolean (one);

  g_value_set_boolean (sum, accept);
  return accept; /* a refusal is final */
}

/* The default: accepts callers that no handler has refused. */
static gboolean
accept_caller (GstElement *element, GSocketAddress *address, const gchar *streamid)
{
  return TRUE;
}

void
gst_fasp_callers_install (GType type)
{
  g_signal_new_class_handler ("caller-connecting", type, G_SIGNAL_RUN_LAST,
      G_CALLBACK (accept_caller), stop_at_refusal, NULL, NULL, G_TYPE_BOOLEAN, 2,
      G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING);
  /**
   * GstFaspSink::caller-identified:
   * @sink: a faspsink
   * @address: the caller's
   * @streamid: the name of the stream that it asks for
   * @key: its public key; %NULL: it has none
   * @name: the name of that key; %NULL: it has none
   *
   * May the caller come in?
   *
   * Returns: %FALSE: it is turned away
   *
   * Since: 1.0
   */
  /**
   * GstFaspSrc::caller-identified:
   * @src: a faspsrc
   * @address: the caller's
   * @streamid: the name of the stream that it asks for
   * @key: its public key; %NULL: it has none
   * @name: the name of that key; %NULL: it has none
   *
   * May the caller come in?
   *
   * Returns: %FALSE: it is turned away
   *
   * Since: 1.0
   */
  /* no default: without a handler it is FALSE */
  g_signal_new ("caller-identified", type, G_SIGNAL_RUN_LAST, 0, stop_at_refusal, NULL, NULL,
      G_TYPE_BOOLEAN, 4, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING);
  /**
   * GstFaspSink::caller-asked:
   * @sink: a faspsink
   * @address: the caller's
   * @streamid: the name of the stream that it asks for
   * @key: its public key; %NULL: it has none
   * @name: the name of that key; %NULL: it has none
   * @ticket: names the question
   *
   * No handler has refused the caller.  Is the answer to come later, by
   * #GstFaspSink::decide-caller?
   *
   * Returns: %FALSE: the caller comes in now
   *
   * Since: 1.0
   */
  /**
   * GstFaspSrc::caller-asked:
   * @src: a faspsrc
   * @address: the caller's
   * @streamid: the name of the stream that it asks for
   * @key: its public key; %NULL: it has none
   * @name: the name of that key; %NULL: it has none
   * @ticket: names the question
   *
   * No handler has refused the caller.  Is the answer to come later, by #GstFaspSrc::decide-caller?
   *
   * Returns: %FALSE: the caller comes in now
   *
   * Since: 1.0
   */
  g_signal_new ("caller-asked", type, G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_true_handled, NULL,
      NULL, G_TYPE_BOOLEAN, 5, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
      G_TYPE_STRING);
}

gboolean
gst_fasp_callers_has_handler (GstElement *element, const gchar *name)
{
  return g_signal_has_handler_pending (element, g_signal_lookup (name, G_OBJECT_TYPE (element)), 0,
      FALSE);
}

gboolean
gst_fasp_callers_have_judge (GstElement *element)
{
  return gst_fasp_callers_has_handler (element, "caller-connecting")
      || gst_fasp_callers_has_handler (element, "caller-identified")
      || gst_fasp_callers_has_handler (element, "caller-asked");
}

typedef enum
{
  REFUSED,
  ACCEPTED,
  LATER,
} Answer;

/* Emits srtsink's signal, then caller-identified, which also has the caller's key, and only
 * strings, which every language copies by itself, then caller-asked.  A caller whose key is not
 * among those allowed comes in only if a handler of caller-identified accepts it. */
static Answer
ask (GstElement *element, guint source, const FaspEvent *event)
{
  g_autoptr (GSocketAddress) address = fasp_socket_address_to_gio (&event->address);
  g_autofree gchar *text = NULL, *key = NULL, *ticket = NULL;
  gboolean stranger = event->peer.proved && !event->peer.allowed, accept = FALSE, later = FALSE;
  const gchar *name = event->peer.proved ? event->peer.name : NULL;

  g_signal_emit_by_name (element, "caller-connecting", address, event->streamid, &accept);
  if (!accept)
    return REFUSED;
  text = gst_fasp_address_to_string (&event->address);
  if (event->peer.proved)
    key = gst_fasp_public_key_to_text (event->peer.key);
  if (stranger || gst_fasp_callers_has_handler (element, "caller-identified")) {
    accept = FALSE;
    g_signal_emit_by_name (element, "caller-identified", text, event->streamid, key, name, &accept);
  }
  if (!accept)
    return REFUSED;
  ticket = g_strdup_printf ("%u-%" G_GUINT64_FORMAT "-%u", source, event->order, event->session);
  g_signal_emit_by_name (element, "caller-asked", text, event->streamid, key, name, ticket, &later);
  return later ? LATER : ACCEPTED;
}

void
gst_fasp_callers_answer (GstElement *element, FaspIo *io, guint source, const FaspEvent *event)
{
  Answer answer = ask (element, source, event);

  if (answer == LATER)
    return;
  fasp_endpoint_decide (fasp_io_lock (io), g_get_monotonic_time (), event,
      answer == ACCEPTED ? FASP_REASON_NONE : FASP_REASON_REFUSED, NULL, NULL);
  fasp_io_unlock (io, TRUE);
}

gboolean
gst_fasp_callers_read_ticket (const gchar *ticket, guint *source, FaspEvent *asked)
{
  *asked = (FaspEvent) { .type = FASP_EVENT_CONNECTING };
  return ticket != NULL
      && sscanf (ticket, "%u-%" G_GINT64_MODIFIER "u-%u", source, &asked->order, &asked->session)
      == 3;
}
