/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream that one joins in the past, that goes through relays, and that a receiver
 * follows from one to another, in virtual time.
 *
 * A relay is a receiver at one node and a sender at the next, and what is read of the one
 * is written to the other with its place and media time, as faspsrc ! faspsink does.
 */
#include <string.h>
#include "fasphistory.h"
#include "vcast.h"

#define CHUNK 1316
#define BITRATE 4000000         /* of the stream, bit/s */
#define CHANNEL 8000000
#define STEP (2 * FASP_MSEC)
#define HOPS_MAX 4

typedef struct
{
  FaspEndpoint *in, *out;
  FaspBlock *held;              /* of which so many bytes are written */
  guint32 done;
  gboolean ended;
} Relay;

typedef struct
{
  Vnet *net;
  GRand *rand;
  FaspEndpoint *source;         /* at A */
  guint64 written;              /* offset of the next byte */
  guint64 due;                  /* bytes by now */
  FaspTime media_base;
  gboolean finished;
  Relay relays[3];
  FaspEndpoint *last;           /* the receiver */
  FaspStreamOffset end;         /* of what it has read */
  guint64 read, missing;
  guint64 last_key;             /* where the last key frame began */
  guint discontinuities, moves;
  guint64 moved_missing;
  gboolean eos, first_seen;
  guint64 first;                /* offset that it began at */
  FaspTime shift, max_jump;     /* of play time against media time: the last one,
                                   and its largest change */
  guint64 blocked;              /* writes that were not taken */
} Past;

/* By whom the byte was written, then: the source writes whole chunks. */
static FaspTime
media_time_of (const Past * p, guint64 offset)
{
  return p->media_base + offset / CHUNK * CHUNK * 8 * FASP_SEC / BITRATE;
}

static Past *
past_new (guint32 seed)
{
  Past *p = g_new0 (Past, 1);

  p->net = vnet_new (seed);
  p->rand = g_rand_new_with_seed (seed);
  p->media_base = 5 * FASP_SEC;
  p->end.offset = FASP_OFFSET_UNKNOWN;
  return p;
}

static void
past_free (Past * p)
{
  for (guint i = 0; i < VNET_NODES; i++)
    vnet_attach (p->net, i, NULL);
  fasp_endpoint_free (p->source);
  fasp_endpoint_free (p->last);
  for (guint i = 0; i < G_N_ELEMENTS (p->relays); i++) {
    fasp_endpoint_free (p->relays[i].in);
    fasp_endpoint_free (p->relays[i].out);
    if (p->relays[i].held != NULL)
      fasp_block_unref (p->relays[i].held);
  }
  vnet_free (p->net);
  g_rand_free (p->rand);
  g_free (p);
}

static void
wire (Past * p, VnetSide a, VnetSide b, FaspTime rtt, gdouble loss)
{
  VnetSide sides[2] = { a, b };

  for (guint i = 0; i < 2; i++) {
    ImpairConfig *w = vnet_get_wire (p->net, sides[i], sides[1 - i]);

    w->delay = rtt / 2;
    w->loss = loss;
  }
}

