/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tsloop.h"

/* A round begins. */
static void
begin (TsLoop *loop)
{
  loop->packets = loop->time = loop->over = 0;
  loop->pid = -1;
}

void
ts_loop_init (TsLoop *loop)
{
  *loop = (TsLoop) { .splice = ts_splice_new () };
  begin (loop);
  ts_splice_follow (loop->splice, 0);
}

void
ts_loop_clear (TsLoop *loop)
{
  g_clear_pointer (&loop->splice, ts_splice_free);
}

void
ts_loop_again (TsLoop *loop)
{
  guint64 gap = loop->packets - loop->at + loop->before; /* packets from PCR to PCR */

  if (loop->over > 0)
    loop->shift = (loop->shift + ts_pcr_get_step (loop->first, loop->last)
                      + (guint64) ((gdouble) loop->time / loop->over * gap))
        % TS_PCR_WRAP;
  else if (loop->pid >= 0)
    loop->shift = 0;
  if (loop->pid >= 0 && loop->over == 0)
    ts_splice_begin (loop->splice);
  else
    ts_splice_follow (loop->splice, loop->shift);
  begin (loop);
}

static void
take_pcr (TsLoop *loop, const TsPacket *packet)
{
  guint64 step = ts_pcr_get_step (loop->last, packet->pcr);

  if (loop->pid < 0) {
    loop->pid = packet->pid;
    loop->first = packet->pcr;
    loop->before = loop->packets;
  } else if (step <= TS_LOOP_STEP) {
    loop->time += step;
    loop->over += loop->packets - loop->at;
  }
  loop->last = packet->pcr;
  loop->at = loop->packets;
  loop->without = 0;
}

void
ts_loop_take (TsLoop *loop, const guint8 data[TS_PACKET], GByteArray *out)
{
  TsPacket packet;

  ts_packet_read (&packet, data, TS_PACKET);
  loop->without++;
  if (packet.has_pcr && !packet.damaged && (loop->pid < 0 || loop->pid == packet.pid))
    take_pcr (loop, &packet);
  loop->packets++;
  ts_splice_take (loop->splice, data, out);
}
