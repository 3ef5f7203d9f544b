/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspstretch.h: passphrases, and the keys that scrypt makes of them.
 *
 * Each key takes 128 MiB for half a second.  A process makes as many at a time as it has
 * processors, and two at most.  It remembers a key for as long as an element uses it.  (The
 * element has both key and passphrase in memory anyway.)  Meanwhile, other elements with the same
 * passphrase get the key at once, or when it is made.
 *
 * An element begins in READY and needs the key in PAUSED: the elements of a pipeline are all in
 * READY before the first one is in PAUSED, so their keys are made side by side.
 */
#pragma once

#include "faspcrypto.h"

G_BEGIN_DECLS

typedef struct _GstFaspStretched GstFaspStretched;

/* Begins to make the key in another thread, unless it is made already. */
GstFaspStretched *gst_fasp_stretch_begin (const gchar *passphrase);
void gst_fasp_stretched_wait (GstFaspStretched *stretched);
/* The key, FASP_KEY_SIZE bytes; it must be made. */
const guint8 *gst_fasp_stretched_get_key (const GstFaspStretched *stretched);
/* Wipes the key when its last user has gone.  If the key is being made, waits for that. */
void gst_fasp_stretched_unref (GstFaspStretched *stretched);

G_END_DECLS
