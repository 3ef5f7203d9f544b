/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzzgst.h"
#include <stdio.h>
#include <stdlib.h>

GST_PLUGIN_STATIC_DECLARE (fasp);

/* GLib itself would end the program by SIGTRAP, for which libFuzzer keeps no input. */
static GLogWriterOutput
write_entry (GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data)
{
  if ((level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR)) != 0) {
    g_log_writer_standard_streams (level, fields, n, data);
    abort ();
  }
  return G_LOG_WRITER_HANDLED;
}

void
fuzz_gst_begin (void)
{
  static gboolean begun;

  if (begun)
    return;
  begun = TRUE;
  g_log_set_writer_func (write_entry, NULL, NULL);
  gst_init (NULL, NULL);
  GST_PLUGIN_STATIC_REGISTER (fasp);
}
