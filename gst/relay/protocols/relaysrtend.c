/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/app/app.h>
#include <srt/access_control.h>
#include "relayfields.h"
#include "relayprotocol.h"
#include "relaysrtend.h"
#include "relaysrtsocket.h"
#include "relaysrtthread.h"

/* A sender that is connected and has sent nothing for this long gives way to another one: as
 * encoders send several times a second, it is gone, and SRT will notice that seconds later. */
#define SILENCE (G_TIME_SPAN_SECOND / 2)
/* The loss to a receiver is measured over a span that is at least this time, and less than twice
 * this time, µs.  An alarm for heavy loss is due within 5 s. */
#define LOSS_TIME (3 * G_TIME_SPAN_SECOND)
#define PEERS_MAX 1000 /* of an output */
/* How long an end that closes waits for acknowledgements, and how often it looks: µs. */
#define FLUSH (G_USEC_PER_SEC / 5)
#define FLUSH_EACH 5000
#define OPEN_ERROR GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ_WRITE

RelaySrtEnd *
relay_srt_end_new (RelayProtocolPipeline *pipeline)
{
  RelaySrtEnd *end = g_atomic_rc_box_new0 (RelaySrtEnd);

  end->pipeline = pipeline;
  end->uri = relay_protocol_pipeline_get_uri (pipeline);
  end->peers = g_ptr_array_new ();
  g_mutex_init (&end->lock);
  g_cond_init (&end->changed);
  return end;
}

RelaySrtEnd *
relay_srt_end_ref (RelaySrtEnd *end)
{
  return g_atomic_rc_box_acquire (end);
}

static void
clear (gpointer data)
{
  RelaySrtEnd *end = data;

  g_ptr_array_unref (end->peers);
  g_free (end->failure);
  g_cond_clear (&end->changed);
  g_mutex_clear (&end->lock);
}

void
relay_srt_end_unref (RelaySrtEnd *end)
{
  g_atomic_rc_box_release_full (end, clear);
}

gboolean
relay_srt_end_start (RelaySrtEnd *end, GstElement *element, GError **error)
{
  end->element = element;
  if (end->peers->len > 0)
    relay_srt_watch (((RelaySrtPeer *) g_ptr_array_index (end->peers, 0))->socket, SRT_EPOLL_IN);
  else if (relay_protocol_uri_dials (end->uri))
    g_set_error_literal (error, OPEN_ERROR, end->failure);
  return !relay_protocol_uri_dials (end->uri) || end->peers->len > 0;
}

/* Has SRT nothing more to send? */
static gboolean
is_flushed (RelaySrtEnd *end)
{
  gsize blocks = 0, bytes;

  g_mutex_lock (&end->lock);
  for (guint i = 0; blocks == 0 && i < end->peers->len; i++)
    srt_getsndbuffer (((RelaySrtPeer *) g_ptr_array_index (end->peers, i))->socket, &blocks,
        &bytes);
  g_mutex_unlock (&end->lock);
  return blocks == 0;
}

void
relay_srt_end_flush (RelaySrtEnd *end)
{
  gint64 until = g_get_monotonic_time () + FLUSH;

  while (end->uri->sends && !is_flushed (end) && g_get_monotonic_time () < until)
    g_usleep (FLUSH_EACH);
}

void
relay_srt_end_close (RelaySrtEnd *end)
{
  g_mutex_lock (&end->lock);
  end->closed = TRUE;
  g_mutex_unlock (&end->lock);
}

/* --- peers ------------------------------------------------------------------------------------ */

static gboolean
has_second_caller (RelaySrtEnd *end, const gchar *value)
{
  return g_strcmp0 (relay_protocol_uri_get (end->uri, "second-caller"), value) == 0;
}

/* Under the lock. */
static RelaySrtPeer *
find_replaced (RelaySrtEnd *end)
{
  guint most = has_second_caller (end, "standby") ? 2 : 1;

  return end->uri->sends || end->peers->len < most ?
      NULL :
      g_ptr_array_index (end->peers, end->peers->len - 1);
}

