/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayprogram.h: a program of the user that is called with the path of a file.
 *
 * It is called without a shell, with the path as its only argument, the environment of the relay,
 * and no input and no output.  It is in a process group of its own, of which all processes are
 * killed when it takes too long, or when the output that calls it ends.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_PROGRAM_MOST 4    /* run at once for one output */
#define RELAY_PROGRAM_TIME 3600 /* s; enough to upload a piece of an hour */

typedef struct _RelayProgram RelayProgram;

/* @name: path of the program. @most: s that it may run. */
RelayProgram *relay_program_new (const gchar *name, guint most);
/* Ends what runs. */
void relay_program_free (RelayProgram *program);
/* Starts the program. Called by one thread at a time, any one, and not while @program is freed. The
 * main context logs how it ends, unless that is well. */
void relay_program_call (RelayProgram *program, const gchar *path);

G_END_DECLS
