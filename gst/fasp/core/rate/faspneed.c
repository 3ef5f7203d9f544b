/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspneed.h"

/* A source has no more to send if it was limited for this time and in this many looks: on long
 * paths an encoder that follows lags behind its offer.  A look at a burst takes away LIMITED_LESS
 * looks, and no more than LIMITED_MOST are counted, as the burst may be an encoder that begins to
 * follow. */
#define LIMITED_TIME (2 * FASP_SEC)
#define LIMITED_LOOKS 4
#define LIMITED_LESS 4
#define LIMITED_MOST (4 * LIMITED_LESS)
#define SMOOTHING .125
/* What leaves in a window shows what the source has, if it is less than FREE of what may leave. */
#define WINDOW FASP_SEC
#define FREE .85
/* The rate kept is higher than what it has, for losses and for what waits. */
#define SHARE 1.25
/* Arrivals of this time, or of this many round trips if that is longer, are judged together. */
#define CARRIED_TIME FASP_SEC
#define CARRIED_RTTS 4
/* Beside others, who overflow the queue, up to MISSING of the stream may be missing.  When others
 * begin, more is missing for a while, as they fill the queue and overflow it for a round trip or
 * two: MISSING_RTTS round trips' worth (which the queue makes longer), within the bounds below.
 * More may arrive than is sent, as a queue drains: that counts up to DRAINS. */
#define MISSING .1
#define MISSING_RTTS 2
#define MISSING_LEAST (FASP_SEC / 2)
#define MISSING_MOST (2 * FASP_SEC)
#define DRAINS 1.2
/* Looks in a row that see nobody else, until nobody is taken to be there. */
#define ALONE 2

static void
give_up (FaspNeed *need)
{
  need->known = need->rate = need->missing = 0;
  need->limited = need->alone = 0;
}

void
fasp_need_look (FaspNeed *need, FaspTime now, gdouble passes)
{
  if (passes <= 0) {
    need->limited -= MIN (need->limited, LIMITED_LESS);
    return;
  }
  if (need->limited == 0)
    need->limited_since = now;
  need->limited = MIN (need->limited + 1, LIMITED_MOST);
  if (need->limited <= LIMITED_LOOKS || now - need->limited_since < LIMITED_TIME)
    return;
  need->known += (need->known > 0 ? SMOOTHING : 1) * (passes - need->known);
  need->rate = need->known;
  need->missing = 0;
  need->carried.n = 0;
}

/* What has left in this window is what the source has, if more might have left.  A lower rate is
 * taken at once, as of an encoder that follows; a higher one by halves. */
static void
note_rate (FaspNeed *need, FaspTime now, guint64 sent)
{
  gdouble left = sent - need->sent;
  gdouble rate = left * 8 * FASP_SEC / (now - need->from);

  if (need->rate <= 0 || left >= FREE * need->room)
    return;
  need->rate = rate < need->rate ? rate : MIN (need->known, (need->rate + rate) / 2);
}

void
fasp_need_send (FaspNeed *need, FaspTime now, guint64 sent, guint64 may)
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

/* The share of a second's packets that arrives within a second. */
static gdouble
get_share (const FaspSpan *span)
{
  gdouble left = span->to.sent - span->from.sent;
  FaspTime took = span->to.arrived - span->from.arrived;

  if (took <= 0)
    return DRAINS;
  return MIN (left / took, DRAINS) * (1 - span->loss / span->n);
}

void
fasp_need_extend (FaspNeed *need, const FaspRateSample *sample, FaspTime queue, gdouble loss,
    FaspTime rtt)
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
  if (need->missing * FASP_SEC > CLAMP (MISSING_RTTS * rtt, MISSING_LEAST, MISSING_MOST))
    give_up (need);
}

gboolean
fasp_need_judge (FaspNeed *need, gdouble others)
{
  need->alone = ABS (others) < FASP_SPAN_NOBODY ? need->alone + 1 : 0;
  if (need->alone < ALONE)
    return FALSE;
  give_up (need);
  return TRUE;
}

gdouble
fasp_need_get (const FaspNeed *need)
{
  return SHARE * need->rate;
}
