/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "previewboxes.h"
#include <string.h>

#define HEAD 8           /* bytes of size and type */
#define FULL (HEAD + 4)  /* of version and flags, too */
#define NOT_SYNC 0x10000 /* sample_is_non_sync_sample (8.8.3.1) */

#define AUDIO_ENTRY (HEAD + 28)  /* where the boxes of an AudioSampleEntry begin (12.2.3.2) */
#define OPUS_PRE_SKIP (HEAD + 2) /* behind version and channels */
#define OPUS_RATE_MAX 768000     /* Hz; in the other order, every usual rate is larger */

/* Flags of tfhd (8.8.7) and of trun (8.8.8): these members are there. */
#define TFHD_BASE 0x1
#define TFHD_DESCRIPTION 0x2
#define TFHD_DURATION 0x8
#define TFHD_SIZE 0x10
#define TFHD_FLAGS 0x20
#define TRUN_OFFSET 0x1
#define TRUN_FIRST_FLAGS 0x4
#define TRUN_DURATION 0x100
#define TRUN_SIZE 0x200
#define TRUN_FLAGS 0x400

#define NAL_LENGTH 4  /* bytes in front of each NAL unit, as h264parse writes it */
#define NAL_TYPE 0x1f /* nal_unit_type (ITU-T H.264, 7.3.1), and that of an IDR picture */
#define NAL_IDR 5

/* A box, or NULL. */
typedef struct
{
  const guint8 *data;
  gsize size;
} Box;

