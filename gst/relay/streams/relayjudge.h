/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayjudge.h: looks at each source of an input with backups, and judges it by the rules of the
 * configuration (relayrules.h).
 *
 * Errors and the lack of video are what the monitor of the source's element sees; of a source that
 * is not used, too.  Black, frozen and silent is what a process sees that decodes its pictures
 * (relaypicture.h): one for each source, at the stream's picture-interval.  A source that gives
 * nothing, is held up by the outputs, is not measured, or is not decoded has no answer.  A file is
 * not judged: it is the last resort, and a slate may stand still.
 *
 * Call all functions from the thread of the main context.
 */
#pragma once

#include "relayconfig.h"

G_BEGIN_DECLS

typedef struct _RelayJudge RelayJudge;

/* @name: of the stream. */
RelayJudge *relay_judge_new (const gchar *name);
void relay_judge_free (RelayJudge *judge);
/* Judges the sources of this element (relaybackups.h) from now on; what was found of those of
 * another one is forgotten.  If the element stays, so does what was found by rules that stay.
 * @element: NULL, or of an input without backups: there is nothing to judge. */
void relay_judge_follow (RelayJudge *judge, GstElement *element, const RelayStreamConfig *config);

G_END_DECLS
