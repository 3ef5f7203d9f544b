/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header of a stream, for who joins in the middle: its parts, when it is said, and
 * streams in virtual time, through a relay as faspsrc ! faspsink is one.
 *
 * A stream is of units, a third of a second each, of which some can be decoded without what
 * was before.  Whatever is lost, who joins reads the header and then the stream from one of
 * those on.
 */
#include <string.h>
#include "faspendpointprivate.h"
#include "faspstreamheader.h"
#include "faspposition.h"
#include "vcast.h"

#define UNIT (FASP_SEC / 3)
#define UNIT_SIZE 30000
#define STEP (5 * FASP_MSEC)

/* --- parts ---------------------------------------------------------------------- */

static GBytes *
make_header (gsize size)
{
  guint8 *bytes = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    bytes[i] = i * 7 + i / 256;
  return g_bytes_new_take (bytes, size);
}

static FaspBlock *
make_mark (const guint8 * bytes, gsize size, guint32 room, guint i)
{
  FaspBlock *block = fasp_block_new (room);

  block->flags = FASP_BLOCK_MARK;
  block->size =
      fasp_stream_header_write_part (block->data, room, bytes, size, i);
  return block;
}

/* Feeds part @i; the whole of it, or NULL. */
static FaspBlock *
feed (FaspStreamHeaderParts * parts, GBytes * header, guint32 room, guint i,
    guint8 flags)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (header, &size);
  FaspBlock *mark = make_mark (bytes, size, room, i), *whole;

  mark->flags |= flags;
  g_assert_cmpuint (mark->size, <=, room);
  whole = fasp_stream_header_parts_take (parts, mark);
  fasp_block_unref (mark);
  return whole;
}

static gboolean
is_whole (const FaspBlock * block, GBytes * header)
{
  gsize size;
  gconstpointer bytes = g_bytes_get_data (header, &size);

  return block->flags == FASP_BLOCK_HEADER && block->size == size
      && (size == 0 || memcmp (block->data, bytes, size) == 0);
}

static void
test_parts (void)
{
  static const gsize sizes[] =
      { 0, 1, 94, 95, 96, 190, 1000, FASP_STREAM_HEADER_MAX };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (GBytes) header = make_header (sizes[i]);
    guint n = fasp_stream_header_count_parts (sizes[i], 100);
    FaspStreamHeaderParts parts = { 0 };
    FaspBlock *whole;

    g_assert_cmpuint (n, ==, MAX (1, (sizes[i] + 94) / 95));
    for (guint j = 0; j + 1 < n; j++)
      g_assert_null (feed (&parts, header, 100, j, 0));
    whole = feed (&parts, header, 100, n - 1, 0);
    g_assert_nonnull (whole);
    g_assert_true (is_whole (whole, header));
    fasp_block_unref (whole);
    fasp_stream_header_parts_clear (&parts);
  }
}

/* Of one of which a part did not come nothing comes; the next is whole again. */
static void
test_parts_missing (void)
{
  g_autoptr (GBytes) header = make_header (300), other = make_header (299);
  FaspStreamHeaderParts parts = { 0 };
  FaspBlock *whole;

  g_assert_null (feed (&parts, header, 105, 1, 0));
  g_assert_null (feed (&parts, header, 105, 2, 0));
  g_assert_null (feed (&parts, header, 105, 0, 0));
  g_assert_null (feed (&parts, header, 105, 2, FASP_BLOCK_DISCONT));
  g_assert_null (feed (&parts, header, 105, 0, 0));
  g_assert_null (feed (&parts, header, 105, 1, 0));
  /* the last of another one, and the first two of that were lost */
  g_assert_null (feed (&parts, other, 105, 2, FASP_BLOCK_DISCONT));
  for (guint i = 0; i < 2; i++)
    g_assert_null (feed (&parts, other, 105, i, 0));
  whole = feed (&parts, other, 105, 2, 0);
  g_assert_nonnull (whole);
  g_assert_true (is_whole (whole, other));
  fasp_block_unref (whole);
  fasp_stream_header_parts_clear (&parts);
}

/* What nobody of good will sends: no more than the limit is kept. */
static void
test_parts_hostile (void)
{
  static const guint8 none[] = { FASP_MARK_HEADER, 0, 0, 0, 0 };
  static const guint8 beyond[] = { FASP_MARK_HEADER, 0, 5, 0, 3, 1 };
  static const guint8 cut[] = { FASP_MARK_HEADER, 0, 0, 1 };
  static const guint8 *const marks[] = { none, beyond, cut };
  static const guint32 sizes[] = { sizeof none, sizeof beyond, sizeof cut };
  FaspStreamHeaderParts parts = { 0 };
  FaspBlock *mark;

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++) {
    mark = fasp_block_new (sizes[i]);
    memcpy (mark->data, marks[i], mark->size = sizes[i]);
    g_assert_null (fasp_stream_header_parts_take (&parts, mark));
    g_assert_null (parts.bytes);
    fasp_block_unref (mark);
  }
  mark = fasp_block_new (1000);
  mark->size = 1000;
  for (guint i = 0; i < G_MAXUINT16; i++) {
    const guint8 begin[] = { FASP_MARK_HEADER, i >> 8, i, 0xff, 0xff };

    memcpy (mark->data, begin, sizeof begin);
    g_assert_null (fasp_stream_header_parts_take (&parts, mark));
    g_assert_true (parts.bytes == NULL
        || parts.bytes->len <= FASP_STREAM_HEADER_MAX);
  }
  fasp_block_unref (mark);
  fasp_stream_header_parts_clear (&parts);
}

