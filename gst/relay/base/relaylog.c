/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaylog.h"
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include "faspplain.h"

#define PROGRAM "fasp-relay"

gboolean
relay_log_may (RelayLogBudget *budget, gint64 now, guint *missed)
{
  *missed = 0;
  if (budget->n == 0 || now - budget->since >= budget->time) {
    *missed = budget->n > budget->most ? budget->n - budget->most : 0;
    budget->n = 0;
    budget->since = now;
  }
  return ++budget->n <= budget->most;
}

gchar *
relay_log_make_plain (const gchar *text)
{
  g_autofree gchar *valid = g_utf8_make_valid (text, -1);
  GString *plain = g_string_new (NULL);

  for (const gchar *c = valid; *c != '\0'; c = g_utf8_next_char (c)) {
    gunichar u = g_utf8_get_char (c);

    g_string_append_unichar (plain, fasp_is_plain (u) ? u : ' ');
  }
  return g_string_free (plain, FALSE);
}

/* --- the watcher ---------------------------------------------------------------------------- */

static GRWLock watch_lock; /* guards the next two */
static RelayLogFunc watch_func;
static gpointer watch_data;

void
relay_log_watch (RelayLogFunc func, gpointer data)
{
  g_rw_lock_writer_lock (&watch_lock);
  watch_func = func;
  watch_data = data;
  g_rw_lock_writer_unlock (&watch_lock);
}

static void
show (const gchar *stream, const gchar *end, GLogLevelFlags level, const GstStructure *details,
    const gchar *text)
{
  g_rw_lock_reader_lock (&watch_lock);
  if (watch_func != NULL)
    watch_func (stream, end, level, details, text, watch_data);
  g_rw_lock_reader_unlock (&watch_lock);
}

/* --- fields ----------------------------------------------------------------------------------- */

typedef enum
{
  TEXT,
  JSON,
  JOURNALD,
} Format;

/* The fields of one message, and the texts that they point to. */
typedef struct
{
  GArray *fields; /* GLogField */
  GPtrArray *texts;
} Entry;

static void
take_field (Entry *entry, const gchar *key, gchar *value)
{
  GLogField field = { key, value, -1 };

  g_ptr_array_add (entry->texts, value);
  g_array_append_val (entry->fields, field);
}

static void
add_field (Entry *entry, const gchar *key, const gchar *value)
{
  take_field (entry, key, relay_log_make_plain (value));
}

/* Adds a field of an element's message that can be text: `reason' as FASP_REASON. */
static gboolean
add_detail (GQuark id, const GValue *value, gpointer data)
{
  Entry *entry = data;
  GValue text = G_VALUE_INIT;
  g_autofree gchar *upper = g_ascii_strup (g_quark_to_string (id), -1);
  gchar *key;

  g_value_init (&text, G_TYPE_STRING);
  if (g_value_type_transformable (G_VALUE_TYPE (value), G_TYPE_STRING)
      && g_value_transform (value, &text) && g_value_get_string (&text) != NULL
      && g_value_get_string (&text)[0] != '\0') {
    key = g_strconcat ("FASP_", g_strdelimit (upper, "-.", '_'), NULL);
    g_ptr_array_add (entry->texts, key);
    add_field (entry, key, g_value_get_string (&text));
  }
  g_value_unset (&text);
  return TRUE;
}

void
relay_log_end (const gchar *stream, const gchar *end, GLogLevelFlags level,
    const GstStructure *details, const gchar *text)
{
  Entry entry = { g_array_new (FALSE, FALSE, sizeof (GLogField)),
    g_ptr_array_new_with_free_func (g_free) };
  g_autofree gchar *message = g_strconcat (stream != NULL ? stream : "", stream != NULL ? ": " : "",
      end != NULL ? end : "", end != NULL ? ": " : "", text, NULL);

  add_field (&entry, "MESSAGE", message);
  add_field (&entry, "PRIORITY", level == G_LOG_LEVEL_WARNING ? "4" : "5");
  add_field (&entry, "SYSLOG_IDENTIFIER", PROGRAM);
  if (stream != NULL)
    add_field (&entry, "FASP_STREAM", stream);
  if (end != NULL)
    add_field (&entry, "FASP_END", end);
  if (details != NULL) {
    /* a structure for GST_ELEMENT_WARNING_WITH_DETAILS() has its name in this field */
    if (!gst_structure_has_field (details, "event"))
      add_field (&entry, "FASP_EVENT", gst_structure_get_name (details));
    gst_structure_foreach (details, add_detail, &entry);
  }
  g_log_structured_array (level, (const GLogField *) entry.fields->data, entry.fields->len);
  g_array_unref (entry.fields);
  g_ptr_array_unref (entry.texts);
  show (stream, end, level, details, text);
}

