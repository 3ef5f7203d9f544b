/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaykeyframes.h: what begins in a packet of an MPEG-TS: its tables, or a key frame.
 *
 * The tables (ISO/IEC 13818-1, 2.4.4), each of one packet or more, of which each may come twice in
 * a row (2.4.3.3), name the PID and the codec of the first video stream of the first program.  A
 * picture of it is a key frame if its packet has the random_access_indicator, or if the part of the
 * picture in this packet has what the codec puts in front of key frames only: a sequence header of
 * MPEG-2, parameter sets or an IDR picture of H.264, or parameter sets or an IRAP picture of H.265.
 */
#pragma once

#include "tssection.h"

G_BEGIN_DECLS

/* All 0 at first. */
typedef struct
{
  TsSection pat, pmt;
  guint8 pat_order, pmt_order; /* of ts_packet_check_counter(), which drops what comes twice */
  guint16 map;                 /* PID of the program map; 0: not known */
  guint16 clock;               /* PID with the PCR of the first program; 0: not known */
  guint16 video;               /* PID of the video stream; 0: not known, or there is none */
  guint8 codec;                /* its stream_type */
} RelayKeyFrames;

typedef enum
{
  RELAY_BEGINS_NOTHING,
  RELAY_BEGINS_PAT,
  RELAY_BEGINS_PMT, /* it is whole with this packet, and has begun behind the last PAT */
  RELAY_BEGINS_KEY_FRAME,
} RelayBegins;

/* @data: of a packet, TS_PACKET bytes. */
RelayBegins relay_key_frames_look (RelayKeyFrames *frames, const guint8 *data);

G_END_DECLS
