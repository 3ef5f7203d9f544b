/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspadmission.h"
#include "faspcallingprivate.h"
#include "faspadmitted.h"
#include "faspbeginning.h"
#include "faspcredentials.h"
#include "faspendpointhello.h"
#include "fasphistory.h"
#include "fasplifecycle.h"
#include "faspmulticast.h"
#include "faspreading.h"
#include "fasptokenbucket.h"

/* The application is notified of this many refused callers at once, then of one every
 * NOTIFY_REFUSAL_EVERY, with the number left out before. */
#define NOTIFY_REFUSALS 16
#define NOTIFY_REFUSAL_EVERY FASP_SEC
/* With more sessions than this, a caller must prove its address before its message is opened. */
#define PROOF_ABOVE 64
/* A receiver that has acknowledged nothing for this long gives way to another one. An honest
 * receiver acknowledges something by then, unless its path is bad. */
#define GIVES_WAY_AFTER FASP_SEC
#define REFUSED_TEXT "the application there refused it"
#define UNDECIDED_TEXT "the application there has not decided yet: calling again may help"
#define ABSENT_TEXT "there is no stream of this streamid"

static FaspHandshake
answer (FaspHandshakeType type, const FaspHandshake *open)
{
  FaspHandshake handshake = {
    .type = type,
    .version = FASP_VERSION,
    .to_cid = open->from_cid,
  };

  memcpy (handshake.nonce, open->nonce, FASP_NONCE_SIZE);
  return handshake;
}

typedef struct
{
  const FaspAddress *from;
  gboolean proved;     /* the cookie proves that the address is the caller's */
  FaspNetwork network; /* of the address; set by decide() */
  const FaspHandshake *open;
  guint8 id[FASP_KEY_SIZE]; /* hash of the contents of the OPEN */
  FaspHello hello;          /* set once the OPEN's message is opened */
  FaspIdentity peer;        /* the caller; set with `hello' */
  FaspNoise noise;
} Call;

static void
send_reject (FaspEndpoint *endpoint, const Call *call, FaspReason reason, const gchar *text)
{
  FaspHandshake handshake = answer (FASP_HANDSHAKE_REJECT, call->open);

  handshake.reason = reason;
  g_strlcpy (handshake.text, text, sizeof (handshake.text));
  fasp_replies_push (&endpoint->calling->replies, call->from, &handshake);
  endpoint->stats.handshakes_refused++;
}

/* Was no call with this nonce refused lately? Remembers the nonce. */
static gboolean
is_first_refusal (FaspEndpoint *endpoint, const guint8 nonce[FASP_NONCE_SIZE])
{
  for (guint i = 0; i < FASP_REFUSED_KEPT; i++)
    if (memcmp (endpoint->calling->refusals.calls[i], nonce, FASP_NONCE_SIZE) == 0)
      return FALSE;
  memcpy (
      endpoint->calling->refusals.calls[endpoint->calling->refusals.oldest++ % FASP_REFUSED_KEPT],
      nonce, FASP_NONCE_SIZE);
  return TRUE;
}

/* Refuses the call.  @for_caller: the reason that the caller gets.  @text: the one for this end.
 * FALSE: it repeats a call that was refused lately. */
static gboolean
reject_for (FaspEndpoint *endpoint, FaspTime now, const Call *call, FaspReason reason,
    const gchar *for_caller, const gchar *text)
{
  FaspEvent *event;

  send_reject (endpoint, call, reason, for_caller);
  if (reason == FASP_REASON_KEY)
    fasp_limiter_refused (endpoint->calling->admitted.limiter, now, call->from, call->proved);
  if (!is_first_refusal (endpoint, call->open->nonce))
    return FALSE;
  /* any host can call, many times a second */
  if (!fasp_token_bucket_take (&endpoint->calling->refusals.events, now, NOTIFY_REFUSAL_EVERY,
          NOTIFY_REFUSALS)) {
    endpoint->calling->refusals.unannounced++;
    return TRUE;
  }
  FASP_LOG (endpoint->notes.log, now, CALLER_REFUSED, FASP_LOG_POINTER (call->from), reason,
      FASP_LOG_POINTER (text), endpoint->calling->refusals.unannounced);
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_REJECTED, NULL);
  event->refusal.more = endpoint->calling->refusals.unannounced;
  endpoint->calling->refusals.unannounced = 0;
  event->address = *call->from;
  event->reason = reason;
  g_strlcpy (event->text, text, sizeof (event->text));
  g_strlcpy (event->streamid, call->hello.streamid, sizeof (event->streamid));
  return TRUE;
}

