/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "fasptokenbucket.h"
#include "faspcrypto.h"
#include "fasppath.h"

/* The longest time between datagrams that counts: a pause in the stream is not its pace. */
#define PACE_MAX (100 * FASP_MSEC)

void
fasp_path_init (FaspPath *path, FaspTime now, gboolean alone)
{
  memset (path, 0, sizeof *path);
  path->gap = fasp_gap_new ();
  path->heard = now;
  path->asking.time = alone ? FASP_NEVER : now;
  path->asking.interval = FASP_PATH_AGAIN;
  path->silence.due = path->challenge.deadline = path->challenge.asked = FASP_NEVER;
  fasp_loss_init (&path->loss, now);
  fasp_timestamps_init (&path->timestamps);
}

void
fasp_path_clear (FaspPath *path)
{
  fasp_gap_free (path->gap);
  fasp_sent_log_clear (&path->sent);
}

void
fasp_path_suppose (FaspPath *path, FaspTime now, const FaspAddress *at, gboolean heard)
{
  if (path->challenge.has_candidate && path->challenge.heard && !heard
      && now - path->heard < FASP_PATH_MUTE)
    return;
  /* a peer that is heard from several addresses in turn is not challenged for each datagram: a PING
   * would be forgotten before its answer comes, and the answer would cause the next one */
  if (!path->challenge.has_candidate || !fasp_address_equal (&path->challenge.candidate, at)) {
    path->challenge.since = now;
    path->challenge.time = MAX (now, path->challenge.sent + FASP_CHALLENGE_INTERVAL);
    path->challenge.answered = FALSE;
  }
  path->challenge.candidate = *at;
  path->challenge.heard = heard;
  path->challenge.has_candidate = TRUE;
  /* challenges go on while the peer sends something from there; else only these leave */
  path->challenge.left = FASP_CHALLENGES;
}

/* The address is where the peer is. */
static void
stay (FaspPath *path)
{
  path->challenge.asks = path->challenge.unanswered = 0;
  path->challenge.deadline = FASP_NEVER;
  path->challenge.in_vain = FALSE;
}

static void
forget_candidate (FaspPath *path)
{
  path->challenge.has_candidate = FALSE;
  path->challenge.asked = FASP_NEVER;
  stay (path);
}

void
fasp_path_heard (FaspPath *path, FaspTime now, const FaspAddress *from, gboolean newest)
{
  gboolean same = fasp_address_equal (&path->address, from);

  path->heard = now;
  path->refusal.is_reported = FALSE;
  if (path->death.is_dead) {
    /* the path may carry again */
    path->asking.time = MIN (path->asking.time, path->asking.sent + FASP_PATH_AGAIN);
  } else if (same && path->proved && path->asking.time != FASP_NEVER) {
    path->asking.time = now + FASP_PATH_QUIET;
    path->asking.interval = FASP_PATH_AGAIN;
  }
  if (!newest)
    return;
  /* the sender of the datagram knows the key, but the address may be forged:
   * it counts once a challenge is answered */
  if (same && (path->challenge.heard || now - path->challenge.since > FASP_PATH_CALLED))
    forget_candidate (path);
  else if (!same)
    fasp_path_suppose (path, now, from, TRUE);
}

void
fasp_path_stream_heard (FaspPath *path, FaspTime now)
{
  FaspTime gap = MIN (now - path->heard, PACE_MAX);

  path->silence.pace += (gap - path->silence.pace) / 8;
  path->silence.is_silent = FALSE;
  path->silence.due = now + MAX (FASP_PATH_SILENCE, 4 * path->silence.pace);
}

guint64
fasp_path_ping (FaspPath *path, FaspTime now, FaspTokens *tokens, guint16 size, gboolean rekeys,
    const FaspAddress *to)
{
  FaspPing *ping = &path->pings[0];

  for (guint i = 1; i < FASP_PINGS; i++)
    if (path->pings[i].sent < ping->sent)
      ping = &path->pings[i];
  /* a PING for new keys takes the place of the last one */
  for (guint i = 0; rekeys && i < FASP_PINGS; i++)
    if (path->pings[i].rekeys)
      ping = &path->pings[i];
  *ping = (FaspPing) { .sent = MAX (now, 1), .size = size, .rekeys = rekeys, .to = *to };
  tokens->count++;
  fasp_hmac (tokens->secret, FASP_PING_SECRET, "fasp ping 1", (const guint8 *) &tokens->count,
      sizeof tokens->count, (guint8 *) &ping->token, sizeof ping->token);
  return ping->token;
}

