/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionstream.c: a DATA frame has come, from the peer or from a group.
 */
#include "faspsessionprivate.h"

void
fasp_session_handle_data (FaspSession *session, FaspTime now, const FaspDataFrame *data,
    FaspMemory *memory, gsize wire)
{
  FaspRxArrival arrival = fasp_rx_data (session->rx, now, data, memory);

  fasp_trace_add (session->notes.trace,
      &(FaspTraceEntry) {
          .time = now,
          .media_time = arrival.media_time,
          .block = arrival.number,
          .session = session->id,
          .full = wire,
          .payload = data->payload_size,
          .round = data->round,
          .copy = data->copy,
          .fresh = arrival.fresh,
      });
}