static gboolean
reject (FaspEndpoint *endpoint, FaspTime now, const Call *call, FaspReason reason,
    const gchar *text)
{
  return reject_for (endpoint, now, call, reason, text, text);
}

static void
send_retry (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *to, const FaspHandshake *open)
{
  FaspHandshake handshake = answer (FASP_HANDSHAKE_RETRY, open);

  handshake.cookie_size = FASP_COOKIE_SIZE;
  fasp_cookie_make (endpoint->cookie_secret, now, to, open->nonce, handshake.cookie);
  fasp_replies_push (&endpoint->calling->replies, to, &handshake);
  endpoint->stats.handshakes_retried++;
}

static void
send_versions (FaspEndpoint *endpoint, const FaspAddress *to, const FaspHandshake *open)
{
  FaspHandshake handshake = answer (FASP_HANDSHAKE_VERSIONS, open);

  handshake.n_versions = 1;
  handshake.versions[0] = FASP_VERSION;
  fasp_replies_push (&endpoint->calling->replies, to, &handshake);
  endpoint->stats.datagrams_version++;
}

/* --- the caller ------------------------------------------------------------------ */

/* Hashes the contents of an OPEN except the cookie: an OPEN that was changed on its way counts as
 * another call, and cannot replace the right one. The hash has a secret, so that no host can make
 * calls whose hashes collide. */
static void
identify_call (const FaspEndpoint *endpoint, const FaspHandshake *open, guint8 call[FASP_KEY_SIZE])
{
  guint8 prologue[FASP_COOKIE_SECRET_SIZE + FASP_PROLOGUE_SIZE];
  FaspWriter w = { prologue, sizeof prologue };

  fasp_write_bytes (&w, endpoint->cookie_secret, FASP_COOKIE_SECRET_SIZE);
  fasp_wire_write_prologue (&w, open);
  fasp_sha256 (prologue, w.used, open->message, open->message_size, call);
}

/* The open session that the caller resumes and proves to know; NULL: none. */
static FaspSession *
find_resumed (FaspEndpoint *endpoint, const Call *call)
{
  guint8 proof[FASP_PROOF_SIZE];
  FaspSession *session;

  if (!call->hello.has_resume)
    return NULL;
  session = fasp_endpoint_find (endpoint, call->hello.resume_cid);
  if (session == NULL || session->state != FASP_SESSION_OPEN)
    return NULL;
  fasp_session_prove (session, call->open->nonce, proof);
  return fasp_equal (proof, call->hello.resume_proof, FASP_PROOF_SIZE) ? session : NULL;
}

/* --- the door -------------------------------------------------------------------------- */

/* Opens the caller's message.  FALSE: *objection says what is wrong with its keys; if it is
 * NULL, the message is malformed. */
