/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspadmission.h"
#include "faspseal.h"

/* The application hears of refused callers that have not proved their address
 * this often. */
#define TELL_REFUSAL_AFTER (100 * FASP_MSEC)
/* With more sessions than that, a caller proves its address before it is
 * looked for among them. */
#define PROOF_ABOVE 64

static FaspHandshake
answer (FaspHandshakeType type, const FaspHandshake * open)
{
  FaspHandshake handshake = {
    .type = type,
    .version = FASP_VERSION,
    .to_cid = open->from_cid,
  };

  memcpy (handshake.nonce, open->nonce, FASP_NONCE_SIZE);
  return handshake;
}

static void
reject (FaspEndpoint * endpoint, FaspTime now, const FaspAddress * to,
    gboolean proved, const FaspHandshake * open, FaspReason reason,
    const gchar * text)
{
  FaspHandshake handshake = answer (FASP_HANDSHAKE_REJECT, open);
  FaspEvent *event;

  handshake.reason = reason;
  g_strlcpy (handshake.text, text, sizeof (handshake.text));
  fasp_replies_push (&endpoint->replies, to, &handshake);
  endpoint->stats.handshakes_refused++;
  /* who has not proved its address can be anybody, many times a second */
  if (!proved && now - endpoint->refusal_told < TELL_REFUSAL_AFTER)
    return;
  if (!proved)
    endpoint->refusal_told = now;
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_REJECTED, NULL);
  event->address = *to;
  event->reason = reason;
  g_strlcpy (event->text, text, sizeof (event->text));
  g_strlcpy (event->streamid, open->streamid, sizeof (event->streamid));
}

static void
retry (FaspEndpoint * endpoint, FaspTime now, const FaspAddress * to,
    const FaspHandshake * open)
{
  FaspHandshake handshake = answer (FASP_HANDSHAKE_RETRY, open);

  handshake.cookie_size = FASP_COOKIE_SIZE;
  fasp_cookie_make (endpoint->cookie_secret, now, to, open->nonce,
      handshake.cookie);
  fasp_replies_push (&endpoint->replies, to, &handshake);
  endpoint->stats.handshakes_retried++;
}

static void
send_versions (FaspEndpoint * endpoint, const FaspAddress * to,
    const FaspHandshake * open)
{
  FaspHandshake handshake = answer (FASP_HANDSHAKE_VERSIONS, open);

  handshake.n_versions = 1;
  handshake.versions[0] = FASP_VERSION;
  fasp_replies_push (&endpoint->replies, to, &handshake);
  endpoint->stats.datagrams_version++;
}

/* --- who is calling? ------------------------------------------------------------- */

typedef struct
{
  FaspSession *same_call;       /* the OPEN is a repetition */
  guint half, open;
} Survey;

static Survey
survey (const FaspEndpoint * endpoint, const FaspHandshake * open)
{
  Survey s = { 0 };

  for (guint i = 0; i < endpoint->sessions->len; i++) {
    FaspSession *session = g_ptr_array_index (endpoint->sessions, i);

    if (memcmp (session->nonce, open->nonce, FASP_NONCE_SIZE) == 0)
      s.same_call = session;
    switch (session->state) {
      case FASP_SESSION_ASKING:
      case FASP_SESSION_HALF:
        s.half++;
        break;
      case FASP_SESSION_OPEN:
        s.open++;
        break;
      default:
        if (!session->connected)        /* refused, remembered for a while */
          s.half++;
        break;
    }
  }
  return s;
}

static FaspSession *
find_resumed (FaspEndpoint * endpoint, const FaspHandshake * open)
{
  guint8 proof[FASP_PROOF_SIZE];
  FaspSession *session;

  if (!open->has_resume)
    return NULL;
  session = g_hash_table_lookup (endpoint->by_id,
      GUINT_TO_POINTER (open->resume_cid));
  if (session == NULL || session->state != FASP_SESSION_OPEN)
    return NULL;
  fasp_hmac (session->key, FASP_KEY_SIZE, "fasp resume 1", open->nonce,
      FASP_NONCE_SIZE, proof, FASP_PROOF_SIZE);
  return memcmp (proof, open->resume_proof, FASP_PROOF_SIZE) == 0 ?
      session : NULL;
}

