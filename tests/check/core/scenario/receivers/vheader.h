/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vheader.h: a stream with a header, in virtual time, through a relay as faspsrc ! faspsink is one.
 *
 * A stream is of units, a third of a second each, of which some can be decoded without what
 * was before. Whatever is lost, who joins reads the header and then the stream from one of
 * those on.
 */
#pragma once

#include "vcast.h"

G_BEGIN_DECLS

#define VHEADER_UNIT (FASP_SEC / 3)
#define VHEADER_UNIT_SIZE 30000
#define VHEADER_STEP (5 * FASP_MSEC)

typedef struct
{
  GBytes *header;         /* of the stream, by now; not owned */
  guint units, key_every; /* units so far; one of so many can be decoded alone */
  guint64 written;        /* of this unit and those before */
  GHashTable *entries;    /* offsets at which one that can begins */
} VHeaderSource;

typedef struct
{
  FaspEndpoint *in, *out;
  gboolean enters;
} VHeaderRelay;

typedef struct
{
  Vnet *net;
  FaspEndpointConfig config; /* of a sender that begins from now on, and of a relay's */
  FaspEndpoint *sender, *reader;
  VHeaderSource source;
  VHeaderRelay relay;
  GBytes *got; /* the header that came before the first byte */
  guint headers, enters;
  guint64 first, next; /* offsets */
  gboolean gaps;       /* bytes may be missing */
} VHeader;

VHeader *vheader_new (guint32 seed, gsize header_size, guint key_every);
void vheader_free (VHeader *sim);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VHeader, vheader_free)
/* Makes a receiver at @from that calls @to. */
FaspEndpoint *vheader_dial (VHeader *sim, VnetSide from, VnetSide to, FaspJoin join);
/* Reads what the reader has, and checks it. */
void vheader_read_stream (VHeader *sim, FaspTime now);
void vheader_run (VHeader *sim, FaspTime span);
/* Sets both directions of the path between two nodes. */
void vheader_wire (VHeader *sim, VnetSide a, VnetSide b, gdouble loss);
/* The reader got the header once, and then the stream from a unit on that can be decoded alone. */
void vheader_assert_entered (VHeader *sim);
/* A sender at A that knows its header, and a path from there to B. */
void vheader_begin (VHeader *sim, gdouble loss);
/* The same, and it knows no header yet. */
void vheader_begin_without (VHeader *sim, gdouble loss);
/* The reader joins, at B. */
void vheader_join (VHeader *sim);
/* So much of what A sends to B is lost for @span, and nothing any more. */
void vheader_run_lossy (VHeader *sim, gdouble loss, FaspTime span);

G_END_DECLS
