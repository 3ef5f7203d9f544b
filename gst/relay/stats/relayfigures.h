/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayfigures.h: what a stream's statistics say at a glance.
 */
#pragma once

#include "relaystream.h"

G_BEGIN_DECLS

/* Of the input, as the statistics have them; NAN: not known. */
typedef struct
{
  gdouble rtt, lateness;      /* ms; the lateness of all but 0.1 %, in order */
  gdouble latency;            /* ms, in force */
  gdouble promised, observed; /* s between skips; INFINITY: none was observed */
  guint64 received, lost;     /* datagrams, of all senders that are connected */
  guint64 bytes;              /* of the stream, that came in */
  guint64 skips;
} RelayInputFigures;

void relay_figures_get_input (const RelayStreamStats *stats, RelayInputFigures *figures);

/* Calls @func for each receiver of an output, or sender of an input. */
void relay_figures_foreach_peer (const RelayEndStats *end,
    void (*func) (const GstStructure *peer, gpointer data), gpointer data);
/* How many are connected. */
guint relay_figures_count_peers (const RelayEndStats *end);

/* How much of the stream, of @rate bit/s, a receiver has not confirmed yet: ms; NAN: not known. */
gdouble relay_figures_get_behind (const GstStructure *receiver, gdouble rate);
/* That of the receiver that is furthest behind, of all outputs; NAN: there is none. */
gdouble relay_figures_get_worst (const RelayStreamStats *stats, gdouble rate);

/* FALSE also if it is not there. */
gboolean relay_figures_get_flag (const GstStructure *s, const gchar *field);
/* A number of any type; NAN: there is none. */
gdouble relay_figures_get_number (const GstStructure *s, const gchar *field);

G_END_DECLS
