/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gio/gio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <string.h>
#include "gstfaspcommon.h"
#include "gstfaspfile.h"
#include "gstfaspkeys.h"

#define BAD(...) g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, __VA_ARGS__)
/* The bytes that openssl writes before a public key: the rest of a SubjectPublicKeyInfo (RFC 8410).
 */
static const guint8 spki[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x03, 0x21,
  0x00 };

GST_FASP_DEFINE_ENUM (GstFaspEncryption, gst_fasp_encryption,
    { GST_FASP_ENCRYPTION_AUTO,
        "AES-128-GCM, or ChaCha20-Poly1305 where an end has no instructions for AES", "auto" },
    { GST_FASP_ENCRYPTION_NONE, "None; has to be set on both ends", "none" },
    { GST_FASP_ENCRYPTION_AES_128_GCM, "AES-128-GCM", "aes-128-gcm" },
    { GST_FASP_ENCRYPTION_AES_256_GCM, "AES-256-GCM", "aes-256-gcm" },
    { GST_FASP_ENCRYPTION_CHACHA20_POLY1305, "ChaCha20-Poly1305", "chacha20-poly1305" });

const gchar *
gst_fasp_cipher_get_name (FaspCipher cipher)
{
  static const gchar *names[] = {
    [FASP_CIPHER_NONE] = "none",
    [FASP_CIPHER_AES_128_GCM] = "aes-128-gcm",
    [FASP_CIPHER_AES_256_GCM] = "aes-256-gcm",
    [FASP_CIPHER_CHACHA20_POLY1305] = "chacha20-poly1305",
  };

  return names[cipher];
}

/* --- wiping, copying and freeing -------------------------------------------------- */

void
gst_fasp_keys_wipe (gchar *secret)
{
  if (secret != NULL)
    fasp_wipe (secret, strlen (secret));
}

void
gst_fasp_keys_copy (const GstFaspKeys *keys, GstFaspKeys *copy)
{
  *copy = *keys;
  copy->passphrase = g_strdup (keys->passphrase);
  copy->key_file = g_strdup (keys->key_file);
  copy->public_key = g_strdup (keys->public_key);
  copy->allowed_keys = g_strdup (keys->allowed_keys);
}

void
gst_fasp_keys_clear (GstFaspKeys *keys)
{
  gst_fasp_keys_wipe (keys->passphrase);
  g_clear_pointer (&keys->passphrase, g_free);
  g_clear_pointer (&keys->key_file, g_free);
  g_clear_pointer (&keys->public_key, g_free);
  g_clear_pointer (&keys->allowed_keys, g_free);
}

gboolean
gst_fasp_keys_authenticate (const GstFaspKeys *keys)
{
  return keys->passphrase != NULL || keys->key_file != NULL;
}

/* --- keys ---------------------------------------------------------------------------- */

/* Reads a whole file of that kind. @warnings: may be NULL. */
static gchar *
read_file (const gchar *path, GstFaspFileKind kind, gsize *size, GPtrArray *warnings,
    GError **error)
{
  struct stat what;
  gchar *text = gst_fasp_file_read (path, size, &what, error);
  gchar *warning = text != NULL && warnings != NULL ? gst_fasp_file_warn (path, &what, kind) : NULL;

  if (warning != NULL)
    g_ptr_array_add (warnings, warning);
  return text;
}

static gboolean
read_private_key (const gchar *path, FaspCredentials *credentials, GPtrArray *warnings,
    GError **error)
{
  guint8 key[FASP_KEY_SIZE];
  gsize size = sizeof key, text_size;
  g_autofree gchar *text = read_file (path, GST_FASP_FILE_SECRET, &text_size, warnings, error);
  EVP_PKEY *parsed;
  gboolean good;
  BIO *bio;

  if (text == NULL) {
    g_prefix_error (error, "Cannot read the key-file: ");
    return FALSE;
  }
  bio = BIO_new_mem_buf (text, text_size);
  /* an empty passphrase, so that OpenSSL asks for none at a terminal */
  parsed = PEM_read_bio_PrivateKey (bio, NULL, NULL, (gpointer) "");
  good = parsed != NULL && EVP_PKEY_get_id (parsed) == EVP_PKEY_X25519
      && EVP_PKEY_get_raw_private_key (parsed, key, &size) > 0;
  EVP_PKEY_free (parsed);
  BIO_free (bio);
  fasp_wipe (text, text_size);
  if (!good) {
    /* names NEW-FILE: a command with the path would overwrite the user's file */
    BAD ("The key-file %s holds no X25519 private key without a passphrase. "
         "Name another one; to make one: openssl genpkey -algorithm X25519 -out "
         "NEW-FILE",
        path);
    return FALSE;
  }
  fasp_credentials_set_key (credentials, key);
  fasp_wipe (key, sizeof key);
  return TRUE;
}

