/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspstream.h"

#define LABEL "fasp stream 1"
/* Names that are encrypted in one call. */
#define BATCH 64

G_STATIC_ASSERT (FASP_NONCE_SIZE == FASP_AES_BLOCK);
G_STATIC_ASSERT (sizeof (FaspStreamName) == FASP_AES_BLOCK);

void
fasp_stream_get_name (FaspRole caller, const gchar *streamid, FaspStreamName *name)
{
  guint8 head[sizeof LABEL], digest[FASP_KEY_SIZE];

  memcpy (head, LABEL, sizeof LABEL - 1);
  head[sizeof LABEL - 1] = caller;
  fasp_sha256 (head, sizeof head, (const guint8 *) streamid, strlen (streamid), digest);
  memcpy (name->bytes, digest, sizeof name->bytes);
}

void
fasp_stream_get_names (FaspRole listener, const gchar *streamid,
    FaspStreamName names[FASP_STREAM_NAMES])
{
  gboolean sends = listener == FASP_ROLE_SENDER;

  fasp_stream_get_name (sends ? FASP_ROLE_RECEIVER : FASP_ROLE_SENDER, streamid,
      &names[FASP_STREAM_FITS]);
  fasp_stream_get_name (listener, streamid, &names[FASP_STREAM_SAME_ROLE]);
}

static guint32
cut (const guint8 block[FASP_AES_BLOCK])
{
  FaspReader r = { block, FASP_AES_BLOCK };
  guint32 hint = fasp_read_uint (&r, 4);

  return hint != 0 ? hint : 1;
}

guint32
fasp_stream_get_hint (const guint8 nonce[FASP_NONCE_SIZE], const FaspStreamName *name)
{
  FaspAes *aes = fasp_aes_new (nonce);
  guint8 block[FASP_AES_BLOCK];

  fasp_aes_encrypt (aes, name->bytes, 1, block);
  fasp_aes_free (aes);
  return cut (block);
}

guint
fasp_stream_find (const guint8 nonce[FASP_NONCE_SIZE], guint32 hint, const FaspStreamName *names,
    guint n)
{
  FaspAes *aes = fasp_aes_new (nonce);
  guint found = n;

  for (guint i = 0; i < n && found == n; i += BATCH) {
    guint8 blocks[BATCH * FASP_AES_BLOCK];
    guint some = MIN (n - i, BATCH);

    fasp_aes_encrypt (aes, names[i].bytes, some, blocks);
    for (guint j = 0; j < some && found == n; j++)
      if (cut (blocks + j * FASP_AES_BLOCK) == hint)
        found = i + j;
  }
  fasp_aes_free (aes);
  return found;
}
