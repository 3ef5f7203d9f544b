/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Somebody without keys who sees, replays, forges, damages, copies and steals datagrams, and calls
 * from addresses that do not exist, or in no version that there is: nothing comes of it.
 */
#include <string.h>
#include "fasplifecycle.h"
#include "faspflow.h"
#include "faspsessionprivate.h"
#include "vkeys.h"
#include "vspy.h"

typedef struct
{
  GPtrArray *datagrams; /* GBytes, as they were delivered */
  GArray *from;         /* VnetSide */
} Tape;

static void
record (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Tape *tape = data;

  g_ptr_array_add (tape->datagrams, g_bytes_new (bytes, size));
  g_array_append_val (tape->from, from);
}

static void
tape_init (Tape *tape, VCast *n)
{
  tape->datagrams = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  tape->from = g_array_new (FALSE, FALSE, sizeof (VnetSide));
  vnet_set_tap (n->net, record, tape);
}

static void
tape_clear (Tape *tape)
{
  g_ptr_array_unref (tape->datagrams);
  g_array_unref (tape->from);
}

/* Nothing of the stream, in any datagram: runs of eight bytes are looked for. */
static void
test_plaintext (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  GHashTable *words = g_hash_table_new (g_int64_hash, g_int64_equal);
  guint8 *stream;
  guint found = 0;
  Tape tape;

  tape_init (&tape, n);
  vkeys_begin (n, &vkeys_nobody);
  vcast_run (n, FASP_SEC);
  vcast_end_whole (n, VNET_B);
  stream = g_malloc (n->written + 8);
  for (guint64 i = 0; i < n->written; i++)
    stream[i] = vcast_byte_at (i);
  for (guint64 i = 0; i + 8 <= n->written; i++)
    g_hash_table_add (words, stream + i);
  for (guint i = 0; i < tape.datagrams->len; i++) {
    gsize size;
    const guint8 *bytes = g_bytes_get_data (g_ptr_array_index (tape.datagrams, i), &size);

    for (gsize at = 0; at + 8 <= size; at++) {
      gint64 word;

      memcpy (&word, bytes + at, sizeof word);
      /* padding is none of the stream's words */
      found += g_hash_table_contains (words, &word);
    }
  }
  g_assert_cmpuint (tape.datagrams->len, >, 300);
  g_assert_cmpuint (found, ==, 0);
  g_hash_table_unref (words);
  g_free (stream);
  tape_clear (&tape);
}

static FaspTime
get_worst (VCast *n, VnetSide side)
{
  return fasp_hist_percentile (fasp_endpoint_get_lateness (n->nodes[side].endpoint, TRUE), 1);
}

/* A stream to B; beside it C replays all that was ever sent, from its own
 * address and from the right ones, in another order, to the wrong session. */
static void
test_replay (void)
{
  g_autoptr (VCast) n = vcast_new (3);
  FaspSessionStats before, after;
  GRand *rand = g_rand_new_with_seed (5);
  FaspTime worst;
  Tape tape;

  tape_init (&tape, n);
  vkeys_begin (n, &vkeys_secret);
  vcast_join (n, VNET_D, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  vnet_set_tap (n->net, NULL, NULL);
  before = vcast_get_session (n, VNET_B);
  worst = get_worst (n, VNET_B);
  /* the cookie of an OPEN, if it had one, has expired by now */
  vcast_run (n, 12 * FASP_SEC);
  for (guint i = 0; i < 4 * tape.datagrams->len; i++) {
    guint which = g_rand_int_range (rand, 0, tape.datagrams->len);
    VnetSide from = g_array_index (tape.from, VnetSide, which);
    FaspAddress address = vnet_get_address (i % 2 ? VNET_C : from);
    gsize size;
    const guint8 *bytes = g_bytes_get_data (g_ptr_array_index (tape.datagrams, which), &size);
    guint8 *copy = g_memdup2 (bytes, size);
    VnetSide to = from != VNET_A ? VNET_A : i % 3 ? VNET_B : VNET_D;

    vnet_inject (n->net, to, &address, copy, size);
    g_free (copy);
    if (i % 20 == 0)
      vcast_run (n, 5 * FASP_MSEC);
  }
  vcast_run (n, 3 * FASP_SEC);
  after = vcast_get_session (n, VNET_B);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 2);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 0);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_INTERRUPTED], ==, 0);
  g_assert_cmpuint (after.received.datagrams_duplicate, >, before.received.datagrams_duplicate);
  g_assert_cmpuint (after.latency.skips, ==, 0);
  /* nothing comes later for it than before */
  g_assert_cmpint (get_worst (n, VNET_B), ==, worst);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_assert_whole (n, VNET_D);
  g_rand_free (rand);
  tape_clear (&tape);
}

