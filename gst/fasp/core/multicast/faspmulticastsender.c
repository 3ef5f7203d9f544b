/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspmulticastsender.h"
#include "faspnackbackoff.h"
#include "fasplimits.h"
#include "fasppmtu.h"
#include "faspsentmap.h"
#include "fasptx.h"

/* The interval at which back-off, clock and speaker are chosen and sent to the members. */
#define STATE_INTERVAL (250 * FASP_MSEC)
/* The back-off, as a multiple of the longest round trip: at first, and its bounds.  BESIDES: the
 * time that a retransmission takes beyond a round trip. */
#define BACK_OFF_FIRST 4
#define BACK_OFF_LEAST .5
#define BACK_OFF_MOST 8
#define BESIDES (2 * FASP_MSEC)
/* The mean number of members that ask for a loss is to be between these. With fewer than
 * LOSSES_LEAST losses the back-off stays; else it changes by one of the factors below. */
#define REQUESTS_LEAST 1.8
#define REQUESTS_MOST 2.3
#define LOSSES_LEAST 8
#define BACK_OFF_UP 1.3
#define BACK_OFF_DOWN .85
/* The interval at which the speaker is notified that it is the speaker. */
#define SPEAKER_AGAIN (500 * FASP_MSEC)
/* Datagrams to single members precede the group's, and the group's retransmissions precede its new
 * blocks. But after YIELDS_IN_A_ROW datagrams of both kinds, each further one waits for BLOCKS_OWED
 * new blocks, if there are any. So the stream continues for the others while one member lacks many
 * blocks. */
#define YIELDS_IN_A_ROW 32
#define BLOCKS_OWED 3
/* Retransmissions that one member causes may take this share of the pace: SPARE divided by the
 * members, at least SPARE_LEAST. They may use idle time besides. SPARE is the share left beside the
 * stream and its headers by a max-bitrate of 1.3 times the stream's rate (docs/multicast.md). */
#define SPARE (1 / 6.)
#define SPARE_LEAST (1 / 64.)
/* A member becomes the speaker if it is nearer than the speaker by this factor. */
#define NEARER 2
/* Bytes of a member's feedback with a PING in it, without the headers of IP and UDP. */
#define FEEDBACK_SIZE 96
/* A member may be silent for 1/STORE_SHARE of the time in which the store fills, and for
 * 1/GIVEN_UP_SHARE of the time after which a silent member is given up; but at least this long. */
#define STORE_SHARE 4
#define GIVEN_UP_SHARE 2
#define CLOCK_MAX_LEAST (500 * FASP_MSEC)
/* Members wait for the round trip of others up to this many times the median. */
#define FAR 4

FaspMulticastSender *
fasp_multicast_sender_new (const FaspAddress *to, FaspCipher cipher, guint64 rate,
    FaspRandomFunc random, gpointer user_data)
{
  FaspMulticastSender *group = g_new0 (FaspMulticastSender, 1);

  group->to = *to;
  group->cipher = cipher;
  random (user_data, group->key, sizeof group->key);
  while (group->cid == 0)
    random (user_data, (guint8 *) &group->cid, sizeof group->cid);
  group->sealer = fasp_sealer_new (cipher, group->key);
  group->log = fasp_group_log_new ();
  group->members = g_ptr_array_new ();
  group->back_off = BACK_OFF_FIRST;
  group->rtt = FASP_RTT_INITIAL;
  group->tail_time = FASP_NEVER;
  group->given_up = FASP_NEVER;
  fasp_group_log_set_clock (group->log, 0, FASP_MEMBER_CLOCK_MIN);
  fasp_pacer_init (&group->pacer, rate, fasp_pacer_choose_burst (rate, 0));
  return group;
}

void
fasp_multicast_sender_free (FaspMulticastSender *group)
{
  if (group == NULL)
    return;
  fasp_sealer_free (group->sealer);
  fasp_wipe (group->key, sizeof group->key);
  fasp_group_log_free (group->log);
  g_ptr_array_unref (group->members);
  fasp_heap_clear (&group->least);
  fasp_heap_clear (&group->most);
  g_free (group);
}

