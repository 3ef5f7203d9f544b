/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All events of the decision log.  docs/debugging.md says what each field is; a test
 * compares both.  Names are those of the field (qlog's events of QUIC where there is one
 * like it).  `trigger' is always the reason.
 */
#include "fasplogevents.h"

/* Short, so that an event is a line. */
#define NUMBER(name) { name, FASP_LOG_NUMBER }
#define TIME(name) { name, FASP_LOG_TIME }
#define SHARE(name) { name, FASP_LOG_FRACTION }
#define FLAG(name) { name, FASP_LOG_FLAG }
#define NAME(name) { name, FASP_LOG_NAME }
#define TRIGGER { "trigger", FASP_LOG_NAME }
#define REASON { "reason", FASP_LOG_REASON }
#define ADDRESS { "address", FASP_LOG_ADDRESS }
#define TEXT(name) { name, FASP_LOG_TEXT }

static const FaspLogKind kinds[FASP_LOG_EVENTS] = {
  [FASP_LOG_LOG_EVENTS_LOST] = {"log_events_lost", {NUMBER ("count")}},
};

const FaspLogKind *
fasp_log_get_kind (FaspLogEvent event)
{
  return &kinds[event];
}
