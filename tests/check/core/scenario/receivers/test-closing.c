/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who keeps which bytes when a session ends, for every reason: several senders and receivers, each
 * sender with a stream of its own.
 */
#include "faspendpointbase.h"
#include "vcases.h"
#include "vcast.h"

#define DELAY (100 * FASP_MSEC)
#define BITRATE 400000
#define CHANNEL 16000000
#define STEP (5 * FASP_MSEC)

typedef struct
{
  FaspEndpoint *endpoint;
  FaspRole role;
  guint64 size, written; /* sender: bytes of its stream */
  FaspTime written_to;   /* how far its application is */
  gboolean held_back;    /* it writes later */
  FaspEndpoint *frozen;  /* its process stands still */
  gboolean relays;       /* all that do write one stream, that of A */
  GByteArray *got;       /* receiver */
  gboolean reads_nothing;
  guint ends;     /* of streams */
  guint lacks;    /* blocks with FASP_BLOCK_LACKS */
  guint lacks_at; /* what was got before the last of them */
  guint events[FASP_EVENT_REMOVED + 1];
  FaspEvent last[FASP_EVENT_REMOVED + 1];
} End;

typedef struct
{
  Vnet *net;
  End ends[VNET_NODES];
} Ends;

static Ends *
ends_new (void)
{
  Ends *e = g_new0 (Ends, 1);

  e->net = vnet_new (45);
  for (guint i = 0; i < VNET_NODES; i++) {
    e->ends[i].got = g_byte_array_new ();
    for (guint k = 0; k < VNET_NODES; k++)
      vnet_get_wire (e->net, i, k)->delay = DELAY;
  }
  return e;
}

static void
leave (Ends *e, VnetSide side)
{
  vnet_attach (e->net, side, NULL);
  g_clear_pointer (&e->ends[side].endpoint, fasp_endpoint_free);
  g_clear_pointer (&e->ends[side].frozen, fasp_endpoint_free);
}

static void
ends_free (Ends *e)
{
  for (guint i = 0; i < VNET_NODES; i++) {
    leave (e, i);
    g_byte_array_unref (e->ends[i].got);
  }
  vnet_free (e->net);
  g_free (e);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Ends, ends_free)

static FaspTime
now (Ends *e)
{
  return vnet_get_time (e->net);
}

static FaspEndpointConfig
config (FaspRole role, FaspMode mode)
{
  FaspEndpointConfig c;

  fasp_endpoint_config_init (&c, role, mode);
  c.settings.max_bitrate = role == FASP_ROLE_SENDER ? CHANNEL : 0;
  return c;
}

/* Starts an end in place of what was there; @size: of its stream. */
static End *
join (Ends *e, VnetSide side, const FaspEndpointConfig *c, VnetSide dials, guint64 size)
{
  FaspAddress peer = vnet_get_address (dials);
  End *end = &e->ends[side];

  leave (e, side);
  g_byte_array_set_size (end->got, 0);
  *end = (End) { .role = c->role, .size = size, .got = end->got, .written_to = now (e) };
  end->endpoint = vnet_add_endpoint (e->net, side, c);
  if (c->mode != FASP_MODE_LISTENER)
    fasp_endpoint_dial (end->endpoint, now (e), &peer);
  return end;
}

/* The byte at @offset of the stream of this sender. */
static guint8
byte_at (VnetSide side, guint64 offset)
{
  return vcast_byte_at (offset + side * 100000000);
}

static void
freeze (Ends *e, VnetSide side)
{
  e->ends[side].frozen = g_steal_pointer (&e->ends[side].endpoint);
  vnet_attach (e->net, side, NULL);
}

static void
thaw (Ends *e, VnetSide side)
{
  e->ends[side].endpoint = g_steal_pointer (&e->ends[side].frozen);
  e->ends[side].written_to = now (e);
  vnet_attach (e->net, side, e->ends[side].endpoint);
}