/* --- members ----------------------------------------------------------------------- */

gboolean
fasp_multicast_sender_can_have (const FaspMulticastSender *group, const FaspHello *hello)
{
  return hello->has_group && memchr (hello->ciphers, group->cipher, hello->n_ciphers) != NULL;
}

FaspTime
fasp_multicast_sender_get_back_off (const FaspMulticastSender *group)
{
  return group->members->len < 2 ? 0 : group->back_off * (group->rtt + BESIDES);
}

FaspTime
fasp_multicast_sender_get_clock (const FaspMulticastSender *group)
{
  return fasp_group_log_get_clock (group->log);
}

static FaspTime
get_clock_max (const FaspMulticastSender *group, gboolean over)
{
  guint64 rate = group->pacer.ready.rate;
  gdouble fills =
      group->store_size * 8. * FASP_SEC / (rate > 0 ? rate : MAX (group->meter.rate, 1));
  gdouble max = MIN (fills / STORE_SHARE, group->given_up / GIVEN_UP_SHARE);

  return over ? CLOCK_MAX_LEAST : CLAMP (max, CLOCK_MAX_LEAST, FASP_MEMBER_CLOCK_MAX);
}

/* Sets the clock so that the regular feedback of all members takes its share of the bytes sent. */
static void
set_clock (FaspMulticastSender *group, FaspTime now, gboolean over)
{
  gdouble each = group->members->len * (FEEDBACK_SIZE + group->to.overhead) * 8. * FASP_SEC
      * FASP_FEEDBACK_SHARE / FASP_MEMBER_CLOCK_MEAN / MAX (group->meter.rate, 1);
  FaspTime most = get_clock_max (group, over);

  fasp_group_log_set_clock (group->log, now, CLAMP (each, FASP_MEMBER_CLOCK_MIN, most));
}

void
fasp_multicast_sender_describe (const FaspMulticastSender *group, FaspHello *hello)
{
  FaspGroupKey *key = &hello->group_key;

  hello->has_group_key = TRUE;
  key->cid = group->cid;
  key->cipher = group->cipher;
  key->pn = fasp_group_log_get_pn (group->log);
  memcpy (key->key, group->key, FASP_KEY_SIZE);
  key->members = MIN (group->members->len + 1, G_MAXUINT16);
  key->back_off = MIN (fasp_multicast_sender_get_back_off (group), G_MAXUINT32);
  key->clock = fasp_multicast_sender_get_clock (group) / FASP_MSEC;
}

static void
set_speaker (FaspMulticastSender *group, FaspMember *member)
{
  if (group->speaker != NULL)
    group->speaker->speak_time = FASP_NEVER;
  group->speaker = member;
  group->speaker_new = member != NULL;
  fasp_group_log_set_speaker (group->log, member != NULL ? member->who : NULL);
  if (member != NULL)
    member->speak_time = 0;
}

/* Is there no speaker, or is @member so much nearer that a retransmission arrives clearly
 * sooner? */
static gboolean
is_better (const FaspMember *member, const FaspMember *speaker)
{
  return member != NULL
      && (speaker == NULL || NEARER * (member->rtt + BESIDES) < speaker->rtt + BESIDES);
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  FaspTime x = *(const FaspTime *) a, y = *(const FaspTime *) b;

  return x < y ? -1 : x > y;
}

/* The round trip from which the back-off is computed. */
static FaspTime
choose_rtt (GArray *rtts)
{
  FaspTime longest, median;

  if (rtts->len == 0)
    return FASP_RTT_INITIAL;
  g_array_sort (rtts, compare_times);
  longest = g_array_index (rtts, FaspTime, rtts->len - 1);
  median = g_array_index (rtts, FaspTime, (rtts->len - 1) / 2);
  return MIN (longest, FAR * median);
}