static gboolean
try_message (FaspEndpoint *endpoint, Call *call, const gchar **objection)
{
  const FaspCredentials *credentials = endpoint->config.credentials;
  guint8 payload[FASP_MESSAGE_MAX], ephemeral[FASP_KEY_SIZE];
  gsize size;
  gboolean good;

  *objection = fasp_credentials_object (credentials, call->open->pattern);
  if (*objection != NULL)
    return FALSE;
  endpoint->random (endpoint->random_data, ephemeral, sizeof ephemeral);
  fasp_credentials_begin (credentials, FALSE, call->open, ephemeral, &call->noise);
  fasp_wipe (ephemeral, sizeof ephemeral);
  good =
      fasp_noise_read (&call->noise, call->open->message, call->open->message_size, payload, &size);
  if (!good && call->noise.pattern == FASP_NOISE_NN)
    return FALSE;
  if (!good)
    *objection = fasp_noise_has_static (call->noise.pattern) ?
        "the caller's public-key is not that of the listener's key-file: set it to that" :
        "the passphrases differ: set the same on both ends";
  else if (fasp_noise_has_static (call->noise.pattern)
      && !fasp_credentials_know (credentials, call->noise.rs, &call->peer))
    *objection = "the caller's key is not among the listener's allowed-keys: add it there";
  return *objection == NULL && fasp_wire_parse_hello (payload, size, &call->hello)
      && call->hello.cid == call->open->from_cid;
}

/* Opens the caller's message, or refuses the call. FALSE: the call was refused, or its message is
 * malformed. */
static gboolean
open_message (FaspEndpoint *endpoint, FaspTime now, Call *call)
{
  const gchar *objection;

  if (try_message (endpoint, call, &objection))
    return TRUE;
  if (objection != NULL)
    reject (endpoint, now, call, FASP_REASON_KEY, objection);
  else
    endpoint->stats.datagrams_malformed++;
  return FALSE;
}

static void
admit (FaspEndpoint *endpoint, FaspTime now, Call *call, FaspCipher cipher)
{
  guint64 start =
      endpoint->store != NULL ? fasp_history_choose (endpoint, now, &call->hello.wants) : 0;
  FaspHello hello = {
    .cid = fasp_endpoint_new_id (endpoint),
    .n_ciphers = 1,
    .ciphers = { cipher },
  };
  FaspSession *session;
  guint8 payload[FASP_MESSAGE_MAX], message[FASP_MESSAGE_MAX];
  FaspWriter p = { payload, sizeof payload }, m = { message, sizeof message };
  FaspKeys keys = { .cipher = cipher };
  gboolean good;

  fasp_endpoint_describe (endpoint, &hello, start);
  hello.flows = MIN (hello.flows, call->hello.flows);
  fasp_multicast_invite (endpoint, &call->hello, &hello);
  fasp_wire_write_hello (&p, &hello);
  fasp_wipe (&hello.group_key, sizeof hello.group_key);
  good = fasp_noise_write (&call->noise, payload, p.used, &m);
  fasp_wipe (payload, sizeof payload); /* the payload has the group's key */
  if (!good) {
    /* the caller's public key is invalid */
    endpoint->stats.datagrams_malformed++;
    return;
  }
  session =
      fasp_beginning_make (endpoint, now, call->from, &call->hello, &hello, call->open->nonce);
  session->listener = TRUE;
  session->group.member.invited = hello.has_group_key;
  session->handshake.from = *call->from;
  if (session->role == FASP_ROLE_SENDER) {
    fasp_tx_was_called (session->tx);
    session->shared.newcomer_times = endpoint->shared.newcomer_times;
  }
  session->record->bucket = fasp_limiter_enter (endpoint->calling->admitted.limiter, call->from);
  session->record->network = call->network;
  memcpy (session->record->call, call->id, sizeof session->record->call);
  g_hash_table_insert (endpoint->calling->admitted.by_call, session->record->call, session);
  if (call->hello.streamid[0] != '\0')
    session->streamid = g_strdup (call->hello.streamid);
  session->handshake.accept = g_bytes_new (message, m.used);
  session->peer = call->peer;
  fasp_noise_split (&call->noise, keys.caller, keys.listener);
  fasp_session_set_keys (session, &keys);
  fasp_wipe (&keys, sizeof keys);
  if (endpoint->config.ask) {
    session->state = FASP_SESSION_ASKING;
    fasp_endpoint_push_event (endpoint, FASP_EVENT_CONNECTING, session);
  } else {
    session->state = FASP_SESSION_HALF;
    session->handshake.accept_due = TRUE;
  }
}

