/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simcycles: the work of a sender and of its receivers, in virtual time, over a network without
 * delay or loss. bench-cycles counts its instructions: those of the sender are in at_sender_...(),
 * those of the receivers in at_receiver_...().
 *
 *   simcycles --cipher aes-128-gcm --blocks 20000
 *   simcycles --receivers 50 --mbit 5 --blocks 400
 *
 * Without a rate, blocks are written, leave and arrive in runs, as those of a fast stream do.
 */
#include <string.h>
#include "faspcredentials.h"
#include "options.h"
#include "vnet.h"

#define PAYLOAD 1400 /* bytes of a block */
#define OVERHEAD 28
#define RUN 44        /* blocks that are written at a time: what UDP_SEGMENT takes of this size */
#define RUN_EVERY 100 /* µs */
#define BATCH 64      /* datagrams that leave together */
#define SAME_TIME 8   /* datagrams between two readings of the clock (fasplanes.c) */
#define NOINLINE __attribute__ ((noinline))

static gint blocks = 20000, receivers = 1;
static gdouble mbit;
static FaspEndpoint *sender, **receiver;
static FaspDatagram batch[BATCH];

static void
fill_with_random (gpointer rand, guint8 *data, gsize size)
{
  for (gsize i = 0; i < size; i++)
    data[i] = g_rand_int (rand) >> 24;
}

/* The sender has number 0. */
static FaspAddress
address (guint number)
{
  FaspAddress a = { .len = 8, .overhead = OVERHEAD };

  a.bytes[0] = number >> 8;
  a.bytes[1] = number;
  a.bytes[3] = 1;
  return a;
}

/* Fills the batch with what @endpoint has to send. */
static guint
poll (FaspEndpoint *endpoint, FaspTime now)
{
  guint n = 0, made;

  while (n < BATCH
      && (made = fasp_endpoint_poll_lane (endpoint, 0, now + n / SAME_TIME, &batch[n],
              MIN (SAME_TIME - n % SAME_TIME, BATCH - n)))
          > 0)
    n += made;
  for (guint i = 0; i < n; i++)
    fasp_datagram_seal (&batch[i]);
  return n;
}

static NOINLINE gsize
at_sender_write (FaspTime now, const guint8 *data, gsize size, FaspMemory *memory)
{
  return fasp_endpoint_write (sender, now, now, data, size, memory);
}

static NOINLINE guint
at_sender_poll (FaspTime now)
{
  GPtrArray *forgotten = fasp_endpoint_take_forgotten (sender);

  if (forgotten != NULL)
    g_ptr_array_unref (forgotten);
  return poll (sender, now);
}

static NOINLINE void
at_sender_receive (FaspTime now, guint from, const guint8 *data, gsize size)
{
  FaspAddress peer = address (from);

  fasp_endpoint_receive (sender, now, &peer, data, size, NULL, FALSE);
}

static NOINLINE void
at_sender_release (guint n)
{
  for (guint i = 0; i < n; i++)
    fasp_datagram_release (&batch[i]);
}

static NOINLINE guint
at_receiver_poll (FaspEndpoint *endpoint, FaspTime now)
{
  FaspRead read;

  while (fasp_endpoint_read (endpoint, now, &read))
    fasp_block_unref (read.block);
  return poll (endpoint, now);
}

static NOINLINE void
at_receiver_receive (FaspEndpoint *endpoint, FaspTime now, const guint8 *data, gsize size,
    FaspMemory *memory)
{
  FaspAddress peer = address (0);

  fasp_endpoint_receive (endpoint, now, &peer, data, size, memory, FALSE);
}

/* --- the network -------------------------------------------------------------- */

/* Copies a datagram. Returns its size. */
static gsize
copy (const FaspDatagram *d, guint8 *to)
{
  if (d->block == NULL) {
    memcpy (to, d->data, d->size);
  } else {
    memcpy (to, d->data, d->head);
    memcpy (to + d->head, d->payload, d->payload_size);
    memcpy (to + d->head + d->payload_size, d->data + d->head, d->size - d->head - d->payload_size);
  }
  return d->size;
}

/* The receiver that has this address. */
static guint
find_receiver (const FaspDatagram *d)
{
  return (d->to.bytes[0] << 8 | d->to.bytes[1]) - 1;
}

/* Passes on the first @n datagrams of the sender's batch: those in a row for one receiver lie in
 * one memory, as UDP_GRO joins them. */
static void
carry (FaspTime now, guint n)
{
  static guint8 joined[BATCH * FASP_DATAGRAM_MAX];
  const guint8 *data;

  for (guint i = 0, end; i < n; i = end) {
    guint to = find_receiver (&batch[i]);
    FaspMemory *memory;
    gsize size = 0;

    for (end = i; end < n && find_receiver (&batch[end]) == to; end++)
      size += copy (&batch[end], joined + size);
    memory = vnet_memory_new (joined, size, &data);
    for (guint j = i; j < end; data += batch[j++].size)
      at_receiver_receive (receiver[to], now, data, batch[j].size, memory);
    fasp_memory_unref (memory);
  }
  at_sender_release (n);
}