static void
write_some (Ends *e, VnetSide side)
{
  End *end = &e->ends[side];

  if (end->held_back)
    return;
  while (end->written < end->size && end->written_to <= now (e)) {
    guint8 data[BITRATE / 8 * STEP / FASP_SEC];
    gsize size = MIN (sizeof data, end->size - end->written), taken;

    for (guint i = 0; i < size; i++)
      data[i] = byte_at (end->relays ? VNET_A : side, end->written + i);
    if (end->relays) {
      FaspStreamOffset position = { .known = TRUE,
        .origin.bytes = "relayed",
        .offset = end->written };

      if (!fasp_endpoint_set_stream_offset (end->endpoint, now (e), now (e), &position))
        return;
    }
    taken = fasp_endpoint_write (end->endpoint, now (e), now (e), data, size, NULL);
    end->written += taken;
    if (taken < size)
      return;
    end->written_to += STEP;
  }
  if (end->written == end->size && fasp_endpoint_can_finish (end->endpoint))
    fasp_endpoint_finish (end->endpoint, now (e));
}

static void
read_some (Ends *e, End *end)
{
  FaspRead read;

  while (fasp_endpoint_read (end->endpoint, now (e), &read)) {
    FaspBlock *block = read.block;

    end->ends += (block->flags & FASP_BLOCK_EOS) != 0;
    if (block->flags & FASP_BLOCK_LACKS) {
      end->lacks++;
      end->lacks_at = end->got->len;
    }
    g_byte_array_append (end->got, block->data, block->size);
    fasp_block_unref (block);
  }
}

static void
step (Ends *e)
{
  vnet_run (e->net, now (e) + STEP);
  for (guint i = 0; i < VNET_NODES; i++) {
    End *end = &e->ends[i];
    FaspEvent event;

    if (end->endpoint == NULL)
      continue;
    while (fasp_endpoint_poll_event (end->endpoint, &event)) {
      end->events[event.type]++;
      end->last[event.type] = event;
    }
    if (end->role == FASP_ROLE_SENDER)
      write_some (e, i);
    else if (!end->reads_nothing)
      read_some (e, end);
  }
}

static void
run (Ends *e, FaspTime time)
{
  FaspTime until = now (e) + time;

  while (now (e) < until)
    step (e);
}

static void
run_until (Ends *e, const guint *count, guint n)
{
  FaspTime limit = now (e) + 100 * FASP_SEC;

  while (*count < n) {
    g_assert_cmpint (now (e), <, limit);
    step (e);
  }
}

/* Are the @size bytes that @to has got at @at those of the stream of @side at @offset? */
static gboolean
is_of_stream (Ends *e, VnetSide side, guint64 offset, VnetSide to, guint64 at, guint64 size)
{
  const guint8 *got = e->ends[to].got->data + at;

  for (guint64 i = 0; i < size; i++)
    if (got[i] != byte_at (side, offset + i))
      return FALSE;
  return TRUE;
}

/* Where in what @to has got the stream of @side is from @offset on, to its end; -1: nowhere. */
static gint64
find_stream (Ends *e, VnetSide side, VnetSide to, guint64 offset)
{
  const GByteArray *got = e->ends[to].got;
  guint64 size = e->ends[side].size - offset;

  for (guint64 at = 0; at + size <= got->len; at++)
    if (is_of_stream (e, side, offset, to, at, size))
      return at;
  return -1;
}

/* Where in the stream of @side is what @to has got at @at; -1: nowhere. */
static gint64
locate (Ends *e, VnetSide side, VnetSide to, guint at)
{
  const GByteArray *got = e->ends[to].got;
  const guint enough = 64;

  g_assert_cmpuint (got->len, >=, at + enough);
  for (guint64 offset = 0; offset + enough <= e->ends[side].written; offset++)
    if (is_of_stream (e, side, offset, to, at, enough))
      return offset;
  return -1;
}

static void
assert_all_confirmed (Ends *e, VnetSide side)
{
  FaspEndpointStats stats;

  fasp_endpoint_get_stats (e->ends[side].endpoint, &stats);
  g_assert_true (fasp_endpoint_is_drained (e->ends[side].endpoint));
  g_assert_cmpuint (stats.bytes_unconfirmed, ==, 0);
  g_assert_cmpuint (stats.bytes_dropped, ==, 0);
}