static FaspEndpointConfig
sender_config (void)
{
  FaspEndpointConfig c;

  fasp_endpoint_config_init (&c, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  c.max_bitrate = CHANNEL;
  c.latency_ms = 300;
  return c;
}

static FaspEndpointConfig
receiver_config (void)
{
  FaspEndpointConfig c;

  fasp_endpoint_config_init (&c, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  c.latency_ms = 300;
  return c;
}

static FaspEndpoint *
attach (Past * p, VnetSide side, const FaspEndpointConfig * c)
{
  FaspEndpoint *endpoint = fasp_endpoint_new (c, vnet_random, p->net);

  vnet_attach (p->net, side, endpoint);
  return endpoint;
}

static void
dial (Past * p, FaspEndpoint * endpoint, VnetSide peer)
{
  FaspAddress address = vnet_get_address (peer);

  fasp_endpoint_dial (endpoint, vnet_get_time (p->net), &address);
}

/* From @upstream's node, in at @side and out at the next. */
static void
add_relay (Past * p, guint n, VnetSide upstream, VnetSide side,
    const FaspEndpointConfig * out)
{
  FaspEndpointConfig in = receiver_config ();

  p->relays[n].in = attach (p, side, &in);
  p->relays[n].out = attach (p, side + 1, out);
  dial (p, p->relays[n].in, upstream);
}

static void
write_source (Past * p, FaspTime now)
{
  while (p->written + CHUNK <= p->due) {
    guint8 data[CHUNK];

    for (guint i = 0; i < CHUNK; i++)
      data[i] = vcast_byte_at (p->written + i);
    if (!fasp_endpoint_can_write (p->source)) {
      p->blocked++;
      return;
    }
    g_assert_cmpuint (fasp_endpoint_write (p->source, now,
            media_time_of (p, p->written), data, CHUNK, NULL), ==, CHUNK);
    p->written += CHUNK;
  }
  if (p->finished)
    fasp_endpoint_finish (p->source, now);
}

static void
run_relay (Relay * r, FaspTime now)
{
  FaspEvent event;

  if (r->in == NULL)
    return;
  while (fasp_endpoint_poll_event (r->in, &event));
  while (fasp_endpoint_poll_event (r->out, &event));
  for (;;) {
    FaspStreamOffset place;

    if (r->held == NULL) {
      r->held = fasp_endpoint_read (r->in, now);
      r->done = 0;
    }
    if (r->held == NULL)
      return;
    if (r->held->flags & FASP_BLOCK_EOS) {
      fasp_endpoint_finish (r->out, now);
      r->ended = TRUE;
    } else {
      place = fasp_endpoint_get_stream_offset (r->in);
      place.offset = r->held->offset;
      if (r->done == 0 && !fasp_endpoint_set_stream_offset (r->out, now,
              r->held->media_time, &place))
        return;
      if (r->done == 0 && (r->held->flags & FASP_BLOCK_KEY))
        fasp_endpoint_begin_key_frame (r->out, now, r->held->media_time, FALSE);
      r->done += fasp_endpoint_write (r->out, now, r->held->media_time,
          r->held->data + r->done, r->held->size - r->done, NULL);
      if (r->done < r->held->size)
        return;
    }
    g_clear_pointer (&r->held, fasp_block_unref);
  }
}

/* Media time is that of the first sender, of the block's first byte or of one a block before
 * it for each hop. */
static void
check_media_time (const Past * p, const FaspBlock * block)
{
  guint64 before = HOPS_MAX * FASP_BLOCK_UNIT;

  g_assert_cmpint (block->media_time, <=, media_time_of (p, block->offset));
  g_assert_cmpint (block->media_time, >=, media_time_of (p,
          block->offset - MIN (block->offset, before)));
}

static void
watch_play_time (Past * p, const FaspBlock * block)
{
  FaspTime shift = fasp_endpoint_map_media_time (p->last, block->media_time) -
      block->media_time;

  if (p->read > 0)
    p->max_jump = MAX (p->max_jump, ABS (shift - p->shift));
  p->shift = shift;
}

static void
read_last (Past * p, FaspTime now)
{
  FaspBlock *block;
  FaspEvent event;

  while ((block = fasp_endpoint_read (p->last, now)) != NULL) {
    FaspStreamOffset place = fasp_endpoint_get_stream_offset (p->last);

    if (block->flags & FASP_BLOCK_EOS) {
      p->eos = TRUE;
      fasp_block_unref (block);
      continue;
    }
    g_assert_cmpuint (block->size, >, 0);
    if (block->flags & FASP_BLOCK_DISCONT)
      p->discontinuities++;
    if (block->offset != FASP_OFFSET_UNKNOWN) {
      for (guint i = 0; i < block->size; i++)
        g_assert_cmpuint (block->data[i], ==,
            vcast_byte_at (block->offset + i));
      check_media_time (p, block);
      if (block->flags & FASP_BLOCK_KEY)
        p->last_key = block->offset;
      if (!p->first_seen)
        p->first = block->offset;
      p->first_seen = TRUE;
      g_assert_cmpuint (place.offset, ==, block->offset + block->size);
      if (fasp_stream_offset_is_comparable (&p->end, &place)) {
        g_assert_cmpuint (block->offset, >=, p->end.offset);
        /* told, and only where there is one */
        g_assert_cmpint ((block->flags & FASP_BLOCK_DISCONT) != 0, ==,
            block->offset > p->end.offset);
        p->missing += block->offset - p->end.offset;
      }
    }
    watch_play_time (p, block);
    p->end = place;
    p->read += block->size;
    fasp_block_unref (block);
  }
  while (fasp_endpoint_poll_event (p->last, &event))
    if (event.type == FASP_EVENT_MOVED) {
      p->moves++;
      p->moved_missing += event.bytes_lost;
    }
}

static void
step (Past * p)
{
  FaspTime now = vnet_get_time (p->net) + STEP;
  FaspEvent event;

  vnet_run (p->net, now);
  p->due += p->finished ? 0 : BITRATE / 8 * STEP / FASP_SEC;
  while (p->source != NULL && fasp_endpoint_poll_event (p->source, &event));
  if (p->source != NULL)
    write_source (p, now);
  for (guint i = 0; i < G_N_ELEMENTS (p->relays); i++)
    run_relay (&p->relays[i], now);
  if (p->last != NULL)
    read_last (p, now);
}

static void
run (Past * p, FaspTime span)
{
  FaspTime until = vnet_get_time (p->net) + span;

  while (vnet_get_time (p->net) < until)
    step (p);
}

static void
run_to_end (Past * p)
{
  FaspTime until = vnet_get_time (p->net) + 30 * FASP_SEC;

  p->finished = TRUE;
  while (!p->eos && vnet_get_time (p->net) < until)
    step (p);
  g_assert_true (p->eos);
  g_assert_cmpuint (p->end.offset, ==, p->written);
  g_assert_cmpuint (p->first + p->read + p->missing, ==, p->written);
}

/* --- a chain -------------------------------------------------------------------------- */

static void
make_chain (Past * p, gdouble loss, const FaspEndpointConfig * out)
{
  FaspEndpointConfig c = sender_config (), last = receiver_config ();

  p->source = attach (p, VNET_A, &c);
  wire (p, VNET_A, VNET_B, 40 * FASP_MSEC, loss);
  wire (p, VNET_C, VNET_D, 60 * FASP_MSEC, loss);
  wire (p, VNET_E, VNET_F, 30 * FASP_MSEC, loss);
  wire (p, VNET_G, VNET_H, 50 * FASP_MSEC, loss);
  /* other blocks on each hop */
  vnet_get_wire (p->net, VNET_C, VNET_D)->mtu = 1400;
  vnet_get_wire (p->net, VNET_E, VNET_F)->mtu = 1290;
  for (guint i = 0; i < 3; i++)
    add_relay (p, i, VNET_A + 2 * i, VNET_B + 2 * i, out);
  p->last = attach (p, VNET_H, &last);
  dial (p, p->last, VNET_G);
}

/* Three relays, 2 % lost on each hop: the same bytes, offsets, media times and end. */
static void
test_chain (gconstpointer data)
{
  Past *p = past_new (GPOINTER_TO_UINT (data));
  FaspEndpointConfig out = sender_config ();

  /* a media time that runs over its 32 bits on the way */
  if (GPOINTER_TO_UINT (data) % 2 == 0)
    p->media_base = (G_GINT64_CONSTANT (1) << 32) - 4 * FASP_SEC;
  make_chain (p, .02, &out);
  run (p, 8 * FASP_SEC);
  run_to_end (p);
  g_assert_cmpuint (p->first, ==, 0);
  g_assert_cmpuint (p->missing, ==, 0);
  g_assert_cmpuint (p->discontinuities, ==, 0);
  past_free (p);
}

/* Bytes that the source has not got are missing for all, there and as many. */
static void
test_gap_in_chain (gconstpointer data)
{
  Past *p = past_new (GPOINTER_TO_UINT (data));
  FaspEndpointConfig out = sender_config ();
  guint64 gone = 0;

  make_chain (p, .02, &out);
  for (guint i = 0; i < 5; i++) {
    guint64 gap = g_rand_int_range (p->rand, 1, 200000) * CHUNK;
    FaspStreamOffset place;

    run (p, FASP_SEC);
    /* each time more than any buffer holds, and block numbers know nothing of it */
    gone += gap;
    p->written += gap;
    p->due += gap;
    place = fasp_store_get_next_offset (p->source->store);
    place.offset += gap;
    g_assert_true (fasp_endpoint_set_stream_offset (p->source,
            vnet_get_time (p->net), media_time_of (p, p->written), &place));
  }
  run (p, FASP_SEC);
  run_to_end (p);
  g_assert_cmpuint (p->missing, ==, gone);
  g_assert_cmpuint (p->discontinuities, ==, 5);
  past_free (p);
}

/* Who joins the last of a chain at a key frame joins there. */
static void
test_key_in_chain (void)
{
  Past *p = past_new (2);
  FaspEndpointConfig out = sender_config (), last = receiver_config ();
  FaspEndpoint *late;
  guint64 key = 0;

  out.join = FASP_JOIN_KEY_FRAME;
  make_chain (p, .02, &out);
  vnet_attach (p->net, VNET_A, NULL);
  fasp_endpoint_free (p->source);
  p->source = attach (p, VNET_A, &out);
  for (guint i = 0; i < 4; i++) {
    run (p, FASP_SEC);
    key = p->written;
    fasp_endpoint_begin_key_frame (p->source, vnet_get_time (p->net),
        media_time_of (p, key), FALSE);
  }
  run (p, FASP_SEC);
  g_assert_cmpuint (p->last_key, ==, key);
  /* another one in its place */
  late = p->last;
  p->last = NULL;
  vnet_attach (p->net, VNET_H, NULL);
  fasp_endpoint_free (late);
  p->end.offset = FASP_OFFSET_UNKNOWN;
  p->first_seen = FALSE;
  p->read = p->missing = p->discontinuities = p->last_key = 0;
  p->last = attach (p, VNET_H, &last);
  dial (p, p->last, VNET_G);
  run (p, FASP_SEC);
  g_assert_cmpuint (p->first, ==, key);
  g_assert_cmpuint (p->last_key, ==, key);
  run_to_end (p);
  g_assert_cmpuint (p->discontinuities, ==, 0);
  past_free (p);
}

/* The first sender starts anew: another stream, and all are told. */
static void
test_new_origin (void)
{
  Past *p = past_new (1);
  FaspEndpointConfig out = sender_config ();
  FaspStreamOffset before, other = {.known = TRUE };

  make_chain (p, 0, &out);
  run (p, 2 * FASP_SEC);
  before = p->end;
  memset (other.origin.bytes, 0x55, FASP_ORIGIN_SIZE);
  other.offset = p->written;
  g_assert_true (fasp_endpoint_set_stream_offset (p->source,
          vnet_get_time (p->net), media_time_of (p, p->written), &other));
  run (p, 2 * FASP_SEC);
  g_assert_cmpuint (p->discontinuities, ==, 1);
  g_assert_false (fasp_origin_equal (&before.origin, &p->end.origin));
  g_assert_true (fasp_origin_equal (&other.origin, &p->end.origin));
  /* and back to what it writes itself: a third one, from its beginning */
  g_assert_true (fasp_endpoint_set_stream_offset (p->source,
          vnet_get_time (p->net), media_time_of (p, p->written), NULL));
  g_assert_cmpuint (fasp_store_get_next_offset (p->source->store).offset, ==,
      0);
  past_free (p);
}

/* --- from one to another ----------------------------------------------------------------- */

typedef struct
{
  guint32 seed;
  FaspTime behind[2];           /* of the relays, to the source, round trip */
  gdouble loss;
  FaspTime history;             /* of the second */
  gboolean closes;              /* the first says goodbye; else it vanishes */
  gboolean waits;               /* for a second relay that gets nothing for a while */
} Move;

/* A receiver has two addresses; which of them it wants. */
static void
follow (Past * p, guint * serial)
{
  static const VnetSide sides[] = { VNET_C, VNET_E };
  guint now, wanted = fasp_endpoint_get_wanted_peer (p->last, &now);

  if (now == *serial)
    return;
  *serial = now;
  dial (p, p->last, sides[wanted]);
}

static void
kill_relay (Past * p, guint n, VnetSide side, gboolean closes)
{
  Relay *r = &p->relays[n];

  if (closes) {
    fasp_endpoint_close (r->in, vnet_get_time (p->net), FASP_REASON_STOPPED);
    fasp_endpoint_close (r->out, vnet_get_time (p->net), FASP_REASON_STOPPED);
    vnet_run (p->net, vnet_get_time (p->net) + STEP);
  }
  vnet_attach (p->net, side, NULL);
  vnet_attach (p->net, side + 1, NULL);
  g_clear_pointer (&r->in, fasp_endpoint_free);
  g_clear_pointer (&r->out, fasp_endpoint_free);
  g_clear_pointer (&r->held, fasp_block_unref);
}

static Past *
make_move (const Move * m)
{
  Past *p = past_new (m->seed);
  FaspEndpointConfig c = sender_config (), last = receiver_config ();
  guint serial = 0;

  p->source = attach (p, VNET_A, &c);
  wire (p, VNET_A, VNET_B, m->behind[0], m->loss);
  wire (p, VNET_A, VNET_D, m->behind[1], m->loss);
  wire (p, VNET_C, VNET_H, 30 * FASP_MSEC, m->loss);
  wire (p, VNET_E, VNET_H, 80 * FASP_MSEC, m->loss);
  vnet_get_wire (p->net, VNET_E, VNET_H)->mtu = 1330;
  c.wait_for_connection = FALSE;
  add_relay (p, 0, VNET_A, VNET_B, &c);
  c.history = m->history;
  add_relay (p, 1, VNET_A, VNET_D, &c);
  last.peers = 2;
  p->last = attach (p, VNET_H, &last);
  dial (p, p->last, VNET_C);
  run (p, 3 * FASP_SEC + g_rand_int_range (p->rand, 0, FASP_SEC));
  g_assert_true (p->first_seen);
  if (m->waits)
    wire (p, VNET_A, VNET_D, m->behind[1], 1);
  if (m->waits)
    run (p, FASP_SEC);
  kill_relay (p, 0, VNET_B, m->closes);
  for (guint i = 0; i < 3000 && p->moves == 0; i++) {
    if (m->waits && i == 2200)
      wire (p, VNET_A, VNET_D, m->behind[1], 0);
    step (p);
    follow (p, &serial);
  }
  g_assert_cmpuint (p->moves, ==, 1);
  run (p, 2 * FASP_SEC);
  run_to_end (p);
  return p;
}

/* Ahead, behind, by other blocks, in bad networks: at the byte where it stood. */
static void
test_move (gconstpointer data)
{
  guint32 seed = GPOINTER_TO_UINT (data);
  Move m = {.seed = seed,.behind = {40 * FASP_MSEC, 40 * FASP_MSEC},
  .history = 10 * FASP_SEC,.loss = seed % 3 * .02,.closes = seed % 2 == 0
  };
  Past *p;

  m.behind[seed / 2 % 2] = 600 * FASP_MSEC;
  p = make_move (&m);
  /* the paths differ by 305 ms; what was waited for does not count */
  g_assert_cmpint (p->max_jump, <=, 330 * FASP_MSEC);
  g_assert_cmpuint (p->missing, ==, 0);
  g_assert_cmpuint (p->discontinuities, ==, 0);
  g_assert_cmpuint (p->moved_missing, ==, 0);
  past_free (p);
}

/* It has not come to that byte yet, and will. */
static void
test_move_behind (void)
{
  Move m = {.seed = 7,.behind = {20 * FASP_MSEC, 20 * FASP_MSEC},
  .history = 10 * FASP_SEC,.waits = TRUE
  };
  Past *p = make_move (&m);

  g_assert_cmpuint (p->missing, ==, 0);
  g_assert_cmpuint (p->discontinuities, ==, 0);
  past_free (p);
}

/* What is not kept is missing, so much is told, and there. */
static void
test_move_too_late (gconstpointer data)
{
  Move m = {.seed = GPOINTER_TO_UINT (data),.behind = {20 * FASP_MSEC,
      20 * FASP_MSEC},.history = FASP_SEC
  };
  Past *p = make_move (&m);

  g_assert_cmpuint (p->missing, >, BITRATE / 8 / 2);
  g_assert_cmpuint (p->discontinuities, ==, 1);
  g_assert_cmpuint (p->moved_missing, ==, p->missing);
  past_free (p);
}

/* The peer is interrupted, and heard again before another has answered: it stays. */
static void
test_move_back (void)
{
  Past *p = past_new (1);
  FaspEndpointConfig c = sender_config (), last = receiver_config ();
  guint serial = 0;

  p->source = attach (p, VNET_A, &c);
  wire (p, VNET_A, VNET_H, 30 * FASP_MSEC, 0);
  last.peers = 2;
  p->last = attach (p, VNET_H, &last);
  dial (p, p->last, VNET_A);
  run (p, FASP_SEC);
  wire (p, VNET_A, VNET_H, 30 * FASP_MSEC, 1);
  run (p, 2500 * FASP_MSEC);
  g_assert_cmpuint (fasp_endpoint_get_wanted_peer (p->last, &serial), ==, 1);
  wire (p, VNET_A, VNET_H, 30 * FASP_MSEC, 0);
  run (p, FASP_SEC);
  g_assert_cmpuint (fasp_endpoint_get_wanted_peer (p->last, &serial), ==, 0);
  g_assert_cmpuint (p->moves, ==, 0);
  run_to_end (p);
  g_assert_cmpuint (p->missing, ==, 0);
  past_free (p);
}

/* --- joining -------------------------------------------------------------------------------- */

typedef struct
{
  FaspJoin join, wish;          /* the sender's and the receiver's */
  guint32 back_ms;              /* the receiver's */
  FaspTime history;
  gint64 first, slack;          /* bytes before the live edge, to be expected */
} Join;

static void
test_join (gconstpointer data)
{
  const Join *j = data;
  Past *p = past_new (3);
  FaspEndpointConfig c = sender_config (), last = receiver_config ();
  guint64 live, key;

  wire (p, VNET_A, VNET_H, 10 * FASP_MSEC, 0);
  c.wait_for_connection = FALSE;
  c.join = j->join;
  c.history = j->history;
  p->source = attach (p, VNET_A, &c);
  for (guint i = 0; i < 5; i++) {
    run (p, FASP_SEC);
    fasp_endpoint_begin_key_frame (p->source, vnet_get_time (p->net),
        media_time_of (p, p->written), FALSE);
    key = p->written;
  }
  run (p, 500 * FASP_MSEC);
  last.join = j->wish;
  last.join_back_ms = j->back_ms;
  p->last = attach (p, VNET_H, &last);
  live = p->written;
  dial (p, p->last, VNET_A);
  run (p, 3 * FASP_SEC);
  g_assert_true (p->first_seen);
  if (j->first < 0) {
    g_assert_cmpuint (p->first, ==, key);
    g_assert_cmpuint (p->last_key, ==, key);
  } else
    g_assert_cmpint (ABS ((gint64) (live - p->first) - j->first), <=, j->slack);
  run_to_end (p);
  g_assert_cmpuint (p->missing, ==, 0);
  g_assert_cmpuint (p->discontinuities, ==, 0);
  past_free (p);
}

/* A full store: the past goes, nobody waits, and nothing is held beyond the limit. */
static void
test_bounded (gconstpointer data)
{
  FaspSlowPolicy policy = GPOINTER_TO_UINT (data);
  Past *p = past_new (4);
  FaspEndpointConfig c = sender_config (), last = receiver_config ();
  FaspEndpointStats stats;

  wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, .01);
  c.history = 1000 * FASP_SEC;
  c.join = FASP_JOIN_KEY_FRAME;
  c.buffer_size = 512 * 1024;
  c.slow_policy = policy;
  c.wait_for_connection = FALSE;
  p->source = attach (p, VNET_A, &c);
  fasp_endpoint_begin_key_frame (p->source, vnet_get_time (p->net),
      p->media_base, FALSE);
  run (p, 10 * FASP_SEC);       /* ten times what it holds */
  last.join = FASP_JOIN_BACK;
  p->last = attach (p, VNET_H, &last);
  dial (p, p->last, VNET_A);
  for (guint i = 0; i < 5000; i++) {
    step (p);
    fasp_endpoint_get_stats (p->source, &stats);
    g_assert_cmpuint (stats.buffer_bytes, <=, c.buffer_size);
  }
  g_assert_cmpuint (p->blocked, ==, 0);
  run_to_end (p);
  g_assert_cmpuint (p->blocked, ==, 0);
  past_free (p);
}

/* Who joins far back on a channel that hardly catches up does not hold the writer, whatever
 * the policy for the slow; it is moved ahead, and told of how much. */
static void
test_slow_past (void)
{
  Past *p = past_new (5);
  FaspEndpointConfig c = sender_config (), last = receiver_config ();

  wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, 0);
  c.history = 1000 * FASP_SEC;
  c.buffer_size = 1 << 20;
  c.max_bitrate = BITRATE;      /* less than it needs */
  c.wait_for_connection = FALSE;
  p->source = attach (p, VNET_A, &c);
  run (p, 10 * FASP_SEC);
  last.join = FASP_JOIN_BACK;
  p->last = attach (p, VNET_H, &last);
  dial (p, p->last, VNET_A);
  run (p, 1500 * FASP_MSEC);
  fasp_endpoint_set_bitrates (p->source, vnet_get_time (p->net), 0, CHANNEL);
  run (p, 10 * FASP_SEC);
  g_assert_cmpuint (p->blocked, ==, 0);
  g_assert_cmpuint (p->missing, >, 0);
  g_assert_cmpuint (p->discontinuities, >, 0);
  run_to_end (p);
  past_free (p);
}

