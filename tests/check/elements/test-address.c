/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gio/gio.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include "gstfaspaddress.h"
#include "vcases.h"

static const struct Case
{
  const gchar *name;
  gint family; /* 0: no address */
  guint8 bytes[16];
  guint32 scope;
  const gchar *text;
} cases[] = {
  { "none", 0, { 0 }, 0, NULL },
  { "ipv4", AF_INET, { 192, 0, 2, 7 }, 0, "192.0.2.7:4001" },
  { "mapped", AF_INET6, { [10] = 0xff, 0xff, 192, 0, 2, 7 }, 0, "192.0.2.7:4001" },
  { "ipv6", AF_INET6, { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 }, 0, "[2001:db8::1]:4001" },
  { "link-local", AF_INET6, { 0xfe, 0x80, [15] = 1 }, 1, "[fe80::1%lo]:4001" },
  /* an interface that is gone */
  { "gone", AF_INET6, { 0xfe, 0x80, [15] = 1 }, 4000000, "[fe80::1%4000000]:4001" },
};

static FaspAddress
make (const struct Case *c)
{
  struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons (4001) };
  struct sockaddr_in6 six = {
    .sin6_family = AF_INET6,
    .sin6_port = htons (4001),
    .sin6_scope_id = c->scope,
  };
  FaspAddress address = { 0 };

  memcpy (&four.sin_addr, c->bytes, 4);
  memcpy (&six.sin6_addr, c->bytes, 16);
  if (c->family == AF_INET)
    address.len = sizeof four;
  else if (c->family == AF_INET6)
    address.len = sizeof six;
  memcpy (address.bytes, c->family == AF_INET ? (gpointer) &four : (gpointer) &six, address.len);
  return address;
}

/* One address is read by programs and by people. */
static void
test_twins (gconstpointer data)
{
  const struct Case *c = data;
  FaspAddress address = make (c);
  g_autoptr (GstStructure) s = gst_structure_new_empty ("x");
  g_autofree gchar *text = gst_fasp_address_to_string (&address);
  g_autoptr (GSocketAddress) gio = NULL;

  g_assert_cmpstr (text, ==, c->text);
  gst_fasp_address_describe (s, "peer", &address);
  g_assert_cmpstr (gst_structure_get_string (s, "peer-string"), ==, c->text);
  g_assert_true (gst_structure_get (s, "peer", G_TYPE_SOCKET_ADDRESS, &gio, NULL));
  g_assert_cmpint (gio != NULL, ==, c->family != 0);
  if (gio != NULL)
    g_assert_cmpuint (g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (gio)), ==, 4001);
}

int
main (int argc, char **argv)
{
  gchar loopback[IF_NAMESIZE];

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpstr (if_indextoname (1, loopback), ==, "lo");
  vcases_add ("/address", cases, sizeof *cases, G_N_ELEMENTS (cases), test_twins);
  return g_test_run ();
}
