/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who gets in, what is seen on the way, and what forged, damaged, replayed or
 * stolen datagrams do: nothing.
 */
#include <string.h>
#include "faspendpointprivate.h"
#include "vcast.h"
#include "vseal.h"
#include "vspy.h"

#define RTT VCAST_RTT

typedef struct
{
  GPtrArray *datagrams;         /* GBytes, as they were delivered */
  GArray *from;                 /* VnetSide */
} Tape;

static void
record (gpointer data, VnetSide from, FaspTime now, guint8 * bytes, gsize size)
{
  Tape *tape = data;

  g_ptr_array_add (tape->datagrams, g_bytes_new (bytes, size));
  g_array_append_val (tape->from, from);
}

static void
tape_init (Tape * tape, VCast * n)
{
  tape->datagrams = g_ptr_array_new_with_free_func ((GDestroyNotify)
      g_bytes_unref);
  tape->from = g_array_new (FALSE, FALSE, sizeof (VnetSide));
  vnet_set_tap (n->net, record, tape);
}

static void
tape_clear (Tape * tape)
{
  g_ptr_array_unref (tape->datagrams);
  g_array_unref (tape->from);
}

/* --- credentials ------------------------------------------------------------------ */

/* The private key of somebody, from a number. */
static void
make_key (guint8 who, guint8 key[FASP_KEY_SIZE])
{
  memset (key, who, FASP_KEY_SIZE);
}

static void
allow (FaspCredentials * credentials, guint8 who, const gchar * name)
{
  guint8 key[FASP_KEY_SIZE], public_key[FASP_KEY_SIZE];

  make_key (who, key);
  fasp_x25519_public (key, public_key);
  fasp_credentials_allow (credentials, public_key, name);
}

/* 0: none of it. @secret: a shared one; @own, @peer: keys. */
typedef struct
{
  guint8 secret, own, peer;
  gint cipher;                  /* -1: all */
} Keys;

static FaspCredentials *
make_credentials (const Keys * keys)
{
  FaspCredentials *credentials = fasp_credentials_new ();
  guint8 key[FASP_KEY_SIZE];

  if (keys->secret != 0) {
    make_key (keys->secret, key);
    fasp_credentials_set_psk (credentials, key);
  }
  if (keys->own != 0) {
    make_key (keys->own, key);
    fasp_credentials_set_key (credentials, key);
  }
  if (keys->peer != 0)
    allow (credentials, keys->peer, "somebody");
  if (keys->cipher >= 0)
    fasp_credentials_set_cipher (credentials, keys->cipher);
  return credentials;
}

static void
join (VCast * n, VnetSide side, FaspMode mode, VnetSide dials,
    const Keys * keys)
{
  FaspEndpointConfig c = vcast_config (side, mode);

  c.credentials = make_credentials (keys);
  vcast_join (n, side, &c, dials);
  fasp_credentials_unref (c.credentials);
}

static const Keys nobody = {.cipher = -1 };
static const Keys secret = {.secret = 7,.cipher = -1 };

/* --- who gets in ------------------------------------------------------------------- */

typedef struct
{
  const gchar *name;
  Keys listener, caller;
  FaspReason reason;            /* NONE: it gets in */
  const gchar *text;            /* part of what both are told; NULL: the caller
                                   finds out by itself that nobody answers it */
  FaspCipher cipher;
} Meeting;