/* What an endpoint's open session does, whatever it was about to do. */
static void
close_session (Ends *e, VnetSide side, FaspReason reason)
{
  FaspEndpoint *endpoint = e->ends[side].endpoint;
  FaspSession *session = fasp_endpoint_get_open (endpoint);

  g_assert_nonnull (session);
  fasp_session_close (session, now (e), reason, "because of the test");
  fasp_endpoint_wake (endpoint, session);
}

/* --- two at once ---------------------------------------------------------------------- */

/* Two senders call one receiver within a round trip, and are accepted both.  The one that has to
 * wait has lost nothing by that, be its stream long or over before it hears of it. */
static void
test_two_senders (gconstpointer bytes)
{
  g_autoptr (Ends) e = ends_new ();
  FaspEndpointConfig s = config (FASP_ROLE_SENDER, FASP_MODE_CALLER);
  FaspEndpointConfig r = config (FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);

  r.settings.keep_listening = TRUE;
  join (e, VNET_B, &r, VNET_A, 0);
  join (e, VNET_A, &s, VNET_B, GPOINTER_TO_SIZE (bytes));
  join (e, VNET_C, &s, VNET_B, GPOINTER_TO_SIZE (bytes));
  run (e, 20 * FASP_SEC);
  for (VnetSide side = VNET_A; side <= VNET_C; side += 2) {
    g_assert_cmpint (find_stream (e, side, VNET_B, 0), >=, 0);
    assert_all_confirmed (e, side);
  }
  g_assert_cmpuint (e->ends[VNET_B].ends, ==, 2);
  g_assert_cmpuint (e->ends[VNET_A].events[FASP_EVENT_REMOVED]
          + e->ends[VNET_C].events[FASP_EVENT_REMOVED],
      ==, 3);
}

/* A live sender keeps nothing for a receiver that it never had, and counts that as discarded: it is
 * no receiver that left. */
static void
test_two_live (gconstpointer bytes)
{
  g_autoptr (Ends) e = ends_new ();
  FaspEndpointConfig s = config (FASP_ROLE_SENDER, FASP_MODE_CALLER);
  FaspEndpointConfig r = config (FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);
  FaspEndpointStats stats;
  VnetSide loser;

  s.settings.wait_for_connection = FALSE;
  r.settings.keep_listening = TRUE;
  join (e, VNET_B, &r, VNET_A, 0);
  join (e, VNET_A, &s, VNET_B, GPOINTER_TO_SIZE (bytes));
  join (e, VNET_C, &s, VNET_B, GPOINTER_TO_SIZE (bytes));
  run (e, FASP_SEC / 2);
  loser = e->ends[VNET_A].last[FASP_EVENT_REMOVED].reason == FASP_REASON_BUSY ? VNET_A : VNET_C;
  g_assert_cmpint (e->ends[loser].last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_BUSY);
  fasp_endpoint_get_stats (e->ends[loser].endpoint, &stats);
  g_assert_cmpuint (stats.buffer_bytes, ==, 0);
  g_assert_cmpuint (stats.bytes_unconfirmed, ==, 0);
  g_assert_cmpuint (stats.bytes_dropped, ==, e->ends[loser].written);
}

/* --- main and backup -------------------------------------------------------------------- */

#define LIVE (600 * BITRATE / 8) /* longer than any of these tests */

/* A live sender at A, and one at C that takes its place at the receiver while it stands still.
 * @relay: both relay the same stream. */
static Ends *
setup_backup (gboolean relay, gsize buffer)
{
  Ends *e = ends_new ();
  FaspEndpointConfig s = config (FASP_ROLE_SENDER, FASP_MODE_CALLER);
  FaspEndpointConfig r = config (FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);

  s.settings.wait_for_connection = FALSE;
  s.buffer_size = buffer;
  r.settings.keep_listening = TRUE;
  join (e, VNET_B, &r, VNET_A, 0);
  join (e, VNET_A, &s, VNET_B, LIVE)->relays = relay;
  run (e, FASP_SEC);
  join (e, VNET_C, &s, VNET_B, LIVE)->relays = relay;
  if (relay)
    e->ends[VNET_C].written = e->ends[VNET_A].written;
  run (e, 5 * FASP_SEC);
  freeze (e, VNET_A);
  run (e, 6 * FASP_SEC);
  thaw (e, VNET_A);
  if (relay)
    e->ends[VNET_A].written = e->ends[VNET_C].written;
  g_assert_cmpuint (e->ends[VNET_C].events[FASP_EVENT_CONNECTED], ==, 1);
  return e;
}

