/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsentlog.h"

#define FIRST_SIZE 256

void
fasp_sent_log_clear (FaspSentLog *log)
{
  g_clear_pointer (&log->ring, g_free);
}

static void
grow (FaspSentLog *log)
{
  guint64 mask = 2 * log->mask + 1;
  FaspSent *ring = g_new (FaspSent, mask + 1);

  for (guint64 pn = log->first; pn < log->next; pn++)
    ring[pn & mask] = log->ring[pn & log->mask];
  g_free (log->ring);
  log->ring = ring;
  log->mask = mask;
}

void
fasp_sent_log_add (FaspSentLog *log, guint64 pn, FaspTime now, guint64 bytes)
{
  if (log->ring == NULL) {
    log->ring = g_new (FaspSent, FIRST_SIZE);
    log->mask = FIRST_SIZE - 1;
  }
  if (pn != log->next) /* the first one, if it is not number 0 */
    log->first = log->next = pn;
  if (log->next - log->first > log->mask) {
    if (log->mask + 1 < FASP_SENT_LOG_MAX)
      grow (log);
    else
      log->first++;
  }
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
