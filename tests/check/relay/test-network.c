/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ends in multicast groups, at interfaces and by names, in a network of our own: two pairs of
 * virtual interfaces, a0 with a1, and b0 with b1.  What leaves by the one comes in by the other.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <gio/gio.h>
#include <gst/app/app.h>
#include "../elements/pair.h"
#include "openedend.h"
#include "relayprotocol.h"
#include "relayprotocolend.h"
#include "relaygroup.h"
#include "relayretry.h"
#include "relaysrtsocket.h"
#include "relaywatch.h"
#include "userns.h"

#define ENOUGH 20 /* datagrams */
#define MARKS 16
#define STRANGERS 200

#define PAIR(x, net) \
  "ip link add " x "0 type veth peer name " x "1 && " \
  "echo 1 >/proc/sys/net/ipv4/conf/" x "0/accept_local && " \
  "echo 0 >/proc/sys/net/ipv4/conf/" x "0/rp_filter && " \
  "ip link set " x "1 up && ip link set " x "0 up && " \
  "ip address add 10." net ".0.1/24 dev " x "0 && ip address add 10." net ".0.2/24 dev " x "1 && " \
  "ip address add 10." net ".0.3/24 dev " x "1 && ip address add 10." net ".0.4/24 dev " x "1 && " \
  "ip -6 address add fd77:" net "::1/64 dev " x "0 nodad && " \
  "ip -6 address add fd77:" net "::2/64 dev " x "1 nodad && "
/* where groups are without an interface */
#define ROUTES "ip route replace 224.0.0.0/4 dev a0"
#define NETWORK \
  "ip link set lo up; echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter; " PAIR ("a", "1") \
      PAIR ("b", "2") ROUTES
#define REMOVE "ip link del a0"
#define MAKE_ANEW PAIR ("a", "1") ROUTES

static gboolean have_network;

/* Before there is any thread. */
static gboolean
enter_network (void)
{
  return userns_become_root () && unshare (CLONE_NEWNET) == 0 && system (NETWORK) == 0;
}

static gboolean
skip (void)
{
  if (!have_network)
    g_test_skip ("this user may not make a network of its own, or there is no ip");
  return !have_network;
}

/* --- senders --------------------------------------------------------------------------------- */

/* @from: NULL: any address of @interface. NULL: the interface is not there. */
static GSocket *
open_sender (const gchar *interface, const gchar *from, const gchar *to, guint port)
{
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (to);
  GSocketFamily family = g_inet_address_get_family (address);
  g_autoptr (GInetAddress) local =
      from != NULL ? g_inet_address_new_from_string (from) : g_inet_address_new_any (family);
  g_autoptr (GSocketAddress) bound = g_inet_socket_address_new (local, 0);
  g_autoptr (GSocketAddress) target = g_inet_socket_address_new (address, port);
  g_autoptr (GSocket) socket =
      g_socket_new (family, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  gint index = if_nametoindex (interface), off = 0, fd = g_socket_get_fd (socket);
  struct ip_mreqn four = { .imr_ifindex = index };

  if (family == G_SOCKET_FAMILY_IPV6) {
    setsockopt (fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof index);
    setsockopt (fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, &off, sizeof off);
  } else {
    setsockopt (fd, IPPROTO_IP, IP_MULTICAST_IF, &four, sizeof four);
    setsockopt (fd, IPPROTO_IP, IP_MULTICAST_LOOP, &off, sizeof off);
  }
  return index != 0 && g_socket_bind (socket, bound, FALSE, NULL)
          && g_socket_connect (socket, target, NULL, NULL) ?
      g_steal_pointer (&socket) :
      NULL;
}

/* Sends seven packets that are full of @mark. */
static void
send_mark (GSocket *socket, guint8 mark, guint number, gboolean rtp)
{
  guint8 data[RTP_HEADER + PAYLOAD] = { 0x80, 33 };
  gsize skipped = rtp ? 0 : RTP_HEADER;

  GST_WRITE_UINT16_BE (data + 2, number);
  GST_WRITE_UINT32_BE (data + 4, 900 * number);
  GST_WRITE_UINT32_BE (data + 8, 2 * mark);
  memset (data + RTP_HEADER, mark, PAYLOAD);
  for (guint i = 0; i < 7; i++)
    data[RTP_HEADER + i * PACKET] = SYNC;
  g_socket_send (socket, (gchar *) data + skipped, sizeof data - skipped, NULL, NULL);
}

/* --- inputs ---------------------------------------------------------------------------------- */

typedef struct
{
  OpenedEnd opened;
  gint heard[MARKS]; /* datagrams; atomic */
} Input;

static void
on_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  Input *input = data;
  guint8 mark = 0;

  gst_buffer_extract (buffer, 1, &mark, 1);
  g_assert_cmpuint (mark, <, MARKS);
  g_atomic_int_inc (&input->heard[mark]);
}

