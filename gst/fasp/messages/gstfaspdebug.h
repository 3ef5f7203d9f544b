/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspdebug.h: the debug category of both elements: GST_DEBUG=fasp:5.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_fasp_debug);
#define GST_CAT_DEFAULT gst_fasp_debug

G_END_DECLS
