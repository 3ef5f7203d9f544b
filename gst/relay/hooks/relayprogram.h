/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayprogram.h: a program of the user that is called when something has happened.
 *
 * It is called without a shell, with the environment of the relay and no output.  It is in a
 * process group of its own, of which all processes are killed when it ends, when it takes too long,
 * or when its caller ends: so nothing that it starts in the background outlives it, unless that is
 * put into a session of its own (setsid).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_PROGRAM_MOST 4     /* run at once for one caller */
#define RELAY_PROGRAM_TIME 3600  /* s; enough to upload a piece of an hour */
#define RELAY_PROGRAM_INPUT 4096 /* bytes, so that a pipe has room for them */

typedef struct _RelayProgram RelayProgram;

/* @words: its path, and arguments. @most: s that it may run. */
RelayProgram *relay_program_new (const gchar *const *words, guint most);
/* Kills the processes that run. */
void relay_program_free (RelayProgram *program);
/* Starts the program.  @path: its last argument; NULL: it has no further one.  @input: what it can
 * read, of RELAY_PROGRAM_INPUT bytes at most; NULL: nothing.  FALSE: it runs RELAY_PROGRAM_MOST
 * times already, which is logged unless there is @input.  Called by one thread at a time, any one,
 * and not while @program is freed.  The main context logs how it ends, unless that is well. */
gboolean relay_program_call (RelayProgram *program, const gchar *path, GBytes *input);

G_END_DECLS
