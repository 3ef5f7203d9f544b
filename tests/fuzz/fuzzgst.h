/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fuzzgst.h: GStreamer for fuzz targets, with fasp's elements in the program itself.
 */
#pragma once

#include <gst/gst.h>

/* Returns once GStreamer can be used.  From then on, a critical message aborts, and others are not
 * shown. */
void fuzz_gst_begin (void);
