/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayprocess.h: the end of a child process.
 *
 * The kernel gives the number of a process that has ended, and that of its group, to no other one
 * before the process is reaped.  GLib reaps before it calls back, so a signal that is sent then, or
 * a moment earlier, could meet another process.  Here the function that is called back reaps.
 */
#pragma once

#include <glib-unix.h>

G_BEGIN_DECLS

/* Has @ended called in the main context, once, when the process has ended.  FALSE: that is not
 * possible, as errno says. */
gboolean relay_process_watch (GPid pid, GUnixFDSourceFunc ended, gpointer data);
/* Waits for the end of the process.  Returns its status, as wait() has it.  @fd: the one that
 * @ended got; -1: it got none, or the process is not watched. */
gint relay_process_reap (GPid pid, gint fd);

G_END_DECLS
