/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspipsec.h: AES by Intel's Multi-Buffer Crypto for IPsec library, for faspcrypto.c.  It takes a
 * third of libcrypto's time per packet, because libcrypto queries its contexts' parameters for each
 * packet.
 *
 * This needs a build with that library, and a processor with the instructions.  Without them each
 * "new" returns NULL, and libcrypto does the same work.
 */
#pragma once

#include "faspbytes.h"

G_BEGIN_DECLS

/* The library has functions for each set of instructions.  For tests: the best set to use for keys
 * made later. */
typedef enum
{
  FASP_IPSEC_SSE,
  FASP_IPSEC_AVX2,
  FASP_IPSEC_ALL, /* the default */
} FaspIpsecSet;

void fasp_ipsec_use_at_most (FaspIpsecSet set);

/* AES-GCM (NIST SP 800-38D) with a nonce of 12 bytes and a tag of 16. */
typedef struct _FaspIpsecGcm FaspIpsecGcm;

/* @key_size: 16 or 32. */
FaspIpsecGcm *fasp_ipsec_gcm_new (const guint8 *key, gsize key_size);
void fasp_ipsec_gcm_free (FaspIpsecGcm *gcm);
/* As fasp_aead_seal(). */
void fasp_ipsec_gcm_seal (const FaspIpsecGcm *gcm, const guint8 *nonce, const guint8 *ad,
    gsize ad_size, const guint8 *data, gsize size, const guint8 *more, gsize more_size,
    guint8 *out);
/* Decrypts @size bytes and writes their correct tag, which the caller compares with the received
 * one. */
void fasp_ipsec_gcm_open (const FaspIpsecGcm *gcm, const guint8 *nonce, const guint8 *ad,
    gsize ad_size, const guint8 *data, gsize size, guint8 *out, guint8 *tag);

/* AES-128 of single blocks. */
typedef struct _FaspIpsecAes FaspIpsecAes;

FaspIpsecAes *fasp_ipsec_aes_new (const guint8 *key);
void fasp_ipsec_aes_free (FaspIpsecAes *aes);
void fasp_ipsec_aes_encrypt (const FaspIpsecAes *aes, const guint8 *text, guint8 *out);

G_END_DECLS