/* When the backup dies, the receiver goes on with what is sent then, whether the first one has been
 * told meanwhile that another has its place or not. */
static void
test_back (gconstpointer told)
{
  g_autoptr (Ends) e = setup_backup (FALSE, 64 << 20);
  End *a = &e->ends[VNET_A];
  guint64 written;
  guint at;

  if (told)
    run_until (e, &a->events[FASP_EVENT_REJECTED], 1);
  g_assert_cmpuint (a->events[FASP_EVENT_REJECTED], ==, told ? 1 : 0);
  leave (e, VNET_C);
  run (e, 2 * DELAY);
  at = e->ends[VNET_B].got->len;
  run_until (e, &a->events[FASP_EVENT_CONNECTED], 2);
  written = a->written;
  run (e, FASP_SEC);
  /* what was written since the last whole block is in the first one */
  g_assert_cmpint (locate (e, VNET_A, VNET_B, at), >=, written - 1200);
}

/* Both relay one stream: the receiver goes on at the byte where it stands, and is sent nothing of
 * what it has got from the other. */
static void
test_back_relayed (void)
{
  g_autoptr (Ends) e = setup_backup (TRUE, 64 << 20);
  const GByteArray *got = e->ends[VNET_B].got;
  FaspSessionStats stats;
  guint64 cursor = 0;
  gint64 offset;
  guint at;

  run_until (e, &e->ends[VNET_A].events[FASP_EVENT_REJECTED], 1);
  leave (e, VNET_C);
  run (e, 2 * DELAY);
  at = got->len - 64;
  offset = locate (e, VNET_A, VNET_B, at);
  run_until (e, &e->ends[VNET_A].events[FASP_EVENT_CONNECTED], 2);
  run (e, FASP_SEC);
  for (guint i = at; i < got->len; i++)
    g_assert_cmpuint (got->data[i], ==, byte_at (VNET_A, offset + i - at));
  /* C was silent for 2 s */
  g_assert_cmpuint (fasp_endpoint_get_sessions (e->ends[VNET_B].endpoint, now (e), &cursor, &stats,
                        1),
      ==, 1);
  g_assert_cmpuint (stats.received.bytes, <, 5 * BITRATE / 8);
}

/* Nor does the writer wait for a receiver that it has lost to another, however small its buffer
 * is. */
static void
test_lost_and_full (void)
{
  g_autoptr (Ends) e = setup_backup (FALSE, 256 << 10);
  End *a = &e->ends[VNET_A];
  guint64 written;

  run_until (e, &a->events[FASP_EVENT_REJECTED], 1);
  for (guint i = 0; i < 20; i++) {
    written = a->written;
    run (e, FASP_SEC);
    g_assert_cmpuint (a->written - written, >=, BITRATE / 8);
  }
}

/* --- every reason ------------------------------------------------------------------------ */

typedef enum
{
  SAYS,     /* the receiver says goodbye for this reason */
  LEAVES,   /* the same, and it is away for longer than resume-timeout */
  SILENT,   /* it is not heard for longer than resume-timeout */
  RESTARTS, /* it is killed, and another program is at its place */
  UNHEARD,  /* nothing of us arrives there until it has forgotten the call */
} How;

typedef struct
{
  const gchar *name;
  How how;
  FaspReason reason;
  gboolean listens;      /* the sender does */
  gboolean acknowledges; /* before it ends */
} Case;

#define ALL 2500000 /* 50 s */

