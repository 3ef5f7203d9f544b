/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vstream.h: a stream from A to B over a vnet, at a constant rate or in pictures,
 * checked byte for byte.
 */
#pragma once

#include "vnet.h"

G_BEGIN_DECLS

/* Another @size bytes have been read. */
typedef void (*VstreamRead) (gpointer data, guint32 size, FaspTime now);

typedef struct
{
  guint64 bitrate; /* of the stream, bit/s */
  guint64 channel; /* max_bitrate, bit/s */
  gdouble key;     /* of an encoder's 50 pictures per second, the
                      first is this many times as large; 0: an even
                      source */
  guint32 chunk;   /* bytes per write */
  FaspTime duration;
  FaspTime lead;           /* time for the connection before the first byte */
  gboolean receiver_calls; /* else the sender does */
  guint flows;             /* 0: one */
  FaspAssignment assignment;
  gboolean reader_stops;       /* reads nothing from stop_from to stop_to */
  FaspTime stop_from, stop_to; /* since the start; µs */
  FaspTime limit;              /* give up this long after the last byte */
  VstreamRead on_read;         /* or NULL */
  gpointer data;
  FaspEndpointConfig sender, receiver; /* mode, rate and flows follow from what is above */
} VstreamConfig;

typedef struct
{
  Vnet *net;
  FaspEndpoint *sender, *receiver;
  VstreamConfig config;
  FaspTime started;
  guint64 written, read;
  guint64 writes, blocked_writes;
  gboolean wrong;   /* a byte was wrong */
  gboolean eos;     /* B has seen the end */
  gboolean drained; /* A knows that B has all */
  guint discontinuities;
  guint shortfalls;                        /* A was told that its promise falls short */
  FaspTime last_shift, max_jump;           /* play time minus media time, and its largest step */
  guint events[FASP_EVENT_REMOVED + 1][2]; /* by type and side */
  FaspEvent outage[2];                     /* the newest about one of several flows, by side */
  FaspTime last_read;                      /* when the newest byte was read */
  FaspSessionStats sender_stats, receiver_stats; /* latest */
  gsize max_buffer[2];                           /* most bytes held, by side */
} Vstream;

void vstream_config_init (VstreamConfig *config);
/* The name of a controller; FALSE: there is none. */
gboolean vstream_parse_rate_control (const gchar *name, FaspRateControl *control);
/* Bytes of the stream that are made by @since after the start. */
guint64 vstream_get_made (const VstreamConfig *config, FaspTime since);
/* Makes both endpoints, at A and B. */
Vstream *vstream_new (Vnet *net, const VstreamConfig *config);
void vstream_free (Vstream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Vstream, vstream_free)
/* Runs until the stream has ended on both sides, or the limit. TRUE: every byte
 * arrived, in order, and both sides know. */
gboolean vstream_run (Vstream *stream);
/* Has every byte so far arrived in order? */
gboolean vstream_is_right (const Vstream *stream);
/* Runs until @duration after the start. */
void vstream_run_until (Vstream *stream, FaspTime duration);

G_END_DECLS
