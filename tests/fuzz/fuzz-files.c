/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files and addresses that somebody has given to the user: a configuration of the relay, a key, a
 * list of keys, the database of the history, a playlist of HLS, a URI of the elements.  The first
 * byte tells which of these the others are.
 */
#include "fuzz.h"
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzzgst.h"
#include "gstfaspkeys.h"
#include "relayconfig.h"
#include "relayhistorydatabase.h"
#include "relayhlslist.h"

#define TARGET 6 /* s, of a segment */

static gchar *folder;

static void
remove_folder (void)
{
  static const gchar *const names[] = { "key", "file.db", "file.db-wal", "file.db-shm",
    "file.db-journal", "a.m3u8" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree gchar *path = g_build_filename (folder, names[i], NULL);

    g_unlink (path);
  }
  g_rmdir (folder);
}

static gchar *
write_file (const gchar *name, const guint8 *data, gsize size)
{
  gchar *path = g_build_filename (folder, name, NULL);

  if (!g_file_set_contents_full (path, (const gchar *) data, size, G_FILE_SET_CONTENTS_NONE, 0600,
          NULL))
    abort ();
  return path;
}

/* What is refused is explained; what is taken is taken again. */
static void
fuzz_configuration (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RelayConfig) config = relay_config_parse ((const gchar *) data, size, NULL, &error);
  g_autoptr (RelayConfig) again = NULL;

  if ((config == NULL) != (error != NULL)
      || (error != NULL && !g_utf8_validate (error->message, -1, NULL)))
    abort ();
  if (config == NULL)
    return;
  again = relay_config_parse (config->text, config->size, config, NULL);
  if (again == NULL || again->streams->len != config->streams->len)
    abort ();
  relay_config_adopt (again, config, NULL);
  for (guint i = 0; i < config->streams->len; i++)
    relay_stream_config_compare (g_ptr_array_index (config->streams, i),
        g_ptr_array_index (again->streams, i));
  relay_config_has_secret (config);
}

/* A private key, a list of public keys, or a public key. */
static void
fuzz_keys (guint kind, const guint8 *data, gsize size)
{
  static const gchar key[] = "-----BEGIN PRIVATE KEY-----\n"
                             "MC4CAQAwBQYDK2VuBCIEICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg\n"
                             "-----END PRIVATE KEY-----\n";
  g_autofree gchar *path = kind == 0 ? write_file ("key", data, size) :
                                       write_file ("key", (const guint8 *) key, strlen (key));
  g_autofree gchar *list = kind == 1 ? write_file ("a.m3u8", data, size) : NULL;
  g_autofree gchar *public = kind == 2 ? g_strndup ((const gchar *) data, size) : NULL;
  GstFaspKeys keys = { .key_file = path, .allowed_keys = list, .public_key = public };
  g_autoptr (GError) error = NULL;

  if (gst_fasp_keys_check (&keys, GST_FASP_KEYS_ASK, &error) != (error == NULL))
    abort ();
}

static void
free_stream (gpointer sample)
{
  g_free (((RelayHistorySample *) sample)->stream);
}

/* What cannot be opened is explained, and no sample is without a stream. */
static void
fuzz_database (const guint8 *data, gsize size)
{
  static const RelayHistoryKept kept = { { "rate", "rtt-ms" }, { 1000, 100000 } };
  g_autofree gchar *path = write_file ("file.db", data, size);
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (RelayHistorySample));
  RelayHistorySample sample = { g_strdup ("a"), 0, 5000, { 1, 2 } };
  const gchar *why;
  gint ending = 0;
  RelayHistoryDatabase *database = relay_history_database_open (path, &kept, &why);

  g_array_set_clear_func (samples, free_stream);
  if ((database == NULL) != (why != NULL))
    abort ();
  if (database != NULL)
    why = relay_history_database_read (database, 5000, &ending, samples);
  for (guint i = 0; i < samples->len; i++)
    if (g_array_index (samples, RelayHistorySample, i).stream == NULL)
      abort ();
  g_array_append_val (samples, sample);
  if (database != NULL && why == NULL)
    relay_history_database_write (database, samples);
  g_clear_pointer (&database, relay_history_database_free);
  remove_folder ();
  g_mkdir (folder, 0700);
}

/* Whatever list is there: another segment is listed. */
static void
fuzz_playlist (const guint8 *data, gsize size)
{
  g_autofree gchar *path = write_file ("a.m3u8", data, size), *text = NULL;
  g_autoptr (GByteArray) packets = g_byte_array_new ();
  g_autoptr (GDir) dir = NULL;
  RelayHlsSegment segment = { packets, G_TIME_SPAN_SECOND, G_TIME_SPAN_HOUR };
  RelayHlsList *list = relay_hls_list_new (path, TARGET, 3);
  const gchar *name;

  for (guint i = 0; i < 3; i++)
    if (!relay_hls_list_add (list, &segment, NULL))
      abort ();
  relay_hls_list_free (list);
  if (!g_file_get_contents (path, &text, NULL, NULL) || !g_str_has_prefix (text, "#EXTM3U\n"))
    abort ();
  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree gchar *one = g_build_filename (folder, name, NULL);

    if (g_str_has_suffix (name, ".ts"))
      g_unlink (one);
  }
}

/* The URI that an element tells is one that it takes. */
static void
fuzz_uri (const gchar *element, const guint8 *data, gsize size)
{
  g_autofree gchar *text = g_strndup ((const gchar *) data, size), *told = NULL, *again = NULL;
  g_autoptr (GstElement) one = gst_object_ref_sink (gst_element_factory_make (element, NULL));

  if (!gst_uri_handler_set_uri (GST_URI_HANDLER (one), text, NULL))
    return;
  told = gst_uri_handler_get_uri (GST_URI_HANDLER (one));
  if (told == NULL || !gst_uri_handler_set_uri (GST_URI_HANDLER (one), told, NULL))
    abort ();
  again = gst_uri_handler_get_uri (GST_URI_HANDLER (one));
  if (!g_str_equal (told, again))
    abort ();
}

static void
begin (void)
{
  fuzz_gst_begin ();
  folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
  atexit (remove_folder);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (folder == NULL)
    begin ();
  if (size < 2)
    return 0;
  switch (data[0] % 8) {
    case 0:
      fuzz_configuration (data + 1, size - 1);
      break;
    case 1:
    case 2:
    case 3:
      fuzz_keys (data[0] % 8 - 1, data + 1, size - 1);
      break;
    case 4:
      fuzz_database (data + 1, size - 1);
      break;
    case 5:
      fuzz_playlist (data + 1, size - 1);
      break;
    default:
      fuzz_uri (data[0] % 8 == 6 ? "faspsink" : "faspsrc", data + 1, size - 1);
      break;
  }
  return 0;
}
