/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspwriting.h"
#include "faspsendingprivate.h"
#include "faspdial.h"
#include "faspencoder.h"
#include "faspgather.h"
#include "faspheaderwait.h"
#include "fasphistory.h"
#include "fasphold.h"
#include "fasplimits.h"
#include "faspretention.h"
#include "faspslowpolicy.h"

/* Begins a stream of our own, with a new origin. */
static void
choose_origin (FaspEndpointWriting *writing, const FaspEndpoint *endpoint)
{
  guint8 count[4];
  FaspWriter w = { count, sizeof count };

  fasp_write_uint (&w, writing->own_origins++, sizeof count);
  writing->own = (FaspStreamOffset) { .known = TRUE };
  fasp_hmac (endpoint->cookie_secret, sizeof endpoint->cookie_secret, "fasp origin 1", count,
      sizeof count, writing->own.origin.bytes, FASP_ORIGIN_SIZE);
}

FaspSending *
fasp_sending_new (const FaspEndpoint *endpoint)
{
  FaspSending *sending = g_new0 (FaspSending, 1);

  sending->held = FASP_HELD_NOTHING;
  sending->history.key = FASP_NO_BLOCK;
  sending->writing.measured_by = FASP_NEVER;
  sending->gather.due = FASP_NEVER;
  if (endpoint->store == NULL)
    return sending;
  choose_origin (&sending->writing, endpoint);
  fasp_store_set_offset (endpoint->store, 0, 0, &sending->writing.own, FALSE);
  return sending;
}

void
fasp_sending_free (FaspSending *sending)
{
  fasp_heap_clear (&sending->first_needed);
  fasp_stream_header_clear (&sending->header);
  g_free (sending);
}

static gboolean
has_listeners (const FaspEndpoint *endpoint)
{
  return endpoint->sending->held.first != FASP_NO_BLOCK
      || fasp_endpoint_get_open (endpoint) != NULL;
}

/* --- how large blocks are ----------------------------------------------------- */

/* The first writes wait at most this long for answers to the MTU probes, as blocks keep their
 * size. */
#define MEASURED_AFTER (10 * FASP_MSEC)

void
fasp_writing_fit_blocks (FaspEndpoint *endpoint)
{
  guint32 size = endpoint->group != NULL ? fasp_endpoint_get_least_room (endpoint) :
                                           FASP_DATAGRAM_MAX - FASP_DATA_OVERHEAD;
  gboolean found = FALSE;

  FASP_EACH_SESSION (endpoint, session) {
    if (session->state != FASP_SESSION_OPEN)
      continue;
    size = MIN (size, fasp_session_get_room (session));
    found = TRUE;
  }
  if (!found)
    size = fasp_endpoint_get_least_room (endpoint);
  if (endpoint->sending->writing.packet_size > 0 && endpoint->sending->writing.packet_size <= size)
    size -= size % endpoint->sending->writing.packet_size;
  fasp_store_set_block_size (endpoint->store, size);
}

void
fasp_endpoint_set_packet_size (FaspEndpoint *endpoint, guint32 size)
{
  g_return_if_fail (endpoint->store != NULL);
  endpoint->sending->writing.packet_size = size;
  fasp_writing_fit_blocks (endpoint);
}

gboolean
fasp_writing_is_in_the_middle (const FaspEndpoint *endpoint, const FaspSession *session)
{
  FaspStreamOffset begin = fasp_retention_get_begin (endpoint, session);

  return begin.offset > 0
      && !fasp_stream_offset_is_comparable (&session->record->start.previous, &begin);
}

/* Counts the bytes that the receiver lacks between the offset that it had and its first block. */
static void
count_missing (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session)
{
  const FaspStreamOffset *from = &session->record->start.previous;
  FaspStreamOffset to = fasp_retention_get_begin (endpoint, session);
  guint64 bytes;

  if (!fasp_stream_offset_is_comparable (from, &to) || from->offset >= to.offset)
    return;
  bytes = to.offset - from->offset;
  endpoint->stats.bytes_missing += bytes;
  if (fasp_endpoint_notifies_gap (endpoint, now))
    fasp_endpoint_push_event (endpoint, FASP_EVENT_BEHIND, session)->bytes_lost = bytes;
}

void
fasp_writing_begins (FaspEndpoint *endpoint)
{
  endpoint->sending->capturing.due = TRUE;
}

