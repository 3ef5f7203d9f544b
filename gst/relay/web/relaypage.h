/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaypage.h: the page for a browser: one text, made of page.html, page.css and page-*.js. Labels,
 * units and meanings of figures come from relayfiguretable.c, as FIGURES.
 *
 * The browser is told to run no script but the page's, and to send requests to the relay alone
 * (Content-Security-Policy, with the digests of the script and of the style).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gchar *html;
  gchar *policy; /* its Content-Security-Policy */
} RelayPageText;

void relay_page_text_init (RelayPageText *text);
void relay_page_text_clear (RelayPageText *text);

G_END_DECLS
