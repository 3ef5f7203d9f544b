/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fuzz.h: a fuzz target.  With -Dfuzz=true libFuzzer drives it, guided by
 * coverage; else fuzzmain.c does, with random changes of good inputs.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Targets may have this one: it changes an input in place, and returns its size, @max at most. */
size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max, unsigned int seed);
/* The driver's own changes. */
size_t LLVMFuzzerMutate (uint8_t *data, size_t size, size_t max);
