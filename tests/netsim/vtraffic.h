/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vtraffic.h: live streams and TCPs that share bottlenecks, in virtual time, from event to
 * event.
 */
#pragma once

#include "vlive.h"
#include "vrival.h"

G_BEGIN_DECLS

typedef struct _Vtraffic Vtraffic;

Vtraffic *vtraffic_new (void);
/* Frees all that was added. */
void vtraffic_free (Vtraffic *traffic);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Vtraffic, vtraffic_free)
void vtraffic_add_bottleneck (Vtraffic *traffic, Bottleneck *bottleneck);
void vtraffic_add_live (Vtraffic *traffic, Vlive *live);
void vtraffic_add_rival (Vtraffic *traffic, Vrival *rival);
void vtraffic_run (Vtraffic *traffic, gint64 until);
/* Bottleneck, Vlive, Vrival: all that there are, in the order in which they were added. */
const GPtrArray *vtraffic_get_bottlenecks (const Vtraffic *traffic);
const GPtrArray *vtraffic_get_lives (const Vtraffic *traffic);
const GPtrArray *vtraffic_get_rivals (const Vtraffic *traffic);

G_END_DECLS
