/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * wpingdb.h: what fasp-wping has seen, into SQLite, by a thread of its own: the
 * disk must not be in the times that are measured.
 *
 *   run     run | started (Unix time, µs) | target | sizes | counts | rate (bit/s)
 *   packet  run | time (µs since the start) | burst | size | count | idx | rtt (µs;
 *           NULL: no answer)
 */
#pragma once

#include <glib.h>

typedef struct _WpingDb WpingDb;

/* A burst, when all has come back or is given up. */
typedef struct
{
  gint64 time;                  /* of sending, µs since the start */
  guint32 number;
  guint16 size, count;
  gint64 rtt[];                 /* µs; -1: none */
} WpingBurst;

/* NULL and *error: a sentence, to be freed. */
WpingDb *wping_db_open (const gchar * path, const gchar * target,
    const gchar * sizes, const gchar * counts, guint64 rate, gchar ** error);
/* Takes the burst. */
void wping_db_add (WpingDb * db, WpingBurst * burst);
/* Waits until all is written. FALSE and *error: something was not. */
gboolean wping_db_close (WpingDb * db, gchar ** error);
