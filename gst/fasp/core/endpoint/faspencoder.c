/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "faspencoder.h"
#include "faspsendingprivate.h"

/* The encoder gets this share of the rate; the rest is a reserve. */
#define MARGIN .95
/* An encoder gets at least 1 / SHARE_LEAST of the rate, so that one whose first picture is too
 * large need not stop.
 */
#define SHARE_LEAST 8
/* At most this many bytes on the wire are assumed for each byte of new blocks: a stream of almost
 * no bytes sends mostly other datagrams. */
#define MORE_MAX 2.
/* The rate is chosen so that waiting bytes have left after BACKLOG_TIME. Bytes that leave within
 * BACKLOG_USUAL do not count, as about one picture always waits. */
#define BACKLOG_TIME (250 * FASP_MSEC)
#define BACKLOG_USUAL (50 * FASP_MSEC)
/* If a report is this long overdue, the encoder gets the least rate. */
#define OVERDUE_TIME (BACKLOG_TIME - BACKLOG_USUAL)
/* A change beyond these factors is announced; a rate higher than what is proven not sooner than
 * MORE_AFTER after the last change. */
#define LESS .97
#define MORE 1.05
#define MORE_AFTER (100 * FASP_MSEC)
/* The announced rate rises by a factor of e in this time. */
#define RISE_TIME (300 * FASP_MSEC)
/* From OUTLIERS_FROM receivers on, the slowest one, or the slowest 1 / OUTLIERS_OF of many, is
 * ignored as an outlier. With two receivers either could be the outlier. */
#define OUTLIERS_FROM 3
#define OUTLIERS_OF 10
/* Sessions are looked at in this interval, not at each poll, as there may be thousands. */
#define LOOK_EVERY (25 * FASP_MSEC)

/* The share of payload in the datagrams of the session. */
static gdouble
get_payload_share (const FaspSession *session)
{
  gdouble wire = session->sizes.wire_max;

  /* the datagrams of a group have the size that fits any path */
  if (session->group.member.joined)
    wire = FASP_PMTU_BASE + (gsize) session->group.sender->to.overhead;
  return fasp_session_get_room (session) / MAX (wire, 1);
}

/* Bytes on the wire for each byte of new blocks, with copies, repairs and retransmissions. */
static gdouble
get_more (const FaspSession *session)
{
  const FaspPathEstimate *estimate = fasp_tx_get_estimate (session->tx);
  /* new blocks leave this many times; retransmissions and repairs leave once */
  guint times = fasp_session_get_times (session);
  gdouble more = times + fasp_session_get_fec (session)->share + estimate->goal.path.loss;

  return estimate->data_rate <= 0 ?
      more :
      MAX (more, times * MIN (estimate->wire_rate / estimate->data_rate, MORE_MAX));
}

/* Bits of payload that wait to be sent. */
static gdouble
get_waiting (const FaspSession *session)
{
  guint64 head = fasp_store_get_head (session->store);
  /* a member's own position follows the group's only when it is heard */
  guint64 next = session->group.member.joined ?
      fasp_group_log_get_next (session->group.sender->log) :
      fasp_tx_view (session->tx)->cursor;

  return (head - MIN (head, next)) * fasp_session_get_room (session) * 8.;
}

/* Bit/s on the wire for each receiver of the stream at which the total rate is enough for all of
 * them; 0: no limit.  A group's members share what goes to the group, which has that limit. */
static guint64
get_total_share (const FaspEndpoint *endpoint, FaspTime now)
{
  guint64 total = endpoint->config.settings.max_total_bitrate;
  guint n = 0;

  if (total == 0)
    return 0;
  FASP_EACH_SESSION (endpoint, session)
    n += fasp_session_judge (session, now) == FASP_STANDING_TAKING
        && !fasp_tx_stands_by (session->tx) && !session->group.member.joined;
  return total / MAX (n, 1);
}

/* The rate that @session may send at, bit/s on the wire. */
static guint64
get_offer (const FaspSession *session, guint64 total_share)
{
  guint64 offer = fasp_session_get_offer (session);

  return total_share == 0 || session->group.member.joined ? offer :
      offer == 0                                          ? total_share :
                                                            MIN (offer, total_share);
}

/* What a receiver has room for, in bit/s of payload. */
typedef struct
{
  guint64 rate;   /* 0: no limit */
  guint64 proven; /* of it, what has arrived while packets last waited on the paths */
  gdouble free;   /* share of the paths on which no packets wait, 0 to 1 */
} Room;

