/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaypage.h"
#include <gio/gio.h>
#include <string.h>
#include "relayalarms.h"
#include "relayfiguretable.h"
#include "relaypageresource.h"

#define STYLE "/*STYLE*/"
#define SCRIPT "/*SCRIPT*/"
#define DIGEST 32 /* bytes, SHA-256 */

/* In the order in which they are joined to one script. */
static const gchar *const scripts[] = { "page-dom.js", "page-words.js", "page-chart.js",
  "page-api.js", "page-qr.js", "page-address.js", "page-alarms.js", "page-screen.js",
  "page-preview.js", "page-ts.js", "page-wall.js", "page-receiver.js", "page-stream.js",
  "page-main.js" };

static void
append (GString *to, const gchar *name)
{
  g_autofree gchar *path = g_strconcat ("/relay/", name, NULL);
  g_autoptr (GBytes) text =
      g_resource_lookup_data (relay_page_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  g_string_append_len (to, g_bytes_get_data (text, NULL), g_bytes_get_size (text));
}

/* 'sha256-...', the digest by which a policy names a script or a style. */
static gchar *
make_digest (const gchar *text)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[DIGEST];
  gsize size = sizeof digest;
  g_autofree gchar *coded = NULL;

  g_checksum_update (sum, (const guchar *) text, strlen (text));
  g_checksum_get_digest (sum, digest, &size);
  coded = g_base64_encode (digest, size);
  return g_strdup_printf ("'sha256-%s'", coded);
}

void
relay_page_text_init (RelayPageText *text)
{
  g_autoptr (GString) html = g_string_new (NULL), style = g_string_new ("\n");
  g_autoptr (GString) script = g_string_new ("\n\"use strict\";\n");
  g_autofree gchar *of_style = NULL, *of_script = NULL, *figures = relay_figures_to_json ();
  g_autofree gchar *alarms = relay_alarms_to_json ();

  append (html, "page.html");
  append (style, "page.css");
  g_string_append_printf (script, "const FIGURES = %s, ALARMS = %s;\n", figures, alarms);
  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    append (script, scripts[i]);
  of_style = make_digest (style->str);
  of_script = make_digest (script->str);
  g_string_replace (html, STYLE, style->str, 1);
  g_string_replace (html, SCRIPT, script->str, 1);
  text->html = g_strdup (html->str);
  text->policy = g_strdup_printf (
      "default-src 'none'; style-src %s; script-src %s; "
      "connect-src 'self'; img-src 'self' blob: data:; media-src blob:; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'",
      of_style, of_script);
}

void
relay_page_text_clear (RelayPageText *text)
{
  g_clear_pointer (&text->html, g_free);
  g_clear_pointer (&text->policy, g_free);
}