/* The stream has ended, and is kept while somebody has not got all of it: who joins in the
 * past gets it to its end; others are turned away. */
static void
test_join_finished (gconstpointer data)
{
  FaspJoin join = GPOINTER_TO_UINT (data);
  Past *p = past_new (9);
  FaspEndpointConfig c = sender_config (), last = receiver_config ();
  FaspEndpoint *other;

  wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, 0);
  c.history = 60 * FASP_SEC;
  p->source = attach (p, VNET_A, &c);
  other = attach (p, VNET_B, &last);
  dial (p, other, VNET_A);
  run (p, 2 * FASP_SEC);
  wire (p, VNET_A, VNET_B, 0, 1);
  p->finished = TRUE;
  run (p, 100 * FASP_MSEC);
  last.join = join;
  p->last = attach (p, VNET_H, &last);
  dial (p, p->last, VNET_A);
  if (join == FASP_JOIN_BACK) {
    run_to_end (p);
    g_assert_cmpuint (p->first, ==, 0);
  } else {
    run (p, 3 * FASP_SEC);
    g_assert_false (p->eos);
    g_assert_cmpuint (p->read, ==, 0);
  }
  vnet_attach (p->net, VNET_B, NULL);
  fasp_endpoint_free (other);
  past_free (p);
}

