/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations of the API that change something: each edits the text of the configuration, which is
 * then put into force.
 */
#include <string.h>
#include "relaycall.h"
#include "relaydescribe.h"
#include "relayedit.h"

/* Keys of an input with backups. */
static const gchar *const times[] = { "switch-after", "wait-to-restore" };

static RelayEdit *
edit (RelayCall *call)
{
  const RelayConfig *config = call->api->funcs.get_config (call->api->data);

  return relay_edit_new (config->text, config->size);
}

/* Puts the edited text into force. FALSE: it was refused, and the page says why. */
static gboolean
apply (RelayCall *call, RelayEdit *edit, const RelayKept *kept)
{
  g_autoptr (GError) error = NULL;
  gsize size;
  gchar *text = relay_edit_get_text (edit, &size);
  gboolean good = call->api->funcs.change (text, size, kept, &error, call->api->data);

  explicit_bzero (text, size);
  g_free (text);
  if (!good)
    relay_api_refuse (call->page, 422, "configuration", error->message);
  return good;
}

static gchar **
get_strings (RelayCall *call, const gchar *name)
{
  JsonArray *array = json_object_get_array_member (call->body, name);
  guint n = json_array_get_length (array);
  gchar **strings = g_new0 (gchar *, n + 1);

  for (guint i = 0; i < n; i++)
    strings[i] = g_strdup (json_array_get_string_element (array, i));
  return strings;
}

static void
set_setting (RelayCall *call, RelayEdit *edit, const gchar *key, gboolean all)
{
  JsonNode *node = json_object_get_member (call->body, key);
  g_autofree gchar *value = node != NULL ? relay_describe_scalar (node) : NULL;

  if (node != NULL || all)
    relay_edit_set_string (edit, call->stream, key, value);
}

static void
set_settings (RelayCall *call, RelayEdit *edit, gboolean all)
{
  static const gchar *const settings[] = { "streamid", "picture-interval", "preview-viewers",
    "require-streamid", "optional", "switch-after", "wait-to-restore" };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    set_setting (call, edit, settings[i], all);
  for (guint i = 0; i < RELAY_RULES; i++)
    set_setting (call, edit, relay_rule_rows[i].key, all);
}

/* --- the sources of an input ----------------------------------------------------------------- */

/* How many sources does the input in force have, with its backups? */
static guint
count_sources (const RelayStreamConfig *config)
{
  return config != NULL ? 1 + relay_end_count_backups (config->input) : 0;
}

/* Returns the URI of a source in force; 0: the main one. */
static const gchar *
get_source (const RelayStreamConfig *config, guint i)
{
  const RelayEnd *end = i == 0 ? config->input : g_ptr_array_index (config->input->backups, i - 1);

  return end->uri;
}

/* Does the API show this source as @uri? */
static gboolean
is_shown_as (const RelayStreamConfig *config, guint i, const gchar *uri)
{
  g_autofree gchar *shown = relay_edit_hide (get_source (config, i));

  return g_str_equal (shown, uri);
}

/* Returns the source in force whose passphrase stays with the new source @at: the one that is shown
 * like this; else the one at its place, unless another new source is shown like that one. -1: none
 * does. */
static gint
find_kept (const RelayStreamConfig *config, gchar **all, guint at)
{
  guint n = count_sources (config);

  for (guint i = 0; i < n; i++)
    if (is_shown_as (config, (at + i) % n, all[at]))
      return (at + i) % n;
  for (guint k = 0; at < n && all[k] != NULL; k++)
    if (is_shown_as (config, at, all[k]))
      return -1;
  return at < n ? (gint) at : -1;
}

/* Returns the URIs of the sources, the main one first: those of the body, which @replaces all of
 * those in force, or keeps passphrases and what it does not have. */
static gchar **
list_sources (RelayCall *call, gboolean replaces)
{
  const gchar *input = relay_call_get_string (call, "input");
  gboolean has = json_object_has_member (call->body, "backups"), given = has || replaces;
  g_auto (GStrv) backups = has ? get_strings (call, "backups") : g_new0 (gchar *, 1);
  guint n = given ? 1 + g_strv_length (backups) : count_sources (call->config);
  g_autofree gchar **all = g_new0 (gchar *, n + 1); /* borrows its texts */
  gchar **whole = g_new0 (gchar *, n + 1);

  for (guint i = 0; i < n; i++)
    all[i] = i == 0 && input != NULL ? (gchar *) input :
        i > 0 && given               ? backups[i - 1] :
                                       (gchar *) get_source (call->config, i);
  for (guint i = 0; i < n; i++) {
    gint kept = replaces ? -1 : find_kept (call->config, all, i);

    whole[i] = relay_edit_keep_secret (all[i], kept >= 0 ? get_source (call->config, kept) : NULL);
  }
  return whole;
}

