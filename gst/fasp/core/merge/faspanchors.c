/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspanchors.h"

/* One byte position in 2^SPACING_BITS is an anchor. */
#define SPACING_BITS 12
/* The hash has 64 bits and each byte shifts it by one, so it depends on the last 64 bytes. */
#define COVERED 64
/* Streams are aligned when this many anchors in a row show the same shift. */
#define ALIGNED 4

FaspAnchors *
fasp_anchors_new (void)
{
  return g_new0 (FaspAnchors, 1);
}

void
fasp_anchors_free (FaspAnchors *anchors)
{
  g_free (anchors);
}

/* A pseudorandom number for each byte: splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
 * Number Generators, OOPSLA 2014). */
static guint64
make_gear (guint8 byte)
{
  guint64 z = (byte + G_GUINT64_CONSTANT (1)) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ z >> 31;
}

static const guint64 *
get_gears (void)
{
  static guint64 gears[G_MAXUINT8 + 1];
  static gsize made;

  if (g_once_init_enter (&made)) {
    for (guint i = 0; i <= G_MAXUINT8; i++)
      gears[i] = make_gear (i);
    g_once_init_leave (&made, 1);
  }
  return gears;
}

/* The index uses the low bits, as the highest bits of all anchors are 0. */
static inline guint
get_place (guint64 hash)
{
  return hash % FASP_ANCHORS_KEPT;
}

void
fasp_anchors_begin (FaspAnchors *anchors, guint64 offset)
{
  if (offset != anchors->offset)
    anchors->begun = 0;
  anchors->offset = offset;
}

static void
note (FaspAnchors *anchors, FaspAnchor *found)
{
  FaspAnchor *kept = &anchors->kept[get_place (anchors->hash)];

  *found = (FaspAnchor) { anchors->hash, anchors->offset };
  found->repeats = kept->offset > 0 && kept->hash == found->hash && kept->offset != found->offset;
  *kept = *found;
}

gboolean
fasp_anchors_next (FaspAnchors *anchors, const guint8 **data, gsize *size, FaspAnchor *found)
{
  const guint64 *gears = get_gears ();

  while (*size > 0) {
    anchors->hash = (anchors->hash << 1) + gears[*(*data)++];
    anchors->offset++;
    (*size)--;
    if (++anchors->begun < COVERED || anchors->hash >> (64 - SPACING_BITS) != 0)
      continue;
    note (anchors, found);
    return TRUE;
  }
  return FALSE;
}

gboolean
fasp_anchors_find (const FaspAnchors *anchors, guint64 hash, guint64 *offset)
{
  const FaspAnchor *anchor = &anchors->kept[get_place (hash)];

  *offset = anchor->offset;
  return anchor->hash == hash && anchor->offset > 0 && !anchor->repeats;
}

void
fasp_alignment_note (FaspAlignment *alignment, guint64 first, guint64 second)
{
  gint64 shift = first - second;

  if (fasp_alignment_is_known (alignment))
    return;
  alignment->same = shift == alignment->shift ? alignment->same + 1 : 1;
  alignment->shift = shift;
}

gboolean
fasp_alignment_is_known (const FaspAlignment *alignment)
{
  return alignment->same >= ALIGNED;
}
