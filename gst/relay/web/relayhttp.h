/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhttp.h: a small web server (libmicrohttpd) for pages that are made on request.
 *
 * It has a thread of its own.  relayconnectionlimits.h decides how many connections stay, and how
 * long. Each takes 16 KiB of memory, the page, and what it sends to the API, up to 64 KiB; it is
 * closed after 5 s without a byte.
 *
 * Some listen to an event stream, as long as they read all of it (relayconnectionlimits.h says how
 * many, and how long one may take for a frame).  Nothing is kept for those that do not: the system
 * holds 64 KiB for each.
 *
 * The server's thread answers GET and HEAD of pages, and ignores bodies.  The main context answers
 * requests below /api/, as they change the streams that run there: their connections wait
 * meanwhile, and hold up no other.
 *
 * The socket is made here, not by the library, which does not report why it could not make one
 * (up to 0.9, errno is left as it was by chance; 1.0 changes it on its way out).
 */
#pragma once

#include <gio/gio.h>
#include "relayaccess.h"
#include "relayeventstream.h"

G_BEGIN_DECLS

typedef struct _RelayHttp RelayHttp;

#define RELAY_HTTP_API "/api/"
#define RELAY_HTTP_BODY_MAX (64 * 1024) /* bytes */
#define RELAY_PAGE_TAG 24               /* bytes of an ETag, with its quotes */

typedef struct
{
  guint status;                   /* 200 */
  const gchar *type;              /* of the content */
  const gchar *allow;             /* with 405: which methods there are; NULL: GET and HEAD */
  gchar tag[RELAY_PAGE_TAG];      /* ETag of what the API can change; empty: none */
  gchar *location;                /* with 201, relative to the path of the request; NULL: none */
  const gchar *policy;            /* Content-Security-Policy; NULL: none */
  RelayEventStream *event_stream; /* events that GET gets instead of the text; NULL: none */
  gchar *text;
  GBytes *bytes; /* sent instead of the text; NULL: the text is sent */
  gint64 time;   /* when the bytes were made, by which a client may cache them: µs, UTC; 0: it may
                    not */
} RelayPage;

typedef struct _RelayRequest RelayRequest;

/* A request to the API. */
typedef struct
{
  const gchar *method;
  const gchar *path; /* as it was sent, with % in it, and without a query */
  const gchar *body;
  gsize size;           /* bytes of the body */
  gboolean only_new;    /* an existing resource may not be changed: If-None-Match: * (RFC 9110) */
  const gchar *match;   /* If-Match: what may be changed; NULL: anything */
  const gchar *address; /* of the client, without its port; NULL: by a UNIX socket */
} RelayApiRequest;

typedef struct
{
  /* Makes a page. @host: the name by which the server is asked, as the client gives it; NULL: none.
   * FALSE: there is no such page. Called in the server's thread, for one page at a time. */
  gboolean (*make_page) (const gchar *host, const gchar *path, RelayPage *page, gpointer data);
  /* Does the API accept this request? FALSE: the page says why not.  Called in the server's thread,
   * before the body is read. @local: by a UNIX socket. */
  gboolean (*admit) (const RelayAsk *ask, gboolean local, RelayPage *page, gpointer data);
  /* Takes a request to the API. Called in the main context; call relay_request_answer() then, or
   * later. */
  void (*take) (RelayRequest *request, gpointer data);
  /* Does the client know the token? @authorization: its header; @local: by a UNIX socket. Called in
   * the server's thread; NULL: no client knows it. */
  gboolean (*is_trusted) (const gchar *authorization, gboolean local, gpointer data);
} RelayHttpFuncs;

/* @error: G_IO_ERROR, e.g. _ADDRESS_IN_USE. */
RelayHttp *relay_http_new (GSocketAddress *address, const RelayHttpFuncs *funcs, gpointer data,
    GError **error);
/* Unanswered requests get 503; a later relay_request_answer() does nothing. */
void relay_http_free (RelayHttp *http);

/* Valid until the request is answered. */
const RelayApiRequest *relay_request_get (RelayRequest *request);
/* Takes the texts and bytes of @page. Call it once. */
void relay_request_answer (RelayRequest *request, const RelayPage *page);

G_END_DECLS