/* Sets the URIs of the input's sources, and removes times and rules of an input without backups.
 * Keys that name files, secrets included, can only be changed in the configuration file; the check
 * refuses an input that they do not suit. */
static void
set_input (RelayCall *call, RelayEdit *edit, gchar **all)
{
  relay_edit_set_uris (edit, call->stream, "input", (const gchar *const *) all);
  for (guint i = 0; all[1] == NULL && i < G_N_ELEMENTS (times); i++)
    relay_edit_set_string (edit, call->stream, times[i], NULL);
  for (guint i = 0; all[1] == NULL && i < RELAY_RULES; i++)
    relay_edit_set_string (edit, call->stream, relay_rule_rows[i].key, NULL);
}

/* Sets another main source, and leaves the backups as they are. Takes @uri. */
static void
set_main (RelayCall *call, RelayEdit *edit, gchar *uri)
{
  guint n = count_sources (call->config);
  g_auto (GStrv) all = g_new0 (gchar *, n + 1);

  all[0] = uri;
  for (guint i = 1; i < n; i++)
    all[i] = g_strdup (get_source (call->config, i));
  set_input (call, edit, all);
}

/* FALSE: a source that is not in force yet is a file, which the API does not take. */
static gboolean
names_no_file (RelayCall *call, gchar **all)
{
  for (guint i = 0; all[i] != NULL; i++) {
    gboolean known = FALSE;

    for (guint k = 0; !known && k < count_sources (call->config); k++)
      known = g_str_equal (get_source (call->config, k), all[i]);
    if (!known && !relay_call_is_no_file (call, all[i]))
      return FALSE;
  }
  return TRUE;
}

/* --- the operations -------------------------------------------------------------------------- */

static void
put_stream (RelayCall *call)
{
  g_autoptr (RelayEdit) text = edit (call);
  g_auto (GStrv) outputs = get_strings (call, "outputs");
  g_auto (GStrv) sources = list_sources (call, TRUE);
  gboolean is_new = call->config == NULL;
  const gchar *why;

  if (is_new && !relay_edit_check_name (call->stream, &why)) {
    relay_api_refuse (call->page, 422, "stream-name", why);
    return;
  }
  for (guint i = 0; outputs[i] != NULL; i++)
    if (!relay_call_is_no_file (call, outputs[i]))
      return;
  if (!names_no_file (call, sources))
    return;
  if (is_new)
    relay_edit_add_stream (text, call->stream);
  set_input (call, text, sources);
  relay_edit_set_uris (text, call->stream, "output", (const gchar *const *) outputs);
  set_settings (call, text, TRUE);
  if (!apply (call, text, NULL))
    return;
  if (is_new)
    call->page->location = g_uri_escape_string (call->stream, NULL, FALSE);
  relay_call_answer_stream (call, is_new ? 201 : 200);
}

static void
patch_stream (RelayCall *call)
{
  g_autoptr (RelayEdit) text = edit (call);
  g_auto (GStrv) sources = list_sources (call, FALSE);

  if (!names_no_file (call, sources))
    return;
  if (json_object_has_member (call->body, "input")
      || json_object_has_member (call->body, "backups"))
    set_input (call, text, sources);
  set_settings (call, text, FALSE);
  if (apply (call, text, NULL))
    relay_call_answer_stream (call, 200);
}

static void
delete_stream (RelayCall *call)
{
  g_autoptr (RelayEdit) text = edit (call);

  relay_edit_remove_stream (text, call->stream);
  if (apply (call, text, NULL))
    relay_call_answer_nothing (call->page);
}

/* Returns the URI of an end with the changes of the body. */
static gchar *
change_uri (RelayCall *call, const gchar *old)
{
  const gchar *new = relay_call_get_string (call, "uri");
  gchar *uri = new != NULL ? relay_edit_keep_secret (new, old) : g_strdup (old);
  JsonObjectIter iter;
  const gchar *key;
  gchar *whole;
  JsonNode *node;

  if (!json_object_has_member (call->body, "parameters"))
    return uri;
  json_object_iter_init (&iter, json_object_get_object_member (call->body, "parameters"));
  while (json_object_iter_next (&iter, &key, &node)) {
    g_autofree gchar *value = relay_describe_scalar (node);
    gchar *next = relay_edit_set_key (uri, key, value);

    g_free (uri);
    uri = next;
  }
  whole = relay_edit_keep_password (uri, old);
  g_free (uri);
  return whole;
}

