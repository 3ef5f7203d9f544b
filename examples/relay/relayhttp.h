/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhttp.h: a small web server (libmicrohttpd) for pages that are made on request.
 *
 * It has a thread of its own.  relayguests.h decides how many connections stay, and how long.
 * Each takes 16 KiB of memory, and the page, and is closed after 5 s without a byte.  It
 * answers GET and HEAD only, and does not use bodies.
 *
 * The socket is made here, not by the library, which does not report why it could not make one
 * (up to 0.9, errno is left as it was by chance; 1.0 changes it on its way out).
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _RelayHttp RelayHttp;

typedef struct
{
  guint status;      /* 200 */
  const gchar *type; /* of the content */
  gchar *text;
} RelayPage;

/* @host: the name by which the server is asked, as the client gives it; NULL: none.
 * FALSE: there is no such page. Called in the server's thread, for one page at a time. */
typedef gboolean (*RelayHttpFunc) (const gchar *host, const gchar *path, RelayPage *page,
    gpointer data);

/* @error: G_IO_ERROR, e.g. _ADDRESS_IN_USE. */
RelayHttp *relay_http_new (GSocketAddress *address, RelayHttpFunc func, gpointer data,
    GError **error);
void relay_http_free (RelayHttp *http);

G_END_DECLS