/* Refuses a wrong stream name. Takes as many tokens as for a wrong key, so that names cannot be
 * guessed any faster than keys. */
static void
refuse_name (FaspEndpoint *endpoint, FaspTime now, const Call *call, const gchar *text)
{
  if (reject (endpoint, now, call, FASP_REASON_REFUSED, text))
    endpoint->stats.callers_misdirected++;
  fasp_limiter_refused (endpoint->calling->admitted.limiter, now, call->from, call->proved);
}

/* Checks the hint of the stream in an OPEN, before the message is opened. FALSE: the call was
 * refused. */
static gboolean
names_our_stream (FaspEndpoint *endpoint, FaspTime now, Call *call, FaspRoute route)
{
  const FaspHandshake *open = call->open;
  const gchar *ignored;

  if (route == FASP_ROUTE_HERE && open->to_cid != 0 && fasp_admitted_has_name (endpoint)
      && fasp_stream_find (open->nonce, open->to_cid, endpoint->calling->admitted.names,
             FASP_STREAM_NAMES)
          == FASP_STREAM_NAMES)
    route = FASP_ROUTE_ABSENT;
  switch (route) {
    case FASP_ROUTE_HERE:
      return TRUE;
    case FASP_ROUTE_ABSENT:
      /* if the caller knows our key, the event tells which stream it wants */
      if (!try_message (endpoint, call, &ignored))
        call->hello.streamid[0] = '\0';
      refuse_name (endpoint, now, call, ABSENT_TEXT);
      break;
    case FASP_ROUTE_UNNAMED:
      refuse_name (endpoint, now, call,
          "there are several streams at this port: say which by streamid");
      break;
    case FASP_ROUTE_GONE:
      reject (endpoint, now, call, FASP_REASON_BUSY,
          "the stream of this streamid has stopped just now");
      break;
  }
  return FALSE;
}

/* Returns what the caller is told. @text: what the application has it told; NULL or empty: nothing.
 */
static const gchar *
choose_text (FaspReason refusal, const gchar *text)
{
  if (text != NULL && text[0] != '\0')
    return text;
  return refusal == FASP_REASON_BUSY ? UNDECIDED_TEXT : REFUSED_TEXT;
}

/* Answers repeated calls, and calls that the address or the number of half-open sessions decides.
 * TRUE: the call's message must be opened. */
static gboolean
needs_opening (FaspEndpoint *endpoint, FaspTime now, const Call *call)
{
  const FaspEndpointConfig *config = &endpoint->config;
  FaspSession *same = g_hash_table_lookup (endpoint->calling->admitted.by_call, call->id);
  guint half = fasp_limiter_count_half (endpoint->calling->admitted.limiter);

  if (same != NULL) {
    if (same->state == FASP_SESSION_HALF) {
      /* the answer goes to where the OPEN came from. An attacker that has copied the OPEN gains
       * nothing by that, as the session's address does not change */
      if (!fasp_address_equal (&same->handshake.from, call->from))
        same->handshake.moved = TRUE;
      same->handshake.from = *call->from;
      same->handshake.accept_due = TRUE;
      fasp_endpoint_wake (endpoint, same);
    } else if (same->closing.reason == FASP_REASON_REFUSED
        || same->closing.reason == FASP_REASON_BUSY) {
      send_reject (endpoint, call, same->closing.reason,
          choose_text (same->closing.reason, same->closing.text));
    }
    return FALSE;
  }
  if (!call->proved && (config->ask || half >= config->half_open_max)) {
    send_retry (endpoint, now, call->from, call->open);
    return FALSE;
  }
  if (fasp_limiter_take (endpoint->calling->admitted.limiter, now, call->from, call->proved))
    return TRUE;
  if (!call->proved)
    send_retry (endpoint, now, call->from, call->open);
  else
    endpoint->stats.handshakes_refused++; /* no answer: the caller will repeat the call */
  return FALSE;
}

