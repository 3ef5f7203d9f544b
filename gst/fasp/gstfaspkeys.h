/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspkeys.h: the core's credentials from what the user gives: a
 * passphrase, files, names of ciphers.
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
/* As the property has it. */
const gchar *gst_fasp_cipher_get_name (FaspCipher cipher);

/* Says who a peer has proved to be, if it has: "peer-key", the text that
 * public-key and allowed-keys take, and "peer-name". */
void gst_fasp_describe_identity (GstStructure * structure,
    const FaspIdentity * who);

/* NULL: not given. */
typedef struct
{
  gchar *passphrase;
  gchar *key_file;              /* X25519, PEM */
  gchar *public_key;            /* the peer's: base64 */
  gchar *allowed_keys;          /* file: a public key and a name in each line */
  GstFaspEncryption encryption;
  gboolean authentication;
} GstFaspKeys;

/* A secret that is about to be freed; may be NULL. */
void gst_fasp_keys_wipe (gchar * secret);
void gst_fasp_keys_copy (const GstFaspKeys * keys, GstFaspKeys * copy);
/* Frees what it holds, and wipes what is secret. */
void gst_fasp_keys_clear (GstFaspKeys * keys);
/* What is said of the peer is proved by something. */
gboolean gst_fasp_keys_authenticate (const GstFaspKeys * keys);
/* All of gst_fasp_keys_load() that is quick. */
gboolean gst_fasp_keys_check (const GstFaspKeys * keys, gboolean dials,
    GError ** error);
/* Checks, reads files and stretches the passphrase (a tenth of a second, and those of
 * others before). NULL and @error: what is wrong, and what to do.  *stretched: set if
 * there is a passphrase, to be kept while the element is open. */
FaspCredentials *gst_fasp_keys_load (const GstFaspKeys * keys, gboolean dials,
    GstFaspStretched ** stretched, GError ** error);

G_END_DECLS
