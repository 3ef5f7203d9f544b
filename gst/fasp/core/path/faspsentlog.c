/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsentlog.h"
#include "faspring.h"

void
fasp_sent_log_clear (FaspSentLog *log)
{
  g_clear_pointer (&log->ring, g_free);
}

void
fasp_sent_log_add (FaspSentLog *log, guint64 pn, FaspTime now, guint64 bytes)
{
  if (log->ring == NULL) {
    log->mask = FASP_RING_FIRST_MASK;
    log->ring = g_new (FaspSent, log->mask + 1);
  }
  if (pn != log->next) /* the first packet, if it is not number 0 */
    log->first = log->next = pn;
  if (log->next - log->first == FASP_SENT_LOG_MAX)
    log->first++;
  log->ring = fasp_ring_make_room (log->ring, sizeof *log->ring, &log->mask, log->first, log->next);
  log->ring[pn & log->mask] = (FaspSent) { now, bytes };
  log->next++;
}

void
fasp_sent_log_forget (FaspSentLog *log, guint64 pn)
{
  log->first = CLAMP (pn, log->first, log->next);
}

const FaspSent *
fasp_sent_log_get (const FaspSentLog *log, guint64 pn)
{
  if (pn < log->first || pn >= log->next)
    return NULL;
  return &log->ring[pn & log->mask];
}
