/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayevents.h"
#include <json-glib/json-glib.h>
#include <string.h>
#include "relayjson.h"
#include "relaylog.h"

#define CUT "\342\200\246" /* an ellipsis, which replaces the end of a text that is too long */

struct _RelayEvents
{
  RelayEventFunc func; /* this and the next are set before there are events */
  gpointer data;
  gchar *boot; /* new for each start of the relay */
  GMutex lock; /* guards the rest */
  GQueue all;  /* Event, the oldest first */
  guint64 last;
};

typedef struct
{
  gchar *group; /* its stream and kind */
  gint64 time;  /* µs, monotonic */
  JsonNode *node;
} Event;

static void
event_free (Event *event)
{
  g_free (event->group);
  json_node_unref (event->node);
  g_free (event);
}

RelayEvents *
relay_events_new (void)
{
  RelayEvents *events = g_new0 (RelayEvents, 1);

  events->boot = g_uuid_string_random ();
  g_mutex_init (&events->lock);
  return events;
}

void
relay_events_free (RelayEvents *events)
{
  g_queue_clear_full (&events->all, (GDestroyNotify) event_free);
  g_mutex_clear (&events->lock);
  g_free (events->boot);
  g_free (events);
}

/* --- one event ---------------------------------------------------------------------------- */

static void
set_text (JsonObject *object, const gchar *name, const gchar *text, gsize most)
{
  g_autofree gchar *plain = NULL;

  if (text == NULL || text[0] == '\0') {
    json_object_set_null_member (object, name);
    return;
  }
  plain = relay_log_make_plain (text);
  if (strlen (plain) > most) {
    gchar *end = g_utf8_find_prev_char (plain, plain + most - strlen (CUT) + 1);

    memcpy (end, CUT, strlen (CUT) + 1);
  }
  json_object_set_string_member (object, name, plain);
}

/* A kind of events, by the name of the details, or by their field `event'. */
static const struct
{
  const gchar *details, *kind;
} kinds[] = {
  { "connection-added", "came" },
  { "connection-removed", "went" },
  { "connection-refused", "refused" },
  { "connection-used", "switched" },
  { RELAY_EVENTS_RAISED, "raised" },
  { RELAY_EVENTS_CLEARED, "cleared" },
  { "piece-finished", "piece" },
};

/* Is it about another source that is used from now on? */
static gboolean
is_switch (const GstStructure *details)
{
  const gchar *change = gst_structure_get_string (details, "change");

  return g_strcmp0 (gst_structure_get_string (details, "event"), "stream-source") == 0
      && (change == NULL || g_str_equal (change, "leads"));
}

static const gchar *
get_kind (GLogLevelFlags level, const GstStructure *details)
{
  for (guint i = 0; details != NULL && i < G_N_ELEMENTS (kinds); i++)
    if (gst_structure_has_name (details, kinds[i].details))
      return kinds[i].kind;
  if (details != NULL && is_switch (details))
    return "switched";
  return level == G_LOG_LEVEL_WARNING ? "warning" : "note";
}

/* Returns the peer that an element's message is about. */
static JsonNode *
describe_peer (const GstStructure *details)
{
  static const gchar *const texts[][2] = {
    { "address", "address-string" },
    { "name", "peer-name" },
    { "streamid", "streamid" },
    { "reason", "reason" },
  };
  JsonObject *object = json_object_new ();
  guint64 bytes, duration;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    set_text (object, texts[i][0], gst_structure_get_string (details, texts[i][1]),
        RELAY_EVENTS_NAME);
  json_object_set_null_member (object, "bytes");
  json_object_set_null_member (object, "seconds");
  if (gst_structure_get_uint64 (details, "bytes", &bytes))
    json_object_set_int_member (object, "bytes", MIN (bytes, (guint64) G_MAXINT64));
  if (gst_structure_get_uint64 (details, "duration", &duration))
    json_object_set_double_member (object, "seconds", duration / (gdouble) GST_SECOND);
  return relay_json_take (object);
}

