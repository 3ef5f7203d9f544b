/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayconfig.h"
#include <string.h>
#include "faspplain.h"
#include "relayconfigkeys.h"
#include "relayedit.h"
#include "relayhookconfig.h"
#include "relaylog.h"
#include "relayports.h"
#include "relayrecordings.h"
#include "relaysection.h"
#include "relaytext.h"
#include "relayvalue.h"

#define STREAM "stream "
#define HOOK "hook "
#define NAME_MAX_BYTES 128

/* --- memory -------------------------------------------------------------------------- */

static void
clear_end (RelayEnd *end)
{
  relay_value_wipe (end->uri);
  relay_value_wipe (end->passphrase);
  g_free (end->streamid);
  for (guint i = 0; i < RELAY_FILES; i++)
    g_free (end->files[i]);
  g_clear_pointer (&end->allowed, g_ptr_array_unref);
  g_clear_pointer (&end->backups, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RelayEnd, clear_end);

static void
free_end (RelayEnd *end)
{
  if (end == NULL)
    return;
  clear_end (end);
  g_free (end);
}

static void
clear_stream (gpointer data)
{
  RelayStreamConfig *config = data;

  g_free (config->name);
  g_free (config->streamid);
  free_end (config->input);
  g_ptr_array_unref (config->outputs);
}

RelayStreamConfig *
relay_stream_config_ref (RelayStreamConfig *config)
{
  return g_atomic_rc_box_acquire (config);
}

void
relay_stream_config_unref (RelayStreamConfig *config)
{
  g_atomic_rc_box_release_full (config, clear_stream);
}

void
relay_config_free (RelayConfig *config)
{
  g_clear_object (&config->status);
  g_strfreev (config->status_names);
  g_clear_pointer (&config->status_allowed, g_ptr_array_unref);
  relay_value_wipe (config->api_token);
  g_clear_object (&config->api_socket);
  g_free (config->history);
  relay_value_wipe (config->auth_url);
  g_ptr_array_unref (config->hooks);
  if (config->text != NULL)
    explicit_bzero (config->text, config->size);
  g_free (config->text);
  g_ptr_array_unref (config->warnings);
  g_hash_table_unref (config->secrets);
  g_ptr_array_unref (config->streams);
  g_ptr_array_unref (config->accounts);
  g_free (config);
}

RelayStreamConfig *
relay_config_find (const RelayConfig *config, const gchar *name)
{
  for (guint i = 0; i < config->streams->len; i++) {
    RelayStreamConfig *stream = g_ptr_array_index (config->streams, i);

    if (g_str_equal (stream->name, name))
      return stream;
  }
  return NULL;
}

RelayEnd *
relay_stream_config_find_output (const RelayStreamConfig *config, guint id)
{
  for (guint i = 0; i < config->outputs->len; i++) {
    RelayEnd *end = g_ptr_array_index (config->outputs, i);

    if (end->id == id)
      return end;
  }
  return NULL;
}

/* --- ends ---------------------------------------------------------------------------------- */

/* @side: the settings that all ends of that side have in common. */
static RelayEnd *
make_end (const RelayEnd *side, const gchar *uri, GError **error)
{
  RelayEnd *end;

  if (strstr (uri, " #") != NULL || strstr (uri, "\t#") != NULL) {
    RELAY_BAD (error, "a comment needs a line of its own, that begins with #.");
    return NULL;
  }
  end = g_new0 (RelayEnd, 1);
  end->sends = side->sends;
  end->uri = g_strdup (uri);
  end->streamid = g_strdup (side->streamid);
  end->passphrase = g_strdup (side->passphrase);
  for (guint i = 0; i < RELAY_FILES; i++)
    end->files[i] = g_strdup (side->files[i]);
  end->monitored = side->monitored;
  end->allowed = side->allowed != NULL ? g_ptr_array_ref (side->allowed) : NULL;
  if (relay_end_check (end, error))
    return end;
  free_end (end);
  return NULL;
}

/* Returns the keys of @side that none of its ends can use, as "KEY is for fasp://". */
static GPtrArray *
list_unused (const RelayEnd *side, const GPtrArray *ends)
{
  GPtrArray *unused = g_ptr_array_new_with_free_func (g_free);
  const gchar *name = side->sends ? "output" : "input";
  gboolean files = FALSE, secret = FALSE;

  for (guint i = 0; i < ends->len; i++) {
    const RelayEnd *end = g_ptr_array_index (ends, i);

    files |= relay_end_takes_files (end);
    secret |= relay_end_takes_passphrase (end);
  }
  if (side->passphrase != NULL && !secret)
    g_ptr_array_add (unused,
        g_strdup_printf ("%s-passphrase-file is for fasp:// and srt://", name));
  for (guint i = 0; i < RELAY_FILES; i++)
    if (side->files[i] != NULL && !files)
      g_ptr_array_add (unused, g_strdup_printf ("%s-%s is for fasp://", name, relay_end_files[i]));
  return unused;
}

/* Reads the settings of the input, or those that all outputs have in common. */
static gboolean
read_side (GKeyFile *file, const gchar *group, const RelaySecrets *secrets, RelayEnd *side,
    GError **error)
{
  const gchar *name = side->sends ? "output" : "input";
  g_autofree gchar *key = g_strconcat (name, "-passphrase-file", NULL);
  g_autofree gchar *addresses = g_strconcat (name, "-allowed-addresses", NULL);
  gboolean good =
      relay_value_secret (file, group, key, "passphrase", secrets, &side->passphrase, error)
      && relay_value_allowed (file, group, addresses, &side->allowed, error)
      && relay_value_boolean (file, group, "monitor-ts", &side->monitored, error)
      && (!side->sends
          || relay_value_boolean (file, group, "output-monitor-ts", &side->monitored, error));

  for (guint i = 0; good && i < RELAY_FILES; i++) {
    g_autofree gchar *of = g_strconcat (name, "-", relay_end_files[i], NULL);

    good = relay_value_string (file, group, of, &side->files[i], error);
  }
  return good;
}

/* Reads a number of an input with backups. */
static gboolean
read_time (GKeyFile *file, const gchar *group, const RelayEnd *input, const gchar *key,
    guint *value, GError **error)
{
  if (input->backups == NULL && g_key_file_has_key (file, group, key, NULL)) {
    RELAY_BAD (error,
        "it is for an input with backups: write input = MAIN;BACKUP, or leave it out.");
    return relay_value_locate (error, group, key);
  }
  return relay_value_number (file, group, relay_key_find (relay_stream_keys, key, 0), value, error);
}

/* Reads the times and rules of an input with backups. */
static gboolean
read_times (GKeyFile *file, const gchar *group, RelayEnd *input, GError **error)
{
  gboolean good;

  input->switch_after = RELAY_SWITCH_AFTER;
  input->wait_to_restore = RELAY_WAIT_TO_RESTORE;
  good = read_time (file, group, input, "switch-after", &input->switch_after, error)
      && read_time (file, group, input, "wait-to-restore", &input->wait_to_restore, error);
  for (guint i = 0; good && i < RELAY_RULES; i++)
    good = read_time (file, group, input, relay_rule_rows[i].key, &input->rules[i], error);
  return good;
}

/* Makes the ends of the input: the main one, which has the others as its backups. */
static gboolean
make_sources (const RelayEnd *side, gchar **uris, gsize n, RelayStreamConfig *config,
    GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) free_end);
  g_autoptr (GPtrArray) unused = NULL;

  for (gsize i = 0; i < n; i++) {
    RelayEnd *end = make_end (side, uris[i], error);

    if (end == NULL)
      return FALSE;
    g_ptr_array_add (all, end);
  }
  unused = list_unused (side, all);
  if (unused->len > 0) {
    RELAY_BAD (error, "%s: leave it out.", (gchar *) g_ptr_array_index (unused, 0));
    return FALSE;
  }
  config->input = g_ptr_array_steal_index (all, 0);
  if (all->len > 0)
    config->input->backups = g_steal_pointer (&all);
  return TRUE;
}

