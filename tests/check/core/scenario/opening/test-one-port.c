/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Several endpoints at one port, which call each other without a network between them, and who
 * means them harm.
 */
#include <string.h>
#include "faspcallingprivate.h"
#include "fasproutes.h"
#include "vflat.h"

static guint
add (FaspRoutes *routes, FaspRole role, const gchar *streamid)
{
  guint number;

  g_assert_cmpint (fasp_routes_add (routes, role, streamid, &number), ==, FASP_ROUTES_ADDED);
  return number;
}

/* --- endpoints ------------------------------------------------------------------------- */

#define MEMBERS 4
#define LATER (50 * FASP_MSEC)

/* A port with streams "0", "1" ..., each with a passphrase of its own. */
typedef struct
{
  FaspTime now;
  GRand *rand;
  FaspLimiter limiter;
  FaspRoutes *routes;
  guint numbers[MEMBERS];
  FaspEndpoint *members[MEMBERS], *by_number[FASP_ROUTES_MAX];
  guint answers, largest; /* to callers, and their bytes */
} Port;

static void
rand_bytes (gpointer rand, guint8 *data, gsize size)
{
  for (gsize i = 0; i < size; i++)
    data[i] = g_rand_int (rand);
}

static FaspCredentials *
make_key (guint which)
{
  FaspCredentials *credentials = fasp_credentials_new ();
  guint8 psk[FASP_KEY_SIZE] = { which };

  fasp_credentials_set_psk (credentials, psk);
  return credentials;
}

static FaspEndpoint *
make_endpoint (Port *port, FaspMode mode, FaspRole role, guint key, const gchar *streamid,
    guint number)
{
  FaspCredentials *credentials = make_key (key);
  FaspEndpointConfig config;
  FaspEndpoint *endpoint;

  fasp_endpoint_config_init (&config, role, mode);
  config.streamid = streamid;
  config.credentials = credentials;
  config.settings.wait_for_connection = FALSE;
  if (mode == FASP_MODE_LISTENER) {
    config.limiter = &port->limiter;
    config.id_bits = FASP_ROUTES_BITS;
    config.id_prefix = fasp_routes_get_prefix (number);
  }
  endpoint = fasp_endpoint_new (&config, rand_bytes, port->rand);
  fasp_credentials_unref (credentials);
  return endpoint;
}

static Port *
port_new (void)
{
  static const guint8 secret[16] = { 1 };
  Port *port = g_new0 (Port, 1);

  port->now = FASP_SEC;
  port->rand = g_rand_new_with_seed (1);
  port->routes = fasp_routes_new (1000);
  fasp_limiter_init (&port->limiter, secret);
  for (guint i = 0; i < MEMBERS; i++) {
    g_autofree gchar *streamid = g_strdup_printf ("%u", i);
    guint number = add (port->routes, FASP_ROLE_SENDER, streamid);

    port->numbers[i] = number;
    port->members[i] = port->by_number[number] =
        make_endpoint (port, FASP_MODE_LISTENER, FASP_ROLE_SENDER, i, streamid, number);
  }
  return port;
}

static void
port_free (Port *port)
{
  for (guint i = 0; i < MEMBERS; i++)
    fasp_endpoint_free (port->members[i]);
  g_assert_cmpuint (fasp_limiter_count_half (&port->limiter), ==, 0);
  fasp_routes_free (port->routes);
  g_rand_free (port->rand);
  g_free (port);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Port, port_free)

static FaspAddress
make_address (guint host)
{
  FaspAddress address = { .len = 16, .overhead = 28 };

  address.bytes[4] = 10;
  address.bytes[5] = host >> 16;
  address.bytes[6] = host >> 8;
  address.bytes[7] = host;
  return address;
}

static void
port_receive (Port *port, const FaspAddress *from, const guint8 *data, gsize size)
{
  FaspRoute route;
  guint number = fasp_routes_find (port->routes, port->now, data, size, &route);

  fasp_endpoint_receive_routed (port->by_number[number], port->now, from, data, size, NULL, FALSE,
      route);
}

