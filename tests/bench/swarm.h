/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * swarm.h: one of many receivers of cbrsource's records.
 */
#pragma once

#include "cbrrecord.h"
#include "faspendpoint.h"
#include "faspheap.h"

typedef enum
{
  GOOD,
  LOSSY,
  STALLED,
  VANISHED,
  KINDS,
} Kind;

typedef struct
{
  Kind kind;
  gint number;
  gint fd;                /* -1: gone */
  FaspEndpoint *endpoint; /* NULL: not fasp */
  FaspHeapItem due;
  gboolean connected, ended;
  /* of the records */
  guint8 part[CBR_RECORD];
  guint have;
  gboolean found; /* where records begin */
  guint64 next, records, missing, damaged;
  /* of the pace */
  gint64 last;   /* ns */
  gdouble ahead; /* bytes, of the rate */
  gdouble burst; /* the most of that */
} Receiver;

/* Bytes of the stream. */
void swarm_take (Receiver *r, const guint8 *data, gsize size, gint64 now);

/* @n receivers by libsrt, live mode, until @end. FALSE: it does not take so many; it
 * has said why. */
gboolean swarm_srt (Receiver *all, gint n, const gchar *host, gint port, gint64 end);
