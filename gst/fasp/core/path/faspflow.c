/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "fasptokenbucket.h"
#include "faspcrypto.h"
#include "faspflow.h"

/* A longer time between datagrams is a pause in the stream, and counts as this. */
#define PACE_MAX (100 * FASP_MSEC)

void
fasp_flow_init (FaspFlow *flow, FaspTime now, gboolean alone)
{
  memset (flow, 0, sizeof *flow);
  flow->gap = fasp_gap_new ();
  flow->heard = now;
  flow->asking.time = alone ? FASP_NEVER : now;
  flow->asking.interval = FASP_FLOW_AGAIN;
  flow->silence.due = flow->challenge.deadline = flow->challenge.asked = FASP_NEVER;
  fasp_loss_init (&flow->loss, now);
  fasp_timestamps_init (&flow->timestamps);
}

void
fasp_flow_clear (FaspFlow *flow)
{
  fasp_gap_free (flow->gap);
  fasp_sent_log_clear (&flow->sent);
}

void
fasp_flow_suppose (FaspFlow *flow, FaspTime now, const FaspAddress *at, gboolean heard)
{
  if (flow->challenge.has_candidate && flow->challenge.heard && !heard
      && now - flow->heard < FASP_FLOW_MUTE)
    return;
  /* the challenges of a new candidate keep the interval: if the peer's datagrams come from several
   * addresses alternately, a challenge for each would overwrite PINGs before they are answered */
  if (!flow->challenge.has_candidate || !fasp_address_equal (&flow->challenge.candidate, at)) {
    flow->challenge.since = now;
    flow->challenge.time = MAX (now, flow->challenge.sent + FASP_CHALLENGE_INTERVAL);
    flow->challenge.answered = FALSE;
  }
  flow->challenge.candidate = *at;
  flow->challenge.heard = heard;
  flow->challenge.has_candidate = TRUE;
  /* each datagram from the candidate allows this many further challenges */
  flow->challenge.left = FASP_CHALLENGES;
}

/* Keeps the current address, as the peer has answered from it. */
static void
stay (FaspFlow *flow)
{
  flow->challenge.asks = flow->challenge.unanswered = 0;
  flow->challenge.deadline = FASP_NEVER;
  flow->challenge.in_vain = FALSE;
}

static void
forget_candidate (FaspFlow *flow)
{
  flow->challenge.has_candidate = FALSE;
  flow->challenge.asked = FASP_NEVER;
  stay (flow);
}

void
fasp_flow_heard (FaspFlow *flow, FaspTime now, const FaspAddress *from, gboolean newest)
{
  gboolean same = fasp_address_equal (&flow->address, from);

  flow->heard = now;
  flow->refusal.is_reported = FALSE;
  if (flow->death.is_dead) {
    /* the flow may carry packets again */
    flow->asking.time = MIN (flow->asking.time, flow->asking.sent + FASP_FLOW_AGAIN);
  } else if (same && flow->proved && flow->asking.time != FASP_NEVER) {
    flow->asking.time = now + FASP_FLOW_QUIET;
    flow->asking.interval = FASP_FLOW_AGAIN;
  }
  if (!newest)
    return;
  /* the datagram is authentic, but its source address may be forged: the address is used once it
   * has answered a challenge */
  if (same && (flow->challenge.heard || now - flow->challenge.since > FASP_FLOW_CALLED))
    forget_candidate (flow);
  else if (!same)
    fasp_flow_suppose (flow, now, from, TRUE);
}

void
fasp_flow_stream_heard (FaspFlow *flow, FaspTime now)
{
  FaspTime gap = MIN (now - flow->heard, PACE_MAX);

  flow->silence.pace += (gap - flow->silence.pace) / 8;
  flow->silence.is_silent = FALSE;
  flow->silence.due = now + MAX (FASP_FLOW_SILENCE, 4 * flow->silence.pace);
}

guint64
fasp_flow_ping (FaspFlow *flow, FaspTime now, FaspTokens *tokens, guint16 size, gboolean rekeys,
    const FaspAddress *to)
{
  FaspPing *ping = &flow->pings[0];

  for (guint i = 1; i < FASP_PINGS; i++)
    if (flow->pings[i].sent < ping->sent)
      ping = &flow->pings[i];
  /* a PING for new keys takes the place of the last one */
  for (guint i = 0; rekeys && i < FASP_PINGS; i++)
    if (flow->pings[i].rekeys)
      ping = &flow->pings[i];
  *ping = (FaspPing) { .sent = MAX (now, 1), .size = size, .rekeys = rekeys, .to = *to };
  tokens->count++;
  fasp_hmac (tokens->secret, FASP_PING_SECRET, "fasp ping 1", (const guint8 *) &tokens->count,
      sizeof tokens->count, (guint8 *) &ping->token, sizeof ping->token);
  return ping->token;
}

