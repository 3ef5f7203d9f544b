/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <gio/gunixsocketaddress.h>
#include "relayconfig.h"
#include "relayfile.h"
#include "relayports.h"
#include "relaysources.h"
#include "gstfaspfile.h"

#define RELAY "relay"
#define STREAM "stream "
#define NAME_MAX_BYTES 128
#define SOCKET_PATH_MAX 108 /* bytes, sockaddr_un */
#define PASSPHRASE_MAX 4096 /* bytes of a file that holds one */

static const gchar *const relay_keys[] = { "status", "status-names", "receiver-metrics", "api",
  "api-token-file", "api-socket", NULL };

static const gchar *const stream_keys[] = { "streamid", "require-streamid", "optional", "input",
  "output", "switch-source", "input-passphrase-file", "output-passphrase-file", "input-key-file",
  "output-key-file", "input-allowed-keys", "output-allowed-keys", "input-record", "output-record",
  "input-log", "output-log", NULL };

#define BAD(error, ...) \
  g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, __VA_ARGS__)

/* Adds to @error, which says what is wrong, where in the file that is. */
static gboolean
locate (GError **error, const gchar *group, const gchar *key)
{
  g_prefix_error (error, "[%s] %s: ", group, key);
  return FALSE;
}

/* --- memory -------------------------------------------------------------------------- */

static void
wipe (gchar *secret)
{
  if (secret != NULL)
    explicit_bzero (secret, strlen (secret));
  g_free (secret);
}

static void
clear_end (RelayEnd *end)
{
  wipe (end->uri);
  wipe (end->passphrase);
  g_free (end->streamid);
  for (guint i = 0; i < RELAY_FILES; i++)
    g_free (end->files[i]);
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
  wipe (config->api_token);
  g_clear_object (&config->api_socket);
  if (config->text != NULL)
    explicit_bzero (config->text, config->size);
  g_free (config->text);
  g_ptr_array_unref (config->warnings);
  g_ptr_array_unref (config->streams);
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

/* --- values ----------------------------------------------------------------------------- */

static gboolean
read_boolean (GKeyFile *file, const gchar *group, const gchar *key, gboolean *value, GError **error)
{
  g_autoptr (GError) why = NULL;

  if (!g_key_file_has_key (file, group, key, NULL))
    return TRUE;
  *value = g_key_file_get_boolean (file, group, key, &why);
  if (why == NULL)
    return TRUE;
  BAD (error, "write true or false.");
  return locate (error, group, key);
}

/* Returns NULL without an error if the key is not there. */
static gchar *
read_string (GKeyFile *file, const gchar *group, const gchar *key, GError **error)
{
  g_autoptr (GError) why = NULL;
  gchar *text;

  if (!g_key_file_has_key (file, group, key, NULL))
    return NULL;
  text = g_key_file_get_string (file, group, key, &why);
  if (why == NULL)
    return text;
  /* if an escape was not valid, GLib still returns the rest; it may be a secret */
  wipe (text);
  BAD (error,
      "it is not UTF-8, or has a backslash that escapes nothing: write \\\\ for a backslash.");
  locate (error, group, key);
  return NULL;
}

/* Takes only addresses: a name could take long to resolve, and have several addresses. */
static gboolean
read_status (GKeyFile *file, RelayConfig *config, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autofree gchar *text = read_string (file, RELAY, "status", &why);
  g_autofree gchar *scheme = NULL, *host = NULL, *path = NULL;
  gint port = -1;

  if (text == NULL && why == NULL)
    return TRUE;
  if (text != NULL && g_uri_split_network (text, G_URI_FLAGS_NONE, &scheme, &host, &port, NULL)
      && g_str_equal (scheme, "http") && host != NULL && port > 0
      && g_uri_split (text, G_URI_FLAGS_NONE, NULL, NULL, NULL, NULL, &path, NULL, NULL, NULL)
      && (path[0] == '\0' || g_str_equal (path, "/")))
    config->status =
        g_inet_socket_address_new_from_string (g_str_equal (host, "localhost") ? "127.0.0.1" : host,
            port);
  if (config->status != NULL)
    return TRUE;
  BAD (error,
      "write http://ADDRESS:PORT, e.g. http://127.0.0.1:8080 for this "
      "machine alone, http://[::]:8080 for all addresses; or leave it out.");
  return locate (error, RELAY, "status");
}

static gboolean
read_status_names (GKeyFile *file, RelayConfig *config, GError **error)
{
  gchar **names;

  if (!g_key_file_has_key (file, RELAY, "status-names", NULL))
    return TRUE;
  names = config->status_names =
      g_key_file_get_string_list (file, RELAY, "status-names", NULL, NULL);
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    g_strstrip (names[i]);
    if (names[i][0] == '\0' || strpbrk (names[i], ":/ ,*") != NULL)
      names = NULL;
  }
  if (names != NULL && names[0] != NULL)
    return TRUE;
  BAD (error,
      "write host names without a port, e.g. relay.example, with a ; "
      "between them; or leave it out.");
  return locate (error, RELAY, "status-names");
}

