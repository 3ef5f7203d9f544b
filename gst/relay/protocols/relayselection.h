/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayselection.h: the keys `programme' and `pids' of an output, by which only a part of the
 * stream leaves there (tsfilter.h).
 *
 * What leaves is a stream of its own: its bytes have no place in the stream that came in, so that
 * a receiver of fasp cannot go on with another output of it.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define RELAY_PIDS_MAX 256 /* in a list; a programme has a few */

#define RELAY_KEYS_SELECTION \
  { "programme", RELAY_KEY_OUTPUT, NULL, 0, 0, "all", \
    "numbers of programmes, with commas between them: only these leave here" }, \
      { "pids", RELAY_KEY_OUTPUT, NULL, 0, 0, "all", \
        "PIDs, with commas between them: only these, their PCR, PAT and PMT leave here" }

/* Has only a part of the stream pass the element's pad `sink'.  @programmes, @pids: the values of
 * the keys; NULL: there is no such key.  Without both, nothing is done.  @error: a sentence. */
gboolean relay_selection_add (GstElement *element, const gchar *programmes, const gchar *pids,
    GError **error);
/* Returns why nothing leaves there: the stream does not have what was chosen, or is no MPEG-TS.
 * NULL: it has, or no data came yet, or nothing was chosen. */
gchar *relay_selection_explain (GstElement *element);

G_END_DECLS