void
fasp_writing_opened (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  gboolean far = session->rtt.measured && session->rtt.min > MEASURED_AFTER;

  fasp_writing_begins (endpoint);
  count_missing (endpoint, now, session);
  fasp_header_wait_begin (endpoint, now, session);
  fasp_header_wait_move (endpoint, fasp_store_get_head (endpoint->store), TRUE);
  if (endpoint->config.settings.wait_for_connection && endpoint->stats.sessions == 1
      && endpoint->group == NULL && !far)
    endpoint->sending->writing.measured_by = now + MEASURED_AFTER;
}

void
fasp_writing_run_due (FaspEndpoint *endpoint, FaspTime now)
{
  const FaspSession *session;

  if (endpoint->sending->writing.measured_by == FASP_NEVER)
    return;
  session = fasp_endpoint_get_open (endpoint);
  if (now >= endpoint->sending->writing.measured_by || session == NULL
      || fasp_session_is_measured (session))
    endpoint->sending->writing.measured_by = FASP_NEVER;
}

FaspTime
fasp_writing_get_time (FaspEndpoint *endpoint)
{
  return endpoint->sending->writing.measured_by;
}

/* If each unit can be decoded alone, one is marked as a key frame this often, for relays. */
#define EACH_APART FASP_SEC

/* --- the stream ------------------------------------------------------------------ */

gboolean
fasp_writing_is_kept (const FaspEndpoint *endpoint)
{
  return fasp_endpoint_get_open (endpoint) != NULL || fasp_hold_expects (endpoint)
      || (fasp_retention_has_history (endpoint) && !endpoint->config.settings.wait_for_connection);
}

/* The store is full: drops what is left of history, then leaves slow receivers behind. */
static gboolean
make_room (FaspEndpoint *endpoint, FaspTime now)
{
  /* blocks that the slow receivers skipped have become history */
  return fasp_history_give_way (endpoint) || fasp_slow_policy_leave_behind (endpoint, now)
      || fasp_history_give_way (endpoint);
}

/* Is the first byte of a stream about to be written, before its header? The stream contains the
 * header, too, but a relay that begins there could not know that it is one. */
static gboolean
begins_with_header (const FaspEndpoint *endpoint)
{
  return endpoint->sending->header.wanted
      && fasp_store_get_next_offset (endpoint->store).offset == 0;
}

static void
log_change_of_waiting (FaspEndpoint *endpoint, FaspTime now, const gchar *why)
{
  FaspLog *log = endpoint->notes.log;
  gint64 *waits = fasp_log_get_kept (log, FASP_LOG_KEEPS_WAIT);
  guint64 blocks;

  if (g_strcmp0 (why, (const gchar *) (gintptr) *waits) == 0)
    return;
  *waits = FASP_LOG_WORD (why);
  blocks = fasp_store_get_head (endpoint->store) - fasp_store_get_tail (endpoint->store);
  if (why != NULL)
    FASP_LOG (log, now, WRITER_WAITS, FASP_LOG_WORD (why), blocks);
  else
    FASP_LOG (log, now, WRITER_GOES_ON, blocks);
}

/* Logs that writes wait for @why, a word; NULL: they go on. */
static inline void
log_waiting (FaspEndpoint *endpoint, FaspTime now, const gchar *why)
{
  if (endpoint->notes.log != NULL)
    log_change_of_waiting (endpoint, now, why);
}

gsize
fasp_endpoint_write (FaspEndpoint *endpoint, FaspTime now, FaspTime media_time, const guint8 *data,
    gsize size, FaspMemory *memory)
{
  gsize taken = 0;
  guint64 head;

  g_return_val_if_fail (endpoint->store != NULL, 0);
  if (endpoint->closing || fasp_store_is_finished (endpoint->store))
    return 0;
  endpoint->sending->writing.media_time = media_time;
  if (endpoint->sending->writing.measured_by != FASP_NEVER) {
    log_waiting (endpoint, now, "path_mtu");
    return 0;
  }
  if (!fasp_writing_is_kept (endpoint)) {
    if (endpoint->config.settings.wait_for_connection) {
      log_waiting (endpoint, now, "no_receiver");
      return 0;
    }
    log_waiting (endpoint, now, NULL);
    endpoint->stats.bytes_written += size;
    endpoint->stats.bytes_dropped += size;
    endpoint->sending->header.passed += size;
    endpoint->stats.bytes_unconfirmed = 0; /* the dropped bytes are not the last ones any more */
    fasp_store_pass (endpoint->store, size);
    return size;
  }
  if (begins_with_header (endpoint)
      && !fasp_endpoint_begin_key_frame (endpoint, now, media_time, FALSE))
    return 0;
  head = fasp_store_get_head (endpoint->store);
  do
    taken +=
        fasp_store_write (endpoint->store, now, media_time, data + taken, size - taken, memory);
  while (taken < size && make_room (endpoint, now));
  log_waiting (endpoint, now, taken < size ? "store_full" : NULL);
  endpoint->stats.bytes_written += taken;
  endpoint->sending->header.passed += taken;
  if (taken > 0) {
    gboolean is_new = fasp_gather_written (endpoint, now, head, size);

    endpoint->stats.bytes_unconfirmed = 0; /* bytes that are kept now follow them */
    fasp_history_run_due (endpoint, now);
    fasp_header_wait_move (endpoint, fasp_store_get_head (endpoint->store), TRUE);
    for (guint i = 0; is_new && i < endpoint->config.lanes; i++)
      fasp_scheduler_written (&endpoint->schedulers[i], now);
  }
  return taken;
}

