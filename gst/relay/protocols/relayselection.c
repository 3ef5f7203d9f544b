/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayselection.h"
#include "relaypackets.h"
#include "relayprotocol.h"
#include "tsfilter.h"

#define SELECTION "relay-selection" /* key of the element's data */

typedef struct
{
  GMutex lock;
  TsFilter *filter; /* under the lock */
} Selection;

static void
free_selection (gpointer data)
{
  Selection *self = data;

  g_mutex_clear (&self->lock);
  ts_filter_free (self->filter);
  g_free (self);
}

/* --- data ------------------------------------------------------------ */

/* Returns what passes of @buffer: an empty buffer, if nothing does. */
static GstBuffer *
filter (Selection *self, GstBuffer *buffer)
{
  GByteArray *out = g_byte_array_sized_new (gst_buffer_get_size (buffer));
  gint64 now = g_get_monotonic_time () * 1000;
  GstBuffer *passed;
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_mutex_lock (&self->lock);
    ts_filter_push (self->filter, map.data, map.size, now, out);
    g_mutex_unlock (&self->lock);
    gst_buffer_unmap (buffer, &map);
  }
  passed = relay_packets_wrap (out);
  gst_buffer_copy_into (passed, buffer,
      GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META, 0, -1);
  GST_BUFFER_OFFSET (passed) = GST_BUFFER_OFFSET_END (passed) = GST_BUFFER_OFFSET_NONE;
  return passed;
}

static GstBufferList *
filter_list (Selection *self, GstBufferList *list)
{
  guint n = gst_buffer_list_length (list);
  GstBufferList *passed = gst_buffer_list_new_sized (n);

  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = filter (self, gst_buffer_list_get (list, i));

    if (gst_buffer_get_size (buffer) > 0) {
      gst_buffer_list_add (passed, buffer);
      continue;
    }
    gst_buffer_unref (buffer);
  }
  return passed;
}

static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstMiniObject *whole = info->data;
  Selection *self = data;
  gboolean some = TRUE;

  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    g_mutex_lock (&self->lock);
    /* docs/positions.md: faspsrc announces another stream */
    if (gst_event_has_name (info->data, "fasp-stream"))
      ts_filter_begin (self->filter);
    g_mutex_unlock (&self->lock);
    return GST_PAD_PROBE_OK;
  }
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    info->data = filter (self, info->data);
    some = gst_buffer_get_size (info->data) > 0;
  } else {
    info->data = filter_list (self, info->data);
    some = gst_buffer_list_length (info->data) > 0;
  }
  gst_mini_object_unref (whole);
  return some ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

/* --- keys ------------------------------------------------------------ */

/* Takes the numbers of a list; @add: FALSE: there is no room. */
static gboolean
read_list (TsFilter *filter_, const gchar *key, const gchar *text, guint least, guint most,
    guint count, gboolean (*add) (TsFilter *, guint16), GError **error)
{
  g_auto (GStrv) all = g_strsplit (text, ",", count + 1);
  guint n = g_strv_length (all);
  gboolean good = n > 0 && n <= count;

  for (guint i = 0; good && i < n; i++) {
    guint64 number;

    good = g_ascii_string_to_unsigned (all[i], 10, least, most, &number, NULL)
        && add (filter_, number);
  }
  if (!good)
    RELAY_BAD (error,
        "%s is a list of up to %u numbers from %u to %u, with commas between them: write %s=256,257.",
        key, count, least, most, key);
  return good;
}

static gboolean
add_pid (TsFilter *filter_, guint16 pid)
{
  ts_filter_choose_pid (filter_, pid);
  return TRUE;
}

gboolean
relay_selection_add (GstElement *element, const gchar *programmes, const gchar *pids,
    GError **error)
{
  g_autoptr (TsFilter) made = NULL;
  g_autoptr (GstPad) pad = NULL;
  Selection *self;

  if (programmes == NULL && pids == NULL)
    return TRUE;
  made = ts_filter_new ();
  if ((programmes != NULL
          && !read_list (made, "programme", programmes, 1, G_MAXUINT16, TS_FILTER_PROGRAMMES,
              ts_filter_choose_programme, error))
      || (pids != NULL
          && !read_list (made, "pids", pids, 0, TS_NULL_PID, RELAY_PIDS_MAX, add_pid, error)))
    return FALSE;
  self = g_new0 (Selection, 1);
  g_mutex_init (&self->lock);
  self->filter = g_steal_pointer (&made);
  g_object_set_data_full (G_OBJECT (element), SELECTION, self, free_selection);
  pad = gst_element_get_static_pad (element, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST
          | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_data, self, NULL);
  return TRUE;
}

gchar *
relay_selection_explain (GstElement *element)
{
  Selection *self = g_object_get_data (G_OBJECT (element), SELECTION);
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_ts;
  guint16 number;
  guint i = 0;

  if (self == NULL)
    return NULL;
  g_mutex_lock (&self->lock);
  is_ts = !ts_filter_lacks_packets (self->filter);
  while ((number = ts_filter_get_missing_programme (self->filter, &i)) != 0)
    g_string_append_printf (text, "%s %u", text->len > 0 ? "," : "", number);
  if (text->len > 0)
    g_string_prepend (text, "programme");
  else if (ts_filter_lacks_pids (self->filter))
    g_string_append (text, "any of its PIDs");
  g_mutex_unlock (&self->lock);
  if (!is_ts)
    return g_strdup ("the stream is no MPEG-TS: programme= and pids= take parts of nothing else");
  return text->len > 0 ? g_strdup_printf ("not in the stream: %s", text->str) : NULL;
}
