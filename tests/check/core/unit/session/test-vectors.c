/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The vectors of docs/protocol.md (FASP_VECTORS names their file; tests/interop/check-vectors
 * compares them with the second implementation): the code takes each, opens it, and writes the same
 * bytes again; handshakes come out with the same keys.
 */
#include <stdlib.h>
#include "faspblock.h"
#include "faspbytes.h"
#include "faspcredentials.h"
#include "faspcrypto.h"
#include "faspnoise.h"
#include "fasprlc.h"
#include "faspprotection.h"
#include "faspsession.h"
#include "fasprlcdecoder.h"
#include "faspstream.h"
#include "faspwire.h"
#include "faspwirehello.h"
#include "vseal.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspOpener, fasp_opener_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspSealer, fasp_sealer_free)

#define SIZE_MAX_DATAGRAM 2048

typedef struct
{
  gchar *name;
  gchar *line; /* all of it */
  gboolean malformed;
  guint8 data[SIZE_MAX_DATAGRAM]; /* the datagram, or hello */
  gsize size;
} Vector;

static gchar *
get_string (const gchar *line, const gchar *field)
{
  g_autofree gchar *start = g_strdup_printf ("\"%s\": \"", field);
  const gchar *at = strstr (line, start), *end;

  if (at == NULL)
    return NULL;
  at += strlen (start);
  end = strchr (at, '"');
  return g_strndup (at, end - at);
}

static gsize
unfold (const gchar *text, guint8 *data, gsize max)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", -1);
  gsize size = 0;

  for (guint i = 0; parts[i] != NULL; i++) {
    gchar *times = strchr (parts[i], '*');
    guint n = times != NULL ? atoi (times + 1) : 1;

    if (times != NULL)
      *times = '\0';
    while (n-- > 0)
      for (const gchar *at = parts[i]; at[0] != '\0'; at += 2) {
        g_assert_cmpuint (size, <, max);
        data[size++] = g_ascii_xdigit_value (at[0]) << 4 | g_ascii_xdigit_value (at[1]);
      }
  }
  return size;
}

static gsize
get_hex (const Vector *vector, const gchar *field, guint8 *data, gsize max)
{
  g_autofree gchar *text = get_string (vector->line, field);

  return text != NULL ? unfold (text, data, max) : 0;
}

static guint64
get_number (const Vector *vector, const gchar *field)
{
  g_autofree gchar *start = g_strdup_printf ("\"%s\": ", field);
  const gchar *at = strstr (vector->line, start);

  g_assert_nonnull (at);
  return g_ascii_strtoull (at + strlen (start), NULL, 10);
}

static gboolean
has (const Vector *vector, const gchar *field)
{
  g_autofree gchar *value = get_string (vector->line, field);

  return value != NULL;
}

static void
free_vector (Vector *vector)
{
  g_free (vector->name);
  g_free (vector->line);
  g_free (vector);
}

static GPtrArray *
load_vectors (void)
{
  GPtrArray *vectors = g_ptr_array_new_with_free_func ((GDestroyNotify) free_vector);
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_true (g_file_get_contents (g_getenv ("FASP_VECTORS"), &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i][0] != '\0'; i++) {
    Vector *vector = g_new0 (Vector, 1);

    vector->name = get_string (lines[i], "name");
    vector->line = g_strdup (lines[i]);
    vector->malformed = strstr (lines[i], "\"malformed\"") != NULL;
    vector->size = get_hex (vector, has (vector, "hello") ? "hello" : "datagram", vector->data,
        sizeof vector->data);
    g_ptr_array_add (vectors, vector);
  }
  g_assert_cmpuint (vectors->len, >, 30);
  return vectors;
}

/* A payload that is somewhere else is copied behind what is written. */
static void
flatten (FaspWriter *w)
{
  fasp_write_bytes (w, w->payload, w->payload_size);
  w->payload = NULL;
  w->payload_size = 0;
}

static void
rewrite_data (FaspWriter *w, const FaspDataFrame *frame)
{
  FaspBlock *block = fasp_block_new (frame->total);
  guint32 each = (frame->total + frame->count - 1) / frame->count;

  block->number = frame->block;
  block->media_time = frame->media_time;
  block->flags = frame->flags;
  block->size = frame->total;
  if (frame->payload_size > 0)
    memcpy (block->data + (frame->count > 1 ? each * frame->index : 0), frame->payload,
        frame->payload_size);
  fasp_wire_write_data (w, block, frame->round, frame->copy, frame->index, frame->count);
  flatten (w);
  fasp_block_unref (block);
}