/* Is the stream that is being written our own? */
static gboolean
is_own (FaspEndpoint *endpoint)
{
  FaspStreamOffset position = fasp_store_get_next_offset (endpoint->store);

  return fasp_origin_equal (&position.origin, &endpoint->sending->writing.own.origin);
}

/* May a peer know, or learn later, the stream offset of the next byte written? A half-open session
 * gets its offset when it opens, unless bytes written meanwhile are kept for it. */
static gboolean
may_know_offset (const FaspEndpoint *endpoint)
{
  return has_listeners (endpoint)
      || (fasp_writing_is_kept (endpoint)
          && (endpoint->sessions->len > 0 || fasp_dial_is_calling (endpoint)));
}

gboolean
fasp_endpoint_set_stream_offset (FaspEndpoint *endpoint, FaspTime now, FaspTime media_time,
    const FaspStreamOffset *position)
{
  FaspStreamOffset next;

  g_return_val_if_fail (endpoint->store != NULL, FALSE);
  if (endpoint->closing)
    return FALSE;
  if (endpoint->config.settings.wait_for_connection && !fasp_writing_is_kept (endpoint)) {
    log_waiting (endpoint, now, "no_receiver");
    return FALSE;
  }
  if (position == NULL) {
    if (is_own (endpoint))
      return TRUE;
    choose_origin (&endpoint->sending->writing, endpoint);
    position = &endpoint->sending->writing.own;
  }
  next = fasp_store_get_next_offset (endpoint->store);
  while (!fasp_store_set_offset (endpoint->store, now, media_time, position,
      may_know_offset (endpoint)))
    if (!make_room (endpoint, now)) {
      log_waiting (endpoint, now, "store_full");
      return FALSE;
    }
  /* receivers need the header again with the new stream, even if its bytes are the same */
  if (!fasp_origin_equal (&next.origin, &position->origin)) {
    fasp_stream_header_renew (&endpoint->sending->header, now);
    endpoint->sending->capturing.due = TRUE;
  }
  return TRUE;
}

void
fasp_endpoint_set_header (FaspEndpoint *endpoint, FaspTime now, GBytes *header)
{
  gsize size = header != NULL ? g_bytes_get_size (header) : 0;
  gboolean had = endpoint->sending->header.bytes != NULL;

  g_return_if_fail (endpoint->store != NULL && size <= FASP_STREAM_HEADER_MAX);
  if (size == 0 || size > fasp_stream_header_get_most (endpoint->config.buffer_size))
    header = NULL;
  fasp_stream_header_set (&endpoint->sending->header, now, header);
  /* receivers cannot begin at key frames before the header */
  fasp_history_set_key_frame (endpoint, FASP_NO_BLOCK);
  if (!had)
    endpoint->sending->header.since = fasp_store_get_head (endpoint->store);
  if (!had || header != NULL)
    return;
  fasp_header_wait_move (endpoint, fasp_store_get_head (endpoint->store), FALSE);
  if (fasp_writing_is_kept (endpoint))
    fasp_header_wait_gone (endpoint, now);
  endpoint->sending->header.gone = fasp_store_get_head (endpoint->store);
}

FaspTime
fasp_endpoint_get_header_wait (const FaspEndpoint *endpoint, FaspTime now)
{
  FaspTime since = now;

  FASP_EACH_SESSION (endpoint, session) {
    /* a receiver in LACKS may have got the first bytes although it skipped; a receiver in HELD gets
     * nothing */
    if (session->state == FASP_SESSION_OPEN
        && (session->record->header_wait.state == FASP_RECEIVER_HELD
            || (session->record->header_wait.state == FASP_RECEIVER_LACKS
                && !session->record->header_wait.gets_first)))
      since = MIN (since, session->record->header_wait.since);
  }
  return now - since;
}

