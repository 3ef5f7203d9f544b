/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaybackups.h: an input with several sources, a main one and its backups, as one element.
 *
 * The element of each source plays all the time (relayplayer.h), and gives its media to a pad here.
 * Those of the source in use (relayfailover.h) go on, in whole packets; others are dropped.  The
 * source that takes over begins where its stream can (relaycue.h), with DISCONT.
 *
 * To the stream it is like an element with sources of its own: it has `stats' with `source-list',
 * and the signal `switch-source'.  Callers are those of the sources' elements.
 */
#pragma once

#include "relayend.h"

G_BEGIN_DECLS

/* @end: an input with backups. Returns a floating reference. */
GstElement *relay_backups_new (const RelayEnd *end, const gchar *name, GError **error);
/* Calls @func with the element of each source; of any other element, with that. */
void relay_backups_foreach (GstElement *element, GFunc func, gpointer data);
void relay_backups_set_times (GstElement *element, const RelayEnd *end);
/* As relay_failover_shows() says. */
gboolean relay_backups_shows (GstElement *element, guint i);
/* The rules have found source @i bad, or good: as relay_failover_judge(). Posts a message that
 * tells what is new. */
void relay_backups_judge (GstElement *element, guint i, gint fault, gint64 judged, gint64 faulty);

G_END_DECLS