static gsize
get_wire_max (const FaspMulticastSender *group)
{
  return FASP_PMTU_BASE + group->to.overhead;
}

static void
look (FaspMulticastSender *group)
{
  g_autoptr (GArray) rtts = g_array_new (FALSE, FALSE, sizeof (FaspTime));
  FaspGroupLosses losses = fasp_group_log_get_losses (group->log);
  guint64 events = losses.events - group->events_seen;
  FaspMember *nearest = NULL;

  for (guint i = 0; i < group->members->len; i++) {
    FaspMember *member = g_ptr_array_index (group->members, i);

    if (member->least.index == 0 || member->rtt == 0)
      continue;
    g_array_append_val (rtts, member->rtt);
    if (nearest == NULL || member->rtt < nearest->rtt)
      nearest = member;
  }
  group->rtt = choose_rtt (rtts);
  if (group->members->len < 2)
    set_speaker (group, NULL);
  else if (is_better (nearest, group->speaker))
    set_speaker (group, nearest);
  /* only losses since the last change count: older ones would make the back-off oscillate */
  if (events >= LOSSES_LEAST) {
    gdouble per_loss = (losses.requests - group->requests_seen) / (gdouble) events;

    group->back_off *= per_loss > REQUESTS_MOST ? BACK_OFF_UP :
        per_loss < REQUESTS_LEAST               ? BACK_OFF_DOWN :
                                                  1;
    group->back_off = CLAMP (group->back_off, BACK_OFF_LEAST, BACK_OFF_MOST);
    group->events_seen = losses.events;
    group->requests_seen = losses.requests;
  }
  /* twice the back-off: a member that waits already asks for a new loss only after that wait and
   * another one */
  fasp_group_log_set_window (group->log,
      2 * fasp_multicast_sender_get_back_off (group) + group->rtt, group->members->len);
  fasp_group_log_set_share (group->log, &group->pacer, get_wire_max (group),
      MAX (SPARE / MAX (group->members->len, 1), SPARE_LEAST));
}

void
fasp_multicast_sender_heard (FaspMulticastSender *group, FaspMember *member, guint64 limit,
    FaspTime rtt)
{
  fasp_heap_set (&group->least, &member->least, limit);
  fasp_heap_set (&group->most, &member->most, -(gint64) limit);
  member->rtt = rtt;
}

void
fasp_multicast_sender_lost_sight (FaspMulticastSender *group, FaspMember *member)
{
  fasp_heap_remove (&group->least, &member->least);
  fasp_heap_remove (&group->most, &member->most);
  if (group->speaker == member)
    set_speaker (group, NULL);
}

FaspMember *
fasp_multicast_sender_take_speaker (FaspMulticastSender *group)
{
  FaspMember *member = group->speaker_new ? group->speaker : NULL;

  group->speaker_new = FALSE;
  return member;
}

void
fasp_multicast_sender_speaker_notified (FaspMember *member, FaspTime now)
{
  member->speak_time = now + SPEAKER_AGAIN;
}

/* The group's totals less @part. */
static FaspGroupSent
get_rest (const FaspMulticastSender *group, const FaspGroupSent *part)
{
  return (FaspGroupSent) { group->sent.datagrams - part->datagrams, group->sent.wire - part->wire,
    group->sent.block_wire - part->block_wire };
}

FaspGroupSent
fasp_multicast_sender_get_sent (const FaspMulticastSender *group, const FaspMember *member)
{
  return member->joined ? get_rest (group, &member->sent) : member->sent;
}

void
fasp_multicast_sender_join (FaspMulticastSender *group, FaspMember *member, guint64 start,
    guint64 limit, FaspTime rtt)
{
  if (group->members->len == 0)
    fasp_group_log_start (group->log, start);
  /* send TAIL, so that the member learns of the blocks that it lacks */
  if (start < fasp_group_log_get_next (group->log))
    group->tail_time = 0;
  g_ptr_array_add (group->members, member);
  if (member->away)
    group->away--;
  member->away = FALSE;
  member->joined = TRUE;
  member->sent = get_rest (group, &member->sent);
  member->speak_time = FASP_NEVER;
  fasp_multicast_sender_heard (group, member, limit, rtt);
  look (group);
}

