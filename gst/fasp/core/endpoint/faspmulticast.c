/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspmulticast.h"
#include "faspsendingprivate.h"
#include "faspcredentials.h"

/* The share of repairs for the group is planned at this interval. */
#define FEC_EVERY (200 * FASP_MSEC)

guint64
fasp_multicast_get_bitrate (const FaspEndpointSettings *settings)
{
  guint64 most = settings->max_total_bitrate;

  return most > 0 && (settings->max_bitrate == 0 || settings->max_bitrate > most) ?
      most :
      settings->max_bitrate;
}

FaspMulticastSender *
fasp_multicast_new (const FaspEndpoint *endpoint)
{
  const FaspEndpointConfig *config = &endpoint->config;
  FaspMulticastSender *group;

  if (config->group.len == 0 || endpoint->store == NULL)
    return NULL;
  group =
      fasp_multicast_sender_new (&config->group, fasp_credentials_get_first (config->credentials),
          fasp_multicast_get_bitrate (&config->settings), endpoint->random, endpoint->random_data);
  group->notes = endpoint->notes;
  group->store_size = config->buffer_size;
  group->given_up = config->resume_timeout;
  fasp_fec_init (&group->fec, config->fec, config->fec_share, FASP_FEC_WINDOW_MAX);
  return group;
}

void
fasp_multicast_invite (FaspEndpoint *endpoint, const FaspHello *hello, FaspHello *answer)
{
  if (endpoint->group != NULL && fasp_multicast_sender_can_have (endpoint->group, hello))
    fasp_multicast_sender_describe (endpoint->group, answer);
}

/* The session's round trip; 0: not known yet. */
static FaspTime
get_rtt (const FaspSession *session)
{
  return session->rtt.measured ? session->rtt.smoothed : 0;
}

static void
join (FaspMulticastSender *group, FaspTime now, FaspSession *session, guint64 start)
{
  FASP_LOG (session->notes.log, now, MEMBER_JOINED, start, fasp_tx_was_member (session->tx));
  fasp_multicast_sender_join (group, &session->group.member, start, fasp_tx_get_limit (session->tx),
      get_rtt (session));
  fasp_tx_join (session->tx, now, group->log);
}

void
fasp_multicast_opened (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  if (!session->group.member.invited)
    return;
  session->group.sender = endpoint->group;
  session->group.member.who = fasp_tx_get_sent_map (session->tx);
  join (endpoint->group, now, session, session->record->start.block);
}

/* Removes from the group a member that does not hear it: the receiver gets the stream by unicast
 * from now on. */
static void
send_away (FaspEndpoint *endpoint, FaspTime now, FaspSession *session, const gchar *why)
{
  FASP_LOG (session->notes.log, now, MEMBER_SENT_AWAY, fasp_tx_view (session->tx)->cursor,
      FASP_LOG_WORD (why));
  endpoint->group->deaf++;
  fasp_multicast_sender_send_away (endpoint->group, &session->group.member);
  fasp_tx_leave (session->tx, now);
}

void
fasp_multicast_heard (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  if (!session->group.member.joined) {
    if (session->group.sender == NULL
        || !fasp_tx_returns (session->tx, now, &session->rtt, session->group.sender->log))
      return;
    session->group.sender->returned++;
    join (session->group.sender, now, session, fasp_tx_view (session->tx)->cursor);
    return;
  }
  if (fasp_tx_is_deaf (session->tx)) {
    send_away (endpoint, now, session, "deaf");
    return;
  }
  fasp_multicast_sender_heard (endpoint->group, &session->group.member,
      fasp_tx_get_limit (session->tx), get_rtt (session));
}

gboolean
fasp_multicast_sends_away (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  /* a member that reports packets of the group is slow, not deaf */
  if (!session->group.member.joined || session->liveness.interrupted
      || fasp_sent_map_hears_since (fasp_tx_get_sent_map (session->tx),
          fasp_tx_get_base (session->tx)))
    return FALSE;
  send_away (endpoint, now, session, "slow");
  return TRUE;
}

typedef struct
{
  gdouble loss, stay;
} Loss;

static gint
compare_losses (gconstpointer a, gconstpointer b)
{
  gdouble x = ((const Loss *) a)->loss, y = ((const Loss *) b)->loss;

  return x < y ? -1 : x > y;
}

