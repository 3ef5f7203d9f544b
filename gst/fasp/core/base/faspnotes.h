/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnotes.h: what is noted for whoever looks at a stream from outside.  An endpoint owns
 * its notes; those of a session are the endpoint's trace and a log of its own.
 */
#pragma once

#include "fasplog.h"
#include "fasptrace.h"

G_BEGIN_DECLS

typedef struct
{
  FaspTrace *trace; /* what left or arrived; never NULL */
  FaspLog *log;     /* what was decided; NULL: nothing is logged */
} FaspNotes;

G_END_DECLS
