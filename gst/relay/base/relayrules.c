/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayrules.h"

const RelayRuleRow relay_rule_rows[RELAY_RULES] = {
  [RELAY_RULE_ERRORS] = { "errors", "leave-on-errors", "has had errors of priority 1 (TR 101 290)",
      FALSE },
  [RELAY_RULE_NO_VIDEO] = { "no-video", "leave-on-no-video", "has given no video", FALSE },
  [RELAY_RULE_BLACK] = { "black", "leave-on-black", "has been black", TRUE },
  [RELAY_RULE_FROZEN] = { "frozen", "leave-on-frozen", "has shown the same picture", TRUE },
  [RELAY_RULE_SILENCE] = { "silence", "leave-on-silence", "has had no sound", TRUE },
};

/* Brings the state of rule @i up to date. */
static void
decide (RelayJudgement *judgement, guint i, gint64 time, const RelayFinding *finding)
{
  RelayAnswer answer = finding->answer;

  if (answer == RELAY_UNKNOWN)
    judgement->rules[i].unknown = finding->seen;
  else if (finding->seen < judgement->rules[i].unknown)
    answer = RELAY_UNKNOWN;
  if (answer != judgement->rules[i].answer)
    judgement->rules[i].since = finding->seen;
  judgement->rules[i].answer = answer;
  if (time == 0)
    judgement->rules[i].bad = FALSE;
  else if (answer != RELAY_UNKNOWN && finding->seen - judgement->rules[i].since >= time)
    judgement->rules[i].bad = answer == RELAY_YES;
  judgement->faults |= time != 0 && answer == RELAY_YES;
  if (judgement->rules[i].bad && answer == RELAY_YES)
    judgement->faulty = MAX (judgement->faulty, finding->seen);
}

gint
relay_judgement_note (RelayJudgement *judgement, const gint64 times[RELAY_RULES],
    const RelayFinding findings[RELAY_RULES])
{
  gint found = RELAY_RULE_NONE;

  judgement->faults = FALSE;
  for (gint i = RELAY_RULES - 1; i >= 0; i--) {
    decide (judgement, i, times[i], &findings[i]);
    if (judgement->rules[i].bad)
      found = i;
  }
  return found;
}

gint64
relay_judgement_get_faulty (const RelayJudgement *judgement, gint64 now)
{
  return judgement->faults ? now : judgement->faulty;
}
