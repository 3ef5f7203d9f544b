/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspparse.h"
#include <string.h>

const gchar *
gst_fasp_parse_find_bad_escape (const gchar *text)
{
  const gchar *end = text + strcspn (text, "#");

  for (const gchar *at = text; (at = strchr (at, '%')) != NULL && at < end; at++)
    if (!g_ascii_isxdigit (at[1]) || !g_ascii_isxdigit (at[2]) || strncmp (at + 1, "00", 2) == 0)
      return at;
  return NULL;
}

GstUri *
gst_fasp_parse_uri (const gchar *text)
{
  const gchar *query = text + strcspn (text, "?#");

  return gst_fasp_parse_find_bad_escape (query) == NULL ? gst_uri_from_string (text) : NULL;
}

gboolean
gst_fasp_parse_may_be_caps (const gchar *text)
{
  guint brackets = 0;

  /* counts every opening bracket: closing ones may be in quotes */
  for (const gchar *at = text; *at != '\0'; at++)
    brackets += strchr ("{[<", *at) != NULL;
  return brackets <= GST_FASP_PARSE_BRACKETS_MAX && strlen (text) <= GST_FASP_PARSE_CAPS_MAX;
}