static void
set_loss (Ends *e, gdouble loss)
{
  vnet_get_wire (e->net, VNET_A, VNET_B)->loss = loss;
  vnet_get_wire (e->net, VNET_B, VNET_A)->loss = loss;
}

static void
join_receiver (Ends *e, gboolean calls)
{
  FaspEndpointConfig r = config (FASP_ROLE_RECEIVER, calls ? FASP_MODE_CALLER : FASP_MODE_LISTENER);

  r.settings.keep_listening = r.settings.reconnect = TRUE;
  join (e, VNET_B, &r, VNET_A, 0);
}

/* Sets up both ends, until the session of the case is there. */
static Ends *
setup (const Case *c, gboolean waits)
{
  Ends *e = ends_new ();
  FaspEndpointConfig s =
      config (FASP_ROLE_SENDER, c->listens ? FASP_MODE_LISTENER : FASP_MODE_CALLER);
  End *a;

  s.settings.wait_for_connection = waits;
  if (!c->listens)
    join_receiver (e, FALSE);
  a = join (e, VNET_A, &s, VNET_B, ALL);
  if (c->listens)
    join_receiver (e, TRUE);
  a->held_back = TRUE;
  run_until (e, &a->events[FASP_EVENT_CONNECTED], 1);
  if (c->how == UNHEARD)
    return e;
  run_until (e, &e->ends[VNET_B].events[FASP_EVENT_CONNECTED], 1);
  a->held_back = FALSE;
  if (c->acknowledges)
    run (e, 3 * DELAY);
  return e;
}

static void
end_session (Ends *e, const Case *c)
{
  switch (c->how) {
    case SAYS:
      close_session (e, VNET_B, c->reason);
      run (e, 2 * DELAY);
      break;
    case LEAVES:
      fasp_endpoint_close (e->ends[VNET_B].endpoint, now (e), FASP_REASON_STOPPED);
      run (e, 2 * DELAY);
      break;
    case SILENT:
      set_loss (e, 1);
      run (e, 35 * FASP_SEC);
      set_loss (e, 0);
      break;
    case RESTARTS:
      leave (e, VNET_B);
      break;
    case UNHEARD:
      set_loss (e, 1);
      e->ends[VNET_A].held_back = FALSE;
      run (e, 6 * FASP_SEC);
      set_loss (e, 0);
      break;
  }
}

/* Whatever ends a session: with wait-for-connection, what follows begins with the byte behind what
 * was acknowledged, and the sender ends when all is. */
static void
test_kept (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (Ends) e = setup (c, TRUE);
  guint64 had;

  end_session (e, c);
  had = e->ends[VNET_B].got->len;
  g_assert_cmpuint (e->ends[VNET_A].written, <, ALL);
  if (c->how == RESTARTS || c->how == LEAVES || c->listens) {
    leave (e, VNET_B);
    if (c->how == LEAVES || c->listens)
      run (e, 40 * FASP_SEC);
    join_receiver (e, c->listens);
    had = c->acknowledges ? had : 0;
  } else {
    had = 0;
  }
  run_until (e, &e->ends[VNET_B].ends, 1);
  run (e, 4 * DELAY);
  /* what was under way may come twice */
  g_assert_cmpint (find_stream (e, VNET_A, VNET_B, had), >=, 0);
  assert_all_confirmed (e, VNET_A);
}

/* At the end of the stream, who was a receiver is waited for until resume-timeout is over, and then
 * what it lacks is unconfirmed; who was none has not kept the sender from waiting for one. */
static void
test_end (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (Ends) e = setup (c, TRUE);
  End *a = &e->ends[VNET_A];
  FaspEndpointStats stats;

  a->size = a->written + 20000;
  set_loss (e, 1); /* the end of the stream does not arrive */
  run (e, FASP_SEC);
  g_assert_true (fasp_endpoint_has_finished (a->endpoint));
  set_loss (e, 0);
  fasp_endpoint_close (e->ends[VNET_B].endpoint, now (e), FASP_REASON_STOPPED);
  run (e, 2 * DELAY);
  leave (e, VNET_B);
  run (e, 40 * FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (a->endpoint) == c->acknowledges);
  fasp_endpoint_get_stats (a->endpoint, &stats);
  g_assert_true ((stats.bytes_unconfirmed > 0) == c->acknowledges);
}

