/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who gets in, with which keys; what damaged datagrams do; when keys change. Somebody between the
 * ends is in test-intruder.c.
 */
#include <string.h>
#include "faspcallingprivate.h"
#include "faspsessionprivate.h"
#include "vcases.h"
#include "vkeys.h"

#define KEY_DATAGRAMS 50 /* that a key is used for */

typedef struct
{
  const gchar *name;
  VKeys listener, caller;
  FaspReason reason; /* NONE: it gets in */
  const gchar *text; /* part of what both are told; NULL: the caller
                        finds out by itself that nobody answers it */
  FaspCipher cipher;
} Meeting;

static const Meeting meetings[] = {
  { "anonymous", { 0, 0, 0, -1 }, { 0, 0, 0, -1 }, FASP_REASON_NONE, NULL, 0 },
  { "passphrase", { 7, 0, 0, -1 }, { 7, 0, 0, -1 }, FASP_REASON_NONE, NULL, 0 },
  { "keys", { 0, 1, 2, -1 }, { 0, 2, 1, -1 }, FASP_REASON_NONE, NULL, 0 },
  { "keys and passphrase", { 7, 1, 2, -1 }, { 7, 2, 1, -1 }, FASP_REASON_NONE, NULL, 0 },
  { "aes-256", { 7, 0, 0, -1 }, { 7, 0, 0, FASP_CIPHER_AES_256_GCM }, FASP_REASON_NONE, NULL,
      FASP_CIPHER_AES_256_GCM },
  { "chacha", { 7, 0, 0, FASP_CIPHER_CHACHA20_POLY1305 }, { 7, 0, 0, -1 }, FASP_REASON_NONE, NULL,
      FASP_CIPHER_CHACHA20_POLY1305 },
  { "no encryption", { 0, 0, 0, FASP_CIPHER_NONE }, { 0, 0, 0, FASP_CIPHER_NONE }, FASP_REASON_NONE,
      NULL, FASP_CIPHER_NONE },
  { "another passphrase", { 7, 0, 0, -1 }, { 8, 0, 0, -1 }, FASP_REASON_KEY, "differ", 0 },
  { "no passphrase", { 7, 0, 0, -1 }, { 0, 0, 0, -1 }, FASP_REASON_KEY, "the caller has none", 0 },
  { "passphrase too many", { 0, 0, 0, -1 }, { 7, 0, 0, -1 }, FASP_REASON_KEY,
      "the listener has none", 0 },
  { "no key", { 0, 1, 2, -1 }, { 0, 0, 0, -1 }, FASP_REASON_KEY, "the caller has none", 0 },
  { "key too many", { 0, 0, 0, -1 }, { 0, 2, 1, -1 }, FASP_REASON_KEY, "the listener has none", 0 },
  { "key and no passphrase", { 7, 1, 2, -1 }, { 0, 2, 1, -1 }, FASP_REASON_KEY,
      "the caller has none", 0 },
  { "unknown key", { 0, 1, 2, -1 }, { 0, 3, 1, -1 }, FASP_REASON_KEY, "allowed-keys", 0 },
  { "another listener", { 0, 4, 2, -1 }, { 0, 2, 1, -1 }, FASP_REASON_KEY, "public-key", 0 },
  { "right key, another passphrase", { 7, 1, 2, -1 }, { 8, 2, 1, -1 }, FASP_REASON_SILENT, NULL,
      0 },
  { "ciphers", { 7, 0, 0, FASP_CIPHER_AES_256_GCM }, { 7, 0, 0, FASP_CIPHER_CHACHA20_POLY1305 },
      FASP_REASON_ENCRYPTION, "encryption", 0 },
  { "encryption on one end", { 0, 0, 0, FASP_CIPHER_NONE }, { 0, 0, 0, -1 }, FASP_REASON_ENCRYPTION,
      "encryption", 0 },
};

static void
test_meeting (gconstpointer data)
{
  const Meeting *m = data;
  g_autoptr (VCast) n = vcast_new (1);
  const FaspEvent *told = &n->nodes[VNET_B].last[FASP_EVENT_REJECTED];
  const FaspEvent *heard = &n->nodes[VNET_A].last[FASP_EVENT_REJECTED];

  vkeys_set (n, VNET_A, &m->listener);
  vkeys_set (n, VNET_B, &m->caller);
  vcast_begin (n, VNET_B);
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
    vcast_end_whole (n, VNET_B);
  } else if (m->text == NULL) {
    g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_UNANSWERED], ==, 1);
    g_assert_nonnull (strstr (n->nodes[VNET_B].last[FASP_EVENT_UNANSWERED].text, "passphrase"));
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
}

static void
count_session_datagrams (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  if (fasp_wire_is_session (bytes, size))
    (*(guint *) data)++;
}

