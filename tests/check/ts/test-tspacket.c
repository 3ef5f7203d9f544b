/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which packets are a continuity error.
 */
#include <string.h>
#include "tspacket.h"

#define PID 0x101

/* The adaptation field's flags are those behind its length; 0: the field has length 0. */
static void
make_packet (guint8 *packet, guint pid, guint control, guint counter, guint8 flags)
{
  memset (packet, 0x47, TS_PACKET); /* bytes that look like the beginning of a packet */
  packet[1] = pid >> 8;
  packet[2] = pid;
  packet[3] = control << 4 | counter;
  packet[4] = flags != 0;
  packet[5] = flags;
}

#define BOTH 3
#define FIELD 2
#define DATA 1

typedef struct
{
  guint pid, control, counter;
  guint8 flags;
} Packet;

static const struct
{
  const gchar *name;
  Packet packets[6]; /* ended by one of control 0 and PID 0 */
  guint errors;
} rows[] = {
  { "in order", { { PID, DATA, 14 }, { PID, DATA, 15 }, { PID, DATA, 0 }, { PID, BOTH, 1 } }, 0 },
  { "one is missing", { { PID, DATA, 1 }, { PID, DATA, 3 }, { PID, DATA, 4 } }, 1 },
  { "they go back", { { PID, DATA, 4 }, { PID, DATA, 3 }, { PID, DATA, 4 } }, 1 },
  { "two gaps", { { PID, DATA, 1 }, { PID, DATA, 3 }, { PID, DATA, 6 } }, 2 },
  { "twice", { { PID, DATA, 1 }, { PID, DATA, 1 }, { PID, DATA, 2 } }, 0 },
  { "three times", { { PID, DATA, 1 }, { PID, DATA, 1 }, { PID, DATA, 1 }, { PID, DATA, 2 } }, 1 },
  { "no payload", { { PID, DATA, 1 }, { PID, FIELD, 1 }, { PID, FIELD, 1 }, { PID, DATA, 2 } }, 0 },
  { "no payload, counted", { { PID, DATA, 1 }, { PID, FIELD, 2 }, { PID, DATA, 3 } }, 1 },
  { "announced", { { PID, DATA, 1 }, { PID, BOTH, 9, 0x80 }, { PID, DATA, 10 } }, 0 },
  { "announced without payload", { { PID, DATA, 1 }, { PID, FIELD, 9, 0x80 }, { PID, DATA, 10 } },
      0 },
  { "other flags", { { PID, DATA, 1 }, { PID, BOTH, 9, 0x50 } }, 1 },
  { "another PID",
      { { PID, DATA, 1 }, { PID + 1, DATA, 9 }, { PID, DATA, 2 }, { PID + 1, DATA, 9 } }, 0 },
  { "null packets", { { 0x1fff, DATA, 1 }, { 0x1fff, DATA, 9 }, { 0x1fff, DATA, 4 } }, 0 },
  { "damaged", { { PID, DATA, 1 }, { 0x8000 | PID, DATA, 9 }, { PID, DATA, 2 } }, 0 },
  { "damaged, and missing", { { PID, DATA, 1 }, { 0x8000 | PID, DATA, 2 }, { PID, DATA, 3 } }, 1 },
  { "reserved", { { PID, DATA, 1 }, { PID, 0, 9 }, { PID, DATA, 2 } }, 0 },
};

/* How many packets of a row, ended by one of control 0 and PID 0, are an error. */
static guint
count_errors (const Packet *packets)
{
  guint8 states[TS_PIDS] = { 0 };
  guint errors = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rows[0].packets); i++) {
    guint8 data[TS_PACKET];
    TsPacket packet;

    if ((packets[i].pid | packets[i].control) == 0)
      break;
    make_packet (data, packets[i].pid, packets[i].control, packets[i].counter, packets[i].flags);
    ts_packet_read (&packet, data, TS_PACKET);
    errors += ts_packet_check_counter (&packet, &states[packet.pid]) == TS_ORDER_LOST;
  }
  return errors;
}

static void
test_counters (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_test_message ("%s", rows[i].name);
    g_assert_cmpuint (count_errors (rows[i].packets), ==, rows[i].errors);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tspacket/counters", test_counters);
  return g_test_run ();
}
