/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The Noise handshakes against the published vectors, and against everything
 * that is not quite what the peer wrote.
 */
#include "faspnoise.h"
#include "vcases.h"

#define MESSAGES 6 /* in a vector: two of the handshake, then four */
/* What one takes beyond its payload, at most. */
#define OVERHEAD (2 * FASP_KEY_SIZE + 2 * FASP_AEAD_TAG_SIZE)

static GKeyFile *vectors;

static gsize
get_hex (const gchar *group, const gchar *name, guint8 *out, gsize max)
{
  gchar *hex = g_key_file_get_string (vectors, group, name, NULL);
  gsize size = hex != NULL ? strlen (hex) / 2 : 0;

  g_assert_cmpuint (size, <=, max);
  for (gsize i = 0; i < size; i++)
    out[i] = g_ascii_xdigit_value (hex[2 * i]) << 4 | g_ascii_xdigit_value (hex[2 * i + 1]);
  g_free (hex);
  return size;
}

static FaspNoisePattern
get_pattern (const gchar *group)
{
  return g_str_has_prefix (group, "Noise_NN_")  ? FASP_NOISE_NN :
      g_str_has_prefix (group, "Noise_NNpsk0_") ? FASP_NOISE_NN_PSK0 :
      g_str_has_prefix (group, "Noise_IK_")     ? FASP_NOISE_IK :
                                                  FASP_NOISE_IK_PSK2;
}

static void
start (FaspNoise *noise, const gchar *group, gboolean initiator)
{
  guint8 prologue[256];
  gsize size = get_hex (group, "prologue", prologue, sizeof prologue);

  memset (noise, 0, sizeof *noise);
  noise->pattern = get_pattern (group);
  noise->aead =
      strstr (group, "ChaChaPoly") != NULL ? FASP_AEAD_CHACHA20_POLY1305 : FASP_AEAD_AES_256_GCM;
  noise->initiator = initiator;
  get_hex (group, initiator ? "init_ephemeral" : "resp_ephemeral", noise->e, FASP_KEY_SIZE);
  get_hex (group, initiator ? "init_static" : "resp_static", noise->s, FASP_KEY_SIZE);
  fasp_x25519_public (noise->s, noise->s_public);
  if (initiator)
    get_hex (group, "init_remote_static", noise->rs, FASP_KEY_SIZE);
  get_hex (group, "psk", noise->psk, FASP_KEY_SIZE);
  fasp_noise_start (noise, prologue, size);
}

typedef struct
{
  guint8 payload[512], message[512];
  gsize payload_size, message_size;
} Message;

static void
get_message (const gchar *group, guint i, Message *m)
{
  gchar name[16];

  g_snprintf (name, sizeof name, "payload%u", i);
  m->payload_size = get_hex (group, name, m->payload, sizeof m->payload);
  g_snprintf (name, sizeof name, "message%u", i);
  m->message_size = get_hex (group, name, m->message, sizeof m->message);
  g_assert_cmpuint (m->message_size, >, 0);
}

/* A transport message: the counter of its direction as the nonce. */
static void
check_transport (FaspAeadType type, const guint8 *key, guint64 n, const Message *m)
{
  guint8 nonce[FASP_AEAD_NONCE_SIZE] = { 0 }, out[512];
  FaspAead *aead = fasp_aead_new (type, key);

  n = type == FASP_AEAD_CHACHA20_POLY1305 ? GUINT64_TO_LE (n) : GUINT64_TO_BE (n);
  memcpy (nonce + 4, &n, sizeof n);
  fasp_aead_seal (aead, nonce, NULL, 0, m->payload, m->payload_size, NULL, 0, out);
  g_assert_cmpmem (out, m->payload_size + FASP_AEAD_TAG_SIZE, m->message, m->message_size);
  g_assert_true (fasp_aead_open (aead, nonce, NULL, 0, m->message, m->message_size, out));
  g_assert_cmpmem (out, m->payload_size, m->payload, m->payload_size);
  fasp_aead_free (aead);
}

