/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaychild.h: the process fasp-picture, which reads a stream's bytes from a ring (picturering.h),
 * and tells by a socket what it makes of them (pictureframes.h).
 *
 *     NONE --- start ---> RUNNING --- kill, or it said what it should not ---> ENDING
 *      ^                     |                                                   |
 *      +---- it has ended ---+--------------------- it has ended ----------------+
 *
 * Call all functions but relay_child_unref() from the thread of the main context. After
 * relay_child_kill() no function of the owner is called.
 */
#pragma once

#include "pictureframes.h"
#include "relaystreamtap.h"

G_BEGIN_DECLS

typedef struct _RelayChild RelayChild;

typedef struct
{
  /* FALSE: the frame is not valid here. */
  gboolean (*take) (const PictureFrame *frame, gpointer data);
  /* The process ended by itself, or was killed as it said what it should not. Takes @why, a
   * sentence; NULL: it ended in order. */
  void (*ended) (gchar *why, gpointer data);
} RelayChildFuncs;

/* @called: what sentences about the process call it. @tap: writes to the process. */
RelayChild *relay_child_new (const gchar *called, RelayStreamTap *tap, const RelayChildFuncs *funcs,
    gpointer data);
void relay_child_unref (RelayChild *child);

/* @argument: of the program. To be called if relay_child_may_start(). Returns why it cannot be
 * started, or NULL. */
gchar *relay_child_start (RelayChild *child, const gchar *argument, PictureFrames *frames);
gboolean relay_child_may_start (const RelayChild *child);
/* Kills the process, if there is one.  SIGKILL ends also a process that is stopped. */
void relay_child_kill (RelayChild *child);

G_END_DECLS