/* What is held is discarded when the application does not wait any more: the stream passes, and its
 * end is no error. */
static void
test_no_more (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (Ends) e = setup (c, TRUE);
  End *a = &e->ends[VNET_A];
  FaspEndpointStats stats;

  end_session (e, c);
  leave (e, VNET_B);
  run (e, 40 * FASP_SEC);
  g_assert_cmpuint (a->written, <, ALL);
  vnet_configure (a->endpoint, now (e), wait_for_connection, FALSE);
  run (e, 20 * FASP_SEC);
  g_assert_cmpuint (a->written, ==, ALL);
  g_assert_true (fasp_endpoint_is_drained (a->endpoint));
  fasp_endpoint_get_stats (a->endpoint, &stats);
  g_assert_cmpuint (stats.bytes_unconfirmed, ==, 0);
  g_assert_cmpuint (stats.buffer_bytes, ==, 0);
}

static const Case cases[] = {
  { "busy", SAYS, FASP_REASON_BUSY },
  { "stopped", SAYS, FASP_REASON_STOPPED },
  { "stopped-later", SAYS, FASP_REASON_STOPPED, FALSE, TRUE },
  { "busy-later", SAYS, FASP_REASON_BUSY, FALSE, TRUE },
  { "leaves", LEAVES },
  { "leaves-later", LEAVES, FASP_REASON_NONE, FALSE, TRUE },
  { "too-slow", SAYS, FASP_REASON_TOO_SLOW },
  { "silent", SILENT },
  { "silent-later", SILENT, FASP_REASON_NONE, FALSE, TRUE },
  { "restarts", RESTARTS },
  { "restarts-later", RESTARTS, FASP_REASON_NONE, FALSE, TRUE },
  { "unheard", UNHEARD },
  { "listener/leaves", LEAVES, FASP_REASON_NONE, TRUE },
  { "listener/leaves-later", LEAVES, FASP_REASON_NONE, TRUE, TRUE },
  { "listener/silent", SILENT, FASP_REASON_NONE, TRUE },
  { "listener/silent-later", SILENT, FASP_REASON_NONE, TRUE, TRUE },
  { "listener/restarts", RESTARTS, FASP_REASON_NONE, TRUE },
  { "listener/restarts-later", RESTARTS, FASP_REASON_NONE, TRUE, TRUE },
};

/* A receiver says where in a stream it begins, and which of what it reads is not the whole of
 * it. */
static void
test_joined (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (Ends) e = setup (c, TRUE);
  const End *b = &e->ends[VNET_B];
  FaspEndpointStats stats;

  run (e, 3 * DELAY);
  g_assert_cmpuint (b->events[FASP_EVENT_JOINED], ==, 1);
  g_assert_false (b->last[FASP_EVENT_JOINED].start.in_the_middle);
  g_assert_cmpuint (b->last[FASP_EVENT_JOINED].start.position.offset, ==, 0);
  g_assert_cmpuint (b->lacks, ==, 0);
  end_session (e, c);
  join_receiver (e, c->listens);
  run (e, 10 * FASP_SEC);
  g_assert_cmpuint (b->events[FASP_EVENT_JOINED], ==, 1);
  g_assert_true (b->last[FASP_EVENT_JOINED].start.in_the_middle);
  g_assert_cmpint (b->last[FASP_EVENT_JOINED].start.position.offset, ==,
      locate (e, VNET_A, VNET_B, 0));
  g_assert_cmpuint (b->lacks, ==, 1);
  g_assert_cmpuint (b->lacks_at, ==, 0);
  fasp_endpoint_get_stats (b->endpoint, &stats);
  g_assert_cmpuint (stats.join_offset, ==, b->last[FASP_EVENT_JOINED].start.position.offset);
  g_assert_cmpuint (stats.joins_in_the_middle, ==, 1);
}

