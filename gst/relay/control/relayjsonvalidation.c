/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayjsonvalidation.h"

#define HEX "[0-9A-Fa-f]"

/* A token of RFC 8259.  Half of a UTF-16 pair is refused, and \u0000, which ends a string of C.  Of
 * a number, 18 digits fit into 64 bits, and with an exponent of two digits it is finite. */
#define TOKEN \
  "[ \\t\\r\\n]+|[,:\\[\\]{}]|" \
  "\"(?:[^\"\\\\\\x00-\\x1f]++|\\\\[\"\\\\/bfnrt]|\\\\u(?!0000|[Dd][89A-Fa-f])" HEX "{4}|" \
  "\\\\u[Dd][89ABab]" HEX "{2}\\\\u[Dd][C-Fc-f]" HEX "{2})*+\"|" \
  "(?:true|false|null|-?(?:0|[1-9][0-9]{0,17})(?:\\.[0-9]+)?(?:[Ee][-+]?[0-9]{1,2})?)" \
  "(?![-+.0-9A-Za-z])"

gboolean
relay_json_validation_check (const gchar *text, gsize size)
{
  g_autoptr (GRegex) token = g_regex_new (TOKEN, G_REGEX_RAW | G_REGEX_ANCHORED, 0, NULL);
  gboolean whole = FALSE; /* the value has ended */
  guint depth = 0;
  gint end = 0;

  if (!g_utf8_validate (text, size, NULL))
    return FALSE;
  for (gsize at = 0; at < size; at = end) {
    g_autoptr (GMatchInfo) found = NULL;
    gboolean closes = text[at] == ']' || text[at] == '}';

    if (!g_regex_match_full (token, text, size, at, 0, &found, NULL)
        || !g_match_info_fetch_pos (found, 0, NULL, &end) || (closes && depth == 0)
        || (whole && !g_ascii_isspace (text[at])))
      return FALSE;
    depth += (text[at] == '[' || text[at] == '{') - closes;
    whole |= closes && depth == 0;
    if (depth > RELAY_JSON_DEPTH_MAX)
      return FALSE;
  }
  return TRUE;
}
