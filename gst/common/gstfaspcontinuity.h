/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspcontinuity.h: counts what is missing in an MPEG transport stream, by the
 * continuity_counter of its packets.
 *
 * tspacket.h says which packets are an error.
 *
 * Packets have 188 bytes.  They begin at a sync byte that another one follows 188 bytes on.  Data
 * may be cut anywhere.  The work for a byte and the memory are bounded for any data.
 */
#pragma once

#include <gst/gst.h>
#include "tspacket.h"

G_BEGIN_DECLS

#define GST_FASP_CONTINUITY_HEADER 6 /* bytes, up to the flags of the adaptation field */

typedef struct
{
  gboolean synced;
  guint phase; /* bytes of the current packet so far; 0: its sync byte is next */
  guint64 packets, errors;
  guint64 stray; /* bytes that are in no packet */
  guint8
      header[GST_FASP_CONTINUITY_HEADER]; /* of the current packet, or of the one before it, whose
                                          end has come; the first byte is 0: there is none */
  guint8 pids[TS_PIDS];                   /* what ts_packet_check_counter keeps */
} GstFaspContinuity;

GstFaspContinuity *gst_fasp_continuity_new (void);
/* Another stream begins: its counters need not follow those that were. */
void gst_fasp_continuity_begin (GstFaspContinuity *continuity);
void gst_fasp_continuity_push (GstFaspContinuity *continuity, const guint8 *data, gsize size);
/* The same with the data of a buffer, which is not copied. */
void gst_fasp_continuity_push_buffer (GstFaspContinuity *continuity, GstBuffer *buffer);
/* Sets the field `continuity-errors', if the data was a transport stream. */
void gst_fasp_continuity_add_figure (const GstFaspContinuity *continuity, GstStructure *stats);

G_END_DECLS
