/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhttp.h: a small web server (libmicrohttpd) of pages that are made when they are
 * asked for.
 *
 * One thread of its own; at most 64 connections, 32 of one address, each closed when
 * nothing has passed for 5 s, 16 KiB of memory each, and what is sent.  GET and HEAD
 * only; bodies are not read.
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

/* FALSE: there is no such page. In the server's thread, one at a time. */
typedef gboolean (*RelayHttpFunc) (const gchar * path, RelayPage * page,
    gpointer data);

RelayHttp *relay_http_new (GSocketAddress * address, RelayHttpFunc func,
    gpointer data, GError ** error);
void relay_http_free (RelayHttp * http);

G_END_DECLS
