/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayretry.h"

typedef struct
{
  RelayRetry *retry;
  guint id;
  guint delay; /* ms */
  guint timer; /* 0: none runs, as it does not wait */
} Output;

struct _RelayRetry
{
  GHashTable *outputs; /* Output, by id */
  RelayRetryFunc func;
  gpointer data;
};

guint
relay_retry_next (guint delay, gboolean lasted)
{
  return lasted || delay == 0 ? RELAY_RETRY_FIRST : MIN (2 * delay, RELAY_RETRY_MAX);
}

static void
stop_timer (Output *output)
{
  if (output->timer != 0)
    g_source_remove (output->timer);
}

static void
free_output (Output *output)
{
  stop_timer (output);
  g_free (output);
}

RelayRetry *
relay_retry_new (RelayRetryFunc func, gpointer data)
{
  RelayRetry *retry = g_new0 (RelayRetry, 1);

  retry->outputs = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) free_output);
  retry->func = func;
  retry->data = data;
  return retry;
}

void
relay_retry_free (RelayRetry *retry)
{
  g_hash_table_unref (retry->outputs);
  g_free (retry);
}

static gboolean
is_due (gpointer data)
{
  Output *output = data;

  if (!output->retry->func (output->id, output->retry->data))
    return G_SOURCE_CONTINUE;
  output->timer = 0;
  return G_SOURCE_REMOVE;
}

guint
relay_retry_failed (RelayRetry *retry, guint id, gboolean lasted)
{
  Output *output = g_hash_table_lookup (retry->outputs, GUINT_TO_POINTER (id));

  if (output == NULL) {
    output = g_new0 (Output, 1);
    output->retry = retry;
    output->id = id;
    g_hash_table_insert (retry->outputs, GUINT_TO_POINTER (id), output);
  }
  output->delay = relay_retry_next (output->delay, lasted);
  stop_timer (output);
  output->timer = g_timeout_add (output->delay, is_due, output);
  return output->delay;
}

gboolean
relay_retry_waits (const RelayRetry *retry, guint id)
{
  const Output *output = g_hash_table_lookup (retry->outputs, GUINT_TO_POINTER (id));

  return output != NULL && output->timer != 0;
}

guint
relay_retry_count (const RelayRetry *retry)
{
  GHashTableIter iter;
  gpointer output;
  guint n = 0;

  g_hash_table_iter_init (&iter, retry->outputs);
  while (g_hash_table_iter_next (&iter, NULL, &output))
    n += ((Output *) output)->timer != 0;
  return n;
}

void
relay_retry_forget (RelayRetry *retry, guint id)
{
  g_hash_table_remove (retry->outputs, GUINT_TO_POINTER (id));
}

void
relay_retry_forget_all (RelayRetry *retry)
{
  g_hash_table_remove_all (retry->outputs);
}
