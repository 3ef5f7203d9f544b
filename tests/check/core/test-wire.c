/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The wire against the vectors of docs/protocol.md (FASP_PROTOCOL names it;
 * tests/spec/check has checked that they are what the document says): the
 * code takes each, finds its tag right, and writes the same bytes again.
 */
#include <stdlib.h>
#include "faspseal.h"
#include "faspwire.h"

#define SIZE_MAX_DATAGRAM 2048

/* --- the document ------------------------------------------------------------ */

typedef struct
{
  gchar *name;
  gboolean malformed;
  guint8 key[FASP_KEY_SIZE];
  guint8 data[SIZE_MAX_DATAGRAM];
  gsize size;
} Vector;

static gchar *
get_string (const gchar * line, const gchar * field)
{
  g_autofree gchar *start = g_strdup_printf ("\"%s\": \"", field);
  const gchar *at = strstr (line, start), *end;

  g_assert_nonnull (at);
  at += strlen (start);
  end = strchr (at, '"');
  return g_strndup (at, end - at);
}

static gsize
unfold (const gchar * text, guint8 * data, gsize max)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", -1);
  gsize size = 0;

  for (guint i = 0; parts[i] != NULL; i++) {
    gchar *times = strchr (parts[i], '*');
    guint n = times != NULL ? atoi (times + 1) : 1;

    if (times != NULL)
      *times = '\0';
    while (n-- > 0)
      for (const gchar * at = parts[i]; at[0] != '\0'; at += 2) {
        g_assert_cmpuint (size, <, max);
        data[size++] = g_ascii_xdigit_value (at[0]) << 4
            | g_ascii_xdigit_value (at[1]);
      }
  }
  return size;
}

static void
free_vector (Vector * vector)
{
  g_free (vector->name);
  g_free (vector);
}