static void G_GNUC_PRINTF (3, 0)
    log_at (GLogLevelFlags level, const gchar *stream, const gchar *format, va_list args)
{
  g_autofree gchar *text = g_strdup_vprintf (format, args);

  relay_log_end (stream, NULL, level, NULL, text);
}

void
relay_log (const gchar *stream, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  log_at (G_LOG_LEVEL_MESSAGE, stream, format, args);
  va_end (args);
}

void
relay_log_warning (const gchar *stream, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  log_at (G_LOG_LEVEL_WARNING, stream, format, args);
  va_end (args);
}

/* --- writers ---------------------------------------------------------------------------------- */

static gchar *
get_text (const GLogField *field)
{
  return field->length < 0 ? g_strdup (field->value) : g_strndup (field->value, field->length);
}

static gchar *
find_text (const GLogField *fields, gsize n_fields, const gchar *key)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, key))
      return get_text (&fields[i]);
  return NULL;
}

gchar *
relay_log_to_json (gint64 now, const GLogField *fields, gsize n_fields)
{
  g_autoptr (GDateTime) seconds = g_date_time_new_from_unix_utc (now / G_USEC_PER_SEC);
  g_autoptr (GDateTime) utc = g_date_time_add (seconds, now % G_USEC_PER_SEC);
  g_autofree gchar *time = g_date_time_format (utc, "%Y-%m-%dT%H:%M:%S.%fZ");
  JsonObject *object = json_object_new ();
  g_autoptr (JsonNode) root = json_node_init_object (json_node_alloc (), object);

  json_object_set_string_member (object, "time", time);
  for (gsize i = 0; i < n_fields; i++) {
    const gchar *key = fields[i].key;
    g_autofree gchar *name =
        g_ascii_strdown (g_str_has_prefix (key, "FASP_") ? key + strlen ("FASP_") : key, -1);
    g_autofree gchar *text = get_text (&fields[i]);
    g_autofree gchar *plain = relay_log_make_plain (text);

    json_object_set_string_member (object, g_strdelimit (name, "_", '-'), plain);
  }
  json_object_unref (object);
  return json_to_string (root, FALSE);
}

static GLogWriterOutput
write_text (GLogLevelFlags level, const GLogField *fields, gsize n_fields)
{
  g_autofree gchar *ours = find_text (fields, n_fields, "SYSLOG_IDENTIFIER");
  g_autofree gchar *message = find_text (fields, n_fields, "MESSAGE");

  if (ours == NULL) /* the line is GLib's, or another library's */
    return g_log_writer_default (level, fields, n_fields, NULL);
  /* not by GLib's writer, which without a locale, as in a container, writes ? for all but ASCII */
  fprintf (stderr, PROGRAM ": %s\n", message);
  return G_LOG_WRITER_HANDLED;
}

static GLogWriterOutput
write_entry (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  g_autofree gchar *domain = find_text (fields, n_fields, "GLIB_DOMAIN");
  g_autofree gchar *line = NULL;

  if (g_log_writer_default_would_drop (level, domain))
    return G_LOG_WRITER_HANDLED;
  switch (GPOINTER_TO_INT (data)) {
    case JSON:
      line = relay_log_to_json (g_get_real_time (), fields, n_fields);
      fprintf (stderr, "%s\n", line);
      return G_LOG_WRITER_HANDLED;
    case JOURNALD:
      /* without a journal, the line is written as text */
      if (g_log_writer_journald (level, fields, n_fields, NULL) == G_LOG_WRITER_HANDLED)
        return G_LOG_WRITER_HANDLED;
      break;
  }
  return write_text (level, fields, n_fields);
}

gboolean
relay_log_begin (const gchar *format)
{
  static const gchar *const names[] = { "text", "json", "journald", NULL };
  Format found = TEXT;

  while (format != NULL && names[found] != NULL && !g_str_equal (names[found], format))
    found++;
  g_log_set_writer_func (write_entry, GINT_TO_POINTER (found), NULL);
  return names[found] != NULL;
}
