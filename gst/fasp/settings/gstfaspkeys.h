/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspkeys.h: makes the core's credentials from the user's settings: a passphrase, files, the
 * name of a cipher.
 */
#pragma once

#include <gst/gst.h>
#include "faspcredentials.h"
#include "gstfaspstretch.h"

G_BEGIN_DECLS

typedef enum
{
  GST_FASP_ENCRYPTION_AUTO,
  GST_FASP_ENCRYPTION_NONE,
  GST_FASP_ENCRYPTION_AES_128_GCM,
  GST_FASP_ENCRYPTION_AES_256_GCM,
  GST_FASP_ENCRYPTION_CHACHA20_POLY1305,
} GstFaspEncryption;

#define GST_TYPE_FASP_ENCRYPTION (gst_fasp_encryption_get_type ())
GType gst_fasp_encryption_get_type (void);
/* Returns the cipher's name in the property `encryption'. */
const gchar *gst_fasp_cipher_get_name (FaspCipher cipher);

/* Returns a public key of FASP_KEY_SIZE bytes in base64.  Free with g_free(). */
gchar *gst_fasp_public_key_to_text (const guint8 *key);
/* If the peer has proved its identity, adds "peer-key", in the form that public-key and
 * allowed-keys take, and "peer-name". */
void gst_fasp_describe_identity (GstStructure *structure, const FaspIdentity *who);

/* The user's settings; NULL: not set. */
typedef struct
{
  gchar *passphrase;
  gchar *key_file;     /* X25519, PEM */
  gchar *public_key;   /* the peer's: base64 */
  gchar *allowed_keys; /* file: a public key and a name in each line */
  GstFaspEncryption encryption;
  gboolean authentication;
} GstFaspKeys;

/* The keys that this end has to know. */
typedef enum
{
  GST_FASP_KEYS_DIAL,   /* the listener's key */
  GST_FASP_KEYS_LISTEN, /* the callers' keys */
  GST_FASP_KEYS_ASK,    /* none: the application decides about each caller */
} GstFaspKeysUse;

/* Overwrites a secret that is about to be freed; may be NULL. */
void gst_fasp_keys_wipe (gchar *secret);
void gst_fasp_keys_copy (const GstFaspKeys *keys, GstFaspKeys *copy);
/* Frees what @keys holds, and wipes secrets. */
void gst_fasp_keys_clear (GstFaspKeys *keys);
/* Must the peer prove its identity, by passphrase or key? */
gboolean gst_fasp_keys_authenticate (const GstFaspKeys *keys);
/* Does everything that gst_fasp_keys_load() does, but makes no key of the passphrase. */
gboolean gst_fasp_keys_check (const GstFaspKeys *keys, GstFaspKeysUse use, GError **error);
/* Checks the settings, reads the files, and waits until the key of the passphrase is made, half a
 * second for each passphrase that is new to this process.  On failure, returns NULL and sets @error
 * to a sentence that says what is wrong and what to do.  @warnings: gets texts about files that
 * other users could read or change.  *stretched: the key that is being made, or NULL; set if there
 * is a passphrase; keep it while the element is open. */
FaspCredentials *gst_fasp_keys_load (const GstFaspKeys *keys, GstFaspKeysUse use,
    GPtrArray *warnings, GstFaspStretched **stretched, GError **error);

G_END_DECLS