static const Meeting meetings[] = {
  {"anonymous", {0, 0, 0, -1}, {0, 0, 0, -1}, FASP_REASON_NONE, NULL, 0},
  {"passphrase", {7, 0, 0, -1}, {7, 0, 0, -1}, FASP_REASON_NONE, NULL, 0},
  {"keys", {0, 1, 2, -1}, {0, 2, 1, -1}, FASP_REASON_NONE, NULL, 0},
  {"keys and passphrase", {7, 1, 2, -1}, {7, 2, 1, -1}, FASP_REASON_NONE, NULL,
      0},
  {"aes-256", {7, 0, 0, -1}, {7, 0, 0, FASP_CIPHER_AES_256_GCM},
      FASP_REASON_NONE, NULL, FASP_CIPHER_AES_256_GCM},
  {"chacha", {7, 0, 0, FASP_CIPHER_CHACHA20_POLY1305}, {7, 0, 0, -1},
      FASP_REASON_NONE, NULL, FASP_CIPHER_CHACHA20_POLY1305},
  {"no encryption", {0, 0, 0, FASP_CIPHER_NONE}, {0, 0, 0, FASP_CIPHER_NONE},
      FASP_REASON_NONE, NULL, FASP_CIPHER_NONE},
  {"another passphrase", {7, 0, 0, -1}, {8, 0, 0, -1}, FASP_REASON_KEY,
      "differ", 0},
  {"no passphrase", {7, 0, 0, -1}, {0, 0, 0, -1}, FASP_REASON_KEY,
      "the caller has none", 0},
  {"passphrase too many", {0, 0, 0, -1}, {7, 0, 0, -1}, FASP_REASON_KEY,
      "the listener has none", 0},
  {"no key", {0, 1, 2, -1}, {0, 0, 0, -1}, FASP_REASON_KEY,
      "the caller has none", 0},
  {"key too many", {0, 0, 0, -1}, {0, 2, 1, -1}, FASP_REASON_KEY,
      "the listener has none", 0},
  {"key and no passphrase", {7, 1, 2, -1}, {0, 2, 1, -1}, FASP_REASON_KEY,
      "the caller has none", 0},
  {"unknown key", {0, 1, 2, -1}, {0, 3, 1, -1}, FASP_REASON_KEY,
      "allowed-keys", 0},
  {"another listener", {0, 4, 2, -1}, {0, 2, 1, -1}, FASP_REASON_KEY,
      "public-key", 0},
  {"right key, another passphrase", {7, 1, 2, -1}, {8, 2, 1, -1},
      FASP_REASON_SILENT, NULL, 0},
  {"ciphers", {7, 0, 0, FASP_CIPHER_AES_256_GCM}, {7, 0, 0,
          FASP_CIPHER_CHACHA20_POLY1305}, FASP_REASON_ENCRYPTION, "encryption",
      0},
  {"encryption on one end", {0, 0, 0, FASP_CIPHER_NONE}, {0, 0, 0, -1},
      FASP_REASON_ENCRYPTION, "encryption", 0},
};

static void
test_meeting (gconstpointer data)
{
  const Meeting *m = data;
  VCast *n = vcast_new (1);
  const FaspEvent *told = &n->nodes[VNET_B].last[FASP_EVENT_REJECTED];
  const FaspEvent *heard = &n->nodes[VNET_A].last[FASP_EVENT_REJECTED];

  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, &m->listener);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, &m->caller);
  vcast_run (n, 3 * FASP_SEC);
  if (m->reason == FASP_REASON_NONE) {
    FaspSessionStats there = vcast_get_session (n, VNET_A);
    FaspSessionStats here = vcast_get_session (n, VNET_B);

    g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpint (there.cipher, ==, here.cipher);
    if (m->cipher != 0 || m->caller.cipher == FASP_CIPHER_NONE)
      g_assert_cmpint (here.cipher, ==, m->cipher);
    else
      g_assert_cmpint (here.cipher, !=, FASP_CIPHER_NONE);
    g_assert_true (there.peer.proved == (m->caller.own != 0));
    g_assert_true (here.peer.proved == (m->caller.own != 0));
    g_assert_cmpstr (there.peer.name, ==, m->caller.own ? "somebody" : "");
    vcast_end (n);
    vcast_assert_whole (n, VNET_B);
  } else if (m->text == NULL) {
    g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_UNANSWERED], ==, 1);
    g_assert_nonnull (strstr (n->nodes[VNET_B].last[FASP_EVENT_UNANSWERED].text,
            "passphrase"));
    g_assert_cmpuint (vcast_get_stats (n, VNET_B).datagrams_forged, >, 0);
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 0);
  } else {
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 0);
    g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 0);
    g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_REJECTED], ==, 1);
    g_assert_true (told->final);
    g_assert_cmpint (told->reason, ==, m->reason);
    g_assert_cmpint (heard->reason, ==, m->reason);
    g_assert_nonnull (strstr (told->text, m->text));
    g_assert_cmpstr (told->text, ==, heard->text);
    g_assert_cmpuint (vcast_get_stats (n, VNET_A).handshakes_refused, >=, 2);
  }
  vcast_free (n);
}

/* --- what is seen on the way ---------------------------------------------------------- */