/* A caller with a key has called, and @n waits for the application's decision. @peer: whom the
 * listener allows; 0: nobody, so that it is asked. */
static VCast *
call_with_key (guint8 peer, guint *datagrams)
{
  const VKeys caller = { .own = 2, .peer = 1, .cipher = -1 };
  const VKeys listener = { .own = 1, .peer = peer, .cipher = -1 };
  VCast *n = vcast_new (1);

  vnet_set_tap (n->net, count_session_datagrams, datagrams);
  vkeys_set (n, VNET_A, &listener);
  vkeys_set (n, VNET_B, &caller);
  n->sender.ask = peer != 0;
  if (peer == 0)
    fasp_credentials_ask (n->sender.credentials);
  vcast_begin (n, VNET_B);
  vcast_run (n, FASP_SEC);
  return n;
}

static void
decide (VCast *n, FaspReason refusal)
{
  fasp_endpoint_decide (n->nodes[VNET_A].endpoint, vnet_get_time (n->net),
      &n->nodes[VNET_A].last[FASP_EVENT_CONNECTING], refusal, NULL, NULL);
}

/* Nobody has allowed the key: the application is asked once, after a proof of the address, and is
 * told the key.  Nothing of the stream goes before it has answered. */
static void
test_stranger (gconstpointer data)
{
  gboolean accept = GPOINTER_TO_INT (data);
  FaspReason answers[] = { FASP_REASON_REFUSED, FASP_REASON_NONE };
  guint datagrams = 0;
  g_autoptr (VCast) n = call_with_key (0, &datagrams);
  const FaspEvent *asked = &n->nodes[VNET_A].last[FASP_EVENT_CONNECTING];
  FaspEvent before;
  guint8 key[FASP_KEY_SIZE], public_key[FASP_KEY_SIZE];

  memset (key, 2, sizeof key);
  fasp_x25519_public (key, public_key);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTING], ==, 1);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).handshakes_retried, ==, 1);
  g_assert_true (asked->peer.proved);
  g_assert_false (asked->peer.allowed);
  g_assert_cmpmem (asked->peer.key, FASP_KEY_SIZE, public_key, FASP_KEY_SIZE);
  g_assert_cmpstr (asked->peer.name, ==, "");
  g_assert_cmpuint (datagrams, ==, 0);
  /* what was said of a caller before it that had the same id */
  before = *asked;
  before.order--;
  fasp_endpoint_decide (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), &before,
      answers[!accept], NULL, NULL);
  decide (n, answers[accept]);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTING], ==, 1);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, accept ? 1 : 0);
  if (accept) {
    vcast_end_whole (n, VNET_B);
  } else {
    g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].reason, ==, FASP_REASON_REFUSED);
    g_assert_cmpstr (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].text, ==,
        "the application there refused it");
    g_assert_cmpuint (datagrams, ==, 0);
  }
}

/* The application cannot decide yet: the caller calls again, and comes in with a later answer. */
static void
test_undecided (void)
{
  guint datagrams = 0;
  g_autoptr (VCast) n = call_with_key (0, &datagrams);

  decide (n, FASP_REASON_BUSY);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].reason, ==, FASP_REASON_BUSY);
  g_assert_cmpstr (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].text, ==,
      "the application there has not decided yet: calling again may help");
  g_assert_false (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].final);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTING], ==, 1);
  vcast_run (n, FASP_HALF_TIMEOUT);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTING], ==, 2);
  g_assert_cmpuint (datagrams, ==, 0);
  decide (n, FASP_REASON_NONE);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
}

/* The application answers when the call is over: nobody comes in. */
static void
test_late_answer (void)
{
  guint datagrams = 0;
  g_autoptr (VCast) n = call_with_key (0, &datagrams);

  vcast_leave (n, VNET_B);
  vcast_run (n, FASP_HALF_TIMEOUT + FASP_SEC);
  decide (n, FASP_REASON_NONE);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 0);
  g_assert_cmpuint (datagrams, ==, 0);
}

/* How many more wrong keys the network may try, when the application has refused it. */
static guint
count_after_refusal (guint8 peer)
{
  guint datagrams = 0, n = 0;
  g_autoptr (VCast) cast = call_with_key (peer, &datagrams);
  FaspAddress from = vnet_get_address (VNET_B);
  FaspTime now = vnet_get_time (cast->net);
  FaspLimiter *limiter;

  decide (cast, FASP_REASON_REFUSED);
  limiter = cast->nodes[VNET_A].endpoint->calling->admitted.limiter;
  for (; fasp_limiter_take (limiter, now, &from, TRUE); now += FASP_SEC / FASP_LIMITER_RATE, n++)
    fasp_limiter_refused (limiter, now, &from, TRUE);
  return n;
}

