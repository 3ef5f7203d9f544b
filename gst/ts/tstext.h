/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tstext.h: text in the tables of DVB (ETSI EN 300 468, annex A) as UTF-8.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define TS_TEXT_MAX 128 /* bytes of a name, with the 0 at its end */

/* Whatever the @size bytes are, @text becomes valid UTF-8 without control characters, cut to
 * TS_TEXT_MAX.  Of a character set that the system does not know, the ASCII letters remain.
 * Those of Korean and Chinese (0x12 to 0x14), and those that 0x1f numbers, are read as ISO 6937, so
 * that no more than their ASCII letters are right. */
void ts_text_read (gchar text[TS_TEXT_MAX], const guint8 *data, gsize size);

G_END_DECLS
