/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspplain.h"
#include "faspwireprivate.h"

/* --- session datagrams ----------------------------------------------------- */

gboolean
fasp_wire_is_session (const guint8 *data, gsize size)
{
  return size > 0 && (data[0] & FASP_FIRST_SESSION) != 0;
}

gboolean
fasp_wire_parse_session (const guint8 *data, gsize size, FaspSessionHeader *header)
{
  FaspReader r = { data, size };
  guint64 fields = fasp_read_uint (&r, FASP_SESSION_HEADER); /* first byte, session, number */
  guint8 first = fields >> (32 + FASP_PN_BITS);

  header->flow = first & FASP_FIRST_FLOW;
  header->phase = (first & FASP_FIRST_PHASE) != 0;
  header->cid = fields >> FASP_PN_BITS;
  header->pn = fields & ((1u << FASP_PN_BITS) - 1);
  return !r.failed && r.left >= FASP_TAG_SIZE_NONE && size <= FASP_DATAGRAM_MAX;
}

void
fasp_wire_write_session (FaspWriter *w, const FaspSessionHeader *header)
{
  guint64 first = FASP_FIRST_SESSION | (header->phase ? FASP_FIRST_PHASE : 0)
      | (header->flow & FASP_FIRST_FLOW);

  fasp_write_uint (w,
      first << (32 + FASP_PN_BITS) | (guint64) header->cid << FASP_PN_BITS
          | (header->pn & ((1u << FASP_PN_BITS) - 1)),
      FASP_SESSION_HEADER);
}

/* --- shared with hellos ----------------------------------------------------------- */

gboolean
fasp_text_is_plain (const gchar *text, gsize size)
{
  const gchar *end = text + size;

  if (!g_utf8_validate (text, size, NULL))
    return FALSE;
  for (; text < end; text = g_utf8_next_char (text))
    if (!fasp_is_plain (g_utf8_get_char (text)))
      return FALSE;
  return TRUE;
}

void
fasp_wire_read_text (FaspReader *r, gsize size, gsize max, gchar *text)
{
  const guint8 *bytes = fasp_read_bytes (r, size);

  text[0] = '\0';
  if (size > max)
    r->failed = TRUE;
  if (r->failed || !fasp_text_is_plain ((const gchar *) bytes, size))
    return;
  memcpy (text, bytes, size);
  text[size] = '\0';
}

void
fasp_wire_write_text (FaspWriter *w, const gchar *text)
{
  gsize size = strlen (text);

  if (size > FASP_TEXT_MAX)
    size = g_utf8_find_prev_char (text, text + FASP_TEXT_MAX + 1) - text;
  fasp_write_uint (w, size, 1);
  fasp_write_bytes (w, text, size);
}

/* --- frames ---------------------------------------------------------------------- */

static void
read_timestamps (FaspReader *r, FaspFeedbackFlow *flow)
{
  flow->marked = fasp_read_varint (r);
  flow->n_timestamps = fasp_read_uint (r, 1);
  if (flow->n_timestamps > FASP_TIMESTAMPS)
    r->failed = TRUE;
  for (guint i = 0; !r->failed && i < flow->n_timestamps; i++) {
    guint64 back = fasp_read_varint (r), before = fasp_read_varint (r);

    if (back == 0 || back > FASP_BACK_MAX || before > G_MAXUINT32)
      r->failed = TRUE;
    flow->timestamps[i] = (FaspFeedbackTimestamp) { back, before };
  }
}

