/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspstretch.h: passphrases, and the keys that scrypt makes of them.
 *
 * Each takes 32 MiB for a tenth of a second: in a process they are made one at a time.
 * A key is remembered for as long as an element is open with it, which has both it and
 * the passphrase in memory anyway; whoever comes with the same passphrase meanwhile
 * gets it at once.
 */
#pragma once

#include "faspcrypto.h"

G_BEGIN_DECLS

typedef struct _GstFaspStretched GstFaspStretched;

GstFaspStretched *gst_fasp_stretch (const gchar * passphrase);
/* FASP_KEY_SIZE bytes. */
const guint8 *gst_fasp_stretched_get_key (const GstFaspStretched * stretched);
/* The last of its users wipes it. */
void gst_fasp_stretched_unref (GstFaspStretched * stretched);

G_END_DECLS
