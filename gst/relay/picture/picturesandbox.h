/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * picturesandbox.h: what fasp-picture may do, before and after it has seen a byte of a stream.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Call it first: runs only when nobody else wants the processor, ends with the parent, leaves no
 * core, and is the first to go when memory is short. */
void picture_sandbox_step_back (void);

/* Call it when all that is needed is loaded: limits for memory, time and files, and from then on
 * the process computes, reads and writes what is open, and can do nothing else: it opens no
 * file and no socket, starts no program, and signals nobody.  FALSE: that is not possible here. */
gboolean picture_sandbox_close (void);

/* Has most of the processor's time that it may use been used? */
gboolean picture_sandbox_is_old (void);

G_END_DECLS
