/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Any bytes as a datagram, as what a handshake hides, and as frames: parsed or
 * refused.  What was parsed can be written again, and that parses again.
 */
#include "fuzz.h"
#include <stdlib.h>
#include "faspwirehello.h"

static void
fuzz_frames (const guint8 *data, gsize size)
{
  static FaspFeedback feedback;
  gchar text[FASP_TEXT_MAX + 1];
  FaspFrame frame = { .feedback = &feedback, .text = text };
  FaspReader r = { data, size };
  guint sum = 0;

  while (fasp_wire_next_frame (&r, &frame)) {
    guint8 out[65536];
    FaspWriter w = { out, sizeof out };

    switch (frame.type) {
      case FASP_FRAME_DATA:
        for (guint32 i = 0; i < frame.data.payload_size; i++)
          sum += frame.data.payload[i];
        break;
      case FASP_FRAME_FEEDBACK:
        for (guint i = 0; i < feedback.n_ranges; i++)
          if (feedback.ranges[i].start + feedback.ranges[i].length > feedback.end)
            abort ();
        fasp_wire_write_feedback (&w, &feedback);
        if (w.failed)
          abort ();
        break;
      case FASP_FRAME_CLOSE:
        if (strlen (frame.close.text) > FASP_TEXT_MAX
            || !g_utf8_validate (frame.close.text, -1, NULL))
          abort ();
        break;
      default:
        break;
    }
  }
  if (sum == 1) /* lest the reading is optimised away */
    g_debug ("%u", sum);
}

static void
fuzz_hello (const guint8 *data, gsize size)
{
  FaspHello hello, again;
  guint8 out[4096];
  FaspWriter w = { out, sizeof out };

  if (!fasp_wire_parse_hello (data, size, &hello))
    return;
  if (strlen (hello.streamid) > FASP_STREAMID_MAX || !g_utf8_validate (hello.streamid, -1, NULL)
      || hello.n_ciphers > FASP_CIPHERS)
    abort ();
  fasp_wire_write_hello (&w, &hello);
  if (w.failed || !fasp_wire_parse_hello (out, w.used, &again))
    abort ();
  if (again.latency_ms != hello.latency_ms || again.cid != hello.cid
      || strcmp (again.streamid, hello.streamid))
    abort ();
}

static void
fuzz_handshake (const guint8 *data, gsize size)
{
  FaspHandshake handshake, again;
  guint8 out[4096];
  FaspWriter w = { out, sizeof out };

  if (!fasp_wire_parse_handshake (data, size, &handshake) || handshake.version != FASP_VERSION)
    return;
  if (strlen (handshake.text) > FASP_TEXT_MAX)
    abort ();
  fasp_wire_write_handshake (&w, &handshake);
  if (w.failed || !fasp_wire_parse_handshake (out, w.used, &again))
    abort ();
  if (again.type != handshake.type || again.pattern != handshake.pattern
      || again.message_size != handshake.message_size || again.reason != handshake.reason)
    abort ();
}

/* The first byte tells what the others are. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FaspSessionHeader header;

  if (size == 0)
    return 0;
  switch (data[0] % 3) {
    case 0:
      if (fasp_wire_is_session (data + 1, size - 1))
        fasp_wire_parse_session (data + 1, size - 1, &header);
      else
        fuzz_handshake (data + 1, size - 1);
      break;
    case 1:
      fuzz_hello (data + 1, size - 1);
      break;
    case 2:
      fuzz_frames (data + 1, size - 1);
      break;
  }
  return 0;
}