/* Tells of a file that others can read or change, once, whatever names it. */
static void
look_at_file (GPtrArray *warnings, const gchar *path, const struct stat *what, GstFaspFileKind kind)
{
  g_autofree gchar *warning = gst_fasp_file_warn (path, what, kind);

  if (warning == NULL)
    return;
  for (guint i = 0; i < warnings->len; i++)
    if (g_str_equal (g_ptr_array_index (warnings, i), warning))
      return;
  g_ptr_array_add (warnings, g_steal_pointer (&warning));
}

/* Reads a file with one line, and strips the space around that. */
static gboolean
read_passphrase (GKeyFile *file, const gchar *group, const gchar *key, GPtrArray *warnings,
    gchar **passphrase, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autofree gchar *path = read_string (file, group, key, &why);
  struct stat what;
  gchar *text = NULL;
  gsize size;

  if (path == NULL && why == NULL)
    return TRUE;
  if (path != NULL)
    text = gst_fasp_file_read (path, &size, &what, &why);
  if (text == NULL) {
    BAD (error,
        "%s. Name a file that the relay can read and that holds nothing but the passphrase.",
        why->message);
    return locate (error, group, key);
  }
  if (size <= PASSPHRASE_MAX && strlen (text) == size)
    *passphrase = g_strdup (g_strstrip (text));
  explicit_bzero (text, size);
  g_free (text);
  look_at_file (warnings, path, &what, GST_FASP_FILE_SECRET);
  if (*passphrase != NULL && g_utf8_validate (*passphrase, -1, NULL)
      && g_utf8_strlen (*passphrase, -1) >= 10 && strlen (*passphrase) <= 1024)
    return TRUE;
  BAD (error,
      "%s holds no passphrase of 10 characters to 1024 bytes. Name another file; "
      "to make one: openssl rand -base64 18 >NEW-FILE",
      path);
  return locate (error, group, key);
}

/* What changes streams needs a token, unless nobody else reaches it. */
static gboolean
read_api (GKeyFile *file, RelayConfig *config, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autofree gchar *path = NULL;
  const gchar *objection = NULL;

  if (!read_boolean (file, RELAY, "api", &config->api, error)
      || !read_passphrase (file, RELAY, "api-token-file", config->warnings, &config->api_token,
          error))
    return FALSE;
  path = read_string (file, RELAY, "api-socket", &why);
  if (why != NULL) {
    g_propagate_error (error, g_steal_pointer (&why));
    return FALSE;
  }
  if (path != NULL && (!g_path_is_absolute (path) || strlen (path) >= SOCKET_PATH_MAX)) {
    BAD (error,
        "write the whole path of a socket, of less than %d bytes, in a folder where the "
        "relay may write, e.g. /run/fasp-relay/api.",
        SOCKET_PATH_MAX);
    return locate (error, RELAY, "api-socket");
  }
  if (path != NULL)
    config->api_socket = g_unix_socket_address_new (path);
  if (config->api && config->status == NULL)
    objection = "it is served where the status is: write status = http://127.0.0.1:PORT, or "
                "api-socket = PATH instead of this.";
  else if (config->api && config->api_token == NULL
      && !g_inet_address_get_is_loopback (
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (config->status))))
    objection = "whoever reaches this address could change the streams: write api-token-file = "
                "FILE (openssl rand -base64 18 >FILE), or serve the status at 127.0.0.1.";
  if (objection == NULL)
    return TRUE;
  BAD (error, "%s", objection);
  return locate (error, RELAY, "api");
}