/* Writes the header into blocks from @number on. FALSE: there is no room. */
static gboolean
write_header (FaspEndpoint *endpoint, FaspTime now, FaspTime media_time, guint64 number)
{
  gsize size;
  gconstpointer bytes = g_bytes_get_data (endpoint->sending->header.bytes, &size);

  while (!fasp_store_mark_header (endpoint->store, now, media_time, bytes, size))
    if (!make_room (endpoint, now))
      return FALSE;
  fasp_header_wait_move (endpoint, number, FALSE);
  fasp_header_wait_written (endpoint, now);
  return TRUE;
}

/* A key frame was written, which serves all receivers that wanted one, unless one of them lacks the
 * header, and the key frame comes without it. */
static void
serve_key_frame (FaspEndpoint *endpoint, FaspTime now, gboolean has_header)
{
  if (endpoint->sending->header.wanted && !has_header)
    fasp_encoder_want_key_frame (endpoint, now);
  else
    fasp_key_frame_comes (&endpoint->sending->encoder.key_frame);
}

gboolean
fasp_endpoint_begin_key_frame (FaspEndpoint *endpoint, FaspTime now, FaspTime media_time,
    gboolean each)
{
  gboolean has_header = endpoint->sending->header.bytes != NULL, due;
  guint64 number;

  g_return_val_if_fail (endpoint->store != NULL, TRUE);
  due = fasp_stream_header_is_due (&endpoint->sending->header, now,
      fasp_retention_has_history (endpoint));
  if (!each) {
    fasp_gather_end (endpoint, now);
    serve_key_frame (endpoint, now, due);
  }
  if (!fasp_writing_is_kept (endpoint)
      || (!has_header && (each || !fasp_retention_has_history (endpoint))))
    return TRUE;
  if (each && !due && now < endpoint->sending->header.key_due)
    return TRUE;
  number = fasp_store_seal (endpoint->store);
  if (due && !write_header (endpoint, now, media_time, number)) {
    log_waiting (endpoint, now, "store_full");
    return FALSE;
  }
  endpoint->sending->header.key_due = now + EACH_APART;
  fasp_store_mark_key_frame (endpoint->store, now, media_time);
  endpoint->sending->capturing.due = TRUE;
  if (due || !has_header)
    fasp_history_set_key_frame (endpoint, number);
  return TRUE;
}

GPtrArray *
fasp_endpoint_take_forgotten (FaspEndpoint *endpoint)
{
  return endpoint->store != NULL ? fasp_store_take_forgotten (endpoint->store) : NULL;
}

gboolean
fasp_endpoint_has_forgotten (const FaspEndpoint *endpoint)
{
  return endpoint->store != NULL && fasp_store_has_forgotten (endpoint->store);
}

gboolean
fasp_endpoint_can_write (const FaspEndpoint *endpoint)
{
  if (endpoint->sending->writing.measured_by != FASP_NEVER || endpoint->closing
      || fasp_store_is_finished (endpoint->store))
    return FALSE;
  if (!fasp_writing_is_kept (endpoint))
    return !endpoint->config.settings.wait_for_connection;
  return !fasp_store_is_full (endpoint->store) || fasp_history_can_give_way (endpoint)
      || fasp_slow_policy_can_leave_behind (endpoint);
}

gboolean
fasp_endpoint_has_finished (const FaspEndpoint *endpoint)
{
  return fasp_store_is_finished (endpoint->store);
}

gboolean
fasp_endpoint_can_finish (const FaspEndpoint *endpoint)
{
  return endpoint->closing || fasp_store_is_finished (endpoint->store)
      || endpoint->stats.bytes_written > 0 || fasp_writing_is_kept (endpoint)
      || !endpoint->config.settings.wait_for_connection;
}

void
fasp_endpoint_finish (FaspEndpoint *endpoint, FaspTime now)
{
  g_return_if_fail (endpoint->store != NULL);
  fasp_header_wait_move (endpoint, fasp_store_get_head (endpoint->store), FALSE);
  fasp_store_finish (endpoint->store, now, endpoint->sending->writing.media_time);
  fasp_hold_finished (endpoint, now);
  fasp_retention_trim (endpoint);
  fasp_endpoint_wake_all (endpoint);
}

gboolean
fasp_endpoint_is_drained (const FaspEndpoint *endpoint)
{
  g_return_val_if_fail (endpoint->store != NULL, TRUE);
  return fasp_store_is_finished (endpoint->store) && !has_listeners (endpoint);
}
