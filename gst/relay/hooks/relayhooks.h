/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhooks.h: hooks, which send events to servers and programs of the user.
 *
 * A hook sends events of /happened.json, each as it is there, one at a time and in order.  Up to
 * RELAY_HOOKS_WAITING others wait; then the oldest are dropped.  So nothing that happens waits for
 * a hook.
 *
 *     waiting --> under way --> delivered
 *                     |  ^
 *         no answer   v  |  the delays of relayretry.h
 *                    retry --> given up: after RELAY_HOOKS_AGE, or at once after 3xx and 4xx
 *
 * A program is called once for each event, whatever it returns.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_HOOKS_MOST 16                    /* in a configuration */
#define RELAY_HOOKS_WAITING 256                /* events of one hook */
#define RELAY_HOOKS_TIME 5000                  /* ms that a server may take */
#define RELAY_HOOKS_AGE (600 * G_USEC_PER_SEC) /* µs for which an event is tried */
#define RELAY_HOOKS_PROGRAM 60                 /* s that a program may run */

/* Kinds of events that a hook can send, ended by NULL: all but notes. */
extern const gchar *const relay_hooks_kinds[];

/* A hook as it is configured; it does not change, and is counted. */
typedef struct
{
  gchar *name;
  gchar **on;      /* kinds of events */
  gchar **streams; /* names of the streams of the events; NULL: all, and events of no stream */
  gchar *url;      /* may hold a secret; NULL: it has a program */
  gchar **run;     /* the program and its arguments */
  gchar *secret;   /* with which requests are signed; NULL: they are not */
} RelayHook;

typedef struct
{
  guint waiting;
  guint64 dropped; /* events, as too many waited */
  guint64 failed;  /* events that were given up */
} RelayHooksStats;

typedef struct _RelayHooks RelayHooks;

/* Takes over @name. The caller sets the other members. */
RelayHook *relay_hook_new (gchar *name);
void relay_hook_unref (RelayHook *hook);

RelayHooks *relay_hooks_new (void);
/* Gives up the events that wait, and kills the programs that run. */
void relay_hooks_free (RelayHooks *hooks);
/* @all: RelayHook, of the configuration in force. Events for a hook that has not changed go on
 * waiting. In the main context. */
void relay_hooks_use (RelayHooks *hooks, const GPtrArray *all);

/* Something has happened; from any thread.  @stream: NULL: it is about none.  @json: the event. */
void relay_hooks_note (RelayHooks *hooks, const gchar *kind, const gchar *stream,
    const gchar *json);
/* From any thread. */
void relay_hooks_get_stats (RelayHooks *hooks, RelayHooksStats *stats);

G_END_DECLS