/* Does this receiver take only one stream, and has it received that? */
static gboolean
has_received (const FaspEndpoint *endpoint)
{
  if (endpoint->config.settings.keep_listening)
    return FALSE;
  FASP_EACH_SESSION (endpoint, session)
    if (fasp_rx_is_complete (session->rx))
      return TRUE;
  return endpoint->calling->received;
}

typedef enum
{
  ROOM,
  NO_ROOM_IN_NETWORK,
  NO_ROOM,
} Crowded;

/* Has network @number at least @most receivers? A limit of 0 is none. */
static gboolean
is_full (const FaspEndpoint *endpoint, guint64 number, guint64 most)
{
  return most > 0 && fasp_networks_count (endpoint->calling->admitted.networks, number) >= most;
}

static Crowded
look_for_room (const FaspEndpoint *endpoint, const FaspNetwork *network)
{
  const FaspEndpointConfig *config = &endpoint->config;
  guint most = config->settings.max_receivers,
        of_network = config->settings.max_receivers_per_network;

  if (most == 0 || most > FASP_RECEIVERS_MOST)
    most = FASP_RECEIVERS_MOST;
  if (is_full (endpoint, network->number, of_network)
      || (network->wide != 0
          && is_full (endpoint, network->wide, (guint64) of_network * FASP_LIMITER_WIDE)))
    return NO_ROOM_IN_NETWORK;
  return endpoint->stats.sessions >= most ? NO_ROOM : ROOM;
}

/* The receiver that gives way to a new one from @network; NULL: none. A receiver that is alone in
 * its network has GIVES_WAY_AFTER to acknowledge something, and keeps its place as long as it was
 * sent nothing. */
static FaspSession *
choose_giving_way (const FaspEndpoint *endpoint, FaspTime now, const FaspNetwork *network)
{
  const FaspNewcomers *newcomers = endpoint->calling->admitted.newcomers;
  Crowded crowded = look_for_room (endpoint, network);
  FaspSession *session = NULL;

  if (crowded == NO_ROOM_IN_NETWORK)
    session = fasp_newcomers_choose_of (newcomers, network->number);
  else if (crowded == NO_ROOM)
    session = fasp_newcomers_choose (newcomers);
  if (session == NULL || (crowded == NO_ROOM && !fasp_newcomers_is_alone (newcomers, session)))
    return session;
  return fasp_session_get_owed (session, now) > GIVES_WAY_AFTER ? session : NULL;
}

/* Why this sender takes no receiver from @network now; NULL: it takes one. */
static const gchar *
explain_crowded (const FaspEndpoint *endpoint, FaspTime now, const FaspNetwork *network)
{
  switch (choose_giving_way (endpoint, now, network) != NULL ? ROOM :
                                                               look_for_room (endpoint, network)) {
    case NO_ROOM:
      return "it has as many receivers as it takes (max-receivers)";
    case NO_ROOM_IN_NETWORK:
      return "it has as many receivers as it takes from one network (max-receivers-per-network)";
    case ROOM:
      break;
  }
  return NULL;
}

/* Makes room for a receiver from @network: if there is none, one that has acknowledged nothing is
 * closed.
 */
static void
make_room_for_receiver (FaspEndpoint *endpoint, FaspTime now, const FaspNetwork *network)
{
  FaspSession *session = choose_giving_way (endpoint, now, network);

  if (session == NULL)
    return;
  fasp_session_close (session, now, FASP_REASON_BUSY,
      "it has acknowledged nothing, and others wait for its place");
  fasp_endpoint_wake (endpoint, session);
  fasp_lifecycle_leave (endpoint, now, session);
}

