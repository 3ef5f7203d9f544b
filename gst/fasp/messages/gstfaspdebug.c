/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspdebug.h"

GST_DEBUG_CATEGORY (gst_fasp_debug);
