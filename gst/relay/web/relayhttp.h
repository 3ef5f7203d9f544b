/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhttp.h: a small web server (libmicrohttpd) for pages that are made on request.
 *
 * It has a thread of its own.  relayconnectionlimits.h decides how many connections stay, and how
 * long. Each takes 16 KiB of memory, in which the head of a request has to fit, a copy of the parts
 * of that head which decide, the page, and what it sends to the API, up to 64 KiB; it is closed
 * after 5 s without a byte.
 *
 * Some listen to a feed, of events or of a preview, as long as they read all of it
 * (relayconnectionlimits.h says how many, and how long one may take for a piece).  Nothing is kept
 * for those that do not: the system holds 64 KiB for each.
 *
 * The server's thread answers GET and HEAD of pages, and ignores bodies.  The main context answers
 * requests below /api/, and for previews, as the streams run there, and asks about requests for
 * which the server of auth-url decides: their connections wait meanwhile, and hold up no other.
 */
#pragma once

#include <gio/gio.h>
#include "relayaccess.h"
#include "relayfeed.h"

G_BEGIN_DECLS

typedef struct _RelayHttp RelayHttp;

#define RELAY_HTTP_API "/api/"
#define RELAY_HTTP_METRICS "/metrics"
#define RELAY_HTTP_BODY_MAX (64 * 1024) /* bytes */
#define RELAY_PAGE_TAG 24               /* bytes of an ETag, with its quotes */

typedef struct
{
  guint status;              /* 200 */
  const gchar *type;         /* of the content */
  const gchar *allow;        /* with 405: which methods there are; NULL: GET and HEAD */
  gchar tag[RELAY_PAGE_TAG]; /* ETag of what the API can change; empty: none */
  gchar *location;           /* with 201, relative to the path of the request; NULL: none */
  const gchar *policy;       /* Content-Security-Policy; NULL: none */
  gchar *cookie;             /* Set-Cookie; NULL: none */
  gboolean by_main_context;  /* the main context answers GET, as it does requests to the API */
  RelayFeed *feed;           /* what GET gets instead of the text; NULL: the text */
  gchar *media;              /* type of the content, instead of the other; NULL: the other */
  gchar *text;
  GBytes *bytes; /* sent instead of the text; NULL: the text is sent */
} RelayPage;

typedef struct _RelayRequest RelayRequest;

/* The client that sends a request, by its credentials. */
typedef struct
{
  const gchar *known_by; /* as openapi.json names it; NULL: it is not known */
  RelayRole role;
  gchar *name;  /* of the user or token; NULL: none */
  gchar *title; /* the same, as the log has it */
} RelayAdmitted;

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
  guint64 network;      /* of the client */
  const gchar *cookie;
  gboolean secure; /* the browser got the page by TLS, from a proxy */
  RelayAdmitted by;
  RelayRequest *handle; /* to answer it */
} RelayApiRequest;

typedef enum
{
  RELAY_REFUSED,
  RELAY_ALLOWED,
  RELAY_ASKS, /* the server of auth-url decides */
} RelayVerdict;

typedef struct
{
  /* May this address connect? Called in the server's thread, before anything is read. */
  gboolean (*accepts) (GInetAddress *address, gpointer data);
  /* Makes a page. FALSE: there is no such page. Called in the server's thread, for one page at a
   * time. */
  gboolean (*make_page) (const gchar *path, RelayPage *page, gpointer data);
  /* Is this request allowed? RELAY_REFUSED: the page says why. Called in the server's thread, for
   * each request, before its body is read; and again when that server has decided. */
  RelayVerdict (*admit) (const RelayAsk *ask, RelayAdmitted *admitted, RelayPage *page,
      gpointer data);
  /* Is it still? Called each second in the main context for each client that listens to events,
   * with the server's lock held. */
  gboolean (*may_stay) (const RelayAsk *ask, gpointer data);
  /* Asks about a request with RELAY_ASKS. Called in the main context; call relay_request_decide()
   * then, or later. NULL: there is no RELAY_ASKS. */
  void (*ask) (RelayRequest *request, const RelayAsk *ask, gpointer data);
  /* Takes a request to the API, or for a page that has by_main_context. Called in the main context;
   * call relay_request_answer() then, or later. */
  void (*take) (RelayRequest *request, gpointer data);
} RelayHttpFuncs;

/* Fills in a page of plain text, which it takes. */
void relay_page_set_text (RelayPage *page, guint status, gchar *text);

/* @error: G_IO_ERROR, e.g. _ADDRESS_IN_USE. */
RelayHttp *relay_http_new (GSocketAddress *address, const RelayHttpFuncs *funcs, gpointer data,
    GError **error);
/* Unanswered requests get 503; a later relay_request_answer() does nothing. */
void relay_http_free (RelayHttp *http);

/* Valid until the request is answered. */
const RelayApiRequest *relay_request_get (RelayRequest *request);
/* FALSE: it was answered as the server ends, or its client has gone; it still has to be answered.
 */
gboolean relay_request_waits (RelayRequest *request);
/* The server of auth-url was asked, so the request goes on. @role: of a client that is let in. Call
 * it once. */
void relay_request_decide (RelayRequest *request, RelayHooked hooked, RelayRole role);
/* Takes the texts, bytes and feed of @page. Call it once. */
void relay_request_answer (RelayRequest *request, const RelayPage *page);

G_END_DECLS
