/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "vstream.h"

void
vstream_config_init (VstreamConfig *config)
{
  *config = (VstreamConfig) {
    .bitrate = 6000000,
    .channel = 10000000,
    .chunk = 1316,
    .duration = 30 * FASP_SEC,
    .limit = 60 * FASP_SEC,
  };
  fasp_endpoint_config_init (&config->sender, FASP_ROLE_SENDER, FASP_MODE_CALLER);
  fasp_endpoint_config_init (&config->receiver, FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);
}

gboolean
vstream_parse_rate_control (const gchar *name, FaspRateControl *control)
{
  static const gchar *const names[] = {
    [FASP_RATE_CONTROL_FIXED] = "fixed",
    [FASP_RATE_CONTROL_PERT] = "pert",
    [FASP_RATE_CONTROL_ADAPTIVE] = "adaptive",
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i])) {
      *control = i;
      return TRUE;
    }
  return FALSE;
}

Vstream *
vstream_new (Vnet *net, const VstreamConfig *config)
{
  Vstream *stream = g_new0 (Vstream, 1);
  FaspEndpointConfig c[2] = { config->sender, config->receiver };
  FaspAddress peer;

  stream->net = net;
  stream->config = *config;
  stream->started = vnet_get_time (net);
  if (config->receiver_calls) {
    c[0].mode = FASP_MODE_LISTENER;
    c[1].mode = FASP_MODE_CALLER;
  }
  c[0].settings.max_bitrate = config->channel;
  if (config->flows > 0) {
    c[0].flows = c[0].flowlets = c[1].flows = c[1].flowlets = config->flows;
    c[0].assignment = config->assignment;
  }
  stream->sender = fasp_endpoint_new (&c[0], vnet_random, net);
  stream->receiver = fasp_endpoint_new (&c[1], vnet_random, net);
  vnet_attach (net, VNET_A, stream->sender);
  vnet_attach (net, VNET_B, stream->receiver);
  peer = vnet_get_address (config->receiver_calls ? VNET_A : VNET_B);
  fasp_endpoint_dial (config->receiver_calls ? stream->receiver : stream->sender, stream->started,
      &peer);
  return stream;
}

void
vstream_free (Vstream *stream)
{
  vnet_attach (stream->net, VNET_A, NULL);
  vnet_attach (stream->net, VNET_B, NULL);
  fasp_endpoint_free (stream->sender);
  fasp_endpoint_free (stream->receiver);
  g_free (stream);
}