/* --- ends ---------------------------------------------------------------------------------- */

/* Checks for faults that the element would otherwise report only when it starts. */
static gboolean
check_settings (GstElement *element, GError **error)
{
  g_autofree gchar *why = NULL;

  g_signal_emit_by_name (element, "check-settings", &why);
  if (why != NULL)
    BAD (error, "%s", why);
  return why == NULL;
}

/* Keys that the elements would refuse, too; but here they have another place. */
static gboolean
check_files (gboolean sends, const gchar *text, GError **error)
{
  g_autoptr (GstUri) uri = gst_uri_from_string (text);

  for (guint i = 0; uri != NULL && i < RELAY_FILES; i++)
    if (gst_uri_query_has_key (uri, relay_end_files[i])) {
      BAD (error,
          "%s names a file, which a URI may not do: leave it out, and "
          "write %s-%s = FILE in a line of its own.",
          relay_end_files[i], sends ? "output" : "input", relay_end_files[i]);
      return FALSE;
    }
  return TRUE;
}

/* @side: what all ends of that side have in common. */
static RelayEnd *
make_end (const RelayEnd *side, const gchar *uri, GError **error)
{
  g_autoptr (GstElement) element = NULL;
  RelayEnd *end;

  if (strstr (uri, " #") != NULL || strstr (uri, "\t#") != NULL) {
    BAD (error, "a comment needs a line of its own, that begins with #.");
    return NULL;
  }
  if (!relay_sources_check_text (uri, side->sends, error) || !check_files (side->sends, uri, error))
    return NULL;
  end = g_new0 (RelayEnd, 1);
  end->sends = side->sends;
  end->uri = g_strdup (uri);
  end->streamid = g_strdup (side->streamid);
  end->passphrase = g_strdup (side->passphrase);
  for (guint i = 0; i < RELAY_FILES; i++)
    end->files[i] = g_strdup (side->files[i]);
  element = relay_end_make (end, NULL, error);
  if (element != NULL)
    gst_object_ref_sink (element);
  if (element == NULL || !check_settings (element, error)
      || (!end->sends && !relay_end_is_foreign (end)
          && !relay_sources_check (element, uri, error))) {
    free_end (end);
    return NULL;
  }
  return end;
}

/* Keys of @side that none of its ends has a use for. */
static gboolean
check_side (const RelayEnd *side, const GPtrArray *ends, GError **error)
{
  const gchar *name = side->sends ? "output" : "input";
  gboolean fasp = FALSE, secret = FALSE;

  for (guint i = 0; i < ends->len; i++) {
    const RelayEnd *end = g_ptr_array_index (ends, i);

    fasp |= !relay_end_is_foreign (end);
    secret |= !relay_end_is_foreign (end) || g_ascii_strncasecmp (end->uri, "srt:", 4) == 0;
  }
  if (side->passphrase != NULL && !secret) {
    BAD (error, "%s-passphrase-file is for fasp:// and srt://: leave it out.", name);
    return FALSE;
  }
  for (guint i = 0; i < RELAY_FILES; i++)
    if (side->files[i] != NULL && !fasp) {
      BAD (error, "%s-%s is for fasp://: leave it out.", name, relay_end_files[i]);
      return FALSE;
    }
  return TRUE;
}

/* Reads what all inputs, or all outputs, have in common. */
static gboolean
read_side (GKeyFile *file, const gchar *group, GPtrArray *warnings, RelayEnd *side, GError **error)
{
  const gchar *name = side->sends ? "output" : "input";
  g_autofree gchar *key = g_strconcat (name, "-passphrase-file", NULL);
  gboolean good = read_passphrase (file, group, key, warnings, &side->passphrase, error);

  for (guint i = 0; good && i < RELAY_FILES; i++) {
    g_autofree gchar *of = g_strconcat (name, "-", relay_end_files[i], NULL);
    g_autoptr (GError) why = NULL;

    side->files[i] = read_string (file, group, of, &why);
    good = why == NULL;
    if (!good)
      g_propagate_error (error, g_steal_pointer (&why));
  }
  return good;
}