void
fasp_multicast_sender_leave (FaspMulticastSender *group, FaspMember *member)
{
  if (member->away)
    group->away--;
  member->away = FALSE;
  if (!member->joined)
    return;
  member->joined = FALSE;
  member->sent = get_rest (group, &member->sent);
  fasp_multicast_sender_lost_sight (group, member);
  g_ptr_array_remove_fast (group->members, member);
  look (group);
}

void
fasp_multicast_sender_send_away (FaspMulticastSender *group, FaspMember *member)
{
  fasp_multicast_sender_leave (group, member);
  member->away = TRUE;
  group->away++;
}

/* --- the pace ------------------------------------------------------------------------ */

void
fasp_multicast_sender_set_pace (FaspMulticastSender *group, FaspTime now, guint64 rate)
{
  fasp_pacer_set_rate (&group->pacer, now, rate,
      fasp_pacer_choose_burst (rate, group->pacer.quantum));
}

FaspTime
fasp_multicast_sender_get_ready (const FaspMulticastSender *group, FaspTime now)
{
  return fasp_pacer_get_time (&group->pacer, now, get_wire_max (group));
}

void
fasp_multicast_sender_used (FaspMulticastSender *group, FaspTime now, gsize wire)
{
  fasp_pacer_sent (&group->pacer, now, wire);
}

/* --- datagrams ------------------------------------------------------------------------ */

static void
count (FaspMulticastSender *group, FaspTime now, const FaspDatagram *datagram)
{
  gsize wire = datagram->size + datagram->to.overhead;

  fasp_pacer_sent (&group->pacer, now, wire);
  fasp_meter_add (&group->meter, now, wire);
  group->sent.datagrams++;
  group->sent.wire += wire;
}

static void
begin (FaspMulticastSender *group, FaspDatagram *datagram, FaspWriter *w)
{
  guint64 pn = fasp_group_log_get_pn (group->log);
  FaspSessionHeader header = { FASP_GROUP_FLOW, FALSE, group->cid, pn };

  *w = (FaspWriter) { datagram->data, sizeof datagram->data - FASP_TAG_SIZE_MAX };
  datagram->to = group->to;
  fasp_wire_write_session (w, &header);
}

/* Changes to the next key if the next packet begins a phase. */
static void
turn_key (FaspMulticastSender *group)
{
  if (fasp_group_log_get_pn (group->log) >> FASP_GROUP_PHASE_BITS == group->phase)
    return;
  group->phase++;
  fasp_seal_next_key (group->key);
  fasp_sealer_free (group->sealer);
  group->sealer = fasp_sealer_new (group->cipher, group->key);
}

/* Seals the datagram as the next packet, and accounts for it.  @block: the block it carries, or
 * NULL. */
static gboolean
finish (FaspMulticastSender *group, FaspTime now, FaspDatagram *datagram, FaspWriter *w,
    const FaspBlock *block)
{
  if (!fasp_datagram_finish (datagram, group->sealer, FASP_GROUP_FLOW,
          fasp_group_log_get_pn (group->log), w, w->payload_size > 0 ? block : NULL)) {
    g_critical ("a datagram is too large, or its number was used before");
    return FALSE;
  }
  count (group, now, datagram);
  fasp_group_log_sent (group->log, now, block != NULL ? block->number : FASP_NO_BLOCK);
  turn_key (group);
  return TRUE;
}

static gboolean
announce (FaspMulticastSender *group, FaspTime now, FaspDatagram *datagram)
{
  FaspHandshake handshake = { .type = FASP_HANDSHAKE_ANNOUNCE, .version = FASP_VERSION };
  FaspWriter w = { datagram->data, sizeof datagram->data };

  group->announce_time = now + FASP_ANNOUNCE_INTERVAL;
  fasp_wire_write_handshake (&w, &handshake);
  datagram->to = group->to;
  datagram->size = w.used;
  count (group, now, datagram);
  return TRUE;
}

