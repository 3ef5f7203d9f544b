/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "vhitless.h"

/* What the reader keeps to compare with. */
#define RECENT (4 * 1024 * 1024)
#define HISTORY (10 * FASP_SEC)
#define STILL_EVERY (VHITLESS_BITRATE / 8)
#define KEY_EVERY (190 * VHITLESS_CHUNK) /* half a second */

FaspTime
vhitless_time_of (guint64 offset)
{
  return offset / VHITLESS_CHUNK * VHITLESS_CHUNK * 8 * FASP_SEC / VHITLESS_BITRATE;
}

static FaspTime
get_media_time (const VHitless *h, const VHitlessSource *source, guint64 offset)
{
  FaspTime time = vhitless_time_of (offset);

  return h->own_origins ? source->started * 1000 % FASP_SEC + time * (1 + source->ppm / 1e6) :
                          5 * FASP_SEC + time * (1 + h->ppm / 1e6);
}

/* Packets of 188 bytes: a third are empty, tables come again and again, others never. */
static guint8
get_byte (const VHitless *h, guint64 offset)
{
  guint64 packet = offset / 188;

  if (!h->own_origins)
    return vcast_byte_at (offset);
  if (packet % 50 == 0)
    return vcast_byte_at (offset % 188 + (packet / 50 % 16) * 188);
  return packet % 3 == 0 ? 0xff : vcast_byte_at (offset);
}

/* What source @i was fed at @offset. */
static guint8
get_fed (const VHitless *h, guint i, guint64 offset)
{
  guint64 packet = offset / 188;

  if (!h->forges[i] || offset < h->sources[i].forges_from)
    return get_byte (h, offset);
  return get_byte (h, offset)
      + !(h->forges_partly
          && (packet % 50 == 0 || packet % 3 == 0 || offset / STILL_EVERY % 4 == 3));
}

VHitless *
vhitless_new (guint32 seed, FaspRedundancy redundancy, guint n, guint latency_ms)
{
  VHitless *h = g_new0 (VHitless, 1);

  h->net = vnet_new (seed);
  h->started = vnet_get_time (h->net);
  h->rand = g_rand_new_with_seed (seed);
  h->n = n;
  h->latency_ms = latency_ms;
  h->merge = fasp_merge_new (redundancy, n, RECENT);
  h->end.offset = FASP_OFFSET_UNKNOWN;
  for (guint i = 0; i < FASP_ORIGIN_SIZE; i++)
    h->origin.bytes[i] = g_rand_int_range (h->rand, 0, 256);
  for (guint i = 0; i < n; i++)
    vhitless_call (h, i);
  return h;
}