static Room
get_room (const FaspSession *session, FaspTime now, guint64 total_share)
{
  gdouble share = get_payload_share (session) / get_more (session);
  gdouble media = get_offer (session, total_share) * share;
  gdouble waiting = MAX (0, get_waiting (session) - media * BACKLOG_USUAL / FASP_SEC), proven = 0;
  FaspPathWait waits[FASP_FLOWS_MAX];
  guint n = fasp_session_get_waits (session, now, waits);
  Room room = { .free = n == 0 };

  if (media == 0)
    return room;
  /* bytes that wait here or on a path are late already, and leave first; what waits on a path takes
   * nothing from the others */
  for (guint i = 0; i < n; i++) {
    gdouble excess = waits[i].excess * 8. * get_payload_share (session);
    gdouble own = media * waits[i].share * BACKLOG_TIME / FASP_SEC;

    waiting += MIN (MAX (excess, own * waits[i].overdue / OVERDUE_TIME), own * MARGIN);
    proven += waits[i].proven;
    if (excess == 0)
      room.free += waits[i].share;
  }
  room.rate = MAX (media * MARGIN - waiting * FASP_SEC / BACKLOG_TIME, media / SHARE_LEAST);
  room.proven = MIN (room.rate, proven * share * MARGIN);
  return room;
}

static gint
compare_rooms (gconstpointer a, gconstpointer b)
{
  const Room *x = a, *y = b;

  return x->rate < y->rate ? -1 : x->rate > y->rate;
}

/* The rooms of all receivers with standing @standing whose rate has a limit. */
static GArray *
collect_rooms (const FaspEndpoint *endpoint, FaspTime now, FaspStanding standing)
{
  GArray *rooms = g_array_new (FALSE, FALSE, sizeof (Room));
  guint64 share = get_total_share (endpoint, now);

  FASP_EACH_SESSION (endpoint, session) {
    Room room;

    /* a receiver that stands by gets nothing, so it does not limit the rate */
    if (fasp_session_judge (session, now) != standing || fasp_tx_stands_by (session->tx))
      continue;
    room = get_room (session, now, share);
    if (room.rate > 0)
      g_array_append_val (rooms, room);
  }
  return rooms;
}

/* How many of the slowest receivers are ignored as outliers: none with slow-policy=wait, as the
 * stream waits for all. */
static guint
count_outliers (const FaspEndpoint *endpoint, guint receivers)
{
  return endpoint->config.settings.slow_policy == FASP_SLOW_WAIT || receivers < OUTLIERS_FROM ?
      0 :
      MAX (1, receivers / OUTLIERS_OF);
}

/* The least room of all receivers that take the stream, without outliers; if none takes it yet, of
 * all that are ready for it. */
static Room
get_least_room (const FaspEndpoint *endpoint, FaspTime now)
{
  g_autoptr (GArray) rooms = collect_rooms (endpoint, now, FASP_STANDING_TAKING);
  Room least = { 0 };

  if (rooms->len == 0) {
    g_array_unref (rooms);
    rooms = collect_rooms (endpoint, now, FASP_STANDING_READY);
  }
  if (rooms->len > 0) {
    g_array_sort (rooms, compare_rooms);
    least = g_array_index (rooms, Room, count_outliers (endpoint, rooms->len));
  }
  return least;
}

guint64
fasp_endpoint_get_available_bitrate (const FaspEndpoint *endpoint)
{
  FaspTime looked = endpoint->sending->encoder.time - LOOK_EVERY;

  return endpoint->config.role == FASP_ROLE_SENDER ? get_least_room (endpoint, looked).rate : 0;
}

/* Is a receiver that took the stream silent or stuck? It may come back at the rate that it had. */
static gboolean
misses_any (const FaspEndpoint *endpoint, FaspTime now)
{
  FASP_EACH_SESSION (endpoint, session)
    if (session->state == FASP_SESSION_OPEN && fasp_tx_view (session->tx)->peer == FASP_TX_TAKES
        && fasp_session_judge (session, now) < FASP_STANDING_READY)
      return TRUE;
  return FALSE;
}

/* The rate to announce, as it rises @since the last change: not while packets wait on all paths;
 * else at once to what is proven, and from there step by step. */
static guint64
rise (const Room *room, guint64 announced, FaspTime since)
{
  gdouble most = announced;

  if (room->free <= 0)
    return MIN (room->rate, announced);
  if (since >= MORE_AFTER)
    most *= exp (room->free * MIN (since, RISE_TIME) / RISE_TIME);
  return MIN (room->rate, MAX (most, room->proven));
}