static void
test_vector (gconstpointer data)
{
  const gchar *group = data;
  FaspNoise ends[2];
  guint8 keys[2][FASP_KEY_SIZE], same[2][FASP_KEY_SIZE], hash[FASP_KEY_SIZE];
  Message m;

  start (&ends[0], group, TRUE);
  start (&ends[1], group, FALSE);
  for (guint i = 0; i < 2; i++) {
    guint8 out[1024];
    FaspWriter w = { out, sizeof out };
    gsize size;

    get_message (group, i, &m);
    g_assert_true (fasp_noise_write (&ends[i], m.payload, m.payload_size, &w));
    g_assert_cmpmem (out, w.used, m.message, m.message_size);
    g_assert_cmpuint (w.used, <=, m.payload_size + OVERHEAD);
    g_assert_true (fasp_noise_read (&ends[1 - i], m.message, m.message_size, out, &size));
    g_assert_cmpmem (out, size, m.payload, m.payload_size);
  }
  g_assert_cmpuint (get_hex (group, "handshake_hash", hash, sizeof hash), ==, sizeof hash);
  g_assert_cmpmem (ends[0].h, FASP_KEY_SIZE, hash, sizeof hash);
  g_assert_cmpmem (ends[1].h, FASP_KEY_SIZE, hash, sizeof hash);
  fasp_noise_split (&ends[0], keys[0], keys[1]);
  fasp_noise_split (&ends[1], same[0], same[1]);
  g_assert_cmpmem (keys, sizeof keys, same, sizeof same);
  for (guint i = 2; i < MESSAGES; i++) {
    get_message (group, i, &m);
    check_transport (ends[0].aead, keys[i % 2], (i - 2) / 2, &m);
  }
}

/* A message with a bit turned, cut short or lengthened: either it is refused,
 * or (a first message without keys) the answer to it will be. */
static gboolean
survives (const gchar *group, guint which, const guint8 *message, gsize size)
{
  FaspNoise ends[2];
  guint8 out[1024], payload[1024];
  gsize done;

  start (&ends[0], group, TRUE);
  start (&ends[1], group, FALSE);
  for (guint i = 0; i < 2; i++) {
    FaspWriter w = { out, sizeof out };

    if (!fasp_noise_write (&ends[i], (const guint8 *) "hello", 5, &w))
      return FALSE;
    if (i == which) {
      if (!fasp_noise_read (&ends[1 - i], message, size, payload, &done))
        return FALSE;
    } else if (!fasp_noise_read (&ends[1 - i], out, w.used, payload, &done)) {
      return FALSE;
    }
  }
  return TRUE;
}

static void
test_damage (gconstpointer data)
{
  const gchar *group = data;

  for (guint which = 0; which < 2; which++) {
    FaspNoise ends[2];
    guint8 message[1024], payload[1024];
    FaspWriter w = { message, sizeof message };
    gsize done;

    start (&ends[0], group, TRUE);
    start (&ends[1], group, FALSE);
    g_assert_true (fasp_noise_write (&ends[0], (const guint8 *) "hello", 5, &w));
    if (which == 1) {
      g_assert_true (fasp_noise_read (&ends[1], message, w.used, payload, &done));
      w.used = 0;
      g_assert_true (fasp_noise_write (&ends[1], (const guint8 *) "hello", 5, &w));
    }
    g_assert_true (survives (group, which, message, w.used));
    for (gsize bit = 0; bit < w.used * 8; bit += 7) {
      message[bit / 8] ^= 1 << bit % 8;
      /* the top bit of a point is not looked at (RFC 7748), yet it is hashed */
      g_assert_false (survives (group, which, message, w.used));
      message[bit / 8] ^= 1 << bit % 8;
    }
    for (gsize size = 0; size < w.used; size++)
      g_assert_false (survives (group, which, message, size));
    message[w.used] = 0;
    g_assert_false (survives (group, which, message, w.used + 1));
  }
}