static void
open_input (Input *input, const gchar *uri)
{
  memset (input, 0, sizeof *input);
  opened_end_init_input (&input->opened, uri, G_CALLBACK (on_buffer), input);
}

static gboolean
has_error (const OpenedEnd *opened)
{
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (opened->end, "stats", &stats, NULL);
  return gst_structure_get_string (stats, "end-error") != NULL;
}

/* An input, and what is sent to it: its mark is its number in the table. */
typedef struct
{
  const gchar *scheme, *host, *keys;
  guint more; /* than the port that most have */
  const gchar *interface, *from, *to;
} Row;

static const Row rows[] = {
  { "udp", "239.1.1.1", "?interface=a0", 0, "a1", NULL, "239.1.1.1" },
  { "udp", "239.1.1.2", "?interface=a0", 0, "a1", NULL, "239.1.1.2" },
  { "udp", "239.1.1.1", "?interface=b0", 0, "b1", NULL, "239.1.1.1" },
  { "udp", "239.1.1.3", "", 0, "a1", NULL, "239.1.1.3" },
  { "udp", "10.1.0.3@232.1.1.1", "?interface=a0", 0, "a1", "10.1.0.3", "232.1.1.1" },
  { "udp", "10.1.0.4@232.1.1.1", "?interface=a0", 0, "a1", "10.1.0.4", "232.1.1.1" },
  { "rtp", "239.1.1.4", "?interface=a0&latency=20", 0, "a1", NULL, "239.1.1.4" },
  { "rtp", "239.1.1.5", "?interface=a0&latency=20", 0, "a1", NULL, "239.1.1.5" },
  /* what is sent to this machine goes to no group */
  { "udp", "10.1.0.1", "", 0, "lo", "10.1.0.1", "10.1.0.1" },
  { "rist", "239.1.1.6", "?interface=a0&latency=20", 2, "a1", NULL, "239.1.1.6" },
  { "rist", "239.1.1.7", "?interface=a0&latency=20", 2, "a1", NULL, "239.1.1.7" },
  { "udp", "[ff15::1]", "?interface=a0", 0, "a1", NULL, "ff15::1" },
  { "udp", "[ff15::1]", "?interface=b0", 0, "b1", NULL, "ff15::1" },
  { "udp", "[ff15::2]", "?interface=a0", 0, "a1", NULL, "ff15::2" },
  { "rtp", "fd77:1::2@[ff35::1]", "?interface=a0&latency=20", 0, "a1", "fd77:1::2", "ff35::1" },
};

static gboolean
is_rtp (const Row *row)
{
  return !g_str_equal (row->scheme, "udp");
}

static gchar *
make_uri (const Row *row, guint port)
{
  return g_strdup_printf ("%s://%s:%u%s", row->scheme, row->host, port + row->more, row->keys);
}

/* Of each row, as a sender of RTP is known by its port. */
static GSocket *senders[G_N_ELEMENTS (rows)];

static void
send_to_row (guint i, guint port, guint number)
{
  if (senders[i] == NULL)
    senders[i] = open_sender (rows[i].interface, rows[i].from, rows[i].to, port + rows[i].more);
  if (senders[i] != NULL)
    send_mark (senders[i], i, number, is_rtp (&rows[i]));
}

