/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Media as strangers send them, behind the protocols: RTP with repair packets over two legs, a
 * transport stream that is cut into segments, pieces and datagrams, and the frames of fasp-picture,
 * which may have been taken over.  The first byte tells which of these the others are.
 */
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include "cbrlearner.h"
#include "cbrpackets.h"
#include "cbrrestamp.h"
#include "fuzzgst.h"
#include "pictureframes.h"
#include "relaycue.h"
#include "relayfec.h"
#include "relayhlscut.h"
#include "relaymerge.h"

/* --- RTP ------------------------------------------------------------------------------------ */

#define RTP_HEADER 12    /* bytes */
#define REPAIR_HEADER 28 /* bytes */
#define WAIT_MAX 20000   /* bytes that may wait in the merge */

typedef struct
{
  RelayFec *fec;
  RelayMerge *merge;
  guint columns, rows;
  gint64 now;
  guint16 next; /* number of the packet that follows */
} Rtp;

/* Packets leave in the order of their numbers, unless the stream has begun anew. */
static void
pop_all (Rtp *rtp, gboolean anew)
{
  GBytes *bytes;
  gboolean first = TRUE;
  guint16 last = 0;

  while ((bytes = relay_merge_pop (rtp->merge, rtp->now)) != NULL) {
    const guint8 *data = g_bytes_get_data (bytes, NULL);
    guint16 number = data[2] << 8 | data[3];

    if (!first && !anew && (gint16) (number - last) <= 0)
      abort ();
    last = number;
    first = FALSE;
    g_bytes_unref (bytes);
  }
}

static RelayMergeResult
push_media (Rtp *rtp, guint leg, GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  RelayMergePacket packet = { (guint32) data[8] << 24, data[2] << 8 | data[3], size, bytes };

  return relay_merge_push (rtp->merge, leg, &packet, rtp->now);
}

/* Makes a packet of RTP, or of repair, right but for what @how and @data say. */
static void
take_packet (Rtp *rtp, guint kind, guint8 how, const guint8 *data, gsize size)
{
  gsize header = kind < RELAY_MERGE_LEGS ? RTP_HEADER : REPAIR_HEADER;
  guint8 packet[REPAIR_HEADER + 1024] = { 0x80, 33 };
  guint16 number = rtp->next + (gint8) (how & 0x40 ? how : how & 0x0f) - 4;
  gboolean row = kind == RELAY_MERGE_LEGS + 1, anew = FALSE;
  GBytes *bytes;

  memcpy (packet + header, data, size);
  packet[2] = number >> 8;
  packet[3] = number;
  packet[8] = how & 0x80 && size > 0 ? data[0] : 1; /* of the SSRC */
  if (kind >= RELAY_MERGE_LEGS) {
    memcpy (packet + 12, packet + 2, 2);
    packet[14] = size > 1 && how & 0x20 ? data[1] : 0;
    packet[15] = size;
    packet[24] = row ? 0x40 : 0;
    packet[25] = row ? 1 : rtp->columns;
    packet[26] = row ? rtp->columns : rtp->rows;
    if (!relay_fec_take_repair (rtp->fec, row, packet, header + size))
      abort ();
  } else {
    bytes = g_bytes_new (packet, header + size);
    rtp->next = number + 1;
    anew = push_media (rtp, kind, bytes) == RELAY_MERGE_BEGINS;
    if (anew)
      relay_fec_forget (rtp->fec);
    relay_fec_take_media (rtp->fec, packet, header + size);
  }
  while ((bytes = relay_fec_pop (rtp->fec)) != NULL) {
    if (g_bytes_get_size (bytes) > RELAY_FEC_PACKET_MAX)
      abort ();
    push_media (rtp, RELAY_MERGE_RECOVERED, bytes);
  }
  pop_all (rtp, anew);
}

