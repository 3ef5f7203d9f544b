/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcrc.h: CRC-32C (Castagnoli; RFC 3720, appendix B.4).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the CRC of the bytes so far and @n more; @crc: of the bytes so far, 0 at first. */
guint32 fasp_crc_add (guint32 crc, const guint8 *data, gsize n);

G_END_DECLS