static void
send_resumed (FaspEndpoint * endpoint, const FaspAddress * to,
    const FaspHandshake * open, FaspSession * session)
{
  FaspHandshake handshake = answer (FASP_HANDSHAKE_ACCEPT, open);
  FaspWriter w;
  guint8 data[FASP_REPLY_SIZE];

  handshake.from_cid = session->id;
  handshake.resumed = TRUE;
  fasp_endpoint_describe (endpoint, &handshake, session->start);
  w = (FaspWriter) {
  data, sizeof (data)};
  fasp_wire_write_handshake (&w, &handshake);
  fasp_seal_close_handshake (&w, session->key);
  if (!w.failed)
    fasp_replies_push_bytes (&endpoint->replies, to, data, w.used);
}

/* --- the door -------------------------------------------------------------------------- */

static void
admit (FaspEndpoint * endpoint, FaspTime now, const FaspAddress * from,
    const FaspHandshake * open)
{
  guint64 start = endpoint->store != NULL ?
      fasp_store_seal (endpoint->store) : 0;
  FaspSession *session = fasp_endpoint_add_session (endpoint, now,
      fasp_endpoint_new_id (endpoint), from, open, start);

  session->listener = TRUE;
  if (open->streamid[0] != '\0')
    session->streamid = g_strdup (open->streamid);
  endpoint->random (endpoint->random_data, session->listener_nonce,
      FASP_NONCE_SIZE);
  fasp_session_set_key (session);
  if (endpoint->config.ask) {
    session->state = FASP_SESSION_ASKING;
    fasp_endpoint_push_event (endpoint, FASP_EVENT_CONNECTING, session);
  } else {
    session->state = FASP_SESSION_HALF;
    session->accept_due = TRUE;
  }
}

void
fasp_admission_receive (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size,
    const FaspHandshake * open)
{
  const FaspEndpointConfig *config = &endpoint->config;
  gboolean receiver = config->role == FASP_ROLE_RECEIVER, proved;
  FaspSession *resumed;
  Survey s;

  if (size < FASP_OPEN_SIZE || open->from_cid == 0) {
    endpoint->stats.datagrams_malformed++;
    return;
  }
  if (open->version != FASP_VERSION) {
    send_versions (endpoint, from, open);
    return;
  }
  if (!fasp_seal_open_handshake (data, size, open->nonce)) {
    endpoint->stats.datagrams_forged++;
    return;
  }
  proved = open->cookie_size > 0 && fasp_cookie_verify (endpoint->cookie_secret,
      now, from, open->nonce, open->cookie);
  if (!proved && endpoint->sessions->len > PROOF_ABOVE) {
    retry (endpoint, now, from, open);
    return;
  }
  s = survey (endpoint, open);
  if (s.same_call != NULL) {
    if (s.same_call->state == FASP_SESSION_HALF
        || s.same_call->state == FASP_SESSION_OPEN) {
      s.same_call->accept_due = TRUE;
      s.same_call->wake = 0;
    }
    return;
  }
  resumed = find_resumed (endpoint, open);
  if (resumed != NULL) {
    send_resumed (endpoint, from, open, resumed);
    return;
  }
  if (s.half >= FASP_HALF_MAX || (!proved && (config->ask
              || s.half >= config->half_open_max))) {
    retry (endpoint, now, from, open);
    return;
  }
  if (open->unsupported)
    reject (endpoint, now, from, proved, open, FASP_REASON_UNSUPPORTED,
        "it asks for something this version does not have");
  else if (open->role == config->role)
    reject (endpoint, now, from, proved, open, FASP_REASON_SAME_ROLE,
        receiver ? "both ends are receivers: one must be faspsink" :
        "both ends are senders: one must be faspsrc");
  else if (open->role != FASP_ROLE_SENDER && open->role != FASP_ROLE_RECEIVER)
    endpoint->stats.datagrams_malformed++;
  else if (receiver && fasp_endpoint_get_heard (endpoint, NULL) != NULL)
    reject (endpoint, now, from, proved, open, FASP_REASON_BUSY,
        "another sender is connected already");
  else if (!receiver && s.open >= (config->max_sessions > 0 ?
          config->max_sessions : FASP_SESSIONS_MAX))
    reject (endpoint, now, from, proved, open, FASP_REASON_BUSY,
        "no room for one more receiver");
  else if (!receiver && fasp_store_is_finished (endpoint->store))
    reject (endpoint, now, from, proved, open, FASP_REASON_FINISHED,
        "the stream has ended");
  else
    admit (endpoint, now, from, open);
}

