/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayrules.h: the rules by which a source that gives media is bad, and the next one is used.
 *
 * Of each rule, a source has an answer: YES, its fault is there; NO, it is not; UNKNOWN.  A rule
 * has a time.  The fault that has been there for that time without a pause makes the source bad,
 * and it is bad until each fault for which it is has been away for the time of its rule without a
 * pause:
 *
 *     GOOD --- YES for the time ---> BAD
 *      ^                              |
 *      +------ NO for the time -------+
 *
 * UNKNOWN decides nothing: it ends the time that runs, and changes neither GOOD nor BAD.  So the
 * state of a rule changes at most once in its time, whatever the answers are.
 *
 * Time is an argument (µs, any clock that never steps back).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  RELAY_NO,
  RELAY_YES,
  RELAY_UNKNOWN,
} RelayAnswer;

/* The first that makes a source bad is told as the reason. */
typedef enum
{
  RELAY_RULE_ERRORS,
  RELAY_RULE_NO_VIDEO,
  RELAY_RULE_BLACK,
  RELAY_RULE_FROZEN,
  RELAY_RULE_SILENCE,
  RELAY_RULES,
} RelayRule;

#define RELAY_RULE_NONE (-1)
#define RELAY_RULE_MAX 3600 /* s */

typedef struct
{
  const gchar *name;  /* in the status */
  const gchar *key;   /* in the configuration: its time, s; 0: the rule is not applied */
  const gchar *fault; /* of a source, a sentence without its subject and its full stop */
  gboolean pictured;  /* the picture's process sees it; else the monitor of the stream does */
} RelayRuleRow;

extern const RelayRuleRow relay_rule_rows[RELAY_RULES];

/* Of one source. All 0 at first. */
typedef struct
{
  struct
  {
    RelayAnswer answer;
    gint64 since; /* when the answer began */
    gboolean bad;
  } rules[RELAY_RULES];
  gint64 faulty; /* when a fault of a rule that is applied was last there; 0: never */
} RelayJudgement;

/* @times: of each rule, µs; 0: it is not applied.  Returns the rule by which the source is bad, or
 * RELAY_RULE_NONE. */
gint relay_judgement_note (RelayJudgement *judgement, const gint64 times[RELAY_RULES],
    const RelayAnswer answers[RELAY_RULES], gint64 now);

G_END_DECLS