void
vhitless_call (VHitless *h, guint i)
{
  FaspAddress peer = vnet_get_address (VNET_A + i);
  FaspOtherSources others = fasp_merge_get_other_sources (h->merge, i);
  FaspTime now = vnet_get_time (h->net);
  FaspEndpointConfig c;

  vnet_attach (h->net, VNET_E + i, NULL);
  g_clear_pointer (&h->sources[i].receiver, fasp_endpoint_free);
  fasp_endpoint_config_init (&c, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  c.settings.latency_ms = h->latency_ms;
  c.one_of_several = TRUE;
  h->sources[i].receiver = vnet_add_endpoint (h->net, VNET_E + i, &c);
  fasp_endpoint_set_other_sources (h->sources[i].receiver, now, &others);
  fasp_endpoint_dial (h->sources[i].receiver, now, &peer);
}

void
vhitless_free (VHitless *h)
{
  for (guint i = 0; i < h->n; i++) {
    vnet_attach (h->net, VNET_A + i, NULL);
    vnet_attach (h->net, VNET_E + i, NULL);
    fasp_endpoint_free (h->sources[i].sender);
    fasp_endpoint_free (h->sources[i].receiver);
  }
  fasp_merge_free (h->merge);
  vnet_free (h->net);
  g_rand_free (h->rand);
  g_free (h);
}

void
vhitless_wire (VHitless *h, guint i, FaspTime rtt, gdouble loss)
{
  VnetSide sides[2] = { VNET_A + i, VNET_E + i };

  h->sources[i].delay = rtt / 2;
  for (guint k = 0; k < 2; k++) {
    ImpairConfig *w = vnet_get_wire (h->net, sides[k], sides[1 - k]);

    w->delay = rtt / 2;
    w->loss = loss;
  }
}

void
vhitless_start (VHitless *h, guint i)
{
  VHitlessSource *source = &h->sources[i];
  FaspEndpointConfig c;

  fasp_endpoint_config_init (&c, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  c.settings.max_bitrate = VHITLESS_CHANNEL;
  c.settings.latency_ms = h->latency_ms;
  c.settings.wait_for_connection = FALSE;
  c.history = HISTORY;
  if (h->has_keys)
    c.join = FASP_JOIN_KEY_FRAME;
  if (h->joins_back)
    c.join = FASP_JOIN_BACK;
  source->sender = vnet_add_endpoint (h->net, VNET_A + i, &c);
  if (h->has_header) {
    g_autoptr (GBytes) header = g_bytes_new_static ("header", 6);

    fasp_endpoint_set_header (source->sender, vnet_get_time (h->net), header);
  }
  source->written = source->started = h->due / VHITLESS_CHUNK * VHITLESS_CHUNK;
  source->ppm = g_rand_double_range (h->rand, -200, 200);
}

void
vhitless_kill (VHitless *h, guint i)
{
  vnet_attach (h->net, VNET_A + i, NULL);
  g_clear_pointer (&h->sources[i].sender, fasp_endpoint_free);
}

static void
feed (VHitless *h, guint i, FaspTime now)
{
  VHitlessSource *source = &h->sources[i];
  FaspEvent event;

  if (source->sender == NULL || source->is_frozen || source->has_ended)
    return;
  while (fasp_endpoint_poll_event (source->sender, &event))
    ;
  while (source->written + VHITLESS_CHUNK <= h->due) {
    FaspStreamOffset position = { TRUE, h->origin, source->written };
    FaspTime media = get_media_time (h, source, source->written);
    guint8 data[VHITLESS_CHUNK];

    position.offset += source->ahead;
    position.origin.bytes[0] ^= source->has_other_origin;
    for (guint k = 0; k < VHITLESS_CHUNK; k++)
      data[k] = get_fed (h, i, source->written + k);
    if (h->has_keys && source->written % KEY_EVERY == 0)
      fasp_endpoint_begin_key_frame (source->sender, now, media, FALSE);
    if ((!h->own_origins
            && !fasp_endpoint_set_stream_offset (source->sender, now, media, &position))
        || fasp_endpoint_write (source->sender, now, media, data, sizeof data, NULL)
            < VHITLESS_CHUNK)
      g_assert_not_reached ();
    source->written += VHITLESS_CHUNK;
  }
  if (h->finished)
    fasp_endpoint_finish (source->sender, now);
}

static void
check (VHitless *h, FaspTime now, const FaspMergeTaken *taken, FaspRead *read)
{
  const guint from = taken->source;
  FaspBlock *block = read->block;

  if (block->flags & FASP_BLOCK_HEADER) {
    h->headers++;
    fasp_block_unref (block);
    return;
  }
  if (block->flags & FASP_BLOCK_EOS) {
    h->eos = TRUE;
    fasp_block_unref (block);
    return;
  }
  if (h->own_origins && !fasp_stream_offset_is_comparable (&h->end, &read->behind)) {
    h->base = h->sources[from].started;
    h->of = from;
    h->first_key = block->offset;
    h->end.known = FALSE;
    h->streams++;
  }
  for (guint k = 0; k < block->size; k++)
    h->wrong += block->data[k]
        != (h->own_origins ? get_fed (h, h->of, h->base + block->offset + k) :
                             get_byte (h, block->offset + k));
  h->discontinuities += (block->flags & FASP_BLOCK_DISCONT) != 0;
  if (h->end.known) {
    g_assert_cmpuint (block->offset, >=, h->end.offset);
    g_assert_cmpuint (taken->missing, ==, block->offset - h->end.offset);
    h->missing += taken->missing;
    h->max_jump = MAX (h->max_jump, ABS (read->arrival - block->media_time - h->last_shift));
  } else {
    h->first = block->offset;
  }
  h->last_shift = read->arrival - block->media_time;
  h->latest = MAX (h->latest, now - h->started - vhitless_time_of (h->base + block->offset));
  h->overdue = MAX (h->overdue, now - read->arrival - h->latency_ms * FASP_MSEC);
  h->read += block->size;
  h->end = read->behind;
  fasp_block_unref (block);
}

/* Has anything happened that wakes the reader?  It sleeps otherwise, as faspsrc does. */
static gboolean
is_woken (VHitless *h, FaspTime now)
{
  gboolean woken = now >= h->sleeps_until;
  FaspEvent event;

  for (guint i = 0; i < h->n; i++) {
    FaspEndpoint *receiver = h->sources[i].receiver;

    while (fasp_endpoint_poll_event (receiver, &event))
      woken = TRUE;
    woken |= fasp_endpoint_can_read (receiver);
  }
  return woken;
}

/* What faspsrc does: tells the sources what the reader has, and reads them. */
static void
run_due (VHitless *h, FaspTime now)
{
  FaspMergeEvent event;
  FaspMergeTaken taken;
  FaspRead read;

  if (!is_woken (h, now))
    return;
  for (gboolean more = TRUE; more;) {
    more = FALSE;
    for (guint i = 0; i < h->n; i++) {
      FaspEndpoint *receiver = h->sources[i].receiver;
      FaspSourceState state;

      h->sources[i].told = fasp_merge_get_other_sources (h->merge, i);
      fasp_endpoint_set_other_sources (receiver, now, &h->sources[i].told);
      fasp_endpoint_get_source (receiver, now, &state);
      fasp_merge_set_state (h->merge, now, i, &state);
    }
    for (guint i = 0; i < h->n; i++)
      while (fasp_merge_wants (h->merge, i)
          && fasp_endpoint_read (h->sources[i].receiver, now, &read)) {
        fasp_merge_put (h->merge, now, i, &read);
        more = TRUE;
      }
    fasp_merge_decide (h->merge, now);
    while (fasp_merge_take (h->merge, now, &read, &taken)) {
      check (h, now, &taken, &read);
      more = TRUE;
    }
    for (guint i = 0; i < h->n; i++)
      more |= !fasp_merge_is_announced (h->merge, i, &h->sources[i].told);
  }
  h->sleeps_until = fasp_merge_get_timeout (h->merge, now);
  while (fasp_merge_poll_event (h->merge, &event)) {
    h->events[event.type][event.source]++;
    g_test_message ("%.3f s: source %u: %s", (now - h->started) / 1e6, event.source, event.why);
  }
}

void
vhitless_step (VHitless *h)
{
  FaspTime now = vnet_get_time (h->net) + VHITLESS_STEP;

  vnet_run (h->net, now);
  h->due += h->finished || h->is_paused ? 0 : VHITLESS_BITRATE / 8 * VHITLESS_STEP / FASP_SEC;
  for (guint i = 0; i < h->n; i++)
    feed (h, i, now);
  run_due (h, now);
}

void
vhitless_run (VHitless *h, FaspTime span)
{
  FaspTime until = vnet_get_time (h->net) + span;

  while (vnet_get_time (h->net) < until)
    vhitless_step (h);
}

void
vhitless_black_out (VHitless *h, guint i, FaspTime span)
{
  FaspTime now = vnet_get_time (h->net);
  VnetSide sides[2] = { VNET_A + i, VNET_E + i };

  for (guint k = 0; k < 2; k++) {
    ImpairConfig *w = vnet_get_wire (h->net, sides[k], sides[1 - k]);

    impair_black_out (w, now, span);
  }
  vhitless_run (h, span);
}

static void
freeze (VHitless *h, guint i, FaspTime span)
{
  h->sources[i].is_frozen = TRUE;
  vnet_attach (h->net, VNET_A + i, NULL);
  vhitless_run (h, span);
  h->sources[i].is_frozen = FALSE;
  vnet_attach (h->net, VNET_A + i, h->sources[i].sender);
}

static void
restart (VHitless *h, guint i, FaspTime span)
{
  vhitless_kill (h, i);
  vhitless_run (h, span);
  vhitless_start (h, i);
}

void
vhitless_harm (VHitless *h, guint times, FaspTime pause)
{
  static void (*const WAYS[]) (VHitless *h, guint i, FaspTime span) = { vhitless_black_out, freeze,
    restart };

  for (guint k = 0; k < times; k++) {
    FaspTime span = .05 * FASP_SEC * pow (400, g_rand_double (h->rand));

    WAYS[g_rand_int_range (h->rand, 0, G_N_ELEMENTS (WAYS))](h, g_rand_int_range (h->rand, 0, h->n),
        span);
    vhitless_run (h, pause);
  }
}

void
vhitless_assert_complete (const VHitless *h)
{
  g_assert_false (h->wrong);
  g_assert_cmpuint (h->missing, ==, 0);
  g_assert_cmpuint (h->discontinuities, ==, 0);
  g_assert_cmpuint (h->first + h->read, ==, h->end.offset);
}

void
vhitless_assert_whole (const VHitless *h)
{
  FaspTime slowest = 0;

  vhitless_assert_complete (h);
  for (guint i = 0; i < h->n; i++)
    slowest = MAX (slowest, h->sources[i].delay);
  g_assert_cmpint (h->latest, <=, slowest + h->latency_ms * FASP_MSEC);
}

guint64
vhitless_get_sent (VHitless *h, guint i)
{
  return vnet_get_counters (h->net, VNET_A + i, VNET_E + i)->bytes;
}

guint64
vhitless_get_returned (VHitless *h, guint i)
{
  return vnet_get_counters (h->net, VNET_E + i, VNET_A + i)->bytes;
}

guint
vhitless_get_leader (VHitless *h)
{
  FaspSourceStats stats;
  guint i = 0;

  do
    fasp_merge_get_stats (h->merge, i, &stats);
  while (!stats.leads && ++i < h->n);
  return i;
}

gboolean
vhitless_is_trusted (VHitless *h, guint i)
{
  FaspSourceStats stats;

  fasp_merge_get_stats (h->merge, i, &stats);
  return stats.is_trusted;
}

void
vhitless_end (VHitless *h)
{
  h->finished = TRUE;
  vhitless_run (h, 2 * FASP_SEC);
  g_assert_true (h->eos);
}

void
vhitless_end_whole (VHitless *h)
{
  vhitless_end (h);
  g_assert_cmpuint (h->base + h->end.offset, ==, h->due / VHITLESS_CHUNK * VHITLESS_CHUNK);
}
