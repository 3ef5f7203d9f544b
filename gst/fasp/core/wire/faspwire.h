/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwire.h: the wire format and all of its limits, as docs/protocol.md describes it. Handshakes
 * have a header of their own, faspwirehello.h. These files only encode and parse: no state, no
 * decisions. Parsers check every length and never trust a count. Payloads are not copied: they
 * point into the datagram.
 */
#pragma once

#include "faspbytes.h"
#include "fasplimits.h"
#include "faspposition.h"

G_BEGIN_DECLS

#define FASP_TAG_SIZE_NONE 4 /* without a cipher */
#define FASP_TAG_SIZE_MAX 16
#define FASP_RANGES_MAX 480 /* missing ranges in one FEEDBACK */
#define FASP_SERIAL_BITS 32 /* bits of a FEEDBACK's serial number */

/* --- session datagrams ------------------------------------------------------ */

/* First byte of a datagram: 1KFFFFFF is a session datagram (K: key phase, F: flow),
 * 0100TTTT is a handshake datagram (T: type). */
#define FASP_FIRST_SESSION 0x80
#define FASP_FIRST_PHASE 0x40
#define FASP_FIRST_FLOW 0x3f
#define FASP_FIRST_HANDSHAKE 0x40

#define FASP_SESSION_HEADER 8
#define FASP_PN_BITS 24
#define FASP_BLOCK_BITS 24
/* Larger than any stream's block numbers; keeps their sums within a varint. */
#define FASP_BLOCK_MAX (FASP_VARINT_MAX / 2)
/* Largest payload of a block, in bytes. */
#define FASP_BLOCK_SIZE_MAX (FASP_DATAGRAM_MAX - FASP_DATA_HEADER - FASP_TAG_SIZE_NONE)
#define FASP_MEDIA_TIME_BITS 32
/* UDP payload bytes of a session datagram besides the block's payload: the headers, and
 * the headers with the longest tag. */
#define FASP_DATA_HEADER (FASP_SESSION_HEADER + 8)
#define FASP_DATA_OVERHEAD (FASP_DATA_HEADER + FASP_TAG_SIZE_MAX)
#define FASP_FRAGMENT_HEADER 3
#define FASP_WIRE_KEY_SIZE 32 /* bytes of a public key on the curve */
/* Bytes of a REPAIR's header, and by how many bytes a REPAIR is larger than the DATA of its largest
 * block. */
#define FASP_REPAIR_HEADER 10
#define FASP_REPAIR_MORE (FASP_REPAIR_HEADER + FASP_SYMBOL_HEADER - 8)

typedef struct
{
  guint8 flow;
  gboolean phase;
  guint32 cid; /* the receiver's connection id */
  guint32 pn;  /* low 24 bits */
} FaspSessionHeader;

gboolean fasp_wire_is_session (const guint8 *data, gsize size);
/* FALSE: too short or too long. The frames lie between FASP_SESSION_HEADER and the tag. */
gboolean fasp_wire_parse_session (const guint8 *data, gsize size, FaspSessionHeader *header);
void fasp_wire_write_session (FaspWriter *w, const FaspSessionHeader *header);

/* Is @text UTF-8, and plain (faspplain.h)? */
gboolean fasp_text_is_plain (const gchar *text, gsize size);
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
  FASP_FRAME_OFFSET = 0x0d,
  FASP_FRAME_AGREE = 0x0e,
  FASP_FRAME_DATA = 0x80, /* this and all above, with the flags below */
} FaspFrameType;

#define FASP_DATA_ROUND_SHIFT 4
#define FASP_DATA_ROUND_MASK 0x70
#define FASP_DATA_COPY_SHIFT 2
#define FASP_DATA_COPY_MASK 0x0c
#define FASP_DATA_FRAGMENT 0x02
#define FASP_DATA_MARK 0x01

#define FASP_FEEDBACK_TAIL 0x01
#define FASP_FEEDBACK_TIMESTAMPS 0x02
#define FASP_FEEDBACK_HAS 0x04
#define FASP_FEEDBACK_STANDS_BY 0x08
/* At most this many packet numbers between two receive timestamps. */
#define FASP_BACK_MAX (1 << 20)

typedef struct
{
  guint64 start, length;
} FaspRange;