/* Who makes keys up until the application takes one is as slow as who guesses. */
static void
test_refused_strangers (void)
{
  g_assert_cmpuint (count_after_refusal (2), ==, count_after_refusal (0) + 1);
}

typedef struct
{
  VCast *n;
  guint64 forged;
} Flipper;

/* Before each datagram come all those that differ from it in one bit. */
static void
flip (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
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
  gsize bit; /* of the first datagram of this type */
  gboolean done, beyond;
} Damage;

static void
damage (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Damage *d = data;

  if (d->done || fasp_wire_is_session (bytes, size) || (bytes[0] & 0x0f) != d->type)
    return;
  d->done = TRUE;
  d->beyond = d->bit / 8 >= MIN (size, 320); /* zeros from there on */
  bytes[d->bit / 8 % size] ^= 1 << d->bit % 8;
}

/* Any bit of an OPEN, RETRY or ACCEPT: all it costs is time. */
static void
test_handshake (gconstpointer data)
{
  static const FaspHandshakeType types[] = { FASP_HANDSHAKE_OPEN, FASP_HANDSHAKE_RETRY,
    FASP_HANDSHAKE_ACCEPT };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    Damage d = { .type = types[i] };

    for (d.bit = 0; !d.beyond; d.bit += 3, d.done = FALSE) {
      g_autoptr (VCast) n = vcast_new (1);

      n->bitrate = 50000;
      n->sender.half_open_max = types[i] == FASP_HANDSHAKE_RETRY ? 0 : 16;
      vnet_set_tap (n->net, damage, &d);
      vkeys_begin (n, data);
      vcast_run (n, 2 * FASP_SEC);
      g_assert_true (d.done);
      g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
      vcast_end_whole (n, VNET_B);
    }
  }
}

static void
test_every_bit (gconstpointer data)
{
  g_autoptr (VCast) n = vcast_new (1);
  Flipper flipper = { n, 0 };
  FaspEndpointStats a, b;

  n->bitrate = 200000;
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .05;
  vnet_set_tap (n->net, flip, &flipper);
  vkeys_begin (n, data);
  vcast_run (n, 2 * FASP_SEC);
  vcast_end_whole (n, VNET_B);
  a = vcast_get_stats (n, VNET_A);
  b = vcast_get_stats (n, VNET_B);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (flipper.forged, >, 300000);
  g_assert_cmpuint (a.datagrams_forged + b.datagrams_forged, >, flipper.forged / 2);
}

/* The secrets of a handshake are gone when it is made. */
static void
test_forgets (void)
{
  static const guint8 zeros[FASP_KEY_SIZE];
  g_autoptr (VCast) n = vcast_new (9);
  const FaspNoise *noise;

  vkeys_begin (n, &vkeys_secret);
  vcast_run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  noise = &n->nodes[VNET_B].endpoint->calling->call.caller.noise;
  g_assert_cmpmem (noise->e, FASP_KEY_SIZE, zeros, FASP_KEY_SIZE);
  g_assert_cmpmem (noise->ck, FASP_KEY_SIZE, zeros, FASP_KEY_SIZE);
  g_assert_cmpmem (noise->psk, FASP_KEY_SIZE, zeros, FASP_KEY_SIZE);
}

typedef struct
{
  GHashTable *seen[2]; /* packet numbers, by direction */
  guint64 largest[2];
  gboolean phase[2];
  guint changes[2], again;
} Watch;