/* 0: the box ends before. */
static guint32
read_32 (const Box *box, gsize at)
{
  const guint8 *p;

  if (at + 4 > box->size)
    return 0;
  p = box->data + at;
  return (guint32) p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

gsize
preview_box_measure (const guint8 *data, gsize size, gchar *type)
{
  Box box = { data, size };
  gsize all;

  if (size < HEAD)
    return 0;
  memcpy (type, data + 4, 4);
  type[4] = '\0';
  all = read_32 (&box, 0);
  return all >= HEAD ? all : PREVIEW_BAD;
}

gboolean
preview_sample_has_idr (const guint8 *data, gsize size)
{
  Box all = { data, size };
  gsize at = 0, rest;

  while ((rest = size - at) > NAL_LENGTH) {
    guint32 unit = read_32 (&all, at);

    if ((data[at + NAL_LENGTH] & NAL_TYPE) == NAL_IDR)
      return TRUE;
    at += MIN (unit, rest - NAL_LENGTH) + NAL_LENGTH;
  }
  return FALSE;
}

/* Finds the first box of that type within another, from that offset on. */
static Box
find (Box within, const gchar *type, gsize at)
{
  gchar its[5];

  while (at < within.size) {
    gsize size = preview_box_measure (within.data + at, within.size - at, its);

    if (size == 0 || size > within.size - at)
      break;
    if (g_str_equal (its, type))
      return (Box) { within.data + at, size };
    at += size;
  }
  return (Box) { NULL, 0 };
}

/* Finds the next box of that type behind @last, within the same. */
static Box
find_next (Box within, const gchar *type, Box last)
{
  return find (within, type, last.data - within.data + last.size);
}

/* The timescale of mdhd, or the track_ID of tkhd: behind the times, of 64 bits in version 1. */
static guint32
read_behind_times (Box box)
{
  return box.size > FULL ? read_32 (&box, FULL + (box.data[HEAD] == 1 ? 16 : 8)) : 0;
}

static void
swap (guint8 *bytes, gsize n)
{
  for (gsize i = 0; i < n / 2; i++) {
    guint8 byte = bytes[i];

    bytes[i] = bytes[n - 1 - i];
    bytes[n - 1 - i] = byte;
  }
}

/* GStreamer 1.22 writes the numbers of dOps in the order of the machine, and Chromium refuses that:
 * they have to be big-endian (Encapsulation of Opus in ISO Base Media File Format, 4.3.2). */
static void
mend_opus (Box media)
{
  Box table = find (find (media, "minf", HEAD), "stbl", HEAD);
  Box entry = find (find (table, "stsd", HEAD), "Opus", FULL + 4);
  Box opus = find (entry, "dOps", AUDIO_ENTRY);
  guint8 *fields;

  if (opus.size < OPUS_PRE_SKIP + 8 || read_32 (&opus, OPUS_PRE_SKIP + 2) <= OPUS_RATE_MAX)
    return;
  fields = (guint8 *) opus.data + OPUS_PRE_SKIP;
  swap (fields, 2);     /* pre-skip */
  swap (fields + 2, 4); /* sample rate of what was encoded */
  swap (fields + 6, 2); /* gain */
}

void
preview_tracks_read (PreviewTracks *tracks, guint8 *moov, gsize size)
{
  Box all = { moov, size }, track;

  for (track = find (all, "trak", HEAD); track.data != NULL;
      track = find_next (all, "trak", track)) {
    Box media = find (track, "mdia", HEAD), handler = find (media, "hdlr", HEAD);
    Box header = find (track, "tkhd", HEAD);
    PreviewKind kind;

    if (header.data == NULL || handler.size < FULL + 8)
      continue;
    mend_opus (media);
    kind = memcmp (handler.data + FULL + 4, "vide", 4) == 0 ? PREVIEW_VIDEO : PREVIEW_AUDIO;
    tracks->id[kind] = read_behind_times (header);
    tracks->timescale[kind] = read_behind_times (find (media, "mdhd", HEAD));
  }
}

/* Is the first sample of a fragment one that needs no other? */
static gboolean
begins_with_sync (Box head, Box run)
{
  guint32 of_head = read_32 (&head, HEAD) & 0xffffff, of_run = read_32 (&run, HEAD) & 0xffffff;
  gsize at = FULL + 4, in_run = FULL + 4;

  at += (of_head & TFHD_BASE ? 8 : 0) + (of_head & TFHD_DESCRIPTION ? 4 : 0)
      + (of_head & TFHD_DURATION ? 4 : 0) + (of_head & TFHD_SIZE ? 4 : 0);
  in_run += of_run & TRUN_OFFSET ? 4 : 0;
  if (of_run & TRUN_FIRST_FLAGS)
    return (read_32 (&run, in_run) & NOT_SYNC) == 0;
  if (of_run & TRUN_FLAGS) {
    in_run += (of_run & TRUN_DURATION ? 4 : 0) + (of_run & TRUN_SIZE ? 4 : 0);
    return (read_32 (&run, in_run) & NOT_SYNC) == 0;
  }
  return (of_head & TFHD_FLAGS) == 0 || (read_32 (&head, at) & NOT_SYNC) == 0;
}

/* @first: ns, when the track begins. */
static void
place (PreviewTracks *tracks, PreviewKind kind, Box time, gint64 first)
{
  gboolean is_long = time.data[HEAD] == 1;
  guint8 *at = (guint8 *) time.data + FULL;
  guint64 its = is_long ? (guint64) read_32 (&time, FULL) << 32 | read_32 (&time, FULL + 4) :
                          read_32 (&time, FULL);

  if (!tracks->placed[kind]) {
    gint64 there = first / 1000 * tracks->timescale[kind] / G_USEC_PER_SEC;

    tracks->shift[kind] = (guint64) there - its; /* the box may have any time */
    tracks->placed[kind] = TRUE;
  }
  its += tracks->shift[kind];
  for (gint bits = is_long ? 56 : 24; bits >= 0; bits -= 8)
    *at++ = its >> bits;
}

gboolean
preview_tracks_place (PreviewTracks *tracks, guint8 *moof, gsize size, const gint64 *first,
    gboolean *begins)
{
  Box all = { moof, size }, part;

  *begins = FALSE;
  for (part = find (all, "traf", HEAD); part.data != NULL; part = find_next (all, "traf", part)) {
    Box head = find (part, "tfhd", HEAD), time = find (part, "tfdt", HEAD);
    Box run = find (part, "trun", HEAD);
    guint32 id = read_32 (&head, FULL);
    PreviewKind kind = id == tracks->id[PREVIEW_VIDEO] ? PREVIEW_VIDEO : PREVIEW_AUDIO;

    if (id == 0 || id != tracks->id[kind] || run.data == NULL || time.size < FULL + 4
        || (time.data[HEAD] == 1 && time.size < FULL + 8))
      return FALSE;
    place (tracks, kind, time, first[kind]);
    if (kind == PREVIEW_VIDEO || tracks->id[PREVIEW_VIDEO] == 0)
      *begins |= begins_with_sync (head, run);
  }
  return TRUE;
}
