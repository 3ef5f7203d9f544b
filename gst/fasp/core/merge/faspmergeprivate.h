/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmergeprivate.h: the state of a merge, which its files share.
 */
#pragma once

#include "faspanchors.h"
#include "faspmerge.h"

G_BEGIN_DECLS

#define FASP_MERGE_NONE G_MAXUINT
/* How long an outage takes to be one (faspsession.h): a source that was asked to send is needed for
 * so long at least. */
#define FASP_MERGE_OUTAGE (2 * FASP_SEC)

/* Two sources with different origins that once had the same bytes, and then did not. */
typedef struct
{
  FaspTime until; /* when their bytes are compared again; 0: they have not differed */
  FaspTime span;  /* for how long they have been kept apart last, µs */
  gint64 shift;   /* by which they were aligned before */
} FaspApart;

/* A peer that has lied: it named the stream's origin, and its bytes differed. */
typedef struct
{
  guint64 peer;   /* FaspSourceState; 0: none */
  FaspTime until; /* until when it is kept out; 0: it is not */
  FaspTime span;  /* for how long it was kept out last, µs */
} FaspLiar;

/* The number of liars that are remembered; those that are kept out for longest stay.  Only a peer
 * with the key that has brought PROVEN right bytes can become one. */
#define FASP_LIARS 16

/* What a source does, and why it changes.  Only fasp_merge_become() changes it.
 *
 *  from \ to | IDLE         SENDING             STANDBY         BACKUP            ACTIVE
 *  ----------+--------------------------------------------------------------------------------
 *  IDLE      |              a session begins                                     it leads
 *  SENDING   | session ends another one begins  has the stream  led until now    it leads
 *  STANDBY   | session ends another one begins,                 the leader fails it leads
 *            |              or its place is lost
 *  BACKUP    | session ends another one begins  is not needed                    it leads
 *  ACTIVE    | another source leads: SENDING with a session, else IDLE
 *
 * Only with FASP_REDUNDANCY_STANDBY does a source stand by.  A leader that fails stays ACTIVE until
 * another source leads. */
typedef enum
{
  FASP_SOURCE_IDLE,    /* it has no session */
  FASP_SOURCE_SENDING, /* it is to send beside the leader */
  FASP_SOURCE_STANDBY, /* it is to send nothing */
  FASP_SOURCE_BACKUP,  /* it was asked to send until the leader has shown that it does not fail */
  FASP_SOURCE_ACTIVE,  /* it leads */
} FaspSourceRole;

/* What is known of a source's bytes.  A session begins UNPROVEN or KEPT_OUT. */
typedef enum
{
  FASP_TRUST_UNPROVEN,
  FASP_TRUST_PROVEN,   /* they were the stream's, long enough */
  FASP_TRUST_DIFFERS,  /* they were said to be the stream's, and are others; until it leads */
  FASP_TRUST_KEPT_OUT, /* as those of its peer's session before; for a while, or until it leads */
} FaspTrust;

/* A source.  Changed by faspmerge.c; what follows `state', by faspmergeroles.c; but `trust' by all
 * files that compare or place its bytes. */
typedef struct
{
  FaspRead held;     /* its next block, that was put in and not taken yet; block is NULL: none */
  gboolean has_keys; /* its blocks say where key frames begin */
  FaspTime delay;    /* from media time to the time at which its blocks would be played, less the
                        latency; FASP_NEVER: not known */
  FaspTime shift;    /* to be added to its media times; FASP_NEVER: not known */
  FaspTime put;      /* when it last brought something */
  FaspTime alone; /* since when it has brought bytes, and the leader none; FASP_NEVER: it has not */
  guint64 same;   /* bytes of it that were compared, and are the stream's */
  FaspSourceStats stats;

  /* changed by faspalign.c */
  FaspOrigin origin;       /* of what it brought last */
  FaspAnchors *anchors;    /* while its place in the stream is looked for; owned */
  guint64 searched;        /* bytes of it that were looked at for that */
  FaspAlignment alignment; /* of its offsets, if it counts the stream from another beginning */
  FaspTime placed;         /* when that became known */

  FaspApart apart[FASP_SOURCES_MAX]; /* from each other one; changed by faspmergetrust.c */

  FaspSourceState state;
  FaspSourceRole role;
  FaspTrust trust;
  FaspTime late;    /* when it last was too late; 0: never */
  FaspTime joined;  /* when its session began */
  gboolean resumes; /* it stood by, and has brought nothing since */
  FaspTime asked;   /* when its session began, or it was last asked to send or to lead: blocks that
                       were written before may come late */
  guint64 helped;   /* bytes_filled of it at that time */
} FaspSource;

