/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaypreview.h: moving picture and sound of a stream for browsers, as a fragmented MP4 that a
 * process of its own (fasp-picture) makes of the stream's bytes.
 *
 *     NONE --- a viewer asks ---> STARTING --- head of the MP4 ---> SHOWING
 *      ^                             |                                 |
 *      +---- it has ended, or is killed: it is late, or no viewer is left
 *
 * One process serves all viewers of the stream; without viewers there is none. A viewer gets one
 * MP4 from a key frame on. When the process ends, as the stream's codecs have changed, its viewers
 * have to ask again.
 *
 * What it can take: `viewers' of them; KEEP bytes, however slow they are (relayfeed.h); and a start
 * each two seconds.
 *
 * Call all functions but relay_preview_get_stats from the thread of the main context.
 */
#pragma once

#include <gst/gst.h>
#include "relayfeed.h"

G_BEGIN_DECLS

typedef struct _RelayPreview RelayPreview;

typedef struct
{
  guint viewers;   /* how many may watch at once; 0: none */
  guint watching;  /* how many do */
  guint64 dropped; /* viewers that read too slowly */
} RelayPreviewStats;

typedef enum
{
  RELAY_PREVIEW_SHOWS,
  RELAY_PREVIEW_OFF,    /* it is not configured */
  RELAY_PREVIEW_FULL,   /* too many watch */
  RELAY_PREVIEW_LATER,  /* it cannot be shown now */
  RELAY_PREVIEW_CANNOT, /* browsers cannot play it */
} RelayPreviewResult;

typedef struct
{
  RelayPreviewResult result;
  const gchar *why;   /* a sentence, unless it shows */
  RelayFeed *feed;    /* NULL: it does not show */
  const gchar *media; /* type of the MP4 */
} RelayPreviewAnswer;

/* @answer is valid during the call. */
typedef void (*RelayPreviewFunc) (const RelayPreviewAnswer *answer, gpointer data);

/* @name: of the stream, for the log. */
RelayPreview *relay_preview_new (const gchar *name);
/* To be called after relay_preview_end(). */
void relay_preview_free (RelayPreview *preview);

/* @viewers: how many may watch at once; 0: none. */
void relay_preview_set_viewers (RelayPreview *preview, guint viewers);
/* The stream flows through this pad; NULL: it does not flow. */
void relay_preview_follow (RelayPreview *preview, GstPad *pad);
/* Ends the process, and what viewers get: none is started any more, unless the stream flows again.
 */
void relay_preview_end (RelayPreview *preview);
/* A viewer wants to watch: calls @func once, within SILENT_LIMIT. @waits: does it still wait for
 * that? Asked each second, and when another viewer wants its place. */
void relay_preview_ask (RelayPreview *preview, RelayPreviewFunc func,
    gboolean (*waits) (gpointer data), gpointer data);

/* May be called from any thread. */
RelayPreviewStats relay_preview_get_stats (RelayPreview *preview);

G_END_DECLS