/* --- when it is said ------------------------------------------------------------- */

static void
test_due (void)
{
  g_autoptr (GBytes) bytes = make_header (1000);
  FaspStreamHeader header = { 0 };
  FaspTime now = 5 * FASP_SEC;

  g_assert_false (fasp_stream_header_is_due (&header, now, TRUE));
  fasp_stream_header_set (&header, now, NULL);
  g_assert_false (fasp_stream_header_is_due (&header, now, TRUE));
  fasp_stream_header_set (&header, now, bytes);
  g_assert_true (fasp_stream_header_is_due (&header, now, FALSE));
  fasp_stream_header_said (&header, now, 0);
  header.passed = 90000;        /* more than a hundredth it is not */
  g_assert_false (fasp_stream_header_is_due (&header, now + 60 * FASP_SEC,
          TRUE));
  header.passed = 200000;
  g_assert_true (fasp_stream_header_is_due (&header, now, TRUE));
  g_assert_false (fasp_stream_header_is_due (&header, now + 9 * FASP_SEC,
          FALSE));
  g_assert_true (fasp_stream_header_is_due (&header, now + 10 * FASP_SEC,
          FALSE));
  /* whoever lacks it, but not for all who come at once */
  header.passed = 0;
  fasp_stream_header_want (&header);
  g_assert_false (fasp_stream_header_is_due (&header, now + FASP_SEC - 1,
          TRUE));
  g_assert_true (fasp_stream_header_is_due (&header, now + FASP_SEC, FALSE));
  /* nobody waits for none */
  fasp_stream_header_set (&header, now, NULL);
  fasp_stream_header_want (&header);
  g_assert_false (fasp_stream_header_is_due (&header, now + FASP_SEC, TRUE));
}

/* --- streams ------------------------------------------------------------------------ */

typedef struct
{
  GBytes *header;               /* of the stream, by now; not owned */
  guint units, key_every;       /* units so far; one of so many can be decoded alone */
  guint64 written;              /* of this unit and those before */
  GHashTable *entries;          /* offsets at which one that can begins */
} Source;

typedef struct
{
  FaspEndpoint *in, *out;
  gboolean enters;
} Relay;

typedef struct
{
  Vnet *net;
  FaspEndpoint *sender, *reader;
  Source source;
  Relay relay;
  GBytes *got;                  /* the header that came before the first byte */
  guint headers, enters;
  guint64 first, next;          /* offsets */
  gboolean gaps;                /* bytes may be missing */
} Sim;

static Sim *
sim_new (guint32 seed, gsize header_size, guint key_every)
{
  Sim *sim = g_new0 (Sim, 1);

  sim->net = vnet_new (seed);
  sim->source.header = make_header (header_size);
  sim->source.key_every = key_every;
  sim->source.entries = g_hash_table_new_full (g_int64_hash, g_int64_equal,
      g_free, NULL);
  sim->first = FASP_OFFSET_UNKNOWN;
  return sim;
}

static void
sim_free (Sim * sim)
{
  for (guint i = 0; i < VNET_NODES; i++)
    vnet_attach (sim->net, i, NULL);
  fasp_endpoint_free (sim->sender);
  fasp_endpoint_free (sim->reader);
  fasp_endpoint_free (sim->relay.in);
  fasp_endpoint_free (sim->relay.out);
  g_clear_pointer (&sim->source.header, g_bytes_unref);
  g_clear_pointer (&sim->got, g_bytes_unref);
  g_hash_table_unref (sim->source.entries);
  vnet_free (sim->net);
  g_free (sim);
}

static FaspEndpoint *
attach (Sim * sim, VnetSide side, const FaspEndpointConfig * c)
{
  FaspEndpoint *endpoint = fasp_endpoint_new (c, vnet_random, sim->net);

  vnet_attach (sim->net, side, endpoint);
  return endpoint;
}

