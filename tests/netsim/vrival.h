/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vrival.h: a TCP (vtcp.h) that passes bottlenecks which live streams pass, too: one download
 * without end, or downloads with pauses in between.  Times are µs since the beginning.
 */
#pragma once

#include "vhops.h"
#include "vtcp.h"

G_BEGIN_DECLS

#define VRIVAL_PACKET 1500 /* bytes, IP header included */

typedef struct
{
  VtcpKind kind;
  guint32 seed;
  gint64 start, end;
  gint64 delay;            /* in each direction, behind the bottlenecks */
  guint64 least, most;     /* bytes of a download; 0: it does not end */
  gint64 pause;            /* mean time between downloads (exponential) */
  gboolean starts_pausing; /* a pause is first */
  gboolean ecn;            /* takes marks instead of losses: ECT(0) */
  Bottleneck *there[VHOPS];
} VrivalConfig;

typedef struct _Vrival Vrival;

Vrival *vrival_new (const VrivalConfig *config);
void vrival_free (Vrival *rival);
gint64 vrival_get_next (Vrival *rival);
void vrival_run (Vrival *rival, gint64 until);
/* Bytes that have passed the bottlenecks. */
guint64 vrival_get_bytes (const Vrival *rival);

G_END_DECLS