static void
read_feedback (FaspReader *r, FaspFeedback *f)
{
  guint8 flags = fasp_read_uint (r, 1);
  guint64 n, at;

  f->tail = (flags & FASP_FEEDBACK_TAIL) != 0;
  f->has_timestamps = (flags & FASP_FEEDBACK_TIMESTAMPS) != 0;
  f->serial = fasp_read_uint (r, FASP_SERIAL_BITS / 8);
  f->clock = fasp_read_uint (r, 4);
  f->ack = fasp_read_varint (r);
  f->window = fasp_read_varint (r);
  f->latency = fasp_read_varint (r);
  f->skips = fasp_read_varint (r);
  f->wanted = fasp_read_varint (r);
  f->has = (FaspStreamOffset) { 0 };
  f->stands_by = (flags & FASP_FEEDBACK_STANDS_BY) != 0;
  if (flags & FASP_FEEDBACK_HAS)
    fasp_stream_offset_read (r, &f->has);
  else if (f->stands_by)
    r->failed = TRUE;
  f->n_flows = fasp_read_uint (r, 1);
  if (f->n_flows > FASP_FLOWS_MAX)
    r->failed = TRUE;
  for (guint i = 0; !r->failed && i < f->n_flows; i++) {
    FaspFeedbackFlow *flow = &f->flows[i];

    flow->flow = fasp_read_uint (r, 1);
    flow->largest = fasp_read_uint (r, FASP_PN_BITS / 8);
    flow->unsettled = fasp_read_varint (r);
    flow->delay = fasp_read_varint (r);
    flow->received = fasp_read_varint (r);
    flow->holes = fasp_read_varint (r);
    flow->n_timestamps = 0;
    if (f->has_timestamps)
      read_timestamps (r, flow);
    if (flow->flow >= FASP_FLOWS_MAX)
      r->failed = TRUE;
  }
  f->from = f->ack + fasp_read_varint (r);
  f->end = f->from + fasp_read_varint (r);
  n = fasp_read_varint (r);
  if (n > FASP_RANGES_MAX || f->end > FASP_VARINT_MAX)
    r->failed = TRUE;
  f->n_ranges = 0;
  at = f->from;
  for (guint64 i = 0; !r->failed && i < n; i++) {
    FaspRange *range = &f->ranges[f->n_ranges];
    guint64 skip = fasp_read_varint (r);

    range->length = fasp_read_varint (r) + 1;
    /* at <= end always holds, so neither difference wraps */
    if (skip > f->end - at || range->length > f->end - at - skip) {
      r->failed = TRUE;
      return;
    }
    range->start = at + skip;
    at = range->start + range->length;
    f->n_ranges++;
  }
}

static void
read_data (FaspReader *r, guint8 type, FaspDataFrame *data)
{
  guint64 fields;

  data->round = (type & FASP_DATA_ROUND_MASK) >> FASP_DATA_ROUND_SHIFT;
  data->copy = (type & FASP_DATA_COPY_MASK) >> FASP_DATA_COPY_SHIFT;
  data->flags = (type & FASP_DATA_MARK) ? FASP_BLOCK_MARK : 0;
  fields = fasp_read_uint (r, (FASP_BLOCK_BITS + FASP_MEDIA_TIME_BITS) / 8);
  data->block = fields >> FASP_MEDIA_TIME_BITS;
  data->media_time = fields & G_MAXUINT32;
  data->index = 0;
  data->count = 1;
  data->total = 0;
  if (type & FASP_DATA_FRAGMENT) {
    guint8 part = fasp_read_uint (r, 1);

    data->index = part >> 4;
    data->count = (part & 0x0f) + 1;
    data->total = fasp_read_uint (r, 2);
    if (data->count < 2 || data->index >= data->count)
      r->failed = TRUE;
  }
  if (r->failed)
    return;
  data->payload_size = r->left;
  data->payload = fasp_read_bytes (r, r->left);
  if (data->count == 1)
    data->total = data->payload_size;
  /* the end of the stream, a mark, is the only block without payload */
  if (data->total == 0 && (data->flags & FASP_BLOCK_MARK) == 0)
    r->failed = TRUE;
}

static void
read_repair (FaspReader *r, FaspRepairFrame *repair)
{
  repair->first = fasp_read_uint (r, FASP_BLOCK_BITS / 8);
  repair->blocks = fasp_read_uint (r, 2);
  repair->key = fasp_read_uint (r, 2);
  repair->span = fasp_read_uint (r, 2);
  if (r->failed || repair->blocks == 0 || r->left < FASP_SYMBOL_HEADER) {
    r->failed = TRUE;
    return;
  }
  repair->symbol_size = r->left;
  repair->symbol = fasp_read_bytes (r, r->left);
}