/* Why this receiver refuses @session as its sender; NULL: it takes it. */
static const gchar *
explain_occupied (const FaspEndpoint *endpoint, const FaspSession *session)
{
  if (fasp_endpoint_get_heard (endpoint, session) != NULL)
    return "another sender is connected already";
  if (fasp_reading_is_behind (endpoint, session))
    return "the application has not read what senders before have sent";
  return has_received (endpoint) ? "it has received its stream and takes no other until it is "
                                   "started again (with keep-listening=true it would)" :
                                   NULL;
}

/* Why no caller from @network is let in now, not counting @session; NULL: it is let in. */
static const gchar *
explain_full (const FaspEndpoint *endpoint, FaspTime now, const FaspSession *session,
    const FaspNetwork *network)
{
  return endpoint->config.role == FASP_ROLE_SENDER ? explain_crowded (endpoint, now, network) :
                                                     explain_occupied (endpoint, session);
}

static void
decide (FaspEndpoint *endpoint, FaspTime now, Call *call)
{
  const FaspEndpointConfig *config = &endpoint->config;
  gboolean receiver = config->role == FASP_ROLE_RECEIVER;
  const FaspHello *hello = &call->hello;
  FaspSession *resumed = find_resumed (endpoint, call);
  const gchar *full;
  FaspCipher cipher;

  call->network = fasp_limiter_get_network (endpoint->calling->admitted.limiter, call->from);
  full = explain_full (endpoint, now, NULL, &call->network);
  if (resumed != NULL) {
    fasp_session_is_asked_for (resumed, now, call->from);
    fasp_endpoint_wake (endpoint, resumed);
  } else if (hello->unsupported) {
    reject (endpoint, now, call, FASP_REASON_UNSUPPORTED,
        "it asks for something that this version does not support");
  } else if (fasp_admitted_has_name (endpoint) && hello->streamid[0] != '\0'
      && !g_str_equal (hello->streamid, config->streamid)) {
    refuse_name (endpoint, now, call, ABSENT_TEXT);
  } else if (!fasp_credentials_choose (config->credentials, hello, &cipher)) {
    reject (endpoint, now, call, FASP_REASON_ENCRYPTION,
        "no encryption that both ends take: set the same on both");
  } else if (hello->role == config->role) {
    reject (endpoint, now, call, FASP_REASON_SAME_ROLE,
        receiver ? "both ends are receivers: one must be faspsink" :
                   "both ends are senders: one must be faspsrc");
  } else if (full != NULL) {
    reject (endpoint, now, call, FASP_REASON_BUSY, full);
  } else if (!receiver && fasp_store_is_finished (endpoint->store)
      && fasp_history_choose (endpoint, now, &hello->wants)
          >= fasp_store_get_head (endpoint->store)) {
    reject (endpoint, now, call, FASP_REASON_FINISHED, "the stream has ended");
  } else {
    admit (endpoint, now, call, cipher);
  }
}

FaspFit
fasp_endpoint_fits (const FaspEndpoint *endpoint, const FaspAddress *caller)
{
  FaspFit fit = FASP_FIT_FREE;

  FASP_EACH_SESSION (endpoint, session) {
    if (fasp_session_is_over (session))
      continue;
    if (fasp_address_equal (fasp_session_get_address (session), caller))
      return FASP_FIT_KNOWN;
    fit = MIN (fit,
        session->state == FASP_SESSION_HALF || fasp_session_is_heard (session) ? FASP_FIT_OCCUPIED :
                                                                                 FASP_FIT_SILENT);
  }
  return fit;
}

void
fasp_admission_receive (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from, gsize size,
    const FaspHandshake *open, FaspRoute route)
{
  Call call = { .from = from, .open = open };

  if (size < FASP_OPEN_SIZE || open->from_cid == 0) {
    endpoint->stats.datagrams_malformed++;
    return;
  }
  if (open->version != FASP_VERSION) {
    send_versions (endpoint, from, open);
    return;
  }
  call.proved = open->cookie_size > 0
      && fasp_cookie_verify (endpoint->cookie_secret, now, from, open->nonce, open->cookie);
  if (!call.proved && endpoint->sessions->len > PROOF_ABOVE) {
    send_retry (endpoint, now, from, open);
    return;
  }
  identify_call (endpoint, open, call.id);
  if (needs_opening (endpoint, now, &call) && names_our_stream (endpoint, now, &call, route)
      && open_message (endpoint, now, &call))
    decide (endpoint, now, &call);
  fasp_noise_wipe (&call.noise);
}