static void
put_input (RelayCall *call)
{
  g_autoptr (RelayEdit) text = edit (call);

  set_main (call, text, g_strdup (relay_call_get_string (call, "uri")));
  if (apply (call, text, NULL))
    relay_call_answer_end (call, 200, 0);
}

static void
patch_input (RelayCall *call)
{
  g_autoptr (RelayEdit) text = edit (call);

  set_main (call, text, change_uri (call, call->config->input->uri));
  if (apply (call, text, NULL))
    relay_call_answer_end (call, 200, 0);
}

/* Returns the URIs of the stream's outputs, in the order of the file, and room for another one. */
static gchar **
list_uris (RelayCall *call)
{
  guint n = call->config->outputs->len;
  gchar **uris = g_new0 (gchar *, n + 2);

  for (guint i = 0; i < n; i++)
    uris[i] = g_strdup (((RelayEnd *) g_ptr_array_index (call->config->outputs, i))->uri);
  return uris;
}

/* Returns the ids of the stream's outputs, in the order of the file. */
static GArray *
list_ids (RelayCall *call)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < call->config->outputs->len; i++)
    g_array_append_val (ids, ((RelayEnd *) g_ptr_array_index (call->config->outputs, i))->id);
  return ids;
}

static void
add_output (RelayCall *call)
{
  g_autoptr (RelayEdit) text = edit (call);
  g_autoptr (GArray) ids = list_ids (call);
  g_auto (GStrv) outputs = list_uris (call);
  guint id = call->config->next_id;

  outputs[call->config->outputs->len] = g_strdup (relay_call_get_string (call, "uri"));
  relay_edit_set_uris (text, call->stream, "output", (const gchar *const *) outputs);
  g_array_append_val (ids, id);
  if (!apply (call, text, &(RelayKept) { call->stream, ids }))
    return;
  call->page->location = g_strdup_printf ("outputs/%u", id);
  relay_call_answer_end (call, 201, id);
}

static void
patch_output (RelayCall *call)
{
  g_autoptr (RelayEdit) text = edit (call);
  g_autoptr (GArray) ids = list_ids (call);
  g_auto (GStrv) outputs = list_uris (call);
  guint id = call->output->id;
  gchar *uri = change_uri (call, call->output->uri);

  g_free (outputs[call->index]);
  outputs[call->index] = uri;
  relay_edit_set_uris (text, call->stream, "output", (const gchar *const *) outputs);
  if (apply (call, text, &(RelayKept) { call->stream, ids }))
    relay_call_answer_end (call, 200, id);
}

static void
delete_output (RelayCall *call)
{
  g_autoptr (RelayEdit) text = edit (call);
  g_autoptr (GArray) ids = list_ids (call);
  g_auto (GStrv) outputs = list_uris (call);

  g_array_remove_index (ids, call->index);
  g_free (outputs[call->index]);
  for (guint i = call->index; outputs[i] != NULL; i++)
    outputs[i] = i + 1 <= g_strv_length (outputs) ? outputs[i + 1] : NULL;
  relay_edit_set_uris (text, call->stream, "output", (const gchar *const *) outputs);
  if (apply (call, text, &(RelayKept) { call->stream, ids }))
    relay_call_answer_nothing (call->page);
}

static void
drop_receiver (RelayCall *call)
{
  if (call->api->funcs.drop (call->stream, call->output->id, call->receiver, call->api->data))
    relay_call_answer_nothing (call->page);
  else
    relay_api_refuse (call->page, 404, "no-receiver",
        "There is no such receiver (any more): list the receivers of this output.");
}

static void
switch_source (RelayCall *call)
{
  gint64 source = json_object_get_int_member (call->body, "source");

  if (source >= 0 && source <= G_MAXINT
      && call->api->funcs.switch_source (call->stream, source, call->api->data))
    relay_call_answer_nothing (call->page);
  else
    relay_api_refuse (call->page, 409, "no-source",
        "The input has no such source, or nothing comes from it: source-list in /status.json has "
        "them, from 0. An input with one source, or of fasp whose sources call, has no choice.");
}

const RelayOperation relay_changes[] = {
  { "putStream", put_stream },
  { "patchStream", patch_stream },
  { "deleteStream", delete_stream },
  { "putInput", put_input },
  { "patchInput", patch_input },
  { "switchSource", switch_source },
  { "addOutput", add_output },
  { "patchOutput", patch_output },
  { "deleteOutput", delete_output },
  { "dropReceiver", drop_receiver },
  { NULL },
};