/* Who gives up by itself loses count, and is told again within seconds. */
static void
test_given_up (gconstpointer data)
{
  Past *p = past_new (GPOINTER_TO_UINT (data));
  FaspEndpointConfig c = sender_config (), last = receiver_config ();

  wire (p, VNET_A, VNET_H, 200 * FASP_MSEC, .05);
  c.latency_ms = last.latency_ms = 50;
  last.too_late_skip = TRUE;
  p->source = attach (p, VNET_A, &c);
  p->last = attach (p, VNET_H, &last);
  dial (p, p->last, VNET_A);
  run (p, 10 * FASP_SEC);
  g_assert_cmpuint (p->discontinuities, >, 10);
  wire (p, VNET_A, VNET_H, 200 * FASP_MSEC, 0);
  run (p, 3 * FASP_SEC);
  g_assert_cmpuint (p->end.offset, !=, FASP_OFFSET_UNKNOWN);
  p->finished = TRUE;
  run (p, 3 * FASP_SEC);
  g_assert_true (p->eos);
  g_assert_cmpuint (p->end.offset, ==, p->written);
  past_free (p);
}

/* One that is half open while bytes pass that nobody gets hears where it begins. */
static void
test_pass (void)
{
  for (guint delay = 0; delay < 40; delay += 3) {
    Past *p = past_new (delay + 1);
    FaspEndpointConfig c = sender_config (), last = receiver_config ();

    wire (p, VNET_A, VNET_H, 100 * FASP_MSEC, 0);
    c.wait_for_connection = FALSE;
    p->source = attach (p, VNET_A, &c);
    run (p, delay * FASP_MSEC);
    p->last = attach (p, VNET_H, &last);
    dial (p, p->last, VNET_A);
    run (p, FASP_SEC);
    g_assert_cmpuint (p->first, >, BITRATE / 8 / 20);
    run_to_end (p);
    g_assert_cmpuint (p->discontinuities, ==, 0);
    past_free (p);
  }
}

