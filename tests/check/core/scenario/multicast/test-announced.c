/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a group's receivers are told by somebody else: announcements of other senders, refusals, and
 * forged datagrams.
 */
#include "faspcallingprivate.h"
#include "members.h"

#define RTT MEMBERS_RTT

/* Who is announced has another stream: that one is not ours, but the next may be. Who is to
 * call once only gives up. */
static void
test_refused (void)
{
  for (gint reconnect = 0; reconnect < 2; reconnect++) {
    g_autoptr (Vgroup) g = vgroup_new (20);
    const guint *events = g->receivers[0].events;

    g->sender_config.streamid = "news";
    g->receiver_config.streamid = "sport";
    g->receiver_config.settings.reconnect = reconnect;
    vgroup_set_sender (g);
    vgroup_add (g, RTT);
    vgroup_run (g, 8 * FASP_SEC);
    /* it is asked again in turns of FASP_ANNOUNCER_TRY */
    g_assert_cmpuint (events[FASP_EVENT_REJECTED], ==, reconnect ? 3 : 1);
    g_assert_cmpuint (events[FASP_EVENT_CONNECTED], ==, 0);
    fasp_endpoint_free (g->sender);
    g->sender_config.streamid = "sport";
    vgroup_set_sender (g);
    vgroup_run (g, 5 * FASP_SEC);
    g_assert_cmpuint (events[FASP_EVENT_CONNECTED], ==, reconnect);
  }
}

typedef struct
{
  Vgroup *g;
  guint8 last[FASP_DATAGRAM_MAX];
  gsize size;
  guint count;
} Eavesdropper;

static void
listen_in (gpointer user_data, FaspTime now, guint8 *data, gsize size)
{
  Eavesdropper *e = user_data;

  if (size > 500) {
    memcpy (e->last, data, size);
    e->size = size;
  }
}

/* Replayed, changed, or made up; from anybody: nothing happens. */
static void
test_forged (void)
{
  g_autoptr (Vgroup) g = members_new (40, 3, FASP_SLOW_WAIT);
  Eavesdropper e = { g };
  FaspEndpointStats stats;
  FaspAddress from = members_get_stranger (77);

  g->tap = listen_in;
  g->tap_data = &e;
  vgroup_run (g, 2 * FASP_SEC);
  for (guint i = 0; i < 2000; i++) {
    guint8 copy[FASP_DATAGRAM_MAX];

    memcpy (copy, e.last, e.size);
    if (i % 3 == 1)
      copy[8 + g_rand_int_range (g->rand, 0, e.size - 8)] ^= 1 << i % 8;
    else if (i % 3 == 2) /* another packet number */
      copy[5 + g_rand_int_range (g->rand, 0, 3)] ^= 1 << i % 8;
    vgroup_inject (g, i % 3, &from, copy, e.size);
    vgroup_run (g, FASP_MSEC);
  }
  fasp_endpoint_get_stats (g->receivers[1].endpoint, &stats);
  g_assert_cmpuint (stats.datagrams_forged, >, 100);
  g_assert_cmpuint (vgroup_get_stats (g).members, ==, 3);
  members_assert_whole (g);
}

/* Announcements of others, any number of them, do not move who is connected; and who is
 * not finds the right one. */
