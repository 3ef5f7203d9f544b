/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tap may be freed while data flow through its pad.
 */
#include "relaystreamtap.h"

static GMutex lock;
static GCond cond;
static gboolean writing, freed;

gboolean __wrap_picture_ring_write (PictureRing *ring, const guint8 *data, gsize size,
    gboolean *wake);

/* Holds up the thread that writes until the tap has been freed. */
gboolean
__wrap_picture_ring_write (PictureRing *ring, const guint8 *data, gsize size, gboolean *wake)
{
  g_mutex_lock (&lock);
  writing = TRUE;
  g_cond_broadcast (&cond);
  while (!freed)
    g_cond_wait (&cond, &lock);
  g_mutex_unlock (&lock);
  return TRUE;
}

static gpointer
push (gpointer pad)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_pad_push_event (pad, gst_event_new_stream_start ("stream"));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_pad_push (pad, gst_buffer_new_allocate (NULL, 188, NULL));
  return NULL;
}

static void
test_freed (void)
{
  g_autoptr (GstPad) pad = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  RelayStreamTap *tap = relay_stream_tap_new ();
  GThread *thread;

  gst_pad_set_active (pad, TRUE);
  relay_stream_tap_set_pad (tap, pad);
  /* which is never looked into, as the function that writes into it is the one above */
  relay_stream_tap_set_ring (tap, (PictureRing *) &lock, -1);
  relay_stream_tap_set_open (tap, TRUE);
  thread = g_thread_new ("stream", push, pad);
  g_mutex_lock (&lock);
  while (!writing)
    g_cond_wait (&cond, &lock);
  relay_stream_tap_free (tap);
  freed = TRUE;
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
  g_thread_join (thread);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/streamtap/freed", test_freed);
  return g_test_run ();
}