/* The receive timestamp of a packet before `largest'. */
typedef struct
{
  guint32 back;   /* packet numbers before the previous entry */
  guint32 before; /* µs before the previous entry */
} FaspFeedbackTimestamp;

typedef struct
{
  guint8 flow;
  guint32 largest;   /* low 24 bits */
  guint64 unsettled; /* `largest' less the last settled packet number */
  guint64 delay;     /* µs since `largest' arrived */
  guint64 received;  /* distinct datagrams; 0: the other fields have no meaning */
  guint64 holes;     /* holes settled so far; losses in a row are one hole */
  /* with receive timestamps only: */
  guint64 marked;     /* datagrams with an ECN mark so far */
  guint n_timestamps; /* timestamps of further packets, from the newest to the oldest */
  FaspFeedbackTimestamp timestamps[FASP_TIMESTAMPS];
} FaspFeedbackFlow;

/* The receiver's state; see docs/protocol.md. Blocks below `ack' have all arrived or
 * been given up. Of those in [from, end), the missing ones are listed. If `tail' is
 * set, nothing at or above `end' has arrived; otherwise those blocks are not reported. */
typedef struct
{
  guint64 serial; /* counts up by one; on the wire: low 32 bits */
  guint32 clock;  /* low 32 bits of the receiver's clock, in µs, when it leaves */
  guint64 ack, window;
  guint64 latency; /* latency in force, ms */
  guint64 skips;   /* how often a block came too late for the latency */
  guint64 wanted;  /* requests for a key frame */
  guint n_flows;
  FaspFeedbackFlow flows[FASP_FLOWS_MAX];
  guint64 from, end;
  gboolean tail;
  gboolean has_timestamps; /* for every flow listed */
  gboolean stands_by;      /* the receiver asks for no blocks of the stream; only with `has' */
  FaspStreamOffset has;    /* if known: the receiver has all bytes before it, from any source */
  guint n_ranges;
  FaspRange ranges[FASP_RANGES_MAX];
} FaspFeedback;

/* Largest size in bytes of a FEEDBACK without flows and ranges; of each flow; of each receive
 * timestamp of a flow. The terms follow the order of the fields on the wire. For a range, see
 * fasp_wire_range_size(). */
#define FASP_FEEDBACK_SIZE_MAX \
  (1 + 1 + FASP_SERIAL_BITS / 8 + 4 + 5 * FASP_VARINT_SIZE + FASP_STREAM_OFFSET_SIZE + 1 \
      + 2 * FASP_VARINT_SIZE + 2)
#define FASP_FEEDBACK_FLOW_MAX (1 + FASP_PN_BITS / 8 + 4 * FASP_VARINT_SIZE + FASP_VARINT_SIZE + 1)
#define FASP_FEEDBACK_ARRIVAL_MAX (4 + FASP_VARINT_SIZE)
/* Bytes of frames that may follow in the same datagram. */
#define FASP_PING_SIZE (1 + 8)
#define FASP_EXPIRED_SIZE (1 + 4)
/* Bytes of an OFFSET, which precedes each DATA if the receiver wants it. */
#define FASP_OFFSET_SIZE (1 + 1 + FASP_OFFSET_BITS / 8)

/* The fields of each type of frame, in the words of docs/protocol.md, section 4. */
typedef struct
{
  guint64 token;
} FaspPingFrame; /* PING, PONG */

typedef struct
{
  guint64 n; /* TAIL: blocks below exist; SKIP: blocks below never come */
} FaspBlocksFrame;

typedef struct
{
  guint16 reason; /* FaspReason, or a later version's */
  gchar *text;    /* the caller's room, filled in */
} FaspCloseFrame;

typedef struct
{
  guint64 serial;        /* counts up by one */
  guint64 latency;       /* ms */
  guint64 interval;      /* seconds between skips */
  guint64 feedback_rate; /* bytes/s; 0: not known */
} FaspPromiseFrame;

typedef struct
{
  guint32 first;        /* block, low 24 bits */
  guint16 blocks;       /* number of blocks */
  guint16 key;          /* key of the coefficients */
  guint16 span;         /* ms since the first of the blocks was written */
  const guint8 *symbol; /* the repair symbol, in the datagram */
  guint32 symbol_size;
} FaspRepairFrame;

typedef struct
{
  guint64 n;
  FaspStreamOffset offset; /* where block n begins */
} FaspPositionFrame;

