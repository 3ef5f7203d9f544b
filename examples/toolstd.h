/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * toolstd.h: standard input and outputs that were closed by whoever started the program.
 */
#pragma once

/* Call this before any file or socket is opened: the next one would get the number of a standard
 * output that is closed, and what the program prints would be written there. Printing fails as
 * before. */
void tool_hold_standard (void);