/* Nothing of the stream, in any datagram: runs of eight bytes are looked for. */
static void
test_plaintext (void)
{
  VCast *n = vcast_new (1);
  GHashTable *words = g_hash_table_new (g_int64_hash, g_int64_equal);
  guint8 *stream;
  guint found = 0;
  Tape tape;

  tape_init (&tape, n);
  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, &nobody);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, &nobody);
  vcast_run (n, FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  stream = g_malloc (n->written + 8);
  for (guint64 i = 0; i < n->written; i++)
    stream[i] = vcast_byte_at (i);
  for (guint64 i = 0; i + 8 <= n->written; i++)
    g_hash_table_add (words, stream + i);
  for (guint i = 0; i < tape.datagrams->len; i++) {
    gsize size;
    const guint8 *bytes = g_bytes_get_data (g_ptr_array_index (tape.datagrams,
            i), &size);

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
  vcast_free (n);
}

/* --- damage ------------------------------------------------------------------------------ */

typedef struct
{
  VCast *n;
  guint64 forged;
} Flipper;

/* Before each datagram come all those that differ from it in one bit. */
static void
flip (gpointer data, VnetSide from, FaspTime now, guint8 * bytes, gsize size)
{
  Flipper *flipper = data;
  VnetSide to = from == VNET_A ? VNET_B : VNET_A;
  FaspEndpoint *endpoint = flipper->n->nodes[to].endpoint;
  FaspAddress address = vnet_get_address (from);
  guint8 *copy = g_memdup2 (bytes, size);

  /* a handshake that is not ours to finish is another matter: test_handshake */
  if (endpoint != NULL && fasp_wire_is_session (bytes, size))
    for (gsize bit = 0; bit < size * 8; bit++) {
      copy[bit / 8] ^= 1 << bit % 8;
      fasp_endpoint_receive (endpoint, now, &address, copy, size, NULL, FALSE);
      copy[bit / 8] ^= 1 << bit % 8;
    }
  flipper->forged += size * 8;
  g_free (copy);
}

typedef struct
{
  FaspHandshakeType type;
  gsize bit;                    /* of the first datagram of this type */
  gboolean done, beyond;
} Damage;

static void
damage (gpointer data, VnetSide from, FaspTime now, guint8 * bytes, gsize size)
{
  Damage *d = data;

  if (d->done || fasp_wire_is_session (bytes, size)
      || (bytes[0] & 0x0f) != d->type)
    return;
  d->done = TRUE;
  d->beyond = d->bit / 8 >= MIN (size, 320);    /* zeros from there on */
  bytes[d->bit / 8 % size] ^= 1 << d->bit % 8;
}

/* Any bit of an OPEN, RETRY or ACCEPT: all it costs is time. */
static void
test_handshake (gconstpointer data)
{
  static const FaspHandshakeType types[] = { FASP_HANDSHAKE_OPEN,
    FASP_HANDSHAKE_RETRY, FASP_HANDSHAKE_ACCEPT
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    Damage d = {.type = types[i] };

    for (d.bit = 0; !d.beyond; d.bit += 3, d.done = FALSE) {
      VCast *n = vcast_new (1);
      FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);

      n->bitrate = 50000;
      a.credentials = make_credentials (data);
      a.half_open_max = types[i] == FASP_HANDSHAKE_RETRY ? 0 : 16;
      vnet_set_tap (n->net, damage, &d);
      vcast_join (n, VNET_A, &a, VNET_B);
      fasp_credentials_unref (a.credentials);
      join (n, VNET_B, FASP_MODE_CALLER, VNET_A, data);
      vcast_run (n, 2 * FASP_SEC);
      g_assert_true (d.done);
      g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
      vcast_end (n);
      vcast_assert_whole (n, VNET_B);
      vcast_free (n);
    }
  }
}

static void
test_every_bit (gconstpointer data)
{
  VCast *n = vcast_new (1);
  Flipper flipper = { n, 0 };
  FaspEndpointStats a, b;

  n->bitrate = 200000;
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .05;
  vnet_set_tap (n->net, flip, &flipper);
  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, data);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, data);
  vcast_run (n, 2 * FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  a = vcast_get_stats (n, VNET_A);
  b = vcast_get_stats (n, VNET_B);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (flipper.forged, >, 300000);
  g_assert_cmpuint (a.datagrams_forged + b.datagrams_forged, >,
      flipper.forged / 2);
  vcast_free (n);
}