/* Whatever a receiver says that it wants: a block that is kept, or the next. */
static void
test_wants (void)
{
  static const struct
  {
    guint8 origin;              /* 0: that of the sender, or filled with this */
    FaspJoin join;
    guint32 back_ms;
    guint64 offset, first;
  } table[] = {
    {0, FASP_JOIN_LIVE, 0, 0, 0},
    {0, FASP_JOIN_LIVE, 0, 1, 0},
    {0, FASP_JOIN_LIVE, 0, CHUNK * 100, CHUNK * 100},
    {0, FASP_JOIN_LIVE, 0, G_MAXUINT64, G_MAXUINT64},
    {0, FASP_JOIN_LIVE, 0, G_MAXUINT64 - 1, G_MAXUINT64},
    {0, FASP_JOIN_LIVE, 0, FASP_OFFSET_MAX, G_MAXUINT64},
    {0, FASP_JOIN_BACK, 0, FASP_OFFSET_MAX + 1, 0},
    {7, FASP_JOIN_LIVE, 0, 5, G_MAXUINT64},
    {7, FASP_JOIN_BACK, 0, 5, 0},
    {7, FASP_JOIN_BACK, G_MAXUINT32, 5, 0},
    {7, 99, 0, 5, G_MAXUINT64},
    {7, FASP_JOIN_KEY_FRAME, 0, 5, G_MAXUINT64},
  };
  Past *p = past_new (6);
  FaspEndpointConfig c = sender_config ();

  c.wait_for_connection = FALSE;
  c.history = 100 * FASP_SEC;
  p->source = attach (p, VNET_A, &c);
  run (p, 3 * FASP_SEC);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    FaspWants wants = {.join = table[i].join,.back_ms = table[i].back_ms };
    guint8 bytes[FASP_OPEN_SIZE];
    FaspWriter w = { bytes, sizeof bytes };
    FaspHello said = {.role = FASP_ROLE_RECEIVER,.cid = 1 }, heard;
    guint64 start, head = fasp_store_seal (p->source->store);
    FaspStreamOffset place;

    wants.from = fasp_store_get_next_offset (p->source->store);
    if (table[i].origin > 0)
      memset (wants.from.origin.bytes, table[i].origin, FASP_ORIGIN_SIZE);
    wants.from.offset = table[i].offset;
    said.wants = wants;
    fasp_wire_write_hello (&w, &said);
    g_assert_true (fasp_wire_parse_hello (bytes, w.used, &heard));
    start = fasp_history_choose (p->source, vnet_get_time (p->net),
        &heard.wants);
    place = fasp_store_get_offset_of (p->source->store, start);
    if (table[i].first == G_MAXUINT64) {
      g_assert_cmpuint (start, ==, head);
    } else {
      g_assert_cmpuint (place.offset, <=, table[i].first);
      g_assert_cmpuint (place.offset + fasp_store_get (p->source->store,
              start)->size, >, table[i].first);
    }
  }
  past_free (p);
}

