/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayhooks.h"
#include <string.h>
#include "relayclient.h"
#include "relaylog.h"
#include "relayprogram.h"
#include "relayrepeats.h"
#include "relayretry.h"

const gchar *const relay_hooks_kinds[] = { "came", "went", "refused", "switched", "raised",
  "cleared", "piece", "warning", NULL };

typedef struct
{
  GBytes *body;
  gint64 since; /* µs */
} Event;

/* One hook.  `waiting' and `now' are under the lock, the rest is used in the main context. */
typedef struct
{
  RelayHooks *owner;
  RelayHook *settings;
  GQueue waiting;        /* Event, the oldest first */
  Event *now;            /* the event under way, or the one that is retried; NULL: none */
  guint delay;           /* ms, before its last retry; 0: it was not retried */
  guint timer;           /* until the next try */
  gboolean asked;        /* an answer is awaited */
  gboolean gone;         /* it is not configured any more: it is freed with the answer */
  RelayProgram *program; /* NULL: it has a server */
} Line;

struct _RelayHooks
{
  RelayClient *client; /* NULL: no hook has needed it yet */
  RelayRepeats *repeats;
  GMutex lock;      /* guards the rest */
  GPtrArray *lines; /* Line */
  guint look;       /* source of look(); 0: none */
  guint64 dropped, failed;
};

static void
free_event (Event *event)
{
  g_bytes_unref (event->body);
  g_free (event);
}

/* --- settings -------------------------------------------------------------------------------- */

RelayHook *
relay_hook_new (gchar *name)
{
  RelayHook *hook = g_atomic_rc_box_new0 (RelayHook);

  hook->name = name;
  return hook;
}

static void
clear_hook (gpointer data)
{
  RelayHook *hook = data;

  g_free (hook->name);
  g_strfreev (hook->on);
  g_strfreev (hook->streams);
  g_free (hook->url);
  g_strfreev (hook->run);
  if (hook->secret != NULL)
    explicit_bzero (hook->secret, strlen (hook->secret));
  g_free (hook->secret);
}

void
relay_hook_unref (RelayHook *hook)
{
  g_atomic_rc_box_release_full (hook, clear_hook);
}

static gboolean
is_same_list (gchar **a, gchar **b)
{
  return a == NULL || b == NULL ? a == b :
                                  g_strv_equal ((const gchar *const *) a, (const gchar *const *) b);
}

static gboolean
is_same_hook (const RelayHook *a, const RelayHook *b)
{
  return g_str_equal (a->name, b->name) && is_same_list (a->on, b->on)
      && is_same_list (a->streams, b->streams) && g_strcmp0 (a->url, b->url) == 0
      && is_same_list (a->run, b->run) && g_strcmp0 (a->secret, b->secret) == 0;
}

/* --- delivery, in the main context ------------------------------------------------------------- */

static void begin (Line *line);
static gboolean look (gpointer data);

/* Under the lock. */
static void
look_soon (RelayHooks *hooks)
{
  if (hooks->look == 0)
    hooks->look = g_idle_add (look, hooks);
}

static void
done (Line *line, gboolean delivered)
{
  RelayHooks *hooks = line->owner;

  line->delay = 0;
  g_mutex_lock (&hooks->lock);
  hooks->failed += !delivered;
  g_clear_pointer (&line->now, free_event);
  look_soon (hooks);
  g_mutex_unlock (&hooks->lock);
}

static void
free_line (Line *line)
{
  if (line->timer != 0)
    g_source_remove (line->timer);
  g_clear_pointer (&line->program, relay_program_free);
  g_clear_pointer (&line->now, free_event);
  g_queue_clear_full (&line->waiting, (GDestroyNotify) free_event);
  relay_hook_unref (line->settings);
  g_free (line);
}

/* Logs that the hook has failed.  A line of this name calls no hook. */
static void
note_failure (Line *line, const gchar *why, const gchar *then)
{
  g_autofree gchar *what = g_strdup_printf ("[hook %s] %s.", line->settings->name, why);

  relay_repeats_warn (line->owner->repeats, NULL, RELAY_LOG_HOOK_FAILED, what, then);
}

