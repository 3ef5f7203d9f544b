/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For builds without the Multi-Buffer Crypto library: libcrypto does the work.
 */
#include "faspipsec.h"

void
fasp_ipsec_use_at_most (FaspIpsecSet set)
{
}

FaspIpsecGcm *
fasp_ipsec_gcm_new (const guint8 *key, gsize key_size)
{
  return NULL;
}

void
fasp_ipsec_gcm_free (FaspIpsecGcm *gcm)
{
}

void
fasp_ipsec_gcm_seal (const FaspIpsecGcm *gcm, const guint8 *nonce, const guint8 *ad, gsize ad_size,
    const guint8 *data, gsize size, const guint8 *more, gsize more_size, guint8 *out)
{
  g_assert_not_reached ();
}

void
fasp_ipsec_gcm_open (const FaspIpsecGcm *gcm, const guint8 *nonce, const guint8 *ad, gsize ad_size,
    const guint8 *data, gsize size, guint8 *out, guint8 *tag)
{
  g_assert_not_reached ();
}

FaspIpsecAes *
fasp_ipsec_aes_new (const guint8 *key)
{
  return NULL;
}

void
fasp_ipsec_aes_free (FaspIpsecAes *aes)
{
}

void
fasp_ipsec_aes_encrypt (const FaspIpsecAes *aes, const guint8 *text, guint8 *out)
{
  g_assert_not_reached ();
}