static gboolean
read_input (GKeyFile *file, const gchar *group, GPtrArray *warnings, RelayStreamConfig *config,
    GError **error)
{
  g_auto (RelayEnd) side = { .streamid = g_strdup (config->streamid) };
  g_autofree gchar *uri = NULL;

  if (!read_side (file, group, warnings, &side, error))
    return FALSE;
  uri = read_string (file, group, "input", error);
  if (uri == NULL) {
    if (error == NULL || *error == NULL) {
      BAD (error,
          "it is missing: write input = fasp://HOST:PORT to dial where "
          "the stream comes from, or fasp://:PORT to be dialled; or srt://, rist://, udp://, rtp:// or "
          "file:///PATH.");
      locate (error, group, "input");
    }
    return FALSE;
  }
  config->input = make_end (&side, uri, error);
  wipe (g_steal_pointer (&uri));
  if (config->input != NULL) {
    g_autoptr (GPtrArray) one = g_ptr_array_new ();

    g_ptr_array_add (one, config->input);
    if (check_side (&side, one, error))
      return TRUE;
  }
  return locate (error, group, "input");
}

/* Reads which source of the input is asked to lead. */
static gboolean
read_switch (GKeyFile *file, const gchar *group, RelayStreamConfig *config, GError **error)
{
  g_autoptr (GstElement) element = NULL;
  g_autoptr (GError) why = NULL;
  guint sources;

  config->switch_source = -1;
  if (!g_key_file_has_key (file, group, "switch-source", NULL))
    return TRUE;
  element = gst_object_ref_sink (relay_end_make (config->input, NULL, NULL));
  sources = relay_sources_count (element);
  if (sources == 0) {
    BAD (error,
        "it is for an input that has several sources at once: add redundancy=hot or "
        "redundancy=standby to its URI, or leave this out.");
    return locate (error, group, "switch-source");
  }
  config->switch_source = g_key_file_get_integer (file, group, "switch-source", &why);
  if (why == NULL && config->switch_source >= 0 && (guint) config->switch_source < sources)
    return TRUE;
  BAD (error,
      "write the number of a source, 0 to %u: 0 is that of the URI, and 1 the first of "
      "fallback-addresses. Or leave it out.",
      sources - 1);
  return locate (error, group, "switch-source");
}

static gboolean
read_outputs (GKeyFile *file, const gchar *group, GPtrArray *warnings, RelayStreamConfig *config,
    GError **error)
{
  g_auto (RelayEnd) side = { .sends = TRUE, .streamid = g_strdup (config->streamid) };
  gsize n = 0;
  gchar **uris;
  gboolean good;

  if (!read_side (file, group, warnings, &side, error))
    return FALSE;
  uris = g_key_file_get_string_list (file, group, "output", &n, NULL);
  good = n > 0 && n <= RELAY_OUTPUTS_MAX;
  if (!good)
    BAD (error,
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
    wipe (uris[i]);
  }
  g_free (uris);
  config->next_id = n + 1;
  good = good && check_side (&side, config->outputs, error);
  return good || locate (error, group, "output");
}

/* Checks the name of a stream, which becomes a streamid and is in the status. */
static gboolean
check_name (const gchar *group, const gchar *name, GError **error)
{
  g_autofree gchar *valid = g_utf8_make_valid (group, -1);

  if (!g_utf8_validate (name, -1, NULL)) {
    BAD (error,
        "[%s]: the name of the stream is not UTF-8. Write it anew, with an "
        "editor that saves UTF-8.",
        valid);
    return FALSE;
  }
  if (name[0] != '\0' && strlen (name) <= NAME_MAX_BYTES)
    return TRUE;
  BAD (error, "[%s]: write [stream NAME], with a name of at most %d bytes.", valid, NAME_MAX_BYTES);
  return FALSE;
}

