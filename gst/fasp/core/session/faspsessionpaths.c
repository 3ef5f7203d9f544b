/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionpaths.c: the paths of a sender: which path each flow belongs to, what each path may
 * send, and what all may send together. */
#include "faspsessionprivate.h"

/* A change of the rate by this many percent is logged, as some controllers change it with each
 * feedback. WebRTC sends a new estimate at once after the same change (kSendThresholdPercent). */
#define RATE_STEP 3

/* --- which path a flow belongs to ------------------------------------------------------- */

/* A fixed rate over several paths is divided: each has a controller, which finds what the path
 * carries. */
static gboolean
is_divided (const FaspSessionPaths *paths)
{
  return paths->control == FASP_RATE_CONTROL_FIXED && paths->has_arrivals && paths->n > 1
      && paths->max > 0;
}

/* @least: the least rate that it begins with, bit/s. A path of a fixed rate that is not divided
 * gets none. */
static void
add_controller (const FaspSession *session, FaspTime now, FaspPath *path, guint64 least)
{
  const FaspSessionPaths *paths = &session->paths;

  path->rate = fasp_rate_new (is_divided (paths) ? FASP_RATE_CONTROL_ADAPTIVE : paths->control,
      least, paths->max, now);
  if (path->rate == NULL)
    return;
  fasp_rate_set_bounds (path->rate, 0, paths->max);
  /* the controller hears nothing of what left before it was there */
  if (path->wire_sent > 0)
    fasp_rate_reported (path->rate, now, path->wire_sent);
}

static void
remove_controller (FaspSession *session, FaspTime now, FaspPath *path)
{
  g_clear_pointer (&path->rate, fasp_rate_free);
  path->pace = 0;
  fasp_pacer_set_rate (&path->pacer, now, 0, 0);
  for (guint64 left = path->flows; left != 0; left &= left - 1) {
    FaspFlow *flow = &session->flows[__builtin_ctzll (left)];

    fasp_sent_log_forget (&flow->sent, flow->next_pn);
  }
}

/* To be called when is_divided() may have changed. Each path gets an equal part at first. */
static void
divide (FaspSession *session, FaspTime now)
{
  FaspSessionPaths *paths = &session->paths;
  gboolean divided = is_divided (paths);

  if (paths->control != FASP_RATE_CONTROL_FIXED || divided == fasp_session_is_controlled (session))
    return;
  paths->until = divided ? now : FASP_NEVER;
  for (guint i = 0; i < paths->n; i++) {
    if (divided)
      add_controller (session, now, &paths->list[i], paths->max / paths->n);
    else
      remove_controller (session, now, &paths->list[i]);
    paths->list[i].until = paths->until;
  }
}

static void
add_path (FaspSession *session, FaspTime now)
{
  FaspSessionPaths *paths = &session->paths;
  gboolean controlled = fasp_session_is_controlled (session);

  if (paths->n == 1) /* the first path used the session's pacer and meter until now */
    paths->list[0].rtt = session->rtt;
  paths->list = g_renew (FaspPath, paths->list, paths->n + 1);
  fasp_path_init (&paths->list[paths->n++]);
  if (controlled)
    add_controller (session, now, &paths->list[paths->n - 1], 0);
  divide (session, now);
}

void
fasp_session_assign_path (FaspSession *session, FaspTime now, guint8 number)
{
  FaspSessionPaths *paths = &session->paths;
  FaspFlow *flow = &session->flows[number];
  guint local = flow->address.socket / MAX (paths->flowlets, 1);
  FaspPath *path = &paths->list[flow->path];
  guint i = 0;

  if ((path->flows & FASP_BIT (number)) != 0) {
    if (path->flows == FASP_BIT (number))
      path->address = flow->address;
    return;
  }
  while (i < paths->n && paths->list[i].flows != 0
      && !fasp_path_has (&paths->list[i], local, &flow->address))
    i++;
  if (i == paths->n)
    add_path (session, now);
  path = &paths->list[i];
  if (path->flows == 0) {
    path->local = local;
    path->address = flow->address;
  }
  path->flows |= FASP_BIT (number);
  if (flow->path != i) /* packets that left before count for the path that the flow was of */
    fasp_sent_log_forget (&flow->sent, flow->next_pn);
  flow->path = i;
}

gboolean
fasp_session_uses_path (const FaspSession *session, const FaspPath *path)
{
  return session->paths.n == 1
      || (path->flows & fasp_multipath_get_candidates (&session->multipath)) != 0;
}

guint8
fasp_session_pick_flow (FaspSession *session, const FaspPath *path, guint64 avoid)
{
  return session->paths.n == 1 ?
      fasp_multipath_pick (&session->multipath, avoid) :
      fasp_multipath_pick_among (&session->multipath, path->flows, avoid);
}