/* Has the stream ended, and have all its blocks left? */
static gboolean
is_over (const FaspMulticastSender *group, const FaspGroupView *view)
{
  return fasp_store_is_finished (view->store)
      && fasp_group_log_get_next (group->log) >= fasp_store_get_head (view->store);
}

static gboolean
send_state (FaspMulticastSender *group, FaspTime now, const FaspGroupView *view,
    FaspDatagram *datagram)
{
  FaspWriter w;

  look (group);
  set_clock (group, now, is_over (group, view));
  group->state_time = now + STATE_INTERVAL;
  begin (group, datagram, &w);
  fasp_wire_write_group (&w, group->members->len, fasp_multicast_sender_get_back_off (group),
      fasp_multicast_sender_get_clock (group) / FASP_MSEC);
  return finish (group, now, datagram, &w, NULL);
}

static gboolean
send_block (FaspMulticastSender *group, FaspTime now, FaspStore *store, guint64 number, guint round,
    FaspDatagram *datagram)
{
  const FaspBlock *block = fasp_store_get (store, number);
  guint32 payload;
  FaspWriter w;

  begin (group, datagram, &w);
  payload = fasp_wire_write_data (&w, block, round, 0, 0, 1);
  if (!finish (group, now, datagram, &w, block))
    return FALSE;
  if (round == 0) {
    group->blocks_sent++;
    fasp_fec_block_sent (&group->fec);
    group->sent.block_wire += datagram->size + datagram->to.overhead;
    if (fasp_block_is_end (block))
      group->state_time = now; /* sends a shorter clock, so that members acknowledge the end soon */
  } else {
    group->blocks_resent++;
  }
  group->tail_interval = FASP_TX_TAIL_FIRST;
  group->tail_time = now + group->tail_interval;
  fasp_trace_add (group->notes.trace,
      &(FaspTraceEntry) {
          .time = now,
          .media_time = block->media_time,
          .block = number,
          .full = datagram->size + datagram->to.overhead,
          .payload = payload,
          .round = round,
          .fresh = round == 0,
      });
  return TRUE;
}

static gboolean
send_tail (FaspMulticastSender *group, FaspTime now, FaspDatagram *datagram)
{
  FaspWriter w;

  /* a member that joins may need TAIL before the group has sent a block */
  group->tail_interval = CLAMP (2 * group->tail_interval, FASP_TX_TAIL_FIRST, FASP_TX_TAIL_MAX);
  group->tail_time = now + group->tail_interval;
  begin (group, datagram, &w);
  fasp_wire_write_number (&w, FASP_FRAME_TAIL, fasp_group_log_get_next (group->log));
  return finish (group, now, datagram, &w, NULL);
}

/* Sends a repair of the last blocks sent. FALSE: none is due. */
static gboolean
send_repair (FaspMulticastSender *group, FaspTime now, const FaspGroupView *view,
    FaspDatagram *datagram)
{
  guint64 end = fasp_group_log_get_next (group->log);
  gboolean pause = now >= group->tail_time;
  guint64 first;
  FaspWriter w;

  if (!fasp_fec_is_due (&group->fec, pause))
    return FALSE;
  first = fasp_fec_get_first (&group->fec, now, view->store,
      MAX (view->needed, fasp_store_get_tail (view->store)), end);
  begin (group, datagram, &w);
  if (first == end
      || !fasp_fec_write (&group->fec, now, view->store, first, end, FASP_GROUP_ROOM, &w)) {
    fasp_fec_passed (&group->fec, pause);
    return FALSE;
  }
  fasp_fec_repair_sent (&group->fec);
  group->repairs_sent++;
  return finish (group, now, datagram, &w, NULL);
}

/* --- order of datagrams --------------------------------------------------------------------- */