static RelayStreamConfig *
read_stream (GKeyFile *file, const gchar *group, GPtrArray *warnings, GError **error)
{
  RelayStreamConfig *config = g_atomic_rc_box_new0 (RelayStreamConfig);
  g_autoptr (GError) why = NULL;
  gboolean good;

  config->name = g_strstrip (g_strdup (group + strlen (STREAM)));
  config->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) free_end);
  if (check_name (group, config->name, &why)) {
    config->streamid = read_string (file, group, "streamid", &why);
    if (config->streamid == NULL && why == NULL)
      config->streamid = g_strdup (config->name);
  }
  if (config->streamid != NULL && strlen (config->streamid) > 512) {
    BAD (&why, "it must be at most 512 bytes.");
    locate (&why, group, "streamid");
  }
  good = why == NULL
      && read_boolean (file, group, "require-streamid", &config->require_streamid, &why)
      && read_boolean (file, group, "optional", &config->optional, &why)
      && read_input (file, group, warnings, config, &why) && read_switch (file, group, config, &why)
      && read_outputs (file, group, warnings, config, &why);
  if (good)
    return config;
  g_propagate_error (error, g_steal_pointer (&why));
  relay_stream_config_unref (config);
  return NULL;
}

/* --- the file --------------------------------------------------------------------------------- */

static const gchar *const *
get_keys (const gchar *group)
{
  return g_str_equal (group, RELAY)    ? relay_keys :
      g_str_has_prefix (group, STREAM) ? stream_keys :
                                         NULL;
}

static gboolean
read_relay (GKeyFile *file, RelayConfig *config, GError **error)
{
  return read_status (file, config, error) && read_status_names (file, config, error)
      && read_boolean (file, RELAY, "receiver-metrics", &config->receiver_metrics, error)
      && read_api (file, config, error);
}

static gboolean
add_stream (GKeyFile *file, const gchar *group, RelayConfig *config, GError **error)
{
  RelayStreamConfig *stream;

  if (config->streams->len == RELAY_STREAMS_MAX) {
    BAD (error, "[%s]: there are more than %d streams: start another relay.", group,
        RELAY_STREAMS_MAX);
    return FALSE;
  }
  stream = read_stream (file, group, config->warnings, error);
  if (stream == NULL)
    return FALSE;
  if (relay_config_find (config, stream->name) != NULL) {
    BAD (error, "[%s]: there is another stream of that name. Rename one.", group);
    relay_stream_config_unref (stream);
    return FALSE;
  }
  g_ptr_array_add (config->streams, stream);
  return TRUE;
}

RelayConfig *
relay_config_parse (const gchar *text, gsize size, GError **error)
{
  g_autoptr (GKeyFile) file = relay_file_parse (text, size, get_keys, error);
  g_autoptr (RelayConfig) config = g_new0 (RelayConfig, 1);
  g_auto (GStrv) groups = NULL;

  config->warnings = g_ptr_array_new_with_free_func (g_free);
  config->streams = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_stream_config_unref);
  if (file == NULL)
    return NULL;
  config->text = g_strndup (text, size);
  config->size = size;
  groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    if (!(g_str_equal (groups[i], RELAY) ? read_relay (file, config, error) :
                                           add_stream (file, groups[i], config, error)))
      return NULL;
  if (config->streams->len == 0) {
    BAD (error, "there is nothing to do: write a section [stream NAME] with input and output.");
    return NULL;
  }
  return relay_ports_check (config, error) ? g_steal_pointer (&config) : NULL;
}

static gboolean
has_secret (const RelayConfig *config)
{
  gboolean found = FALSE;

  for (guint i = 0; i < config->streams->len; i++) {
    const RelayStreamConfig *s = g_ptr_array_index (config->streams, i);

    found |= relay_end_names_passphrase (s->input);
    for (guint k = 0; k < s->outputs->len; k++)
      found |= relay_end_names_passphrase (g_ptr_array_index (s->outputs, k));
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
  config = relay_config_parse (text, size, error);
  explicit_bzero (text, size);
  if (config == NULL)
    g_prefix_error (error, "%s: ", path);
  else
    look_at_file (config->warnings, path, &what,
        has_secret (config) ? GST_FASP_FILE_SECRET : GST_FASP_FILE_TRUSTED);
  return config;
}
