/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaypassword.h"
#include <string.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

/* scrypt's cost, block size and parallelism: one of the settings of OWASP's password storage cheat
 * sheet, of which each costs a guess as much; of 32 MiB. */
#define PREFIX "$scrypt$ln=15,r=8,p=3$"
#define N (1 << 15)
#define R 8
#define P 3
#define MEMORY (40 * 1024 * 1024) /* bytes: 128 * N * R, and some */
#define SALT 16                   /* bytes */
#define KEY 32                    /* bytes */
#define TOKEN 32                  /* bytes */

/* Base64 without the padding. */
static gchar *
encode (const guint8 *bytes, gsize size)
{
  gchar *text = g_base64_encode (bytes, size);

  text[strcspn (text, "=")] = '\0';
  return text;
}

/* Reads @size bytes of base64 up to @end. FALSE: there are more, fewer or none. */
static gboolean
decode (const gchar *text, const gchar *end, guint8 *bytes, gsize size)
{
  g_autofree gchar *part = g_strndup (text, end - text), *again = NULL;
  g_autofree gchar *padded =
      g_strdup_printf ("%s%.*s", part, (int) (3 - (strlen (part) + 3) % 4), "==");
  g_autofree guchar *raw = NULL;
  gsize n;

  raw = g_base64_decode (padded, &n);
  if (n != size)
    return FALSE;
  again = encode (raw, n);
  memcpy (bytes, raw, size);
  return g_str_equal (again, part);
}

static gboolean
read_hash (const gchar *text, guint8 salt[SALT], guint8 key[KEY])
{
  const gchar *begin = text + strlen (PREFIX), *middle;

  if (!g_str_has_prefix (text, PREFIX))
    return FALSE;
  middle = strchr (begin, '$');
  return middle != NULL && decode (begin, middle, salt, SALT)
      && decode (middle + 1, middle + strlen (middle), key, KEY);
}

static gboolean
stretch (const gchar *password, const guint8 salt[SALT], guint8 key[KEY])
{
  return EVP_PBE_scrypt (password, strlen (password), salt, SALT, N, R, P, MEMORY, key, KEY) == 1;
}

gchar *
relay_password_hash (const gchar *password)
{
  guint8 salt[SALT], key[KEY];
  g_autofree gchar *a = NULL, *b = NULL;

  if (RAND_bytes (salt, SALT) != 1 || !stretch (password, salt, key))
    return NULL;
  a = encode (salt, SALT);
  b = encode (key, KEY);
  return g_strconcat (PREFIX, a, "$", b, NULL);
}

gboolean
relay_password_is_hash (const gchar *text)
{
  guint8 salt[SALT], key[KEY];

  return read_hash (text, salt, key);
}

gboolean
relay_password_check (const gchar *hash, const gchar *password)
{
  guint8 salt[SALT] = { 0 }, wanted[KEY] = { 0 }, key[KEY];
  gboolean known = hash != NULL && read_hash (hash, salt, wanted);
  gboolean same = stretch (password, salt, key) && CRYPTO_memcmp (key, wanted, KEY) == 0;

  OPENSSL_cleanse (key, KEY);
  return known && same;
}

gchar *
relay_password_digest (const gchar *secret)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, secret, -1);
}

gboolean
relay_password_is_same (const gchar *digest, const gchar *other)
{
  gsize n = strlen (digest);

  return n == strlen (other) && CRYPTO_memcmp (digest, other, n) == 0;
}

gchar *
relay_password_make_token (void)
{
  guint8 bytes[TOKEN];
  GString *text = g_string_sized_new (2 * TOKEN);

  if (RAND_bytes (bytes, TOKEN) != 1) {
    g_string_free (text, TRUE);
    return NULL;
  }
  for (guint i = 0; i < TOKEN; i++)
    g_string_append_printf (text, "%02x", bytes[i]);
  return g_string_free (text, FALSE);
}
