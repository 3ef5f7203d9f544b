/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspstretch.h: passphrases, and the keys that scrypt makes of them.
 *
 * Each key takes 128 MiB for half a second, so a process makes one key at a time.
 * It remembers a key for as long as an element with that key is open.  (The element has
 * both key and passphrase in memory anyway.)  Meanwhile, other elements with the same
 * passphrase get the key at once.
 */
#pragma once

#include "faspcrypto.h"

G_BEGIN_DECLS

typedef struct _GstFaspStretched GstFaspStretched;

GstFaspStretched *gst_fasp_stretch (const gchar *passphrase);
/* FASP_KEY_SIZE bytes. */
const guint8 *gst_fasp_stretched_get_key (const GstFaspStretched *stretched);
/* The last user wipes the key. */
void gst_fasp_stretched_unref (GstFaspStretched *stretched);

G_END_DECLS