gboolean
fasp_session_needs_flow (const FaspSession *session, guint8 flow)
{
  return session->paths.n > 1 && session->multipath.usable == FASP_BIT (flow);
}

void
fasp_session_set_usable (FaspSession *session, FaspTime now, guint8 flow, gboolean usable)
{
  guint64 flows;

  fasp_multipath_set_usable (&session->multipath, flow, usable);
  if (session->paths.n == 1)
    return;
  flows = session->multipath.usable;
  fasp_sent_map_set_only (fasp_tx_get_sent_map (session->tx),
      __builtin_popcountll (flows) == 1 ? __builtin_ctzll (flows) : FASP_FLOWS_MAX);
  if (!fasp_session_is_controlled (session))
    return;
  /* the other paths take over the rate of this flow's path, or give it back */
  for (guint i = 0; i < session->paths.n; i++)
    session->paths.list[i].until = now;
  session->paths.until = now;
}

/* --- rates ---------------------------------------------------------------------------- */

static guint32
choose_burst (const FaspPath *path, guint64 rate, FaspTime quantum)
{
  return path->rate != NULL && path->rate->even ? fasp_pacer_choose_short_burst (rate) :
                                                  fasp_pacer_choose_burst (rate, quantum);
}

/* With several paths, the session's pacer bounds only the sum, so it need not be even: each path
 * has a pacer, too. */
void
fasp_session_set_pace (FaspSession *session, FaspTime now, guint64 rate)
{
  fasp_pacer_set_rate (&session->pacer, now, rate,
      session->paths.n > 1 ? fasp_pacer_choose_burst (rate, session->pacer.quantum) :
                             choose_burst (session->paths.list, rate, session->pacer.quantum));
}

gboolean
fasp_session_is_controlled (const FaspSession *session)
{
  return session->paths.list[0].rate != NULL;
}

void
fasp_session_control (FaspSession *session, FaspTime now, FaspRateControl control, guint64 min,
    guint64 max)
{
  FaspSessionPaths *paths = &session->paths;
  FaspPath *path = &paths->list[0];

  paths->control = control;
  paths->min = min;
  paths->max = max;
  path->rate = fasp_rate_new (control, min, max, now);
  paths->until = path->until = path->rate != NULL ? now : FASP_NEVER;
}

void
fasp_session_set_bitrates (FaspSession *session, FaspTime now, guint64 min, guint64 max)
{
  FaspSessionPaths *paths = &session->paths;

  paths->min = min;
  paths->max = max;
  divide (session, now);
  if (!fasp_session_is_controlled (session)) {
    fasp_session_set_pace (session, now, max);
    return;
  }
  for (guint i = 0; i < paths->n; i++) {
    fasp_rate_set_bounds (paths->list[i].rate, paths->n == 1 ? min : 0, max);
    paths->list[i].until = now;
  }
  paths->until = now;
}

static guint64
bound (const FaspSession *session, guint64 rate)
{
  return session->paths.max > 0 ? MIN (rate, session->paths.max) : rate;
}

/* The rates of all paths in use, except @except, added up. */
static guint64
add_up (const FaspSession *session, const FaspPath *except)
{
  guint64 sum = 0;

  for (guint i = 0; i < session->paths.n; i++) {
    const FaspPath *path = &session->paths.list[i];

    if (path != except && fasp_session_uses_path (session, path))
      sum += path->pace;
  }
  return sum;
}

void
fasp_session_log_rate (const FaspSession *session, FaspTime now, FaspPath *path)
{
  const FaspRate *rate = path->rate;
  gint64 old = path->logged, new = rate->rate;

  if (ABS (new - old) * 100 < old * RATE_STEP)
    return;
  FASP_LOG (session->notes.log, now, RATE_CHANGED, FASP_LOG_OR_UNKNOWN (old, 0), new,
      FASP_LOG_WORD (rate->why), rate->standing,
      path->rtt.measured ? path->rtt.smoothed : FASP_LOG_UNKNOWN,
      session->paths.n > 1 ? path - session->paths.list : FASP_LOG_UNKNOWN);
  path->logged = new;
}

/* Takes the controller's rate of one path, and gives it to the path's pacer. */
static void
follow_path (FaspSession *session, FaspTime now, FaspPath *path)
{
  const FaspSessionPaths *paths = &session->paths;

  if (paths->n > 1 && paths->min > 0)
    fasp_rate_set_bounds (path->rate, paths->min - MIN (paths->min, add_up (session, path)),
        paths->max);
  path->pace = fasp_rate_get (path->rate, now, path->wire_sent, &path->until);
  if (paths->n > 1) {
    path->pacer.quantum = session->pacer.quantum;
    fasp_pacer_set_rate (&path->pacer, now, path->pace,
        choose_burst (path, path->pace, path->pacer.quantum));
  }
  if (session->notes.log != NULL)
    fasp_session_log_rate (session, now, path);
}

