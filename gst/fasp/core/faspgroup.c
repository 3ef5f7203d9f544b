/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspgroup.h"
#include "faspdamp.h"
#include "fasppmtu.h"
#include "fasprepair.h"
#include "fasptx.h"

/* How things stand is looked at, and told, so often. */
#define TELL_INTERVAL (250 * FASP_MSEC)
/* A back-off in longest round trips, and what a rex takes besides one. */
#define PATIENCE_FIRST 4
#define PATIENCE_LEAST .5
#define PATIENCE_MOST 8
#define BESIDES (2 * FASP_MSEC)
/* Members that are to ask for a loss, about; and by how much the back-off changes each time
 * that it is told. */
#define CROWD_LEAST 1.8
#define CROWD_MOST 2.3
#define PATIENCE_UP 1.15
#define PATIENCE_DOWN .85
/* The speaker is told that it is one so often. */
#define SPEAKER_AGAIN (500 * FASP_MSEC)
/* A feedback of a member, from the IP header up. */
#define FEEDBACK_WIRE 110

FaspGroup *
fasp_group_new (const FaspAddress * to, FaspCipher cipher, guint64 rate,
    guint32 max_burst, FaspRandomFunc random, gpointer user_data)
{
  FaspGroup *group = g_new0 (FaspGroup, 1);

  group->to = *to;
  group->cipher = cipher;
  random (user_data, group->number, sizeof group->number);
  random (user_data, group->key, sizeof group->key);
  while (group->cid == 0)
    random (user_data, (guint8 *) & group->cid, sizeof group->cid);
  group->sealer = fasp_sealer_new (cipher, group->key);
  group->log = fasp_group_log_new ();
  group->members = g_ptr_array_new ();
  group->patience = PATIENCE_FIRST;
  group->rtt = FASP_RTT_INITIAL;
  group->tail_time = FASP_NEVER;
  fasp_pacer_init (&group->pacer, rate, fasp_pacer_choose_burst (rate,
          max_burst, 0));
  return group;
}

void
fasp_group_free (FaspGroup * group)
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
fasp_group_is_heard_by (const FaspGroup * group, const FaspHello * hello)
{
  return hello->has_group && fasp_equal (hello->group, group->number,
      sizeof group->number)
      && memchr (hello->ciphers, group->cipher, hello->n_ciphers) != NULL;
}

FaspTime
fasp_group_get_back_off (const FaspGroup * group)
{
  return group->members->len < 2 ? 0 : group->patience * (group->rtt + BESIDES);
}

/* Such that the regular feedback of all takes its share of what is sent. */
guint
fasp_group_get_clock (const FaspGroup * group)
{
  guint64 each = (guint64) group->members->len * FEEDBACK_WIRE * 8 * 1000 *
      FASP_FEEDBACK_SHARE / MAX (group->meter.rate, 1);

  return CLAMP (each, FASP_DAMP_CLOCK_MIN / FASP_MSEC,
      FASP_DAMP_CLOCK_MAX / FASP_MSEC);
}

void
fasp_group_describe (const FaspGroup * group, FaspHello * hello)
{
  FaspGroupKey *key = &hello->group_key;

  hello->has_group_key = TRUE;
  key->cid = group->cid;
  key->cipher = group->cipher;
  key->pn = fasp_group_log_get_pn (group->log);
  memcpy (key->key, group->key, FASP_KEY_SIZE);
  key->members = MIN (group->members->len + 1, G_MAXUINT16);
  key->back_off = MIN (fasp_group_get_back_off (group), G_MAXUINT32);
  key->clock = fasp_group_get_clock (group);
}

static void
set_speaker (FaspGroup * group, FaspMember * member)
{
  if (group->speaker != NULL)
    group->speaker->speak_time = FASP_NEVER;
  group->speaker = member;
  fasp_group_log_set_speaker (group->log, member != NULL ? member->who : NULL);
  if (member != NULL)
    member->speak_time = 0;
}

