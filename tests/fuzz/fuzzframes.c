/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Changes scripts of fuzz-session and fuzz-group as scripts: whole steps are left out, repeated and
 * moved, and steps are put in whose datagrams have frames that a parser takes.  A step is a byte of
 * what, one of how, one of how many four-byte words, and these.  (Other changes are the fuzzer's
 * own.)
 */
#include "fuzz.h"
#include <string.h>
#include "faspwire.h"

#define STEP_HEAD 3
#define STEP_MAX (STEP_HEAD + 255 * 4)
#define STEPS_MAX 200

static guint32 state; /* of the random numbers */

static guint32
draw (guint32 n)
{
  state = state * 1664525 + 1013904223; /* the generator of Numerical Recipes */
  return (state >> 8) % n;
}

/* A number as a session has it now, or at a limit. */
static guint64
draw_number (void)
{
  switch (draw (4)) {
    case 0:
      return draw (4);
    case 1:
      return draw (300);
    case 2:
      return (G_GUINT64_CONSTANT (1) << draw (62)) - draw (2);
    default:
      return FASP_VARINT_MAX - draw (3);
  }
}

static void
write_feedback (FaspWriter *w)
{
  FaspFeedback f = { .serial = draw (200), .clock = draw_number (), .ack = draw (60) };

  f.window = draw_number ();
  f.latency = draw_number ();
  f.skips = draw (3);
  f.wanted = draw (5);
  f.tail = draw (2);
  f.has_timestamps = draw (2);
  f.has.known = draw (3) == 0;
  f.stands_by = f.has.known && draw (2);
  f.has.offset = draw_number () / 2;
  f.n_flows = draw (3);
  for (guint i = 0; i < f.n_flows; i++) {
    FaspFeedbackFlow *flow = &f.flows[i];

    *flow = (FaspFeedbackFlow) { i, draw (300), draw (5), draw_number (), draw (300), draw (5),
      draw (3), draw (3) };
    for (guint k = 0; k < flow->n_timestamps; k++)
      flow->timestamps[k] = (FaspFeedbackTimestamp) { draw (4), draw (50000) };
  }
  f.end = f.from = f.ack + draw (3);
  f.n_ranges = draw (4);
  for (guint i = 0; i < f.n_ranges; i++) {
    f.ranges[i] = (FaspRange) { f.end + draw (3), 1 + draw (4) };
    f.end = f.ranges[i].start + f.ranges[i].length;
  }
  f.end += draw (3);
  fasp_wire_write_feedback (w, &f);
}

/* The blocks are those that follow, mostly; marks and fragments are among them. */
static void
write_data (FaspWriter *w)
{
  guint8 type = FASP_FRAME_DATA | (draw (3) == 0 ? draw (0x80) : 0), bytes[100];

  if (draw (2))
    fasp_wire_write_offset (w, draw (3), draw (40) * 100);
  fasp_write_uint (w, type, 1);
  fasp_write_uint (w, draw (60), FASP_BLOCK_BITS / 8);
  fasp_write_uint (w, draw_number (), FASP_MEDIA_TIME_BITS / 8);
  if (type & FASP_DATA_FRAGMENT) {
    fasp_write_uint (w, draw (3) << 4 | 2, 1);
    fasp_write_uint (w, 3 * sizeof bytes, 2);
  }
  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = draw (5);
  fasp_write_bytes (w, bytes, sizeof bytes);
}

static void
write_frame (FaspWriter *w, FaspFrameType type)
{
  static const guint8 key[FASP_WIRE_KEY_SIZE] = { 9 };
  FaspStreamOffset position = { TRUE, { { draw (3) } }, draw_number () / 2 };

  switch (type) {
    case FASP_FRAME_FEEDBACK:
      write_feedback (w);
      break;
    case FASP_FRAME_CLOSE:
      fasp_wire_write_close (w, draw (20), "so");
      break;
    case FASP_FRAME_PROMISE:
      fasp_wire_write_promise (w, draw (9), draw_number (), draw_number (), draw_number ());
      break;
    case FASP_FRAME_REPAIR:
      fasp_wire_write_repair (w, draw (60), 1 + draw (9), draw (9), draw (200));
      fasp_write_bytes (w, key, sizeof key);
      break;
    case FASP_FRAME_POSITION:
      fasp_wire_write_position (w, draw (60), &position);
      break;
    case FASP_FRAME_NEXT:
      fasp_wire_write_next (w, draw (4), draw_number ());
      break;
    case FASP_FRAME_GROUP:
      fasp_wire_write_group (w, draw_number (), draw_number (), draw_number ());
      break;
    case FASP_FRAME_AGREE:
      fasp_wire_write_agree (w, draw (4), key);
      break;
    case FASP_FRAME_TAIL:
    case FASP_FRAME_SKIP:
      fasp_wire_write_number (w, type, draw (4) ? draw (60) : draw_number () / 2);
      break;
    case FASP_FRAME_PING:
    case FASP_FRAME_PONG:
    case FASP_FRAME_EXPIRED:
      fasp_wire_write_number (w, type, draw_number ());
      break;
    default:
      write_data (w);
      break;
  }
}

/* Returns the size of a step with up to four frames. */
static gsize
make_step (guint8 step[STEP_MAX])
{
  FaspWriter w = { step + STEP_HEAD, STEP_MAX - STEP_HEAD };
  gsize words;

  memset (step, 0, STEP_MAX);
  for (guint n = 1 + draw (4); n > 0; n--)
    write_frame (&w, 1 + draw (FASP_FRAME_AGREE + 2));
  words = w.failed ? 0 : (w.used + 3) / 4;
  step[0] = draw (256);
  step[1] = draw (4) ? draw (50) : draw (256);
  step[2] = words;
  return STEP_HEAD + 4 * words;
}

size_t
LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max, unsigned int seed)
{
  guint8 step[STEP_MAX];
  gsize at[STEPS_MAX + 1] = { 0 }, from, to, n = 0;
  guint steps = 0;

  state = seed;
  if (draw (2))
    return LLVMFuzzerMutate (data, size, max);
  while (steps < STEPS_MAX && at[steps] + STEP_HEAD <= size) {
    gsize words = data[at[steps] + 2];

    at[steps + 1] = MIN (at[steps] + STEP_HEAD + 4 * words, size);
    steps++;
  }
  from = to = at[draw (steps + 1)];
  switch (draw (3)) {
    case 0: /* leave out */
      to = at[draw (steps + 1)];
      break;
    case 1: /* repeat, or move here */
      if (steps > 0) {
        guint i = draw (steps);

        n = at[i + 1] - at[i];
        memcpy (step, data + at[i], n);
      }
      break;
    default:
      n = make_step (step);
      break;
  }
  if (to < from)
    to = from;
  if (size - (to - from) + n > max)
    return size;
  memmove (data + from + n, data + to, size - to);
  memcpy (data + from, step, n);
  return size - (to - from) + n;
}