/* The matrix; then steps: what, how, four-byte words, these. */
static void
fuzz_rtp (const guint8 *data, gsize size)
{
  Rtp rtp = { .columns = 1 + data[0] % 10, .rows = 4 + data[1] % 7, .next = data[1] << 8 };

  rtp.fec = relay_fec_new (rtp.columns, rtp.rows);
  rtp.merge = relay_merge_new ((data[0] & 0xf0) * G_TIME_SPAN_MILLISECOND, WAIT_MAX,
      (GDestroyNotify) g_bytes_unref);
  data += 2;
  size -= 2;
  while (size >= 3) {
    gsize n = MIN (size - 3, (gsize) data[2] * 4);

    switch (data[0] % 6) {
      case 4:
        rtp.now += data[1] * data[2] * G_TIME_SPAN_MILLISECOND / 8;
        pop_all (&rtp, TRUE);
        n = 0;
        break;
      case 5: /* as it is */
        relay_fec_take_media (rtp.fec, data + 3, n);
        relay_fec_take_repair (rtp.fec, data[1] & 1, data + 3, n);
        relay_merge_refuse (rtp.merge, data[1] & 1, rtp.now);
        break;
      default:
        take_packet (&rtp, data[0] % 6, data[1], data + 3, n);
    }
    data += 3 + n;
    size -= 3 + n;
  }
  relay_merge_get_stats (rtp.merge, rtp.now);
  relay_merge_free (rtp.merge);
  relay_fec_free (rtp.fec);
}

/* --- transport streams ----------------------------------------------------------------------- */

static gboolean
add (const guint8 *data, gsize size, gint64 seconds, gpointer out)
{
  g_byte_array_append (out, data, size);
  return TRUE;
}

/* No packet is repeated, left out or moved. */
static void
cut_pieces (const guint8 *data, gsize size, guint seconds)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  RelayCut *cut = relay_cut_new (1);

  for (gsize at = 0; at < size; at += TS_PACKET)
    relay_cut_push (cut, data + at, TS_PACKET, at * seconds / 1000, add, out);
  relay_cut_flush (cut, add, out);
  if (out->len != size || (size > 0 && memcmp (out->data, data, size) != 0))
    abort ();
  relay_cut_free (cut);
}

static gsize
measure (const RelayHlsSegment *segment)
{
  if (segment == NULL)
    return 0;
  if (segment->duration <= 0 || segment->data->len % TS_PACKET != 0)
    abort ();
  return segment->data->len;
}

static void
cut_segments (const guint8 *data, gsize size, guint ms)
{
  RelayHlsCut *cut = relay_hls_cut_new (2);
  gint64 now = 0;
  gsize sum = 0;
  RelayCue cue;

  memset (&cue, 0, sizeof cue);
  relay_cue_begin (&cue, now);
  for (gsize at = 0; at < size; at += TS_PACKET, now += ms * G_TIME_SPAN_MILLISECOND) {
    sum += measure (relay_hls_cut_push (cut, data + at, now));
    relay_hls_cut_complain (cut);
    relay_hls_cut_find_fault (cut);
    if (relay_cue_push (&cue, data + at, TS_PACKET, now)) {
      relay_cue_clear (&cue);
      relay_cue_begin (&cue, now);
    }
  }
  sum += measure (relay_hls_cut_flush (cut));
  if (sum > size)
    abort ();
  relay_cue_clear (&cue);
  relay_hls_cut_free (cut);
}

/* What the pacer does: all bytes leave, in order, and the clocks of the packets are written anew.
 */
