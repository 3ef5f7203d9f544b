/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tstext.h"
#include <string.h>

/* The first byte, if it is below this, selects the character set. */
#define FIRST_LETTER 0x20
#define ISO_8859_BY_NUMBER 0x10 /* two bytes follow */
/* Characters for emphasis and line breaks, in UTF-8 and UTF-16. */
#define FIRST_CONTROL 0xe080
#define LAST_CONTROL 0xe09f

/* Returns how many bytes name the character set. */
static gsize
read_set (const guint8 *data, gsize size, gchar set[16])
{
  guint8 first = size > 0 ? data[0] : FIRST_LETTER;

  if (first == ISO_8859_BY_NUMBER && size >= 3) {
    g_snprintf (set, 16, "ISO-8859-%u", data[2]);
    return 3;
  }
  if (first >= 0x01 && first <= 0x0b)
    g_snprintf (set, 16, "ISO-8859-%u", first + 4);
  else
    g_strlcpy (set, first == 0x11 ? "UTF-16BE" : first == 0x15 ? "UTF-8" : "ISO6937", 16);
  return first < FIRST_LETTER ? 1 : 0;
}

void
ts_text_read (gchar text[TS_TEXT_MAX], const guint8 *data, gsize size)
{
  gchar set[16];
  gsize skip = read_set (data, size, set), used = 0;
  g_autofree gchar *known =
      g_convert ((const gchar *) data + skip, size - skip, "UTF-8", set, NULL, NULL, NULL);
  g_autofree gchar *utf8 = known != NULL ?
      g_utf8_make_valid (known, -1) :
      g_utf8_make_valid ((const gchar *) data + skip, size - skip);

  for (const gchar *at = utf8; *at != 0; at = g_utf8_next_char (at)) {
    gunichar c = g_utf8_get_char (at);
    gchar bytes[6];
    gint n = g_unichar_to_utf8 (c, bytes);

    if (g_unichar_iscntrl (c) || (c >= FIRST_CONTROL && c <= LAST_CONTROL))
      continue;
    if (used + n >= TS_TEXT_MAX)
      break;
    memcpy (text + used, bytes, n);
    used += n;
  }
  text[used] = 0;
}