static gboolean
on_retry (gpointer data)
{
  Line *line = data;

  line->timer = 0;
  begin (line);
  return G_SOURCE_REMOVE;
}

static void
retry (Line *line)
{
  line->delay = relay_retry_next (line->delay, FALSE);
  line->timer = g_timeout_add (line->delay, on_retry, line);
}

#define GIVEN_UP " Events of ten minutes ago are given up."

static gboolean
is_old (const Line *line)
{
  return g_get_monotonic_time () - line->now->since >= RELAY_HOOKS_AGE;
}

static void
on_answer (guint status, const gchar *why, gpointer data)
{
  Line *line = data;
  g_autofree gchar *code = g_strdup_printf ("the server answers with status %u", status);

  line->asked = FALSE;
  if (line->gone) {
    free_line (line);
  } else if (status / 100 == 2) {
    done (line, TRUE);
  } else if (!relay_client_may_help (status)) {
    note_failure (line, code, " This event is not tried again.");
    done (line, FALSE);
  } else if (is_old (line)) {
    note_failure (line, why != NULL ? why : code, GIVEN_UP);
    done (line, FALSE);
  } else {
    note_failure (line, why != NULL ? why : code, " It is tried again.");
    retry (line);
  }
}

/* Returns the signature of a body at this time: that of time, full stop and body. */
static gchar *
sign (const gchar *secret, gint64 seconds, GBytes *body)
{
  g_autofree gchar *time = g_strdup_printf ("%" G_GINT64_FORMAT ".", seconds);
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, (const guchar *) secret, strlen (secret));
  gsize size;
  const guchar *data = g_bytes_get_data (body, &size);
  gchar *text;

  g_hmac_update (hmac, (const guchar *) time, -1);
  g_hmac_update (hmac, data, size);
  text = g_strdup_printf ("t=%" G_GINT64_FORMAT ",v1=%s", seconds, g_hmac_get_string (hmac));
  g_hmac_unref (hmac);
  return text;
}

static void
post (Line *line)
{
  RelayHooks *hooks = line->owner;
  const RelayHook *settings = line->settings;
  g_autofree gchar *signature = settings->secret != NULL ?
      sign (settings->secret, g_get_real_time () / G_USEC_PER_SEC, line->now->body) :
      NULL;

  if (hooks->client == NULL)
    hooks->client = relay_client_new ();
  line->asked = TRUE;
  relay_client_post (hooks->client, settings->url, line->now->body, signature, RELAY_HOOKS_TIME,
      on_answer, line);
}

static void
call_program (Line *line)
{
  RelayProgramResult result = relay_program_call (line->program, line->now->body);

  if (result == RELAY_PROGRAM_STARTED) {
    done (line, TRUE);
  } else if (result == RELAY_PROGRAM_FAILED && is_old (line)) {
    note_failure (line, "the program cannot be started", GIVEN_UP);
    done (line, FALSE);
  } else {
    retry (line);
  }
}

/* Begins the next try, or the next event. */
static void
begin (Line *line)
{
  if (line->now == NULL) {
    g_mutex_lock (&line->owner->lock);
    line->now = g_queue_pop_head (&line->waiting);
    g_mutex_unlock (&line->owner->lock);
  }
  if (line->now == NULL)
    return;
  if (line->program != NULL)
    call_program (line);
  else
    post (line);
}

/* Has each hook with no event under way begin with the next one that waits. */
static gboolean
look (gpointer data)
{
  RelayHooks *hooks = data;

  g_mutex_lock (&hooks->lock);
  hooks->look = 0;
  g_mutex_unlock (&hooks->lock);
  /* lines come and go in the main context alone */
  for (guint i = 0; i < hooks->lines->len; i++) {
    Line *line = g_ptr_array_index (hooks->lines, i);

    if (line->now == NULL)
      begin (line);
  }
  return G_SOURCE_REMOVE;
}

/* --- what happens ------------------------------------------------------------------------------ */

