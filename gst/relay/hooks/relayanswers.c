/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayanswers.h"

typedef struct
{
  gchar *question;
  guint64 network;
  guint status;
  gint64 until;
} Answer;

struct _RelayAnswers
{
  GHashTable *all; /* Answer, by its question */
  GQueue order;    /* the same, the oldest first */
};

static void
free_answer (gpointer data)
{
  Answer *answer = data;

  g_free (answer->question);
  g_free (answer);
}

RelayAnswers *
relay_answers_new (void)
{
  RelayAnswers *answers = g_new0 (RelayAnswers, 1);

  answers->all = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_answer);
  return answers;
}

void
relay_answers_free (RelayAnswers *answers)
{
  g_queue_clear (&answers->order);
  g_hash_table_unref (answers->all);
  g_free (answers);
}

static void
drop (RelayAnswers *answers, GList *link)
{
  Answer *answer = link->data;

  g_queue_delete_link (&answers->order, link);
  g_hash_table_remove (answers->all, answer->question);
}

/* Drops the oldest answer of the network that has most.  The answers are counted from the newest
 * on, so the one at which a count becomes the highest is that network's oldest. */
static void
make_room (RelayAnswers *answers)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_int64_hash, g_int64_equal);
  GList *found = NULL;
  guint most = 0;

  for (GList *l = answers->order.tail; l != NULL; l = l->prev) {
    Answer *answer = l->data;
    guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, &answer->network)) + 1;

    g_hash_table_insert (counts, &answer->network, GUINT_TO_POINTER (n));
    if (n >= most) {
      most = n;
      found = l;
    }
  }
  drop (answers, found);
}

void
relay_answers_keep (RelayAnswers *answers, const gchar *question, guint64 network, guint status,
    gint64 until)
{
  Answer *answer;

  if (g_hash_table_contains (answers->all, question))
    return;
  if (answers->order.length == RELAY_ANSWERS_MOST)
    make_room (answers);
  answer = g_new (Answer, 1);
  *answer = (Answer) { g_strdup (question), network, status, until };
  g_hash_table_insert (answers->all, answer->question, answer);
  g_queue_push_tail (&answers->order, answer);
}

guint
relay_answers_find (RelayAnswers *answers, const gchar *question, gint64 now)
{
  const Answer *answer;

  while ((answer = g_queue_peek_head (&answers->order)) != NULL && answer->until <= now)
    drop (answers, answers->order.head);
  answer = g_hash_table_lookup (answers->all, question);
  return answer != NULL ? answer->status : 0;
}
