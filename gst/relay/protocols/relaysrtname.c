/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <srt/access_control.h>
#include "relaysrtname.h"

#define PREFIX "#!::"

/* Returns the value if @pair is of @key, which is a letter; NULL: it is not. */
static const gchar *
get_value (const gchar *pair, gchar key)
{
  return pair[0] == key && pair[1] == '=' ? pair + 2 : NULL;
}

/* Reads a streamid with keys. *name: to be freed.  Returns 0, or the code of SRT by which such a
 * call is refused. */
static gint
parse (const gchar *streamid, gchar **name, gboolean *publishes)
{
  g_auto (GStrv) pairs = g_strsplit (streamid + strlen (PREFIX), ",", -1);
  const gchar *found = NULL, *mode = "request", *type = "stream";

  for (guint i = 0; pairs[i] != NULL; i++) {
    const gchar *r = get_value (pairs[i], 'r'), *m = get_value (pairs[i], 'm'),
                *t = get_value (pairs[i], 't');

    if (strchr (pairs[i], '=') == NULL)
      return SRT_REJX_BAD_REQUEST;
    found = r != NULL ? r : found;
    mode = m != NULL ? m : mode;
    type = t != NULL ? t : type;
  }
  if (!g_str_equal (type, "stream"))
    return SRT_REJX_NOTSUP_MEDIA;
  *publishes = g_str_equal (mode, "publish");
  if (!*publishes && !g_str_equal (mode, "request"))
    return SRT_REJX_BAD_MODE;
  if (found == NULL)
    return SRT_REJX_NOTFOUND;
  *name = g_strdup (found);
  return 0;
}

/* Returns the end of this streamid. An output goes first, as to request is the default. */
static const RelayProtocolUri *
find_end (const GPtrArray *ends, const gchar *streamid, gboolean input, gboolean output)
{
  const RelayProtocolUri *found = NULL;

  for (guint i = 0; i < ends->len; i++) {
    const RelayProtocolUri *end = g_ptr_array_index (ends, i);
    const gchar *own = relay_protocol_uri_get (end, "streamid");

    if (end->sends ? output : input)
      if ((own == NULL || g_str_equal (own, streamid)) && (found == NULL || end->sends))
        found = end;
  }
  return found;
}

const RelayProtocolUri *
relay_srt_name_choose (const GPtrArray *ends, const gchar *streamid, gint *code,
    const gchar **reason)
{
  const RelayProtocolUri *end = find_end (ends, streamid, TRUE, TRUE);
  g_autofree gchar *name = NULL;
  gboolean publishes = FALSE;

  *code = 0;
  if (end != NULL)
    return end;
  *code = SRT_REJX_NOTFOUND;
  if (g_str_has_prefix (streamid, PREFIX))
    *code = parse (streamid, &name, &publishes);
  *reason = *code == 0 || *code == SRT_REJX_NOTFOUND ?
      "it gives another streamid than this port has: set the same one there" :
      "its streamid has keys that are not understood: give r=NAME, and m=publish to send";
  if (*code == 0 && (end = find_end (ends, name, publishes, !publishes)) == NULL) {
    end = find_end (ends, name, TRUE, TRUE);
    *code = end != NULL ? SRT_REJX_BAD_MODE : SRT_REJX_NOTFOUND;
    if (end != NULL)
      *reason = publishes ? "this streamid is sent here: leave m=publish out there" :
                            "this streamid is received here: give m=publish there";
  }
  return end;
}