static void
watch (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Watch *w = data;
  guint side = from != VNET_A;
  FaspSessionHeader header;
  guint64 pn;

  if (!fasp_wire_is_session (bytes, size) || !fasp_wire_parse_session (bytes, size, &header))
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
watch_start (Watch *w, VCast *n)
{
  memset (w, 0, sizeof *w);
  for (guint i = 0; i < 2; i++)
    w->seen[i] = g_hash_table_new (NULL, NULL);
  vnet_set_tap (n->net, watch, w);
}

static void
watch_stop (Watch *w)
{
  for (guint i = 0; i < 2; i++)
    g_hash_table_unref (w->seen[i]);
}

/* An answer that takes longer than it is waited for is one all the same. */
static void
test_rekey_far (void)
{
  g_autoptr (VCast) n = vcast_new (6);
  Watch w;

  watch_start (&w, n);
  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->delay = 1500 * FASP_MSEC;
  n->sender.rekey_interval = n->receiver.rekey_interval = FASP_SEC;
  vcast_begin (n, VNET_B);
  vcast_run (n, 60 * FASP_SEC);
  vcast_end (n);
  vcast_run (n, 20 * FASP_SEC);
  vcast_assert_whole (n, VNET_B);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint (w.changes[i], >, 9);
  watch_stop (&w);
}

/* New keys every second at 5 % loss, with an outage and a new address in
 * between: no packet number twice, every byte there. */
static void
test_rekey (void)
{
  g_autoptr (VCast) n = vcast_new (6);
  Watch w;

  watch_start (&w, n);
  for (guint i = 0; i < 2; i++) {
    vnet_get_wire (n->net, i, !i)->loss = .05;
    vnet_get_wire (n->net, i, !i)->reorder = .05;
  }
  n->bitrate = 1000000;
  n->sender.rekey_interval = n->receiver.rekey_interval = FASP_SEC;
  vcast_begin (n, VNET_B);
  vcast_run (n, 60 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->loss = 1;
  vcast_run (n, 5 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->loss = .05;
  vcast_run (n, 5 * FASP_SEC);
  vnet_rebind (n->net, VNET_B, 4711);
  vcast_run (n, 60 * FASP_SEC);
  vcast_end_whole (n, VNET_B);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint (w.changes[i], >, 90);
  watch_stop (&w);
  g_assert_cmpuint (w.again, ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_A).datagrams_forged, ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).datagrams_forged, ==, 0);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
}

/* And after so many datagrams, where the time would not have come. */
static void
test_rekey_datagrams (void)
{
  g_autoptr (VCast) n = vcast_new (6);
  Watch w;

  watch_start (&w, n);
  n->sender.rekey_datagrams = 1000;
  vcast_begin (n, VNET_B);
  vcast_run (n, 20 * FASP_SEC);
  vcast_end_whole (n, VNET_B);
  g_assert_cmpuint (w.changes[0], >=, w.largest[0] / 1200);
  g_assert_cmpuint (w.changes[0], >, 3);
  g_assert_cmpuint (w.changes[1], ==, 0);
  watch_stop (&w);
}

typedef struct
{
  VCast *n;
  guint64 most; /* datagrams that a key has sealed, while its session was open */
} KeyUse;

static void
look_at_keys (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  KeyUse *use = data;

  FASP_EACH_SESSION (use->n->nodes[VNET_A].endpoint, session)
    if (session->state == FASP_SESSION_OPEN)
      use->most = MAX (use->most, session->priv->rekeying.datagrams);
}

/* A session whose next key is not confirmed ends as soon as the present one has sealed twice as
 * many datagrams, also in the midst of a turn (faspscheduler.h). */
static void
test_rekey_unconfirmed (void)
{
  g_autoptr (VCast) n = vcast_new (6);
  KeyUse use = { n };

  vnet_set_tap (n->net, look_at_keys, &use);
  n->sender.rekey_datagrams = KEY_DATAGRAMS;
  vcast_begin (n, VNET_B);
  vcast_run (n, 3 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    vnet_get_wire (n->net, i, !i)->delay = 1500 * FASP_MSEC;
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpuint (use.most, >, KEY_DATAGRAMS);
  g_assert_cmpuint (use.most, <, 2 * KEY_DATAGRAMS);
}

int
main (int argc, char **argv)
{
  static const VKeys clear = { .cipher = FASP_CIPHER_NONE };

  g_test_init (&argc, &argv, NULL);
  vcases_add ("/secure/meeting", meetings, sizeof *meetings, G_N_ELEMENTS (meetings), test_meeting);
  g_test_add_data_func ("/secure/stranger/let-in", GINT_TO_POINTER (TRUE), test_stranger);
  g_test_add_data_func ("/secure/stranger/refused", GINT_TO_POINTER (FALSE), test_stranger);
  g_test_add_func ("/secure/stranger/undecided", test_undecided);
  g_test_add_func ("/secure/stranger/late-answer", test_late_answer);
  g_test_add_func ("/secure/stranger/slow", test_refused_strangers);
  g_test_add_data_func ("/secure/every-bit/encrypted", &vkeys_secret, test_every_bit);
  g_test_add_data_func ("/secure/every-bit/anonymous", &vkeys_nobody, test_every_bit);
  g_test_add_data_func ("/secure/every-bit/clear", &clear, test_every_bit);
  g_test_add_data_func ("/secure/handshake/encrypted", &vkeys_secret, test_handshake);
  g_test_add_data_func ("/secure/handshake/anonymous", &vkeys_nobody, test_handshake);
  g_test_add_func ("/secure/forgets", test_forgets);
  g_test_add_func ("/secure/rekey/time", test_rekey);
  g_test_add_func ("/secure/rekey/far", test_rekey_far);
  g_test_add_func ("/secure/rekey/datagrams", test_rekey_datagrams);
  g_test_add_func ("/secure/rekey/unconfirmed", test_rekey_unconfirmed);
  return g_test_run ();
}