static gboolean
read_input (GKeyFile *file, const gchar *group, const RelaySecrets *secrets,
    RelayStreamConfig *config, GError **error)
{
  g_auto (RelayEnd) side = { .monitored = TRUE, .streamid = g_strdup (config->streamid) };
  g_auto (GStrv) uris = NULL;
  g_autofree gchar *none = NULL;
  gsize n = 0;
  gboolean good;

  if (!read_side (file, group, secrets, &side, error))
    return FALSE;
  uris = g_key_file_get_string_list (file, group, "input", &n, NULL);
  good = n > 0 && n <= RELAY_SOURCES_MAX;
  if (n == 0 && !relay_value_string (file, group, "input", &none, error))
    return FALSE;
  if (n == 0)
    RELAY_BAD (error,
        "it is missing: write input = fasp://HOST:PORT to dial where "
        "the stream comes from, or fasp://:PORT to be dialled; or srt://, rist://, udp://, rtp:// or "
        "file:///PATH.");
  else if (n > RELAY_SOURCES_MAX)
    RELAY_BAD (error, "an input has up to %d sources, the main one first.", RELAY_SOURCES_MAX);
  good = good && make_sources (&side, uris, n, config, error);
  for (gsize i = 0; i < n; i++)
    explicit_bzero (uris[i], strlen (uris[i]));
  if (!good)
    return relay_value_locate (error, group, "input");
  return read_times (file, group, config->input, error);
}