static void
close_senders (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_clear_object (&senders[i]);
}

/* Each input hears what is sent to its own group, at its own interface, by its own source, and
 * nothing else, though all have the same port. */
static void
test_groups (void)
{
  guint port = pair_get_even_port (), least = 0;
  Input inputs[G_N_ELEMENTS (rows)];

  if (skip ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *uri = make_uri (&rows[i], port);

    open_input (&inputs[i], uri);
  }
  for (guint number = 0; least < ENOUGH; number++) {
    least = G_MAXUINT;
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
      send_to_row (i, port, number);
      least = MIN (least, (guint) g_atomic_int_get (&inputs[i].heard[i]));
    }
    g_usleep (10000);
  }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    for (guint mark = 0; mark < MARKS; mark++)
      if (mark != i && g_atomic_int_get (&inputs[i].heard[mark]) != 0)
        g_error ("%s://%s%s got what was sent to %s by %s", rows[i].scheme, rows[i].host,
            rows[i].keys, rows[mark].to, rows[mark].interface);
    opened_end_clear (&inputs[i].opened);
  }
  close_senders ();
}

/* Sends until each of the first inputs has heard more. */
static void
hear_more (Input *inputs, const guint *which, guint n, guint port, guint *number)
{
  gint before[G_N_ELEMENTS (rows)];
  gboolean all = FALSE;

  for (guint k = 0; k < n; k++)
    before[k] = g_atomic_int_get (&inputs[k].heard[which[k]]);
  for (; !all; ++*number) {
    all = TRUE;
    for (guint k = 0; k < n; k++) {
      send_to_row (which[k], port, *number);
      all = all && g_atomic_int_get (&inputs[k].heard[which[k]]) >= before[k] + ENOUGH;
    }
    g_usleep (10000);
  }
}

/* An interface is removed and made anew: all inputs there go on. */
static void
test_inputs_anew (void)
{
  static const guint which[] = { 0, 3, 4, 6, 9, 11 };
  guint port = pair_get_even_port (), number = 0;
  Input inputs[G_N_ELEMENTS (which)];

  if (skip ())
    return;
  for (guint k = 0; k < G_N_ELEMENTS (which); k++) {
    g_autofree gchar *uri = make_uri (&rows[which[k]], port);

    open_input (&inputs[k], uri);
  }
  hear_more (inputs, which, G_N_ELEMENTS (which), port, &number);
  g_assert_cmpint (system (REMOVE), ==, 0);
  g_assert_cmpint (system (MAKE_ANEW), ==, 0);
  close_senders ();
  hear_more (inputs, which, G_N_ELEMENTS (which), port, &number);
  for (guint k = 0; k < G_N_ELEMENTS (which); k++)
    opened_end_clear (&inputs[k].opened);
  close_senders ();
}

/* Waits until @interface has seen @n reports of a membership in @group (IGMP or MLD), on @wire. */
static void
wait_for_reports (gint wire, const gchar *group, guint n)
{
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (group);
  gsize length = g_inet_address_get_native_size (address);

  while (n > 0) {
    guint8 packet[2048];
    gssize size = recv (wire, packet, sizeof packet, 0);

    /* the group is behind the headers, and in no other packet: nothing is sent to it */
    if (size > 0 && memmem (packet, size, g_inet_address_to_bytes (address), length) != NULL)
      n--;
  }
}

