/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrpackets.h"

typedef struct
{
  CbrQueue *queue;
  CbrCursor sync, next; /* at the sync byte of a packet, and at that of the next one */
  guint size, front;    /* bytes of a packet, and bytes in front of its sync byte */
  gsize bytes;          /* of the queue, that are examined */
  CbrBehind behind;     /* what follows these bytes in the queue */
  gboolean impatient;
} Scan;

typedef enum
{
  PACKET,
  NONE, /* no packet begins here */
  WAIT, /* more bytes are needed to decide, or to make the packet whole */
} Verdict;

/* Has the sync byte of a packet that begins at @at come? *is_sync: it has the right value. */
static gboolean
get_sync (Scan *scan, gsize at, CbrCursor *cursor, gboolean *is_sync)
{
  guint8 byte = TS_SYNC;

  if (at + scan->front >= scan->bytes)
    return FALSE;
  /* a byte in memory that cannot be mapped counts as a sync byte */
  cbr_queue_get_byte (scan->queue, at + scan->front, cursor, &byte);
  *is_sync = byte == TS_SYNC;
  return TRUE;
}

/* Looks in @from ... @to - 1 for a packet that a sync byte follows, and returns where it begins;
 * @to: nowhere. *sure: FALSE if too few bytes have come to be certain. */
static gsize
find_packet (Scan *scan, gsize from, gsize to, gboolean *sure)
{
  gboolean ended = scan->behind == CBR_BEHIND_BREAK;
  CbrCursor sync = { 0 }, next = { 0 };

  for (; from < to; from++) {
    gboolean is_sync = FALSE, is_next = FALSE;

    if (get_sync (scan, from, &sync, &is_sync) && !is_sync)
      continue;
    *sure = get_sync (scan, from + scan->size, &next, &is_next);
    if (*sure ? is_next : !ended)
      break;
    /* the last one in front of a break must be whole */
    if (!*sure && from + scan->size <= scan->bytes) {
      *sure = TRUE;
      break;
    }
  }
  cbr_queue_leave_cursor (&sync);
  cbr_queue_leave_cursor (&next);
  return from;
}

/* What is at @at; @lost: the bytes before are in no packet. */
static Verdict
judge_packet (Scan *scan, gsize at, gboolean lost)
{
  gboolean is_sync = FALSE, is_next = FALSE, sure = TRUE;
  gboolean ended = scan->behind == CBR_BEHIND_BREAK;

  if (get_sync (scan, at, &scan->sync, &is_sync) && !is_sync)
    return NONE;
  if (at + scan->size > scan->bytes)
    return ended ? NONE : WAIT;
  if (!get_sync (scan, at + scan->size, &scan->next, &is_next))
    return !lost || scan->impatient || ended ? PACKET : WAIT;
  if (is_next)
    return PACKET;
  if (lost)
    return NONE;
  /* a packet inside which another one begins was cut off */
  if (find_packet (scan, at + 1, at + scan->size, &sure) == at + scan->size)
    return PACKET;
  return sure ? NONE : scan->impatient ? PACKET : WAIT;
}

CbrPiece
cbr_packets_look (const CbrPackets *packets, CbrQueue *queue, gsize most, gboolean impatient)
{
  guint front = ts_sync_get_front (packets->size);
  /* includes the sync byte behind any packet that begins in the @most bytes */
  gsize limit = most + packets->size + front + 1;
  Scan scan = { .queue = queue, .size = packets->size, .front = front, .impatient = impatient };
  gboolean lost = packets->lost && !cbr_queue_begins (queue);
  Verdict verdict = WAIT;
  CbrPiece piece = { 0 };

  scan.bytes = cbr_queue_measure (queue, limit, &scan.behind);
  while (piece.size < most && (verdict = judge_packet (&scan, piece.size, lost)) == PACKET) {
    piece.size += scan.size;
    lost = FALSE;
  }
  if (piece.size > 0) {
    piece.whole = verdict != WAIT || scan.behind != CBR_BEHIND_NOTHING;
  } else if (scan.bytes == 0) {
    piece.whole = scan.behind != CBR_BEHIND_NOTHING;
  } else if (verdict == WAIT && !impatient) {
    piece.held = TRUE;
    piece.doubt = lost || !packets->sure || scan.bytes >= scan.size;
  } else if (verdict == NONE || lost || !packets->sure) {
    gsize end = MIN (scan.bytes, most);
    gboolean sure;

    piece.foreign = TRUE;
    piece.size = verdict == WAIT ? end : find_packet (&scan, 1, end, &sure);
    piece.whole = piece.size < end || end == most || scan.behind != CBR_BEHIND_NOTHING;
  } else {
    piece.held = TRUE;
  }
  cbr_queue_leave_cursor (&scan.sync);
  cbr_queue_leave_cursor (&scan.next);
  return piece;
}

void
cbr_packets_begin (CbrPackets *packets)
{
  packets->lost = FALSE;
}

void
cbr_packets_took (CbrPackets *packets, const CbrPiece *piece)
{
  packets->lost = piece->foreign;
}