/* Reads a public key from @text: base64 of its 32 bytes, or of `spki' and these, as openssl writes
 * it. */
static gboolean
parse_public_key (const gchar *text, guint8 key[FASP_KEY_SIZE])
{
  static const guint8 any[FASP_KEY_SIZE] = { 1 };
  gsize size;
  g_autofree guchar *bytes = g_base64_decode (text, &size);
  guint8 secret[FASP_KEY_SIZE];

  if (size == FASP_KEY_SIZE)
    memcpy (key, bytes, FASP_KEY_SIZE);
  else if (size == sizeof spki + FASP_KEY_SIZE && memcmp (bytes, spki, sizeof spki) == 0)
    memcpy (key, bytes + sizeof spki, FASP_KEY_SIZE);
  else
    return FALSE;
  /* refuses points of low order, which are no keys */
  return fasp_x25519 (any, key, secret);
}

gchar *
gst_fasp_public_key_to_text (const guint8 *key)
{
  guint8 bytes[sizeof spki + FASP_KEY_SIZE];

  memcpy (bytes, spki, sizeof spki);
  memcpy (bytes + sizeof spki, key, FASP_KEY_SIZE);
  return g_base64_encode (bytes, sizeof bytes);
}

void
gst_fasp_describe_identity (GstStructure *structure, const FaspIdentity *who)
{
  g_autofree gchar *text = NULL;

  if (!who->proved)
    return;
  text = gst_fasp_public_key_to_text (who->key);
  gst_structure_set (structure, "peer-key", G_TYPE_STRING, text, "peer-name", G_TYPE_STRING,
      who->name, NULL);
}

#define HOW_PUBLIC \
  "`openssl pkey -in KEY-FILE -pubout' prints it, between " \
  "the lines BEGIN and END"

static gboolean
read_allowed_keys (const gchar *path, FaspCredentials *credentials, GPtrArray *warnings,
    GError **error)
{
  gsize size;
  g_autofree gchar *text = read_file (path, GST_FASP_FILE_TRUSTED, &size, warnings, error);
  g_auto (GStrv) lines = NULL;
  guint found = 0;

  if (text == NULL) {
    g_prefix_error (error, "Cannot read allowed-keys: ");
    return FALSE;
  }
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    gchar *line = g_strstrip (lines[i]), *name = line;
    guint8 key[FASP_KEY_SIZE];

    if (line[0] == '\0' || line[0] == '#' || g_str_has_prefix (line, "-----"))
      continue;
    while (*name != '\0' && !g_ascii_isspace (*name))
      name++;
    if (*name != '\0')
      *name++ = '\0';
    name = g_strstrip (name);
    if (!parse_public_key (line, key) || strlen (name) > FASP_NAME_MAX
        || !g_utf8_validate (name, -1, NULL)) {
      BAD ("Line %u of allowed-keys (%s) is not a public key and a name of at "
           "most %d bytes of UTF-8. " HOW_PUBLIC ".",
          i + 1, path, FASP_NAME_MAX);
      return FALSE;
    }
    fasp_credentials_allow (credentials, key, name[0] != '\0' ? name : NULL);
    found++;
  }
  if (found == 0) {
    BAD ("The file of allowed-keys, %s, holds no key: no peer could connect. "
         "Write a line for each caller, with a public key and a name.",
        path);
    return FALSE;
  }
  return TRUE;
}

/* --- credentials -------------------------------------------------------------------------- */

static gboolean
is_empty (const gchar *text)
{
  return text != NULL && text[0] == '\0';
}