/* What the members send goes to @caller, if it is to @address. */
static void
port_send (Port *port, const FaspAddress *address, FaspEndpoint *caller)
{
  FaspAddress here = make_address (1);
  FaspDatagram datagram;

  for (guint i = 0; i < MEMBERS; i++)
    while (fasp_endpoint_poll (port->members[i], port->now, &datagram)) {
      vflat_datagram (&datagram);
      port->answers++;
      port->largest = MAX (port->largest, datagram.size);
      if (caller != NULL && fasp_address_equal (&datagram.to, address))
        fasp_endpoint_receive (caller, port->now, &here, datagram.data, datagram.size, NULL, FALSE);
      fasp_datagram_release (&datagram);
    }
}

static void
exchange (Port *port, const FaspAddress *address, FaspEndpoint *caller, FaspTime until)
{
  FaspDatagram datagram;

  for (; port->now < until; port->now += FASP_MSEC) {
    while (fasp_endpoint_poll (caller, port->now, &datagram)) {
      vflat_datagram (&datagram);
      port_receive (port, address, datagram.data, datagram.size);
      fasp_datagram_release (&datagram);
    }
    port_send (port, address, caller);
  }
}

static FaspEndpoint *
dial (Port *port, const FaspAddress *address, guint key, const gchar *streamid)
{
  FaspEndpoint *caller =
      make_endpoint (port, FASP_MODE_CALLER, FASP_ROLE_RECEIVER, key, streamid, 0);
  FaspAddress here = make_address (1);

  fasp_endpoint_dial (caller, port->now, &here);
  exchange (port, address, caller, port->now + LATER);
  return caller;
}

static FaspEndpointStats
stats_of (FaspEndpoint *endpoint)
{
  FaspEndpointStats stats;

  fasp_endpoint_get_stats (endpoint, &stats);
  return stats;
}

/* Each gets the stream that it asks for, with that stream's key, and no other. */
static void
test_streams (void)
{
  g_autoptr (Port) port = port_new ();
  FaspEndpoint *callers[MEMBERS];
  FaspAddress addresses[MEMBERS];

  for (guint i = 0; i < MEMBERS; i++) {
    g_autofree gchar *streamid = g_strdup_printf ("%u", i);

    addresses[i] = make_address (10 + i);
    callers[i] = dial (port, &addresses[i], i, streamid);
    g_assert_cmpuint (stats_of (callers[i]).sessions, ==, 1);
    g_assert_cmpuint (fasp_limiter_count_half (&port->limiter), ==, 0);
  }
  for (guint i = 0; i < MEMBERS; i++) {
    guint8 data[1000];
    FaspRead read;

    g_assert_cmpuint (stats_of (port->members[i]).sessions, ==, 1);
    memset (data, i + 1, sizeof data);
    fasp_endpoint_write (port->members[i], port->now, 0, data, sizeof data, NULL);
    fasp_endpoint_finish (port->members[i], port->now);
    exchange (port, &addresses[i], callers[i], port->now + 2 * FASP_SEC);
    g_assert_true (fasp_endpoint_read (callers[i], port->now, &read));
    g_assert_cmpmem (read.block->data, read.block->size, data, sizeof data);
    fasp_block_unref (read.block);
    g_assert_cmpuint (stats_of (port->members[i]).datagrams_unknown, ==, 0);
    fasp_endpoint_free (callers[i]);
  }
}

/* The reason and text that a call is refused with, and how many answers that takes. */
static void
assert_refused (Port *port, guint key, const gchar *streamid, FaspReason reason, const gchar *text)
{
  FaspAddress address = make_address (99);
  FaspEndpoint *caller = dial (port, &address, key, streamid);
  FaspEvent event = { 0 };

  exchange (port, &address, caller, port->now + 3 * FASP_SEC);
  while (fasp_endpoint_poll_event (caller, &event) && event.type != FASP_EVENT_REJECTED)
    ;
  g_assert_cmpint (event.type, ==, FASP_EVENT_REJECTED);
  g_assert_cmpint (event.reason, ==, reason);
  g_assert_nonnull (strstr (event.text, text));
  g_assert_cmpint (event.final, ==, reason != FASP_REASON_BUSY);
  g_assert_cmpuint (fasp_limiter_count_half (&port->limiter), ==, 0);
  fasp_endpoint_free (caller);
}

