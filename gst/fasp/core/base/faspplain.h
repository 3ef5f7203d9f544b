/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspplain.h: characters that are safe to print: they cannot control a terminal or disguise a
 * text.  Excluded are control characters (C0, C1), format characters (which change the direction of
 * text, or are invisible), and line and paragraph separators.
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