/* FALSE: malformed. */
static gboolean
rewrite_frames (const guint8 *frames, gsize size, FaspWriter *w)
{
  g_autofree FaspFeedback *feedback = g_new0 (FaspFeedback, 1);
  gchar text[FASP_TEXT_MAX + 1];
  FaspFrame frame = { .feedback = feedback, .text = text };
  FaspReader r = { frames, size };
  gsize end = w->used + size;

  while (fasp_wire_next_frame (&r, &frame)) {
    switch (frame.type) {
      case FASP_FRAME_PADDING:
        while (w->used < end)
          fasp_write_uint (w, 0, 1);
        break;
      case FASP_FRAME_FEEDBACK:
        fasp_wire_write_feedback (w, feedback);
        break;
      case FASP_FRAME_PROMISE:
        fasp_wire_write_promise (w, frame.promise.serial, frame.promise.latency,
            frame.promise.interval, frame.promise.feedback_rate);
        break;
      case FASP_FRAME_POSITION:
        fasp_wire_write_position (w, frame.position.n, &frame.position.offset);
        break;
      case FASP_FRAME_OFFSET:
        fasp_wire_write_offset (w, frame.segment, frame.offset);
        break;
      case FASP_FRAME_NEXT:
        fasp_wire_write_next (w, frame.next.flow, frame.next.n);
        break;
      case FASP_FRAME_AGREE:
        fasp_wire_write_agree (w, frame.agree.serial, frame.agree.key);
        break;
      case FASP_FRAME_GROUP:
        fasp_wire_write_group (w, frame.group.members, frame.group.back_off, frame.group.clock);
        break;
      case FASP_FRAME_REPAIR:
        fasp_wire_write_repair (w, frame.repair.first, frame.repair.blocks, frame.repair.key,
            frame.repair.span);
        fasp_write_bytes (w, frame.repair.symbol, frame.repair.symbol_size);
        break;
      case FASP_FRAME_CLOSE:
        fasp_wire_write_close (w, frame.close.reason, frame.close.text);
        break;
      case FASP_FRAME_DATA:
        if (frame.data.count > 1 && frame.data.payload_size > frame.data.total)
          return FALSE;
        rewrite_data (w, &frame.data);
        break;
      case FASP_FRAME_PING:
      case FASP_FRAME_PONG:
        fasp_wire_write_number (w, frame.type, frame.ping.token);
        break;
      case FASP_FRAME_EXPIRED:
        fasp_wire_write_number (w, frame.type, frame.expired.media_time);
        break;
      default:
        fasp_wire_write_number (w, frame.type, frame.blocks.n);
        break;
    }
  }
  return !r.failed;
}

static gboolean
rewrite_handshake (const guint8 *data, gsize size, FaspWriter *w)
{
  FaspHandshake handshake;

  if (!fasp_wire_parse_handshake (data, size, &handshake)
      || (handshake.type == FASP_HANDSHAKE_OPEN && size < FASP_OPEN_SIZE))
    return FALSE;
  fasp_wire_write_handshake (w, &handshake);
  return TRUE;
}

static gboolean
rewrite_hello (const guint8 *data, gsize size, FaspWriter *w)
{
  FaspHello hello;

  if (!fasp_wire_parse_hello (data, size, &hello))
    return FALSE;
  fasp_wire_write_hello (w, &hello);
  return TRUE;
}

static FaspCipher
get_cipher (const Vector *vector)
{
  static const gchar *names[] = { "none", "aes-128-gcm", "aes-256-gcm", "chacha20-poly1305" };
  g_autofree gchar *name = get_string (vector->line, "cipher");
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names) && !g_str_equal (name, names[i]); i++)
    ;
  g_assert_cmpuint (i, <, G_N_ELEMENTS (names));
  return i;
}

/* The frames in it, or NULL; @header as it stands there. */
static const guint8 *
open_session (const Vector *vector, FaspSessionHeader *header, guint8 *scratch, gsize *size)
{
  guint8 key[FASP_KEY_SIZE];
  FaspSessionHeader first;
  const guint8 *frames;
  g_autoptr (FaspOpener) opener = NULL;

  get_hex (vector, "key", key, sizeof key);
  if (!fasp_wire_parse_session (vector->data, vector->size, header))
    return NULL;
  /* the key told is that of its phase: for the opener the first */
  first = *header;
  first.phase = FALSE;
  opener = fasp_opener_new (get_cipher (vector), key);
  frames = fasp_opener_open (opener, &first, get_number (vector, "pn"), vector->data, vector->size,
      scratch, size);
  return frames;
}

