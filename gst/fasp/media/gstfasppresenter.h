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
  GstFaspWall wall;            /* compared with monotonic time */
  FaspPresentationStats stats; /* object lock */
  FaspPresentation posted;     /* what a message told last */
  FaspPresentation worst;      /* the worst state since `settled' */
  FaspPresentationState seen;  /* the state at the last call, ... */
  gint64 since;                /* ... and since when it has lasted, monotonic, µs */
  gint64 settled;              /* when a state had lasted for a while, monotonic, µs */
  GstClockTime latency;        /* with which sinks play, as the last LATENCY event said; NONE: none
                                  came; object lock */
  gboolean has_latency;        /* it is known, at the last blocks */
} GstFaspPresenter;

/* A stream begins.  @delay: ms; 0: blocks are played as they come. */
void gst_fasp_presenter_begin (GstFaspPresenter *presenter, GstElement *element, guint delay);
/* Moves the arrival of blocks that were just read to where they are played in time.  @latency: what
 * the ends agreed on, µs, with which downstream plays them until it says otherwise. */
void gst_fasp_presenter_place (GstFaspPresenter *presenter, GstElement *element, FaspRead *items,
    guint n, FaspTime latency);
/* TRUE: a message has to tell of `posted', which has lasted for a while, or is the worst of several
 * that alternate. @now: monotonic, µs. */
gboolean gst_fasp_presenter_has_changed (GstFaspPresenter *presenter, gint64 now);
/* Its state in a word. */
const gchar *gst_fasp_presenter_get_state (const FaspPresentation *core);
/* Tells downstream when the bytes of @buffer were captured. */
void gst_fasp_presenter_attach (GstBuffer *buffer, const FaspCapture *capture);

G_END_DECLS
