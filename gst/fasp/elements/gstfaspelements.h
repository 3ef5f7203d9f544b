/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspelements.h: the state of both elements, and what registers them.
 */
#pragma once

#include <gst/gst.h>
#include "gstfaspdebug.h"
#include "gstfasplogger.h"

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE (faspsink);
GST_ELEMENT_REGISTER_DECLARE (faspsrc);

/* Initialises the debug category. In the definition of each element's type, as an application may
 * register only one of them. */
#define GST_FASP_DEBUG_INIT \
  GST_DEBUG_CATEGORY_INIT (gst_fasp_debug, "fasp", 0, "fasp streams"); \
  gst_fasp_logger_init ()

G_END_DECLS
