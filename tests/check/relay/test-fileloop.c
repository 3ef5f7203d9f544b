/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An input that is a file, which is played again and again.
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <malloc.h>
#include <string.h>
#include "../elements/pair.h"
#include "openedend.h"

#define FILE_PACKETS 3301 /* no multiple of seven */
#define PCR_EACH 800      /* packets, the first has one */
#define PCR_STEP 300      /* ms: so that it plays for more than a second */

static GByteArray *
make_file (void)
{
  GByteArray *all = g_byte_array_new ();

  g_byte_array_set_size (all, FILE_PACKETS * PACKET);
  for (guint i = 0; i < FILE_PACKETS; i++) {
    guint8 *packet = all->data + i * PACKET;
    guint64 pcr = 90 * PCR_STEP * (i / PCR_EACH);

    memset (packet, i, PACKET);
    packet[0] = SYNC;
    /* a PES packet begins in each */
    GST_WRITE_UINT24_BE (packet + 1, 0x410010 | i % 16);
    if (i % PCR_EACH != 0)
      continue;
    packet[3] |= 0x20; /* an adaptation field, of seven bytes, with a PCR */
    packet[4] = 7;
    packet[5] = 0x10;
    /* 33 bits, and 15 that are reserved or 0; the address may be odd */
    pcr = GUINT64_TO_BE ((pcr << 15 | 0x7e00) << 16);
    memcpy (packet + 6, &pcr, 6);
  }
  return all;
}

/* Guarded by its mutex. */
typedef struct
{
  GMutex lock;
  GByteArray *content;
} Played;

static void
on_played (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  Played *played = data;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  g_mutex_lock (&played->lock);
  g_byte_array_append (played->content, map.data, map.size);
  g_mutex_unlock (&played->lock);
  gst_buffer_unmap (buffer, &map);
}

static gsize
get_played (Played *played)
{
  gsize size;

  g_mutex_lock (&played->lock);
  size = played->content->len;
  g_mutex_unlock (&played->lock);
  return size;
}

/* Returns the PCR of packet @i that was played, ms. */
static guint64
get_pcr (const Played *played, guint i)
{
  guint64 pcr = 0;

  memcpy (&pcr, played->content->data + i * PACKET + 6, 6);
  return (GUINT64_FROM_BE (pcr) >> 31) / 90;
}

/* A file that begins anew is played with a clock and counters that go on. */
static void
test_loop (void)
{
  g_autofree gchar *path = NULL, *uri = NULL;
  g_autoptr (GByteArray) file = make_file ();
  gsize size = file->len;
  Played played = { .content = g_byte_array_sized_new (8 * size) };
  OpenedEnd input;
  gsize used;

  g_close (g_file_open_tmp ("ends-XXXXXX", &path, NULL), NULL);
  g_assert_true (g_file_set_contents (path, (gchar *) file->data, size, NULL));
  uri = g_strdup_printf ("file://%s", path);
  g_mutex_init (&played.lock);
  opened_end_init_input (&input, uri, G_CALLBACK (on_played), &played);
  while (get_played (&played) < size)
    g_usleep (10000);
  used = mallinfo2 ().uordblks;
  while (get_played (&played) < 3 * size)
    g_usleep (10000);
  /* what has been played is not kept */
  g_assert_cmpuint (mallinfo2 ().uordblks, <, used + size);
  opened_end_clear (&input);
  g_assert_cmpmem (played.content->data, size, file->data, size);
  for (guint i = 0; i < 3 * FILE_PACKETS; i++) {
    const guint8 *packet = played.content->data + i * PACKET;

    g_assert_cmpuint (packet[3] & 0x0f, ==, i % 16);
    if (i % FILE_PACKETS % PCR_EACH != 0)
      continue;
    g_assert_cmpuint (packet[5], ==, 0x10);
    g_assert_cmpuint (get_pcr (&played, i), ==, PCR_STEP * i / PCR_EACH);
    g_assert_cmpmem (packet + 12, PACKET - 12, file->data + i % FILE_PACKETS * PACKET + 12,
        PACKET - 12);
  }
  g_byte_array_unref (played.content);
  g_mutex_clear (&played.lock);
  g_unlink (path);
}

typedef struct
{
  const gchar *what;
  guint packets;    /* of the file */
  gboolean has_pcr; /* its first packet has one */
  const gchar *error;
} Fault;

static const Fault faults[] = {
  { "no-clock", FILE_PACKETS, FALSE, "The file has no clock (PCR)" },
  { "clock-stops", 100000, TRUE, "The file has no clock (PCR)" },
  { "nothing", 0, FALSE, "The file has no packet" },
};

/* Waits until the input has failed, and returns why. */
static gchar *
wait_for_error (GstElement *input)
{
  g_autofree gchar *error = NULL;

  while (error == NULL) {
    g_autoptr (GstStructure) stats = NULL;

    g_usleep (10000);
    g_object_get (input, "stats", &stats, NULL);
    error = g_strdup (gst_structure_get_string (stats, "end-error"));
  }
  return g_steal_pointer (&error);
}

/* A file that cannot be played fails, and is not kept in memory until it can. */
static void
test_fault (gconstpointer data)
{
  const Fault *fault = data;
  g_autofree gchar *path = NULL, *uri = NULL, *error = NULL;
  g_autoptr (GByteArray) file = make_file (), content = g_byte_array_new ();
  OpenedEnd input;

  for (guint i = 0; i < fault->packets; i++)
    g_byte_array_append (content, file->data + (i == 0 && fault->has_pcr ? 0 : PACKET), PACKET);
  g_close (g_file_open_tmp ("ends-XXXXXX", &path, NULL), NULL);
  g_assert_true (g_file_set_contents (path, (gchar *) content->data, content->len, NULL));
  uri = g_strdup_printf ("file://%s", path);
  opened_end_init_input (&input, uri, NULL, NULL);
  error = wait_for_error (input.end);
  g_assert_true (g_str_has_prefix (error, fault->error));
  opened_end_clear (&input);
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/fileloop", test_loop);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    g_autofree gchar *name = g_strdup_printf ("/relay/file/fault/%s", faults[i].what);

    g_test_add_data_func (name, &faults[i], test_fault);
  }
  return g_test_run ();
}
