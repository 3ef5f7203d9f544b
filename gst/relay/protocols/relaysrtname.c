/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <srt/access_control.h>
#include "faspstreamid.h"
#include "relaysrtname.h"

#define PARTS 5 /* ACTION:NAME:USER:PASSWORD:QUERY */

/* Returns the value if @pair is of @key, which is a letter; NULL: it is not. */
static const gchar *
get_value (const gchar *pair, gchar key)
{
  return pair[0] == key && pair[1] == '=' ? pair + 2 : NULL;
}

static void
set (gchar **text, const gchar *value)
{
  if (value != NULL) {
    g_free (*text);
    *text = g_strdup (value);
  }
}

static gint
read_mode (const gchar *word, const gchar *reads, RelaySrtName *name)
{
  name->publishes = g_str_equal (word, "publish");
  return name->publishes || g_str_equal (word, reads) ? 0 : SRT_REJX_BAD_MODE;
}

/* Reads a streamid with keys.  Returns 0, or the code of SRT by which such a call is refused. */
static gint
read_keys (const gchar *streamid, RelaySrtName *name)
{
  g_auto (GStrv) pairs = g_strsplit (streamid + strlen (FASP_STREAMID_KEYS), ",", -1);
  const gchar *mode = "request", *type = "stream";
  gboolean good = TRUE;
  gint code;

  for (guint i = 0; pairs[i] != NULL; i++) {
    const gchar *m = get_value (pairs[i], 'm'), *t = get_value (pairs[i], 't');

    good &= strchr (pairs[i], '=') != NULL;
    set (&name->path, get_value (pairs[i], 'r'));
    set (&name->user, get_value (pairs[i], 'u'));
    set (&name->password, get_value (pairs[i], 's'));
    mode = m != NULL ? m : mode;
    type = t != NULL ? t : type;
  }
  code = read_mode (mode, "request", name);
  return !good                      ? SRT_REJX_BAD_REQUEST :
      !g_str_equal (type, "stream") ? SRT_REJX_NOTSUP_MEDIA :
      code != 0                     ? code :
      name->path == NULL            ? SRT_REJX_NOTFOUND :
                                      0;
}

/* The same of one in MediaMTX's form. */
static gint
read_parts (const gchar *streamid, RelaySrtName *name)
{
  g_auto (GStrv) parts = g_strsplit (streamid, ":", PARTS);
  guint n = g_strv_length (parts);
  gboolean known = n >= 2 && read_mode (parts[0], "read", name) == 0;

  if (!known)
    return SRT_REJX_NOTFOUND;
  set (&name->path, parts[1]);
  if (n >= 4) {
    set (&name->user, parts[2]);
    set (&name->password, parts[3]);
  }
  if (n == 3 || n == PARTS)
    set (&name->query, parts[n - 1]);
  return 0;
}

gint
relay_srt_name_read (const gchar *streamid, RelaySrtName *name)
{
  *name = (RelaySrtName) { 0 };
  return g_str_has_prefix (streamid, FASP_STREAMID_KEYS) ? read_keys (streamid, name) :
                                                           read_parts (streamid, name);
}

void
relay_srt_name_clear (RelaySrtName *name)
{
  g_free (name->path);
  g_free (name->user);
  if (name->password != NULL)
    explicit_bzero (name->password, strlen (name->password));
  g_free (name->password);
  g_free (name->query);
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
  g_auto (RelaySrtName) name = { 0 };

  *code = 0;
  if (end != NULL)
    return end;
  *code = relay_srt_name_read (streamid, &name);
  *reason = *code == 0 || *code == SRT_REJX_NOTFOUND ?
      "it gives another streamid than this port has: set the same one there" :
      "its streamid has keys that are not understood: give r=NAME, and m=publish to send";
  if (*code == 0 && (end = find_end (ends, name.path, name.publishes, !name.publishes)) == NULL) {
    end = find_end (ends, name.path, TRUE, TRUE);
    *code = end != NULL ? SRT_REJX_BAD_MODE : SRT_REJX_NOTFOUND;
    if (end != NULL)
      *reason = name.publishes ? "this streamid is sent here: leave m=publish out there" :
                                 "this streamid is received here: give m=publish there";
  }
  return end;
}
