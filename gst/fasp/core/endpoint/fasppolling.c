/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppolling.h"
#include "faspadmission.h"
#include "faspcalling.h"
#include "faspdial.h"
#include "faspencoder.h"
#include "fasphold.h"
#include "faspgather.h"
#include "fasplifecycle.h"
#include "faspmulticast.h"
#include "faspretention.h"
#include "faspstale.h"
#include "faspstrangers.h"
#include "faspwriting.h"

/* The endpoint's own tasks, which belong to no session: when something is due, what is done then,
 * and which datagram may leave.  Of the datagrams that leave in a row at one time, only the first
 * is preceded by a look at these tasks. */
static const struct
{
  FaspTime (*get_time) (FaspEndpoint *endpoint);
  void (*run_due) (FaspEndpoint *endpoint, FaspTime now); /* NULL: there is nothing to do */
  /* TRUE: *datagram must leave; NULL: the task has no datagrams */
  gboolean (*poll) (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram);
} OWN[] = {
  { fasp_hold_get_time, fasp_hold_run_due, NULL },
  { fasp_writing_get_time, fasp_writing_run_due, NULL },
  { fasp_gather_get_time, fasp_gather_run_due, NULL },
  { fasp_stale_get_time, fasp_stale_run_due, NULL },
  { fasp_strangers_get_time, fasp_strangers_run_due, NULL },
  { fasp_encoder_get_time, fasp_encoder_run_due, NULL },
  { fasp_calling_get_reply_time, NULL, fasp_calling_poll_reply },
  { fasp_dial_get_timeout, fasp_dial_run_due, fasp_dial_poll },
  { fasp_multicast_get_timeout, NULL, fasp_multicast_poll_first },
};

static gboolean
poll_own (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram)
{
  for (guint i = 0; i < G_N_ELEMENTS (OWN); i++) {
    if (OWN[i].run_due != NULL)
      OWN[i].run_due (endpoint, now);
    if (OWN[i].poll != NULL && OWN[i].poll (endpoint, now, datagram))
      return TRUE;
  }
  return FALSE;
}

static FaspTime
get_own_timeout (FaspEndpoint *endpoint)
{
  FaspTime timeout = FASP_NEVER;

  for (guint i = 0; i < G_N_ELEMENTS (OWN); i++)
    timeout = fasp_sooner (timeout, OWN[i].get_time (endpoint));
  return timeout;
}

/* The session has nothing to send now: schedules its next round. */
static void
end_round (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  FaspScheduler *scheduler = fasp_endpoint_get_scheduler (endpoint, session);
  gboolean waits = session->role == FASP_ROLE_SENDER && session->state == FASP_SESSION_OPEN
      && !session->group.member.joined && fasp_tx_count_fresh (session->tx) == 0;

  fasp_retention_note_first_needed (endpoint, session);
  fasp_session_end_round (session, now, scheduler->quantum, waits);
  fasp_scheduler_done (scheduler, &session->record->scheduled, now,
      fasp_later (fasp_session_get_timeout (session, now), now + 1), waits);
  fasp_endpoint_serve_next (endpoint, now);
}

/* Counts @datagram against the total rate: if there is one, a poll makes one datagram. @session:
 * its session; NULL: it is the group's. */
static void
count (FaspEndpoint *endpoint, FaspTime now, FaspSession *session, const FaspDatagram *datagram)
{
  if (fasp_total_is_limited (&endpoint->shared.total))
    fasp_total_sent (&endpoint->shared.total, session != NULL ? &session->shared.share : NULL, now,
        datagram->size + datagram->to.overhead);
}

/* Polls for up to @max datagrams. Returns their number. */
static guint
poll_session (FaspEndpoint *endpoint, FaspTime now, FaspSession *session, FaspDatagram *datagrams,
    guint max)
{
  FaspScheduler *scheduler = fasp_endpoint_get_scheduler (endpoint, session);
  FaspSchedulerEntry *entry = &session->record->scheduled;
  guint n;

  max = MIN (max, fasp_scheduler_get_left (scheduler, entry));
  n = fasp_session_poll (session, now, datagrams, max);
  if (n == 0) {
    end_round (endpoint, now, session);
    return 0;
  }
  fasp_scheduler_used (scheduler, entry, now, n);
  if (datagrams->block != NULL)
    fasp_scheduler_begin_turn (scheduler, now);
  if (session->group.member.joined)
    fasp_multicast_sender_yielded (endpoint->group);
  count (endpoint, now, session, datagrams);
  return n;
}

