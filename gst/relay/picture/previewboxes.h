/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * previewboxes.h: reads and corrects the boxes and samples of a fragmented MP4 (ISO/IEC 14496-12)
 * that GStreamer's muxer has written.
 *
 * That muxer counts the time of each track from its own first sample, so sound and picture would
 * not go together.  The time of each fragment (tfdt) is therefore made later by as much as its
 * track began later.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PREVIEW_TRACKS 2
#define PREVIEW_BAD G_MAXSIZE

typedef enum
{
  PREVIEW_VIDEO,
  PREVIEW_AUDIO,
} PreviewKind;

typedef struct
{
  guint id[PREVIEW_TRACKS]; /* by PreviewKind; 0: there is no such track */
  guint timescale[PREVIEW_TRACKS];
  gboolean placed[PREVIEW_TRACKS]; /* the next member is known */
  gint64 shift[PREVIEW_TRACKS];    /* added to the time of each fragment */
} PreviewTracks;

/* Returns the size of the box at the beginning; 0: more is needed to tell; PREVIEW_BAD: there is
 * none. @type: of four characters, and 0. */
gsize preview_box_measure (const guint8 *data, gsize size, gchar *type);
/* Has a sample of H.264, of NAL units behind their lengths, an IDR picture? */
gboolean preview_sample_has_idr (const guint8 *data, gsize size);
/* Reads which tracks there are from a box moov, and corrects it. */
void preview_tracks_read (PreviewTracks *tracks, guint8 *moov, gsize size);
/* Corrects the time of a box moof. @first: ns, when each track begins. *begins: a player may begin
 * here.  FALSE: it is not as the muxer writes it. */
gboolean preview_tracks_place (PreviewTracks *tracks, guint8 *moof, gsize size, const gint64 *first,
    gboolean *begins);

G_END_DECLS