static gboolean
read_outputs (GKeyFile *file, const gchar *group, const RelaySecrets *secrets,
    RelayStreamConfig *config, GError **error)
{
  g_auto (RelayEnd)
      side = { .sends = TRUE, .monitored = TRUE, .streamid = g_strdup (config->streamid) };
  gsize n = 0;
  gchar **uris;
  gboolean good;

  if (!read_side (file, group, secrets, &side, error))
    return FALSE;
  uris = g_key_file_get_string_list (file, group, "output", &n, NULL);
  good = n > 0 && n <= RELAY_OUTPUTS_MAX;
  if (!good)
    RELAY_BAD (error,
        "write output = fasp://:PORT to be dialled by receivers, or "
        "fasp://HOST:PORT to dial one; up to %d of them with a ; between them "
        "(a ; inside of one is written \\;).",
        RELAY_OUTPUTS_MAX);
  for (gsize i = 0; i < n; i++) {
    RelayEnd *end = good ? make_end (&side, uris[i], error) : NULL;

    good = end != NULL;
    if (good) {
      end->id = i + 1;
      g_ptr_array_add (config->outputs, end);
    }
    relay_value_wipe (uris[i]);
  }
  g_free (uris);
  config->next_id = n + 1;
  return good || relay_value_locate (error, group, "output");
}

/* Has the name only characters that the status, the page and the log show? */
static gboolean
is_plain (const gchar *name)
{
  for (; *name != '\0'; name = g_utf8_next_char (name))
    if (!fasp_is_plain (g_utf8_get_char (name)))
      return FALSE;
  return TRUE;
}

/* Checks the name of a stream, which becomes its streamid and is shown in the status. */
static gboolean
check_name (const gchar *group, const gchar *name, GError **error)
{
  if (!g_utf8_validate (name, -1, NULL)) {
    RELAY_BAD (error,
        "[%s]: the name of the stream is not UTF-8. Write it anew, with an "
        "editor that saves UTF-8.",
        group);
    return FALSE;
  }
  if (!is_plain (name)) {
    RELAY_BAD (error,
        "[%s]: the name of the stream has characters that cannot be seen, as those that turn the "
        "direction of text. Write it anew, without them.",
        group);
    return FALSE;
  }
  if (g_str_equal (name, ".") || g_str_equal (name, "..")) {
    RELAY_BAD (error,
        "[%s]: browsers and other clients take this name out of the paths of the page and the API. "
        "Write another one.",
        group);
    return FALSE;
  }
  if (name[0] != '\0' && strlen (name) <= NAME_MAX_BYTES)
    return TRUE;
  RELAY_BAD (error, "[%s]: write [stream NAME], with a name of at most %d bytes.", group,
      NAME_MAX_BYTES);
  return FALSE;
}

/* @ends: NULL: none. */
static gboolean
is_any_called (const GPtrArray *ends)
{
  for (guint i = 0; ends != NULL && i < ends->len; i++)
    if (relay_end_is_called (g_ptr_array_index (ends, i)))
      return TRUE;
  return FALSE;
}

/* Tells of keys that no output uses, and of lists of addresses that no end compares.  They are no
 * fault: the API may remove the last end that uses them, and they then wait for the next one. */
static void
warn_of_unused (const RelayStreamConfig *config, GPtrArray *warnings)
{
  const RelayEnd *input = config->input, *output = g_ptr_array_index (config->outputs, 0);
  g_autoptr (GPtrArray) keys = list_unused (output, config->outputs);
  const gboolean unused[] = {
    input->allowed != NULL && !relay_end_is_called (input) && !is_any_called (input->backups),
    output->allowed != NULL && !is_any_called (config->outputs),
  };

  for (guint i = 0; i < keys->len; i++)
    g_ptr_array_add (warnings,
        g_strdup_printf ("[stream %s] %s, and there is no such output.", config->name,
            (gchar *) g_ptr_array_index (keys, i)));
  for (guint i = 0; i < G_N_ELEMENTS (unused); i++)
    if (unused[i])
      g_ptr_array_add (warnings,
          g_strdup_printf ("[stream %s] %s-allowed-addresses: it is for ends that wait for others, "
                           "and there is none.",
              config->name, i == 0 ? "input" : "output"));
}