static void
look (FaspGroup * group)
{
  FaspGroupLosses losses = fasp_group_log_get_losses (group->log);
  gdouble crowd = fasp_group_log_get_crowd (group->log);
  FaspMember *nearest = NULL;
  FaspTime longest = 0;

  for (guint i = 0; i < group->members->len; i++) {
    FaspMember *member = g_ptr_array_index (group->members, i);

    if (member->least.place == 0 || member->rtt == 0)
      continue;
    longest = MAX (longest, member->rtt);
    if (nearest == NULL || member->rtt < nearest->rtt)
      nearest = member;
  }
  group->rtt = longest > 0 ? longest : FASP_RTT_INITIAL;
  if (group->members->len < 2)
    set_speaker (group, NULL);
  else if (group->speaker == NULL)
    set_speaker (group, nearest);
  if (losses.events != group->events_seen) {
    group->patience *= crowd > CROWD_MOST ? PATIENCE_UP :
        crowd < CROWD_LEAST ? PATIENCE_DOWN : 1;
    group->patience = CLAMP (group->patience, PATIENCE_LEAST, PATIENCE_MOST);
  }
  group->events_seen = losses.events;
  /* what was lost while one waits is asked for after another such time */
  fasp_group_log_set_window (group->log,
      2 * fasp_group_get_back_off (group) + group->rtt, group->members->len);
}

void
fasp_group_heard (FaspGroup * group, FaspMember * member, guint64 limit,
    FaspTime rtt)
{
  fasp_heap_set (&group->least, &member->least, limit);
  fasp_heap_set (&group->most, &member->most, -(gint64) limit);
  member->rtt = rtt;
}

void
fasp_group_lost_sight (FaspGroup * group, FaspMember * member)
{
  fasp_heap_remove (&group->least, &member->least);
  fasp_heap_remove (&group->most, &member->most);
  if (group->speaker == member)
    set_speaker (group, NULL);
}

void
fasp_group_told_speaker (FaspGroup * group, FaspTime now, FaspMember * member)
{
  member->speak_time = now + SPEAKER_AGAIN;
}

void
fasp_group_join (FaspGroup * group, FaspMember * member, guint64 start,
    guint64 limit, FaspTime rtt)
{
  if (group->members->len == 0)
    fasp_group_log_start (group->log, start);
  /* it has to hear that there is a past */
  if (start < fasp_group_log_get_next (group->log))
    group->tail_time = 0;
  g_ptr_array_add (group->members, member);
  member->joined = TRUE;
  member->speak_time = FASP_NEVER;
  member->datagrams = group->datagrams - member->datagrams;
  member->wire = group->wire - member->wire;
  member->block_wire = group->block_wire - member->block_wire;
  fasp_group_heard (group, member, limit, rtt);
  look (group);
}

void
fasp_group_leave (FaspGroup * group, FaspMember * member)
{
  if (!member->joined)
    return;
  member->joined = FALSE;
  member->datagrams = group->datagrams - member->datagrams;
  member->wire = group->wire - member->wire;
  member->block_wire = group->block_wire - member->block_wire;
  fasp_group_lost_sight (group, member);
  g_ptr_array_remove_fast (group->members, member);
  look (group);
}

/* --- the pace ------------------------------------------------------------------------ */

void
fasp_group_set_pace (FaspGroup * group, FaspTime now, guint64 rate,
    guint32 max_burst)
{
  fasp_pacer_set_rate (&group->pacer, now, rate, fasp_pacer_choose_burst (rate,
          max_burst, group->pacer.quantum));
}

static gsize
get_wire_max (const FaspGroup * group)
{
  return FASP_PMTU_BASE + group->to.overhead;
}

FaspTime
fasp_group_get_ready (const FaspGroup * group, FaspTime now)
{
  return fasp_pacer_get_time (&group->pacer, now, get_wire_max (group));
}

