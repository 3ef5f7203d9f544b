/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnotes.h: records of a stream for analysis.  An endpoint owns its notes; a session's notes are
 * the endpoint's trace and a log of the session's own.
 */
#pragma once

#include "fasplog.h"
#include "fasptrace.h"

G_BEGIN_DECLS

typedef struct
{
  FaspTrace *trace; /* datagrams sent or received; never NULL */
  FaspLog *log;     /* decisions; NULL: nothing is logged */
} FaspNotes;

G_END_DECLS
