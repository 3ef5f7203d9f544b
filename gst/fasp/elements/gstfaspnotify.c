/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspcallers.h"
#include "gstfaspevents.h"
#include "gstfaspsources.h"
#include "gstfaspnotify.h"

/* The connection whose signals this thread is emitting. */
static GPrivate notifying;

static gpointer
begin_notifying (GstFaspConnection *c)
{
  gpointer before = g_private_get (&notifying);

  g_private_set (&notifying, c);
  return before;
}

static void
end_notifying (gpointer before)
{
  g_private_set (&notifying, before);
}

/* Is the event about the stream rather than the source? With several sources, such events of a
 * single source are ignored, as another source may bring what this one lacks. */
static gboolean
is_of_stream (const FaspEvent *event)
{
  return event->type == FASP_EVENT_JOINED || event->type == FASP_EVENT_GAP
      || event->type == FASP_EVENT_MOVED;
}

static void
note_peer (GstFaspSource *source, const FaspEvent *event)
{
  if (event->type != FASP_EVENT_CONNECTED)
    return;
  g_mutex_lock (&source->connection->lock);
  source->peer = event->address;
  g_mutex_unlock (&source->connection->lock);
}

/* Does the event mean that one of several sources will not be called again? */
static gboolean
is_given_up (GstFaspConnection *c, const FaspEvent *event)
{
  if (event->type == FASP_EVENT_REJECTED || !event->final)
    return event->final;
  return c->is_caller && event->type == FASP_EVENT_REMOVED
      && fasp_reason_is_lasting (event->reason);
}

static void
handle_event (FaspIo *io, const FaspEvent *event, gpointer data)
{
  GstFaspSource *source = data;
  GstFaspConnection *c = source->connection;
  gpointer before = begin_notifying (c);

  note_peer (source, event);
  /* before signals, whose handlers may query the element */
  if (c->event != NULL)
    c->event (c->element, source->number, event);
  if (event->type == FASP_EVENT_FLOW_OUT || event->type == FASP_EVENT_FLOW_BACK)
    gst_fasp_lines_post (source->lines, c->element, event);
  if (event->type == FASP_EVENT_CONNECTING)
    gst_fasp_callers_answer (c->element, io, source->number, event);
  if (c->n_sources == 1 || !is_of_stream (event))
    gst_fasp_events_handle (c->element, io, event, &source->posted);
  if (c->n_sources > 1 && is_given_up (c, event))
    gst_fasp_sources_warn_failed (c->element, event);
  end_notifying (before);
}

static void
handle_resolve_failed (const gchar *host, const GError *error, gpointer data)
{
  GstFaspConnection *c = ((GstFaspSource *) data)->connection;
  gpointer before = begin_notifying (c);

  gst_fasp_events_resolve_failed (c->element, host, error);
  end_notifying (before);
}

static void
handle_buffer_short (guint64 rate, gsize granted, gsize wanted, gpointer data)
{
  GstFaspConnection *c = ((GstFaspSource *) data)->connection;
  gpointer before = begin_notifying (c);

  gst_fasp_events_buffer_short (c->element, rate, granted, wanted);
  end_notifying (before);
}

static void
handle_send_failed (guint socket, const gchar *why, gpointer data)
{
  GstFaspSource *source = data;
  GstFaspConnection *c = source->connection;
  gpointer before = begin_notifying (c);
  g_autofree gchar *line = gst_fasp_lines_describe (source->lines, socket, NULL);

  gst_fasp_events_send_failed (c->element, line, why);
  end_notifying (before);
}

static void
handle_receive_failed (const gchar *why, gpointer data)
{
  GstFaspConnection *c = ((GstFaspSource *) data)->connection;
  gpointer before = begin_notifying (c);

  gst_fasp_events_receive_failed (c->element, why);
  end_notifying (before);
}

/* Handles an event of the merge, in the streaming thread. */
static void
handle_change (const FaspMergeEvent *event, gpointer data)
{
  GstFaspConnection *c = data;
  FaspAddress peer;

  g_mutex_lock (&c->lock);
  peer = c->sources[event->source].peer;
  g_mutex_unlock (&c->lock);
  gst_fasp_sources_post (c->element, event, &peer, &c->changes[event->type]);
}

static void
handle_stream_event (guint source, const FaspEvent *event, gpointer data)
{
  GstFaspConnection *c = data;
  FaspEvent with_peer = *event;

  g_mutex_lock (&c->lock);
  with_peer.address = c->sources[source].peer;
  g_mutex_unlock (&c->lock);
  gst_fasp_events_handle (c->element, fasp_sources_get (c->several, source), &with_peer,
      &c->posted);
}

void
gst_fasp_notify_fill (FaspIoSettings *io)
{
  io->event = handle_event;
  io->resolve_failed = handle_resolve_failed;
  io->send_failed = handle_send_failed;
  io->receive_failed = handle_receive_failed;
  io->buffer_short = handle_buffer_short;
}

void
gst_fasp_notify_fill_sources (GstFaspConnection *connection, FaspSourcesSettings *settings)
{
  settings->changed = handle_change;
  settings->event = handle_stream_event;
  settings->user_data = connection;
}

gboolean
gst_fasp_notify_is_self (const GstFaspConnection *connection)
{
  return g_private_get (&notifying) == connection;
}