void
fasp_session_follow_paths (FaspSession *session, FaspTime now)
{
  FaspSessionPaths *paths = &session->paths;

  paths->until = FASP_NEVER;
  for (guint i = 0; i < paths->n; i++) {
    FaspPath *path = &paths->list[i];

    if (now >= path->until)
      follow_path (session, now, path);
    paths->until = fasp_sooner (paths->until, path->until);
  }
  fasp_session_set_pace (session, now, bound (session, add_up (session, NULL)));
}

guint64
fasp_session_get_channel_rate (const FaspSession *session)
{
  guint64 sum = 0;

  if (!fasp_session_is_controlled (session))
    return session->pacer.ready.rate;
  for (guint i = 0; i < session->paths.n; i++)
    if (fasp_session_uses_path (session, &session->paths.list[i]))
      sum += session->paths.list[i].rate->rate;
  return bound (session, sum);
}

guint
fasp_session_get_times (const FaspSession *session)
{
  return session->flow_choice.duplicates ? MAX (1, fasp_multipath_count (&session->multipath)) : 1;
}

guint64
fasp_session_get_offer (const FaspSession *session)
{
  guint64 sum = 0, least = G_MAXUINT64;

  if (!fasp_session_is_controlled (session))
    return fasp_session_get_channel_rate (session);
  for (guint i = 0; i < session->paths.n; i++) {
    const FaspPath *path = &session->paths.list[i];

    if (!fasp_session_uses_path (session, path))
      continue;
    sum += path->rate->offer;
    least = MIN (least, path->rate->offer / MAX (__builtin_popcountll (path->flows), 1));
  }
  /* with duplicate, each flow carries the whole stream, so the weakest path bounds the rate of
   * all */
  if (session->flow_choice.duplicates && session->paths.n > 1)
    sum = MIN (sum, least * fasp_session_get_times (session));
  return bound (session, sum);
}

guint
fasp_session_get_waits (const FaspSession *session, FaspTime now,
    FaspPathWait waits[FASP_FLOWS_MAX])
{
  gdouble sum = 0;
  guint n = 0;

  for (guint i = 0; fasp_session_is_controlled (session) && i < session->paths.n; i++) {
    const FaspPath *path = &session->paths.list[i];

    if (!fasp_session_uses_path (session, path))
      continue;
    waits[n++] =
        (FaspPathWait) { path->rate->offer, fasp_rate_get_excess (path->rate, path->wire_sent),
          fasp_rate_get_overdue (path->rate, now), path->rate->proven };
    sum += path->rate->offer;
  }
  for (guint i = 0; i < n; i++)
    waits[i].share /= sum;
  return n;
}

void
fasp_session_set_enough (FaspSession *session, gboolean enough)
{
  for (guint i = 0; fasp_session_is_controlled (session) && i < session->paths.n; i++)
    fasp_rate_set_enough (session->paths.list[i].rate, enough);
}

FaspTime
fasp_session_get_standing (const FaspSession *session)
{
  FaspTime most = 0;

  for (guint i = 0; fasp_session_is_controlled (session) && i < session->paths.n; i++)
    if (fasp_session_uses_path (session, &session->paths.list[i]))
      most = MAX (most, session->paths.list[i].rate->standing);
  return most;
}

void
fasp_session_left_late (FaspSession *session, FaspTime from, FaspTime until)
{
  fasp_pacer_late (&session->pacer, from, until);
  for (guint i = 0; i < session->paths.n; i++)
    fasp_pacer_late (&session->paths.list[i].pacer, from, until);
}

/* --- what the peer reports ------------------------------------------------------------ */

void
fasp_session_note_round_trips (FaspSession *session, const FaspFeedback *feedback)
{
  FaspSessionPaths *paths = &session->paths;

  if (paths->n == 1) {
    paths->list[0].rtt = session->rtt;
    return;
  }
  for (guint i = 0; i < paths->n; i++) {
    FaspTime rtt = 0, delay = 0;

    for (guint j = 0; j < feedback->n_flows; j++) {
      FaspFlowTotals totals;

      if ((paths->list[i].flows >> feedback->flows[j].flow & 1) == 0)
        continue;
      totals =
          fasp_sent_map_get_totals (fasp_tx_get_sent_map (session->tx), feedback->flows[j].flow);
      if (totals.sample - totals.delay > rtt - delay) {
        rtt = totals.sample;
        delay = totals.delay;
      }
    }
    if (rtt > 0)
      fasp_rtt_sample (&paths->list[i].rtt, rtt, delay);
  }
}
