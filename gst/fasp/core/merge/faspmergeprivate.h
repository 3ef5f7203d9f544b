/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmergeprivate.h: the state of a merge, which its files share.
 */
#pragma once

#include "faspanchors.h"
#include "faspmerge.h"

G_BEGIN_DECLS

#define FASP_MERGE_NONE G_MAXUINT
/* The least length of an outage (faspsession.h): a source that was asked to send is needed for at
 * least this long. */
#define FASP_MERGE_OUTAGE (2 * FASP_SEC)

/* Two sources with different origins that once had the same bytes, and then did not. */
typedef struct
{
  FaspTime until; /* the two sources are not compared before this time; 0: they have not differed */
  FaspTime span;  /* how long they were kept apart the last time, µs */
  gint64 shift;   /* the alignment with which they differed */
} FaspApart;

/* A peer that has lied: it named the stream's origin, and its bytes differed. */
typedef struct
{
  guint64 peer;   /* as in FaspSourceState; 0: the entry is free */
  FaspTime until; /* until when the peer is kept out; 0: it is not */
  FaspTime span;  /* how long it was kept out the last time, µs */
} FaspLiar;

/* The number of liars that are remembered; those that are kept out for longest stay.  Only a peer
 * with the key that has brought PROVEN right bytes can become one. */
#define FASP_LIARS 16

/* The role of a source. Only fasp_merge_become() changes it; the table gives the cause of each
 * change.
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
  FASP_SOURCE_IDLE,    /* the source has no session */
  FASP_SOURCE_SENDING, /* the source is to send beside the leader */
  FASP_SOURCE_STANDBY, /* the source is to send nothing */
  FASP_SOURCE_BACKUP,  /* the source was asked to send until the leader has shown that it does not
                          fail */
  FASP_SOURCE_ACTIVE,  /* the source leads */
} FaspSourceRole;

/* What is known of a source's bytes.  A session begins UNPROVEN or KEPT_OUT. */
typedef enum
{
  FASP_TRUST_UNPROVEN,
  FASP_TRUST_PROVEN,   /* enough of its bytes were those of the stream */
  FASP_TRUST_DIFFERS,  /* the source's bytes have the stream's origin but are not those of the
                          stream; until it leads */
  FASP_TRUST_KEPT_OUT, /* an earlier session of the source's peer brought wrong bytes; for a while,
                          or until it leads */
} FaspTrust;

/* A source. Changed by faspmerge.c, unless a comment names another file; the members after `state',
 * by faspmergeroles.c; `trust' by all files that compare or place its bytes. */
typedef struct
{
  FaspRead held; /* the source's next block, put in and not taken yet; held.block is NULL: none */
  gboolean has_keys; /* the source's blocks say where key frames begin */
  FaspTime delay;    /* from a block's media time to its play time by this source alone, less the
                        latency; FASP_NEVER: not known */
  FaspTime shift;    /* added to its media times to get those of the stream; FASP_NEVER: not
                        known */
  FaspTime put;      /* when its last block was put in */
  FaspTime alone; /* when it first brought bytes after the leader's last; FASP_NEVER: the leader's
                     were last */
  guint64 same;   /* the source's bytes that were compared and are those of the stream */
  FaspSourceStats stats;

  /* changed by faspalign.c */
  FaspOrigin origin;       /* origin of its last block */
  FaspAnchors *anchors;    /* anchors of its bytes while its position is searched for; owned */
  guint64 searched;        /* bytes of the source that this search has covered */
  FaspAlignment alignment; /* of its offsets with the stream's, if the source has another origin
                              than the stream */
  FaspTime placed;         /* when the alignment became known */

  FaspApart apart[FASP_SOURCES_MAX]; /* indexed by the other source; changed by faspmergetrust.c */

  FaspSourceState state;
  FaspSourceRole role;
  FaspTrust trust;
  FaspTime late;    /* when it last was late; 0: never */
  FaspTime joined;  /* when its session began */
  gboolean resumes; /* the source stood by, and has brought nothing since */
  FaspTime asked;   /* when its session began, or it was last asked to send or to lead: blocks that
                       were written before may come late */
  guint64 helped;   /* bytes_filled when `asked' was set */
} FaspSource;

