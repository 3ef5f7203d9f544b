/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspreading.h"

/* If a sender changes its stream repeatedly, the application is notified no more often than
 * this. */
#define NOTIFY_JOINED_AFTER FASP_SEC
/* The most closed sessions with unread blocks. */
#define UNREAD_MAX 16

struct _FaspReading
{
  guint32 session;            /* id of the session of the block read last; 0: none */
  FaspTime empty;             /* when the application last found no block; 0: never */
  FaspTime offset;            /* from the media time of the block read last to its play time, less
                                 the latency that its session began with */
  FaspSenderClock clock;      /* clock of the sender of the block read last */
  FaspMediaClock media_clock; /* media clock of the session that was read last and is gone */
  FaspSkew skew;              /* skew of that session's clock */
  FaspCaptureMap capture;     /* the capture times that it stated */
  FaspAddress from;           /* the peer that sent the block read last */
  FaspStreamOffset next;      /* stream offset behind the block read last */
  FaspStreamOffset whole;     /* what `next' would be if no byte were missing since an offset was
                                 first known */
  FaspTime joined_notified;   /* when the application was last notified of a stream */
  gboolean has_end;           /* the end of the stream was read */
  FaspOtherSources others;    /* the bytes that the reader has from other sources */
};

FaspReading *
fasp_reading_new (void)
{
  FaspReading *reading = g_new0 (FaspReading, 1);

  reading->next.offset = FASP_OFFSET_UNKNOWN;
  return reading;
}

void
fasp_reading_begin (FaspEndpoint *endpoint, FaspSession *session, const FaspHello *hello)
{
  FaspStreamOffset position = hello->position;

  if (!position.known)
    position.offset = FASP_OFFSET_UNKNOWN;
  fasp_rx_begin_at (session->rx, &position, &endpoint->reading->others);
  session->record->start.needs_header = hello->has_header;
  if (!fasp_stream_offset_is_comparable (&endpoint->reading->next, &position))
    return;
  /* the stream has the same clock through each relay */
  fasp_reading_left (endpoint, fasp_endpoint_find (endpoint, endpoint->reading->session));
  fasp_rx_continue_clock (session->rx, &endpoint->reading->media_clock, &endpoint->reading->skew,
      &endpoint->reading->capture);
}

FaspStreamOffset
fasp_reading_get_wanted (const FaspEndpoint *endpoint)
{
  const FaspStreamOffset *next = &endpoint->reading->next, *has = &endpoint->reading->others.has;

  if (has->known && (!fasp_stream_offset_is_comparable (next, has) || has->offset > next->offset))
    return *has;
  return next->offset != FASP_OFFSET_UNKNOWN ? *next : (FaspStreamOffset) { 0 };
}

void
fasp_reading_left (FaspEndpoint *endpoint, const FaspSession *session)
{
  if (session == NULL || session->id != endpoint->reading->session)
    return;
  endpoint->reading->media_clock = fasp_rx_view (session->rx)->clock;
  endpoint->reading->skew = fasp_rx_view (session->rx)->skew;
  endpoint->reading->capture = fasp_rx_view (session->rx)->capture;
}

gboolean
fasp_reading_is_behind (const FaspEndpoint *endpoint, const FaspSession *except)
{
  gsize bytes = 0;
  guint n = 0;

  FASP_EACH_SESSION (endpoint, session) {
    if (session == except || !fasp_session_has_unread (session))
      continue;
    bytes += fasp_rx_get_bytes (session->rx);
    n++;
  }
  return n >= UNREAD_MAX || bytes >= endpoint->config.buffer_size;
}

/* Notifies the application that the stream goes on in another session. */
static void
notify_moved (FaspEndpoint *endpoint, const FaspSession *session, guint64 bytes)
{
  FaspEvent *event = fasp_endpoint_push_event (endpoint, FASP_EVENT_MOVED, session);

  event->before = endpoint->reading->from;
  event->bytes_lost = bytes;
}