/* --- strangers ------------------------------------------------------------------------------ */

static FaspTime
get_worst (VCast * n, VnetSide side)
{
  return fasp_hist_percentile (fasp_endpoint_get_lateness
      (n->nodes[side].endpoint, TRUE), 1);
}

/* A stream to B; beside it C replays all that was ever sent, from its own
 * address and from the right ones, in another order, to the wrong session. */
static void
test_replay (void)
{
  VCast *n = vcast_new (3);
  FaspSessionStats before, after;
  GRand *rand = g_rand_new_with_seed (5);
  FaspTime worst;
  Tape tape;

  tape_init (&tape, n);
  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, &secret);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, &secret);
  join (n, VNET_D, FASP_MODE_CALLER, VNET_A, &secret);
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
    const guint8 *bytes = g_bytes_get_data (g_ptr_array_index (tape.datagrams,
            which), &size);
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
  g_assert_cmpuint (after.datagrams_duplicate, >, before.datagrams_duplicate);
  g_assert_cmpuint (after.skips, ==, 0);
  /* nothing comes later for it than before */
  g_assert_cmpint (get_worst (n, VNET_B), ==, worst);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_assert_whole (n, VNET_D);
  g_rand_free (rand);
  tape_clear (&tape);
  vcast_free (n);
}

/* Who knows the addresses, the ids and the packet numbers, and has keys of its
 * own from another session with the same sender: CLOSE, FEEDBACK, SKIP. */
static void
test_spoof (void)
{
  VCast *n = vcast_new (4);
  FaspEndpointConfig c = vcast_config (VNET_C, FASP_MODE_CALLER);
  FaspAddress peer = vnet_get_address (VNET_A), b = vnet_get_address (VNET_B);
  guint8 frames[64];
  FaspSessionHeader header;
  Tape tape;
  VSpy spy;
  gsize size;

  tape_init (&tape, n);
  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, &nobody);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, &nobody);
  vcast_run (n, FASP_SEC);
  /* the good session's id at the sender is there for all to see */
  for (guint i = tape.datagrams->len;; i--)
    if (g_array_index (tape.from, VnetSide, i - 1) == VNET_B) {
      const guint8 *bytes = g_bytes_get_data (g_ptr_array_index (tape.datagrams,
              i - 1), &size);

      g_assert_true (fasp_wire_parse_session (bytes, size, &header));
      break;
    }
  /* C is a receiver, too, whose secrets we have */
  vnet_set_tap (n->net, NULL, NULL);
  vspy_init (&spy, n->net);
  n->nodes[VNET_C].endpoint = fasp_endpoint_new (&c, vspy_random, &spy);
  n->nodes[VNET_C].origin = -1;
  vnet_attach (n->net, VNET_C, n->nodes[VNET_C].endpoint);
  vnet_set_tap (n->net, record, &tape);
  size = tape.datagrams->len;
  fasp_endpoint_dial (n->nodes[VNET_C].endpoint, vnet_get_time (n->net), &peer);
  vcast_run (n, FASP_SEC);
  for (guint i = size; i < tape.datagrams->len; i++) {
    const guint8 *bytes = g_bytes_get_data (g_ptr_array_index (tape.datagrams,
            i), &size);

    vspy_see (&spy, bytes, size);
  }
  g_assert_true (spy.knows);
  spy.listener = header.cid;    /* its own keys, the other's session */
  for (guint i = 0; i < 300; i++) {
    FaspFeedback feedback = {.ack = 100000,.tail = TRUE };
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
    FaspHello hello = {.role = FASP_ROLE_RECEIVER,.window = 64,.has_resume =
          TRUE,.resume_cid = header.cid
    };
    guint8 nonce[FASP_NONCE_SIZE] = { 1, i }, open[FASP_OPEN_SIZE];

    vspy_make_open (n->net, 1000 + i, nonce, &hello, open);
    vnet_inject (n->net, VNET_A, i % 2 ? &b : &peer, open, sizeof open);
    vcast_run (n, 20 * FASP_MSEC);
  }
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).datagrams_forged, >=, 250);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_REMOVED], ==, 0);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  tape_clear (&tape);
  vcast_free (n);
}

/* Somebody near the caller refuses each of its calls at once, for as long as it
 * takes: the ACCEPT, which comes later, counts. */
