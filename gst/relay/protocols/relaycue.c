/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "relaycue.h"

void
relay_cue_begin (RelayCue *cue, gint64 now)
{
  relay_cue_clear (cue);
  cue->held = g_byte_array_new ();
  cue->since = now;
}

void
relay_cue_clear (RelayCue *cue)
{
  g_clear_pointer (&cue->held, g_byte_array_unref);
  *cue = (RelayCue) { .mapped = FALSE };
}

/* Keeps the packet's PCR, if it has one. */
static void
keep_clock (RelayCue *cue, const guint8 *data)
{
  TsPacket packet;

  ts_packet_read (&packet, data, TS_PACKET);
  if (!packet.has_pcr || packet.damaged || data[0] != TS_SYNC)
    return;
  memcpy (cue->clock, data, TS_PACKET);
  ts_packet_strip (&packet, cue->clock);
  cue->clocked = TRUE;
}

/* Takes a packet. TRUE: the stream can begin with what is held. */
static gboolean
push_packet (RelayCue *cue, const guint8 *packet)
{
  RelayBegins what = relay_key_frames_look (&cue->frames, packet);

  if (what == RELAY_BEGINS_PAT || cue->held->len >= RELAY_CUT_HELD_MAX) {
    g_byte_array_set_size (cue->held, 0);
    cue->mapped = FALSE;
  }
  if (what == RELAY_BEGINS_PAT && cue->clocked)
    g_byte_array_append (cue->held, cue->clock, TS_PACKET);
  keep_clock (cue, packet);
  if (what == RELAY_BEGINS_PAT || cue->held->len > 0)
    g_byte_array_append (cue->held, packet, TS_PACKET);
  cue->mapped |= what == RELAY_BEGINS_PMT && cue->held->len > 0;
  return cue->mapped
      && (cue->frames.video == 0 || (what == RELAY_BEGINS_KEY_FRAME && cue->clocked));
}

gboolean
relay_cue_push (RelayCue *cue, const guint8 *data, gsize size, gint64 now)
{
  gsize at = 0;
  gboolean found = FALSE;

  for (; !found && at + TS_PACKET <= size; at += TS_PACKET)
    found = push_packet (cue, data + at);
  if (!found && now - cue->since >= RELAY_CUE_WAIT) {
    found = TRUE;
    at = cue->held->len == 0 ? 0 : at;
  }
  if (found)
    g_byte_array_append (cue->held, data + at, size - at);
  return found;
}
