/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE (faspsink);
GST_ELEMENT_REGISTER_DECLARE (faspsrc);

G_END_DECLS