gboolean
fasp_path_pong (FaspPath *path, const FaspAddress *from, guint64 token, FaspPing *answered)
{
  for (guint i = 0; i < FASP_PINGS; i++) {
    FaspPing *ping = &path->pings[i];
    gboolean asked = fasp_address_equal (&path->address, &ping->to);

    if (ping->sent == 0 || ping->token != token)
      continue;
    /* Only the peer can read the PING, so it is still at the address to which that went. The answer
     * may come by another way. */
    if (path->challenge.has_candidate && ping->sent >= path->challenge.asked && asked) {
      path->challenge.stayed = TRUE;
      stay (path);
    }
    /* But that the peer is there is proved only by an answer from where the PING went.  As long as
     * it is proved nowhere, the token alone does, which could be read only there (RFC 9000,
     * section 8.2.3): what it sends may come from two addresses in turn. */
    if (path->proved && !asked && !fasp_address_equal (from, &ping->to))
      continue;
    *answered = *ping;
    ping->sent = 0;
    return TRUE;
  }
  return FALSE;
}

/* To the candidate, if that has answered and the address has not. Where neither has, the peer may
 * be cut off, and says nothing about where it is. */
static gboolean
move (FaspPath *path)
{
  FaspPathChallenge *c = &path->challenge;

  if (!c->answered || (path->proved && !c->in_vain))
    return FALSE;
  c->in_vain = FALSE;
  if (path->proved && ++c->unanswered < (c->stayed ? FASP_PATH_DOUBTS : 1))
    return FALSE;
  path->address = c->candidate;
  path->proved = TRUE;
  c->stayed = FALSE;
  fasp_ecn_restart (&path->ecn);
  forget_candidate (path);
  return TRUE;
}

gboolean
fasp_path_prove (FaspPath *path, const FaspAddress *at)
{
  FaspPathChallenge *c = &path->challenge;

  if (c->has_candidate && fasp_address_equal (at, &c->candidate)) {
    c->answered = TRUE;
    return move (path);
  }
  if (path->proved)
    return FALSE;
  path->address = *at; /* or a former candidate, which will do */
  return path->proved = TRUE;
}

gboolean
fasp_path_judge (FaspPath *path, FaspTime now)
{
  if (now < path->challenge.deadline)
    return FALSE;
  path->challenge.deadline = FASP_NEVER;
  path->challenge.in_vain = TRUE;
  return move (path);
}

gboolean
fasp_path_may_answer (FaspPath *path, FaspTime now, const FaspAddress *to)
{
  return (path->proved && fasp_address_equal (&path->address, to))
      || fasp_token_bucket_take (&path->answered, now, FASP_CHALLENGE_INTERVAL, FASP_CHALLENGES);
}

void
fasp_path_challenged (FaspPath *path, FaspTime now, FaspTime timeout)
{
  /* less and less often, so that the PINGs remembered cover five sixths of the time
   * since then, and later at least 7 s: an answer that takes less finds its challenge */
  FaspTime interval = (now - path->challenge.since) / 8;
  gboolean is_first = path->challenge.sent < path->challenge.since;

  path->challenge.time =
      now + CLAMP (interval, FASP_CHALLENGE_INTERVAL, FASP_CHALLENGE_INTERVAL_MAX);
  path->challenge.sent = now;
  path->challenge.left--;
  /* until the candidate has answered, another wait would say nothing */
  if (path->proved && path->challenge.deadline == FASP_NEVER
      && (is_first || path->challenge.answered)) {
    path->challenge.asks = FASP_PATH_ASKS;
    path->challenge.asked = now;
    path->challenge.deadline = now + timeout;
    path->challenge.answered = path->challenge.in_vain = FALSE;
  }
}

void
fasp_path_die (FaspPath *path, FaspTime now)
{
  path->death.is_dead = TRUE;
  path->death.since = path->asking.time = now;
  path->death.pn = path->next_pn;
  path->asking.interval = FASP_PATH_AGAIN;
}

void
fasp_path_asked (FaspPath *path, FaspTime now)
{
  path->asking.sent = now;
  path->asking.time = now + path->asking.interval;
  path->asking.interval = MIN (2 * path->asking.interval, FASP_PATH_AGAIN_MAX);
}