static FaspEndpointConfig
sender_config (void)
{
  FaspEndpointConfig c;

  fasp_endpoint_config_init (&c, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  c.max_bitrate = 8000000;
  c.latency_ms = 300;
  c.wait_for_connection = FALSE;
  return c;
}

static FaspEndpoint *
dial (Sim * sim, VnetSide from, VnetSide to, FaspJoin join)
{
  FaspAddress address = vnet_get_address (to);
  FaspEndpointConfig c;
  FaspEndpoint *endpoint;

  fasp_endpoint_config_init (&c, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  c.latency_ms = 300;
  c.join = join;
  endpoint = attach (sim, from, &c);
  fasp_endpoint_dial (endpoint, vnet_get_time (sim->net), &address);
  return endpoint;
}

static void
write_units (Sim * sim, FaspTime now)
{
  Source *s = &sim->source;

  for (; s->units * UNIT <= now; s->units++) {
    g_autofree guint8 *data = g_malloc (UNIT_SIZE);

    if (s->units % s->key_every == 0) {
      g_hash_table_add (s->entries, g_memdup2 (&s->written, sizeof (guint64)));
      fasp_endpoint_begin_key_frame (sim->sender, now, now, s->key_every == 1);
    }
    for (guint i = 0; i < UNIT_SIZE; i++)
      data[i] = vcast_byte_at (s->written + i);
    g_assert_cmpuint (fasp_endpoint_write (sim->sender, now, now, data,
            UNIT_SIZE, NULL), ==, UNIT_SIZE);
    s->written += UNIT_SIZE;
  }
}

static void
run_relay (Relay * r, FaspTime now)
{
  FaspBlock *block;
  FaspEvent event;

  if (r->in == NULL)
    return;
  while (fasp_endpoint_poll_event (r->in, &event)
      || fasp_endpoint_poll_event (r->out, &event));
  while ((block = fasp_endpoint_read (r->in, now)) != NULL) {
    FaspStreamOffset place = fasp_endpoint_get_stream_offset (r->in);

    if (block->flags & FASP_BLOCK_HEADER) {
      g_autoptr (GBytes) bytes = g_bytes_new (block->data, block->size);

      r->enters |= (block->flags & FASP_BLOCK_ENTER) != 0;
      fasp_endpoint_set_header (r->out, now, bytes);
    } else {
      place.offset = block->offset;
      g_assert_true (fasp_endpoint_set_stream_offset (r->out, now,
              block->media_time, &place));
      if (r->enters || (block->flags & FASP_BLOCK_KEY))
        fasp_endpoint_begin_key_frame (r->out, now, block->media_time, FALSE);
      r->enters = FALSE;
      g_assert_cmpuint (fasp_endpoint_write (r->out, now, block->media_time,
              block->data, block->size, NULL), ==, block->size);
    }
    fasp_block_unref (block);
  }
}

static void
read_stream (Sim * sim, FaspTime now)
{
  FaspBlock *block;
  FaspEvent event;

  while (fasp_endpoint_poll_event (sim->reader, &event))
    g_assert_true (sim->gaps || event.type != FASP_EVENT_GAP);
  while ((block = fasp_endpoint_read (sim->reader, now)) != NULL) {
    if (block->flags & FASP_BLOCK_HEADER) {
      sim->headers++;
      if (block->flags & FASP_BLOCK_ENTER) {
        /* nothing came before it */
        g_assert_cmpuint (sim->first, ==, FASP_OFFSET_UNKNOWN);
        sim->enters++;
        g_clear_pointer (&sim->got, g_bytes_unref);
        sim->got = g_bytes_new (block->data, block->size);
      }
    } else {
      if (sim->first == FASP_OFFSET_UNKNOWN)
        sim->first = sim->next = block->offset;
      if (sim->gaps)
        sim->next = block->offset;
      g_assert_cmpuint (block->offset, ==, sim->next);
      for (guint i = 0; i < block->size; i++)
        g_assert_cmpuint (block->data[i], ==,
            vcast_byte_at (block->offset + i));
      sim->next += block->size;
    }
    fasp_block_unref (block);
  }
}

static void
run (Sim * sim, FaspTime span)
{
  FaspTime until = vnet_get_time (sim->net) + span;

  while (vnet_get_time (sim->net) < until) {
    FaspTime now = vnet_get_time (sim->net) + STEP;
    FaspEvent event;

    vnet_run (sim->net, now);
    while (fasp_endpoint_poll_event (sim->sender, &event));
    write_units (sim, now);
    run_relay (&sim->relay, now);
    if (sim->reader != NULL)
      read_stream (sim, now);
  }
}

static void
wire (Sim * sim, VnetSide a, VnetSide b, gdouble loss)
{
  for (guint i = 0; i < 2; i++) {
    ImpairConfig *w = vnet_get_wire (sim->net, i ? b : a, i ? a : b);

    w->delay = 25 * FASP_MSEC;
    w->loss = loss;
  }
}

static void
assert_entered (Sim * sim)
{
  g_assert_cmpuint (sim->enters, ==, 1);
  g_assert_nonnull (sim->got);
  g_assert_true (g_bytes_equal (sim->got, sim->source.header));
  g_assert_true (g_hash_table_contains (sim->source.entries, &sim->first));
}

/* A sender at A, and a wire from there to B. */
static void
begin (Sim * sim, const FaspEndpointConfig * c, gdouble loss)
{
  sim->sender = attach (sim, VNET_A, c);
  fasp_endpoint_set_header (sim->sender, 0, sim->source.header);
  wire (sim, VNET_A, VNET_B, loss);
}

/* So much of what A sends to B is lost for @span, and nothing any more. */
static void
run_lossy (Sim * sim, gdouble loss, FaspTime span)
{
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = loss;
  run (sim, span);
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 0;
}

typedef struct
{
  const gchar *name;
  gdouble loss;
  gsize header;
  guint key_every;
  FaspJoin sender_join, join;
  FaspTime by;                  /* then it reads, at the latest */
  FaspTime history;             /* of the sender, */
  gsize buffer;                 /* in so many bytes; 0: the usual */
} Join;

static const Join joins[] = {
  {"keys", .05, 700, 6, FASP_JOIN_ANY, FASP_JOIN_ANY, 2500 * FASP_MSEC},
  {"each", .05, 4500, 1, FASP_JOIN_ANY, FASP_JOIN_ANY, 900 * FASP_MSEC},
  {"large", .02, 60000, 3, FASP_JOIN_ANY, FASP_JOIN_LIVE, 2 * FASP_SEC},
  /* begins at one that is kept, at once */
  {"kept", .02, 700, 30, FASP_JOIN_KEY_FRAME, FASP_JOIN_ANY, 500 * FASP_MSEC},
  /* more than there is room for beside what is kept */
  {"history", .02, 200000, 6, FASP_JOIN_ANY, FASP_JOIN_ANY, 3 * FASP_SEC,
      600 * FASP_SEC, 1 << 20},
  {"kept-asked", .02, 700, 30, FASP_JOIN_KEY_FRAME, FASP_JOIN_KEY_FRAME,
      500 * FASP_MSEC},
};

static void
test_join (gconstpointer data)
{
  const Join *join = data;

  for (guint32 seed = 1; seed <= 10; seed++) {
    Sim *sim = sim_new (seed, join->header, join->key_every);
    FaspEndpointConfig c = sender_config ();

    c.join = join->sender_join;
    c.history = join->history;
    if (join->buffer > 0)
      c.buffer_size = join->buffer;
    begin (sim, &c, join->loss);
    run (sim, 15 * FASP_SEC + seed * 77 * FASP_MSEC);
    sim->reader = dial (sim, VNET_B, VNET_A, join->join);
    run (sim, join->by);
    assert_entered (sim);
    run (sim, 30 * FASP_SEC);
    assert_entered (sim);
    g_assert_cmpuint (sim->next, >, sim->source.written - 2 * UNIT_SIZE);
    sim_free (sim);
  }
}

/* Who was there from the beginning has had it: it is told, for who relays, and that is all. */
static void
test_beginning (void)
{
  Sim *sim = sim_new (1, 700, 6);
  FaspEndpointConfig c = sender_config ();

  c.wait_for_connection = TRUE;
  sim->sender = attach (sim, VNET_A, &c);
  wire (sim, VNET_A, VNET_B, .02);
  sim->source.units = G_MAXUINT;        /* nothing yet */
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, FASP_SEC);
  sim->source.units = vnet_get_time (sim->net) / UNIT;
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net),
      sim->source.header);
  run (sim, 60 * FASP_SEC);
  g_assert_cmpuint (sim->first, ==, 0);
  g_assert_cmpuint (sim->enters, ==, 0);
  /* a hundredth of the stream at most, every ten seconds */
  g_assert_cmpuint (sim->headers, >=, 4);
  g_assert_cmpuint (sim->headers, <=, 7);
  sim_free (sim);
}

