/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystreambase.h: the memory of a stream, as relaystream.c, its states, relaystreamends.c, its
 * ends that come and go, and relaystreambase.c see it.
 */
#pragma once

#include "relaycounters.h"
#include "relayjudge.h"
#include "relaylog.h"
#include "relaypicture.h"
#include "relayrepeats.h"
#include "relayretry.h"
#include "relaystream.h"
#include "relaytransit.h"

G_BEGIN_DECLS

/* The state of a stream, in more detail than RelayState shows.
 *
 *     IDLE --> STARTING --> RUNNING --> STOPPING --> STOPPED --> IDLE
 *     STARTING --> CALLED_OFF --> STOPPING
 *     IDLE --> STOPPING
 */
typedef enum
{
  RELAY_PHASE_IDLE, /* there is no pipeline, or building it failed; the stream may wait to start */
  RELAY_PHASE_STARTING,
  RELAY_PHASE_CALLED_OFF, /* the pipeline starts, and is stopped as soon as it has */
  RELAY_PHASE_RUNNING,
  RELAY_PHASE_STOPPING,
  RELAY_PHASE_STOPPED, /* the pipeline has stopped; an end that was being opened or closed may not
                          have yet */
  RELAY_PHASES,
} RelayPhase;

struct _RelayStream
{
  gint users;                /* atomic */
  RelayStreamConfig *config; /* under `lock', as all members up to that */
  gint phase;                /* RelayPhase; also atomic */
  gint64 since;
  guint64 restarts;
  gchar *error;
  GPtrArray *ends; /* RelayBranch, in any order; NULL: not built */
  GMutex lock;

  RelayCounters *counters; /* has a lock of its own */
  RelayPicture *picture;   /* has a lock of its own, as the next */
  RelayPreview *preview;
  gint require_streamid; /* atomic */
  /* the rest is used in the main context only */
  GstElement *pipeline, *tee;
  RelayJudge *judge;            /* of the sources of the input */
  RelayRetry *retry;            /* outputs that have failed */
  RelayTransitFunc end_changed; /* a function of relaystream.c; gets a RelayVisit */
  guint watch, timer;
  guint delay; /* ms */
  RelayLogBudget messages, visits;
  RelayRepeats *repeats; /* of failures */
  gboolean again;        /* the stream starts again when it has stopped */
  RelayStreamFunc stopped, closed;
  gpointer stopped_data, closed_data;
};

/* relaystreambase.c */

/* Returns whether the drawing above has this arrow. */
gboolean relay_phase_follows (RelayPhase from, RelayPhase to);
void relay_stream_set_phase (RelayStream *stream, RelayPhase phase);

/* Remembers the counters of ends that are about to end. */
void relay_stream_keep_counters (RelayStream *stream);

/* relaystreamends.c */

/* The argument of end_changed, which frees it. */
typedef struct
{
  RelayStream *stream;
  RelayBranch *branch;
} RelayVisit;

/* Makes the pipeline with all ends, except outputs that wait after a failure. */
gboolean relay_stream_ends_build (RelayStream *stream, GError **error);
GstBusSyncReply relay_stream_ends_on_posted (GstBus *bus, GstMessage *message, gpointer stream);
/* NULL: there is no such end. @id 0: the input. */
RelayBranch *relay_stream_ends_find (RelayStream *stream, guint id);
/* Returns the end with this element, with a new reference. May be called from any thread. */
RelayBranch *relay_stream_ends_find_element (RelayStream *stream, gpointer element);
/* The number of outputs that are not being closed. With one, its error is the stream's. May be
 * called from any thread. */
guint relay_stream_ends_count_outputs (RelayStream *stream);
/* Is an end being opened or closed? @only_leaving: is one being closed? */
gboolean relay_stream_ends_has_pending (RelayStream *stream, gboolean only_leaving);
/* Closes an end; if it is being opened, it is closed after that. */
void relay_stream_ends_close (RelayStream *stream, RelayBranch *branch);
/* Calls off the ends that are being opened. */
void relay_stream_ends_call_off (RelayStream *stream);
/* Sets the properties of a new configuration that can be set, and closes the ends that must begin
 * anew. */
void relay_stream_ends_change (RelayStream *stream, const RelayStreamConfig *old,
    const RelayStreamConfig *new);
/* Opens an end that is not open, unless it is no longer configured. */
gboolean relay_stream_ends_open (RelayStream *stream, guint id, GError **error);
/* Opens the ends that are not open and do not wait after a failure. */
gboolean relay_stream_ends_open_missing (RelayStream *stream, GError **error);
/* The element of an end that was being opened has started, or failed to; the element of one that
 * was being closed has stopped. */
void relay_stream_ends_opened (RelayStream *stream, RelayBranch *branch);
void relay_stream_ends_closed (RelayStream *stream, RelayBranch *branch);

G_END_DECLS
