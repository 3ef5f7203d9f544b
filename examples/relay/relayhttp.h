/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhttp.h: a small web server (libmicrohttpd) for pages that are made on request.
 *
 * It has a thread of its own.  It takes at most 64 connections, 32 from one address.
 * Each is closed after 5 s without a byte, and after 10 s in any case.  Each takes 16 KiB
 * of memory, and the page.  It answers GET and HEAD only, and does not use bodies.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _RelayHttp RelayHttp;

typedef struct
{
  guint status;                 /* 200 */
  const gchar *type;            /* of the content */
  gchar *text;
} RelayPage;

/* FALSE: there is no such page. Called in the server's thread, for one page at a time. */
typedef gboolean (*RelayHttpFunc) (const gchar * path, RelayPage * page,
    gpointer data);

RelayHttp *relay_http_new (GSocketAddress * address, RelayHttpFunc func,
    gpointer data, GError ** error);
void relay_http_free (RelayHttp * http);

G_END_DECLS
