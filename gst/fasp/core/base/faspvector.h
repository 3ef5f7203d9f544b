/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspvector.h: the vector registers after a call of ISA-L.
 *
 * Invariant: no function of ours returns with the upper halves of AVX registers in use.  ISA-L's
 * functions for AVX leave them in use, and then each SSE instruction, of which compilers make
 * copies and comparisons, waits: 0.2 µs in all after a CRC, of which the CRC itself takes 0.04.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#if defined(__x86_64__) || defined(__i386__)
static inline __attribute__ ((target ("avx"))) void
fasp_vector_clear_upper (void)
{
  __builtin_ia32_vzeroupper ();
}
#endif

/* Call this after each call of a function of ISA-L that takes a buffer. */
static inline void
fasp_vector_leave (void)
{
#if defined(__x86_64__) || defined(__i386__)
  if (__builtin_cpu_supports ("avx"))
    fasp_vector_clear_upper ();
#endif
}

G_END_DECLS