typedef struct
{
  guint32 media_time; /* low 32 bits */
} FaspExpiredFrame;

typedef struct
{
  guint8 flow;
  guint64 n; /* number of the next packet on `flow' */
} FaspNextFrame;

typedef struct
{
  guint64 members;
  guint64 back_off; /* µs */
  guint64 clock;    /* ms */
} FaspGroupFrame;

typedef struct
{
  guint64 serial;    /* serial number of the exchange */
  const guint8 *key; /* public, in the datagram: FASP_WIRE_KEY_SIZE bytes */
} FaspAgreeFrame;

typedef struct
{
  guint32 block;      /* low 24 bits */
  guint32 media_time; /* low 32 bits */
  guint8 flags;       /* FASP_BLOCK_MARK */
  guint8 round, copy;
  guint8 index, count;   /* the fragment's index, and the number of fragments */
  gboolean has_offset;   /* an OFFSET precedes the DATA */
  guint8 segment;        /* with has_offset: low 8 bits of the segment's number */
  guint32 offset;        /* with has_offset: low 32 bits of the block's stream offset */
  guint32 total;         /* the block's whole size */
  const guint8 *payload; /* the payload, in the datagram */
  guint32 payload_size;
} FaspDataFrame;

typedef struct
{
  guint32 seen; /* types below DATA that were in this datagram, a
                   bit each; 0 before the first frame */
  /* the caller's room for large fields, which the parser fills in */
  gchar *text;            /* CLOSE: FASP_TEXT_MAX + 1 bytes */
  FaspFeedback *feedback; /* FEEDBACK */
  FaspMemory *memory;     /* not on the wire: the memory of the datagram, if a block may keep its
                             payload there; else NULL */
  guint8 segment;         /* of an OFFSET in this datagram, for the DATA that follows */
  guint32 offset;         /* of an OFFSET in this datagram, for the DATA that follows */
  FaspFrameType type;     /* selects the member of the union */
  union
  {
    FaspPingFrame ping;     /* PING, PONG */
    FaspBlocksFrame blocks; /* TAIL, SKIP */
    FaspCloseFrame close;
    FaspPromiseFrame promise;
    FaspRepairFrame repair;
    FaspPositionFrame position;
    FaspExpiredFrame expired;
    FaspNextFrame next;
    FaspGroupFrame group;
    FaspAgreeFrame agree;
    FaspDataFrame data;
  };
} FaspFrame;

/* Reads the next frame of a datagram. FALSE: there is none, or it is malformed (then
 * r->failed). @frame->feedback and text must point to room for one. */
gboolean fasp_wire_next_frame (FaspReader *r, FaspFrame *frame);

void fasp_wire_write_number (FaspWriter *w, FaspFrameType type, guint64 number);
void fasp_wire_write_close (FaspWriter *w, FaspReason reason, const gchar *text);
void fasp_wire_write_feedback (FaspWriter *w, const FaspFeedback *feedback);
/* Bytes that one more range takes. */
guint fasp_wire_range_size (guint64 skip, guint64 length);
void fasp_wire_write_promise (FaspWriter *w, guint64 serial, guint64 latency_ms, guint64 interval,
    guint64 feedback_rate);
void fasp_wire_write_position (FaspWriter *w, guint64 number, const FaspStreamOffset *position);
/* Writes the stream offset of the block in the DATA that follows in this datagram. */
void fasp_wire_write_offset (FaspWriter *w, guint8 segment, guint64 offset);
/* Writes that the next packet of @flow will be number @pn. */
void fasp_wire_write_next (FaspWriter *w, guint8 flow, guint64 pn);
void fasp_wire_write_group (FaspWriter *w, guint64 members, guint64 back_off_us, guint64 clock_ms);
void fasp_wire_write_agree (FaspWriter *w, guint64 serial, const guint8 key[FASP_WIRE_KEY_SIZE]);
/* Writes all but the symbol, which the caller appends. */
void fasp_wire_write_repair (FaspWriter *w, guint64 first, guint16 blocks, guint16 key,
    guint16 span);
/* Writes the whole block, or fragment @index of @count. Returns the payload bytes,
 * which are not copied. */
guint32 fasp_wire_write_data (FaspWriter *w, const FaspBlock *block, guint8 round, guint8 copy,
    guint8 index, guint8 count);

G_END_DECLS