guint
fasp_endpoint_poll_lane (FaspEndpoint *endpoint, guint lane, FaspTime now, FaspDatagram *datagrams,
    guint max)
{
  FaspScheduler *scheduler = &endpoint->schedulers[lane];
  FaspSession *session = fasp_scheduler_get_turn (scheduler, now);
  guint n;

  fasp_datagram_clear (datagrams);
  if (session != NULL && (n = poll_session (endpoint, now, session, datagrams, max)) > 0)
    return n;
  fasp_polling_note_call (endpoint, now);
  if (lane == 0 && endpoint->own_looked != now) {
    if (poll_own (endpoint, now, datagrams))
      return 1;
    endpoint->own_looked = now;
  }
  while ((session = fasp_scheduler_next (scheduler, now)) != NULL) {
    if (!fasp_lifecycle_run_due (endpoint, now, session)) {
      fasp_lifecycle_remove (endpoint, session);
      continue;
    }
    if (session->handshake.accept_due) {
      session->handshake.accept_due = FALSE;
      fasp_admission_accept (session, datagrams);
      return 1;
    }
    n = poll_session (endpoint, now, session, datagrams, max);
    if (n > 0)
      return n;
  }
  endpoint->own_looked = FASP_NEVER;
  if (lane > 0 || endpoint->group == NULL || !fasp_multicast_poll (endpoint, now, datagrams))
    return 0;
  count (endpoint, now, NULL, datagrams);
  return 1;
}

gboolean
fasp_endpoint_poll (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram)
{
  for (guint i = 0; i < endpoint->config.lanes; i++)
    if (fasp_endpoint_poll_lane (endpoint, i, now, datagram, 1) > 0) {
      fasp_datagram_seal (datagram);
      return TRUE;
    }
  return FALSE;
}

FaspTime
fasp_endpoint_get_lane_timeout (FaspEndpoint *endpoint, guint lane)
{
  FaspTime timeout = fasp_scheduler_get_time (&endpoint->schedulers[lane]);

  return lane == 0 ? fasp_sooner (timeout, get_own_timeout (endpoint)) : timeout;
}

FaspTime
fasp_endpoint_get_timeout (FaspEndpoint *endpoint)
{
  FaspTime timeout = FASP_NEVER;

  for (guint i = 0; i < endpoint->config.lanes; i++)
    timeout = fasp_sooner (timeout, fasp_endpoint_get_lane_timeout (endpoint, i));
  return timeout;
}

guint
fasp_endpoint_count_lanes (const FaspEndpoint *endpoint)
{
  return endpoint->config.lanes;
}

void
fasp_endpoint_left_late (FaspEndpoint *endpoint, guint lane, FaspTime from, FaspTime until)
{
  const FaspScheduler *scheduler = &endpoint->schedulers[lane];
  gboolean has_sent = FALSE;

  for (FaspSchedulerEntry *entry = fasp_scheduler_get_sender (scheduler, from, NULL); entry != NULL;
      entry = fasp_scheduler_get_sender (scheduler, from, entry)) {
    fasp_session_left_late (entry->due.owner, from, until);
    has_sent = TRUE;
  }
  if (has_sent)
    fasp_pacer_late (&endpoint->shared.total.pacer, from, until);
  if (lane == 0 && endpoint->group != NULL)
    fasp_pacer_late (&endpoint->group->pacer, from, until);
}

/* If the endpoint was not called for this long after a timeout, the process or the machine stood
 * still. */
#define AWAY FASP_SEC

void
fasp_polling_note_call (FaspEndpoint *endpoint, FaspTime now)
{
  FaspTime before = endpoint->looked, away;

  endpoint->looked = fasp_later (before, now);
  if (before == 0 || now - before < AWAY)
    return;
  /* the time before the timeout does not count */
  away = now - fasp_later (before, fasp_endpoint_get_timeout (endpoint));
  if (away < AWAY)
    return;
  FASP_EACH_SESSION (endpoint, session)
    fasp_session_excuse (session, away);
  fasp_hold_excuse (endpoint, away);
  fasp_dial_excuse (endpoint, away);
}