/* What is missing in between, as the sender did not keep it, is told with what follows. */
static void
test_lacks (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (Ends) e = setup (c, FALSE);
  const End *b = &e->ends[VNET_B];

  end_session (e, c);
  run (e, 5 * FASP_SEC);
  g_assert_cmpuint (b->events[FASP_EVENT_JOINED], ==, 1);
  g_assert_cmpuint (b->lacks, ==, 1);
  g_assert_cmpint (locate (e, VNET_A, VNET_B, b->lacks_at), >, b->lacks_at);
}

/* A stream that did not reach its end is not the whole of it, though the next one is. */
static void
test_cut_short (gconstpointer ends)
{
  const Case c = { .acknowledges = TRUE };
  g_autoptr (Ends) e = setup (&c, TRUE);
  FaspEndpointConfig s = config (FASP_ROLE_SENDER, FASP_MODE_CALLER);
  End *a = &e->ends[VNET_A];
  const End *b = &e->ends[VNET_B];

  if (ends) {
    a->size = a->written;
    run_until (e, &b->ends, 1);
  } else {
    fasp_endpoint_close (a->endpoint, now (e), FASP_REASON_STOPPED);
  }
  run (e, 4 * DELAY);
  leave (e, VNET_A);
  join (e, VNET_A, &s, VNET_B, 20000);
  run_until (e, &b->ends, ends ? 2 : 1);
  g_assert_cmpuint (b->events[FASP_EVENT_JOINED], ==, 2);
  g_assert_false (b->last[FASP_EVENT_JOINED].start.in_the_middle);
  g_assert_cmpuint (b->lacks, ==, ends ? 0 : 1);
}

static const Case joins[] = {
  { "caller", RESTARTS, FASP_REASON_NONE, FALSE, TRUE },
  { "listener", RESTARTS, FASP_REASON_NONE, TRUE, TRUE },
  { "silent", SILENT, FASP_REASON_NONE, FALSE, TRUE },
};

/* Who says that it does not want the stream would say so again: it is not called any more, and the
 * application is told that this was the end. */