static void
refuse (gpointer data, VnetSide from, FaspTime now, guint8 * bytes, gsize size)
{
  VCast *n = data;
  FaspAddress peer = vnet_get_address (VNET_A);
  FaspHandshake open, no = {.type = FASP_HANDSHAKE_REJECT,.version =
        FASP_VERSION,.reason = FASP_REASON_KEY
  };
  guint8 out[300];
  FaspWriter w = { out, sizeof out };

  if (from != VNET_B || fasp_wire_is_session (bytes, size)
      || !fasp_wire_parse_handshake (bytes, size, &open)
      || open.type != FASP_HANDSHAKE_OPEN)
    return;
  no.to_cid = open.from_cid;
  memcpy (no.nonce, open.nonce, FASP_NONCE_SIZE);
  fasp_wire_write_handshake (&w, &no);
  vnet_inject (n->net, VNET_B, &peer, out, w.used);
}

/* Somebody near the caller copies each answer, and his copy is there first, from an address of
 * his own. */
static void
steal_answer (gpointer data, VnetSide from, FaspTime now, guint8 * bytes,
    gsize size)
{
  FaspAddress thief = vnet_get_address (VNET_C);
  FaspHandshake answer;
  VCast *n = data;

  if (from != VNET_A || fasp_wire_is_session (bytes, size)
      || !fasp_wire_parse_handshake (bytes, size, &answer)
      || answer.type != FASP_HANDSHAKE_ACCEPT)
    return;
  vnet_inject (n->net, VNET_B, &thief, bytes, size);
  bytes[0] = 0;                 /* it comes later, and is not looked at any more */
}

static void
test_copied_answer (void)
{
  VCast *n = vcast_new (7);

  vnet_set_tap (n->net, steal_answer, n);
  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, &secret);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, &secret);
  vcast_run (n, 10 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++) {
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_INTERRUPTED], ==, 0);
  }
  /* he is asked whether the listener is there */
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_B, VNET_C)->packets, <=,
      FASP_CHALLENGES);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* And in an outage, while a caller asks whether it is still known: no ACCEPT can come then. It
 * is asked for what a refusal means when the session is given up, not before. */
static void
test_refusals_in_outage (gconstpointer data)
{
  gboolean comes_back = GPOINTER_TO_INT (data);
  VCast *n = vcast_new (7);
  VCastNode *b = &n->nodes[VNET_B];

  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, &secret);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, &secret);
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
    vcast_end (n);
    vcast_assert_whole (n, VNET_B);
  } else {
    vcast_run (n, 60 * FASP_SEC);
    g_assert_cmpuint (b->events[FASP_EVENT_REMOVED], ==, 1);
    g_assert_cmpuint (b->events[FASP_EVENT_REJECTED], ==, 2);
    g_assert_true (b->last[FASP_EVENT_REJECTED].final);
  }
  g_assert_cmpuint (b->events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_free (n);
}

static void
test_refusals (void)
{
  VCast *n = vcast_new (7);

  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->delay = 400 * FASP_MSEC;
  vnet_set_tap (n->net, refuse, n);
  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, &secret);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, &secret);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_REJECTED], ==, 0);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* An OPEN that was copied on its way, and comes from elsewhere first. */
static void
copy_open (gpointer data, VnetSide from, FaspTime now, guint8 * bytes,
    gsize size)
{
  VCast *n = data;
  FaspAddress elsewhere = vnet_get_address (VNET_C);

  if (from == VNET_B && (bytes[0] & 0xff) == 0x41)
    fasp_endpoint_receive (n->nodes[VNET_A].endpoint, now, &elsewhere, bytes,
        size, NULL, FALSE);
}

static void
test_copied_open (void)
{
  VCast *n = vcast_new (7);

  vnet_set_tap (n->net, copy_open, n);
  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, &secret);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, &secret);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  vcast_free (n);
}

/* What is not even opened touches nothing: a datagram of another flow does not
 * make an interrupted session look alive. */
static void
test_alien (void)
{
  VCast *n = vcast_new (8);
  FaspAddress a = vnet_get_address (VNET_A);
  guint8 *last;
  gsize size;
  Tape tape;

  tape_init (&tape, n);
  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, &secret);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, &secret);
  vcast_run (n, FASP_SEC);
  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->loss = 1;
  vnet_set_tap (n->net, NULL, NULL);
  for (guint i = tape.datagrams->len; g_array_index (tape.from, VnetSide,
          i - 1) != VNET_A; i--)
    g_ptr_array_set_size (tape.datagrams, i - 1);
  last = g_bytes_unref_to_data (g_bytes_ref (g_ptr_array_index (tape.datagrams,
              tape.datagrams->len - 1)), &size);
  last[0] |= 1;                 /* flow 1 */
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
  vcast_free (n);
}