/* A relay that was there from the beginning, or that joined; and who joins it, late. */
static void
test_relay (gconstpointer data)
{
  gboolean late = GPOINTER_TO_INT (data);

  for (guint32 seed = 1; seed <= 10; seed++)
    for (guint key_every = 1; key_every <= 6; key_every += 5) {
      Sim *sim = sim_new (seed, 3000, key_every);
      FaspEndpointConfig c = sender_config ();

      begin (sim, &c, .02);
      wire (sim, VNET_C, VNET_D, .02);
      if (late)
        run (sim, 7 * FASP_SEC);
      sim->relay.in = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
      sim->relay.out = attach (sim, VNET_C, &c);
      run (sim, 8 * FASP_SEC + seed * 77 * FASP_MSEC);
      sim->reader = dial (sim, VNET_D, VNET_C, FASP_JOIN_ANY);
      run (sim, 4 * FASP_SEC);
      assert_entered (sim);
      run (sim, 15 * FASP_SEC);
      g_assert_cmpuint (sim->next, >, sim->source.written - 2 * UNIT_SIZE);
      sim_free (sim);
    }
}

/* Who joins a relay before the second key frame of a stream that the relay has had from the
 * beginning. */
static void
test_relay_soon (void)
{
  for (guint32 seed = 1; seed <= 10; seed++) {
    Sim *sim = sim_new (seed, 3000, 12);
    FaspEndpointConfig c = sender_config ();

    sim->source.units = G_MAXUINT;      /* nothing yet */
    begin (sim, &c, .02);
    wire (sim, VNET_C, VNET_D, .02);
    sim->relay.in = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
    sim->relay.out = attach (sim, VNET_C, &c);
    run (sim, 2 * FASP_SEC);
    sim->source.units = 12;
    run (sim, 3 * FASP_SEC);
    sim->reader = dial (sim, VNET_D, VNET_C, FASP_JOIN_ANY);
    run (sim, 5 * FASP_SEC);
    assert_entered (sim);
    g_assert_cmpuint (sim->first, ==, 12 * UNIT_SIZE);
    sim_free (sim);
  }
}

/* Who waits for the first of a relay that has nothing itself yet begins where that does. */
static void
test_relay_waits (void)
{
  Sim *sim = sim_new (1, 3000, 6);
  FaspEndpointConfig c = sender_config ();

  begin (sim, &c, 0);
  wire (sim, VNET_C, VNET_D, 0);
  sim->relay.out = attach (sim, VNET_C, &c);
  sim->reader = dial (sim, VNET_D, VNET_C, FASP_JOIN_ANY);
  run (sim, 5 * FASP_SEC);
  sim->relay.in = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, 5 * FASP_SEC);
  assert_entered (sim);
  sim_free (sim);
}

/* Where nothing is sent again a part may be lost, and the next time may be better. */
static void
test_no_rtx (void)
{
  Sim *sim = sim_new (4, 4000, 3);
  FaspEndpointConfig c = sender_config ();

  c.no_rtx = TRUE;
  begin (sim, &c, 0);
  run (sim, 5 * FASP_SEC);
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, 200 * FASP_MSEC);
  g_assert_cmpuint (sim->enters, ==, 0);
  run_lossy (sim, .5, 1500 * FASP_MSEC);
  g_assert_cmpuint (sim->enters, ==, 0);
  run (sim, 15 * FASP_SEC);
  assert_entered (sim);
  sim_free (sim);
}