/* Who knows the addresses, the ids and the packet numbers, and has keys of its
 * own from another session with the same sender: CLOSE, FEEDBACK, SKIP. */
static void
test_spoof (void)
{
  g_autoptr (VCast) n = vcast_new (4);
  FaspAddress peer = vnet_get_address (VNET_A), b = vnet_get_address (VNET_B);
  guint8 frames[64];
  FaspSessionHeader header;
  Tape tape;
  VSpy spy;
  gsize size;

  tape_init (&tape, n);
  vkeys_begin (n, &vkeys_nobody);
  vcast_run (n, FASP_SEC);
  /* the good session's id at the sender is there for all to see */
  for (guint i = tape.datagrams->len;; i--)
    if (g_array_index (tape.from, VnetSide, i - 1) == VNET_B) {
      const guint8 *bytes = g_bytes_get_data (g_ptr_array_index (tape.datagrams, i - 1), &size);

      g_assert_true (fasp_wire_parse_session (bytes, size, &header));
      break;
    }
  /* C is a receiver, too, whose secrets we have */
  vnet_set_tap (n->net, NULL, NULL);
  vspy_init (&spy, n->net);
  n->nodes[VNET_C].endpoint = fasp_endpoint_new (&n->receiver, vspy_random, &spy);
  n->nodes[VNET_C].origin = -1;
  vnet_attach (n->net, VNET_C, n->nodes[VNET_C].endpoint);
  vnet_set_tap (n->net, record, &tape);
  size = tape.datagrams->len;
  fasp_endpoint_dial (n->nodes[VNET_C].endpoint, vnet_get_time (n->net), &peer);
  vcast_run (n, FASP_SEC);
  for (guint i = size; i < tape.datagrams->len; i++) {
    const guint8 *bytes = g_bytes_get_data (g_ptr_array_index (tape.datagrams, i), &size);

    vspy_see (&spy, bytes, size);
  }
  g_assert_true (spy.knows);
  spy.listener = header.cid; /* its own keys, the other's session */
  for (guint i = 0; i < 300; i++) {
    FaspFeedback feedback = { .ack = 100000, .tail = TRUE };
    FaspWriter f = { frames, sizeof frames };
    guint8 data[200];
    FaspWriter w = { data, sizeof data };

    if (i % 3 == 0)
      fasp_wire_write_close (&f, FASP_REASON_STOPPED, NULL);
    else if (i % 3 == 1)
      fasp_wire_write_feedback (&f, &feedback);
    else
      fasp_wire_write_number (&f, FASP_FRAME_PONG, i);
    vspy_seal (&spy, FALSE, 0, header.pn + i * 7, frames, f.used, &w);
    vnet_inject (n->net, VNET_A, &b, data, w.used);
    vcast_run (n, 5 * FASP_MSEC);
  }
  /* and to go on in its place */
  for (guint i = 0; i < 20; i++) {
    FaspHello hello = {
      .role = FASP_ROLE_RECEIVER,
      .window = 64,
      .has_resume = TRUE,
      .resume_cid = header.cid,
    };
    guint8 nonce[FASP_NONCE_SIZE] = { 1, i }, open[FASP_OPEN_SIZE];

    vspy_make_open (n->net, 1000 + i, nonce, &hello, open);
    vnet_inject (n->net, VNET_A, i % 2 ? &b : &peer, open, sizeof open);
    vcast_run (n, 20 * FASP_MSEC);
  }
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).datagrams_forged, >=, 250);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_REMOVED], ==, 0);
  vcast_end_whole (n, VNET_B);
  tape_clear (&tape);
}

/* Somebody near the caller refuses each of its calls at once, for as long as it
 * takes: the ACCEPT, which comes later, counts. */
static void
refuse (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  VCast *n = data;
  FaspAddress peer = vnet_get_address (VNET_A);
  FaspHandshake open,
      no = {
        .type = FASP_HANDSHAKE_REJECT,
        .version = FASP_VERSION,
        .reason = FASP_REASON_KEY,
      };
  guint8 out[300];
  FaspWriter w = { out, sizeof out };

  if (from != VNET_B || fasp_wire_is_session (bytes, size)
      || !fasp_wire_parse_handshake (bytes, size, &open) || open.type != FASP_HANDSHAKE_OPEN)
    return;
  no.to_cid = open.from_cid;
  memcpy (no.nonce, open.nonce, FASP_NONCE_SIZE);
  fasp_wire_write_handshake (&w, &no);
  vnet_inject (n->net, VNET_B, &peer, out, w.used);
}

