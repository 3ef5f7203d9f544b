/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * picturesandbox.h: what the kernel lets fasp-picture do before and after it reads a stream.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PICTURE_IDLES,  /* gets the processor only if no other process wants it */
  PICTURE_SHARES, /* gets some of it, but less than others: a viewer waits */
} PictureShare;

/* To be called first. From then on the process steps back before others, ends with its parent,
 * leaves no core dump, and is killed first when memory is short. */
void picture_sandbox_step_back (PictureShare share);

/* To be called when everything needed is loaded. Sets limits for memory, time and files. From then
 * on the process can only compute, and read and write what is open: it opens no file and no socket,
 * starts no program, and signals no process. FALSE: this machine does not allow that.
 */
gboolean picture_sandbox_close (void);

/* Has the process used half of its processor time, or more? */
gboolean picture_sandbox_is_old (void);

G_END_DECLS