static void
test_refused (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (Ends) e = setup (c, TRUE);
  End *a = &e->ends[VNET_A];

  end_session (e, c);
  run (e, 10 * FASP_SEC);
  g_assert_cmpuint (a->events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_true (a->last[FASP_EVENT_REMOVED].final);
  g_assert_cmpint (a->last[FASP_EVENT_REMOVED].reason, ==, c->reason);
  g_assert_cmpuint (a->events[FASP_EVENT_CONNECTED], ==, 1);
}

static const Case refusals[] = {
  { "refused", SAYS, FASP_REASON_REFUSED },
  { "refused-later", SAYS, FASP_REASON_REFUSED, FALSE, TRUE },
  { "same-role", SAYS, FASP_REASON_SAME_ROLE },
  { "unsupported", SAYS, FASP_REASON_UNSUPPORTED },
};

/* One of two receivers is dropped: it is told that it was refused, and does not call again; the
 * other one has everything. */
static void
test_dropped (void)
{
  g_autoptr (Ends) e = ends_new ();
  FaspEndpointConfig s = config (FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  FaspEndpointConfig r = config (FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  End *a = join (e, VNET_A, &s, VNET_A, 200000);
  const End *stays = join (e, VNET_C, &r, VNET_A, 0), *goes;
  FaspSessionStats of[3];
  guint64 cursor = 0;

  run_until (e, &stays->events[FASP_EVENT_CONNECTED], 1);
  goes = join (e, VNET_B, &r, VNET_A, 0);
  run_until (e, &goes->events[FASP_EVENT_CONNECTED], 1);
  run (e, 4 * DELAY);
  g_assert_cmpuint (fasp_endpoint_get_sessions (a->endpoint, now (e), &cursor, of, 3), ==, 2);
  g_assert_false (fasp_endpoint_drop (a->endpoint, now (e), of[0].session ^ of[1].session, "x"));
  g_assert_true (fasp_endpoint_drop (a->endpoint, now (e), of[1].session, "not here"));
  g_assert_false (fasp_endpoint_drop (a->endpoint, now (e), of[1].session, "again"));
  run_until (e, &stays->ends, 1);
  run (e, 10 * FASP_SEC);
  g_assert_cmpuint (stays->got->len, ==, 200000);
  g_assert_cmpuint (goes->ends, ==, 0);
  g_assert_cmpuint (goes->events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpint (goes->last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_REFUSED);
  g_assert_cmpstr (goes->last[FASP_EVENT_REMOVED].text, ==, "not here");
  g_assert_true (goes->last[FASP_EVENT_REMOVED].final);
}

/* A receiver that refuses the stream reads no more of it, and the session ends all the same. */
static void
test_unread (void)
{
  g_autoptr (Ends) e = ends_new ();
  FaspEndpointConfig s = config (FASP_ROLE_SENDER, FASP_MODE_CALLER);
  FaspEndpointConfig r = config (FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);
  End *sender, *receiver;

  receiver = join (e, VNET_B, &r, VNET_A, 0);
  sender = join (e, VNET_A, &s, VNET_B, 200000);
  run_until (e, &sender->events[FASP_EVENT_CONNECTED], 1);
  receiver->reads_nothing = TRUE;
  run (e, FASP_SEC);
  g_assert_true (fasp_endpoint_can_read (receiver->endpoint));
  fasp_endpoint_refuse (receiver->endpoint, now (e), "not whole");
  g_assert_false (fasp_endpoint_can_read (receiver->endpoint));
  run (e, FASP_SEC);
  g_assert_cmpint (receiver->last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_REFUSED);
  g_assert_true (receiver->last[FASP_EVENT_REMOVED].end.is_ours);
  g_assert_cmpint (sender->last[FASP_EVENT_REMOVED].reason, ==, FASP_REASON_REFUSED);
}

static const Case at_end[] = { { .acknowledges = FALSE }, { .acknowledges = TRUE } };

static const Case no_more[] = {
  { "busy", SAYS, FASP_REASON_BUSY },
  { "silent", SILENT, FASP_REASON_NONE, FALSE, TRUE },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/closing/two-senders/long", GSIZE_TO_POINTER (200000), test_two_senders);
  g_test_add_data_func ("/closing/two-senders/short", GSIZE_TO_POINTER (1000), test_two_senders);
  g_test_add_data_func ("/closing/two-senders/empty", NULL, test_two_senders);
  g_test_add_data_func ("/closing/two-live/long", GSIZE_TO_POINTER (200000), test_two_live);
  g_test_add_data_func ("/closing/two-live/short", GSIZE_TO_POINTER (1000), test_two_live);
  g_test_add_data_func ("/closing/back/told", GINT_TO_POINTER (TRUE), test_back);
  g_test_add_data_func ("/closing/back/untold", GINT_TO_POINTER (FALSE), test_back);
  g_test_add_func ("/closing/back/relayed", test_back_relayed);
  g_test_add_func ("/closing/back/full", test_lost_and_full);
  vcases_add ("/closing/kept", cases, sizeof *cases, G_N_ELEMENTS (cases), test_kept);
  g_test_add_data_func ("/closing/joined/caller", &joins[0], test_joined);
  g_test_add_data_func ("/closing/joined/listener", &joins[1], test_joined);
  g_test_add_data_func ("/closing/lacks", &joins[2], test_lacks);
  g_test_add_data_func ("/closing/cut-short/yes", NULL, test_cut_short);
  g_test_add_data_func ("/closing/cut-short/no", GINT_TO_POINTER (TRUE), test_cut_short);
  vcases_add ("/closing/refused", refusals, sizeof *refusals, G_N_ELEMENTS (refusals),
      test_refused);
  g_test_add_func ("/closing/dropped", test_dropped);
  g_test_add_func ("/closing/unread", test_unread);
  g_test_add_data_func ("/closing/end/none", &at_end[0], test_end);
  g_test_add_data_func ("/closing/end/receiver", &at_end[1], test_end);
  g_test_add_data_func ("/closing/no-more/busy", &no_more[0], test_no_more);
  g_test_add_data_func ("/closing/no-more/silent", &no_more[1], test_no_more);
  return g_test_run ();
}