/* Opens it and seals it again. */
static gboolean
rewrite_session (const Vector *vector, FaspWriter *w)
{
  guint8 key[FASP_KEY_SIZE], scratch[FASP_DATAGRAM_MAX];
  FaspSessionHeader header;
  g_autoptr (FaspSealer) sealer = NULL;
  gsize size;
  const guint8 *frames = open_session (vector, &header, scratch, &size);

  if (frames == NULL)
    return FALSE;
  fasp_wire_write_session (w, &header);
  if (!rewrite_frames (frames, size, w))
    return FALSE;
  get_hex (vector, "key", key, sizeof key);
  sealer = fasp_sealer_new (get_cipher (vector), key);
  vseal_close (sealer, header.flow, get_number (vector, "pn"), w);
  return TRUE;
}

static gboolean
rewrite (const Vector *vector, FaspWriter *w)
{
  if (has (vector, "hello"))
    return rewrite_hello (vector->data, vector->size, w);
  return fasp_wire_is_session (vector->data, vector->size) ?
      rewrite_session (vector, w) :
      rewrite_handshake (vector->data, vector->size, w);
}

static void
test_vector (gconstpointer data)
{
  const Vector *vector = data;
  guint8 out[SIZE_MAX_DATAGRAM];
  FaspWriter w = { out, sizeof out };
  gboolean good = rewrite (vector, &w);

  g_assert_true (good == !vector->malformed);
  /* it is what it holds that must not parse */
  if (has (vector, "cipher") && vector->size >= 12 && !g_str_has_prefix (vector->name, "forged")) {
    guint8 scratch[FASP_DATAGRAM_MAX];
    FaspSessionHeader header;
    gsize size;

    g_assert_nonnull (open_session (vector, &header, scratch, &size));
  }
  if (!good)
    return;
  g_assert_false (w.failed);
  g_assert_cmpmem (out, w.used, vector->data, vector->size);
}

/* What the two ends know, from the vector. */
static FaspCredentials *
get_credentials (const Vector *vector, gboolean caller)
{
  FaspCredentials *credentials = fasp_credentials_new ();
  guint8 key[FASP_KEY_SIZE], other[FASP_KEY_SIZE];

  if (get_hex (vector, "psk", key, sizeof key) > 0)
    fasp_credentials_set_psk (credentials, key);
  if (get_hex (vector, caller ? "caller key" : "listener key", key, sizeof key) > 0) {
    fasp_credentials_set_key (credentials, key);
    get_hex (vector, caller ? "listener key" : "caller key", key, sizeof key);
    fasp_x25519_public (key, other);
    fasp_credentials_allow (credentials, other, NULL);
  }
  return credentials;
}

static void
assert_hex (const Vector *vector, const gchar *field, const guint8 *data, gsize size)
{
  guint8 wanted[SIZE_MAX_DATAGRAM];
  gsize wanted_size = get_hex (vector, field, wanted, sizeof wanted);

  g_assert_cmpmem (data, size, wanted, wanted_size);
}

/* One end, with the handshake that is told: up to where it has the keys. */
static void
begin (const Vector *vector, gboolean caller, const FaspHandshake *open, FaspNoise *noise)
{
  FaspCredentials *credentials = get_credentials (vector, caller);
  guint8 ephemeral[FASP_KEY_SIZE];

  g_assert_null (fasp_credentials_object (credentials, open->pattern));
  get_hex (vector, caller ? "caller ephemeral" : "listener ephemeral", ephemeral, sizeof ephemeral);
  fasp_credentials_begin (credentials, caller, open, ephemeral, noise);
  fasp_credentials_unref (credentials);
}