/* The secrets of a handshake are gone when it is made. */
static void
test_forgets (void)
{
  static const guint8 zeros[FASP_KEY_SIZE];
  VCast *n = vcast_new (9);
  const FaspNoise *noise;

  join (n, VNET_A, FASP_MODE_LISTENER, VNET_B, &secret);
  join (n, VNET_B, FASP_MODE_CALLER, VNET_A, &secret);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  noise = &n->nodes[VNET_B].endpoint->caller.noise;
  g_assert_cmpmem (noise->e, FASP_KEY_SIZE, zeros, FASP_KEY_SIZE);
  g_assert_cmpmem (noise->ck, FASP_KEY_SIZE, zeros, FASP_KEY_SIZE);
  g_assert_cmpmem (noise->psk, FASP_KEY_SIZE, zeros, FASP_KEY_SIZE);
  vcast_free (n);
}

/* The ACCEPT of a listener that has the group's key @key, to the call of @caller; @message has
 * room for it. */
static FaspHandshake
accept_with_key (const FaspCaller * caller, FaspCredentials * credentials,
    const guint8 key[FASP_GROUP_KEY_SIZE], guint8 message[FASP_MESSAGE_MAX])
{
  FaspHello hello = {.role = FASP_ROLE_SENDER,.cid = 2,.flows = 1,.n_ciphers =
        1,.ciphers = {FASP_CIPHER_AES_128_GCM},.has_group_key = TRUE
  };
  FaspHandshake accept = {.type = FASP_HANDSHAKE_ACCEPT,.version = FASP_VERSION,
    .to_cid = caller->open.from_cid,.from_cid = 2,.message = message
  };
  const guint8 ephemeral[FASP_KEY_SIZE] = { 2 };
  guint8 payload[FASP_MESSAGE_MAX];
  FaspWriter p = { payload, sizeof payload }, m = { message, FASP_MESSAGE_MAX };
  FaspNoise noise;
  gsize size;

  fasp_credentials_begin (credentials, FALSE, &caller->open, ephemeral, &noise);
  g_assert_true (fasp_noise_read (&noise, caller->open.message,
          caller->open.message_size, payload, &size));
  memcpy (hello.group_key.key, key, FASP_GROUP_KEY_SIZE);
  hello.group_key.cid = 3;
  hello.group_key.cipher = FASP_CIPHER_AES_128_GCM;
  fasp_wire_write_hello (&p, &hello);
  g_assert_true (fasp_noise_write (&noise, payload, p.used, &m));
  memcpy (accept.nonce, caller->open.nonce, FASP_NONCE_SIZE);
  accept.message_size = m.used;
  return accept;
}

/* Nor does an answer that is not taken leave the key of a group behind. */
static void
test_forgets_group (void)
{
  static const guint8 zeros[FASP_GROUP_KEY_SIZE];
  const FaspHello hello = {.role = FASP_ROLE_RECEIVER,.flows = 1 };
  const guint8 nonce[FASP_NONCE_SIZE] = { 1 }, ephemeral[FASP_KEY_SIZE] = { 1 };
  const guint8 key[FASP_GROUP_KEY_SIZE] = "The group's key";
  FaspCredentials *credentials = fasp_credentials_new ();
  guint8 message[FASP_MESSAGE_MAX];
  FaspAgreement agreement = { 0 };
  FaspHandshake accept;
  FaspCaller caller;

  fasp_caller_start (&caller, 0, 1, nonce, &hello, credentials, ephemeral);
  accept = accept_with_key (&caller, credentials, key, message);
  accept.from_cid = 4;          /* not what its message says */
  g_assert_cmpint (fasp_caller_receive (&caller, 0, &accept, &agreement), ==,
      FASP_CALLER_FORGED);
  g_assert_cmpmem (agreement.hello.group_key.key, sizeof key, zeros,
      sizeof key);
  accept.from_cid = 2;
  g_assert_cmpint (fasp_caller_receive (&caller, 0, &accept, &agreement), ==,
      FASP_CALLER_ACCEPTED);
  g_assert_cmpmem (agreement.hello.group_key.key, sizeof key, key, sizeof key);
  fasp_caller_stop (&caller);
  fasp_credentials_unref (credentials);
}