/* Somebody near the caller copies each answer, and his copy is there first, from an address of
 * his own. */
static void
steal_answer (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  FaspAddress thief = vnet_get_address (VNET_C);
  FaspHandshake answer;
  VCast *n = data;

  if (from != VNET_A || fasp_wire_is_session (bytes, size)
      || !fasp_wire_parse_handshake (bytes, size, &answer) || answer.type != FASP_HANDSHAKE_ACCEPT)
    return;
  vnet_inject (n->net, VNET_B, &thief, bytes, size);
  bytes[0] = 0; /* it comes later, and is not looked at any more */
}

static void
test_copied_answer (void)
{
  g_autoptr (VCast) n = vcast_new (7);

  vnet_set_tap (n->net, steal_answer, n);
  vkeys_begin (n, &vkeys_secret);
  vcast_run (n, 10 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++) {
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_INTERRUPTED], ==, 0);
  }
  /* he is asked whether the listener is there */
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_B, VNET_C)->packets, <=, FASP_CHALLENGES);
  vcast_end_whole (n, VNET_B);
}

/* An attacker beside the path, who is faster. */
typedef struct
{
  VCast *n;
  VnetSide victim; /* the end whose datagrams are copied */
  guint ports;     /* from which the copies come in turn */
  guint copies;
  GHashTable *passed; /* datagrams to the victim, as GBytes */
} Thief;

/* A copy of each datagram of the victim reaches its peer before it, from the thief's address, and
 * what the peer sends there goes on to the victim, unless it may be of the stream. */
static void
steal_way (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Thief *thief = data;
  const VnetSide other = !thief->victim;
  const FaspAddress peer = vnet_get_address (other);
  FaspAddress at = vnet_get_address (VNET_C);
  FaspEndpoint *endpoint = thief->n->nodes[other].endpoint;
  GBytes *copy = g_bytes_new (bytes, size);

  if (from == other && size < 200 && g_hash_table_add (thief->passed, g_bytes_ref (copy)))
    vnet_inject (thief->n->net, thief->victim, &peer, bytes, size);
  if (from == thief->victim && endpoint != NULL) {
    at.bytes[3] += thief->copies++ % thief->ports;
    fasp_endpoint_receive (endpoint, now, &at, g_bytes_get_data (copy, NULL), size, NULL, FALSE);
  }
  g_bytes_unref (copy);
}

typedef struct
{
  const gchar *path;
  gdouble loss;
  guint ports; /* of the thief */
} CopiedWay;

static const CopiedWay copied_ways[] = {
  { "/secure/copied-way/calm", 0, 1 },
  { "/secure/copied-way/lossy", .02, 1 },
  { "/secure/copied-way/two-ports", 0, 2 },
};

/* The stream stays where its receiver answers, though that is heard from elsewhere, and what was
 * sent there is answered from there. When it has really moved, the stream follows. */
static void
test_copied_way (gconstpointer data)
{
  const CopiedWay *way = data;
  const guint seconds = 60;
  g_autoptr (VCast) n = vcast_new (7);
  Thief thief = { n, VNET_B, way->ports };
  guint interrupted, skips;

  thief.passed =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  vkeys_begin (n, &vkeys_secret);
  vcast_lose (n, way->loss);
  vcast_run (n, 2 * FASP_SEC);
  vnet_set_tap (n->net, steal_way, &thief);
  vcast_run (n, seconds / 2 * FASP_SEC);
  /* no answer comes from anywhere */
  vcast_lose (n, 1);
  vcast_run (n, 5 * FASP_SEC);
  vcast_lose (n, way->loss);
  vcast_run (n, seconds / 2 * FASP_SEC);
  /* challenges alone */
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_C)->packets, >, seconds / 2);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_C)->bytes, <, seconds * 1000);
  vnet_set_tap (n->net, NULL, NULL);
  interrupted = n->nodes[VNET_B].events[FASP_EVENT_INTERRUPTED];
  skips = vcast_get_session (n, VNET_B).latency.skips;
  vnet_rebind (n->net, VNET_B, 8000);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_INTERRUPTED], ==, interrupted);
  g_assert_cmpuint (vcast_get_session (n, VNET_B).latency.skips, <=, skips + 1);
  vcast_end_whole (n, VNET_B);
  g_hash_table_unref (thief.passed);
}