/* Tells the controllers whether the encoder makes less than the rate announced to it. */
static void
follow_demand (FaspEndpoint *endpoint, FaspTime now)
{
  FaspEndpointEncoder *encoder = &endpoint->sending->encoder;
  guint64 written = endpoint->stats.bytes_written;
  gboolean enough;

  if (encoder->looked > 0)
    fasp_demand_add (&encoder->demand, now, now - encoder->looked, written - encoder->written,
        encoder->bitrate);
  encoder->looked = now;
  encoder->written = written;
  enough = fasp_demand_has_enough (&encoder->demand);
  FASP_EACH_SESSION (endpoint, session) {
    /* a session that waits for the total rate could not use a higher rate of its own, either */
    fasp_session_set_enough (session, enough || session->shared.share.has_waited);
    session->shared.share.has_waited = FALSE;
  }
}

static void
announce_bitrate (FaspEndpoint *endpoint, FaspTime now)
{
  FaspTime since = now - endpoint->sending->encoder.bitrate_time;
  guint64 announced = endpoint->sending->encoder.bitrate;
  Room room = get_least_room (endpoint, now);
  guint64 rate = room.rate;

  if (rate == 0 && (announced == 0 || misses_any (endpoint, now)))
    return;
  if (rate > 0 && announced > 0 && rate >= LESS * announced) {
    rate = rise (&room, announced, since);
    if (rate <= MORE * announced)
      return;
  }
  FASP_LOG (endpoint->notes.log, now, BITRATE_OFFERED, announced, rate);
  endpoint->sending->encoder.bitrate = rate;
  endpoint->sending->encoder.bitrate_time = now;
  fasp_endpoint_push_event (endpoint, FASP_EVENT_BITRATE, fasp_endpoint_get_open (endpoint))
      ->bitrate = rate;
}

static void
ask_for_key_frame (FaspEndpoint *endpoint, FaspTime now)
{
  if (fasp_key_frame_take (&endpoint->sending->encoder.key_frame, now))
    fasp_endpoint_push_event (endpoint, FASP_EVENT_KEY_FRAME, fasp_endpoint_get_open (endpoint));
}

void
fasp_encoder_want_key_frame (FaspEndpoint *endpoint, FaspTime now)
{
  fasp_key_frame_want (&endpoint->sending->encoder.key_frame);
  ask_for_key_frame (endpoint, now);
}

void
fasp_encoder_joined (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  session->record->notified.wants = fasp_tx_count_wants (session->tx);
  FASP_LOG (session->notes.log, now, KEY_FRAME_WANTED, FASP_LOG_WORD ("joined"));
  fasp_encoder_want_key_frame (endpoint, now);
}

void
fasp_encoder_follow (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  guint64 wants = fasp_tx_count_wants (session->tx);

  /* a receiver that is not heard gets its key frame when it is heard again */
  if (!session->record->notified.connected || session->liveness.interrupted
      || wants == session->record->notified.wants)
    return;
  session->record->notified.wants = wants;
  FASP_LOG (session->notes.log, now, KEY_FRAME_WANTED, FASP_LOG_WORD ("gap_or_wish"));
  fasp_encoder_want_key_frame (endpoint, now);
}

void
fasp_encoder_run_due (FaspEndpoint *endpoint, FaspTime now)
{
  ask_for_key_frame (endpoint, now);
  if (endpoint->config.role != FASP_ROLE_SENDER || now < endpoint->sending->encoder.time)
    return;
  endpoint->sending->encoder.time = now + LOOK_EVERY;
  follow_demand (endpoint, now);
  announce_bitrate (endpoint, now);
}

void
fasp_encoder_left (FaspEndpoint *endpoint, FaspTime now)
{
  if (endpoint->config.role != FASP_ROLE_SENDER || fasp_endpoint_get_open (endpoint) != NULL)
    return;
  /* no receiver is left that wants one */
  fasp_key_frame_comes (&endpoint->sending->encoder.key_frame);
  announce_bitrate (endpoint, now);
}

/* Sessions of the first lane wake it often enough for the encoder, but all sessions may be in other
 * lanes. */
FaspTime
fasp_encoder_get_time (FaspEndpoint *endpoint)
{
  gboolean is_alone = endpoint->config.role == FASP_ROLE_SENDER
      && endpoint->schedulers[0].heap.n == 0 && endpoint->schedulers[0].others > 0;

  return fasp_sooner (fasp_key_frame_get_time (&endpoint->sending->encoder.key_frame),
      is_alone ? endpoint->sending->encoder.time : FASP_NEVER);
}

guint64
fasp_encoder_count_key_frames (const FaspEndpoint *endpoint)
{
  return endpoint->sending->encoder.key_frame.passed_on;
}