/* Notifies the application that bytes of this session are missing. */
static void
notify_gap (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session)
{
  if (fasp_endpoint_notifies_gap (endpoint, now))
    fasp_endpoint_push_event (endpoint, FASP_EVENT_GAP, session)->left_behind =
        !endpoint->config.settings.too_late_skip || !fasp_rx_view (session->rx)->late.has_given_up;
}

/* Counts missing bytes, once the position of the bytes behind them is known. */
static void
count_missing (FaspEndpoint *endpoint, const FaspStreamOffset *position, guint32 size)
{
  FaspStreamOffset *whole = &endpoint->reading->whole;

  if (position->known && position->offset != FASP_OFFSET_UNKNOWN) {
    if (position->offset > whole->offset && fasp_stream_offset_is_comparable (whole, position))
      endpoint->stats.bytes_missing += position->offset - whole->offset;
    *whole = *position;
  }
  whole->offset = fasp_offset_check (whole->offset + size);
}

/* Updates the sender's clock, and computes the block's play time. @again: the stream is the same as
 * before. */
static void
follow_clock (FaspEndpoint *endpoint, const FaspSession *session, FaspBlock *block, gboolean again)
{
  const FaspRxView *rx = fasp_rx_view (session->rx);
  FaspSenderClock *clock = &endpoint->reading->clock;
  FaspTime mapped = fasp_media_clock_map (&rx->clock, block->number, block->media_time);

  /* the same stream in another session has the same clock, with the same jumps */
  if (endpoint->reading->session != session->id && !again) {
    clock->epoch++;
    clock->jumps = rx->clock.jumps;
  }
  if (clock->jumps != rx->clock.jumps && fasp_media_clock_is_current (&rx->clock, block->number)) {
    block->flags |= FASP_BLOCK_CLOCK_JUMP;
    clock->epoch++;
    clock->jumps = rx->clock.jumps;
    clock->jump = rx->clock.jump;
  }
  /* not in the first second, nor while a receiver that joined in the past catches up */
  clock->known = clock->jumps == rx->clock.jumps && rx->clock.last - rx->clock.start > FASP_SEC;
  clock->offset = rx->clock.offset;
  clock->skew_known = rx->skew.known;
  clock->skew = rx->skew.skew;
  /* from the block's arrival without loss, however long it has waited for the block before it */
  endpoint->reading->offset =
      mapped - block->media_time + fasp_playout_get (&rx->playout, mapped) - rx->playout.first;
}

/* Is the block, whose stream offset is @position, the first that is read of its stream? */
static gboolean
is_first (const FaspEndpoint *endpoint, const FaspSession *session,
    const FaspStreamOffset *position)
{
  if (!position->known)
    return endpoint->reading->session != session->id;
  return !endpoint->reading->next.known
      || !fasp_origin_equal (&endpoint->reading->next.origin, &position->origin);
}

/* The first bytes of a stream are read. TRUE: the stream begins in the middle, or the former one
 * was cut short. */
static gboolean
join_stream (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session,
    const FaspStreamOffset *position)
{
  gboolean cut_short = endpoint->reading->session != 0 && !endpoint->reading->has_end;
  gboolean in_the_middle = position->known && position->offset != 0;

  endpoint->stats.join_offset = position->offset;
  endpoint->stats.joins_in_the_middle += in_the_middle;
  endpoint->reading->has_end = FALSE;
  if (endpoint->reading->session != session->id
      || now - endpoint->reading->joined_notified >= NOTIFY_JOINED_AFTER) {
    FaspEvent *event = fasp_endpoint_push_event (endpoint, FASP_EVENT_JOINED, session);

    endpoint->reading->joined_notified = now;
    event->start.position = *position;
    event->start.in_the_middle = in_the_middle;
  }
  return in_the_middle || cut_short;
}

/* Does the reader have all bytes before @position from another source? */
static gboolean
reader_has (const FaspEndpoint *endpoint, const FaspStreamOffset *position)
{
  const FaspStreamOffset *has = &endpoint->reading->others.has;

  return fasp_stream_offset_is_comparable (position, has) && position->offset <= has->offset;
}

