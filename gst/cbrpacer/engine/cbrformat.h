/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrformat.h: finds by the caps or by the first bytes whether a stream is an MPEG transport
 * stream, and the size of its packets.
 */
#pragma once

#include "cbrpackets.h"

G_BEGIN_DECLS

/* Bytes at the beginning of a stream in which its packets are looked for. */
#define CBR_LOOK (3 * TS_SYNC_SIZE_MAX + 1)

typedef struct
{
  gboolean is_ts, known;  /* is it a transport stream, and is that certain? */
  gboolean by_caps;       /* the caps say that it is a transport stream */
  guint8 bytes[CBR_LOOK]; /* the stream's first bytes, until `known' */
  guint n;
  CbrPackets packets; /* if it is a transport stream */
} CbrFormat;

void cbr_format_init (CbrFormat *format);
/* Returns the size of transport stream packets that a CAPS event names; 0: it names none. */
guint cbr_format_get_size (GstEvent *event);
/* Takes the format of the following data from a CAPS event. */
void cbr_format_take_caps (CbrFormat *format, GstEvent *event);
/* Looks for transport stream packets, for sources whose caps do not name them. */
void cbr_format_take_buffer (CbrFormat *format, GstBuffer *buffer);

G_END_DECLS