static void
pace (const guint8 *data, gsize size, guint piece)
{
  CbrPackets packets = { TS_PACKET };
  CbrRestamp *restamp = cbr_restamp_new ();
  CbrLearner *learner = g_new0 (CbrLearner, 1);
  CbrQueue queue;
  gsize left = 0;

  cbr_queue_init (&queue);
  cbr_learner_init (learner, GST_SECOND);
  for (gsize at = 0; at < size; at += piece) {
    GstBuffer *buffer = gst_buffer_new_memdup (data + at, MIN (piece, size - at));
    CbrPiece cut;

    cbr_learner_feed (learner, buffer, GST_CLOCK_TIME_NONE, at * 1000, 42);
    cbr_learner_get_inflow (learner, TS_PACKET, 42);
    if (cbr_learner_is_lost (learner)) /* so few bytes cannot do that */
      abort ();
    cbr_queue_push_buffer (&queue, buffer, (CbrMark) { 0, 0 });
    while ((cut = cbr_packets_look (&packets, &queue, 7 * TS_PACKET, at + piece >= size)).size
        > 0) {
      GstBuffer *out = cbr_queue_cut (&queue, cut.size);

      if (left + cut.size > size || gst_buffer_memcmp (out, 0, data + left, cut.size) != 0)
        abort ();
      left += cut.size;
      gst_buffer_unref (out);
      cbr_packets_took (&packets, &cut);
    }
  }
  for (gsize at = 0; at + TS_PACKET <= size; at += TS_PACKET) {
    guint8 inserted[TS_PACKET];
    TsPacket packet;
    guint64 pcr;
    gboolean announced;

    ts_packet_read (&packet, data + at, TS_PACKET);
    if (cbr_restamp_take (restamp, &packet, at * (piece << 10), data[at + 4] << 20, &pcr,
            &announced)
        && (!packet.has_pcr || pcr >= TS_PCR_WRAP))
      abort ();
    if (cbr_restamp_insert (restamp, at * (piece << 10), (at + 1) * (piece << 10), inserted)
        && inserted[0] != TS_SYNC)
      abort ();
  }
  cbr_queue_finalize (&queue);
  cbr_restamp_free (restamp);
  g_free (learner);
}

/* Packets, and the second byte for time.  Of each, only the bytes that differ from 0xff are in the
 * input: how many, and they. */
static void
fuzz_packets (const guint8 *data, gsize size)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();

  for (gsize at = 1; at < size;) {
    gsize n = MIN (MIN (data[at] % (TS_PACKET - 1), size - at - 1), TS_PACKET - 1);
    guint8 packet[TS_PACKET];

    memset (packet, 0xff, sizeof packet);
    packet[0] = TS_SYNC;
    memcpy (packet + 1, data + at + 1, n);
    g_byte_array_append (all, packet, sizeof packet);
    at += 1 + n;
  }
  cut_pieces (all->data, all->len, data[0]);
  cut_segments (all->data, all->len, data[0]);
  pace (all->data, all->len, TS_PACKET);
  pace (data + 1, size - 1, 1 + data[0]);
}

/* --- the decoder's process ------------------------------------------------------------------- */

static void
look_at_frame (const PictureFrame *frame)
{
  PictureLevel levels[PICTURE_CHANNELS_MAX];
  g_autofree gchar *text = picture_frame_get_text (frame);
  guint width, height;

  if (frame->size > PICTURE_JPEG_MAX
      || (frame->type == PICTURE_PROBLEM && !g_utf8_validate (text, -1, NULL))
      || (frame->type == PICTURE_JPEG && !picture_frame_look_at_jpeg (frame, &width, &height)))
    abort ();
  if (frame->type == PICTURE_LEVELS
      && picture_frame_get_levels (frame, levels) > G_N_ELEMENTS (levels))
    abort ();
}

/* Once it was bad, nothing more is taken. */
static void
fuzz_picture (const guint8 *data, gsize size)
{
  PictureFrames *frames =
      picture_frames_new (data[0] & 1 ? PICTURE_OF_PREVIEW : PICTURE_OF_PICTURES);
  gsize piece = 1 + data[0] / 2;
  PictureResult result = PICTURE_MORE;
  PictureFrame frame;

  for (gsize at = 1; at < size && result == PICTURE_MORE; at += piece) {
    if (!picture_frames_push (frames, data + at, MIN (piece, size - at)))
      break;
    while ((result = picture_frames_pop (frames, &frame)) == PICTURE_FRAME)
      look_at_frame (&frame);
  }
  if (result == PICTURE_BAD && picture_frames_pop (frames, &frame) != PICTURE_BAD)
    abort ();
  picture_frames_free (frames);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size < 4)
    return 0;
  fuzz_gst_begin ();
  switch (data[0] % 3) {
    case 0:
      fuzz_rtp (data + 1, size - 1);
      break;
    case 1:
      fuzz_packets (data + 1, size - 1);
      break;
    case 2:
      fuzz_picture (data + 1, size - 1);
      break;
  }
  return 0;
}