/* All that either end has to send at @now arrives. */
static void
exchange (FaspTime now)
{
  guint8 data[FASP_DATAGRAM_MAX];
  gboolean more;
  guint n;

  do {
    more = FALSE;
    while ((n = at_sender_poll (now)) > 0)
      carry (now, n);
    for (gint i = 0; i < receivers; i++) {
      n = at_receiver_poll (receiver[i], now);
      more |= n > 0;
      for (guint j = 0; j < n; j++)
        at_sender_receive (now, i + 1, data, copy (&batch[j], data));
      for (guint j = 0; j < n; j++)
        fasp_datagram_release (&batch[j]);
    }
  } while (more);
}

static FaspTime
get_next (void)
{
  FaspTime next = fasp_endpoint_get_timeout (sender);

  for (gint i = 0; i < receivers; i++)
    next = MIN (next, fasp_endpoint_get_timeout (receiver[i]));
  return next;
}

static void
run (FaspTime *now, FaspTime until)
{
  exchange (*now);
  for (FaspTime next = get_next (); next < until; next = get_next ()) {
    *now = MAX (*now + 1, next);
    exchange (*now);
  }
  *now = until;
}

/* --- the stream --------------------------------------------------------------- */

static FaspEndpoint *
make (FaspRole role, FaspCipher cipher, GRand *rand)
{
  FaspEndpointConfig config;
  FaspEndpoint *endpoint;

  fasp_endpoint_config_init (&config, role,
      role == FASP_ROLE_SENDER ? FASP_MODE_LISTENER : FASP_MODE_CALLER);
  config.credentials = fasp_credentials_new ();
  fasp_credentials_set_cipher (config.credentials, cipher);
  config.settings.max_bitrate = mbit * 1.25e6;
  config.settings.latency_ms = 20;
  config.buffer_size = 1 << 25;
  endpoint = fasp_endpoint_new (&config, fill_with_random, rand);
  fasp_credentials_unref (config.credentials);
  return endpoint;
}

static void
send_stream (FaspTime *now)
{
  guint run_blocks = mbit > 0 ? 1 : RUN, size = run_blocks * PAYLOAD;
  FaspTime every = mbit > 0 ? PAYLOAD * 8 / mbit : RUN_EVERY;
  g_autofree guint8 *bytes = g_malloc0 (size);
  const guint8 *data;

  for (gint n = 0; n < blocks; n += run_blocks) {
    FaspMemory *memory = vnet_memory_new (bytes, size, &data);

    for (gsize left = size; left > 0; run (now, *now + 1))
      left -= at_sender_write (*now, data + size - left, left, mbit > 0 ? NULL : memory);
    fasp_memory_unref (memory);
    run (now, *now + every - 1);
  }
}

int
main (int argc, char **argv)
{
  g_autofree gchar *cipher = NULL;
  const GOptionEntry entries[] = {
    { "blocks", 0, 0, G_OPTION_ARG_INT, &blocks, "So many", "N" },
    { "receivers", 0, 0, G_OPTION_ARG_INT, &receivers, "So many", "N" },
    { "mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "Of the stream; 0: in runs", "R" },
    { "cipher", 0, 0, G_OPTION_ARG_STRING, &cipher, "none, aes-128-gcm", "NAME" },
    { NULL },
  };
  gboolean encrypts;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  FaspAddress to = address (0);
  FaspTime now = FASP_SEC;

  options_parse (&argc, &argv, entries, NULL);
  encrypts = g_strcmp0 (cipher, "aes-128-gcm") == 0;
  if (blocks < 1 || receivers < 1 || receivers > G_MAXUINT16 - 1
      || (cipher != NULL && !encrypts && strcmp (cipher, "none") != 0))
    options_refuse ("say --blocks, --receivers, and --cipher none or aes-128-gcm");
  sender = make (FASP_ROLE_SENDER, encrypts ? FASP_CIPHER_AES_128_GCM : FASP_CIPHER_NONE, rand);
  fasp_endpoint_set_packet_size (sender, PAYLOAD);
  receiver = g_new (FaspEndpoint *, receivers);
  for (gint i = 0; i < receivers; i++) {
    receiver[i] =
        make (FASP_ROLE_RECEIVER, encrypts ? FASP_CIPHER_AES_128_GCM : FASP_CIPHER_NONE, rand);
    fasp_endpoint_dial (receiver[i], now, &to);
  }
  run (&now, now + 5 * FASP_SEC);
  send_stream (&now);
  for (gint i = 0; i < receivers; i++)
    fasp_endpoint_free (receiver[i]);
  fasp_endpoint_free (sender);
  g_free (receiver);
  return 0;
}
