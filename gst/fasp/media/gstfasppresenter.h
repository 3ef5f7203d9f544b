/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasppresenter.h: presentation-delay of faspsrc: gives blocks the time at which all receivers
 * play them (fasppresentation.h).
 *
 * The streaming thread uses it; other threads get statistics, under the element's object lock.
 */
#pragma once

#include "fasppresentation.h"
#include "faspread.h"
#include "faspstats.h"
#include "gstfaspwall.h"

G_BEGIN_DECLS

typedef struct
{
  FaspPresentation core;
  GstFaspWall wall;             /* compared with monotonic time */
  FaspPresentationStats stats;  /* object lock */
  FaspPresentationState posted; /* the state that a message told last */
  FaspPresentationState seen;   /* the state at the last call, ... */
  gint64 since;                 /* ... and since when it has lasted, monotonic, µs */
  GstClockTime latency;         /* with which sinks play, as the last LATENCY event said; NONE: none
                                   came; object lock */
} GstFaspPresenter;

/* A stream begins.  @delay: ms; 0: blocks are played as they come. */
void gst_fasp_presenter_begin (GstFaspPresenter *presenter, GstElement *element, guint delay);
/* Moves the arrival of blocks that were just read to where they are played in time.  @latency: with
 * which downstream plays them, µs. */
void gst_fasp_presenter_place (GstFaspPresenter *presenter, GstElement *element, FaspRead *items,
    guint n, FaspTime latency);
/* TRUE: a message has to tell of the state, `core.state', which has lasted for a while. */
gboolean gst_fasp_presenter_has_changed (GstFaspPresenter *presenter);
/* Tells downstream when the bytes of @buffer were captured. */
void gst_fasp_presenter_attach (GstBuffer *buffer, const FaspCapture *capture);

G_END_DECLS