/* An input that is silent at its interface joins its group there again, each ten looks. */
static void
test_join_again (void)
{
  static const guint which[] = { 0, 4, 9, 11, 14 };
  struct sockaddr_ll peer = { .sll_family = AF_PACKET, .sll_protocol = htons (ETH_P_ALL) };

  if (skip ())
    return;
  for (guint k = 0; k < G_N_ELEMENTS (which); k++) {
    g_autofree gchar *uri = make_uri (&rows[which[k]], pair_get_even_port ());
    g_autoptr (RelayProtocolUri) protocol_uri = relay_protocol_uri_parse (uri, FALSE, NULL, NULL);
    gint wire = socket (AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons (ETH_P_ALL));
    g_autoptr (GstElement) end = NULL;
    GstElement *chain = gst_object_ref_sink (relay_chain_make (protocol_uri, &end, NULL));
    RelayWatch *watch = relay_watch_new (protocol_uri, protocol_uri->host, end);
    gboolean works;

    peer.sll_ifindex = if_nametoindex (rows[which[k]].interface);
    g_assert_cmpint (bind (wire, (struct sockaddr *) &peer, sizeof peer), ==, 0);
    g_assert_true (relay_group_join (protocol_uri, end, NULL));
    /* the system sends each report twice (RFC 3376, RFC 3810: the robustness variable) */
    wait_for_reports (wire, rows[which[k]].to, 2);
    for (guint i = 0; i < 10; i++)
      g_assert_null (relay_watch_look (watch, &works));
    wait_for_reports (wire, rows[which[k]].to, 1);
    close (wire);
    relay_watch_free (watch);
    gst_object_unref (chain);
  }
}

/* --- outputs ---------------------------------------------------------------------------------- */

static void
feed (const OpenedEnd *output)
{
  guint8 *data = g_malloc0 (PAYLOAD);

  for (guint i = 0; i < 7; i++)
    data[i * PACKET] = SYNC;
  gst_app_src_push_buffer (GST_APP_SRC (output->other), gst_buffer_new_wrapped (data, PAYLOAD));
}

/* The end has said why it failed, in a sentence, and when it tries again. */
static void
check_sentence (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (message);
  gst_message_parse_warning (message, &error, NULL);
  g_assert_nonnull (strstr (error->message, ". It starts again in "));
}

static guint64
get_least (const OpenedEnd *outputs, guint n, const gchar *name)
{
  guint64 least = G_MAXUINT64;

  for (guint i = 0; i < n; i++)
    least = MIN (least, get_figure (outputs[i].end, name));
  return least;
}

static void
feed_all (OpenedEnd *outputs, guint n)
{
  for (guint i = 0; i < n; i++)
    feed (&outputs[i]);
  g_usleep (10000);
}

/* Outputs whose interface is gone say so, count nothing as sent, and go on when it is back. */
static void
test_outputs_anew (void)
{
  static const gchar *const uris[] = { "udp://239.1.1.9:%u?interface=a0", "udp://10.1.0.77:%u",
    "rtp://239.1.1.9:%u", "rist://239.1.1.9:%u?interface=a0" };
  const guint n = G_N_ELEMENTS (uris);
  guint port = pair_get_even_port ();
  guint64 before[G_N_ELEMENTS (uris)];
  OpenedEnd outputs[G_N_ELEMENTS (uris)];
  gboolean all = FALSE;

  if (skip ())
    return;
  for (guint i = 0; i < n; i++) {
    g_autofree gchar *uri = g_strdup_printf (uris[i], port);

    opened_end_init_output (&outputs[i], uri);
  }
  while (get_least (outputs, n, "bytes-sent-total") < ENOUGH * PAYLOAD)
    feed_all (outputs, n);
  g_assert_cmpint (system (REMOVE), ==, 0);
  for (guint i = 0; i < n; i++) {
    g_assert_false (has_error (&outputs[i]));
    g_assert_cmpuint (get_figure (outputs[i].end, "end-restarts"), ==, 0);
    before[i] = get_figure (outputs[i].end, "bytes-sent-total");
  }
  while (get_least (outputs, n, "end-restarts") == 0)
    feed_all (outputs, n);
  for (guint i = 0; i < n; i++) {
    g_assert_true (has_error (&outputs[i]));
    g_assert_cmpuint (get_figure (outputs[i].end, "bytes-sent-total"), ==, before[i]);
    g_assert_cmpuint (get_figure (outputs[i].end, "bytes-dropped-total"), >=, ENOUGH * PAYLOAD);
  }
  g_assert_cmpint (system (MAKE_ANEW), ==, 0);
  while (!all) {
    feed_all (outputs, n);
    all = TRUE;
    for (guint i = 0; i < n; i++)
      all = all && !has_error (&outputs[i])
          && get_figure (outputs[i].end, "bytes-sent-total") >= before[i] + ENOUGH * PAYLOAD;
  }
  for (guint i = 0; i < n; i++)
    opened_end_clear (&outputs[i]);
}