/* A relay that keeps what passes hears whose stream it is while its first receiver is half
 * open: from the first byte on it is that stream.  A real run found it otherwise. */
static void
test_half_open (void)
{
  for (guint delay = 0; delay < 160; delay += 4) {
    Past *p = past_new (delay + 1);
    FaspEndpointConfig c = sender_config (), last = receiver_config ();
    FaspStreamOffset place = {.known = TRUE };

    wire (p, VNET_A, VNET_H, 100 * FASP_MSEC, 0);
    c.wait_for_connection = FALSE;
    c.history = 60 * FASP_SEC;
    c.join = FASP_JOIN_BACK;
    p->source = attach (p, VNET_A, &c);
    p->last = attach (p, VNET_H, &last);
    dial (p, p->last, VNET_A);
    vnet_run (p->net, vnet_get_time (p->net) + delay * FASP_MSEC);
    memset (place.origin.bytes, 0x11, FASP_ORIGIN_SIZE);
    g_assert_true (fasp_endpoint_set_stream_offset (p->source,
            vnet_get_time (p->net), media_time_of (p, 0), &place));
    while (p->read == 0)
      step (p);
    g_assert_true (fasp_origin_equal (&p->end.origin, &place.origin));
    run (p, FASP_SEC);
    g_assert_cmpuint (p->first, ==, 0);
    run_to_end (p);
    g_assert_cmpuint (p->discontinuities, ==, 0);
    past_free (p);
  }
}

/* Who is moved over the mark of another stream hears whose it is all the same. */
static void
test_skip_origin (void)
{
  Past *p = past_new (8);
  FaspEndpointConfig c = sender_config (), last = receiver_config ();
  FaspStreamOffset place = {.known = TRUE };

  wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, 0);
  c.slow_policy = FASP_SLOW_SKIP;
  c.buffer_size = 512 * 1024;
  p->source = attach (p, VNET_A, &c);
  p->last = attach (p, VNET_H, &last);
  dial (p, p->last, VNET_A);
  run (p, FASP_SEC);
  /* nothing comes through for longer than the store holds */
  wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, 1);
  run (p, 200 * FASP_MSEC);
  memset (place.origin.bytes, 0x22, FASP_ORIGIN_SIZE);
  place.offset = p->written;
  g_assert_true (fasp_endpoint_set_stream_offset (p->source,
          vnet_get_time (p->net), media_time_of (p, p->written), &place));
  run (p, 4 * FASP_SEC);
  wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, 0);
  run (p, 2 * FASP_SEC);
  g_assert_true (fasp_origin_equal (&p->end.origin, &place.origin));
  p->finished = TRUE;
  run (p, 2 * FASP_SEC);
  g_assert_true (p->eos);
  g_assert_cmpuint (p->end.offset, ==, p->written);
  past_free (p);
}

