/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasppresentation.h: tells whether faspsrc plays at the same moment as other receivers
 * (presentation-delay).
 */
#pragma once

#include "gstfasppresenter.h"
#include "gstfaspquiet.h"

G_BEGIN_DECLS

/* Posts the presenter's state: the message fasp-presentation, and a warning if other receivers may
 * play at another moment. */
void gst_fasp_presentation_post (GstElement *element, const GstFaspPresenter *presenter,
    GstFaspQuiet *quiet);

G_END_DECLS
