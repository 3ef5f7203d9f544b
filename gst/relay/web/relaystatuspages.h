/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystatuspages.h: everything that the relay serves besides its API: status and metrics for
 * programs, the page for a browser, and the JSON and pictures that the page fetches.
 *
 *     /                                                       the page
 *     /events                                                 the summary, each second
 *     /happened.json                                          what happened lately
 *     /streams/STREAM/picture.jpg                             its picture
 *     /streams/STREAM/preview.mp4                             moving picture and sound
 *     /streams/STREAM/history/RANGE.json                      its last hour, day or week
 *     /streams/STREAM/outputs/ID/receivers.json               all receivers, in short
 *     /streams/STREAM/outputs/ID/receivers/ADDRESS.json       all figures of one
 *     /status.json, /metrics, /healthz, /readyz
 *
 * The statistics are collected ten times a second at most, however many ask, and so is a text made
 * of them.
 */
#pragma once

#include "relayevents.h"
#include "relayhttp.h"
#include "relaystatus.h"

G_BEGIN_DECLS

typedef struct _RelayStatusPages RelayStatusPages;

/* @take: collects all statistics; called from any thread. @told: called with each event; NULL: no
 * function is. */
RelayStatusPages *relay_status_pages_new (RelayStats *(*take) (gpointer data), RelayEventFunc told,
    gpointer data);
/* Begins to look at the statistics, for /events and for alarms. */
gboolean relay_status_pages_begin (RelayStatusPages *pages, GError **error);
/* No server may use @pages any more. */
void relay_status_pages_free (RelayStatusPages *pages);

/* Keeps the history in this file, too. @path: NULL: in none. */
void relay_status_pages_keep_history (RelayStatusPages *pages, const gchar *path);

/* Notes a line of the log. May be called from any thread; as a RelayLogFunc. */
void relay_status_pages_note (const gchar *stream, const gchar *end, GLogLevelFlags level,
    const GstStructure *details, const gchar *text, gpointer pages);

/* Fills in the page of a path. FALSE: there is none. May be called from any thread. */
gboolean relay_status_pages_answer (RelayStatusPages *pages, const gchar *path, RelayPage *page);

/* Returns the stream whose preview has this path; NULL: it is another path. */
gchar *relay_status_pages_get_preview (const gchar *path);
/* Answers a request for a preview: a RelayPreviewFunc. */
void relay_status_pages_answer_preview (const RelayPreviewAnswer *answer, gpointer request);

G_END_DECLS