/* An output of which one leg has no way to go on shows it, and goes on with the other one. */
static void
test_one_leg (void)
{
  guint port = pair_get_even_port ();
  g_autofree gchar *uri = g_strdup_printf ("rtp://127.0.0.1:%u?leg2=10.1.0.77:%u", port, port);
  guint64 before;
  OpenedEnd output;

  if (skip ())
    return;
  opened_end_init_output (&output, uri);
  while (get_figure (output.end, "bytes-sent-total") < 2 * ENOUGH * PAYLOAD)
    feed_all (&output, 1);
  g_assert_false (has_error (&output));
  g_assert_cmpint (relay_protocol_end_get_state (output.end), ==, RELAY_RUNNING);
  g_assert_cmpint (system (REMOVE), ==, 0);
  while (!has_error (&output))
    feed_all (&output, 1);
  g_assert_cmpint (relay_protocol_end_get_state (output.end), ==, RELAY_STARTING);
  before = get_figure (output.end, "bytes-sent-total");
  while (get_figure (output.end, "bytes-sent-total") < before + ENOUGH * PAYLOAD)
    feed_all (&output, 1);
  g_assert_cmpint (system (MAKE_ANEW), ==, 0);
  while (has_error (&output))
    feed_all (&output, 1);
  g_assert_cmpint (relay_protocol_end_get_state (output.end), ==, RELAY_RUNNING);
  g_assert_cmpuint (get_figure (output.end, "end-restarts"), ==, 0);
  opened_end_clear (&output);
}

/* --- names ------------------------------------------------------------------------------------ */

/* µs that have been skipped; atomic. */
static gsize skipped;

/* For all of this program. */
gint64
g_get_monotonic_time (void)
{
  gint64 (*real) (void) = dlsym (RTLD_NEXT, "g_get_monotonic_time");

  return real () + (gint64) (gsize) g_atomic_pointer_get (&skipped);
}

/* The addresses of each name; guarded. */
static GMutex named;
static const gchar *addresses[3];
/* How often one was looked up; guarded. */
static guint lookups;

static GList *
look_up (GResolver *resolver, const gchar *name, GCancellable *cancellable, GError **error)
{
  GList *found = NULL;

  g_mutex_lock (&named);
  lookups++;
  for (guint i = 0; addresses[i] != NULL; i++)
    found = g_list_append (found, g_inet_address_new_from_string (addresses[i]));
  g_mutex_unlock (&named);
  return found;
}

static void
set_addresses (const gchar *first, const gchar *second)
{
  g_mutex_lock (&named);
  addresses[0] = first;
  addresses[1] = second;
  g_mutex_unlock (&named);
}

#define TEST_TYPE_RESOLVER (test_resolver_get_type ())
G_DECLARE_FINAL_TYPE (TestResolver, test_resolver, TEST, RESOLVER, GResolver)

struct _TestResolver
{
  GResolver parent;
};

G_DEFINE_TYPE (TestResolver, test_resolver, G_TYPE_RESOLVER)

static void
test_resolver_init (TestResolver *resolver)
{
}

static void
test_resolver_class_init (TestResolverClass *klass)
{
  G_RESOLVER_CLASS (klass)->lookup_by_name = look_up;
}

/* Sends from the output @to to the input @from until enough has come. */
static void
check_link (const gchar *from, const gchar *to)
{
  OpenedEnd output;
  Input input;

  open_input (&input, from);
  opened_end_init_output (&output, to);
  while (g_atomic_int_get (&input.heard[0]) < ENOUGH)
    feed_all (&output, 1);
  opened_end_clear (&output);
  opened_end_clear (&input.opened);
}