/* What came just before the header was lost for good: it is whole. */
static void
test_behind_gap (void)
{
  Sim *sim = sim_new (1, 4000, 3);
  FaspEndpointConfig c = sender_config ();

  c.no_rtx = TRUE;
  begin (sim, &c, 0);
  run (sim, 5100 * FASP_MSEC);
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, 200 * FASP_MSEC);
  run_lossy (sim, 1, 600 * FASP_MSEC);
  g_assert_cmpuint (sim->first, ==, FASP_OFFSET_UNKNOWN);
  run (sim, 400 * FASP_MSEC);
  assert_entered (sim);
  sim_free (sim);
}

/* Who is moved ahead of it before it has it has the next, not that of ten seconds later. */
static void
test_moved_ahead (void)
{
  Sim *sim = sim_new (1, 700, 6);
  FaspEndpointConfig c = sender_config ();

  c.slow_policy = FASP_SLOW_SKIP;
  c.buffer_size = 1 << 18;
  begin (sim, &c, 0);
  run (sim, 5100 * FASP_MSEC);
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, 400 * FASP_MSEC);
  run_lossy (sim, 1, 5 * FASP_SEC);
  g_assert_cmpuint (sim->enters, ==, 0);
  run (sim, 2500 * FASP_MSEC);
  assert_entered (sim);
  sim_free (sim);
}

/* Who is moved ahead of the first bytes, in which the header is, neither. @data: whether the header is known
 * only after it has called. */
static void
test_moved_from_first (gconstpointer data)
{
  gboolean late = GPOINTER_TO_INT (data);
  Sim *sim = sim_new (1, 700, 6);
  FaspEndpointConfig c = sender_config ();

  c.slow_policy = FASP_SLOW_SKIP;
  c.buffer_size = 1 << 18;
  if (late) {
    sim->sender = attach (sim, VNET_A, &c);
    wire (sim, VNET_A, VNET_B, 0);
  } else {
    begin (sim, &c, 0);
  }
  sim->source.units = G_MAXUINT;        /* nothing yet */
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, FASP_SEC);
  if (late)
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net),
        sim->source.header);
  sim->source.units = vnet_get_time (sim->net) / UNIT;
  run_lossy (sim, 1, 4500 * FASP_MSEC);
  g_assert_cmpuint (sim->first, ==, FASP_OFFSET_UNKNOWN);
  g_assert_cmpint (fasp_endpoint_get_header_wait (sim->sender,
          vnet_get_time (sim->net)), ==, 0);
  run (sim, 2500 * FASP_MSEC);
  assert_entered (sim);
  sim_free (sim);
}

/* Who is moved ahead of the first bytes, and is sent nothing, as no key frame comes, is known to wait: since
 * then, not since it joined. The path is not to blame. */
static void
test_moved_keyless (void)
{
  Sim *sim = sim_new (1, 700, G_MAXUINT);
  FaspEndpointConfig c = sender_config ();
  FaspTime wait;

  c.slow_policy = FASP_SLOW_SKIP;
  c.buffer_size = 1 << 18;
  sim->sender = attach (sim, VNET_A, &c);
  wire (sim, VNET_A, VNET_B, 0);
  sim->source.units = G_MAXUINT;        /* nothing yet */
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, FASP_SEC);
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net),
      sim->source.header);
  sim->source.units = vnet_get_time (sim->net) / UNIT;
  run_lossy (sim, 1, 4500 * FASP_MSEC);
  for (guint i = 0; i < 5; i++) {
    FaspAddress where;

    run (sim, FASP_SEC);
    g_assert_false (fasp_endpoint_look_for_stuck (sim->sender,
            vnet_get_time (sim->net), 2, &where));
  }
  g_assert_cmpuint (sim->first, ==, FASP_OFFSET_UNKNOWN);
  wait = fasp_endpoint_get_header_wait (sim->sender, vnet_get_time (sim->net));
  g_assert_cmpint (wait, >, 5 * FASP_SEC);
  g_assert_cmpint (wait, <, 9500 * FASP_MSEC);
  sim_free (sim);
}

/* The stream is another one that needs none, and nobody says where its key frames are: who waits
 * for one begins, and so does who comes later. */
static void
test_gone (void)
{
  Sim *sim = sim_new (1, 700, 6);
  FaspEndpointConfig c = sender_config ();

  begin (sim, &c, 0);
  run (sim, 6200 * FASP_MSEC);
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, 300 * FASP_MSEC);
  g_assert_cmpuint (sim->first, ==, FASP_OFFSET_UNKNOWN);
  sim->source.key_every = G_MAXUINT;
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
  run (sim, FASP_SEC);
  g_assert_cmpuint (sim->enters, ==, 1);
  g_assert_cmpuint (g_bytes_get_size (sim->got), ==, 0);
  g_assert_cmpuint (sim->first, !=, FASP_OFFSET_UNKNOWN);
  vnet_attach (sim->net, VNET_B, NULL);
  fasp_endpoint_free (sim->reader);
  sim->first = FASP_OFFSET_UNKNOWN;
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, FASP_SEC);
  g_assert_cmpuint (sim->first, !=, FASP_OFFSET_UNKNOWN);
  g_assert_cmpuint (sim->enters, ==, 1);
  sim_free (sim);
}