void
fasp_group_used (FaspGroup * group, FaspTime now, gsize wire)
{
  fasp_pacer_sent (&group->pacer, now, wire);
}

/* --- datagrams ------------------------------------------------------------------------ */

static void
count (FaspGroup * group, FaspTime now, const FaspDatagram * datagram)
{
  gsize wire = datagram->size + datagram->to.overhead;

  fasp_pacer_sent (&group->pacer, now, wire);
  fasp_meter_add (&group->meter, now, wire);
  group->datagrams++;
  group->wire += wire;
}

static void
begin (FaspGroup * group, FaspDatagram * datagram, FaspWriter * w)
{
  guint64 pn = fasp_group_log_get_pn (group->log);
  FaspSessionHeader header = { FASP_GROUP_FLOW, FALSE, group->cid, pn };

  *w = (FaspWriter) {
  datagram->data, sizeof datagram->data - FASP_TAG_SIZE_MAX};
  datagram->to = group->to;
  fasp_wire_write_session (w, &header);
}

/* The key is that of the next packet, always. */
static void
turn_key (FaspGroup * group)
{
  if (fasp_group_log_get_pn (group->log) >> FASP_GROUP_PHASE_BITS ==
      group->phase)
    return;
  group->phase++;
  fasp_seal_next_key (group->key);
  fasp_sealer_free (group->sealer);
  group->sealer = fasp_sealer_new (group->cipher, group->key);
}

/* Accounts; @block: what it carries, or NULL. */
static gboolean
finish (FaspGroup * group, FaspTime now, FaspDatagram * datagram,
    FaspWriter * w, const FaspBlock * block)
{
  g_return_val_if_fail (fasp_datagram_finish (datagram, group->sealer,
          FASP_GROUP_FLOW, fasp_group_log_get_pn (group->log), w,
          w->payload_size > 0 ? block : NULL), FALSE);
  count (group, now, datagram);
  fasp_group_log_sent (group->log, now, block != NULL ? block->number :
      FASP_NO_BLOCK);
  turn_key (group);
  return TRUE;
}

static gboolean
announce (FaspGroup * group, FaspTime now, FaspDatagram * datagram)
{
  FaspHandshake handshake = {.type = FASP_HANDSHAKE_ANNOUNCE,.version =
        FASP_VERSION
  };
  FaspWriter w = { datagram->data, sizeof datagram->data };

  group->announce_time = now + FASP_ANNOUNCE_INTERVAL;
  memcpy (handshake.nonce, group->number, FASP_GROUP_NUMBER_SIZE);
  fasp_wire_write_handshake (&w, &handshake);
  datagram->to = group->to;
  datagram->size = w.used;
  count (group, now, datagram);
  return TRUE;
}

static gboolean
tell (FaspGroup * group, FaspTime now, FaspDatagram * datagram)
{
  FaspWriter w;

  look (group);
  group->tell_time = now + TELL_INTERVAL;
  begin (group, datagram, &w);
  fasp_wire_write_group (&w, group->members->len,
      fasp_group_get_back_off (group), fasp_group_get_clock (group));
  return finish (group, now, datagram, &w, NULL);
}

static gboolean
send_block (FaspGroup * group, FaspTime now, FaspStore * store, guint64 number,
    guint round, FaspDatagram * datagram)
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
    group->block_wire += datagram->size + datagram->to.overhead;
  } else {
    group->blocks_resent++;
  }
  group->tail_interval = FASP_TX_TAIL_FIRST;
  group->tail_time = now + group->tail_interval;
  fasp_trace_add (group->trace, &(FaspTraceEntry) {
      .time = now,.media_time = block->media_time,.block = number,.full =
        datagram->size + datagram->to.overhead,.payload = payload,.round =
        round,.fresh = round == 0}
  );
  return TRUE;
}

