/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayanswers.h: the answers of a server about callers, kept for a time.
 *
 * When there are RELAY_ANSWERS_MOST, the network with the most of them loses its oldest one for a
 * new one.  So a network that asks much forgets its own answers, and those of others stay.
 *
 * Time is an argument (µs).  The caller locks.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_ANSWERS_MOST 4096

typedef struct _RelayAnswers RelayAnswers;

RelayAnswers *relay_answers_new (void);
void relay_answers_free (RelayAnswers *answers);

/* @until: not before that of an answer that is kept.  @network: of the caller; relaynetwork.h. */
void relay_answers_keep (RelayAnswers *answers, const gchar *question, guint64 network,
    guint status, gint64 until);
/* 0: no answer to this question is kept. */
guint relay_answers_find (RelayAnswers *answers, const gchar *question, gint64 now);

G_END_DECLS