/* An end uses the address of a name that it can reach. */
static void
test_next_address (void)
{
  static const struct
  {
    const gchar *input, *output, *dead;
  } kinds[] = {
    { "srt://127.0.0.1:%u?mode=listener", "srt://two.example:%u", "127.0.0.2" },
    /* there is no route to it */
    { "udp://127.0.0.1:%u", "udp://two.example:%u", "2001:db8::1" },
    { "rtp://127.0.0.1:%u", "rtp://two.example:%u", "2001:db8::1" },
  };

  if (skip ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    guint port = pair_get_even_port ();
    g_autofree gchar *from = g_strdup_printf (kinds[i].input, port);
    g_autofree gchar *to = g_strdup_printf (kinds[i].output, port);

    set_addresses (kinds[i].dead, "127.0.0.1");
    check_link (from, to);
  }
}

/* An end that has lost its peer dials the address that worked again, before the name's next one. */
static void
test_same_address (void)
{
  guint port = pair_get_even_port ();
  g_autofree gchar *from = g_strdup_printf ("srt://127.0.0.1:%u?mode=listener", port);
  g_autofree gchar *to = g_strdup_printf ("srt://two.example:%u", port);
  g_autofree gchar *dialled = g_strdup_printf ("127.0.0.1:%u", port);
  const gchar *expected[] = { "gone", dialled };
  g_autoptr (GstBus) bus = NULL;
  OpenedEnd output;
  Input input;

  if (skip ())
    return;
  set_addresses ("127.0.0.1", "127.0.0.2");
  open_input (&input, from);
  opened_end_init_output (&output, to);
  while (g_atomic_int_get (&input.heard[0]) < ENOUGH)
    feed_all (&output, 1);
  bus = gst_element_get_bus (output.pipeline);
  gst_bus_set_flushing (bus, TRUE); /* it may have dialled before the input listened */
  gst_bus_set_flushing (bus, FALSE);
  opened_end_clear (&input.opened);
  for (guint i = 0; i < G_N_ELEMENTS (expected);) {
    g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
    g_autoptr (GError) error = NULL;

    feed_all (&output, 1);
    if (message == NULL)
      continue;
    gst_message_parse_warning (message, &error, NULL);
    g_assert_nonnull (strstr (error->message, expected[i++]));
  }
  opened_end_clear (&output);
}

static guint
count_lookups (void)
{
  guint n;

  g_mutex_lock (&named);
  n = lookups;
  g_mutex_unlock (&named);
  return n;
}

/* The name has this address alone, and is looked up again, @n times. */
static void
move_to (const gchar *address, guint n, OpenedEnd *output)
{
  set_addresses (address, NULL);
  for (guint i = 0; i < n; i++) {
    guint before = count_lookups ();

    g_atomic_pointer_add (&skipped, 60 * G_USEC_PER_SEC);
    while (count_lookups () == before)
      feed_all (output, 1);
  }
}

/* An output to a name sends to its new address when that has changed, and does not follow answers
 * that alternate. */
static void
test_moved (void)
{
  gint before;
  guint port = pair_get_even_port ();
  g_autofree gchar *to = g_strdup_printf ("udp://moves.example:%u", port);
  Input inputs[2];
  OpenedEnd output;

  if (skip ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    g_autofree gchar *uri = g_strdup_printf ("udp://127.0.0.%u:%u", i + 1, port);

    open_input (&inputs[i], uri);
  }
  set_addresses ("127.0.0.1", NULL);
  opened_end_init_output (&output, to);
  while (g_atomic_int_get (&inputs[0].heard[0]) < ENOUGH)
    feed_all (&output, 1);
  move_to ("127.0.0.2", 1, &output);
  while (g_atomic_int_get (&inputs[1].heard[0]) < ENOUGH)
    feed_all (&output, 1);
  before = g_atomic_int_get (&inputs[0].heard[0]);
  move_to ("127.0.0.1", 1, &output);
  move_to ("127.0.0.2", 1, &output);
  move_to ("127.0.0.1", 2, &output);
  g_assert_cmpint (g_atomic_int_get (&inputs[0].heard[0]), ==, before);
  move_to ("127.0.0.1", 5, &output);
  while (g_atomic_int_get (&inputs[0].heard[0]) < before + ENOUGH)
    feed_all (&output, 1);
  g_assert_cmpuint (get_figure (output.end, "end-restarts"), ==, 0);
  opened_end_clear (&output);
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    opened_end_clear (&inputs[i].opened);
  g_atomic_pointer_set (&skipped, 0);
}

