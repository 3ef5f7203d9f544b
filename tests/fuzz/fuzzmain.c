/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Drives a fuzz target without libFuzzer: files named on the command line as
 * they are, then changes of them and noise, from a seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>
#include "fuzz.h"

#define SIZE_MAX_INPUT 8192

#pragma weak LLVMFuzzerCustomMutator

static GRand *chance;

size_t
LLVMFuzzerMutate (uint8_t *data, size_t size, size_t max)
{
  guint changes = g_rand_int_range (chance, 1, 12);

  while (changes-- > 0) {
    gsize at = size > 0 ? g_rand_int_range (chance, 0, size) : 0;
    gsize n;

    switch (g_rand_int_range (chance, 0, 6)) {
      case 0:
        if (size > 0)
          data[at] ^= 1 << g_rand_int_range (chance, 0, 8);
        break;
      case 1:
        if (size > 0)
          data[at] = g_rand_int (chance);
        break;
      case 2: /* extremes */
        if (size > 0)
          data[at] = g_rand_boolean (chance) ? 0xff : 0;
        break;
      case 3: /* cut */
        size = at;
        break;
      case 4: /* grow */
        n = g_rand_int_range (chance, 1, 64);
        for (gsize i = 0; i < n && size < max; i++)
          data[size++] = g_rand_int (chance);
        break;
      case 5: /* copy a part of it elsewhere */
        if (size > 1) {
          n = g_rand_int_range (chance, 1, MIN (size, 200));
          at = MIN (at, size - n);
          memmove (data + g_rand_int_range (chance, 0, size - n + 1), data + at, n);
        }
        break;
    }
  }
  return size;
}

int
main (int argc, char **argv)
{
  static gint runs = 2000, seconds = 0, seed = 1;
  static gchar **files;
  static const GOptionEntry entries[] = {
    { "runs", 0, 0, G_OPTION_ARG_INT, &runs, "Inputs to try", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "Go on for so long instead", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Of all chance", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files, "", "FILE..." },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("");
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GError) error = NULL;
  gint64 end;
  guint64 n = 0;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return 2;
  }
  for (guint i = 0; files != NULL && files[i] != NULL; i++) {
    gchar *data;
    gsize size;

    if (!g_file_get_contents (files[i], &data, &size, &error)) {
      fprintf (stderr, "%s\n", error->message);
      return 2;
    }
    LLVMFuzzerTestOneInput ((guint8 *) data, size);
    g_ptr_array_add (inputs, g_bytes_new_take (data, size));
  }
  g_ptr_array_add (inputs, g_bytes_new (NULL, 0));
  chance = g_rand_new_with_seed (seed);
  end = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;
  while (seconds > 0 ? g_get_monotonic_time () < end : n < (guint64) runs) {
    guint8 data[SIZE_MAX_INPUT];
    g_autofree guint8 *exact = NULL;
    gsize size = 0;
    gconstpointer bytes =
        g_bytes_get_data (g_ptr_array_index (inputs, g_rand_int_range (chance, 0, inputs->len)),
            &size);

    size = MIN (size, sizeof data / 2);
    if (size > 0)
      memcpy (data, bytes, size);
    size = LLVMFuzzerCustomMutator != NULL ?
        LLVMFuzzerCustomMutator (data, size, sizeof data, g_rand_int (chance)) :
        LLVMFuzzerMutate (data, size, sizeof data);
    exact = g_memdup2 (data, size); /* its end is where ASan sees it */
    LLVMFuzzerTestOneInput (exact, size);
    n++;
  }
  printf ("%" G_GUINT64_FORMAT " inputs, no finding\n", n);
  g_rand_free (chance);
  g_strfreev (files);
  return 0;
}
