/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwake.h: wakes a thread that waits for sockets. This is an event counter, eventfd(2); on other
 * POSIX systems a pipe; on Windows, whose poll() takes sockets alone, a socket that sends to
 * itself.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint fd;   /* once rung, it can be read until it is cleared; -1: there is none */
  gint ring; /* what is written to; the same one, unless it is a pipe */
} FaspWake;

/* FALSE: there is none; *error says what to do. */
gboolean fasp_wake_open (FaspWake *wake, GError **error);
void fasp_wake_close (FaspWake *wake);
/* Wakes the thread that waits for @wake's fd. From any thread. */
void fasp_wake_ring (const FaspWake *wake);
void fasp_wake_clear (const FaspWake *wake);

G_END_DECLS