RelaySrtPeer *
relay_srt_end_find_replaced (RelaySrtEnd *end)
{
  RelaySrtPeer *peer;

  g_mutex_lock (&end->lock);
  peer = find_replaced (end);
  g_mutex_unlock (&end->lock);
  return peer;
}

gint
relay_srt_end_look_for_room (RelaySrtEnd *end, const gchar **reason)
{
  const RelaySrtPeer *replaced;
  gint64 silence;
  guint n;

  g_mutex_lock (&end->lock);
  n = end->peers->len;
  replaced = find_replaced (end);
  silence = replaced != NULL ? relay_srt_get_time () - replaced->heard : SILENCE;
  g_mutex_unlock (&end->lock);
  if (silence < SILENCE || (replaced != NULL && has_second_caller (end, "refuse"))) {
    *reason = "another sender is connected: stop that one, or give each an input, with a streamid "
              "or a port of its own";
    return SRT_REJX_CONFLICT;
  }
  *reason = "too many are connected: use more outputs";
  return n < PEERS_MAX ? 0 : SRT_REJX_OVERLOAD;
}

void
relay_srt_end_add (RelaySrtEnd *end, RelaySrtPeer *peer)
{
  g_mutex_lock (&end->lock);
  peer->heard = peer->before.at = peer->last.at = relay_srt_get_time ();
  peer->stands_by = !end->uri->sends && end->peers->len > 0;
  g_ptr_array_add (end->peers, peer);
  g_cond_signal (&end->changed);
  g_mutex_unlock (&end->lock);
}

void
relay_srt_end_remove (RelaySrtEnd *end, RelaySrtPeer *peer)
{
  g_mutex_lock (&end->lock);
  g_ptr_array_remove (end->peers, peer);
  g_mutex_unlock (&end->lock);
}

/* A sender that stands by has sent media: is it used from now on?  Under the lock. */
static gboolean
take_over (RelaySrtEnd *end, RelaySrtPeer *peer)
{
  RelaySrtPeer *used = g_ptr_array_index (end->peers, 0); /* itself, when the other one has gone */

  if (used != peer && peer->heard - used->heard < SILENCE)
    return FALSE;
  used->stands_by = TRUE;
  peer->stands_by = FALSE;
  end->peers->pdata[end->peers->len - 1] = used;
  end->peers->pdata[0] = peer;
  return TRUE;
}

gboolean
relay_srt_end_take (RelaySrtEnd *end, RelaySrtPeer *peer, gconstpointer data, gsize size,
    gboolean begins)
{
  gboolean stood_by, used;
  GstBuffer *buffer;

  g_mutex_lock (&end->lock);
  peer->heard = relay_srt_get_time ();
  stood_by = peer->stands_by;
  used = !end->uri->sends && (!stood_by || take_over (end, peer));
  g_mutex_unlock (&end->lock);
  if (!used)
    return FALSE;
  buffer = gst_buffer_new_memdup (data, size);
  if (begins || stood_by)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_app_src_push_buffer (GST_APP_SRC (end->element), buffer);
  return stood_by;
}

void
relay_srt_end_fail (RelaySrtEnd *end, const gchar *why)
{
  g_autoptr (GError) error = g_error_new_literal (OPEN_ERROR, why);

  g_mutex_lock (&end->lock);
  end->failure = g_strdup (why);
  g_cond_signal (&end->changed);
  g_mutex_unlock (&end->lock);
  if (end->element != NULL)
    gst_element_post_message (end->element,
        gst_message_new_error (GST_OBJECT (end->element), error, NULL));
}

static void
on_cancelled (GCancellable *cancellable, RelaySrtEnd *end)
{
  g_mutex_lock (&end->lock);
  g_cond_signal (&end->changed);
  g_mutex_unlock (&end->lock);
}