static JsonNode *
describe (guint64 id, const gchar *stream, const gchar *end, GLogLevelFlags level,
    const GstStructure *details, const gchar *text)
{
  JsonObject *object = json_object_new ();
  const gchar *kind = get_kind (level, details);
  gboolean visit =
      g_str_equal (kind, "came") || g_str_equal (kind, "went") || g_str_equal (kind, "refused");

  json_object_set_int_member (object, "id", id);
  json_object_set_string_member (object, "kind", kind);
  set_text (object, "stream", stream, RELAY_EVENTS_NAME);
  set_text (object, "end", end, RELAY_EVENTS_NAME);
  set_text (object, "text", text, RELAY_EVENTS_TEXT);
  json_object_set_member (object, "peer",
      visit ? describe_peer (details) : json_node_new (JSON_NODE_NULL));
  set_text (object, "alarm", details != NULL ? gst_structure_get_string (details, "alarm") : NULL,
      RELAY_EVENTS_NAME);
  set_text (object, "cause", details != NULL ? gst_structure_get_string (details, "cause") : NULL,
      RELAY_EVENTS_NAME);
  set_text (object, "file", details != NULL ? gst_structure_get_string (details, "path") : NULL,
      RELAY_EVENTS_TEXT);
  return relay_json_take (object);
}

/* --- all of them -------------------------------------------------------------------------- */

static guint
get_size (GHashTable *groups, const gchar *group)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (groups, group));
}

/* Makes room for one more event of @group: the oldest one goes of this group, if that has as many
 * as a group may have, or, if there are as many as may be, of the largest groups. */
static void
make_room (RelayEvents *events, const gchar *group)
{
  g_autoptr (GHashTable) groups = g_hash_table_new (g_str_hash, g_str_equal);
  guint most = 0;
  gboolean own;

  for (GList *l = events->all.head; l != NULL; l = l->next) {
    gchar *its = ((Event *) l->data)->group;
    guint n = get_size (groups, its) + 1;

    g_hash_table_replace (groups, its, GUINT_TO_POINTER (n));
    most = MAX (most, n);
  }
  own = get_size (groups, group) >= RELAY_EVENTS_OF_GROUP;
  if (!own && events->all.length < RELAY_EVENTS_MAX)
    return;
  for (GList *l = events->all.head; l != NULL; l = l->next) {
    Event *event = l->data;

    if (own ? g_str_equal (event->group, group) : get_size (groups, event->group) == most) {
      event_free (event);
      g_queue_delete_link (&events->all, l);
      return;
    }
  }
}

void
relay_events_watch (RelayEvents *events, RelayEventFunc func, gpointer data)
{
  events->func = func;
  events->data = data;
}

/* Returns the event as it is told. */
static gchar *
to_text (const Event *event)
{
  json_object_set_double_member (json_node_get_object (event->node), "time",
      g_get_real_time () / 1000 / 1e3);
  return json_to_string (event->node, FALSE);
}

void
relay_events_add (RelayEvents *events, gint64 now, const gchar *stream, const gchar *end,
    GLogLevelFlags level, const GstStructure *details, const gchar *text)
{
  Event *event = g_new0 (Event, 1);
  const gchar *kind = get_kind (level, details);
  gboolean tells = events->func != NULL
      && (details == NULL || !gst_structure_has_name (details, RELAY_LOG_HOOK_FAILED));
  g_autofree gchar *json = NULL;

  event->group = g_strdup_printf ("%s %s", kind, stream != NULL ? stream : "");
  event->time = now;
  g_mutex_lock (&events->lock);
  event->node = describe (++events->last, stream, end, level, details, text);
  json_object_set_string_member (json_node_get_object (event->node), "boot", events->boot);
  json = tells ? to_text (event) : NULL;
  make_room (events, event->group);
  g_queue_push_tail (&events->all, event);
  g_mutex_unlock (&events->lock);
  if (tells)
    events->func (kind, stream, json, events->data);
}

guint64
relay_events_get_last (RelayEvents *events)
{
  guint64 last;

  g_mutex_lock (&events->lock);
  last = events->last;
  g_mutex_unlock (&events->lock);
  return last;
}

gchar *
relay_events_to_json (RelayEvents *events, gint64 utc)
{
  JsonArray *array = json_array_new ();
  g_autoptr (JsonNode) root = relay_json_take_array (array);
  gchar *text;

  g_mutex_lock (&events->lock);
  for (GList *l = events->all.tail; l != NULL; l = l->prev) {
    const Event *event = l->data;

    json_object_set_double_member (json_node_get_object (event->node), "time",
        (event->time + utc) / 1000 / 1e3);
    json_array_add_element (array, json_node_copy (event->node));
  }
  text = json_to_string (root, FALSE);
  g_mutex_unlock (&events->lock);
  return text;
}