static GPtrArray *
load_vectors (void)
{
  GPtrArray *vectors = g_ptr_array_new_with_free_func
      ((GDestroyNotify) free_vector);
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;
  gboolean found = FALSE;

  g_assert_true (g_file_get_contents (g_getenv ("FASP_PROTOCOL"), &text, NULL,
          NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    found |= g_str_has_prefix (lines[i], "## 9. Vectors");
    if (found && lines[i][0] == '{') {
      Vector *vector = g_new0 (Vector, 1);
      g_autofree gchar *key = get_string (lines[i], "key");
      g_autofree gchar *data = get_string (lines[i], "datagram");

      vector->name = get_string (lines[i], "name");
      vector->malformed = strstr (lines[i], "\"malformed\"") != NULL;
      unfold (key, vector->key, sizeof vector->key);
      vector->size = unfold (data, vector->data, sizeof vector->data);
      g_ptr_array_add (vectors, vector);
    }
  }
  g_assert_cmpuint (vectors->len, >, 30);
  return vectors;
}

/* --- there and back -------------------------------------------------------------- */

static void
rewrite_data (FaspWriter * w, const FaspFrame * frame)
{
  FaspBlock *block = fasp_block_new (frame->total);
  guint32 each = (frame->total + frame->count - 1) / frame->count;

  block->number = frame->block;
  block->media_time = frame->media_time;
  block->flags = frame->flags;
  block->size = frame->total;
  if (frame->payload_size > 0)
    memcpy (block->data + (frame->count > 1 ? each * frame->index : 0),
        frame->payload, frame->payload_size);
  fasp_wire_write_data (w, block, frame->round, frame->copy, frame->index,
      frame->count);
  fasp_block_unref (block);
}

/* FALSE: malformed. */
static gboolean
rewrite_session (const guint8 * data, gsize size, FaspWriter * w)
{
  g_autofree FaspFeedback *feedback = g_new0 (FaspFeedback, 1);
  FaspFrame frame = {.feedback = feedback };
  FaspSessionHeader header;
  FaspReader r;

  if (!fasp_wire_parse_session (data, size, &header))
    return FALSE;
  fasp_wire_write_session (w, &header);
  r = (FaspReader) {
  data + FASP_SESSION_HEADER, size - FASP_SESSION_HEADER - FASP_TAG_SIZE};
  while (fasp_wire_next_frame (&r, &frame)) {
    switch (frame.type) {
      case FASP_FRAME_PADDING:
        while (w->used < size - FASP_TAG_SIZE)
          fasp_write_uint (w, 0, 1);
        break;
      case FASP_FRAME_FEEDBACK:
        fasp_wire_write_feedback (w, feedback);
        break;
      case FASP_FRAME_PROMISE:
        fasp_wire_write_promise (w, frame.number, frame.interval);
        break;
      case FASP_FRAME_CLOSE:
        fasp_wire_write_close (w, frame.number, frame.text);
        break;
      case FASP_FRAME_DATA:
        if (frame.count > 1 && frame.payload_size > frame.total)
          return FALSE;
        rewrite_data (w, &frame);
        break;
      default:
        fasp_wire_write_number (w, frame.type, frame.number);
        break;
    }
  }
  return !r.failed;
}

static gboolean
rewrite (const guint8 * data, gsize size, FaspWriter * w)
{
  FaspHandshake handshake;

  if (fasp_wire_is_session (data, size))
    return rewrite_session (data, size, w);
  if (!fasp_wire_parse_handshake (data, size, &handshake)
      || (handshake.type == FASP_HANDSHAKE_OPEN && size < FASP_OPEN_SIZE))
    return FALSE;
  fasp_wire_write_handshake (w, &handshake);
  return TRUE;
}

static void
test_vector (gconstpointer data)
{
  const Vector *vector = data;
  guint8 out[SIZE_MAX_DATAGRAM];
  FaspWriter w = { out, sizeof out };
  gboolean good = rewrite (vector->data, vector->size, &w);

  g_assert_true (good == !vector->malformed);
  if (!good)
    return;
  g_assert_true (fasp_seal_open_handshake (vector->data, vector->size,
          vector->key));
  fasp_seal_close_handshake (&w, vector->key);
  g_assert_false (w.failed);
  g_assert_cmpmem (out, w.used, vector->data, vector->size);
}

/* Cut anywhere, and with any byte changed: parsed or refused, never more
 * read than is there (the copies are exactly as long, for ASan). */
static void
test_damaged (gconstpointer data)
{
  const GPtrArray *vectors = data;
  guint refused = 0;

  for (guint v = 0; v < vectors->len; v++) {
    const Vector *vector = g_ptr_array_index (vectors, v);
    gsize step = vector->size > 400 ? 13 : 1;

    for (gsize size = 0; size <= vector->size; size += step)
      for (guint change = 0; change < 4; change++) {
        g_autofree guint8 *copy = g_memdup2 (vector->data, size);
        guint8 out[SIZE_MAX_DATAGRAM];
        FaspWriter w = { out, sizeof out };

        if (size > 0 && change > 0)
          copy[(size * 7 + change * 11) % size] ^= 1 << (size + change) % 8;
        refused += !rewrite (copy, size, &w);
      }
  }
  g_assert_cmpuint (refused, >, 100);
}

static void
test_varint (void)
{
  static const guint64 values[] = { 0, 63, 64, 16383, 16384, 1073741823,
    1073741824, FASP_VARINT_MAX
  };
  static const guint sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8 };
  guint8 data[8];
  FaspWriter w;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    FaspReader r;

    w = (FaspWriter) {
    data, sizeof data};
    fasp_write_varint (&w, values[i]);
    g_assert_cmpuint (w.used, ==, sizes[i]);
    g_assert_cmpuint (fasp_varint_size (values[i]), ==, sizes[i]);
    r = (FaspReader) {
    data, w.used};
    g_assert_cmpuint (fasp_read_varint (&r), ==, values[i]);
    g_assert_false (r.failed);
    r = (FaspReader) {
    data, w.used - 1};
    fasp_read_varint (&r);
    g_assert_true (r.failed);
  }
  w = (FaspWriter) {
  data, sizeof data};
  fasp_write_varint (&w, FASP_VARINT_MAX + 1);
  g_assert_true (w.failed);
}

/* Every truncation comes back to the number it was cut from, half the range
 * to either side. */
static void
test_widen (void)
{
  static const guint64 bases[] = { 0, 100, 1 << 23, 1 << 24, 0xffffff,
    G_GUINT64_CONSTANT (0x123456789abcdef)
  };

  for (guint i = 0; i < G_N_ELEMENTS (bases); i++)
    for (gint64 d = -(1 << 23) + 1; d < 1 << 23; d += 99991) {
      guint64 number = bases[i] + d;

      if (d < 0 && bases[i] < (guint64) (-d))
        continue;
      g_assert_cmpuint (fasp_widen (number & 0xffffff, 24, bases[i]), ==,
          number);
    }
  g_assert_cmpuint (fasp_widen (0xfffffff0, 32, 0x10), ==, 0xfffffff0);
  g_assert_cmpuint (fasp_widen (0x10, 32, 0xfffffff0), ==,
      G_GUINT64_CONSTANT (0x100000010));
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) vectors = NULL;

  g_test_init (&argc, &argv, NULL);
  vectors = load_vectors ();
  g_test_add_func ("/wire/varint", test_varint);
  g_test_add_func ("/wire/widen", test_widen);
  for (guint i = 0; i < vectors->len; i++) {
    Vector *vector = g_ptr_array_index (vectors, i);
    g_autofree gchar *path = g_strconcat ("/wire/vector/", vector->name, NULL);

    g_test_add_data_func (path, vector, test_vector);
  }
  g_test_add_data_func ("/wire/damaged", vectors, test_damaged);
  return g_test_run ();
}