/* Plans the share of repairs for the losses of the members. */
static void
plan_fec (FaspEndpoint *endpoint, FaspTime now)
{
  FaspMulticastSender *group = endpoint->group;
  g_autoptr (GArray) losses = NULL;
  FaspGroupFecGoal goal = {
    .channel = fasp_multicast_get_bitrate (&endpoint->config.settings),
    .blocks = group->blocks_sent,
    .wire = group->sent.block_wire,
    .resent = group->blocks_resent,
    .rtx = fasp_multicast_sender_get_back_off (group) + 2 * group->rtt,
  };

  if (group->fec.mode == FASP_FEC_OFF || now < group->fec_time)
    return;
  group->fec_time = now + FEC_EVERY;
  losses = g_array_new (FALSE, FALSE, sizeof (Loss));
  FASP_EACH_SESSION (endpoint, session) {
    FaspTime latency = fasp_tx_get_estimate (session->tx)->latency;
    Loss loss;

    if (!session->group.member.joined || session->liveness.interrupted)
      continue;
    fasp_loss_get (&fasp_tx_get_estimate (session->tx)->loss, &loss.loss, &loss.stay);
    g_array_append_val (losses, loss);
    goal.resent += fasp_tx_view (session->tx)->counts.blocks_resent;
    if (goal.latency == 0 || (latency > 0 && latency < goal.latency))
      goal.latency = latency;
  }
  goal.members = losses->len;
  if (goal.members > 0) {
    const Loss *most;

    g_array_sort (losses, compare_losses);
    most = &g_array_index (losses, Loss, (guint) (FASP_GROUP_FEC_QUANTILE * (goal.members - 1)));
    goal.loss = most->loss;
    goal.stay = most->stay;
  }
  fasp_group_fec_plan (&group->fec_plan, &group->fec, now, &goal);
}

static FaspGroupView
get_view (const FaspEndpoint *endpoint)
{
  const FaspHeapItem *first = fasp_heap_peek (&endpoint->sending->first_needed);

  return (FaspGroupView) {
    .store = endpoint->store,
    .waits = endpoint->config.settings.slow_policy == FASP_SLOW_WAIT,
    .needed = first != NULL ? first->key : 0,
    .is_unacknowledged =
        first != NULL && (guint64) first->key < fasp_group_log_get_next (endpoint->group->log),
  };
}

/* Wakes the session of a new speaker, which must tell its member and may sleep for long. */
static void
wake_speaker (FaspEndpoint *endpoint)
{
  const FaspMember *speaker = fasp_multicast_sender_take_speaker (endpoint->group);

  if (speaker == NULL)
    return;
  FASP_EACH_SESSION (endpoint, session)
    if (&session->group.member == speaker)
      fasp_endpoint_wake (endpoint, session);
}

gboolean
fasp_multicast_poll (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram)
{
  FaspGroupView view = get_view (endpoint);
  FaspMulticastSender *group = endpoint->group;
  FaspTime clock = fasp_multicast_sender_get_clock (group);
  gboolean sent;

  if (endpoint->closing)
    return FALSE;
  plan_fec (endpoint, now);
  sent = fasp_multicast_sender_poll (group, now, &view, datagram);
  wake_speaker (endpoint);
  if (!sent)
    return FALSE;
  /* sessions must PING their members sooner than planned */
  if (fasp_multicast_sender_get_clock (group) < clock * 3 / 4)
    fasp_endpoint_wake_all (endpoint);
  return TRUE;
}

gboolean
fasp_multicast_poll_first (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram)
{
  return endpoint->group != NULL && fasp_multicast_sender_is_first (endpoint->group)
      && fasp_multicast_poll (endpoint, now, datagram);
}

FaspTime
fasp_multicast_get_timeout (FaspEndpoint *endpoint)
{
  FaspGroupView view;

  if (endpoint->group == NULL || endpoint->closing)
    return FASP_NEVER;
  view = get_view (endpoint);
  return fasp_multicast_sender_get_timeout (endpoint->group, &view);
}

gboolean
fasp_endpoint_get_group (const FaspEndpoint *endpoint, FaspGroupStats *stats)
{
  const FaspMulticastSender *group = endpoint->group;
  FaspGroupLosses losses;

  if (group == NULL)
    return FALSE;
  losses = fasp_group_log_get_losses (group->log);
  *stats = (FaspGroupStats) {
    .members = group->members->len,
    .deaf = group->deaf,
    .returned = group->returned,
    .datagrams_sent = group->sent.datagrams,
    .wire_bytes_sent = group->sent.wire,
    .blocks_sent = group->blocks_sent,
    .blocks_resent = group->blocks_resent,
    .losses = losses.events,
    .requests = losses.requests,
    .losses_shared = losses.shared,
    .repairs_sent = group->repairs_sent,
    .fec_share = group->fec.share,
    .rtt = group->rtt,
    .back_off = fasp_multicast_sender_get_back_off (group),
    .clock = fasp_multicast_sender_get_clock (group),
  };
  return TRUE;
}
