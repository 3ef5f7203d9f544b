/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Keys that are made of passphrases: each once, and two at a time.  Link with --wrap=fasp_stretch.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gst/gst.h>
#include "gstfaspelements.h"
#include "gstfaspstretch.h"

/* What is being made, guarded by its lock. */
static struct
{
  GMutex lock;
  GCond changed;
  guint begun, now, most; /* keys: all, at this moment, at a time */
  gboolean held;          /* none gets ready */
} making;

/* Atomic. */
static gint no_threads;

guint
g_get_num_processors (void)
{
  return 8;
}

GThread *
g_thread_try_new (const gchar *name, GThreadFunc func, gpointer data, GError **error)
{
  GThread *(*real) (const gchar *, GThreadFunc, gpointer, GError **) =
      dlsym (RTLD_NEXT, "g_thread_try_new");

  return g_atomic_int_get (&no_threads) ? NULL : real (name, func, data, error);
}

void __wrap_fasp_stretch (const gchar *passphrase, guint8 *key);

void
__wrap_fasp_stretch (const gchar *passphrase, guint8 *key)
{
  g_mutex_lock (&making.lock);
  making.begun++;
  making.now++;
  making.most = MAX (making.most, making.now);
  g_cond_broadcast (&making.changed);
  while (making.held)
    g_cond_wait (&making.changed, &making.lock);
  making.now--;
  key[0] = passphrase[0];
  g_mutex_unlock (&making.lock);
}

static void
hold (gboolean on)
{
  g_mutex_lock (&making.lock);
  making.held = on;
  if (on)
    making.begun = making.most = 0;
  g_cond_broadcast (&making.changed);
  g_mutex_unlock (&making.lock);
}

static void
wait_for (guint begun)
{
  g_mutex_lock (&making.lock);
  while (making.begun < begun)
    g_cond_wait (&making.changed, &making.lock);
  g_mutex_unlock (&making.lock);
}

/* Begins @n keys of so many passphrases, waits until @begun are being made, and then for all. */
static void
make (guint n, guint different, guint begun)
{
  GstFaspStretched *keys[20];

  hold (TRUE);
  for (guint i = 0; i < n; i++) {
    g_autofree gchar *passphrase = g_strdup_printf ("%c, the passphrase", 'a' + i % different);

    keys[i] = gst_fasp_stretch_begin (passphrase);
  }
  wait_for (begun);
  hold (FALSE);
  for (guint i = 0; i < n; i++) {
    gst_fasp_stretched_wait (keys[i]);
    g_assert_cmpuint (gst_fasp_stretched_get_key (keys[i])[0], ==, 'a' + i % different);
  }
  for (guint i = 0; i < n; i++)
    gst_fasp_stretched_unref (keys[i]);
  g_assert_cmpuint (making.begun, ==, different);
  g_assert_cmpuint (making.most, ==, MIN (different, 2));
}

static void
test_same (void)
{
  make (20, 1, 1);
}

static void
test_different (void)
{
  make (20, 20, 2);
}

/* One that nothing needs any more is not made. */
static void
test_dropped (void)
{
  GstFaspStretched *one, *two, *three;

  hold (TRUE);
  one = gst_fasp_stretch_begin ("one");
  two = gst_fasp_stretch_begin ("two");
  wait_for (2);
  three = gst_fasp_stretch_begin ("three");
  gst_fasp_stretched_unref (three);
  hold (FALSE);
  gst_fasp_stretched_unref (one);
  gst_fasp_stretched_unref (two);
  g_assert_cmpuint (making.begun, ==, 2);
}

/* Without threads, the one that needs a key makes it. */
static void
test_no_threads (void)
{
  GstFaspStretched *key;

  g_atomic_int_set (&no_threads, TRUE);
  key = gst_fasp_stretch_begin ("key");
  gst_fasp_stretched_wait (key);
  g_assert_cmpuint (gst_fasp_stretched_get_key (key)[0], ==, 'k');
  gst_fasp_stretched_unref (key);
  g_atomic_int_set (&no_threads, FALSE);
}

/* The elements of a pipeline begin in READY. */
static void
test_elements (void)
{
  GstElement *pipeline = gst_pipeline_new (NULL);

  for (guint i = 0; i < 2; i++) {
    GstElement *sink = gst_element_factory_make ("faspsink", NULL);

    g_object_set (sink, "passphrase", i == 0 ? "first-passphrase" : "second-passphrase", NULL);
    gst_bin_add (GST_BIN (pipeline), sink);
  }
  hold (TRUE);
  gst_element_set_state (pipeline, GST_STATE_READY);
  wait_for (2);
  hold (FALSE);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_assert_true (GST_ELEMENT_REGISTER (faspsink, NULL));
  g_test_add_func ("/stretch/same", test_same);
  g_test_add_func ("/stretch/different", test_different);
  g_test_add_func ("/stretch/dropped", test_dropped);
  g_test_add_func ("/stretch/no-threads", test_no_threads);
  g_test_add_func ("/stretch/elements", test_elements);
  return g_test_run ();
}