static void
test_refused (void)
{
  g_autoptr (Port) port = port_new ();

  assert_refused (port, 1, "2", FASP_REASON_KEY, "the passphrases differ");
  assert_refused (port, 1, "7", FASP_REASON_REFUSED, "no stream");
  assert_refused (port, 1, NULL, FASP_REASON_REFUSED, "several streams");
  /* the doorkeeper's key: it is told whose call it was */
  assert_refused (port, 0, "7", FASP_REASON_REFUSED, "no stream");
  for (FaspEvent event = { 0 }; event.streamid[0] != '7';)
    g_assert_true (fasp_endpoint_poll_event (port->members[0], &event));
  fasp_routes_remove (port->routes, port->now, port->numbers[3]);
  port->by_number[port->numbers[3]] = NULL;
  assert_refused (port, 3, "3", FASP_REASON_BUSY, "stopped just now");
  port->now += FASP_ROUTES_MEMORY;
  assert_refused (port, 3, "3", FASP_REASON_REFUSED, "no stream");
}

/* --- harm ------------------------------------------------------------------------------- */

/* Somebody sends datagrams with connection ids of all sorts: nobody's session feels it,
 * and each is counted once, by whom it would be for. */
static void
test_spoofed (void)
{
  g_autoptr (Port) port = port_new ();
  FaspAddress address = make_address (10), evil = make_address (66);
  FaspEndpoint *caller = dial (port, &address, 2, "2");
  guint64 counted = 0;
  guint sent = 0;

  for (guint i = 0; i < 20000; i++) {
    guint8 data[200];
    gsize size = g_rand_int_range (port->rand, 12, sizeof data);
    guint32 id = g_rand_int (port->rand);
    FaspWriter w = { data, sizeof data };
    FaspSessionHeader header = { .flow = i % 64, .pn = i };

    rand_bytes (port->rand, data, sizeof data);
    switch (i % 3) {
      case 0:
        header.cid = id;
        break;
      case 1: /* somebody's number */
        header.cid = fasp_routes_get_prefix (port->numbers[i % MEMBERS]) | (id >> FASP_ROUTES_BITS);
        break;
      default: /* the right one */
        header.cid = fasp_endpoint_nth (port->members[2], 0)->id;
        header.flow = 0;
        break;
    }
    fasp_wire_write_session (&w, &header);
    port_receive (port, &evil, data, size);
    sent++;
  }
  for (guint i = 0; i < MEMBERS; i++) {
    FaspEndpointStats stats = stats_of (port->members[i]);

    counted += stats.datagrams_unknown + stats.datagrams_forged + stats.datagrams_malformed;
    g_assert_cmpuint (stats.datagrams_forged > 0, ==, i == 2);
    g_assert_cmpuint (stats.sessions, ==, i == 2);
    /* garbage is not answered */
  }
  g_assert_cmpuint (counted, <=, sent);
  g_assert_cmpuint (counted, >, sent / 2);
  port->answers = 0;
  port_send (port, &evil, NULL);
  g_assert_cmpuint (port->answers, <, 10);
  exchange (port, &address, caller, port->now + FASP_SEC);
  g_assert_cmpuint (stats_of (caller).interrupted, ==, 0);
  fasp_endpoint_free (caller);
}

static guint
count_sessions (Port *port)
{
  guint n = 0;

  for (guint i = 0; i < MEMBERS; i++)
    n += port->members[i]->sessions->len;
  return n;
}

/* A right first datagram, with the key and for the stream @which, as who has them makes
 * any number of. */
static gsize
make_open (Port *port, guint which, guint8 data[FASP_OPEN_SIZE])
{
  g_autofree gchar *streamid = g_strdup_printf ("%u", which);
  FaspEndpoint *caller =
      make_endpoint (port, FASP_MODE_CALLER, FASP_ROLE_RECEIVER, which, streamid, 0);
  FaspAddress here = make_address (1);
  FaspDatagram datagram;
  gsize size;

  fasp_endpoint_dial (caller, port->now, &here);
  g_assert_true (fasp_endpoint_poll (caller, port->now, &datagram));
  size = datagram.size;
  memcpy (data, datagram.data, size);
  fasp_endpoint_free (caller);
  return size;
}

/* Calls from forged addresses for all of the streams: what they make the port keep and
 * compute is what it would be with one stream. */