/* It is so while somebody is on the way in, and nobody else is there. */
static void
test_gone_meanwhile (void)
{
  for (guint i = 0; i < 20; i++) {
    Sim *sim = sim_new (1, 700, 6);
    FaspEndpointConfig c = sender_config ();

    begin (sim, &c, 0);
    run (sim, 6200 * FASP_MSEC);
    sim->source.key_every = G_MAXUINT;
    sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
    run (sim, i * 10 * FASP_MSEC);
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
    run (sim, FASP_SEC);
    g_assert_cmpuint (sim->first, !=, FASP_OFFSET_UNKNOWN);
    sim_free (sim);
  }
}

/* A stream has a header only from the moment on in which somebody is on the way in, who was told of none:
 * there is no part of it before the header. */
static void
test_come_meanwhile (void)
{
  guint told = 0;

  for (guint i = 0; i < 20; i++) {
    Sim *sim = sim_new (1, 700, 6);
    FaspEndpointConfig c = sender_config ();
    gboolean half;

    sim->sender = attach (sim, VNET_A, &c);
    wire (sim, VNET_A, VNET_B, 0);
    /* between key frames */
    run (sim, 6500 * FASP_MSEC);
    sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
    run (sim, i * 10 * FASP_MSEC);
    half = fasp_endpoint_get_open (sim->sender) == NULL;
    told += half && sim->sender->sessions->len > 0;
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net),
        sim->source.header);
    run (sim, 5 * FASP_SEC);
    g_assert_cmpuint (sim->next, >, sim->source.written - 2 * UNIT_SIZE);
    if (half)
      assert_entered (sim);
    sim_free (sim);
  }
  g_assert_cmpuint (told, >, 3);
}

/* The same, and the header's key frame comes before it is in, and is kept: it begins there. */
static void
test_come_kept (void)
{
  guint told = 0;

  for (guint i = 0; i < 20; i++) {
    Sim *sim = sim_new (1, 700, 6);
    FaspEndpointConfig c = sender_config ();
    gboolean half;

    c.history = 60 * FASP_SEC;
    sim->sender = attach (sim, VNET_A, &c);
    wire (sim, VNET_A, VNET_B, 0);
    /* the next key frame comes while the call is answered */
    run (sim, 8965 * FASP_MSEC);
    sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
    run (sim, i * STEP);
    half = sim->sender->sessions->len > 0
        && fasp_endpoint_get_open (sim->sender) == NULL
        && sim->source.written == 30 * UNIT_SIZE;
    told += half;
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net),
        sim->source.header);
    run (sim, 5 * FASP_SEC);
    if (half) {
      assert_entered (sim);
      g_assert_cmpuint (sim->first, ==, 30 * UNIT_SIZE);
    }
    sim_free (sim);
  }
  g_assert_cmpuint (told, >, 0);
}

/* The same, and then it has none again, or ends: nobody waits for it any more. */
static void
test_come_in_vain (gconstpointer data)
{
  gboolean ends = GPOINTER_TO_INT (data);

  for (guint i = 0; i < 20; i++) {
    Sim *sim = sim_new (1, 700, G_MAXUINT);
    FaspEndpointConfig c = sender_config ();

    sim->sender = attach (sim, VNET_A, &c);
    wire (sim, VNET_A, VNET_B, 0);
    run (sim, 6500 * FASP_MSEC);
    sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
    run (sim, i * 10 * FASP_MSEC);
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net),
        sim->source.header);
    run (sim, 2 * FASP_SEC);
    if (ends) {
      sim->source.units = G_MAXUINT;
      fasp_endpoint_finish (sim->sender, vnet_get_time (sim->net));
      run (sim, 2 * FASP_SEC);
      g_assert_true (fasp_endpoint_is_drained (sim->sender));
    } else {
      fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
      run (sim, 2 * FASP_SEC);
      g_assert_cmpuint (sim->next, >, sim->source.written - 2 * UNIT_SIZE);
    }
    sim_free (sim);
  }
}

/* Who joins in what was kept of before begins behind that. */
static void
test_gone_before (void)
{
  Sim *sim = sim_new (1, 700, 6);
  FaspEndpointConfig c = sender_config ();
  guint64 written;

  c.history = 60 * FASP_SEC;
  c.join = FASP_JOIN_BACK;
  c.join_back_ms = 1000;
  begin (sim, &c, 0);
  run (sim, 6500 * FASP_MSEC);
  sim->source.key_every = G_MAXUINT;
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
  written = sim->source.written;
  run (sim, 500 * FASP_MSEC);
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, FASP_SEC);
  g_assert_cmpuint (sim->first, ==, written);
  sim_free (sim);
}

/* Who has bytes of the stream, and is moved ahead over the word that it needs no header any
 * more, hears it again, or it would wait for one when another stream comes. */
static void
test_gone_unheard (void)
{
  Sim *sim = sim_new (1, 700, 6);
  FaspEndpointConfig c = sender_config ();
  FaspStreamOffset place = {.known = TRUE };

  c.slow_policy = FASP_SLOW_SKIP;
  c.buffer_size = 1 << 18;
  begin (sim, &c, 0);
  sim->source.units = G_MAXUINT;
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, FASP_SEC);
  sim->source.units = vnet_get_time (sim->net) / UNIT;
  run (sim, 3 * FASP_SEC);
  g_assert_cmpuint (sim->first, ==, 0);
  sim->gaps = TRUE;
  sim->source.key_every = G_MAXUINT;
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 1;
  run (sim, 100 * FASP_MSEC);
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
  run (sim, 5 * FASP_SEC);
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 0;
  run (sim, 2 * FASP_SEC);
  memset (place.origin.bytes, 0x22, FASP_ORIGIN_SIZE);
  place.offset = sim->source.written;
  g_assert_true (fasp_endpoint_set_stream_offset (sim->sender,
          vnet_get_time (sim->net), vnet_get_time (sim->net), &place));
  run (sim, 2 * FASP_SEC);
  g_assert_cmpuint (sim->next, >, place.offset);
  sim_free (sim);
}

