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
#define RELAY_PROGRAM_INPUT 4096 /* bytes, so that a pipe has room for them */

typedef struct _RelayProgram RelayProgram;

/* @words: its path, and arguments. @most: s that it may run. */
RelayProgram *relay_program_new (const gchar *const *words, guint most);
/* Kills the processes that run. */
void relay_program_free (RelayProgram *program);
typedef enum
{
  RELAY_PROGRAM_STARTED,
  RELAY_PROGRAM_BUSY,   /* it runs RELAY_PROGRAM_MOST times already */
  RELAY_PROGRAM_FAILED, /* it cannot be started, which is logged */
} RelayProgramResult;

/* Starts the program.  @input: what it can read, of RELAY_PROGRAM_INPUT bytes at most.  How it ends
 * is logged, unless that is well.  All is done in the main context. */
RelayProgramResult relay_program_call (RelayProgram *program, GBytes *input);

G_END_DECLS
