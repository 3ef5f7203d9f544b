/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a member opens of what a group sends, as the group's key changes.
 */
#include <string.h>
#include "faspdatagram.h"
#include "faspmulticastsender.h"
#include "faspgrouplog.h"
#include "faspmulticastreceiver.h"
#include "faspsentmap.h"
#include "faspstore.h"
#include "faspwire.h"

#define RTT (20 * FASP_MSEC)

static FaspAddress
get_group_address (void)
{
  FaspAddress a = { .len = 8, .overhead = 28 };

  a.bytes[0] = 0xff;
  a.bytes[1] = 0xfe;
  return a;
}

static void
zeros (gpointer user_data, guint8 *data, gsize size)
{
  memset (data, 0x5a, size);
}

/* A datagram of the group, as its members get it. */
static gsize
get_tail (FaspMulticastSender *group, FaspTime now, FaspStore *store, guint8 *data)
{
  static FaspDatagram d;
  FaspGroupView view = { .store = store, .is_unacknowledged = TRUE };

  d.block = NULL;
  d.payload_size = 0;
  group->announce_time = FASP_NEVER;
  group->state_time = now;
  g_assert_true (fasp_multicast_sender_poll (group, now, &view, &d));
  fasp_datagram_seal (&d);
  memcpy (data, d.data, d.size);
  return d.size;
}

static void
test_phases (void)
{
  FaspAddress to = get_group_address ();
  FaspMulticastSender *group =
      fasp_multicast_sender_new (&to, FASP_CIPHER_AES_128_GCM, 0, zeros, NULL);
  FaspStore *store = fasp_store_new (1 << 20, 1000);
  guint8 first[100], before[100], after[100], again[100], scratch[FASP_DATAGRAM_MAX];
  FaspMember member = { 0 };
  FaspMulticastReceiver *receiver;
  FaspSessionHeader header;
  FaspHello hello = { 0 };
  gsize size[2];
  FaspReader r = { 0 };

  fasp_multicast_sender_join (group, &member, 0, 100, RTT);
  /* nearly to the end of the first phase */
  while (fasp_group_log_get_pn (group->log) < (1 << FASP_GROUP_PHASE_BITS) - 2)
    fasp_group_log_sent (group->log, 1, FASP_NO_BLOCK);
  fasp_multicast_sender_describe (group, &hello);
  receiver = fasp_multicast_receiver_new (&hello.group_key, 1);
  size[0] = get_tail (group, 1, store, first);
  g_assert_true (fasp_wire_parse_session (first, size[0], &header));
  g_assert_cmpint (fasp_multicast_receiver_open (receiver, 1, &header, first, size[0], scratch, &r),
      ==, FASP_MULTICAST_RECEIVER_OK);
  size[0] = get_tail (group, 1, store, before);
  size[1] = get_tail (group, 2, store, after);
  memcpy (again, after, size[1]);

  /* in whatever order they come */
  g_assert_true (fasp_wire_parse_session (after, size[1], &header));
  g_assert_cmpint (fasp_multicast_receiver_open (receiver, 1, &header, after, size[1], scratch, &r),
      ==, FASP_MULTICAST_RECEIVER_OK);
  g_assert_true (fasp_wire_parse_session (before, size[0], &header));
  g_assert_cmpint (fasp_multicast_receiver_open (receiver, 1, &header, before, size[0], scratch,
                       &r),
      ==, FASP_MULTICAST_RECEIVER_OK);
  /* once */
  g_assert_true (fasp_wire_parse_session (again, size[1], &header));
  g_assert_cmpint (fasp_multicast_receiver_open (receiver, 1, &header, again, size[1], scratch, &r),
      ==, FASP_MULTICAST_RECEIVER_REFUSED);
  /* nothing of a phase that is far away, of the other K, or that was changed */
  header.pn += 5;
  g_assert_cmpint (fasp_multicast_receiver_open (receiver, 1, &header, again, size[1], scratch, &r),
      ==, FASP_MULTICAST_RECEIVER_FORGED);
  header.phase = TRUE;
  g_assert_cmpint (fasp_multicast_receiver_open (receiver, 1, &header, again, size[1], scratch, &r),
      ==, FASP_MULTICAST_RECEIVER_FORGED);
  fasp_multicast_receiver_free (receiver);

  /* who joins now gets the key of now */
  fasp_multicast_sender_describe (group, &hello);
  receiver = fasp_multicast_receiver_new (&hello.group_key, 1);
  size[1] = get_tail (group, 3, store, after);
  g_assert_true (fasp_wire_parse_session (after, size[1], &header));
  g_assert_cmpint (fasp_multicast_receiver_open (receiver, 1, &header, after, size[1], scratch, &r),
      ==, FASP_MULTICAST_RECEIVER_OK);
  fasp_multicast_receiver_free (receiver);
  fasp_multicast_sender_leave (group, &member);
  fasp_multicast_sender_free (group);
  fasp_store_free (store);
}

/* A sender that says that its group is millions of keys ahead: they are computed one after the
 * other. */
static void
test_keys (void)
{
  const FaspGroupKey key = { .cid = 1, .cipher = FASP_CIPHER_AES_128_GCM };
  FaspMulticastReceiver *receiver = fasp_multicast_receiver_new (&key, FASP_SEC);

  for (guint i = 0; i < 1000; i++)
    fasp_multicast_receiver_expect (receiver, FASP_SEC + i, G_GUINT64_CONSTANT (1) << 60);
  g_assert_cmpuint (receiver->phase, ==, 256);
  fasp_multicast_receiver_expect (receiver, 11 * FASP_SEC, G_GUINT64_CONSTANT (1) << 60);
  g_assert_cmpuint (receiver->phase, ==, 256 + 100);
  fasp_multicast_receiver_free (receiver);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/group/phases", test_phases);
  g_test_add_func ("/attack/keys", test_keys);
  return g_test_run ();
}
