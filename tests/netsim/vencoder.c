/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vencoder.h"

#define KEY_INTERVAL 120 /* frames: 4 s */
#define KEY_SIZE 4
#define NOISE .2
#define PAY .1

void
vencoder_init (Vencoder *encoder, guint32 seed)
{
  *encoder = (Vencoder) { .rand = g_rand_new_with_seed (seed) };
}

void
vencoder_clear (Vencoder *encoder)
{
  g_rand_free (encoder->rand);
}

gsize
vencoder_next (Vencoder *encoder, guint64 rate)
{
  gdouble mean = MAX (rate, VENCODER_LEAST) / 8. / VENCODER_FPS;
  gdouble size = mean;

  if (encoder->frames++ % KEY_INTERVAL == 0) {
    size = KEY_SIZE * mean;
    encoder->owed = size - mean;
  } else {
    size -= MIN (encoder->owed, PAY * mean);
    encoder->owed -= mean - size;
  }
  return size * g_rand_double_range (encoder->rand, 1 - NOISE, 1 + NOISE);
}

gint64
vencoder_get_time (guint n)
{
  return n * G_GINT64_CONSTANT (1000000) / VENCODER_FPS;
}
