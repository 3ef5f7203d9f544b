/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspread.h: the interface of a receiver to its reader: a block at a time, and the state of the
 * sender.  An endpoint fills in both; a merge of several sources reads both.
 */
#pragma once

#include "faspcapture.h"

G_BEGIN_DECLS

/* A block that was read. */
typedef struct
{
  FaspBlock *block;        /* the reader owns a reference */
  guint32 session;         /* session in which the block came */
  FaspStreamOffset behind; /* offset behind the block; for a header or an end, the offset behind the
                              block before */
  FaspTime arrival;        /* on the `now' clock, µs: when to play the block, less the session's
                              latency at the beginning.  It is the time of its arrival on a path
                              without loss. */
  FaspTime ready;          /* earliest time at which the block could be read: its last byte arrived,
                              or the reader found no block before.  A busy reader reads it later. */
  FaspCapture capture;     /* when it was captured, as the sender of the session said */
} FaspRead;

/* The state of a receiver's sender. */
typedef struct
{
  gboolean is_connected; /* the sender is connected and was heard recently, or there are blocks to
                            be read */
  guint32 session;       /* another value for each connection; 0: there is none now */
  FaspTime heard;        /* when the last datagram came from it */
  FaspTime rtt;          /* µs; 0: not known */
  FaspTime latency;      /* latency in force, µs; 0: none, or not known */
  guint64 promised;      /* expected seconds between skips; 0: not known */
  guint64 peer;          /* identifies the sender by its key; without one, by the address called or
                            the caller's network; 0: no sender is connected */
} FaspSourceState;

G_END_DECLS