static gboolean
is_all_files (const RelayEnd *input)
{
  for (guint i = 0; input->backups != NULL && i < input->backups->len; i++)
    if (!relay_end_is_file (g_ptr_array_index (input->backups, i)))
      return FALSE;
  return relay_end_is_file (input);
}

/* Tells of rules that have nothing to judge, or nothing to judge by. */
static void
warn_of_rules (const RelayStreamConfig *config, GPtrArray *warnings)
{
  gboolean judges = !is_all_files (config->input);

  for (guint i = 0; i < RELAY_RULES; i++) {
    const RelayRuleRow *row = &relay_rule_rows[i];
    gboolean seen = row->pictured ? config->picture_interval > 0 : config->input->monitored;

    if (config->input->rules[i] > 0 && !judges)
      g_ptr_array_add (warnings,
          g_strdup_printf (
              "[stream %s] %s judges no file, and all sources are files: leave it out.",
              config->name, row->key));
    else if (config->input->rules[i] > 0 && !seen)
      g_ptr_array_add (warnings,
          g_strdup_printf ("[stream %s] %s has nothing to judge by: write %s, or leave it out.",
              config->name, row->key,
              row->pictured ? "picture-interval = 1" : "monitor-ts = true"));
  }
}

static RelayStreamConfig *
read_stream (GKeyFile *file, const gchar *group, const RelaySecrets *secrets, GError **error)
{
  RelayStreamConfig *config = g_atomic_rc_box_new0 (RelayStreamConfig);
  g_autoptr (GError) why = NULL;
  gboolean good;

  config->name = g_strstrip (g_strdup (group + strlen (STREAM)));
  config->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) free_end);
  if (check_name (group, config->name, &why)
      && relay_value_string (file, group, "streamid", &config->streamid, &why)
      && config->streamid == NULL)
    config->streamid = g_strdup (config->name);
  if (config->streamid != NULL && strlen (config->streamid) > 512) {
    RELAY_BAD (&why, "it must be at most 512 bytes.");
    relay_value_locate (&why, group, "streamid");
  }
  good = why == NULL
      && relay_value_boolean (file, group, "require-streamid", &config->require_streamid, &why)
      && relay_value_boolean (file, group, "optional", &config->optional, &why)
      && relay_value_number (file, group, relay_key_find (relay_stream_keys, "picture-interval", 0),
          &config->picture_interval, &why)
      && relay_value_number (file, group, relay_key_find (relay_stream_keys, "preview-viewers", 0),
          &config->preview_viewers, &why)
      && read_input (file, group, secrets, config, &why)
      && read_outputs (file, group, secrets, config, &why);
  if (good) {
    warn_of_unused (config, secrets->warnings);
    warn_of_rules (config, secrets->warnings);
    return config;
  }
  g_propagate_error (error, g_steal_pointer (&why));
  relay_stream_config_unref (config);
  return NULL;
}

/* --- the file --------------------------------------------------------------------------------- */

static const RelayKey *
get_keys (const gchar *group)
{
  return g_str_equal (group, RELAY_SECTION) ? relay_section_keys :
      g_str_has_prefix (group, STREAM)      ? relay_stream_keys :
      g_str_has_prefix (group, HOOK)        ? relay_hook_keys :
                                              relay_accounts_get_keys (group);
}

static gboolean
add_stream (GKeyFile *file, const gchar *group, const RelaySecrets *secrets, RelayConfig *config,
    GError **error)
{
  RelayStreamConfig *stream;

  if (config->streams->len == RELAY_STREAMS_MAX) {
    RELAY_BAD (error, "[%s]: there are more than %d streams: start another relay.", group,
        RELAY_STREAMS_MAX);
    return FALSE;
  }
  stream = read_stream (file, group, secrets, error);
  if (stream == NULL)
    return FALSE;
  if (relay_config_find (config, stream->name) != NULL) {
    RELAY_BAD (error, "[%s]: there is another stream of that name. Rename one.", group);
    relay_stream_config_unref (stream);
    return FALSE;
  }
  g_ptr_array_add (config->streams, stream);
  return TRUE;
}

static gboolean
add_section (GKeyFile *file, const gchar *group, const RelaySecrets *secrets, RelayConfig *config,
    GError **error)
{
  if (g_str_equal (group, RELAY_SECTION))
    return relay_section_read (file, secrets, config, error);
  if (relay_accounts_get_keys (group) != NULL)
    return relay_accounts_add (file, group, secrets, config->accounts, error);
  if (g_str_has_prefix (group, HOOK))
    return relay_hook_read (file, group, group + strlen (HOOK), secrets, config->hooks, error);
  return add_stream (file, group, secrets, config, error);
}