gboolean
fasp_wire_next_frame (FaspReader *r, FaspFrame *frame)
{
  guint8 type;

  if (r->failed || r->left == 0)
    return FALSE;
  type = fasp_read_uint (r, 1);
  frame->type = type;
  /* Accepts each type once, so that one datagram cannot cause a hundred answers, or a hundred times
   * the work. */
  if (type < FASP_FRAME_DATA) {
    guint32 bit = type < 32 ? 1u << type : 0;

    r->failed = (frame->seen & bit) != 0;
    frame->seen |= bit;
  }
  switch (type) {
    case FASP_FRAME_PADDING:
      fasp_read_bytes (r, r->left);
      break;
    case FASP_FRAME_PING:
    case FASP_FRAME_PONG:
      frame->ping.token = fasp_read_uint (r, 8);
      break;
    case FASP_FRAME_EXPIRED:
      frame->expired.media_time = fasp_read_uint (r, 4);
      break;
    case FASP_FRAME_NEXT:
      frame->next.flow = fasp_read_uint (r, 1);
      frame->next.n = fasp_read_varint (r);
      if (frame->next.flow >= FASP_FLOWS_MAX)
        r->failed = TRUE;
      break;
    case FASP_FRAME_TAIL:
    case FASP_FRAME_SKIP:
      frame->blocks.n = fasp_read_varint (r);
      if (frame->blocks.n > FASP_BLOCK_MAX)
        r->failed = TRUE;
      break;
    case FASP_FRAME_POSITION:
      frame->position.n = fasp_read_varint (r);
      fasp_stream_offset_read (r, &frame->position.offset);
      if (frame->position.n > FASP_BLOCK_MAX)
        r->failed = TRUE;
      break;
    case FASP_FRAME_FEEDBACK:
      read_feedback (r, frame->feedback);
      break;
    case FASP_FRAME_PROMISE:
      frame->promise.serial = fasp_read_varint (r);
      frame->promise.latency = fasp_read_varint (r);
      frame->promise.interval = fasp_read_varint (r);
      frame->promise.feedback_rate = fasp_read_varint (r);
      break;
    case FASP_FRAME_REPAIR:
      read_repair (r, &frame->repair);
      break;
    case FASP_FRAME_GROUP:
      frame->group.members = fasp_read_varint (r);
      frame->group.back_off = fasp_read_varint (r);
      frame->group.clock = fasp_read_varint (r);
      break;
    case FASP_FRAME_OFFSET:
      frame->segment = fasp_read_uint (r, 1);
      frame->offset = fasp_read_uint (r, FASP_OFFSET_BITS / 8);
      break;
    case FASP_FRAME_AGREE:
      frame->agree.serial = fasp_read_varint (r);
      frame->agree.key = fasp_read_bytes (r, FASP_WIRE_KEY_SIZE);
      break;
    case FASP_FRAME_CLOSE:
      frame->close.reason = fasp_read_uint (r, 2);
      frame->close.text = frame->text;
      fasp_wire_read_text (r, fasp_read_uint (r, 1), FASP_TEXT_MAX, frame->text);
      break;
    default:
      if (type < FASP_FRAME_DATA) {
        r->failed = TRUE;
        break;
      }
      frame->type = FASP_FRAME_DATA;
      frame->data.has_offset = (frame->seen & FASP_BIT (FASP_FRAME_OFFSET)) != 0;
      frame->data.segment = frame->segment;
      frame->data.offset = frame->offset;
      read_data (r, type, &frame->data);
      break;
  }
  return !r->failed;
}

void
fasp_wire_write_number (FaspWriter *w, FaspFrameType type, guint64 number)
{
  fasp_write_uint (w, type, 1);
  if (type == FASP_FRAME_PING || type == FASP_FRAME_PONG)
    fasp_write_uint (w, number, 8);
  else if (type == FASP_FRAME_EXPIRED)
    fasp_write_uint (w, number, 4);
  else
    fasp_write_varint (w, number);
}

void
fasp_wire_write_close (FaspWriter *w, FaspReason reason, const gchar *text)
{
  fasp_write_uint (w, FASP_FRAME_CLOSE, 1);
  fasp_write_uint (w, reason, 2);
  fasp_wire_write_text (w, text != NULL ? text : "");
}

void
fasp_wire_write_promise (FaspWriter *w, guint64 serial, guint64 latency_ms, guint64 interval,
    guint64 feedback_rate)
{
  fasp_write_uint (w, FASP_FRAME_PROMISE, 1);
  fasp_write_varint (w, serial);
  fasp_write_varint (w, latency_ms);
  fasp_write_varint (w, interval);
  fasp_write_varint (w, feedback_rate);
}

void
fasp_wire_write_position (FaspWriter *w, guint64 number, const FaspStreamOffset *position)
{
  fasp_write_uint (w, FASP_FRAME_POSITION, 1);
  fasp_write_varint (w, number);
  fasp_stream_offset_write (w, position);
}

static void
write_timestamps (FaspWriter *w, const FaspFeedbackFlow *flow)
{
  fasp_write_varint (w, flow->marked);
  fasp_write_uint (w, flow->n_timestamps, 1);
  for (guint i = 0; i < flow->n_timestamps; i++) {
    fasp_write_varint (w, flow->timestamps[i].back);
    fasp_write_varint (w, flow->timestamps[i].before);
  }
}

