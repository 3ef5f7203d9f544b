/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * chain.h: a sender, relays and receivers one behind the other, and what came out of each.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Bytes of a stream, and of a buffer of it. */
#define SIZE 600000
#define CHUNK 10000

/* What came out of a pad. */
typedef struct
{
  GMutex lock;
  GByteArray *got;
  GByteArray *header;      /* what came before anything else and counts no bytes */
  guint64 first, next;     /* offsets; NONE before anything */
  guint64 missing;         /* bytes between offsets */
  guint discont, unmarked; /* DISCONT where nothing is missing, and the other way */
  guint keys;              /* buffers without DELTA_UNIT at a key frame's offset */
  guint unknown;           /* buffers without an offset */
  GHashTable *media;       /* offset -> media time + 1 */
  gchar *origin;
  guint origins;
  GstElement *pipeline;
} Tap;

/* Of the faspsrc called `source' in @pipeline, which it starts. */
Tap *tap_new (GstElement *pipeline);
/* A receiver that calls, with @more properties. */
Tap *tap_new_caller (guint port, const gchar *more);
/* A relay: its source calls, its sink, which is called `sink', listens.  @between: "! ELEMENT ...",
 * or nothing; @more: properties of the sink. */
Tap *tap_new_relay (guint from, guint to, const gchar *between, const gchar *more);
/* Its pipeline, too. */
void tap_free (Tap *tap);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Tap, tap_free)
/* Until its offset is @next or more. */
void tap_wait_for (Tap *tap, guint64 next);
/* All of @stream behind @from came, as one stream that nothing is missing of. */
void tap_assert_got (Tap *tap, GBytes *stream, gsize from);

/* An appsrc called `in' and a faspsink called `sink', which listens, with @more properties;
 * started. */
GstElement *chain_make_sender (guint port, const gchar *more);
/* Bytes @from ... @to - 1 of @stream; with @key, a key frame begins at each multiple of that. */
void chain_push (GstElement *sender, GBytes *stream, gsize from, gsize to, guint key);
/* The stream ends, and the sender knows that it has arrived. */
void chain_end (GstElement *sender);
/* So it does, and all of @stream behind @from came. */
void chain_finish (GstElement *sender, Tap *last, GBytes *stream, gsize from);
/* It was handed so much. */
void chain_wait_for_sink (GstElement *pipeline, guint64 size);
/* A receiver is connected to it. */
void chain_wait_for_callers (GstElement *pipeline);

G_END_DECLS
