/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Any bytes as a datagram: parsed or refused.  What was parsed can be
 * written again, and that parses again.
 */
#include "fuzz.h"
#include <stdlib.h>
#include "faspwire.h"

static void
fuzz_session (const guint8 * data, gsize size)
{
  static FaspFeedback feedback;
  FaspFrame frame = {.feedback = &feedback };
  FaspSessionHeader header;
  FaspReader r;
  guint sum = 0;

  if (!fasp_wire_parse_session (data, size, &header))
    return;
  r = (FaspReader) {
  data + FASP_SESSION_HEADER, size - FASP_SESSION_HEADER - FASP_TAG_SIZE};
  while (fasp_wire_next_frame (&r, &frame)) {
    guint8 out[65536];
    FaspWriter w = { out, sizeof out };

    switch (frame.type) {
      case FASP_FRAME_DATA:
        for (guint32 i = 0; i < frame.payload_size; i++)
          sum += frame.payload[i];
        break;
      case FASP_FRAME_FEEDBACK:
        for (guint i = 0; i < feedback.n_ranges; i++)
          if (feedback.ranges[i].start + feedback.ranges[i].length >
              feedback.end)
            abort ();
        fasp_wire_write_feedback (&w, &feedback);
        if (w.failed)
          abort ();
        break;
      case FASP_FRAME_CLOSE:
        if (strlen (frame.text) > FASP_TEXT_MAX
            || !g_utf8_validate (frame.text, -1, NULL))
          abort ();
        break;
      default:
        break;
    }
  }
  if (sum == 1)                 /* lest the reading is optimised away */
    g_debug ("%u", sum);
}

static void
fuzz_handshake (const guint8 * data, gsize size)
{
  FaspHandshake handshake, again;
  guint8 out[4096];
  FaspWriter w = { out, sizeof out };

  if (!fasp_wire_parse_handshake (data, size, &handshake)
      || handshake.version != FASP_VERSION)
    return;
  if (strlen (handshake.streamid) > FASP_STREAMID_MAX
      || !g_utf8_validate (handshake.streamid, -1, NULL)
      || strlen (handshake.text) > FASP_TEXT_MAX)
    abort ();
  fasp_wire_write_handshake (&w, &handshake);
  fasp_write_uint (&w, 0, FASP_TAG_SIZE);
  if (w.failed || !fasp_wire_parse_handshake (out, w.used, &again))
    abort ();
  if (again.type != handshake.type || again.latency_ms !=
      handshake.latency_ms || strcmp (again.streamid, handshake.streamid))
    abort ();
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  if (fasp_wire_is_session (data, size))
    fuzz_session (data, size);
  else
    fuzz_handshake (data, size);
  return 0;
}