/* Returns the part of the block that has not been delivered yet; NULL: all of it has. */
static FaspBlock *
cut_to_new_bytes (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session,
    FaspBlock *block)
{
  FaspStreamOffset *end = &endpoint->reading->next, position = *fasp_rx_get_position (session->rx);
  gboolean moved = endpoint->reading->session != session->id && endpoint->reading->session != 0;
  gboolean again, gap = (block->flags & FASP_BLOCK_DISCONT) != 0;
  FaspStreamOffsetOrder order;
  guint64 bytes;

  position.offset = block->offset;
  order = fasp_stream_offset_compare (end, &position, block->size, &bytes);
  again = order != FASP_STREAM_OFFSET_ANEW || bytes > 0;
  switch (order) {
    case FASP_STREAM_OFFSET_OLD:
      fasp_block_unref (block);
      return NULL;
    case FASP_STREAM_OFFSET_OVERLAPS:
      block = fasp_block_cut (block, bytes);
      bytes = 0;
      gap = FALSE;
      block->flags &= ~FASP_BLOCK_DISCONT;
      break;
    case FASP_STREAM_OFFSET_FOLLOWS:
      gap = FALSE;
      block->flags &= ~FASP_BLOCK_DISCONT;
      break;
    case FASP_STREAM_OFFSET_ANEW:
      if (reader_has (endpoint, &position)) {
        bytes = 0;
        gap = FALSE;
        endpoint->reading->whole = position;
        block->flags &= ~FASP_BLOCK_DISCONT;
        break;
      }
      if (moved || again
          || (end->known
              && (!position.known || end->offset != FASP_OFFSET_UNKNOWN
                  || !fasp_origin_equal (&end->origin, &position.origin))))
        block->flags |= FASP_BLOCK_DISCONT;
      else if (endpoint->reading->session == 0)
        block->flags &= ~FASP_BLOCK_DISCONT; /* no bytes of the stream precede it */
      break;
  }
  position.offset = block->offset;
  count_missing (endpoint, &position, block->size);
  if (moved && again)
    notify_moved (endpoint, session, bytes);
  else if (!moved && endpoint->reading->session != 0 && (gap || bytes > 0))
    notify_gap (endpoint, now, session);
  if (!again && is_first (endpoint, session, &position) ?
          join_stream (endpoint, now, session, &position) :
          gap || bytes > 0)
    block->flags |= FASP_BLOCK_LACKS;
  *end = position;
  if (block->offset != FASP_OFFSET_UNKNOWN)
    end->offset = fasp_offset_check (block->offset + block->size);
  follow_clock (endpoint, session, block, again);
  return block;
}

/* Were bytes of the session's present stream delivered? */
static gboolean
has_begun (const FaspEndpoint *endpoint, const FaspSession *session)
{
  const FaspStreamOffset *next = fasp_rx_get_position (session->rx);

  return next->known ? endpoint->reading->next.known
          && fasp_origin_equal (&endpoint->reading->next.origin, &next->origin) :
                       endpoint->reading->session == session->id;
}

/* Is the block unreadable, because the header before it is missing? */
static gboolean
lacks_header (const FaspEndpoint *endpoint, const FaspSession *session, const FaspBlock *block)
{
  return session->record->start.needs_header && block->offset != 0
      && !has_begun (endpoint, session);
}

/* Takes the header. At the first byte of a stream it is not delivered, as the first bytes contain
 * it; it is kept in case these are given up. */
static void
take_header (const FaspEndpoint *endpoint, FaspSession *session, FaspBlock *header)
{
  gboolean begins =
      !has_begun (endpoint, session) && fasp_rx_get_position (session->rx)->offset == 0;

  if (!begins && !has_begun (endpoint, session))
    header->flags |= FASP_BLOCK_ENTER;
  session->record->start.needs_header = begins && header->size > 0;
}

/* The next block of the session with new bytes, with the header, or with the end of the stream;
 * NULL: there is none. */
