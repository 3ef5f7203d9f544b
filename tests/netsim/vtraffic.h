/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vtraffic.h: live streams that share bottlenecks, in virtual time, from event to event.
 */
#pragma once

#include "vlive.h"

G_BEGIN_DECLS

typedef struct _Vtraffic Vtraffic;

Vtraffic *vtraffic_new (void);
/* Frees all that was added. */
void vtraffic_free (Vtraffic *traffic);
void vtraffic_add_bottleneck (Vtraffic *traffic, Bottleneck *bottleneck);
void vtraffic_add_live (Vtraffic *traffic, Vlive *live);
void vtraffic_run (Vtraffic *traffic, gint64 until);

G_END_DECLS