gboolean
fasp_admission_has_room (const FaspEndpoint *endpoint, FaspTime now, const FaspSession *session)
{
  return explain_full (endpoint, now, session, &session->record->network) == NULL;
}

void
fasp_admission_confirmed (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  /* several sessions may be half open: a receiver takes the first sender, and a sender
   * takes receivers up to its limit */
  const gchar *full = explain_full (endpoint, now, session, &session->record->network);

  if (full != NULL) {
    fasp_session_close (session, now, FASP_REASON_BUSY, full);
    return;
  }
  if (session->role == FASP_ROLE_RECEIVER) {
    FASP_EACH_SESSION (endpoint, other)
      if (other != session && other->state == FASP_SESSION_OPEN)
        fasp_lifecycle_replaced (endpoint, now, other);
  }
  /* the call came in time, but its first block is not kept any more */
  else if (fasp_store_is_finished (endpoint->store)
      && fasp_store_get_tail (endpoint->store) > session->record->start.block) {
    fasp_session_close (session, now, FASP_REASON_STOPPED, "the stream has ended");
    return;
  } else {
    make_room_for_receiver (endpoint, now, &session->record->network);
  }
  fasp_beginning_opened (endpoint, now, session);
}

void
fasp_admission_decided (FaspEndpoint *endpoint, FaspTime now, FaspSession *session,
    FaspReason refusal, const gchar *why, const gchar *for_caller)
{
  fasp_endpoint_wake (endpoint, session);
  if (refusal == FASP_REASON_NONE) {
    session->state = FASP_SESSION_HALF;
    session->liveness.created = now;
    session->handshake.accept_due = TRUE;
  } else {
    FaspHandshake open = { .from_cid = session->peer_id };
    Call call = { .from = fasp_session_get_address (session), .proved = TRUE, .open = &open };

    memcpy (open.nonce, session->record->nonce, FASP_NONCE_SIZE);
    if (session->streamid != NULL)
      g_strlcpy (call.hello.streamid, session->streamid, sizeof (call.hello.streamid));
    /* kept, as the caller believes no refusal before it has called once more */
    g_strlcpy (session->closing.text, choose_text (refusal, for_caller),
        sizeof session->closing.text);
    reject_for (endpoint, now, &call, refusal, session->closing.text,
        why != NULL ? why : session->closing.text);
    /* costs as many tokens as a key that is not allowed, so that the application is not asked more
     * often */
    if (session->peer.proved && !session->peer.allowed)
      fasp_limiter_owe (session->record->bucket);
    /* the session stays until it times out, so that the application is not asked again when the
     * call is repeated */
    session->state = FASP_SESSION_CLOSED;
    session->closing.reason = refusal;
    session->closing.time = FASP_NEVER;
    session->closing.deadline = now + FASP_HALF_TIMEOUT;
  }
}

void
fasp_admission_accept (FaspSession *session, FaspDatagram *datagram)
{
  FaspHandshake handshake = {
    .type = FASP_HANDSHAKE_ACCEPT,
    .version = FASP_VERSION,
    .to_cid = session->peer_id,
    .from_cid = session->id,
  };
  FaspWriter w = { datagram->data, sizeof (datagram->data) };
  gsize size;

  memcpy (handshake.nonce, session->record->nonce, FASP_NONCE_SIZE);
  handshake.message = g_bytes_get_data (session->handshake.accept, &size);
  handshake.message_size = size;
  fasp_wire_write_handshake (&w, &handshake);
  datagram->to = session->handshake.from;
  datagram->size = w.used;
}
