/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <intel-ipsec-mb.h>
#include <stdlib.h>
#include "faspcrypto.h"
#include "faspipsec.h"

#define ALIGNED 64
#define NEEDED (IMB_FEATURE_AESNI | IMB_FEATURE_PCLMULQDQ)

struct _FaspIpsecGcm
{
  struct gcm_key_data key;
  const IMB_MGR *functions;
  gboolean is_256;
};

struct _FaspIpsecAes
{
  guint8 key[11 * FASP_AES_BLOCK];
  const IMB_MGR *functions;
};

static gint most = FASP_IPSEC_ALL; /* atomic */

void
fasp_ipsec_use_at_most (FaspIpsecSet set)
{
  g_atomic_int_set (&most, set);
}

/* Does the kernel, or the virtual machine, save the registers that @set uses?  The library asks
 * only the processor. */
static gboolean
has (const IMB_MGR *mgr, FaspIpsecSet set)
{
  __builtin_cpu_init ();
  switch (set) {
    case FASP_IPSEC_SSE:
      return TRUE;
    case FASP_IPSEC_AVX2:
      return (mgr->features & IMB_CPUFLAGS_AVX2) == IMB_CPUFLAGS_AVX2
          && __builtin_cpu_supports ("avx2");
    case FASP_IPSEC_ALL:
      return (!(mgr->features & IMB_FEATURE_AVX) || __builtin_cpu_supports ("avx"))
          && (!(mgr->features & IMB_FEATURE_AVX2) || __builtin_cpu_supports ("avx2"))
          && (!(mgr->features & IMB_FEATURE_AVX512F) || __builtin_cpu_supports ("avx512f"));
  }
  g_assert_not_reached ();
}

/* The best functions up to @set; NULL: there are none that are fast and take constant time. */
static IMB_MGR *
make_functions (FaspIpsecSet set)
{
  static const init_mb_mgr_t init[] = { init_mb_mgr_sse, init_mb_mgr_avx2 };
  IMB_MGR *mgr = alloc_mb_mgr (0);

  if (mgr == NULL)
    return NULL;
  while (!has (mgr, set))
    set--;
  if (set == FASP_IPSEC_ALL)
    init_mb_mgr_auto (mgr, NULL);
  else
    init[set](mgr);
  if (imb_get_errno (mgr) == 0 && (mgr->features & NEEDED) == NEEDED)
    return mgr;
  free_mb_mgr (mgr);
  return NULL;
}

#define NONE 1 /* differs from all addresses */

/* The functions of the process, for all threads. */
static const IMB_MGR *
get_functions (void)
{
  static gsize functions[FASP_IPSEC_ALL + 1]; /* their addresses, or NONE; 0: not made yet */
  FaspIpsecSet set = g_atomic_int_get (&most);

  if (g_once_init_enter (&functions[set])) {
    IMB_MGR *made = make_functions (set);

    g_once_init_leave (&functions[set], made != NULL ? GPOINTER_TO_SIZE (made) : NONE);
  }
  return functions[set] != NONE ? GSIZE_TO_POINTER (functions[set]) : NULL;
}

static gpointer
allocate (gsize size)
{
  gpointer memory;

  if (posix_memalign (&memory, ALIGNED, size) != 0)
    g_error ("no memory for a key");
  return memory;
}

FaspIpsecGcm *
fasp_ipsec_gcm_new (const guint8 *key, gsize key_size)
{
  const IMB_MGR *f = get_functions ();
  FaspIpsecGcm *gcm;

  if (f == NULL)
    return NULL;
  gcm = allocate (sizeof *gcm);
  gcm->functions = f;
  gcm->is_256 = key_size == 32;
  if (gcm->is_256)
    IMB_AES256_GCM_PRE (f, key, &gcm->key);
  else
    IMB_AES128_GCM_PRE (f, key, &gcm->key);
  return gcm;
}

void
fasp_ipsec_gcm_free (FaspIpsecGcm *gcm)
{
  if (gcm != NULL)
    fasp_wipe (gcm, sizeof *gcm);
  free (gcm);
}

void
fasp_ipsec_gcm_seal (const FaspIpsecGcm *gcm, const guint8 *nonce, const guint8 *ad, gsize ad_size,
    const guint8 *data, gsize size, const guint8 *more, gsize more_size, guint8 *out)
{
  const IMB_MGR *f = gcm->functions;
  aes_gcm_init_t begin = gcm->is_256 ? f->gcm256_init : f->gcm128_init;
  aes_gcm_enc_dec_update_t update = gcm->is_256 ? f->gcm256_enc_update : f->gcm128_enc_update;
  aes_gcm_enc_dec_finalize_t finish = gcm->is_256 ? f->gcm256_enc_finalize : f->gcm128_enc_finalize;
  struct gcm_context_data context;

  begin (&gcm->key, &context, nonce, ad, ad_size);
  if (size > 0)
    update (&gcm->key, &context, out, data, size);
  if (more_size > 0)
    update (&gcm->key, &context, out + size, more, more_size);
  finish (&gcm->key, &context, out + size + more_size, FASP_AEAD_TAG_SIZE);
}

void
fasp_ipsec_gcm_open (const FaspIpsecGcm *gcm, const guint8 *nonce, const guint8 *ad, gsize ad_size,
    const guint8 *data, gsize size, guint8 *out, guint8 *tag)
{
  const IMB_MGR *f = gcm->functions;
  aes_gcm_enc_dec_t decrypt = gcm->is_256 ? f->gcm256_dec : f->gcm128_dec;
  struct gcm_context_data context;

  decrypt (&gcm->key, &context, out, data, size, nonce, ad, ad_size, tag, FASP_AEAD_TAG_SIZE);
}

FaspIpsecAes *
fasp_ipsec_aes_new (const guint8 *key)
{
  const IMB_MGR *f = get_functions ();
  guint8 ignored[11 * FASP_AES_BLOCK] __attribute__ ((aligned (16)));
  FaspIpsecAes *aes;

  if (f == NULL)
    return NULL;
  aes = allocate (sizeof *aes);
  aes->functions = f;
  IMB_AES_KEYEXP_128 (f, key, aes->key, ignored);
  fasp_wipe (ignored, sizeof ignored);
  return aes;
}

void
fasp_ipsec_aes_free (FaspIpsecAes *aes)
{
  if (aes != NULL)
    fasp_wipe (aes, sizeof *aes);
  free (aes);
}

/* CFB of one block of zeros is the encrypted initialisation vector: @text. */
void
fasp_ipsec_aes_encrypt (const FaspIpsecAes *aes, const guint8 *text, guint8 *out)
{
  static const guint8 zeros[FASP_AES_BLOCK];

  IMB_AES128_CFB_ONE (aes->functions, out, zeros, text, aes->key, FASP_AES_BLOCK);
}