struct _FaspMerge
{
  FaspRedundancy redundancy;
  guint n;
  FaspSource sources[FASP_SOURCES_MAX];
  guint leader;   /* FASP_MERGE_NONE: there is none yet */
  gboolean ended; /* the end of the stream was taken last: that of other sources is no news */
  FaspRecent recent;
  FaspLiar liars[FASP_LIARS]; /* changed by faspmergeliars.c */
  FaspAnchors *anchors;       /* of what was taken, while a source is searched for in it; owned */
  gboolean has_begun;         /* anything was taken */
  FaspStreamOffset next;      /* behind what was taken */
  FaspTime delay;  /* from media time to when a block is played, less the latency; FASP_NEVER: not
                      known */
  FaspTime shift;  /* of sources with the stream's origin, up to whole wraps of the media time */
  FaspTime slewed; /* when the delay was last moved */
  FaspTime due;    /* when the block that was taken last is played, less the latency */
  FaspTime last_media;      /* its media time */
  FaspTime gap;             /* between blocks with different media times, smoothed */
  FaspTime led;             /* since when the leader leads */
  guint preferred;          /* the source that is to lead when it can */
  FaspTime wait_to_restore; /* how long it has to be good first, µs; 0: for ever */
  FaspTime good_since;      /* since when it has been; changed by faspmergerestore.c */
  gboolean is_wanted;  /* it was asked for, whatever it brings; until something of it is taken */
  gboolean is_spliced; /* bytes that were taken are not the leader's: the next ones do not follow */
  GQueue events;       /* FaspMergeEvent, owned */
};

/* Table of FaspSourceRole: does @to follow @from? */
gboolean fasp_merge_may_become (FaspSourceRole from, FaspSourceRole to);
void fasp_merge_become (FaspSource *source, FaspSourceRole role);

static inline gboolean
fasp_merge_is_leader (const FaspMerge *merge, const FaspSource *source)
{
  return merge->leader != FASP_MERGE_NONE && source == &merge->sources[merge->leader];
}

/* Are these bytes of the stream, and not its header or end? */
static inline gboolean
fasp_merge_has_payload (const FaspRead *read)
{
  return (read->block->flags & (FASP_BLOCK_HEADER | FASP_BLOCK_EOS)) == 0;
}

static inline gboolean
fasp_merge_holds (const FaspSource *source)
{
  return source->held.block != NULL;
}

static inline gboolean
fasp_merge_holds_end (const FaspSource *source)
{
  return fasp_merge_holds (source) && (source->held.block->flags & FASP_BLOCK_EOS) != 0;
}

/* Lets go of what it holds. */
static inline void
fasp_merge_drop (FaspSource *source)
{
  g_clear_pointer (&source->held.block, fasp_block_unref);
}

/* How the bytes that it holds follow what was taken.  FASP_STREAM_OFFSET_ANEW with 0 *bytes: they
 * are of another stream, or it holds none. */
static inline FaspStreamOffsetOrder
fasp_merge_compare_held (const FaspMerge *merge, const FaspSource *source, guint64 *bytes)
{
  FaspStreamOffset first = source->held.behind;

  *bytes = 0;
  if (!fasp_merge_holds (source) || !fasp_merge_has_payload (&source->held))
    return FASP_STREAM_OFFSET_ANEW;
  first.offset = source->held.block->offset;
  return fasp_stream_offset_compare (&merge->next, &first, source->held.block->size, bytes);
}

/* When the block is played that it holds. */
static inline FaspTime
fasp_merge_get_play_time (const FaspMerge *merge, const FaspSource *source)
{
  return source->held.block->media_time + merge->delay + source->state.latency;
}

/* Is nothing of it taken? */
static inline gboolean
fasp_merge_differs (const FaspSource *source)
{
  return source->trust >= FASP_TRUST_DIFFERS;
}

