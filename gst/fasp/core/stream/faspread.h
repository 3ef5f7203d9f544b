/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspread.h: what a receiver gives to its reader: a block at a time, and what it knows of the
 * sender.  An endpoint fills both in; a merge of several sources takes both.
 */
#pragma once

#include "faspposition.h"

G_BEGIN_DECLS

/* What was read. */
typedef struct
{
  FaspBlock *block;        /* the reader owns a reference */
  guint32 session;         /* that it came in */
  FaspStreamOffset behind; /* of the byte behind it; a header or an end has that of the block
                              before */
  FaspTime arrival;        /* on the `now' clock, µs: when to play it, less the latency that the
                            * session began with.  That is the time it would have arrived on a
                            * path without loss. */
  FaspTime ready;          /* it could not be read before: its last byte came then, or the reader
                            * found nothing then.  One that was busy reads it later. */
} FaspRead;

/* What a receiver knows of its sender. */
typedef struct
{
  gboolean is_connected; /* it is, and was heard lately, or there is something to be read */
  guint32 session;       /* another value each time that it connects anew; 0: it never has */
  FaspTime heard;        /* when anything last came from it */
  FaspTime rtt;          /* µs; 0: not known */
  FaspTime latency;      /* in force, µs; 0: none, or not known */
  guint64 promised;      /* expected seconds between skips; 0: not known */
  guint64 peer;          /* the same number for the same key; of a sender without one, for the same
                            address that is called, or network that calls; 0: none is connected */
} FaspSourceState;

G_END_DECLS