static const Join joins[] = {
  {FASP_JOIN_ANY, FASP_JOIN_ANY, 0, 0, 0, 8000},
  {FASP_JOIN_LIVE, FASP_JOIN_ANY, 0, 10 * FASP_SEC, 0, 6000},
  {FASP_JOIN_KEY_FRAME, FASP_JOIN_ANY, 0, 0, -1, 0},
  {FASP_JOIN_KEY_FRAME, FASP_JOIN_LIVE, 0, 0, 0, 6000},
  {FASP_JOIN_LIVE, FASP_JOIN_KEY_FRAME, 0, 10 * FASP_SEC, -1, 0},
  {FASP_JOIN_LIVE, FASP_JOIN_KEY_FRAME, 0, 0, 0, 8000},
  {FASP_JOIN_BACK, FASP_JOIN_ANY, 0, 2 * FASP_SEC, BITRATE / 8 * 2, 10000},
  {FASP_JOIN_LIVE, FASP_JOIN_BACK, 1000, 3 * FASP_SEC, BITRATE / 8, 10000},
  {FASP_JOIN_LIVE, FASP_JOIN_BACK, G_MAXUINT32, 3 * FASP_SEC, BITRATE / 8 * 3,
      10000},
  {FASP_JOIN_LIVE, FASP_JOIN_BACK, 0, 3 * FASP_SEC, BITRATE / 8 * 3, 10000},
};

static void
add_seeds (const gchar * path, guint n, GTestDataFunc test)
{
  for (guint seed = 1; seed <= n; seed++) {
    g_autofree gchar *name = g_strdup_printf ("%s/%u", path, seed);

    g_test_add_data_func (name, GUINT_TO_POINTER (seed), test);
  }
}

/* A receiver goes, by a goodbye or without one, while the sink waits for it with a full
 * store; it comes back and goes on where it stood: without history nobody is in the past. */
static void
test_come_back (gconstpointer data)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
  guint64 got;

  a.buffer_size = 1 << 20;
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  if (GPOINTER_TO_INT (data))
    fasp_endpoint_close (n->nodes[VNET_B].endpoint, vnet_get_time (n->net),
        FASP_REASON_STOPPED);
  vcast_run (n, FASP_SEC);
  got = n->nodes[VNET_B].read;
  vcast_leave (n, VNET_B);
  vcast_run (n, 6 * FASP_SEC);
  g_assert_cmpuint (n->held, >, 0);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (vcast_get_session (n, VNET_A).delivery.skipped, ==, 0);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_SKIPPED], ==, 0);
  /* not behind what was delivered; what was on its way back may come again */
  g_assert_cmpint (n->nodes[VNET_B].origin, <=, got);
  g_assert_cmpint (n->nodes[VNET_B].origin, >, 0);
  vcast_free (n);
}

/* A key frame's mark was the last thing that came, and is read when the session is over:
 * that it can go now is due at once. */
static void
test_last_mark (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  FaspEndpoint *e;
  FaspTime now;

  a.join = FASP_JOIN_KEY_FRAME;
  b.reconnect = FALSE;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  n->bitrate = 0;
  vcast_run (n, FASP_SEC);
  n->nodes[VNET_B].stopped = TRUE;
  now = vnet_get_time (n->net);
  fasp_endpoint_begin_key_frame (n->nodes[VNET_A].endpoint, now, now, FALSE);
  vcast_run (n, FASP_SEC / 5);
  fasp_endpoint_close (n->nodes[VNET_A].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  vcast_run (n, 5 * FASP_SEC);
  e = n->nodes[VNET_B].endpoint;
  now = vnet_get_time (n->net);
  g_assert_true (fasp_endpoint_can_read (e));
  g_assert_null (fasp_endpoint_read (e, now));
  g_assert_cmpint (fasp_endpoint_get_timeout (e), <=, now);
  n->nodes[VNET_B].stopped = FALSE;
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_REMOVED], ==, 1);
  vcast_free (n);
}

/* One peer refuses, the other is not there yet: that is not to be refused by both. */
static void
test_refused_and_silent (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER), c;
  guint serial = 0, now;

  fasp_endpoint_config_init (&c, FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);
  b.peers = 2;
  vnet_get_wire (n->net, VNET_B, VNET_C)->delay =
      vnet_get_wire (n->net, VNET_C, VNET_B)->delay = VCAST_RTT / 2;
  vcast_join (n, VNET_C, &c, VNET_C);
  vcast_join (n, VNET_B, &b, VNET_C);
  for (guint i = 0; i < 400; i++) {
    guint peer = fasp_endpoint_get_wanted_peer (n->nodes[VNET_B].endpoint,
        &now);

    if (now != serial) {
      FaspAddress address = vnet_get_address (peer == 0 ? VNET_C : VNET_A);

      serial = now;
      fasp_endpoint_dial (n->nodes[VNET_B].endpoint, vnet_get_time (n->net),
          &address);
    }
    if (i == 160)
      vcast_join (n, VNET_A, &a, VNET_B);
    vcast_run (n, 50 * FASP_MSEC);
  }
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_free (n);
}

/* None of several peers answers, and the network may say so of each: that is reported once, and each time
 * that the stream is lost. */