/* May bytes be taken from it? */
static inline gboolean
fasp_merge_is_trusted (const FaspSource *source)
{
  return source->role == FASP_SOURCE_ACTIVE || source->trust == FASP_TRUST_PROVEN;
}

/* Does the source count its bytes from another origin than the stream? */
gboolean fasp_merge_is_foreign (const FaspMerge *merge, const FaspSource *source);
/* Has it another origin than the leader?  Then only its bytes show where in the stream it is. */
static inline gboolean
fasp_merge_is_of_other_origin (const FaspMerge *merge, const FaspSource *source)
{
  return merge->leader != FASP_MERGE_NONE
      && !fasp_origin_equal (&source->origin, &merge->sources[merge->leader].origin);
}

/* Did the source differ from the leader so lately that it is not compared with the stream? */
static inline gboolean
fasp_merge_is_apart (const FaspMerge *merge, FaspTime now, const FaspSource *source)
{
  return now < source->apart[merge->leader].until;
}

/* Gives what the source holds its place in the stream.  FALSE: that is not known (yet). */
gboolean fasp_merge_align (FaspMerge *merge, FaspTime now, FaspSource *source);
/* The same for a place in the stream, the other way round. */
FaspStreamOffset fasp_merge_get_foreign (const FaspMerge *merge, const FaspSource *source,
    guint64 offset);
/* Its place has to be looked for (again). */
void fasp_merge_lose_place (FaspMerge *merge, FaspSource *source);
/* The stream of @source follows: no other one has a place in that. */
void fasp_merge_begin_anew (FaspMerge *merge, FaspSource *source);
/* A block was taken: other sources may have the same bytes at another stream offset. */
void fasp_merge_note_anchors (FaspMerge *merge, const FaspBlock *block);

/* The reader has @size bytes of the block: are they the same?  If they differ, the source that is
 * not the leader is wrong.  If neither leads, it is not known which one is wrong, so both stay
 * trusted.  FALSE: a source is not trusted any more. */
gboolean fasp_merge_compare (FaspMerge *merge, FaspTime now, FaspSource *source,
    const FaspBlock *block, guint32 size);
/* The bytes of @peer were wrong. */
void fasp_merge_remember_liar (FaspMerge *merge, FaspTime now, guint64 peer);
/* Another session of the source begins: is its peer kept out as a liar? */
gboolean fasp_merge_is_liar (const FaspMerge *merge, FaspTime now, const FaspSource *source);
/* It leads: its bytes are the stream. */
void fasp_merge_forgive (FaspMerge *merge, const FaspSource *source);
/* It has another stream from now on. */
void fasp_merge_forget_apart (FaspMerge *merge, FaspSource *source);

void fasp_merge_notify (FaspMerge *merge, FaspMergeEventType type, const FaspSource *source,
    const gchar *reason);
/* The source has brought a block; @repeated: the reader has its bytes.  The block is late if it
 * could not be read in time, not if the reader took it late. */
void fasp_merge_judge (FaspMerge *merge, FaspSource *source, const FaspRead *read,
    gboolean repeated);
/* If the leader is gone, and nothing of it is left, another one leads.  FALSE: it is there. */
gboolean fasp_merge_succeed (FaspMerge *merge, FaspTime now);
/* The time that it takes to get something from a source that was not to send it, and once more if
 * it is lost; half of the latency at most. */
FaspTime fasp_merge_get_margin (const FaspSource *source);
/* When the leader should have brought what @other holds, even if that was lost. */
FaspTime fasp_merge_get_overdue_time (const FaspMerge *merge, const FaspSource *other);
/* When all that was taken has been played. */
FaspTime fasp_merge_get_dry_time (const FaspMerge *merge);
/* Looks whether the source that is preferred is good now. */
void fasp_merge_note_good (FaspMerge *merge, FaspTime now);
/* When that source is to lead again; FASP_NEVER: not by itself. */
FaspTime fasp_merge_get_restore_time (const FaspMerge *merge);
/* @source leads from now on. */
void fasp_merge_lead (FaspMerge *merge, FaspTime now, FaspSource *source, const gchar *reason);
/* Another one leads, if any can; @trusted: that has the same stream.  FALSE: there is none. */
gboolean fasp_merge_lead_on (FaspMerge *merge, FaspTime now, gboolean trusted, const gchar *reason);

G_END_DECLS
