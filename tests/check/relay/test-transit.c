/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements with a passphrase start one after the other, and one that hangs holds up no other for
 * long.
 */
#include "relaytransit.h"

/* An element that starts when it may. */
typedef struct
{
  GstElement parent;
  GMutex *may; /* NULL: at once */
} Starter;

typedef GstElementClass StarterClass;

static GType starter_get_type (void);
G_DEFINE_TYPE (Starter, starter, GST_TYPE_ELEMENT)

static GstStateChangeReturn
starter_change_state (GstElement *element, GstStateChange change)
{
  Starter *self = (Starter *) element;

  if (change == GST_STATE_CHANGE_READY_TO_PAUSED && self->may != NULL) {
    g_mutex_lock (self->may);
    g_mutex_unlock (self->may);
  }
  return GST_ELEMENT_CLASS (starter_parent_class)->change_state (element, change);
}

static void
starter_init (Starter *self)
{
}

static void
starter_class_init (StarterClass *klass)
{
  klass->change_state = starter_change_state;
}

static void
on_changed (GstElement *element, GstState state, gboolean good, gpointer started)
{
  GstState now;

  gst_element_get_state (element, &now, NULL, 0);
  *(gint *) started = now == state ? 1 : -1;
}

/* Has an element start, unless @wish is no longer 1, and sets *@started to 1; to -1: it did not. */
static GstElement *
begin (GMutex *may, const gint *wish, gint *started)
{
  Starter *starter = g_object_ref_sink (g_object_new (starter_get_type (), NULL));

  starter->may = may;
  relay_transit (GST_ELEMENT (starter), GST_STATE_PAUSED, TRUE, wish, 1, on_changed, started);
  return GST_ELEMENT (starter);
}

static void
end (GstElement *element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

static void
test_turns (void)
{
  static GMutex disk;
  gint wish = 1, gone = 0, hung = 0, called_off = 0, started = 0;
  GstElement *elements[3];

  g_mutex_lock (&disk);
  elements[0] = begin (&disk, &wish, &hung);
  g_usleep (100000); /* it has the first turn, or else this shows nothing */
  elements[1] = begin (NULL, &gone, &called_off);
  elements[2] = begin (NULL, &wish, &started);
  while (called_off == 0 || started == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (called_off, ==, -1);
  g_assert_cmpint (started, ==, 1);
  g_assert_cmpint (hung, ==, 0);
  g_mutex_unlock (&disk);
  while (hung == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (hung, ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    end (elements[i]);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/transit/turns", test_turns);
  return g_test_run ();
}