gboolean
fasp_flow_pong (FaspFlow *flow, const FaspAddress *from, guint64 token, FaspPing *answered)
{
  for (guint i = 0; i < FASP_PINGS; i++) {
    FaspPing *ping = &flow->pings[i];
    gboolean asked = fasp_address_equal (&flow->address, &ping->to);

    if (ping->sent == 0 || ping->token != token)
      continue;
    /* Only the peer can read the PING, so it still receives at the address to which that went. The
     * answer may come by another path. */
    if (flow->challenge.has_candidate && ping->sent >= flow->challenge.asked && asked) {
      flow->challenge.stayed = TRUE;
      stay (flow);
    }
    /* But an address is proved only by an answer from where the PING went. As long as no address is
     * proved, the token alone proves it, which could be read only there (RFC 9000, section 8.2.3):
     * the peer's datagrams may come from two addresses alternately. */
    if (flow->proved && !asked && !fasp_address_equal (from, &ping->to))
      continue;
    *answered = *ping;
    ping->sent = 0;
    return TRUE;
  }
  return FALSE;
}

/* Moves to the candidate if that has answered and the current address has not. If neither has, the
 * peer may be cut off, and its address stays. */
static gboolean
move (FaspFlow *flow)
{
  FaspFlowChallenge *c = &flow->challenge;

  if (!c->answered || (flow->proved && !c->in_vain))
    return FALSE;
  c->in_vain = FALSE;
  if (flow->proved && ++c->unanswered < (c->stayed ? FASP_FLOW_DOUBTS : 1))
    return FALSE;
  flow->address = c->candidate;
  flow->proved = TRUE;
  c->stayed = FALSE;
  fasp_ecn_restart (&flow->ecn);
  forget_candidate (flow);
  return TRUE;
}

gboolean
fasp_flow_prove (FaspFlow *flow, const FaspAddress *at)
{
  FaspFlowChallenge *c = &flow->challenge;

  if (c->has_candidate && fasp_address_equal (at, &c->candidate)) {
    c->answered = TRUE;
    return move (flow);
  }
  if (flow->proved)
    return FALSE;
  flow->address = *at; /* may be a former candidate */
  return flow->proved = TRUE;
}

gboolean
fasp_flow_judge (FaspFlow *flow, FaspTime now)
{
  /* an address that was not asked yet cannot answer */
  if (flow->challenge.asks > 0 || now < flow->challenge.deadline)
    return FALSE;
  flow->challenge.deadline = FASP_NEVER;
  flow->challenge.in_vain = TRUE;
  return move (flow);
}

gboolean
fasp_flow_may_answer (FaspFlow *flow, FaspTime now, const FaspAddress *to)
{
  return (flow->proved && fasp_address_equal (&flow->address, to))
      || fasp_token_bucket_take (&flow->answered, now, FASP_CHALLENGE_INTERVAL, FASP_CHALLENGES);
}

void
fasp_flow_challenged (FaspFlow *flow, FaspTime now, FaspTime timeout)
{
  /* at growing intervals, so that the remembered PINGs cover five sixths of the time since then,
   * and later at least 7 s: an answer within that time finds its PING */
  FaspTime interval = (now - flow->challenge.since) / 8;
  gboolean is_first = flow->challenge.sent < flow->challenge.since;

  flow->challenge.time =
      now + CLAMP (interval, FASP_CHALLENGE_INTERVAL, FASP_CHALLENGE_INTERVAL_MAX);
  flow->challenge.sent = now;
  flow->challenge.left--;
  /* the current address is asked again only after the candidate has answered */
  if (flow->proved && flow->challenge.deadline == FASP_NEVER
      && (is_first || flow->challenge.answered)) {
    flow->challenge.asks = FASP_FLOW_ASKS;
    flow->challenge.asked = now;
    flow->challenge.deadline = now + timeout;
    flow->challenge.answered = flow->challenge.in_vain = FALSE;
  }
}

void
fasp_flow_die (FaspFlow *flow, FaspTime now)
{
  flow->death.is_dead = TRUE;
  flow->death.since = flow->asking.time = now;
  flow->death.pn = flow->next_pn;
  flow->asking.interval = FASP_FLOW_AGAIN;
}

void
fasp_flow_asked (FaspFlow *flow, FaspTime now)
{
  flow->asking.sent = now;
  flow->asking.time = now + flow->asking.interval;
  flow->asking.interval = MIN (2 * flow->asking.interval, FASP_FLOW_AGAIN_MAX);
}