/* Data that an output gets while it dials counts as missing, later data as sent. */
static void
test_dialling (void)
{
  guint port = pair_get_even_port ();
  g_autofree gchar *from = g_strdup_printf ("srt://127.0.0.1:%u?mode=listener", port);
  g_autofree gchar *to = g_strdup_printf ("srt://127.0.0.1:%u", port);
  guint64 fed = 0, lost = 0;
  OpenedEnd output;
  Input input;

  if (skip ())
    return;
  opened_end_init_output (&output, to);
  for (; lost < ENOUGH * PAYLOAD;
      fed += PAYLOAD, lost = get_figure (output.end, "bytes-dropped-total"))
    feed_all (&output, 1);
  open_input (&input, from);
  for (; g_atomic_int_get (&input.heard[0]) < ENOUGH; fed += PAYLOAD)
    feed_all (&output, 1);
  gst_element_set_state (output.pipeline, GST_STATE_NULL);
  g_assert_cmpuint (get_figure (output.end, "bytes-dropped-total"), >=, lost);
  g_assert_cmpuint (get_figure (output.end, "bytes-sent-total"), >=, ENOUGH * PAYLOAD);
  g_assert_cmpuint (get_figure (output.end, "bytes-dropped-total")
          + get_figure (output.end, "bytes-sent-total"),
      ==, fed);
  opened_end_clear (&output);
  opened_end_clear (&input.opened);
}

static void
on_break (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer breaks)
{
  if (GST_BUFFER_IS_DISCONT (buffer))
    g_atomic_int_inc ((gint *) breaks);
}

/* The data of each caller of SRT begin with a DISCONT, also behind those of another caller. */
static void
test_callers (void)
{
  guint port = pair_get_even_port ();
  g_autofree gchar *from = g_strdup_printf ("srt://127.0.0.1:%u?mode=listener", port);
  g_autofree gchar *to = g_strdup_printf ("srt://127.0.0.1:%u", port);
  gint breaks = 0;
  OpenedEnd input;

  if (skip ())
    return;
  opened_end_init_input (&input, from, G_CALLBACK (on_break), &breaks);
  for (gint i = 1; i <= 3; i++) {
    guint64 before = get_figure (input.end, "bytes-received-total");
    OpenedEnd output;

    opened_end_init_output (&output, to);
    while (get_figure (input.end, "bytes-received-total") < before + ENOUGH * PAYLOAD)
      feed_all (&output, 1);
    g_assert_cmpint (g_atomic_int_get (&breaks), ==, i);
    opened_end_clear (&output);
  }
  opened_end_clear (&input);
}

/* Of callers without the passphrase, few are let in at a time: libsrt keeps the buffers of each, a
 * megabyte, for a second (CUDTUnited::checkBrokenSockets). */
