/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcrc.h: CRC-32C (Castagnoli; RFC 3720, appendix B.4).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of @n more bytes; @crc is of those before them, 0 at the beginning. */
guint32 fasp_crc_add (guint32 crc, const guint8 *data, gsize n);

G_END_DECLS