#define ASKED_WITHIN (10 * FASP_MSEC)

/* The host stops between the PING to the candidate and those to the address: the address is not
 * replaced before it was asked. */
static void
test_asked_late (void)
{
  FaspAddress at = { .len = 1, .bytes = { 1 } }, candidate = { .len = 1, .bytes = { 2 } };
  FaspTime now = FASP_SEC;
  FaspFlow flow;

  fasp_flow_init (&flow, now, TRUE);
  flow.address = at;
  flow.proved = TRUE;
  fasp_flow_heard (&flow, now, &candidate, TRUE);
  fasp_flow_challenged (&flow, now, ASKED_WITHIN);
  g_assert_false (fasp_flow_prove (&flow, &candidate));
  now += 2 * ASKED_WITHIN;
  g_assert_false (fasp_flow_judge (&flow, now));
  flow.challenge.asks = 0;
  g_assert_true (fasp_flow_judge (&flow, now));
  g_assert_true (fasp_address_equal (&flow.address, &candidate));
  fasp_flow_clear (&flow);
}

/* Both ends go on to new keys, though each answer of the sender is heard from the thief. */
static void
test_copied_keys (void)
{
  g_autoptr (VCast) n = vcast_new (8);
  Thief thief = { n, VNET_A, 1 };

  thief.passed =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  n->sender.rekey_interval = n->receiver.rekey_interval = FASP_SEC;
  vcast_begin (n, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  vnet_set_tap (n->net, steal_way, &thief);
  vcast_run (n, 20 * FASP_SEC);
  g_assert_true (fasp_endpoint_nth (n->nodes[VNET_B].endpoint, 0)->flows[0].challenge.stayed);
  for (VnetSide side = VNET_A; side <= VNET_B; side++)
    g_assert_cmpuint (fasp_endpoint_nth (n->nodes[side].endpoint, 0)->priv->rekeying.keys, >, 15);
  vcast_end_whole (n, VNET_B);
  g_hash_table_unref (thief.passed);
}

/* And in an outage, while a caller asks whether it is still known: no ACCEPT can come then. It
 * is asked for what a refusal means when the session is given up, not before. */
static void
test_refusals_in_outage (gconstpointer data)
{
  gboolean comes_back = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = vcast_new (7);
  VCastNode *b = &n->nodes[VNET_B];

  vkeys_begin (n, &vkeys_secret);
  vcast_run (n, 3 * FASP_SEC);
  vnet_set_tap (n->net, refuse, n);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  vcast_run (n, 15 * FASP_SEC);
  g_assert_cmpuint (b->events[FASP_EVENT_INTERRUPTED], ==, 1);
  g_assert_cmpuint (b->events[FASP_EVENT_REJECTED], ==, 1);
  g_assert_false (b->last[FASP_EVENT_REJECTED].final);
  if (comes_back) {
    vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 0;
    vcast_run (n, 10 * FASP_SEC);
    g_assert_cmpuint (b->events[FASP_EVENT_RESUMED], ==, 1);
    vcast_end_whole (n, VNET_B);
  } else {
    vcast_run (n, 60 * FASP_SEC);
    g_assert_cmpuint (b->events[FASP_EVENT_REMOVED], ==, 1);
    g_assert_cmpuint (b->events[FASP_EVENT_REJECTED], ==, 2);
    g_assert_true (b->last[FASP_EVENT_REJECTED].final);
  }
  g_assert_cmpuint (b->events[FASP_EVENT_CONNECTED], ==, 1);
}

static void
test_refusals (void)
{
  g_autoptr (VCast) n = vcast_new (7);

  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->delay = 400 * FASP_MSEC;
  vnet_set_tap (n->net, refuse, n);
  vkeys_begin (n, &vkeys_secret);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_REJECTED], ==, 0);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_end_whole (n, VNET_B);
}

/* An OPEN that was copied on its way, and comes from elsewhere first. */
static void
copy_open (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  VCast *n = data;
  FaspAddress elsewhere = vnet_get_address (VNET_C);

  if (from == VNET_B && (bytes[0] & 0xff) == 0x41)
    fasp_endpoint_receive (n->nodes[VNET_A].endpoint, now, &elsewhere, bytes, size, NULL, FALSE);
}

static void
test_copied_open (void)
{
  g_autoptr (VCast) n = vcast_new (7);

  vnet_set_tap (n->net, copy_open, n);
  vkeys_begin (n, &vkeys_secret);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_end_whole (n, VNET_B);
}

/* What is not even opened touches nothing: a datagram of another flow does not
 * make an interrupted session look alive. */
