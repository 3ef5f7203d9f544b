/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplogevents.h: the events of the decision log, and their fields.  docs/debugging.md
 * says what each of them means.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef enum
{
  FASP_LOG_LOG_EVENTS_LOST,
  FASP_LOG_EVENTS,              /* how many there are */
} FaspLogEvent;

#define FASP_LOG_FIELDS 8       /* of an event, at most */

/* How a field is written. */
typedef enum
{
  FASP_LOG_END = 0,             /* there are no more */
  FASP_LOG_NUMBER,              /* a count, a number, bytes, or bit/s */
  FASP_LOG_TIME,                /* kept in us, written in ms */
  FASP_LOG_FRACTION,            /* FASP_LOG_SHARE() */
  FASP_LOG_FLAG,                /* true or false */
  FASP_LOG_NAME,                /* FASP_LOG_WORD() */
  FASP_LOG_REASON,              /* FaspReason */
  FASP_LOG_ADDRESS,             /* FASP_LOG_POINTER() to a FaspAddress; one an event */
  FASP_LOG_TEXT,                /* FASP_LOG_POINTER() to a text; one an event */
} FaspLogType;

typedef struct
{
  const gchar *name;
  FaspLogType type;
} FaspLogField;

typedef struct
{
  const gchar *name;
  FaspLogField fields[FASP_LOG_FIELDS + 1];
} FaspLogKind;

const FaspLogKind *fasp_log_get_kind (FaspLogEvent event);

G_END_DECLS