/* Who says each time that it has passed over more has it said no more often for that. */
static void
test_gone_hostile (void)
{
  Sim *sim = sim_new (1, 700, 6);
  FaspEndpointConfig c = sender_config ();
  FaspSession *session;
  guint64 head;

  c.history = 60 * FASP_SEC;
  c.join = FASP_JOIN_BACK;
  c.join_back_ms = 1000;
  begin (sim, &c, 0);
  run (sim, 6500 * FASP_MSEC);
  sim->source.key_every = G_MAXUINT;
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  do
    run (sim, STEP);
  while ((session = fasp_endpoint_get_open (sim->sender)) == NULL);
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 1;
  g_assert_cmpint (session->lacks_header_since, >, 0);
  sim->source.units = G_MAXUINT;
  head = fasp_store_get_head (sim->sender->store);
  for (guint i = 0; i < 300; i++) {
    session->tx.skips_told++;
    run (sim, 10 * FASP_MSEC);
  }
  g_assert_cmpuint (fasp_store_get_head (sim->sender->store) - head, <=, 4);
  sim_free (sim);
}

/* Who is called again may be another one, that has nothing. */
static void
test_called_again (void)
{
  Sim *sim = sim_new (1, 100000, 6);
  FaspEndpointConfig c, r;
  FaspAddress address = vnet_get_address (VNET_B);

  fasp_endpoint_config_init (&c, FASP_ROLE_SENDER, FASP_MODE_CALLER);
  fasp_endpoint_config_init (&r, FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);
  c.max_bitrate = 8000000;
  c.wait_for_connection = FALSE;
  sim->sender = attach (sim, VNET_A, &c);
  wire (sim, VNET_A, VNET_B, 0);
  fasp_endpoint_set_header (sim->sender, 0, sim->source.header);
  sim->reader = attach (sim, VNET_B, &r);
  fasp_endpoint_dial (sim->sender, 0, &address);
  sim->source.units = G_MAXUINT;
  run (sim, FASP_SEC);
  sim->source.units = vnet_get_time (sim->net) / UNIT;
  run (sim, 5 * FASP_SEC);
  g_assert_cmpuint (sim->first, ==, 0);
  vnet_attach (sim->net, VNET_B, NULL);
  fasp_endpoint_free (sim->reader);
  sim->reader = NULL;
  run (sim, c.resume_timeout + 10 * FASP_SEC);
  sim->first = FASP_OFFSET_UNKNOWN;
  sim->reader = attach (sim, VNET_B, &r);
  run (sim, 8 * FASP_SEC);
  assert_entered (sim);
  sim_free (sim);
}

/* Who calls does not know yet what it will send, and whoever it calls comes later. */
static void
test_called_late (void)
{
  for (guint i = 0; i < 8; i++) {
    Sim *sim = sim_new (1, 700, 6);
    FaspEndpointConfig c, r;
    FaspAddress address = vnet_get_address (VNET_B);

    fasp_endpoint_config_init (&c, FASP_ROLE_SENDER, FASP_MODE_CALLER);
    fasp_endpoint_config_init (&r, FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);
    c.max_bitrate = 8000000;
    c.wait_for_connection = FALSE;
    sim->sender = attach (sim, VNET_A, &c);
    wire (sim, VNET_A, VNET_B, 0);
    sim->source.units = G_MAXUINT;
    fasp_endpoint_dial (sim->sender, 0, &address);
    run (sim, 100 * FASP_MSEC);
    sim->source.units = 0;
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net),
        sim->source.header);
    run (sim, i == 0 ? 10 * FASP_SEC : i * 100 * FASP_MSEC);
    sim->reader = attach (sim, VNET_B, &r);
    run (sim, 8 * FASP_SEC);
    assert_entered (sim);
    sim_free (sim);
  }
}

/* What is written as fast as there is room leaves none: it waits for that. */
static void
test_full (void)
{
  Sim *sim = sim_new (1, 100000, 6);
  FaspEndpointConfig c = sender_config ();
  FaspEndpoint *first;
  gsize done = 0;

  c.buffer_size = 1 << 20;
  begin (sim, &c, 0);
  wire (sim, VNET_A, VNET_C, 0);
  first = dial (sim, VNET_C, VNET_A, FASP_JOIN_ANY);
  sim->source.units = G_MAXUINT;
  for (guint i = 0; i < 3000; i++) {
    FaspTime now = vnet_get_time (sim->net) + STEP;
    Source *s = &sim->source;
    FaspBlock *block;
    gboolean room = i > 100;

    vnet_run (sim->net, now);
    while (room) {
      guint8 data[UNIT_SIZE];
      gsize taken;

      if (done == 0 && s->written / UNIT_SIZE % s->key_every == 0) {
        g_hash_table_add (s->entries, g_memdup2 (&s->written,
                sizeof (guint64)));
        room = fasp_endpoint_begin_key_frame (sim->sender, now, now, FALSE);
        if (!room)
          break;
      }
      for (guint j = done; j < UNIT_SIZE; j++)
        data[j] = vcast_byte_at (s->written + j);
      taken = fasp_endpoint_write (sim->sender, now, now, data + done,
          UNIT_SIZE - done, NULL);
      done += taken;
      room = done == UNIT_SIZE;
      if (room) {
        s->written += UNIT_SIZE;
        done = 0;
      }
    }
    while ((block = fasp_endpoint_read (first, now)) != NULL)
      fasp_block_unref (block);
    if (i == 1000)
      sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
    if (sim->reader != NULL)
      read_stream (sim, now);
  }
  assert_entered (sim);
  vnet_attach (sim->net, VNET_C, NULL);
  fasp_endpoint_free (first);
  sim_free (sim);
}