gboolean
fasp_admission_has_room (const FaspEndpoint * endpoint,
    const FaspSession * session)
{
  return session->role == FASP_ROLE_SENDER
      || fasp_endpoint_get_heard (endpoint, session) == NULL;
}

void
fasp_admission_confirmed (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session)
{
  /* a receiver takes one sender: who answers first */
  if (!fasp_admission_has_room (endpoint, session)) {
    fasp_session_close (session, now, FASP_REASON_BUSY,
        "another sender is connected already");
    return;
  }
  if (session->role == FASP_ROLE_RECEIVER)
    for (guint i = 0; i < endpoint->sessions->len; i++) {
      FaspSession *other = fasp_endpoint_nth (endpoint, i);

      if (other != session && other->state == FASP_SESSION_OPEN)
        fasp_endpoint_replace (endpoint, now, other);
    }
  /* it called in time, but nothing is left that it could be given */
  else if (fasp_store_is_finished (endpoint->store)
      && fasp_store_get_tail (endpoint->store) > session->start) {
    fasp_session_close (session, now, FASP_REASON_STOPPED,
        "the stream has ended");
    return;
  }
  fasp_endpoint_session_opened (endpoint, now, session);
}

void
fasp_admission_decided (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session, gboolean accept)
{
  session->wake = 0;
  if (accept) {
    session->state = FASP_SESSION_HALF;
    session->created = now;
    session->accept_due = TRUE;
  } else {
    FaspHandshake open = {.from_cid = session->peer_id };

    memcpy (open.nonce, session->nonce, FASP_NONCE_SIZE);
    if (session->streamid != NULL)
      g_strlcpy (open.streamid, session->streamid, sizeof (open.streamid));
    reject (endpoint, now, &session->address, TRUE, &open, FASP_REASON_REFUSED,
        "the application there refused it");
    /* remembered until it times out, so that a repetition is not asked for
     * again */
    session->state = FASP_SESSION_CLOSED;
    session->close_time = FASP_NEVER;
    session->close_deadline = now + FASP_HALF_TIMEOUT;
  }
}

void
fasp_admission_accept (FaspEndpoint * endpoint, FaspSession * session,
    FaspDatagram * datagram)
{
  FaspHandshake handshake = {
    .type = FASP_HANDSHAKE_ACCEPT,
    .version = FASP_VERSION,
    .to_cid = session->peer_id,
    .from_cid = session->id,
  };
  FaspWriter w = { datagram->data, sizeof (datagram->data) };

  memcpy (handshake.nonce, session->nonce, FASP_NONCE_SIZE);
  memcpy (handshake.listener_nonce, session->listener_nonce, FASP_NONCE_SIZE);
  fasp_endpoint_describe (endpoint, &handshake, session->start);
  fasp_wire_write_handshake (&w, &handshake);
  fasp_seal_close_handshake (&w, session->key);
  datagram->to = session->address;
  datagram->size = w.used;
}
