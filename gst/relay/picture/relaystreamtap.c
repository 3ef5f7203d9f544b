/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaystreamtap.h"
#include <sys/socket.h>

/* Of its owner, and of the probe: a callback may still run when the probe has been removed. */
struct _RelayStreamTap
{
  GstPad *pad; /* used in the main context only, as the next */
  gulong probe;
  gint flows;        /* atomic: data have flowed since the last relay_stream_tap_flows() */
  gint open;         /* atomic: FALSE: data are not copied, so the rest need not be read */
  GMutex lock;       /* guards the rest; held during writes, which do not block */
  PictureRing *ring; /* NULL: none */
  gint fd;
  gint64 begun;
  gboolean full;
  gboolean wakes; /* what was written has to wake the reader */
};

RelayStreamTap *
relay_stream_tap_new (void)
{
  RelayStreamTap *tap = g_atomic_rc_box_new0 (RelayStreamTap);

  g_mutex_init (&tap->lock);
  return tap;
}

static void
clear (gpointer tap)
{
  g_mutex_clear (&((RelayStreamTap *) tap)->lock);
}

static void
release (gpointer tap)
{
  g_atomic_rc_box_release_full (tap, clear);
}

void
relay_stream_tap_free (RelayStreamTap *tap)
{
  relay_stream_tap_set_pad (tap, NULL);
  release (tap);
}

/* --- in the stream's thread ----------------------------------------------------------------- */

/* FALSE: the ring has no room for all of the buffer. */
static gboolean
write_buffer (RelayStreamTap *tap, GstBuffer *buffer)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstMapInfo map;
    gboolean fits;

    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      return FALSE;
    fits = picture_ring_write (tap->ring, map.data, map.size, &tap->wakes);
    gst_memory_unmap (memory, &map);
    if (!fits)
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_piece (GstBuffer **buffer, guint index, gpointer data)
{
  return write_buffer (data, *buffer);
}

static GstPadProbeReturn
on_flow (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  RelayStreamTap *tap = data;

  /* read first, as each write would take the cache line from other processors */
  if (!g_atomic_int_get (&tap->flows))
    g_atomic_int_set (&tap->flows, TRUE);
  if (!g_atomic_int_get (&tap->open))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&tap->lock);
  if (tap->ring != NULL && !tap->full) {
    if (tap->begun == 0)
      tap->begun = g_get_monotonic_time ();
    tap->wakes = FALSE;
    tap->full = (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) != 0 ?
        !gst_buffer_list_foreach (gst_pad_probe_info_get_buffer_list (info), write_piece, tap) :
        !write_buffer (tap, gst_pad_probe_info_get_buffer (info));
    /* if the socket has no room, it holds what will wake the reader */
    if (tap->wakes)
      send (tap->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (tap->full)
      g_atomic_int_set (&tap->open, FALSE);
  }
  g_mutex_unlock (&tap->lock);
  return GST_PAD_PROBE_OK;
}

/* --- the interface --------------------------------------------------------------------------- */

void
relay_stream_tap_set_pad (RelayStreamTap *tap, GstPad *pad)
{
  if (tap->pad != NULL) {
    gst_pad_remove_probe (tap->pad, tap->probe);
    gst_clear_object (&tap->pad);
  }
  if (pad == NULL)
    return;
  tap->pad = gst_object_ref (pad);
  tap->probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST,
      on_flow, g_atomic_rc_box_acquire (tap), release);
}

/* Under the lock. */
static void
set_open (RelayStreamTap *tap, gboolean open)
{
  tap->begun = 0;
  tap->full = FALSE;
  g_atomic_int_set (&tap->open, open);
}

void
relay_stream_tap_set_ring (RelayStreamTap *tap, PictureRing *ring, gint fd)
{
  g_mutex_lock (&tap->lock);
  set_open (tap, FALSE);
  tap->ring = ring;
  tap->fd = fd;
  g_mutex_unlock (&tap->lock);
}

void
relay_stream_tap_set_open (RelayStreamTap *tap, gboolean open)
{
  g_mutex_lock (&tap->lock);
  set_open (tap, open);
  g_mutex_unlock (&tap->lock);
}

gboolean
relay_stream_tap_flows (RelayStreamTap *tap)
{
  return g_atomic_int_compare_and_exchange (&tap->flows, TRUE, FALSE);
}

gint64
relay_stream_tap_get_begun (RelayStreamTap *tap)
{
  gint64 begun;

  g_mutex_lock (&tap->lock);
  begun = tap->begun;
  g_mutex_unlock (&tap->lock);
  return begun;
}

gboolean
relay_stream_tap_is_full (RelayStreamTap *tap)
{
  gboolean full;

  g_mutex_lock (&tap->lock);
  full = tap->full;
  g_mutex_unlock (&tap->lock);
  return full;
}