/* Another stream with the same header, which its relay has in the middle. */
static void
test_same_again (void)
{
  Sim *sim = sim_new (1, 700, 6);
  FaspEndpointConfig c = sender_config ();
  FaspStreamOffset other = {.known = TRUE,.offset = 600000 };
  FaspTime now;

  other.origin.bytes[0] = 7;
  begin (sim, &c, 0);
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, 6400 * FASP_MSEC);
  g_assert_cmpuint (sim->first, !=, FASP_OFFSET_UNKNOWN);
  now = vnet_get_time (sim->net);
  sim->first = FASP_OFFSET_UNKNOWN;
  sim->enters = 0;
  g_assert_true (fasp_endpoint_set_stream_offset (sim->sender, now, now,
          &other));
  sim->source.written = 600000;
  sim->source.units += 6 - sim->source.units % 6;
  run (sim, 3 * FASP_SEC);
  assert_entered (sim);
  g_assert_cmpuint (sim->first, ==, 600000);
  sim_free (sim);
}

/* Who comes back goes on where it was, without. */
static void
test_back (void)
{
  Sim *sim = sim_new (1, 700, 6);
  FaspEndpointConfig c = sender_config ();
  guint64 next;

  c.history = 20 * FASP_SEC;
  begin (sim, &c, 0);
  run (sim, 6200 * FASP_MSEC);
  sim->reader = dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  run (sim, 4 * FASP_SEC);
  assert_entered (sim);
  next = sim->next;
  /* longer than its place is kept */
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 1;
  vnet_get_wire (sim->net, VNET_B, VNET_A)->loss = 1;
  run (sim, c.resume_timeout + 10 * FASP_SEC);
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 0;
  vnet_get_wire (sim->net, VNET_B, VNET_A)->loss = 0;
  sim->first = FASP_OFFSET_UNKNOWN;
  run (sim, 5 * FASP_SEC);
  g_assert_cmpuint (sim->first, >, next);
  g_assert_cmpuint (sim->first, !=, FASP_OFFSET_UNKNOWN);
  g_assert_cmpuint (sim->enters, ==, 1);
  sim_free (sim);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/header/parts", test_parts);
  g_test_add_func ("/header/parts/missing", test_parts_missing);
  g_test_add_func ("/header/parts/hostile", test_parts_hostile);
  g_test_add_func ("/header/due", test_due);
  for (guint i = 0; i < G_N_ELEMENTS (joins); i++) {
    g_autofree gchar *name = g_strdup_printf ("/header/join/%s",
        joins[i].name);

    g_test_add_data_func (name, &joins[i], test_join);
  }
  g_test_add_func ("/header/beginning", test_beginning);
  g_test_add_data_func ("/header/relay/first", GINT_TO_POINTER (FALSE),
      test_relay);
  g_test_add_data_func ("/header/relay/late", GINT_TO_POINTER (TRUE),
      test_relay);
  g_test_add_func ("/header/relay/soon", test_relay_soon);
  g_test_add_func ("/header/relay/waits", test_relay_waits);
  g_test_add_func ("/header/no-rex", test_no_rtx);
  g_test_add_func ("/header/behind-gap", test_behind_gap);
  g_test_add_func ("/header/moved-ahead", test_moved_ahead);
  g_test_add_data_func ("/header/moved-ahead/first", GINT_TO_POINTER (FALSE),
      test_moved_from_first);
  g_test_add_data_func ("/header/moved-ahead/first-untold",
      GINT_TO_POINTER (TRUE), test_moved_from_first);
  g_test_add_func ("/header/moved-ahead/keyless", test_moved_keyless);
  g_test_add_func ("/header/gone", test_gone);
  g_test_add_func ("/header/gone/meanwhile", test_gone_meanwhile);
  g_test_add_func ("/header/gone/before", test_gone_before);
  g_test_add_func ("/header/come-meanwhile", test_come_meanwhile);
  g_test_add_func ("/header/come-kept", test_come_kept);
  g_test_add_data_func ("/header/come-in-vain/gone", GINT_TO_POINTER (FALSE),
      test_come_in_vain);
  g_test_add_data_func ("/header/come-in-vain/ends", GINT_TO_POINTER (TRUE),
      test_come_in_vain);
  g_test_add_func ("/header/gone/hostile", test_gone_hostile);
  g_test_add_func ("/header/gone/unheard", test_gone_unheard);
  g_test_add_func ("/header/called-again", test_called_again);
  g_test_add_func ("/header/called-late", test_called_late);
  g_test_add_func ("/header/full", test_full);
  g_test_add_func ("/header/same-again", test_same_again);
  g_test_add_func ("/header/back", test_back);
  return g_test_run ();
}