gboolean
relay_srt_end_wait (RelaySrtEnd *end, GCancellable *cancellable, GError **error)
{
  gulong id = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), end, NULL);
  gboolean good;

  g_mutex_lock (&end->lock);
  while (end->peers->len == 0 && end->failure == NULL && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait (&end->changed, &end->lock);
  good = end->peers->len > 0;
  if (!good)
    g_set_error_literal (error, OPEN_ERROR,
        end->failure != NULL ? end->failure : "it was cancelled.");
  g_mutex_unlock (&end->lock);
  g_cancellable_disconnect (cancellable, id);
  return good;
}

void
relay_srt_end_send (RelaySrtEnd *end, GstBuffer *buffer)
{
  guint64 sent = 0, failed = 0;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  g_mutex_lock (&end->lock);
  for (guint i = 0; i < end->peers->len; i++) {
    const RelaySrtPeer *peer = g_ptr_array_index (end->peers, i);
    gboolean good = srt_sendmsg (peer->socket, (gchar *) map.data, map.size, -1, TRUE) > 0;

    *(good ? &sent : &failed) += map.size;
  }
  if (end->peers->len == 0 && relay_protocol_uri_dials (end->uri))
    failed = map.size;
  if (!end->closed)
    relay_protocol_pipeline_note_sent (end->pipeline, map.size, sent, failed);
  g_mutex_unlock (&end->lock);
  gst_buffer_unmap (buffer, &map);
}

/* Adds an estimate of the share of the datagrams to a receiver that were lost of late, if there is
 * one: that of repairs among all datagrams, as each loss has one repair.  libsrt also counts losses
 * (packets-sent-lost), but a packet counts again with each report of the receiver until its repair
 * has come.  The estimate is too high if a repair is sent again before the first can be known to
 * have come, and too low by what is dropped unrepaired. */
static void
add_loss (RelaySrtPeer *its, GstStructure *peer)
{
  gint64 now = relay_srt_get_time ();
  guint64 sent, repairs;

  if (!gst_structure_get (peer, "packets-sent", G_TYPE_UINT64, &sent, "packets-retransmitted",
          G_TYPE_UINT64, &repairs, NULL))
    return;
  if (now - its->last.at >= LOSS_TIME) {
    its->before = its->last;
    its->last.at = now;
    its->last.sent = sent;
    its->last.repairs = repairs;
  }
  if (its->before.at < its->last.at && sent > its->before.sent)
    gst_structure_set (peer, "loss", G_TYPE_DOUBLE,
        MIN ((repairs - its->before.repairs) / (gdouble) (sent - its->before.sent), 1), NULL);
}

void
relay_srt_end_add_peers (RelaySrtEnd *end, GPtrArray *peers)
{
  g_mutex_lock (&end->lock);
  for (guint i = 0; i < end->peers->len; i++) {
    RelaySrtPeer *its = g_ptr_array_index (end->peers, i);
    GstStructure *peer = gst_structure_new_empty (RELAY_PEER);

    if (has_second_caller (end, "standby"))
      gst_structure_set (peer, "stands-by", G_TYPE_BOOLEAN, its->stands_by, NULL);
    if (its->stands_by)
      gst_structure_set (peer, "interrupted", G_TYPE_BOOLEAN,
          relay_srt_get_time () - its->heard >= SILENCE, NULL);
    relay_fields_set_address (peer, its->address);
    if (its->streamid != NULL && its->streamid[0] != '\0')
      gst_structure_set (peer, "streamid", G_TYPE_STRING, its->streamid, NULL);
    relay_srt_socket_add_figures (its->socket, end->uri->sends, peer);
    add_loss (its, peer);
    g_ptr_array_add (peers, peer);
  }
  g_mutex_unlock (&end->lock);
}

gboolean
relay_srt_end_has_standby (RelaySrtEnd *end, guint *n)
{
  *n = 0;
  g_mutex_lock (&end->lock);
  for (guint i = 0; i < end->peers->len; i++)
    *n += ((RelaySrtPeer *) g_ptr_array_index (end->peers, i))->stands_by;
  g_mutex_unlock (&end->lock);
  return has_second_caller (end, "standby");
}