/* --- rekeying ---------------------------------------------------------------------------------- */

typedef struct
{
  GHashTable *seen[2];          /* packet numbers, by direction */
  guint64 largest[2];
  gboolean phase[2];
  guint changes[2], again;
} Watch;

static void
watch (gpointer data, VnetSide from, FaspTime now, guint8 * bytes, gsize size)
{
  Watch *w = data;
  guint side = from != VNET_A;
  FaspSessionHeader header;
  guint64 pn;

  if (!fasp_wire_is_session (bytes, size)
      || !fasp_wire_parse_session (bytes, size, &header))
    return;
  pn = fasp_widen (header.pn, FASP_PN_BITS, w->largest[side]);
  if (pn >= w->largest[side]) {
    w->changes[side] += header.phase != w->phase[side];
    w->phase[side] = header.phase;
    w->largest[side] = pn;
  }
  w->again += !g_hash_table_add (w->seen[side], GSIZE_TO_POINTER (pn + 1));
}

static void
watch_start (Watch * w, VCast * n)
{
  memset (w, 0, sizeof *w);
  for (guint i = 0; i < 2; i++)
    w->seen[i] = g_hash_table_new (NULL, NULL);
  vnet_set_tap (n->net, watch, w);
}

static void
watch_stop (Watch * w)
{
  for (guint i = 0; i < 2; i++)
    g_hash_table_unref (w->seen[i]);
}

/* An answer that takes longer than it is waited for is one all the same. */
static void
test_rekey_far (void)
{
  VCast *n = vcast_new (6);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  Watch w;

  watch_start (&w, n);
  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->delay = 1500 * FASP_MSEC;
  a.rekey_interval = b.rekey_interval = FASP_SEC;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 60 * FASP_SEC);
  vcast_end (n);
  vcast_run (n, 20 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint (w.changes[i], >, 9);
  watch_stop (&w);
  vcast_free (n);
}

/* New keys every second at 5 % loss, with an outage and a new address in
 * between: no packet number twice, every byte there. */
static void
test_rekey (void)
{
  VCast *n = vcast_new (6);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  Watch w;

  watch_start (&w, n);
  for (guint i = 0; i < 2; i++) {
    vnet_get_wire (n->net, i, !i)->loss = .05;
    vnet_get_wire (n->net, i, !i)->reorder = .05;
  }
  n->bitrate = 1000000;
  a.rekey_interval = b.rekey_interval = FASP_SEC;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 60 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->loss = 1;
  vcast_run (n, 5 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->loss = .05;
  vcast_run (n, 5 * FASP_SEC);
  vnet_rebind (n->net, VNET_B, 4711);
  vcast_run (n, 60 * FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint (w.changes[i], >, 90);
  watch_stop (&w);
  g_assert_cmpuint (w.again, ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).datagrams_forged, ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).datagrams_forged, ==, 0);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  vcast_free (n);
}

/* And after so many datagrams, where the time would not have come. */
static void
test_rekey_datagrams (void)
{
  VCast *n = vcast_new (6);
  FaspEndpointConfig a = vcast_config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = vcast_config (VNET_B, FASP_MODE_CALLER);
  Watch w;

  watch_start (&w, n);
  a.rekey_datagrams = 1000;
  vcast_join (n, VNET_A, &a, VNET_B);
  vcast_join (n, VNET_B, &b, VNET_A);
  vcast_run (n, 20 * FASP_SEC);
  vcast_end (n);
  vcast_assert_whole (n, VNET_B);
  g_assert_cmpuint (w.changes[0], >=, w.largest[0] / 1200);
  g_assert_cmpuint (w.changes[0], >, 3);
  g_assert_cmpuint (w.changes[1], ==, 0);
  watch_stop (&w);
  vcast_free (n);
}

/* A sealer seals nothing under a nonce that it has used; what is late opens
 * with the key before, and two phases back with none. */