static void
test_flood (void)
{
  g_autoptr (Port) port = port_new ();
  guint8 data[FASP_OPEN_SIZE];
  guint begun;

  for (guint i = 0; i < 2000; i++) {
    FaspAddress from = make_address (1000 + i);
    gsize size = make_open (port, i % (MEMBERS + 1), data);

    port_receive (port, &from, data, size);
    port->now += 200;
  }
  begun = count_sessions (port);
  g_assert_cmpuint (begun, >, 8);   /* who wants none that is there counts, too */
  g_assert_cmpuint (begun, <=, 16); /* half_open_max */
  g_assert_cmpuint (fasp_limiter_count_half (&port->limiter), ==, begun);
  port_send (port, NULL, NULL);
  g_assert_cmpuint (port->largest, <=, FASP_OPEN_SIZE);
  g_assert_cmpuint (port->answers, <=, 2000);
  /* they are forgotten, and it begins again */
  port->now += 6 * FASP_SEC;
  port_send (port, NULL, NULL);
  g_assert_cmpuint (count_sessions (port), ==, 0);
  g_assert_cmpuint (fasp_limiter_count_half (&port->limiter), ==, 0);
}

/* So many handshakes a second are computed for who has proved nothing, however many
 * streams they call. */
static void
test_pace (void)
{
  g_autoptr (Port) port = port_new ();
  guint8 data[FASP_OPEN_SIZE];
  guint64 tried = 0, retried = 0;

  for (guint i = 0; i < 400; i++) {
    FaspAddress from = make_address (1000 + i);
    gsize size = make_open (port, i % MEMBERS, data);

    data[40] ^= 1; /* the wrong key: refused, and no session */
    port_receive (port, &from, data, size);
  }
  for (guint i = 0; i < MEMBERS; i++) {
    tried += stats_of (port->members[i]).handshakes_refused;
    retried += stats_of (port->members[i]).handshakes_retried;
  }
  g_assert_cmpuint (tried, ==,
      (FASP_LIMITER_UNPROVED_RATE + FASP_LIMITER_UNPROVED_REFUSED)
          / (1 + FASP_LIMITER_UNPROVED_REFUSED));
  g_assert_cmpuint (tried + retried, ==, 400);
  g_assert_cmpuint (count_sessions (port), ==, 0);
}

/* Who guesses names from an address that it has gets no further than who guesses keys. */
static void
test_guesses (void)
{
  g_autoptr (Port) port = port_new ();
  FaspAddress from = make_address (77);
  guint64 refused = 0;

  for (guint i = 0; i < 400; i++) {
    guint8 data[FASP_OPEN_SIZE];
    FaspHandshake open = {
      .type = FASP_HANDSHAKE_OPEN,
      .version = FASP_VERSION,
      .from_cid = i + 1,
      .pattern = FASP_NOISE_NN_PSK0,
      .to_cid = g_rand_int (port->rand) | 1,
      .cookie_size = FASP_COOKIE_SIZE,
    };
    FaspWriter w = { data, sizeof data };

    memcpy (open.nonce, &i, sizeof i);
    fasp_cookie_make (port->members[0]->cookie_secret, port->now, &from, open.nonce, open.cookie);
    fasp_wire_write_handshake (&w, &open);
    if (i % 32 == 0)
      port_send (port, NULL, NULL);
    port->now += FASP_SEC / FASP_LIMITER_RATE;
    port_receive (port, &from, data, w.used);
  }
  for (guint i = 0; i < MEMBERS; i++)
    refused += fasp_replies_is_empty (&port->members[i]->calling->replies) ? 0 : 1;
  g_assert_cmpuint (refused, ==, 1); /* the doorkeeper alone has answered */
  port_send (port, NULL, NULL);
  g_assert_cmpuint (port->answers, <=,
      FASP_LIMITER_GUESSES + 400 * FASP_SEC / FASP_LIMITER_RATE / FASP_LIMITER_GUESS_EVERY + 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/routes/streams", test_streams);
  g_test_add_func ("/routes/refused", test_refused);
  g_test_add_func ("/routes/spoofed", test_spoofed);
  g_test_add_func ("/routes/flood", test_flood);
  g_test_add_func ("/routes/pace", test_pace);
  g_test_add_func ("/routes/guesses", test_guesses);
  return g_test_run ();
}