struct _FaspMerge
{
  FaspRedundancy redundancy;
  guint n;
  FaspSource sources[FASP_SOURCES_MAX];
  guint leader;   /* FASP_MERGE_NONE: there is none yet */
  gboolean ended; /* the end of the stream was taken, so the ends that other sources hold are
                     dropped */
  FaspRecent recent;
  FaspLiar liars[FASP_LIARS]; /* changed by faspmergeliars.c */
  FaspAnchors *anchors;  /* anchors of the stream, while the position of a source in it is searched
                            for; owned */
  gboolean has_begun;    /* at least one block of the stream was taken */
  FaspStreamOffset next; /* the offset behind the last byte taken */
  FaspTime delay;  /* from a block's media time to its play time, less the latency; FASP_NEVER: not
                      known */
  FaspTime shift;  /* the sources' shift, if they have the stream's origin; it may differ by whole
                      wraps */
  FaspTime slewed; /* when the delay was last moved */
  FaspTime due;    /* play time of the last block taken, less the latency */
  FaspTime last_media;      /* media time of the last block taken */
  FaspTime gap;             /* between blocks with different media times, smoothed */
  FaspTime led;             /* since when the leader leads */
  guint preferred;          /* the source that is to lead when it can */
  FaspTime wait_to_restore; /* how long `preferred' must have been good before it leads again, µs;
                               0: it leads only when asked */
  FaspTime good_since; /* since when `preferred' has been good; changed by faspmergerestore.c */
  gboolean is_wanted; /* the application asked for this leader: the leader's stream is taken even if
                         it is another one; FALSE again once a block of that stream is taken */
  gboolean is_spliced; /* wrong bytes were taken from another source, so the leader's next block
                          does not follow */
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

/* Does the block hold payload, rather than the stream's header or end? */
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

static inline void
fasp_merge_drop (FaspSource *source)
{
  g_clear_pointer (&source->held.block, fasp_block_unref);
}

/* How the held block follows the stream. FASP_STREAM_OFFSET_ANEW: if *bytes is 0, it is of another
 * stream, or there is none; else this many bytes are missing before it. */
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

/* The play time of the held block. */
static inline FaspTime
fasp_merge_get_play_time (const FaspMerge *merge, const FaspSource *source)
{
  return source->held.block->media_time + merge->delay + source->state.latency;
}

/* Did the source bring wrong bytes, so that none are taken from it? */
static inline gboolean
fasp_merge_differs (const FaspSource *source)
{
  return source->trust >= FASP_TRUST_DIFFERS;
}

/* May bytes be taken from the source? */
static inline gboolean
fasp_merge_is_trusted (const FaspSource *source)
{
  return source->role == FASP_SOURCE_ACTIVE || source->trust == FASP_TRUST_PROVEN;
}

/* Has the source another origin than the stream? */
gboolean fasp_merge_is_foreign (const FaspMerge *merge, const FaspSource *source);
/* Has the source another origin than the leader? Then its position in the stream is found by
 * comparing bytes. */
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

/* Converts the offset of the held block to the stream's. FALSE: the alignment is not known
 * (yet). */
gboolean fasp_merge_align (FaspMerge *merge, FaspTime now, FaspSource *source);
/* Converts an offset in the stream to one of the source; not `known' without an alignment. */
FaspStreamOffset fasp_merge_get_foreign (const FaspMerge *merge, const FaspSource *source,
    guint64 offset);
/* Forgets the alignment of the source, so that it is searched for (again). */
void fasp_merge_lose_place (FaspMerge *merge, FaspSource *source);
/* The stream of @source follows this one. Forgets the alignment of all other sources. */
void fasp_merge_begin_anew (FaspMerge *merge, FaspSource *source);
/* A block was taken. While a source is searched for in the stream, stores its anchors. */
void fasp_merge_note_anchors (FaspMerge *merge, const FaspBlock *block);

/* The reader has @size bytes of the block: are they the same?  If they differ, the source that is
 * not the leader is wrong.  If neither leads, it is not known which one is wrong, so both stay
 * trusted.  FALSE: a source is not trusted any more. */
gboolean fasp_merge_compare (FaspMerge *merge, FaspTime now, FaspSource *source,
    const FaspBlock *block, guint32 size);
/* Keeps @peer out for a while, as its bytes were wrong. */
void fasp_merge_remember_liar (FaspMerge *merge, FaspTime now, guint64 peer);
/* Another session of the source begins: is its peer kept out as a liar? */
gboolean fasp_merge_is_liar (const FaspMerge *merge, FaspTime now, const FaspSource *source);
/* The source leads now, so its bytes are the stream: its peer is kept out no longer. */
void fasp_merge_forgive (FaspMerge *merge, const FaspSource *source);
/* The source has another origin from now on. Forgets which others it differed from. */
void fasp_merge_forget_apart (FaspMerge *merge, FaspSource *source);

void fasp_merge_notify (FaspMerge *merge, FaspMergeEventType type, const FaspSource *source,
    const gchar *reason);
/* The source has brought a block; @repeated: the reader has its bytes.  The block is late if it
 * could not be read in time, not if the reader took it late. */
void fasp_merge_judge (FaspMerge *merge, FaspSource *source, const FaspRead *read,
    gboolean repeated);
/* If the leader is gone and holds no block, another source leads. FALSE: the leader stays. */
gboolean fasp_merge_succeed (FaspMerge *merge, FaspTime now);
/* The time to get a block from a source that stood by, and to have it retransmitted once; half of
 * the latency at most. */
FaspTime fasp_merge_get_margin (const FaspSource *source);
/* When the leader should have brought the block that @other holds, even after a retransmission. */
FaspTime fasp_merge_get_overdue_time (const FaspMerge *merge, const FaspSource *other);
/* When the reader will have played all that was taken. */
FaspTime fasp_merge_get_dry_time (const FaspMerge *merge);
/* Updates since when the preferred source has been good. */
void fasp_merge_note_good (FaspMerge *merge, FaspTime now);
/* When the preferred source leads again; FASP_NEVER: not by itself. */
FaspTime fasp_merge_get_restore_time (const FaspMerge *merge);
void fasp_merge_lead (FaspMerge *merge, FaspTime now, FaspSource *source, const gchar *reason);
/* Another source leads, if any can; @trusted: only one that is known to have the same stream.
 * FALSE: there is none. */
gboolean fasp_merge_lead_on (FaspMerge *merge, FaspTime now, gboolean trusted, const gchar *reason);

G_END_DECLS