static RelayConfig *
parse (const gchar *text, gsize size, const RelayConfig *before, GError **error)
{
  g_autoptr (GKeyFile) file = relay_text_parse (text, size, get_keys, error);
  g_autoptr (RelayConfig) config = g_new0 (RelayConfig, 1);
  g_auto (GStrv) groups = NULL;
  RelaySecrets secrets = { before != NULL ? before->secrets : NULL };

  secrets.warnings = config->warnings = g_ptr_array_new_with_free_func (g_free);
  secrets.found = config->secrets =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) relay_value_wipe);
  config->accounts = relay_accounts_new ();
  config->hooks = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_hook_unref);
  config->streams = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_stream_config_unref);
  if (file == NULL)
    return NULL;
  config->text = g_strndup (text, size);
  config->size = size;
  groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    if (!add_section (file, groups[i], &secrets, config, error))
      return NULL;
  if (config->streams->len == 0 && !config->api && config->api_socket == NULL) {
    RELAY_BAD (error,
        "there is nothing to do: write a section [stream NAME] with input and output; or api = true "
        "into [relay], and add streams by the API.");
    return NULL;
  }
  return relay_ports_check (config, error) && relay_recordings_check (config, error) ?
      g_steal_pointer (&config) :
      NULL;
}

RelayConfig *
relay_config_parse (const gchar *text, gsize size, const RelayConfig *before, GError **error)
{
  g_autoptr (GError) why = NULL;
  RelayConfig *config = parse (text, size, before, &why);
  /* it quotes names, which may have any bytes */
  g_autofree gchar *plain = why != NULL ? relay_log_make_plain (why->message) : NULL;

  if (why != NULL)
    g_set_error_literal (error, why->domain, why->code, plain);
  return config;
}

/* May a part of a URL's path, @size characters, be a secret?  It has as many characters as the
 * secrets that the configuration takes have at least, and digits, as random ones have and words
 * have not. */
static gboolean
may_be_secret (const gchar *part, gsize size)
{
  return size >= RELAY_SECRET_MIN && strcspn (part, "0123456789") < size;
}

/* May a part of the URL's path or query be a secret? */
static gboolean
has_secret (const gchar *url)
{
  const gchar *part = url != NULL ? strstr (url, "://") : NULL;

  for (part = part != NULL ? strchr (part + strlen ("://"), '/') : NULL; part != NULL;
      part = strpbrk (part + 1, "/?"))
    if (part[0] == '?' || may_be_secret (part + 1, strcspn (part + 1, "/?")))
      return TRUE;
  return FALSE;
}

gboolean
relay_config_has_secret (const RelayConfig *config)
{
  gboolean found = has_secret (config->auth_url);

  for (guint i = 0; i < config->accounts->len; i++)
    found |= ((RelayAccount *) g_ptr_array_index (config->accounts, i))->password != NULL;
  for (guint i = 0; i < config->hooks->len; i++) {
    const RelayHook *hook = g_ptr_array_index (config->hooks, i);

    found |= has_secret (hook->url);
  }
  for (guint i = 0; i < config->streams->len; i++) {
    const RelayStreamConfig *s = g_ptr_array_index (config->streams, i);

    found |= relay_edit_has_secret (s->input->uri);
    for (guint k = 0; k < relay_end_count_backups (s->input); k++)
      found |= relay_edit_has_secret (((RelayEnd *) g_ptr_array_index (s->input->backups, k))->uri);
    for (guint k = 0; k < s->outputs->len; k++)
      found |= relay_edit_has_secret (((RelayEnd *) g_ptr_array_index (s->outputs, k))->uri);
  }
  return found;
}

RelayConfig *
relay_config_load (const gchar *path, GError **error)
{
  g_autofree gchar *text = NULL;
  RelayConfig *config;
  struct stat what;
  gsize size;

  text = gst_fasp_file_read (path, &size, &what, error);
  if (text == NULL)
    return NULL;
  config = relay_config_parse (text, size, NULL, error);
  explicit_bzero (text, size);
  if (config == NULL)
    g_prefix_error (error, "%s: ", path);
  else
    relay_value_look_at (config->warnings, path, &what,
        relay_config_has_secret (config) ? GST_FASP_FILE_SECRET : GST_FASP_FILE_TRUSTED);
  return config;
}