static FaspBlock *
take_next_block (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  FaspBlock *block;

  do {
    block = fasp_rx_take (session->rx, now);
    if (block == NULL)
      return NULL;
    if (block->flags & FASP_BLOCK_EOS) {
      endpoint->reading->has_end = TRUE;
      return block;
    }
    if (block->flags & FASP_BLOCK_HEADER) {
      take_header (endpoint, session, block);
      return block;
    }
    if (lacks_header (endpoint, session, block))
      g_clear_pointer (&block, fasp_block_unref);
    else
      block = cut_to_new_bytes (endpoint, now, session, block);
  } while (block == NULL);
  return block;
}

/* Notes that blocks or marks were read from the session. */
static void
was_read (FaspEndpoint *endpoint, FaspSession *session)
{
  if (session->state == FASP_SESSION_OPEN)
    fasp_scheduler_wake (fasp_endpoint_get_scheduler (endpoint, session),
        &session->record->scheduled,
        fasp_feedback_get_timeout (fasp_rx_get_feedback (session->rx)));
  else if (fasp_session_is_over (session) && !session->record->notified.removed
      && !fasp_session_has_unread (session))
    fasp_endpoint_wake (endpoint, session); /* the closed session may be removed now */
}

/* Fills in *read for a block that was just taken. */
static void
fill_read (const FaspEndpoint *endpoint, const FaspSession *session, FaspBlock *block,
    FaspRead *read)
{
  read->block = block;
  read->session = session->id;
  read->behind = endpoint->reading->next;
  read->arrival = block->media_time + endpoint->reading->offset;
  read->ready = MAX (block->arrival, endpoint->reading->empty);
  read->capture = fasp_rx_get_capture (session->rx, block->media_time);
}

gboolean
fasp_endpoint_read (FaspEndpoint *endpoint, FaspTime now, FaspRead *read)
{
  FASP_EACH_SESSION (endpoint, session) {
    FaspBlock *block;

    if (!session->record->notified.connected || fasp_session_get_hold_end (session) > 0)
      continue;
    block = take_next_block (endpoint, now, session);
    was_read (endpoint, session);
    if (block == NULL)
      continue;
    fill_read (endpoint, session, block, read);
    if (block->flags & FASP_BLOCK_HEADER)
      return TRUE;
    endpoint->reading->session = session->id;
    endpoint->reading->from = *fasp_session_get_address (session);
    endpoint->stats.bytes_read += block->size;
    return TRUE;
  }
  endpoint->reading->empty = now;
  return FALSE;
}

gboolean
fasp_endpoint_can_read (const FaspEndpoint *endpoint)
{
  FASP_EACH_SESSION (endpoint, session)
    if (session->record->notified.connected && fasp_session_get_hold_end (session) == 0
        && fasp_session_has_unread (session))
      return TRUE;
  return FALSE;
}

void
fasp_endpoint_set_other_sources (FaspEndpoint *endpoint, FaspTime now,
    const FaspOtherSources *others)
{
  endpoint->reading->others = *others;
  FASP_EACH_SESSION (endpoint, session) {
    if (session->role != FASP_ROLE_RECEIVER || session->state != FASP_SESSION_OPEN)
      continue;
    if (fasp_rx_set_other_sources (session->rx, now, others))
      fasp_endpoint_wake (endpoint, session);
  }
}

void
fasp_endpoint_get_sender_clock (const FaspEndpoint *endpoint, FaspSenderClock *clock)
{
  *clock = endpoint->reading->clock;
}

gboolean
fasp_endpoint_want_key_frame (FaspEndpoint *endpoint, FaspTime now)
{
  gboolean announced = FALSE;

  FASP_EACH_SESSION (endpoint, session) {
    if (session->role != FASP_ROLE_RECEIVER || session->state != FASP_SESSION_OPEN)
      continue;
    fasp_rx_want_key_frame (session->rx);
    fasp_endpoint_wake (endpoint, session);
    announced = TRUE;
  }
  return announced;
}
