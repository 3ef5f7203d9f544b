/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define GLIB_DISABLE_DEPRECATION_WARNINGS /* of GValueArray */
#include "report.h"
#include <errno.h>
#include <glib-unix.h>

typedef struct
{
  GMainLoop *loop;
  GstElement *pipeline, *element;
  ReportFunc more;
  gpointer user_data;
  gint64 start;
  gint interrupts;
  gboolean silenced; /* the statistics cannot be written any more */
  int status;
} Report;

static void
print_counts (const gchar *name, const GValueArray *array)
{
  if (array->n_values == 0 || !G_VALUE_HOLDS_UINT64 (&array->values[0]))
    return;
  printf (", \"%s\": [", name);
  for (guint i = 0; i < array->n_values; i++)
    printf ("%s%" G_GUINT64_FORMAT, i > 0 ? ", " : "", g_value_get_uint64 (&array->values[i]));
  printf ("]");
}

static gboolean
print_field (GQuark id, const GValue *value, gpointer data)
{
  const gchar *name = g_quark_to_string (id);

  if (G_VALUE_HOLDS_DOUBLE (value))
    printf (", \"%s\": %.6f", name, g_value_get_double (value));
  else if (G_VALUE_HOLDS_UINT64 (value))
    printf (", \"%s\": %" G_GUINT64_FORMAT, name, g_value_get_uint64 (value));
  else if (G_VALUE_HOLDS_UINT (value))
    printf (", \"%s\": %u", name, g_value_get_uint (value));
  else if (G_VALUE_HOLDS (value, G_TYPE_VALUE_ARRAY))
    print_counts (name, g_value_get_boxed (value));
  return TRUE;
}

static gboolean
print (gpointer data)
{
  Report *report = data;
  GstStructure *stats = NULL;

  printf ("{\"time\": %.3f", (g_get_monotonic_time () - report->start) / 1e6);
  g_object_get (report->element, "stats", &stats, NULL);
  gst_structure_foreach (stats, print_field, NULL);
  gst_structure_free (stats);
  if (report->more != NULL)
    report->more (stdout, report->user_data);
  printf ("}\n");
  if (fflush (stdout) != 0 && !report->silenced) {
    fprintf (stderr, "Error: The figures cannot be written: %s.\n", g_strerror (errno));
    report->silenced = TRUE;
    report->status = 1;
    g_main_loop_quit (report->loop);
  }
  return G_SOURCE_CONTINUE;
}

/* Returns why there is no end of the stream to wait for: no receiver takes it, or no data has come.
 * NULL: the stream can end in good order, at both ends. */
static const gchar *
find_nothing_to_end (const Report *report)
{
  GstStructure *stats = NULL;
  guint there = 0;
  guint64 received = 0;
  gboolean receives;

  g_object_get (report->element, "stats", &stats, NULL);
  gst_structure_get_uint (stats, "connected-callers", &there);
  receives = gst_structure_get_uint64 (stats, "bytes-received-total", &received);
  gst_structure_free (stats);
  if (there == 0 && !receives)
    return "No receiver is there: data that has not been taken is lost.";
  if (receives && received == 0)
    return there == 0 ? "No sender was there: nothing has come." :
                        "A sender is there, but nothing has come from it.";
  return NULL;
}

static gboolean
on_interrupt (gpointer data)
{
  Report *report = data;
  const gchar *nothing = report->interrupts++ == 0 ? find_nothing_to_end (report) : NULL;

  if (report->interrupts > 1) {
    report->status = 130;
    g_main_loop_quit (report->loop);
  } else if (nothing != NULL) {
    fprintf (stderr, "Error: %s\n", nothing);
    report->status = 1;
    g_main_loop_quit (report->loop);
  } else {
    gst_element_send_event (report->pipeline, gst_event_new_eos ());
  }
  return G_SOURCE_CONTINUE;
}

/* Prints the error; for a sink that writes a file, with its path. */
static void
print_error (GstObject *from, const GError *error)
{
  g_autofree gchar *path = NULL;

  if (GST_OBJECT_FLAG_IS_SET (from, GST_ELEMENT_FLAG_SINK)
      && g_object_class_find_property (G_OBJECT_GET_CLASS (from), "location"))
    g_object_get (from, "location", &path, NULL);
  if (path != NULL && g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
    fprintf (stderr,
        "Error: %s cannot be written, the disk is full. Make room, or "
        "name another file, and start again.\n",
        path);
  else if (path != NULL)
    fprintf (stderr, "Error: %s: %s\n", path, error->message);
  else
    fprintf (stderr, "Error: %s\n", error->message);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Report *report = data;
  g_autoptr (GError) error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      print_error (GST_MESSAGE_SRC (message), error);
      report->status = 1;
      g_main_loop_quit (report->loop);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      fprintf (stderr, "Warning: %s\n", error->message);
      break;
    case GST_MESSAGE_EOS:
      g_main_loop_quit (report->loop);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (report->pipeline));
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

int
report_run (GstElement *pipeline, const gchar *element, ReportFunc more, gpointer user_data)
{
  Report report = {
    .pipeline = pipeline,
    .more = more,
    .user_data = user_data,
    .start = g_get_monotonic_time (),
  };
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  report.loop = g_main_loop_new (NULL, FALSE);
  report.element = gst_bin_get_by_name (GST_BIN (pipeline), element);
  gst_bus_add_watch (bus, on_message, &report);
  g_timeout_add (500, print, &report);
  g_unix_signal_add (SIGINT, on_interrupt, &report);
  g_unix_signal_add (SIGTERM, on_interrupt, &report);
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE)
    g_main_loop_run (report.loop);
  else
    report.status = 1;
  print (&report);
  /* an error at the start is still on the bus */
  while (g_main_context_iteration (NULL, FALSE))
    ;
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (report.element);
  g_main_loop_unref (report.loop);
  return report.status;
}