static gboolean
is_for (const RelayHook *hook, const gchar *kind, const gchar *stream)
{
  return g_strv_contains ((const gchar *const *) hook->on, kind)
      && (hook->streams == NULL
          || (stream != NULL && g_strv_contains ((const gchar *const *) hook->streams, stream)));
}

/* Under the lock. */
static void
add (Line *line, const gchar *json)
{
  Event *event = g_new (Event, 1);

  *event = (Event) { g_bytes_new (json, strlen (json)), g_get_monotonic_time () };
  if (line->waiting.length == RELAY_HOOKS_WAITING) {
    free_event (g_queue_pop_head (&line->waiting));
    line->owner->dropped++;
  }
  g_queue_push_tail (&line->waiting, event);
  look_soon (line->owner);
}

void
relay_hooks_note (RelayHooks *hooks, const gchar *kind, const gchar *stream, const gchar *json)
{
  g_mutex_lock (&hooks->lock);
  for (guint i = 0; i < hooks->lines->len; i++) {
    Line *line = g_ptr_array_index (hooks->lines, i);

    if (is_for (line->settings, kind, stream))
      add (line, json);
  }
  g_mutex_unlock (&hooks->lock);
}

void
relay_hooks_get_stats (RelayHooks *hooks, RelayHooksStats *stats)
{
  g_mutex_lock (&hooks->lock);
  *stats = (RelayHooksStats) { 0, hooks->dropped, hooks->failed };
  for (guint i = 0; i < hooks->lines->len; i++) {
    const Line *line = g_ptr_array_index (hooks->lines, i);

    stats->waiting += line->waiting.length + (line->now != NULL);
  }
  g_mutex_unlock (&hooks->lock);
}

/* --- the whole --------------------------------------------------------------------------------- */

/* A line that was taken out of the list. */
static void
let_go (gpointer data)
{
  Line *line = data;

  line->gone = TRUE;
  if (!line->asked)
    free_line (line);
}

RelayHooks *
relay_hooks_new (void)
{
  RelayHooks *hooks = g_new0 (RelayHooks, 1);

  hooks->repeats = relay_repeats_new ();
  hooks->lines = g_ptr_array_new_with_free_func (let_go);
  g_mutex_init (&hooks->lock);
  return hooks;
}

/* Takes the line of this hook out of @lines. NULL: there is none. */
static Line *
take_line (GPtrArray *lines, const RelayHook *settings)
{
  for (guint i = 0; i < lines->len; i++)
    if (is_same_hook (((Line *) g_ptr_array_index (lines, i))->settings, settings))
      return g_ptr_array_steal_index_fast (lines, i);
  return NULL;
}

static Line *
make_line (RelayHooks *hooks, RelayHook *settings)
{
  Line *line = g_new0 (Line, 1);

  line->owner = hooks;
  line->settings = g_atomic_rc_box_acquire (settings);
  if (settings->run != NULL)
    line->program = relay_program_new ((const gchar *const *) settings->run, RELAY_HOOKS_PROGRAM);
  return line;
}

void
relay_hooks_use (RelayHooks *hooks, const GPtrArray *all)
{
  g_autoptr (GPtrArray) old = hooks->lines;

  g_mutex_lock (&hooks->lock);
  hooks->lines = g_ptr_array_new_with_free_func (let_go);
  for (guint i = 0; i < all->len; i++) {
    Line *line = take_line (old, g_ptr_array_index (all, i));

    g_ptr_array_add (hooks->lines,
        line != NULL ? line : make_line (hooks, g_ptr_array_index (all, i)));
  }
  g_mutex_unlock (&hooks->lock);
}

void
relay_hooks_free (RelayHooks *hooks)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();

  for (guint i = 0; i < hooks->lines->len; i++)
    ((Line *) g_ptr_array_index (hooks->lines, i))->asked = FALSE;
  relay_hooks_use (hooks, none);
  if (hooks->look != 0)
    g_source_remove (hooks->look);
  /* runs the main loop, in which no source of a line is left; does not call back */
  g_clear_pointer (&hooks->client, relay_client_free);
  relay_repeats_free (hooks->repeats);
  g_ptr_array_unref (hooks->lines);
  g_mutex_clear (&hooks->lock);
  g_free (hooks);
}
