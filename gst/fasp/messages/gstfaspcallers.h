/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspcallers.h: asks the application whether a caller may come in.
 *
 *     caller-connecting --> caller-identified --> caller-asked --> the core is answered
 *                                                      |                  ^
 *                                                      +-- later, by decide-caller
 *
 * The first refusal ends this.  While the core waits for an answer, the caller has nothing of the
 * stream, and repeats its call; after FASP_HALF_TIMEOUT it is forgotten.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

/* Installs the signals. */
void gst_fasp_callers_install (GType type);
/* Is a handler of the signal @name connected, and not blocked? */
gboolean gst_fasp_callers_has_handler (GstElement *element, const gchar *name);
/* Is one connected that could refuse callers, and so has to be asked about each? */
gboolean gst_fasp_callers_have_judge (GstElement *element);
/* Asks about @event, a FASP_EVENT_CONNECTING of a source, and gives the core the answer, unless a
 * handler gives it later. */
void gst_fasp_callers_answer (GstElement *element, FaspIo *io, guint source,
    const FaspEvent *event);
/* Reads the ticket of a question for fasp_endpoint_decide().  FALSE: it is none. */
gboolean gst_fasp_callers_read_ticket (const gchar *ticket, guint *source, FaspEvent *asked);

G_END_DECLS