static gboolean
check (const GstFaspKeys *keys, GstFaspKeysUse use, GError **error)
{
  const gchar *secret = keys->passphrase;
  gboolean known = keys->public_key != NULL || keys->allowed_keys != NULL;

  /* an empty value may come from a shell variable that was not set: do not go on without keys */
  if (is_empty (keys->key_file) || is_empty (keys->public_key) || is_empty (keys->allowed_keys))
    BAD ("key-file, public-key or allowed-keys is set to nothing: leave it out "
         "or give it a value.");
  else if (secret != NULL
      && (!g_utf8_validate (secret, -1, NULL) || g_utf8_strlen (secret, -1) < FASP_PASSPHRASE_MIN
          || strlen (secret) > FASP_PASSPHRASE_MAX))
    BAD ("The passphrase must have at least %d characters and at most %d "
         "bytes of UTF-8: this one could be guessed, or is a mistake.",
        FASP_PASSPHRASE_MIN, FASP_PASSPHRASE_MAX);
  else if (keys->encryption == GST_FASP_ENCRYPTION_NONE && gst_fasp_keys_authenticate (keys))
    BAD ("encryption=none with a passphrase or key-file: leave one of them "
         "out. Without encryption every host on the path can read and forge it.");
  else if (keys->authentication && !gst_fasp_keys_authenticate (keys))
    BAD ("authentication=true would refuse every peer: set passphrase, or key-file "
         "and the keys that are allowed.");
  else if (known && keys->key_file == NULL)
    BAD ("public-key and allowed-keys need a key-file for this end; to make "
         "one: openssl genpkey -algorithm X25519 -out KEY-FILE");
  else if (keys->key_file != NULL && use == GST_FASP_KEYS_DIAL && keys->public_key == NULL)
    BAD ("A caller with a key-file needs the listener's public-key. " HOW_PUBLIC ".");
  else if (keys->key_file != NULL && !known && use != GST_FASP_KEYS_ASK)
    BAD ("A listener with a key-file needs allowed-keys, a file with the keys "
         "of the ends that may call (or public-key, for a single caller; or a handler of "
         "caller-identified that decides about each, connected before the start).");
  else
    return TRUE;
  return FALSE;
}

/* Makes the credentials, except for the passphrase: its key takes long to make. */
static FaspCredentials *
load_files (const GstFaspKeys *keys, GstFaspKeysUse use, GPtrArray *warnings, GError **error)
{
  static const FaspCipher ciphers[] = {
    [GST_FASP_ENCRYPTION_NONE] = FASP_CIPHER_NONE,
    [GST_FASP_ENCRYPTION_AES_128_GCM] = FASP_CIPHER_AES_128_GCM,
    [GST_FASP_ENCRYPTION_AES_256_GCM] = FASP_CIPHER_AES_256_GCM,
    [GST_FASP_ENCRYPTION_CHACHA20_POLY1305] = FASP_CIPHER_CHACHA20_POLY1305,
  };
  FaspCredentials *credentials;
  guint8 key[FASP_KEY_SIZE];

  if (!check (keys, use, error))
    return NULL;
  credentials = fasp_credentials_new ();
  if (keys->encryption != GST_FASP_ENCRYPTION_AUTO)
    fasp_credentials_set_cipher (credentials, ciphers[keys->encryption]);
  if (keys->public_key != NULL) {
    if (!parse_public_key (keys->public_key, key)) {
      BAD ("public-key is not a public key. " HOW_PUBLIC ".");
      goto failed;
    }
    fasp_credentials_allow (credentials, key, NULL);
  }
  if (keys->key_file != NULL && !read_private_key (keys->key_file, credentials, warnings, error))
    goto failed;
  if (keys->allowed_keys != NULL
      && !read_allowed_keys (keys->allowed_keys, credentials, warnings, error))
    goto failed;
  if (keys->key_file != NULL && keys->public_key == NULL && keys->allowed_keys == NULL)
    fasp_credentials_ask (credentials);
  return credentials;

failed:
  fasp_credentials_unref (credentials);
  return NULL;
}

gboolean
gst_fasp_keys_check (const GstFaspKeys *keys, GstFaspKeysUse use, GError **error)
{
  FaspCredentials *credentials = load_files (keys, use, NULL, error);

  fasp_credentials_unref (credentials);
  return credentials != NULL;
}

FaspCredentials *
gst_fasp_keys_load (const GstFaspKeys *keys, GstFaspKeysUse use, GPtrArray *warnings,
    GstFaspStretched **stretched, GError **error)
{
  FaspCredentials *credentials = load_files (keys, use, warnings, error);

  if (credentials != NULL && keys->passphrase != NULL) {
    GstFaspStretched *begun = *stretched;

    *stretched = gst_fasp_stretch_begin (keys->passphrase);
    gst_fasp_stretched_unref (begun);
    gst_fasp_stretched_wait (*stretched);
    fasp_credentials_set_psk (credentials, gst_fasp_stretched_get_key (*stretched));
  }
  return credentials;
}
