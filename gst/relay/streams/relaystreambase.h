/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystreambase.h: what relaystream.c, the states of a stream, and relaystreamends.c, its ends
 * that come and go, share.
 */
#pragma once

#include "relaycounters.h"
#include "relaylog.h"
#include "relaypicture.h"
#include "relayrepeats.h"
#include "relayretry.h"
#include "relaystream.h"

G_BEGIN_DECLS

struct _RelayStream
{
  gint users;                /* atomic */
  RelayStreamConfig *config; /* this and all up to `lock' is under it */
  RelayState state;
  gint64 since;
  guint64 restarts;
  gchar *error;
  GPtrArray *ends; /* RelayBranch, in any order; NULL: not built */
  GMutex lock;

  RelayCounters *counters; /* has a lock of its own */
  RelayPicture *picture;   /* has a lock of its own */
  gint require_streamid;   /* atomic */
  /* the rest is used in the main context only */
  GstElement *pipeline, *tee;
  RelayRetry *retry; /* outputs that have failed */
  guint watch, timer;
  guint delay; /* ms */
  RelayLogBudget told, visits;
  RelayRepeats *repeats; /* of what has failed */
  gboolean again;        /* to be started when it has stopped */
  gboolean down;         /* the pipeline has stopped; an output may not have yet */
  gint ending;           /* to be stopped when it has started; atomic */
  RelayStreamFunc stopped, closed;
  gpointer stopped_data, closed_data;
};

/* relaystream.c */

/* The stream has ended by itself. @error: why; NULL: it was the end of the stream. */
void relay_stream_ended (RelayStream *stream, const gchar *error);
/* Logs what has failed, unless that is a repetition. @then: what follows. */
void relay_stream_log_failure (RelayStream *stream, const gchar *error, const gchar *then);
/* It starts anew without an output that could not be started. */
void relay_stream_start_without (RelayStream *stream);
/* Handles the messages that are on the bus still, until one has said why something failed. */
void relay_stream_drain_bus (RelayStream *stream, const gboolean *told);
/* The pipeline has stopped. It is freed when the ends that came or went have, too. */
void relay_stream_finish_stop (RelayStream *stream);

/* Remembers the counters of ends that are about to end. */
void relay_stream_keep_counters (RelayStream *stream);

/* relaystreamends.c */

/* Makes the pipeline of all ends, but for the outputs that wait after they have failed. */
gboolean relay_stream_ends_build (RelayStream *stream, GError **error);
GstBusSyncReply relay_stream_ends_on_posted (GstBus *bus, GstMessage *message, gpointer stream);
/* FALSE: the error of this element is the stream's. Otherwise, the output is opened again later. */
gboolean relay_stream_ends_take_error (RelayStream *stream, gpointer element, const gchar *text);
/* The stream's; NULL: there is none. */
GstElement *relay_stream_ends_get_input (RelayStream *stream);
/* When it is time for outputs that have failed. */
void relay_stream_ends_on_retry (guint id, gpointer stream);
/* NULL: it is not there. @id: 0: the input. */
RelayBranch *relay_stream_ends_find (RelayStream *stream, guint id);
/* Is an end on its way? @only_leaving: on its way out? */
gboolean relay_stream_ends_has_pending (RelayStream *stream, gboolean only_leaving);
/* Calls off those that are being opened. */
void relay_stream_ends_call_off (RelayStream *stream);
/* Sets what can be set of a new configuration, and closes those ends that have to begin anew. */
void relay_stream_ends_change (RelayStream *stream, const RelayStreamConfig *old,
    const RelayStreamConfig *new);
/* The last end that had to leave may have done so. */
void relay_stream_ends_finish_close (RelayStream *stream);
/* Opens the ends that are not there, and do not wait after a failure. */
void relay_stream_ends_open_missing (RelayStream *stream);

G_END_DECLS