/* Eight bytes of the stream, the same at both ends (splitmix64). */
static guint64
word_at (guint64 index)
{
  guint64 z = (index + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Makes the @size bytes from @offset on; @data has room for 16 more. Returns where they
 * begin in it. */
static const guint8 *
bytes_at (guint64 offset, guint32 size, guint8 *data)
{
  for (guint32 i = 0; i < (size + offset % 8 + 7) / 8; i++) {
    guint64 word = word_at (offset / 8 + i);

    memcpy (data + i * 8, &word, 8);
  }
  return data + offset % 8;
}

guint64
vstream_get_made (const VstreamConfig *config, FaspTime since)
{
  guint64 second = config->bitrate / 8, pictures, begun;

  since = CLAMP (since, 0, config->duration);
  if (config->key == 0)
    return second * since / FASP_SEC;
  pictures = since / (20 * FASP_MSEC);
  begun = pictures % 50;
  return pictures / 50 * second
      + (begun > 0 ? second * (config->key + begun - 1) / (49 + config->key) : 0);
}

static void
write_due (Vstream *stream)
{
  FaspTime now = vnet_get_time (stream->net);
  guint64 total = vstream_get_made (&stream->config, stream->config.duration);
  guint64 due = vstream_get_made (&stream->config, now - stream->started - stream->config.lead);

  while (stream->written < due && (due - stream->written >= stream->config.chunk || due == total)
      && fasp_endpoint_can_write (stream->sender)) {
    guint32 size = MIN (stream->config.chunk, due - stream->written);
    guint8 room[65536 + 16];
    const guint8 *data = bytes_at (stream->written, size, room);
    FaspMemory *memory = NULL;
    gsize taken;

    /* every other write is in memory that blocks may stay in */
    if (stream->writes++ % 2 != 0)
      memory = vnet_memory_new (data, size, &data);
    taken = fasp_endpoint_write (stream->sender, now, now, data, size, memory);
    if (memory != NULL)
      fasp_memory_unref (memory);
    stream->written += taken;
    if (taken < size) {
      stream->blocked_writes++;
      break;
    }
  }
  if (stream->written == total)
    fasp_endpoint_finish (stream->sender, now);
}

static void
watch_play_time (Vstream *stream, const FaspRead *read)
{
  FaspTime shift = read->arrival - read->block->media_time;

  if (stream->read > 0)
    stream->max_jump = MAX (stream->max_jump, ABS (shift - stream->last_shift));
  stream->last_shift = shift;
}

static void
read_all (Vstream *stream)
{
  FaspTime now = vnet_get_time (stream->net);
  FaspTime since = now - stream->started;
  FaspRead read;

  if (stream->config.reader_stops && since >= stream->config.stop_from
      && since < stream->config.stop_to)
    return;
  while (fasp_endpoint_read (stream->receiver, now, &read)) {
    FaspBlock *block = read.block;
    guint8 wanted[65536 + 16];

    if (memcmp (block->data, bytes_at (stream->read, block->size, wanted), block->size) != 0)
      stream->wrong = TRUE;
    watch_play_time (stream, &read);
    stream->read += block->size;
    if (stream->config.on_read != NULL)
      stream->config.on_read (stream->config.data, block->size, now);
    if (block->flags & FASP_BLOCK_DISCONT)
      stream->discontinuities++;
    if (block->flags & FASP_BLOCK_EOS)
      stream->eos = TRUE;
    stream->last_read = now;
    fasp_block_unref (block);
  }
}

static void
look (Vstream *stream)
{
  FaspEndpoint *sides[2] = { stream->sender, stream->receiver };
  FaspTime now = vnet_get_time (stream->net);
  FaspEvent event;

  for (guint i = 0; i < 2; i++) {
    FaspEndpointStats stats;

    while (fasp_endpoint_poll_event (sides[i], &event)) {
      stream->events[event.type][i]++;
      if (event.type == FASP_EVENT_FLOW_OUT || event.type == FASP_EVENT_FLOW_BACK)
        stream->outage[i] = event;
      stream->shortfalls += event.promise.falls_short;
    }
    fasp_endpoint_get_stats (sides[i], &stats);
    stream->max_buffer[i] = MAX (stream->max_buffer[i], stats.buffer_bytes);
    fasp_endpoint_get_sessions (sides[i], now, &(guint64) { 0 },
        i == 0 ? &stream->sender_stats : &stream->receiver_stats, 1);
  }
  if (fasp_endpoint_is_drained (stream->sender))
    stream->drained = TRUE;
}

static void
step (Vstream *stream)
{
  FaspTime now = vnet_get_time (stream->net);
  FaspTime tick = stream->config.chunk * 8 * FASP_SEC / stream->config.bitrate;

  vnet_run (stream->net, now + CLAMP (tick, 1, 50 * FASP_MSEC));
  read_all (stream);
  write_due (stream);
  look (stream);
}

void
vstream_run_until (Vstream *stream, FaspTime duration)
{
  while (vnet_get_time (stream->net) < stream->started + duration)
    step (stream);
}

gboolean
vstream_is_right (const Vstream *stream)
{
  return !stream->wrong && stream->discontinuities == 0;
}

gboolean
vstream_run (Vstream *stream)
{
  FaspTime end =
      stream->started + stream->config.lead + stream->config.duration + stream->config.limit;

  while (vnet_get_time (stream->net) < end && !(stream->eos && stream->drained))
    step (stream);
  return stream->eos && stream->drained && vstream_is_right (stream)
      && stream->read == stream->written;
}