static void
test_announce_flood (void)
{
  g_autoptr (Vgroup) g = members_new (41, 2, FASP_SLOW_WAIT);
  FaspHandshake forged = { .type = FASP_HANDSHAKE_ANNOUNCE, .version = FASP_VERSION };
  guint8 data[100];
  guint64 sent;

  vgroup_run (g, 2 * FASP_SEC);
  sent = g->receivers[0].sent;
  vgroup_add (g, RTT);
  for (guint i = 0; i < 4000; i++) {
    FaspWriter w = { data, sizeof data };
    FaspAddress from = members_get_stranger (500 + i % 100);

    from.socket = 1;
    forged.nonce[0] = i % 7;
    fasp_wire_write_handshake (&w, &forged);
    vgroup_inject (g, i % 2 == 0 ? 0 : 2, &from, data, w.used);
    vgroup_run (g, 5 * FASP_MSEC);
  }
  g_assert_cmpuint (g->receivers[0].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (g->receivers[0].events[FASP_EVENT_INTERRUPTED], ==, 0);
  /* feedback and a PING a second: nobody is called */
  g_assert_cmpuint (g->receivers[0].sent - sent, <, 20 * 50);
  /* the one that joins: OPENs, a few a second, bounded */
  g_assert_cmpuint (g->receivers[2].sent, <, 20 * 50);
  vgroup_run (g, 5 * FASP_SEC);
  g_assert_cmpuint (g->receivers[2].events[FASP_EVENT_CONNECTED], ==, 1);
  members_assert_whole (g);
}

/* What is announced to a receiver's own address, and not to the group, is not believed: it is
 * not even called. */
static void
test_announce_unicast (void)
{
  g_autoptr (Vgroup) g = vgroup_new (42);
  FaspHandshake forged = { .type = FASP_HANDSHAKE_ANNOUNCE, .version = FASP_VERSION };
  FaspEndpointStats stats;
  guint8 data[100];

  vgroup_set_sender (g);
  vgroup_add (g, RTT);
  g->receivers[0].no_multicast = TRUE;
  for (guint link = 0; link < 2; link++) {
    FaspAddress from = members_get_stranger (500);
    FaspWriter w = { data, sizeof data };

    from.socket = link;
    fasp_wire_write_handshake (&w, &forged);
    vgroup_inject (g, 0, &from, data, w.used);
    vgroup_run (g, FASP_SEC / 2);
    fasp_endpoint_get_stats (g->receivers[0].endpoint, &stats);
    g_assert_cmpuint (stats.datagrams_unknown, ==, 1);
    g_assert_cmpint (g->receivers[0].sent > 0, ==, link == 1);
  }
}

/* A cookie that was sent to the group, not to who called: the call goes on where it went before. */
static void
test_retry_to_group (void)
{
  static FaspDatagram datagram;
  g_autoptr (Vgroup) g = vgroup_new (43);
  FaspEndpoint *endpoint = fasp_endpoint_new (&g->receiver_config, vgroup_random, g);
  FaspHandshake forged = { .type = FASP_HANDSHAKE_ANNOUNCE, .version = FASP_VERSION };
  FaspAddress from = members_get_stranger (500);
  FaspHandshake open;

  from.socket = g->receiver_config.group_socket;
  for (guint i = 0; i < 2; i++) {
    guint8 data[100];
    FaspWriter w = { data, sizeof data };

    fasp_wire_write_handshake (&w, &forged);
    fasp_endpoint_receive (endpoint, g->now, &from, data, w.used, NULL, FALSE);
    g_assert_true (fasp_endpoint_poll (endpoint, g->now, &datagram));
    g_assert_true (fasp_wire_parse_handshake (datagram.data, datagram.size, &open));
    g_assert_cmpint (open.type, ==, FASP_HANDSHAKE_OPEN);
    g_assert_cmpuint (open.cookie_size, ==, i * FASP_COOKIE_SIZE);
    g_assert_cmpuint (datagram.to.socket, ==, 0);
    forged.type = FASP_HANDSHAKE_RETRY;
    forged.to_cid = open.from_cid;
    memcpy (forged.nonce, open.nonce, FASP_NONCE_SIZE);
    forged.cookie_size = FASP_COOKIE_SIZE;
  }
  fasp_endpoint_free (endpoint);
}

/* Its sender is silent for a while, and another one in the group refuses it: who is to call once
 * still has a session that may come back. */
static void
test_refused_meanwhile (void)
{
  g_autoptr (Vgroup) g = vgroup_new (20);
  const guint *events = g->receivers[0].events;
  FaspEndpoint *away;

  g->sender_config.streamid = g->receiver_config.streamid = "sport";
  g->sender_config.resume_timeout = g->receiver_config.resume_timeout = 30 * FASP_SEC;
  g->receiver_config.settings.reconnect = FALSE;
  vgroup_set_sender (g);
  vgroup_add (g, RTT);
  vgroup_run (g, 2 * FASP_SEC);
  away = g->sender;
  g->sender_config.streamid = "news";
  vgroup_set_sender (g);
  vgroup_run (g, 8 * FASP_SEC);
  g_assert_cmpuint (events[FASP_EVENT_INTERRUPTED], ==, 1);
  g_assert_cmpuint (events[FASP_EVENT_REJECTED], >, 0);
  g_assert_false (g->receivers[0].endpoint->calling->given_up);
  fasp_endpoint_free (g->sender);
  g->sender = away;
  vgroup_run (g, 3 * FASP_SEC);
  g_assert_cmpuint (events[FASP_EVENT_RESUMED], ==, 1);
}

/* Two senders are announced and none answers: who is to call once gives up when its time is over,
 * whoever's turn it is. */
static void
test_announced_in_vain (void)
{
  g_autoptr (Vgroup) g = vgroup_new (44);
  FaspHandshake forged = { .type = FASP_HANDSHAKE_ANNOUNCE, .version = FASP_VERSION };
  guint8 data[100];

  g->receiver_config.settings.reconnect = FALSE;
  vgroup_set_sender (g);
  vgroup_add (g, RTT);
  g->receivers[0].no_multicast = TRUE;
  g->receivers[0].back.config.loss = 1;
  for (guint i = 0; i < 40; i++) {
    FaspAddress from = members_get_stranger (500 + i % 2);
    FaspWriter w = { data, sizeof data };

    from.socket = g->receiver_config.group_socket;
    fasp_wire_write_handshake (&w, &forged);
    vgroup_inject (g, 0, &from, data, w.used);
    vgroup_run (g, 250 * FASP_MSEC);
    g_assert_cmpuint (g->receivers[0].events[FASP_EVENT_REJECTED], ==,
        g->now >= FASP_SEC + g->receiver_config.resume_timeout);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/group/refused", test_refused);
  g_test_add_func ("/group/refused/meanwhile", test_refused_meanwhile);
  g_test_add_func ("/group/forged", test_forged);
  g_test_add_func ("/group/announce-flood", test_announce_flood);
  g_test_add_func ("/group/announce-unicast", test_announce_unicast);
  g_test_add_func ("/group/retry-to-group", test_retry_to_group);
  g_test_add_func ("/group/announced-in-vain", test_announced_in_vain);
  return g_test_run ();
}