/* Is there a new block, and have members room for it? */
static gboolean
has_new (const FaspMulticastSender *group, const FaspGroupView *view)
{
  const FaspHeapItem *first = fasp_heap_peek (view->waits ? &group->least : &group->most);
  guint64 next = fasp_group_log_get_next (group->log);

  return first != NULL && next < fasp_store_get_head (view->store)
      && fasp_store_ends_by (view->store, next, ABS (first->key));
}

gboolean
fasp_multicast_sender_is_first (const FaspMulticastSender *group)
{
  return group->first > 0;
}

/* Counts a datagram that left.  @before: it preceded new blocks. */
static void
count_yields (FaspMulticastSender *group, gboolean before)
{
  if (before && ++group->given > YIELDS_IN_A_ROW)
    group->first = BLOCKS_OWED;
  else if (!before && group->first > 0)
    group->first--;
  else if (!before)
    group->given = 0;
}

void
fasp_multicast_sender_yielded (FaspMulticastSender *group)
{
  count_yields (group, TRUE);
}

static gboolean
is_tail_due (const FaspMulticastSender *group, FaspTime now, const FaspGroupView *view)
{
  return now >= group->tail_time && view->is_unacknowledged;
}

static gboolean
poll_next (FaspMulticastSender *group, FaspTime now, const FaspGroupView *view,
    FaspDatagram *datagram)
{
  if (now >= group->announce_time)
    return announce (group, now, datagram);
  /* without members, GROUP is sent so that former members notice when they hear the group again */
  if (group->members->len == 0)
    return group->away > 0 && now >= group->state_time && send_state (group, now, view, datagram);
  if (now >= group->state_time)
    return send_state (group, now, view, datagram);
  if (send_repair (group, now, view, datagram))
    return TRUE;
  if (has_new (group, view))
    return send_block (group, now, view->store, fasp_group_log_get_next (group->log), 0, datagram);
  if (is_tail_due (group, now, view))
    return send_tail (group, now, datagram);
  return FALSE;
}

static gboolean
poll_rtx (FaspMulticastSender *group, FaspTime now, const FaspGroupView *view,
    FaspDatagram *datagram)
{
  guint64 rtx;
  guint8 round;

  if (group->members->len == 0 || now >= group->announce_time || now >= group->state_time)
    return FALSE;
  rtx = fasp_group_log_peek (group->log, &round);
  return rtx != FASP_NO_BLOCK && (group->first == 0 || !has_new (group, view))
      && send_block (group, now, view->store, rtx, round, datagram);
}

gboolean
fasp_multicast_sender_poll (FaspMulticastSender *group, FaspTime now, const FaspGroupView *view,
    FaspDatagram *datagram)
{
  gboolean rtx;

  if (fasp_multicast_sender_get_ready (group, now) > now)
    return FALSE;
  if (group->members->len > 0)
    fasp_group_log_trim (group->log, fasp_store_get_tail (view->store));
  rtx = poll_rtx (group, now, view, datagram);
  if (!rtx && !poll_next (group, now, view, datagram))
    return FALSE;
  count_yields (group, rtx && has_new (group, view));
  return TRUE;
}

FaspTime
fasp_multicast_sender_get_timeout (FaspMulticastSender *group, const FaspGroupView *view)
{
  FaspTime timeout = group->announce_time;
  guint8 round;

  if (group->members->len > 0 || group->away > 0)
    timeout = MIN (timeout, group->state_time);
  if (group->members->len > 0) {
    fasp_group_log_trim (group->log, fasp_store_get_tail (view->store));
    if (fasp_group_log_peek (group->log, &round) != FASP_NO_BLOCK || has_new (group, view)
        || fasp_fec_is_due (&group->fec, FALSE))
      timeout = 0;
    else if (view->is_unacknowledged)
      timeout = MIN (timeout, group->tail_time);
  }
  return fasp_later (timeout, fasp_pacer_get_wake (&group->pacer, 0, get_wire_max (group)));
}
