/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwire.h: the wire format and every limit of it, as docs/protocol.md has
 * it; handshakes have a header of their own, faspwirehello.h.  Encoding and
 * parsing only: no state, no decisions.  Parsers check every length and never
 * trust a count.
 */
#pragma once

#include "fasparrivals.h"
#include "faspbytes.h"
#include "faspendpoint.h"
#include "faspposition.h"
#include "fasprlc.h"

G_BEGIN_DECLS

#define FASP_TAG_SIZE_NONE 4    /* of a session without a cipher */
#define FASP_TAG_SIZE_MAX 16
#define FASP_RANGES_MAX 480     /* missing ranges in one FEEDBACK */
#define FASP_SERIAL_BITS 32     /* of the number of a FEEDBACK */

/* --- session datagrams ------------------------------------------------------ */

/* First byte: 1KFFFFFF a session datagram (K key phase, F flow),
 * 0100TTTT a handshake datagram (T type). */
#define FASP_FIRST_SESSION 0x80
#define FASP_FIRST_PHASE 0x40
#define FASP_FIRST_FLOW 0x3f
#define FASP_FIRST_HANDSHAKE 0x40

#define FASP_SESSION_HEADER 8
#define FASP_PN_BITS 24
#define FASP_BLOCK_BITS 24
/* No stream gets that far; keeps sums of block numbers within a varint. */
#define FASP_BLOCK_MAX (FASP_VARINT_MAX / 2)
/* Payload bytes of a block at most. */
#define FASP_BLOCK_SIZE_MAX \
    (FASP_DATAGRAM_MAX - FASP_DATA_HEADER - FASP_TAG_SIZE_NONE)
#define FASP_MEDIA_TIME_BITS 32
/* UDP payload of a session datagram that is not block payload: the headers,
 * and with the longest tag. */
#define FASP_DATA_HEADER (FASP_SESSION_HEADER + 8)
#define FASP_DATA_OVERHEAD (FASP_DATA_HEADER + FASP_TAG_SIZE_MAX)
#define FASP_FRAGMENT_HEADER 3
/* A REPAIR's header, and what it is larger than the DATA of its largest block. */
#define FASP_REPAIR_HEADER 10
#define FASP_REPAIR_MORE (FASP_REPAIR_HEADER + FASP_SYMBOL_HEADER - 8)

typedef struct
{
  guint8 flow;
  gboolean phase;
  guint32 cid;                  /* the receiver's connection id */
  guint32 pn;                   /* low 24 bits */
} FaspSessionHeader;

gboolean fasp_wire_is_session (const guint8 * data, gsize size);
/* FALSE when too short, or too long. The frames lie between
 * FASP_SESSION_HEADER and the tag. */
gboolean fasp_wire_parse_session (const guint8 * data, gsize size,
    FaspSessionHeader * header);
void fasp_wire_write_session (FaspWriter * w,
    const FaspSessionHeader * header);

/* UTF-8, and plain (faspplain.h). */
gboolean fasp_text_is_plain (const gchar * text, gsize size);
/* --- frames ------------------------------------------------------------------ */

typedef enum
{
  FASP_FRAME_PADDING = 0x00,
  FASP_FRAME_PING = 0x01,
  FASP_FRAME_PONG = 0x02,
  FASP_FRAME_TAIL = 0x03,
  FASP_FRAME_FEEDBACK = 0x04,
  FASP_FRAME_SKIP = 0x05,
  FASP_FRAME_CLOSE = 0x06,
  FASP_FRAME_PROMISE = 0x07,
  FASP_FRAME_REPAIR = 0x08,
  FASP_FRAME_POSITION = 0x09,
  FASP_FRAME_EXPIRED = 0x0a,
  FASP_FRAME_NEXT = 0x0b,
  FASP_FRAME_GROUP = 0x0c,
  FASP_FRAME_DATA = 0x80,       /* and all above: flags below */
} FaspFrameType;

#define FASP_DATA_ROUND_SHIFT 4
#define FASP_DATA_ROUND_MASK 0x70
#define FASP_DATA_COPY_SHIFT 2
#define FASP_DATA_COPY_MASK 0x0c
#define FASP_DATA_FRAGMENT 0x02
#define FASP_DATA_MARK 0x01

#define FASP_FEEDBACK_TAIL 0x01
#define FASP_FEEDBACK_ARRIVALS 0x02
/* Packet numbers between two arrivals that are told. */
#define FASP_BACK_MAX (1 << 20)

typedef struct
{
  guint64 start, length;
} FaspRange;

/* One of the packets that came before `largest'. */
typedef struct
{
  guint32 back;                 /* how many packet numbers before the last told of */
  guint32 before;               /* and how many µs */
} FaspToldArrival;

typedef struct
{
  guint8 flow;
  guint32 largest;              /* low 24 bits */
  guint64 unsettled;            /* how far settled lies behind largest */
  guint64 delay;                /* µs since `largest' arrived */
  guint64 received;             /* distinct datagrams; 0: all else says nothing */
  guint64 holes;                /* settled so far: losses in a row are one */
  /* with arrivals: */
  guint64 marked;               /* how many were, by ECN, */
  guint n_arrivals;             /* and others, from the newest to the oldest */
  FaspToldArrival arrivals[FASP_ARRIVALS];
} FaspFeedbackFlow;

