/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayrules.h: the rules by which a source that gives media is bad, and the next one is used.
 *
 * Of each rule, a source has an answer: YES, its fault is there; NO, it is not; UNKNOWN.  A rule
 * has a time.  The fault that has been there for that time without a pause makes the source bad,
 * and it is bad until each fault for which it is has been away for the time of its rule without a
 * pause.  An answer lasts from when it was first seen to when it was last seen: one picture says
 * nothing of the time until the next one.
 *
 *     GOOD --- YES for the time ---> BAD
 *      ^                              |
 *      +------ NO for the time -------+
 *
 * UNKNOWN decides nothing: it ends the time that runs, and changes neither GOOD nor BAD.  So the
 * state of a rule changes at most once in its time, whatever the answers are.
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

typedef struct
{
  RelayAnswer answer;
  gint64 seen; /* when it was last seen: µs, any clock that never steps back */
} RelayFinding;

/* Of one source. All 0 at first. */
typedef struct
{
  struct
  {
    RelayAnswer answer;
    gint64 since;   /* when the answer was first seen */
    gint64 unknown; /* when there was none, last: what was seen before does not count any more */
    gboolean bad;
  } rules[RELAY_RULES];
  gboolean faults; /* the fault of a rule is there, whether it is bad by it or not */
  gint64 faulty;   /* when the fault of a rule by which it is bad was last there; 0: never */
} RelayJudgement;

/* @times: of each rule, µs; 0: it is not applied.  Returns the rule by which the source is bad, or
 * RELAY_RULE_NONE. */
gint relay_judgement_note (RelayJudgement *judgement, const gint64 times[RELAY_RULES],
    const RelayFinding findings[RELAY_RULES]);
/* Since when it has had no fault, but for those that came and went without making it bad. */
gint64 relay_judgement_get_faulty (const RelayJudgement *judgement, gint64 now);

G_END_DECLS
