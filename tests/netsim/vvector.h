/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vvector.h: are the upper halves of AVX registers in use?
 */
#pragma once

#include <glib.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

G_BEGIN_DECLS

/* FALSE, and the test is skipped: the processor, or valgrind in its place, does not say it. */
static inline gboolean
vvector_is_told (void)
{
#if defined(__x86_64__) || defined(__i386__)
  guint eax, ebx, ecx, edx;

  if (__get_cpuid_count (0xd, 1, &eax, &ebx, &ecx, &edx) && (eax >> 2 & 1) != 0
      && __builtin_cpu_supports ("avx"))
    return TRUE;
#endif
  g_test_skip ("the processor does not say which registers are in use");
  return FALSE;
}

/* Bits 2 and 6 of the register that XGETBV reads with 1: bytes 16 to 31, and 32 to 63 (Intel, SDM,
 * volume 1, section 13.6). */
static inline gboolean
vvector_is_in_use (void)
{
  guint low = 0;

#if defined(__x86_64__) || defined(__i386__)
  guint high;

  __asm__ volatile ("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
#endif
  return (low & (1u << 2 | 1u << 6)) != 0;
}

G_END_DECLS