/* The receiver's state; see docs/protocol.md. Blocks below `ack' are all
 * here; of those in [from, end) the missing ones are listed; if `tail' is
 * set nothing at or above `end' is here; else those are not spoken of. */
typedef struct
{
  guint64 serial;               /* counts up by one; on the wire: low 32 bits */
  guint32 clock;                /* low 32 bits of the receiver's, µs, when it leaves */
  guint64 ack, window;
  guint64 latency;              /* in force, ms */
  guint64 skips;                /* times that something came too late for it */
  guint n_flows;
  FaspFeedbackFlow flows[FASP_FLOWS_MAX];
  guint64 from, end;
  gboolean tail;
  gboolean has_arrivals;        /* of every flow */
  guint n_ranges;
  FaspRange ranges[FASP_RANGES_MAX];
} FaspFeedback;

/* Bytes of it at most: what is neither of flows nor a range, each flow, and each arrival
 * of one, of fields in their order on the wire.  Of a range: fasp_wire_range_size(). */
#define FASP_FEEDBACK_SIZE_MAX (1 + 1 + FASP_SERIAL_BITS / 8 + 4 + \
    4 * FASP_VARINT_SIZE + 1 + 2 * FASP_VARINT_SIZE + 2)
#define FASP_FEEDBACK_FLOW_MAX (1 + FASP_PN_BITS / 8 + 4 * FASP_VARINT_SIZE + \
    FASP_VARINT_SIZE + 1)
#define FASP_FEEDBACK_ARRIVAL_MAX (4 + FASP_VARINT_SIZE)
/* Of what may go with it. */
#define FASP_PING_SIZE (1 + 8)
#define FASP_EXPIRED_SIZE (1 + 4)

typedef struct
{
  guint32 seen;                 /* a bit for each type below DATA that was in this
                                   datagram; none before the first frame */
  FaspFrameType type;
  guint64 number;               /* PING, PONG token; TAIL, SKIP, POSITION block;
                                   CLOSE reason; PROMISE latency, ms; GROUP members;
                                   EXPIRED media time, low 32 bits; NEXT packet */
  guint8 flow;                  /* NEXT: of that packet */
  FaspPlace place;              /* POSITION: where that block begins */
  guint64 serial;               /* PROMISE: counts up by one */
  guint64 interval;             /* PROMISE: seconds between skips; GROUP: clock, ms */
  guint64 budget;               /* PROMISE: of feedback, bytes/s; 0: not known */
  guint64 back_off;             /* GROUP: µs */
  gchar *text;                  /* CLOSE: caller's, of FASP_TEXT_MAX + 1, filled in */
  FaspFeedback *feedback;       /* FEEDBACK: caller's, filled in */
  /* REPAIR: `payload' is the symbol */
  guint16 blocks, key, span;    /* of the window; its age, ms */
  /* DATA */
  guint8 flags, round, copy, index, count;
  guint32 block;                /* low 24 bits; REPAIR: the first one */
  guint32 media_time;           /* low 32 bits */
  guint32 total;
  const guint8 *payload;
  guint32 payload_size;
  FaspMemory *memory;           /* not on the wire: where the payload lies, if it
                                   may stay there */
} FaspFrame;

/* Next frame of a datagram; FALSE at the end or when malformed (then
 * r->failed).  @frame->feedback and text must point to room for one. */
gboolean fasp_wire_next_frame (FaspReader * r, FaspFrame * frame);

void fasp_wire_write_number (FaspWriter * w, FaspFrameType type,
    guint64 number);
void fasp_wire_write_close (FaspWriter * w, FaspReason reason,
    const gchar * text);
void fasp_wire_write_feedback (FaspWriter * w, const FaspFeedback * feedback);
/* Bytes that one more range would take. */
guint fasp_wire_range_size (guint64 skip, guint64 length);
void fasp_wire_write_promise (FaspWriter * w, guint64 serial,
    guint64 latency_ms, guint64 interval, guint64 budget);
void fasp_wire_write_position (FaspWriter * w, guint64 number,
    const FaspPlace * place);
/* The next packet of @flow is number @pn. */
void fasp_wire_write_next (FaspWriter * w, guint8 flow, guint64 pn);
void fasp_wire_write_group (FaspWriter * w, guint64 members,
    guint64 back_off_us, guint64 clock_ms);
/* All but the symbol, which follows. */
void fasp_wire_write_repair (FaspWriter * w, guint64 first, guint16 blocks,
    guint16 key, guint16 span);
/* The whole block, or fragment @index of @count; payload bytes of it, which are
 * not copied. */
guint32 fasp_wire_write_data (FaspWriter * w, const FaspBlock * block,
    guint8 round, guint8 copy, guint8 index, guint8 count);

G_END_DECLS