static gboolean
send_tail (FaspGroup * group, FaspTime now, FaspDatagram * datagram)
{
  FaspWriter w;

  group->tail_interval = MIN (2 * group->tail_interval, FASP_TX_TAIL_MAX);
  group->tail_time = now + group->tail_interval;
  begin (group, datagram, &w);
  fasp_wire_write_number (&w, FASP_FRAME_TAIL,
      fasp_group_log_get_next (group->log));
  return finish (group, now, datagram, &w, NULL);
}

/* Of the last blocks that have left. FALSE: there is nothing to repair. */
static gboolean
send_repair (FaspGroup * group, FaspTime now, const FaspGroupView * view,
    FaspDatagram * datagram)
{
  guint64 end = fasp_group_log_get_next (group->log);
  gboolean pause = now >= group->tail_time;
  guint64 first;
  FaspWriter w;

  if (!fasp_fec_is_due (&group->fec, pause))
    return FALSE;
  first = fasp_fec_get_first (&group->fec, now, view->store, MAX (view->needed,
          fasp_store_get_tail (view->store)), end);
  begin (group, datagram, &w);
  if (first == end || !fasp_wire_write_window (&w, now, &group->fec,
          view->store, first, end, FASP_GROUP_ROOM)) {
    fasp_fec_passed (&group->fec, pause);
    return FALSE;
  }
  fasp_fec_repair_sent (&group->fec);
  group->repairs_sent++;
  return finish (group, now, datagram, &w, NULL);
}

/* --- what goes next --------------------------------------------------------------------- */

/* Is there a new block, and room for it? */
static gboolean
has_new (const FaspGroup * group, const FaspGroupView * view)
{
  const FaspHeapItem *first = fasp_heap_peek (view->waits ? &group->least :
      &group->most);
  guint64 next = fasp_group_log_get_next (group->log);

  return first != NULL && next < fasp_store_get_head (view->store)
      && fasp_store_ends_by (view->store, next, ABS (first->key));
}

static gboolean
is_tail_due (const FaspGroup * group, FaspTime now, const FaspGroupView * view)
{
  return now >= group->tail_time && view->is_unacknowledged;
}

gboolean
fasp_group_poll (FaspGroup * group, FaspTime now, const FaspGroupView * view,
    FaspDatagram * datagram)
{
  guint64 rex;
  guint8 round;

  if (fasp_group_get_ready (group, now) > now)
    return FALSE;
  if (now >= group->announce_time)
    return announce (group, now, datagram);
  if (group->members->len == 0)
    return FALSE;
  fasp_group_log_trim (group->log, fasp_store_get_tail (view->store));
  if (now >= group->tell_time)
    return tell (group, now, datagram);
  rex = fasp_group_log_peek (group->log, &round);
  if (rex != FASP_NO_BLOCK)
    return send_block (group, now, view->store, rex, round, datagram);
  if (send_repair (group, now, view, datagram))
    return TRUE;
  if (has_new (group, view))
    return send_block (group, now, view->store,
        fasp_group_log_get_next (group->log), 0, datagram);
  if (is_tail_due (group, now, view))
    return send_tail (group, now, datagram);
  return FALSE;
}

FaspTime
fasp_group_get_timeout (FaspGroup * group, const FaspGroupView * view)
{
  FaspTime timeout = group->announce_time;
  guint8 round;

  if (group->members->len > 0) {
    timeout = MIN (timeout, group->tell_time);
    fasp_group_log_trim (group->log, fasp_store_get_tail (view->store));
    if (fasp_group_log_peek (group->log, &round) != FASP_NO_BLOCK
        || has_new (group, view) || fasp_fec_is_due (&group->fec, FALSE))
      timeout = 0;
    else if (view->is_unacknowledged)
      timeout = MIN (timeout, group->tail_time);
  }
  return fasp_later (timeout, fasp_pacer_get_wake (&group->pacer, 0,
          get_wire_max (group)));
}