/* Who has another secret, or another key, gets nowhere; nor does a message
 * out of turn. */
static void
test_strangers (void)
{
  static const gchar *groups[] = { "Noise_NNpsk0_25519_ChaChaPoly_SHA256",
    "Noise_IK_25519_ChaChaPoly_SHA256", "Noise_IKpsk2_25519_ChaChaPoly_SHA256" };
  guint8 out[1024], payload[1024];
  gsize done;

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    FaspNoisePattern pattern = get_pattern (groups[i]);
    FaspNoise ours, theirs;
    FaspWriter w = { out, sizeof out };
    gboolean good;

    start (&ours, groups[i], TRUE);
    start (&theirs, groups[i], FALSE);
    g_assert_false (fasp_noise_write (&theirs, NULL, 0, &w));
    g_assert_false (fasp_noise_read (&ours, out, 0, payload, &done));

    theirs.psk[5] ^= 1;
    if (pattern == FASP_NOISE_IK)
      theirs.s[5] ^= 1;
    g_assert_true (fasp_noise_write (&ours, NULL, 0, &w));
    good = fasp_noise_read (&theirs, out, w.used, payload, &done);
    if (pattern != FASP_NOISE_IK_PSK2) {
      g_assert_false (good);
      continue;
    }
    /* its secret is only in the answer */
    g_assert_true (good);
    w.used = 0;
    g_assert_true (fasp_noise_write (&theirs, NULL, 0, &w));
    g_assert_false (fasp_noise_read (&ours, out, w.used, payload, &done));
  }
}

/* A point of small order gives no secret. */
static void
test_small_order (void)
{
  guint8 ours[FASP_KEY_SIZE] = { 1, 2, 3 }, shared[FASP_KEY_SIZE];
  guint8 point[FASP_KEY_SIZE] = { 0 };

  g_assert_false (fasp_x25519 (ours, point, shared));
  point[0] = 1;
  g_assert_false (fasp_x25519 (ours, point, shared));
  point[0] = 9;
  g_assert_true (fasp_x25519 (ours, point, shared));
  fasp_x25519_public (ours, point);
  g_assert_cmpmem (point, sizeof point, shared, sizeof shared);
}

/* RFC 7914 has no vector for our cost; hashlib.scrypt made this one. */
static void
test_stretch (void)
{
  static const gchar wanted[] = "1e719ebe59fbbeef596fa887111406e8df65050a59cf5ee45e97d0fc64748a2a";
  guint8 key[FASP_KEY_SIZE];
  GString *hex = g_string_new (NULL);

  fasp_stretch ("correct horse battery staple", key);
  for (guint i = 0; i < sizeof key; i++)
    g_string_append_printf (hex, "%02x", key[i]);
  g_assert_cmpstr (hex->str, ==, wanted);
  g_string_free (hex, TRUE);
}

int
main (int argc, char **argv)
{
  gchar **groups;
  int result;

  g_test_init (&argc, &argv, NULL);
  vectors = g_key_file_new ();
  g_assert_true (g_key_file_load_from_file (vectors, g_getenv ("FASP_NOISE_VECTORS"),
      G_KEY_FILE_NONE, NULL));
  groups = g_key_file_get_groups (vectors, NULL);
  g_assert_cmpuint (g_strv_length (groups), ==, 8);
  vcases_add_texts ("/noise/vector", (const gchar *const *) groups, test_vector);
  vcases_add_texts ("/noise/damage", (const gchar *const *) groups, test_damage);
  g_test_add_func ("/noise/strangers", test_strangers);
  g_test_add_func ("/noise/small-order", test_small_order);
  g_test_add_func ("/crypto/stretch", test_stretch);
  result = g_test_run ();
  g_strfreev (groups);
  g_key_file_unref (vectors);
  return result;
}