static void
test_strangers (void)
{
  guint port = pair_get_even_port (), let_in = 0;
  g_autofree gchar *from =
      g_strdup_printf ("srt://127.0.0.1:%u?mode=listener&passphrase=right-one-of-it", port);
  g_autofree gchar *to = g_strdup_printf ("srt://127.0.0.1:%u", port);
  g_autoptr (RelayProtocolUri) dialled = relay_protocol_uri_parse (to, TRUE, NULL, NULL);
  struct sockaddr_in address = { .sin_family = AF_INET,
    .sin_port = g_htons (port),
    .sin_addr.s_addr = g_htonl (INADDR_LOOPBACK) };
  SRTSOCKET callers[STRANGERS];
  gint64 begun;
  Input input;

  if (skip ())
    return;
  open_input (&input, from);
  begun = g_get_monotonic_time ();
  for (guint i = 0; i < STRANGERS; i++) {
    callers[i] = relay_srt_socket_new (dialled);
    g_assert_true (relay_srt_socket_bind_dialling (callers[i], dialled));
    srt_connect (callers[i], (struct sockaddr *) &address, sizeof address);
    g_usleep (5000);
  }
  for (guint i = 0; i < STRANGERS; i++) {
    while (srt_getsockstate (callers[i]) <= SRTS_CONNECTED)
      g_usleep (5000);
    let_in += srt_getrejectreason (callers[i]) == SRT_REJ_UNSECURE;
    srt_close (callers[i]);
  }
  g_assert_cmpuint (let_in, >, 0);
  g_assert_cmpint (let_in, <=, 64 * (1 + (g_get_monotonic_time () - begun) / G_USEC_PER_SEC));
  opened_end_clear (&input.opened);
}

/* Two ends of SRT that dial each other meet, from the ports that the other one names. */
static void
test_rendezvous (void)
{
  guint port = pair_get_even_port ();
  g_autofree gchar *from =
      g_strdup_printf ("srt://127.0.0.1:%u?mode=rendezvous&interface=lo&localport=%u", port,
          port + 1);
  g_autofree gchar *to =
      g_strdup_printf ("srt://127.0.0.1:%u?mode=rendezvous&interface=lo&localport=%u&maxbw=1000000",
          port + 1, port);

  if (!skip ())
    check_link (from, to);
}

/* A listener of SRT that refuses is not dialled without a pause, and the end says why. */
static void
test_refused (void)
{
  guint port = pair_get_even_port ();
  g_autofree gchar *from =
      g_strdup_printf ("srt://127.0.0.1:%u?mode=listener&passphrase=right-one-of-it", port);

  if (skip ())
    return;
  for (gint sends = 0; sends < 2; sends++) {
    g_autofree gchar *to = g_strdup_printf ("srt://127.0.0.1:%u?passphrase=another-one", port);
    gint64 begun, doubled = 0;
    OpenedEnd output;
    Input input, listener;
    const OpenedEnd *opened = sends ? &output : &input.opened;

    open_input (&listener, from);
    if (sends)
      opened_end_init_output (&output, to);
    else
      open_input (&input, to);
    begun = g_get_monotonic_time ();
    for (guint n = 0; n < 4; doubled += RELAY_RETRY_FIRST << n++) {
      while (get_figure (opened->end, "end-restarts") <= n)
        if (sends)
          feed_all (&output, 1);
        else
          g_usleep (10000);
      g_assert_true (has_error (opened));
    }
    g_assert_cmpint (g_get_monotonic_time () - begun, >=,
        (doubled - (RELAY_RETRY_FIRST << 3)) * G_TIME_SPAN_MILLISECOND);
    check_sentence (opened->pipeline);
    opened_end_clear (sends ? &output : &input.opened);
    opened_end_clear (&listener.opened);
  }
}

int
main (int argc, char **argv)
{
  GResolver *resolver;

  have_network = enter_network ();
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  resolver = g_object_new (TEST_TYPE_RESOLVER, NULL);
  g_resolver_set_default (resolver);
  g_object_unref (resolver);
  g_test_add_func ("/network/groups", test_groups);
  g_test_add_func ("/network/inputs-anew", test_inputs_anew);
  g_test_add_func ("/network/join-again", test_join_again);
  g_test_add_func ("/network/outputs-anew", test_outputs_anew);
  g_test_add_func ("/network/one-leg", test_one_leg);
  g_test_add_func ("/network/next-address", test_next_address);
  g_test_add_func ("/network/same-address", test_same_address);
  g_test_add_func ("/network/moved", test_moved);
  g_test_add_func ("/network/dialling", test_dialling);
  g_test_add_func ("/network/callers", test_callers);
  g_test_add_func ("/network/strangers", test_strangers);
  g_test_add_func ("/network/rendezvous", test_rendezvous);
  g_test_add_func ("/network/refused", test_refused);
  return g_test_run ();
}
