/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaybranch.h: one end of a stream that runs: its element, linked to the stream's tee.
 *
 * An output has a pad of the tee.  When that is released, whatever the element still returns to the
 * tee does not count: so an output that fails, or is closed, ends neither the input nor the
 * others.
 *
 *     OPENING --> OPEN --> CLOSING
 *     OPENING --> GIVEN_UP --> CLOSING
 *     OPENING --> CLOSING
 */
#pragma once

#include "relayconfig.h"
#include "relaystate.h"

G_BEGIN_DECLS

typedef enum
{
  RELAY_BRANCH_OPENING,  /* its element starts */
  RELAY_BRANCH_GIVEN_UP, /* its element starts, and is stopped as soon as it has */
  RELAY_BRANCH_OPEN,     /* its element plays if the stream does */
  RELAY_BRANCH_CLOSING,  /* its element stops */
  RELAY_BRANCH_STATES,
} RelayBranchState;

/* Shared with the element's threads. */
typedef struct
{
  gint users;     /* atomic */
  guint id;       /* of its RelayEnd; 0: the input */
  guint64 serial; /* number of the branch in this process, from 1 */
  GstElement *element;
  gchar *stream;          /* its name */
  gchar *uri;             /* without secrets */
  GPtrArray *allowed;     /* from where it may be called (relayallowed.h); NULL: from everywhere */
  gint *require_streamid; /* the stream's, which outlives this; atomic */
  gint asked;             /* has it asked about callers? atomic */
  gint state;             /* RelayBranchState; set in the main context; atomic */
  gboolean failed; /* it has posted an error; this and the next are used in the main context only */
  gint64 since;    /* when it was opened: g_get_monotonic_time, µs */
  GMutex lock;     /* guards the rest */
  guint64 mute;    /* callers refused as they gave no streamid, or for their address */
  GstPad *pad;     /* the tee's, of an output; NULL: not linked */
} RelayBranch;

typedef struct
{
  guint id;
  guint64 serial; /* of the branch; 0: there is none */
  RelayState state;
  gchar *uri;          /* as it is configured, without secrets */
  guint64 refused;     /* callers, because of their streamid */
  GstStructure *stats; /* NULL: there is no element */
} RelayEndStats;

/* To be called in the main context. */
/* @stream: the name of its stream; @name: of the element. */
RelayBranch *relay_branch_new (const RelayEnd *end, const gchar *stream, const gchar *name,
    gint *require_streamid, GError **error);
RelayBranch *relay_branch_ref (RelayBranch *branch);
void relay_branch_unref (RelayBranch *branch);
/* Returns whether the drawing above has this arrow. */
gboolean relay_branch_follows (RelayBranchState from, RelayBranchState to);
void relay_branch_set_state (RelayBranch *branch, RelayBranchState state);
/* Is the branch closing, or will it close as soon as it is open? */
gboolean relay_branch_is_leaving (const RelayBranch *branch);
/* Disconnects the signal handlers that refuse callers. */
void relay_branch_disconnect (RelayBranch *branch);

gboolean relay_branch_link (RelayBranch *branch, GstElement *tee);
/* Unlinks an output from the tee. May be called from any thread, also from the element's. */
void relay_branch_detach (RelayBranch *branch);

/* May be called from any thread. @stream: state of its stream. Does not change stats->uri.
 */
void relay_branch_get_stats (RelayBranch *branch, RelayState stream, RelayEndStats *stats);

G_END_DECLS