static void
test_alien (void)
{
  g_autoptr (VCast) n = vcast_new (8);
  FaspAddress a = vnet_get_address (VNET_A);
  guint8 *last;
  gsize size;
  Tape tape;

  tape_init (&tape, n);
  vkeys_begin (n, &vkeys_secret);
  vcast_run (n, FASP_SEC);
  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->loss = 1;
  vnet_set_tap (n->net, NULL, NULL);
  for (guint i = tape.datagrams->len; g_array_index (tape.from, VnetSide, i - 1) != VNET_A; i--)
    g_ptr_array_set_size (tape.datagrams, i - 1);
  last = g_bytes_unref_to_data (g_bytes_ref (g_ptr_array_index (tape.datagrams,
                                    tape.datagrams->len - 1)),
      &size);
  last[0] |= 1; /* flow 1 */
  vcast_run (n, 5 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_INTERRUPTED], ==, 1);
  for (guint i = 0; i < 20; i++) {
    vnet_inject (n->net, VNET_B, &a, last, size);
    vcast_run (n, 100 * FASP_MSEC);
  }
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_RESUMED], ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).datagrams_malformed, ==, 20);
  g_free (last);
  tape_clear (&tape);
}

static void
inject_open (VCast *n, guint i, guint8 version, gsize size)
{
  guint8 data[FASP_OPEN_SIZE], nonce[FASP_NONCE_SIZE] = { 0 };
  FaspHello hello = { .role = FASP_ROLE_RECEIVER, .window = 64 };
  FaspAddress from = vnet_get_address (VNET_C);

  memcpy (nonce, &i, sizeof i);
  from.bytes[4] = i;
  from.bytes[5] = i >> 8;
  from.bytes[6] = i >> 16;
  vspy_make_open (n->net, i + 1, nonce, &hello, data);
  data[1] = version;
  vnet_inject (n->net, VNET_A, &from, data, MIN (size, sizeof data));
}

/* A flood of OPENs from addresses that do not exist: bounded state, answers
 * no longer than the questions, and who is real gets in. */
static void
test_flood (void)
{
  g_autoptr (VCast) n = vcast_new (1);
  const ImpairCounters *out;

  vcast_join (n, VNET_A, VNET_B);
  for (guint i = 0; i < 20000; i++) {
    inject_open (n, i, FASP_VERSION, FASP_OPEN_SIZE);
    if (i % 100 == 99)
      vcast_run (n, 10 * FASP_MSEC);
    if (i == 10000)
      vcast_join (n, VNET_B, VNET_A);
  }
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  out = vnet_get_counters (n->net, VNET_A, VNET_C);
  g_assert_cmpuint (out->packets, >, 0);
  g_assert_cmpuint (out->bytes, <=, 20000 * (FASP_OPEN_SIZE + 28));
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).handshakes_retried, >, 10000);
  vcast_end_whole (n, VNET_B);
}

/* One that is too short to be answered, and one of another version. */
static void
test_versions (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  vcast_join (n, VNET_A, VNET_B);
  inject_open (n, 1, FASP_VERSION, FASP_OPEN_SIZE - 1);
  inject_open (n, 2, 9, 300);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_C)->packets, ==, 0);
  inject_open (n, 3, 9, FASP_OPEN_SIZE);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_C)->packets, ==, 1);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).datagrams_version, >=, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/secure/plaintext", test_plaintext);
  g_test_add_func ("/secure/replay", test_replay);
  g_test_add_func ("/secure/spoof", test_spoof);
  g_test_add_func ("/secure/refusals", test_refusals);
  g_test_add_func ("/secure/copied-answer", test_copied_answer);
  for (guint i = 0; i < G_N_ELEMENTS (copied_ways); i++)
    g_test_add_data_func (copied_ways[i].path, &copied_ways[i], test_copied_way);
  g_test_add_func ("/secure/copied-keys", test_copied_keys);
  g_test_add_func ("/secure/asked-late", test_asked_late);
  g_test_add_data_func ("/secure/refusals-in-outage", GINT_TO_POINTER (TRUE),
      test_refusals_in_outage);
  g_test_add_data_func ("/secure/refusals-for-good", GINT_TO_POINTER (FALSE),
      test_refusals_in_outage);
  g_test_add_func ("/secure/copied-open", test_copied_open);
  g_test_add_func ("/secure/alien", test_alien);
  g_test_add_func ("/endpoint/flood", test_flood);
  g_test_add_func ("/endpoint/versions", test_versions);
  return g_test_run ();
}
