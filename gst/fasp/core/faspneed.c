/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspneed.h"

/* It has no more if that is so for so long, and so many looks: on long paths an encoder that follows
 * is behind what it is offered.  A look at a burst takes away so many; and no more than so many are
 * counted, as it may be an encoder that begins to follow. */
#define LIMITED_TIME (2 * FASP_SEC)
#define LIMITED_LOOKS 4
#define LIMITED_LESS 4
#define LIMITED_MOST (4 * LIMITED_LESS)
#define SMOOTHING .125
/* In that time one sees what it has: what leaves, if that is less than so much of what may. */
#define WINDOW FASP_SEC
#define FREE .85
/* Kept is so much more, for what is lost, and for what waits. */
#define SHARE 1.25
/* So long, or so many round trips, are judged together of what arrives. */
#define CARRIED_TIME FASP_SEC
#define CARRIED_RTTS 4
/* Beside others so much is missing, of what they overflow; and when they begin, more for a while, as
 * they fill the queue, and overflow it for a round trip or two: so many round trips' worth, which
 * are longer by the queue, within these.  What comes beyond what is sent, as a queue drains, counts for
 * so much. */
#define MISSING .1
#define MISSING_RTTS 2
#define MISSING_LEAST (FASP_SEC / 2)
#define MISSING_MOST (2 * FASP_SEC)
#define DRAINS 1.2
/* So often in a row nobody else is seen, if nobody is there. */
#define ALONE 2

static void
give_up (FaspNeed * need)
{
  need->known = need->rate = need->missing = 0;
  need->limited = need->alone = 0;
}

void
fasp_need_look (FaspNeed * need, FaspTime now, gdouble passes)
{
  if (passes <= 0) {
    need->limited -= MIN (need->limited, LIMITED_LESS);
    return;
  }
  if (need->limited == 0)
    need->limited_since = now;
  need->limited = MIN (need->limited + 1, LIMITED_MOST);
  if (need->limited <= LIMITED_LOOKS
      || now - need->limited_since < LIMITED_TIME)
    return;
  need->known += (need->known > 0 ? SMOOTHING : 1) * (passes - need->known);
  need->rate = need->known;
  need->missing = 0;
  need->carried.n = 0;
}

/* What has left since then is what it has, if more might have: less at once, as of an encoder that
 * follows. */
static void
note_rate (FaspNeed * need, FaspTime now, guint64 sent)
{
  gdouble left = sent - need->sent;
  gdouble rate = left * 8 * FASP_SEC / (now - need->from);

  if (need->rate <= 0 || left >= FREE * need->room)
    return;
  need->rate = rate < need->rate ? rate :
      MIN (need->known, (need->rate + rate) / 2);
}

void
fasp_need_send (FaspNeed * need, FaspTime now, guint64 sent, guint64 may)
{
  need->room += (gdouble) need->may * (now - need->asked) / (8 * FASP_SEC);
  if (now - need->from >= WINDOW) {
    note_rate (need, now, sent);
    need->from = now;
    need->sent = sent;
    need->room = 0;
  }
  need->asked = now;
  need->may = may;
}

/* Of what leaves in a second so much arrives in one. */
static gdouble
get_share (const FaspSpan * span)
{
  gdouble left = span->to.sent - span->from.sent;
  FaspTime took = span->to.arrived - span->from.arrived;

  if (took <= 0)
    return DRAINS;
  return MIN (left / took, DRAINS) * (1 - span->loss / span->n);
}

void
fasp_need_extend (FaspNeed * need, const FaspRateSample * sample,
    FaspTime queue, gdouble loss, FaspTime rtt)
{
  FaspSpan *span = &need->carried;
  FaspTime length;

  if (need->rate <= 0)
    return;
  fasp_span_extend (span, sample, queue, loss);
  length = span->to.sent - span->from.sent;
  if (length < MAX (CARRIED_TIME, CARRIED_RTTS * rtt))
    return;
  need->missing += (1 - MISSING - get_share (span)) * length / FASP_SEC;
  need->missing = MAX (0, need->missing);
  span->n = 0;
  if (need->missing * FASP_SEC > CLAMP (MISSING_RTTS * rtt, MISSING_LEAST,
          MISSING_MOST))
    give_up (need);
}

gboolean
fasp_need_judge (FaspNeed * need, gdouble others)
{
  need->alone = ABS (others) < FASP_SPAN_NOBODY ? need->alone + 1 : 0;
  if (need->alone < ALONE)
    return FALSE;
  give_up (need);
  return TRUE;
}

gdouble
fasp_need_get (const FaspNeed * need)
{
  return SHARE * need->rate;
}