static void
assert_keys (const Vector *vector, const FaspNoise *noise)
{
  FaspSession *session = fasp_session_new (FASP_ROLE_RECEIVER, 1, 0, &(FaspAddress) { 0 }, 1,
      (const guint8[FASP_PING_SECRET]) { 0 }, NULL);
  FaspKeys keys = { .cipher = FASP_CIPHER_NONE };
  guint8 nonce[FASP_NONCE_SIZE], proof[FASP_PROOF_SIZE];

  fasp_noise_split (noise, keys.caller, keys.listener);
  assert_hex (vector, "key of caller", keys.caller, FASP_KEY_SIZE);
  assert_hex (vector, "key of listener", keys.listener, FASP_KEY_SIZE);
  fasp_session_set_keys (session, &keys);
  get_hex (vector, "next nonce", nonce, sizeof nonce);
  fasp_session_prove (session, nonce, proof);
  assert_hex (vector, "proof", proof, sizeof proof);
  fasp_session_free (session);
}

/* The listener opens the OPEN, the caller would have written the same; the
 * other way round for the ACCEPT. */
static void
test_handshake (gconstpointer data)
{
  const Vector *vector = data;
  guint8 bytes[2][SIZE_MAX_DATAGRAM], payload[FASP_MESSAGE_MAX];
  guint8 message[FASP_MESSAGE_MAX];
  FaspHandshake said[2]; /* OPEN, ACCEPT */
  FaspNoise ends[2];     /* caller, listener */

  for (guint i = 0; i < 2; i++) {
    gsize size = get_hex (vector, i == 0 ? "open" : "accept", bytes[i], sizeof bytes[i]);

    g_assert_true (fasp_wire_parse_handshake (bytes[i], size, &said[i]));
    begin (vector, i == 0, &said[0], &ends[i]);
  }
  for (guint i = 0; i < 2; i++) {
    FaspWriter w = { message, sizeof message };
    FaspHello hello;
    gsize size;

    g_assert_true (fasp_noise_read (&ends[!i], said[i].message, said[i].message_size, payload,
        &size));
    g_assert_true (fasp_wire_parse_hello (payload, size, &hello));
    g_assert_cmpuint (hello.cid, ==, said[i].from_cid);
    g_assert_true (fasp_noise_write (&ends[i], payload, size, &w));
    g_assert_cmpmem (message, w.used, said[i].message, said[i].message_size);
  }
  assert_keys (vector, &ends[0]);
  assert_keys (vector, &ends[1]);
}

static void
test_next_key (gconstpointer data)
{
  const Vector *vector = data;
  gboolean agreed = has (vector, "agreed key");
  guint8 key[FASP_KEY_SIZE], bytes[64], scratch[64];
  FaspWriter w = { bytes, sizeof bytes };
  FaspSessionHeader header = { 0, FALSE, 1, 5 };
  g_autoptr (FaspSealer) sealer = NULL;
  g_autoptr (FaspOpener) opener = NULL;
  gsize size;

  get_hex (vector, "key", key, sizeof key);
  sealer = fasp_sealer_new (FASP_CIPHER_AES_256_GCM, key);
  if (agreed) {
    get_hex (vector, "secret", key, sizeof key);
    fasp_sealer_set_secret (sealer, key);
  }
  fasp_sealer_rekey (sealer);
  g_assert_true (fasp_sealer_get_phase (sealer));
  fasp_wire_write_session (&w, &header);
  fasp_write_uint (&w, 77, 1);
  vseal_close (sealer, 0, 5, &w);
  get_hex (vector, agreed ? "agreed key" : "next key", key, sizeof key);
  opener = fasp_opener_new (FASP_CIPHER_AES_256_GCM, key);
  g_assert_nonnull (fasp_opener_open (opener, &header, 5, bytes, w.used, scratch, &size));
  g_assert_cmpmem (scratch, size, "M", 1);
}

static void
test_passphrase (gconstpointer data)
{
  const Vector *vector = data;
  g_autofree gchar *passphrase = get_string (vector->line, "passphrase");
  guint8 key[FASP_KEY_SIZE];

  fasp_stretch (passphrase, key);
  assert_hex (vector, "psk", key, sizeof key);
}

static void
test_hint (gconstpointer data)
{
  const Vector *vector = data;
  g_autofree gchar *streamid = get_string (vector->line, "streamid");
  guint8 nonce[FASP_NONCE_SIZE], hint[4];
  FaspWriter w = { hint, sizeof hint };
  FaspStreamName name;

  get_hex (vector, "nonce", nonce, sizeof nonce);
  fasp_stream_get_name (get_number (vector, "role"), streamid, &name);
  fasp_write_uint (&w, fasp_stream_get_hint (nonce, &name), sizeof hint);
  assert_hex (vector, "hint", hint, sizeof hint);
}

