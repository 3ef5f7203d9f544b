/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcapture.h: when the bytes of a stream were captured, by a wall clock that several machines
 * follow.
 *
 * It is told in marks, as the capture time that belongs to the mark's media time.  Wall clock and
 * media clock run at nearly the same rate, so the blocks behind a mark have
 *
 *     capture time = the mark's + (media time - the mark's)
 *
 * until the next mark.  It is no part of the bytes of the stream.
 */
#pragma once

#include "faspposition.h"

G_BEGIN_DECLS

/* What a wall clock follows. */
typedef enum
{
  FASP_TIME_NONE = 0, /* nothing that is known: it may be wrong by any amount */
  FASP_TIME_NTP = 1,
  FASP_TIME_PTP = 2,
} FaspTimeSource;

#define FASP_TIME_SOURCES (FASP_TIME_PTP + 1)
#define FASP_TIME_ERROR_UNKNOWN G_MAXUINT32

typedef struct
{
  FaspTime time;   /* µs since 1970-01-01 00:00:00 of its scale */
  guint32 error;   /* bound of the clock's error, µs; FASP_TIME_ERROR_UNKNOWN */
  guint8 source;   /* a FaspTimeSource */
  gboolean is_tai; /* the scale: TAI; else UTC */
  gboolean known;  /* FALSE: the capture time is not known, and the rest has no meaning */
} FaspCapture;

/* Times come from the network; a later one, after the year 2112, is not valid. In ns, it and what a
 * mark is extrapolated by fit into 63 bits. */
#define FASP_CAPTURE_MAX ((FaspTime) 1 << 52)

/* kind (1), scale (1), source (1), error (4), time (8) */
#define FASP_CAPTURE_MARK 15

/* A receiver forgets a mark when its media time is this far away, as the clocks drift apart, and
 * either may have been set. */
#define FASP_CAPTURE_HOLDS (10 * FASP_SEC)

/* Also writes that the capture time is not known. */
void fasp_capture_write (guint8 mark[FASP_CAPTURE_MARK], const FaspCapture *capture);

/* A receiver's knowledge of one session.  All zeros: it knows nothing yet. */
typedef struct
{
  FaspCapture at;    /* as the last mark said */
  FaspTime media;    /* media time of that mark, µs */
  FaspOrigin origin; /* the stream it is of */
} FaspCaptureMap;

/* Takes the next mark in order, which is of the stream at @position.  Other kinds are ignored. */
void fasp_capture_map_take (FaspCaptureMap *map, const FaspBlock *mark,
    const FaspStreamOffset *position);
/* The capture time of a block with this media time and position. */
FaspCapture fasp_capture_map_get (const FaspCaptureMap *map, const FaspStreamOffset *position,
    FaspTime media);

G_END_DECLS
