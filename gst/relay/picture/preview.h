/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * preview.h: the preview of fasp-picture: it reads the stream until its tracks change, and writes a
 * fragmented MP4, in frames (pictureframes.h).
 */
#pragma once

/* Ends the program with the relay. Returns the program's exit status. */
int preview_run (void);