/* The repair symbol of blocks; and one of them, lost, out of it. */
static void
test_symbol (gconstpointer data)
{
  const Vector *vector = data;
  guint16 key = get_number (vector, "repair key");
  const gchar *at = vector->line;
  FaspRlcDecoder *decoder = fasp_rlc_decoder_new (64);
  FaspBlock *blocks[16];
  guint8 symbol[2048];
  FaspRecovered lost;
  guint n = 0;

  for (; (at = strstr (at, "{\"mark\": ")) != NULL; at++) {
    Vector one = { .line = (gchar *) at };
    FaspBlock *block = blocks[n] = fasp_block_new (100);

    g_assert_cmpuint (n, <, G_N_ELEMENTS (blocks));
    block->number = n++;
    block->size = get_hex (&one, "payload", block->data, 100);
    block->flags = block->size == 0 ? FASP_BLOCK_MARK : 0;
    block->media_time = get_number (&one, "media time");
  }
  g_assert_cmpuint (n, >, 2);
  assert_hex (vector, "symbol", symbol,
      fasp_rlc_encode ((const FaspBlock *const *) blocks, n, key, symbol));
  for (guint i = 0; i < n; i++)
    if (i != 2)
      fasp_rlc_decoder_know (decoder, blocks[i]);
  fasp_rlc_decoder_repair (decoder, 0, n, key, symbol, FASP_SYMBOL_HEADER + blocks[0]->size);
  g_assert_true (fasp_rlc_decoder_take (decoder, &lost));
  g_assert_cmpuint (lost.number, ==, 2);
  g_assert_cmpmem (lost.data, lost.size, blocks[2]->data, blocks[2]->size);
  for (guint i = 0; i < n; i++)
    fasp_block_unref (blocks[i]);
  fasp_rlc_decoder_free (decoder);
}

typedef gboolean (*Rewrite) (const guint8 *data, gsize size, FaspWriter *w);

/* Cut anywhere, and with any byte changed: parsed or refused, never more
 * read than is there (the copies are exactly as long, for ASan). */
static guint
damage (const guint8 *data, gsize whole, Rewrite again)
{
  gsize step = whole > 400 ? 13 : 1;
  guint refused = 0;

  for (gsize size = 0; size <= whole; size += step)
    for (guint change = 0; change < 4; change++) {
      g_autofree guint8 *copy = g_memdup2 (data, size);
      guint8 out[SIZE_MAX_DATAGRAM];
      FaspWriter w = { out, sizeof out };

      if (size > 0 && change > 0)
        copy[(size * 7 + change * 11) % size] ^= 1 << (size + change) % 8;
      refused += !again (copy, size, &w);
    }
  return refused;
}

static void
test_damaged (gconstpointer data)
{
  const GPtrArray *vectors = data;
  guint refused = 0;

  for (guint v = 0; v < vectors->len; v++) {
    const Vector *vector = g_ptr_array_index (vectors, v);
    guint8 scratch[FASP_DATAGRAM_MAX];
    FaspSessionHeader header;
    gsize size;

    if (vector->size == 0)
      continue;
    if (has (vector, "hello"))
      refused += damage (vector->data, vector->size, rewrite_hello);
    else if (!fasp_wire_is_session (vector->data, vector->size))
      refused += damage (vector->data, vector->size, rewrite_handshake);
    else {
      const guint8 *frames = open_session (vector, &header, scratch, &size);

      if (frames != NULL)
        refused += damage (frames, size, rewrite_frames);
    }
  }
  g_assert_cmpuint (refused, >, 100);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) vectors = NULL;

  g_test_init (&argc, &argv, NULL);
  vectors = load_vectors ();
  for (guint i = 0; i < vectors->len; i++) {
    Vector *vector = g_ptr_array_index (vectors, i);
    g_autofree gchar *path = g_strconcat ("/wire/vector/", vector->name, NULL);
    gboolean is_repair = strstr (vector->line, "\"repair key\"") != NULL;

    if (is_repair && !fasp_rlc_is_built ())
      continue;
    g_test_add_data_func (path, vector,
        has (vector, "pattern")        ? test_handshake :
            has (vector, "next key")   ? test_next_key :
            has (vector, "agreed key") ? test_next_key :
            has (vector, "passphrase") ? test_passphrase :
            has (vector, "hint")       ? test_hint :
            is_repair                  ? test_symbol :
                                         test_vector);
  }
  g_test_add_data_func ("/wire/damaged", vectors, test_damaged);
  return g_test_run ();
}