void
fasp_wire_write_feedback (FaspWriter *w, const FaspFeedback *f)
{
  guint64 at = f->from;

  fasp_write_uint (w, FASP_FRAME_FEEDBACK, 1);
  fasp_write_uint (w,
      (f->tail ? FASP_FEEDBACK_TAIL : 0) | (f->has_timestamps ? FASP_FEEDBACK_TIMESTAMPS : 0)
          | (f->has.known ? FASP_FEEDBACK_HAS : 0) | (f->stands_by ? FASP_FEEDBACK_STANDS_BY : 0),
      1);
  fasp_write_uint (w, f->serial, FASP_SERIAL_BITS / 8);
  fasp_write_uint (w, f->clock, 4);
  fasp_write_varint (w, f->ack);
  fasp_write_varint (w, f->window);
  fasp_write_varint (w, f->latency);
  fasp_write_varint (w, f->skips);
  fasp_write_varint (w, f->wanted);
  if (f->has.known)
    fasp_stream_offset_write (w, &f->has);
  fasp_write_uint (w, f->n_flows, 1);
  for (guint i = 0; i < f->n_flows; i++) {
    const FaspFeedbackFlow *flow = &f->flows[i];

    fasp_write_uint (w, flow->flow, 1);
    fasp_write_uint (w, flow->largest, FASP_PN_BITS / 8);
    fasp_write_varint (w, flow->unsettled);
    fasp_write_varint (w, flow->delay);
    fasp_write_varint (w, flow->received);
    fasp_write_varint (w, flow->holes);
    if (f->has_timestamps)
      write_timestamps (w, flow);
  }
  fasp_write_varint (w, f->from - f->ack);
  fasp_write_varint (w, f->end - f->from);
  fasp_write_varint (w, f->n_ranges);
  for (guint i = 0; i < f->n_ranges; i++) {
    fasp_write_varint (w, f->ranges[i].start - at);
    fasp_write_varint (w, f->ranges[i].length - 1);
    at = f->ranges[i].start + f->ranges[i].length;
  }
}

void
fasp_wire_write_offset (FaspWriter *w, guint8 segment, guint64 offset)
{
  fasp_write_uint (w, FASP_FRAME_OFFSET, 1);
  fasp_write_uint (w, segment, 1);
  fasp_write_uint (w, offset & G_MAXUINT32, FASP_OFFSET_BITS / 8);
}

void
fasp_wire_write_next (FaspWriter *w, guint8 flow, guint64 pn)
{
  fasp_write_uint (w, FASP_FRAME_NEXT, 1);
  fasp_write_uint (w, flow, 1);
  fasp_write_varint (w, pn);
}

void
fasp_wire_write_group (FaspWriter *w, guint64 members, guint64 back_off_us, guint64 clock_ms)
{
  fasp_write_uint (w, FASP_FRAME_GROUP, 1);
  fasp_write_varint (w, members);
  fasp_write_varint (w, back_off_us);
  fasp_write_varint (w, clock_ms);
}

void
fasp_wire_write_agree (FaspWriter *w, guint64 serial, const guint8 key[FASP_WIRE_KEY_SIZE])
{
  fasp_write_uint (w, FASP_FRAME_AGREE, 1);
  fasp_write_varint (w, serial);
  fasp_write_bytes (w, key, FASP_WIRE_KEY_SIZE);
}

void
fasp_wire_write_repair (FaspWriter *w, guint64 first, guint16 blocks, guint16 key, guint16 span)
{
  fasp_write_uint (w, FASP_FRAME_REPAIR, 1);
  fasp_write_uint (w, first, FASP_BLOCK_BITS / 8);
  fasp_write_uint (w, blocks, 2);
  fasp_write_uint (w, key, 2);
  fasp_write_uint (w, span, 2);
}

guint
fasp_wire_range_size (guint64 skip, guint64 length)
{
  return fasp_varint_size (skip) + fasp_varint_size (length - 1);
}

guint32
fasp_wire_write_data (FaspWriter *w, const FaspBlock *block, guint8 round, guint8 copy,
    guint8 index, guint8 count)
{
  guint8 type = FASP_FRAME_DATA | MIN (round, 7) << FASP_DATA_ROUND_SHIFT
      | MIN (copy, 3) << FASP_DATA_COPY_SHIFT;
  guint32 offset = 0, size = block->size;

  if (block->flags & FASP_BLOCK_MARK)
    type |= FASP_DATA_MARK;
  if (count > 1) {
    guint32 part = (block->size + count - 1) / count;

    type |= FASP_DATA_FRAGMENT;
    offset = index * part;
    size = MIN (part, block->size - offset);
  }
  fasp_write_uint (w,
      (guint64) type << (FASP_BLOCK_BITS + FASP_MEDIA_TIME_BITS)
          | (block->number & ((1u << FASP_BLOCK_BITS) - 1)) << FASP_MEDIA_TIME_BITS
          | (guint32) block->media_time,
      FASP_DATA_HEADER - FASP_SESSION_HEADER);
  if (count > 1) {
    fasp_write_uint (w, index << 4 | (count - 1), 1);
    fasp_write_uint (w, block->size, 2);
  }
  fasp_write_payload (w, block->data + offset, size);
  return size;
}
