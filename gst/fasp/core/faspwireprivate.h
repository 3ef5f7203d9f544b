/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwireprivate.h: what frames and hellos both have; shared by faspwire.c and
 * faspwirehello.c.
 */
#pragma once

#include "faspwire.h"

G_BEGIN_DECLS

#define FASP_PLACE_SIZE (FASP_ORIGIN_SIZE + 8)

/* Text from the peer ends up in messages: it is plain, or nothing.  One longer than
 * @max is malformed.  @text: room for one more. */
void fasp_wire_read_text (FaspReader * r, gsize size, gsize max,
    gchar * text);
/* Its length and so much of it as may be. */
void fasp_wire_write_text (FaspWriter * w, const gchar * text);
void fasp_wire_read_place (FaspReader * r, FaspPlace * place);
void fasp_wire_write_place (FaspWriter * w, const FaspPlace * place);

G_END_DECLS