static void
test_nonces (gconstpointer data)
{
  FaspCipher cipher = GPOINTER_TO_UINT (data);
  const guint8 key[FASP_KEY_SIZE] = { 1, 2, 3 };
  FaspSealer *sealer = fasp_sealer_new (cipher, key);
  FaspOpener *opener = fasp_opener_new (cipher, key);
  guint8 kept[12][64], scratch[64];
  gsize sizes[12], size;

  for (guint i = 0; i < 12; i++) {
    FaspSessionHeader header = { 0, fasp_sealer_get_phase (sealer), 5, i };
    FaspWriter w = { kept[i], sizeof kept[i] };

    fasp_wire_write_session (&w, &header);
    fasp_write_uint (&w, 1000 + i, 2);
    vseal_close (sealer, 0, i, &w);
    g_assert_false (w.failed);
    sizes[i] = w.used;
    w.used -= fasp_cipher_get_tag_size (cipher);
    vseal_close (sealer, 0, i, &w);
    g_assert_true (w.failed);
    if (i % 4 == 3)
      fasp_sealer_rekey (sealer);
  }
  for (guint i = 0; i < 24; i++) {
    /* 0 and 1; the second phase, then the rest of the first; the third */
    static const guint8 order[] = { 0, 1, 5, 2, 4, 3, 7, 6, 9, 11, 8, 10, 4, 5,
      6, 7, 0, 1, 2, 3, 8, 9, 10, 11
    };
    guint which = order[i];
    FaspSessionHeader header;
    const guint8 *frames;

    g_assert_true (fasp_wire_parse_session (kept[which], sizes[which],
            &header));
    frames = fasp_opener_open (opener, &header, which, kept[which],
        sizes[which], scratch, &size);
    if (i >= 16 && which < 4) {
      g_assert_null (frames);   /* its key is forgotten */
      continue;
    }
    g_assert_nonnull (frames);
    g_assert_cmpuint (size, ==, 2);
    g_assert_cmpuint (frames[1], ==, (1000 + which) & 255);
  }
  fasp_sealer_free (sealer);
  fasp_opener_free (opener);
}

int
main (int argc, char **argv)
{
  static const Keys clear = {.cipher = FASP_CIPHER_NONE };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (meetings); i++) {
    gchar *path = g_strdup_printf ("/secure/meeting/%s", meetings[i].name);

    g_test_add_data_func (path, &meetings[i], test_meeting);
    g_free (path);
  }
  g_test_add_func ("/secure/plaintext", test_plaintext);
  g_test_add_data_func ("/secure/every-bit/encrypted", &secret, test_every_bit);
  g_test_add_data_func ("/secure/every-bit/anonymous", &nobody, test_every_bit);
  g_test_add_data_func ("/secure/every-bit/clear", &clear, test_every_bit);
  g_test_add_data_func ("/secure/handshake/encrypted", &secret, test_handshake);
  g_test_add_data_func ("/secure/handshake/anonymous", &nobody, test_handshake);
  g_test_add_func ("/secure/replay", test_replay);
  g_test_add_func ("/secure/spoof", test_spoof);
  g_test_add_func ("/secure/refusals", test_refusals);
  g_test_add_func ("/secure/copied-answer", test_copied_answer);
  g_test_add_data_func ("/secure/refusals-in-outage", GINT_TO_POINTER (TRUE),
      test_refusals_in_outage);
  g_test_add_data_func ("/secure/refusals-for-good", GINT_TO_POINTER (FALSE),
      test_refusals_in_outage);
  g_test_add_func ("/secure/copied-open", test_copied_open);
  g_test_add_func ("/secure/alien", test_alien);
  g_test_add_func ("/secure/forgets", test_forgets);
  g_test_add_func ("/secure/forgets-group", test_forgets_group);
  g_test_add_func ("/secure/rekey/time", test_rekey);
  g_test_add_func ("/secure/rekey/far", test_rekey_far);
  g_test_add_func ("/secure/rekey/datagrams", test_rekey_datagrams);
  g_test_add_data_func ("/secure/nonces/aes",
      GUINT_TO_POINTER (FASP_CIPHER_AES_128_GCM), test_nonces);
  g_test_add_data_func ("/secure/nonces/chacha",
      GUINT_TO_POINTER (FASP_CIPHER_CHACHA20_POLY1305), test_nonces);
  g_test_add_data_func ("/secure/nonces/clear",
      GUINT_TO_POINTER (FASP_CIPHER_NONE), test_nonces);
  return g_test_run ();
}
