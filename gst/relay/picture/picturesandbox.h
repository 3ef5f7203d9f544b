/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * picturesandbox.h: what the kernel lets fasp-picture do before and after it reads a stream.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Call it first: runs only when no other process wants the processor, ends with the parent, leaves
 * no core, and is the first to go when memory is short. */
void picture_sandbox_step_back (void);

/* Call it when all that is needed is loaded: limits for memory, time and files, and from then on
 * the process computes, reads and writes what is open, and can do nothing else: it opens no
 * file and no socket, starts no program, and signals no process.  FALSE: that is not possible here.
 */
gboolean picture_sandbox_close (void);

/* Has the process used half of its processor time, or more? */
gboolean picture_sandbox_is_old (void);

G_END_DECLS
