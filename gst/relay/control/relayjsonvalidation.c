/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayjsonvalidation.h"
#include <math.h>
#include <string.h>

typedef struct
{
  const gchar *at, *end;
  guint depth;
  gboolean whole; /* the value has ended */
} Scan;

/* Is it a number of RFC 8259, 6, neither too long nor infinite? */
static gboolean
is_number (const gchar *word)
{
  const gchar *c = word + (*word == '-');
  gsize digits = strspn (c, "0123456789");

  if (digits == 0 || digits > RELAY_JSON_DIGITS_MAX || (c[0] == '0' && digits > 1))
    return FALSE;
  c += digits;
  if (*c == '.') {
    digits = strspn (c + 1, "0123456789");
    if (digits == 0)
      return FALSE;
    c += 1 + digits;
  }
  if (*c == 'e' || *c == 'E') {
    c += 1 + (c[1] == '+' || c[1] == '-');
    digits = strspn (c, "0123456789");
    if (digits == 0)
      return FALSE;
    c += digits;
  }
  return *c == '\0' && isfinite (g_ascii_strtod (word, NULL));
}

/* Passes a number or a word, up to the first character that cannot belong to it. */
static gboolean
pass_word (Scan *scan)
{
  const gchar *begin = scan->at;
  g_autofree gchar *word = NULL;

  while (scan->at < scan->end
      && (g_ascii_isalnum (*scan->at) || memchr ("+-.", *scan->at, 3) != NULL))
    scan->at++;
  word = g_strndup (begin, scan->at - begin);
  return g_str_equal (word, "true") || g_str_equal (word, "false") || g_str_equal (word, "null")
      || is_number (word);
}

/* Passes a u with four digits and returns their value; 0: it has none, or is \u0000, which ends a
 * string of C. */
static guint
pass_unit (Scan *scan)
{
  guint unit = 0;

  if (scan->end - scan->at < 5 || *scan->at != 'u')
    return 0;
  for (guint i = 1; i <= 4; i++) {
    gint digit = g_ascii_xdigit_value (scan->at[i]);

    if (digit < 0)
      return 0;
    unit = 16 * unit + digit;
  }
  scan->at += 5;
  return unit;
}

/* Passes the characters of an escape after the backslash (RFC 8259, 7). Half of a UTF-16 pair is
 * refused. */
static gboolean
pass_escape (Scan *scan)
{
  guint unit;

  if (scan->at < scan->end && memchr ("\"\\/bfnrt", *scan->at, 8) != NULL) {
    scan->at++;
    return TRUE;
  }
  unit = pass_unit (scan);
  if (unit < 0xd800 || unit > 0xdfff)
    return unit != 0;
  if (unit > 0xdbff || scan->at == scan->end || *scan->at++ != '\\')
    return FALSE;
  unit = pass_unit (scan);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

static gboolean
pass_string (Scan *scan)
{
  scan->at++;
  while (scan->at < scan->end) {
    gchar c = *scan->at++;

    if (c == '"')
      return TRUE;
    if ((g_ascii_iscntrl (c) && c != 0x7f) || (c == '\\' && !pass_escape (scan)))
      return FALSE;
  }
  return FALSE;
}

static gboolean
pass_bracket (Scan *scan)
{
  gboolean opens = *scan->at == '[' || *scan->at == '{';

  scan->at++;
  if (opens)
    return ++scan->depth <= RELAY_JSON_DEPTH_MAX;
  if (scan->depth == 0)
    return FALSE;
  scan->whole = --scan->depth == 0;
  return TRUE;
}

static gboolean
pass_next (Scan *scan)
{
  switch (*scan->at) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      scan->at++;
      return TRUE;
    case ',':
    case ':':
      scan->at++;
      return !scan->whole;
    case '[':
    case '{':
    case ']':
    case '}':
      return !scan->whole && pass_bracket (scan);
    case '"':
      return !scan->whole && pass_string (scan);
    default:
      return !scan->whole && pass_word (scan);
  }
}

gboolean
relay_json_validation_check (const gchar *text, gsize size)
{
  Scan scan = { text, text + size };

  if (!g_utf8_validate (text, size, NULL))
    return FALSE;
  while (scan.at < scan.end)
    if (!pass_next (&scan))
      return FALSE;
  return TRUE;
}
