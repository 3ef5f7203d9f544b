/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspplain.h: characters that do nothing to a terminal, and are seen as they are: no control
 * characters (C0, C1), none of format (which turn the direction, or are not seen), no ends of
 * lines.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

static inline gboolean
fasp_is_plain (gunichar c)
{
  switch (g_unichar_type (c)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
      return FALSE;
    default:
      return TRUE;
  }
}

G_END_DECLS
