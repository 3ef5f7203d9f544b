/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Any bytes as what strangers send to fasp-relay: streamids, URIs, JSON; and as MP4, in which its
 * previews are corrected.  A text whose secrets are hidden stays as it is if they are hidden again.
 */
#include "fuzz.h"
#include <stdlib.h>
#include "faspstreamid.h"
#include "fuzzgst.h"
#include "previewboxes.h"
#include "relayedit.h"
#include "relayjsonvalidation.h"
#include "relayprotocol.h"
#include "relaysrtname.h"

static void
fuzz_text (const gchar *text)
{
  g_autofree gchar *name = fasp_streamid_show (text), *renamed = fasp_streamid_show (name);
  g_autofree gchar *shown = relay_edit_hide (text), *kept = relay_edit_keep_secret (shown, text);
  g_autofree gchar *hidden = relay_edit_hide (kept);
  const RelayProtocol *protocol = relay_protocol_find (text);
  g_auto (RelaySrtName) srt = { NULL };

  relay_srt_name_read (text, &srt);
  if (!g_str_equal (renamed, name) || !g_str_equal (hidden, shown))
    abort ();
  if (protocol == NULL || protocol->make_end != NULL || !g_utf8_validate (text, -1, NULL))
    return;
  for (gint sends = 0; sends < 2; sends++) {
    g_autoptr (RelayProtocolUri) uri = relay_protocol_uri_parse (text, sends, NULL, NULL);
    g_autofree gchar *described = uri != NULL ? relay_protocol_uri_describe (uri) : NULL;
  }
}

static void
fuzz_boxes (const guint8 *data, gsize size)
{
  static const gint64 first[PREVIEW_TRACKS] = { 0, G_USEC_PER_SEC };
  g_autofree guint8 *moov = g_memdup2 (data, size), *moof = g_memdup2 (data, size);
  PreviewTracks tracks = { 0 };
  gboolean begins;

  preview_tracks_read (&tracks, moov, size);
  preview_tracks_place (&tracks, moof, size, first, &begins);
  preview_sample_has_idr (data, size);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree gchar *text = size > 0 ? g_strndup ((const gchar *) data, size) : g_strdup ("");

  fuzz_gst_begin ();
  fuzz_text (text);
  fuzz_boxes (data, size);
  if (size > 0)
    relay_json_validation_check ((const gchar *) data, size);
  return 0;
}