static void
test_none_answers (gconstpointer refused)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  VCastNode *node = &n->nodes[VNET_B];
  FaspAddress peers[] = { vnet_get_address (VNET_A),
    vnet_get_address (VNET_C)
  };
  guint serial = 0, now;

  b.peers = 2;
  b.resume_timeout = 5 * FASP_SEC;
  vcast_join (n, VNET_B, &b, VNET_A);
  for (guint i = 0; i < 500; i++) {
    guint peer = fasp_endpoint_get_wanted_peer (node->endpoint, &now);

    if (now != serial)
      fasp_endpoint_dial (node->endpoint, vnet_get_time (n->net), &peers[peer]);
    serial = now;
    vcast_run (n, 50 * FASP_MSEC);
    if (refused && n->nodes[VNET_A].endpoint == NULL)
      fasp_endpoint_unreachable (node->endpoint, vnet_get_time (n->net),
          &peers[peer]);
    if (i == 38)                /* nearly two seconds */
      g_assert_cmpuint (node->events[FASP_EVENT_UNANSWERED], ==, 0);
    if (i == 100) {
      g_assert_cmpuint (node->events[FASP_EVENT_UNANSWERED], ==, 1);
      g_assert_cmpuint (node->last[FASP_EVENT_UNANSWERED].address.len, >, 0);
      vcast_join (n, VNET_A, &a, VNET_B);
    }
    if (i == 200) {
      g_assert_cmpuint (node->events[FASP_EVENT_CONNECTED], ==, 1);
      g_assert_cmpuint (node->events[FASP_EVENT_UNANSWERED], ==, 1);
      vcast_leave (n, VNET_A);
    }
  }
  g_assert_cmpuint (node->events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpuint (node->events[FASP_EVENT_UNANSWERED], ==, 2);
  vcast_free (n);
}

/* A sink calls a receiver that is not there yet. Where the receiver begins is what
 * holds when it answers, not what held when the sink began to call. */
static void
test_call_early (gconstpointer data)
{
  FaspJoin join = GPOINTER_TO_INT (data);
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_LISTENER);
  guint64 written;

  a.wait_for_connection = FALSE;
  a.history = 60 * FASP_SEC;
  a.join = join;
  a.join_back_ms = 2000;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 15 * FASP_SEC);
  written = n->written;
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpint (n->nodes[VNET_B].origin, >=, written - n->bitrate / 8 *
      (join == FASP_JOIN_BACK ? 3 : 1));
  g_assert_cmpuint (vcast_get_session (n, VNET_A).delivery.skipped, ==, 0);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_SKIPPED], ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).bytes_missing, ==, 0);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* Who joined in the past, and is moved ahead from there when there is no room, is not
 * reported as one that does not keep up. Who stays behind after that is. */
static void
test_past_is_not_slow (void)
{
  VCast *n = vcast_new (1);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);

  a.wait_for_connection = FALSE;
  a.history = 60 * FASP_SEC;
  a.buffer_size = 2 << 20;
  a.slow_policy = FASP_SLOW_SKIP;
  a.max_bitrate = n->bitrate / 4;
  a.latency_ms = 60000;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  b.join = FASP_JOIN_BACK;
  vcast_join (n, VNET_B, &b, VNET_A);
  while (vcast_get_session (n, VNET_A).delivery.skipped == 0)
    vcast_run (n, FASP_SEC / 10);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_SKIPPED], ==, 0);
  while (n->nodes[VNET_A].events[FASP_EVENT_SKIPPED] == 0)
    vcast_run (n, FASP_SEC / 10);
  vcast_free (n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_seeds ("/past/chain", 20, test_chain);
  add_seeds ("/past/gap-in-chain", 6, test_gap_in_chain);
  g_test_add_data_func ("/past/none-answers/silent", NULL, test_none_answers);
  g_test_add_data_func ("/past/none-answers/refused", GINT_TO_POINTER (TRUE),
      test_none_answers);
  g_test_add_func ("/past/new-origin", test_new_origin);
  g_test_add_func ("/past/key-in-chain", test_key_in_chain);
  add_seeds ("/past/move", 24, test_move);
  g_test_add_func ("/past/move-behind", test_move_behind);
  add_seeds ("/past/move-too-late", 5, test_move_too_late);
  g_test_add_func ("/past/move-back", test_move_back);
  for (guint i = 0; i < G_N_ELEMENTS (joins); i++) {
    g_autofree gchar *name = g_strdup_printf ("/past/join/%u", i);

    g_test_add_data_func (name, &joins[i], test_join);
  }
  g_test_add_data_func ("/past/bounded/wait",
      GUINT_TO_POINTER (FASP_SLOW_WAIT), test_bounded);
  g_test_add_data_func ("/past/bounded/drop",
      GUINT_TO_POINTER (FASP_SLOW_DROP_RECEIVER), test_bounded);
  g_test_add_func ("/past/slow-past", test_slow_past);
  g_test_add_func ("/past/wants", test_wants);
  g_test_add_data_func ("/past/join-finished/back",
      GUINT_TO_POINTER (FASP_JOIN_BACK), test_join_finished);
  g_test_add_data_func ("/past/join-finished/live",
      GUINT_TO_POINTER (FASP_JOIN_LIVE), test_join_finished);
  add_seeds ("/past/given-up", 4, test_given_up);
  g_test_add_func ("/past/pass", test_pass);
  g_test_add_func ("/past/half-open", test_half_open);
  g_test_add_data_func ("/past/come-back/goodbye", GINT_TO_POINTER (TRUE),
      test_come_back);
  g_test_add_data_func ("/past/come-back/silent", GINT_TO_POINTER (FALSE),
      test_come_back);
  g_test_add_func ("/past/last-mark", test_last_mark);
  g_test_add_func ("/past/refused-and-silent", test_refused_and_silent);
  g_test_add_func ("/past/skip-origin", test_skip_origin);
  g_test_add_data_func ("/past/call-early/live",
      GINT_TO_POINTER (FASP_JOIN_LIVE), test_call_early);
  g_test_add_data_func ("/past/call-early/any",
      GINT_TO_POINTER (FASP_JOIN_ANY), test_call_early);
  g_test_add_data_func ("/past/call-early/back",
      GINT_TO_POINTER (FASP_JOIN_BACK), test_call_early);
  g_test_add_func ("/past/not-slow", test_past_is_not_slow);
  return g_test_run ();
}
