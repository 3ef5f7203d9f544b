/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwireprivate.h: functions for frames and hellos, shared by faspwire.c and faspwirehello.c.
 */
#pragma once

#include "fasplimits.h"
#include "faspwire.h"

G_BEGIN_DECLS

/* Text from the peer is shown in messages, so @text is left empty unless it is plain. More than
 * @max bytes are malformed. @text: room for @max + 1. */
void fasp_wire_read_text (FaspReader *r, gsize size, gsize max, gchar *text);
/* Writes the length and the text, cut to FASP_TEXT_MAX bytes. */
void fasp_wire_write_text (FaspWriter *w, const gchar *text);

G_END_DECLS
