/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vlive.h"
#include <math.h>
#include <string.h>
#include "vencoder.h"
#include "vhost.h"

/* The network begins then (vnet_new()). */
#define EPOCH FASP_SEC
/* bit/s, until a rate is told */
#define BEGIN 1000000
#define MOST 20000000 /* bit/s of the encoder, unless it is told another bound */
/* as the elements' */
#define LATENCY 400
/* What a frame takes on a busy host: µs, and µs for each byte; and bytes that come out at once. */
#define WORK 12000.
#define WORK_BYTE .24
#define PIECE 1316
/* For the seeds of the hosts. */
#define HOSTS 1000

typedef struct
{
  Vlive *live;
  Vhops hops;
} Direction;

struct _Vlive
{
  VliveConfig config;
  Vnet *net;
  FaspEndpoint *sender, *receiver;
  FaspAddress others[VLIVE_PATHS];
  Direction there[VLIVE_PATHS], back[VLIVE_PATHS];
  gboolean dialled;
  Vencoder encoder;
  guint64 announced;
  GArray *frames;
  gint64 timeline;   /* when the first frame would have been captured, but for the pause */
  gint64 next_frame; /* when it is captured */
  Vhost hosts[2];    /* by VnetSide */
  gdouble work;      /* µs that the last frame still takes, if its host is busy, */
  gint64 worked;     /* from here on */
  guint64 made;      /* bytes of all frames */
  guint64 written;   /* of those */
  guint writing;     /* frame that has the next byte to be written */
  guint64 arrived;   /* bytes of frames that are whole */
  guint64 read;      /* offset of the next byte that is read */
  guint reading;     /* frame that has it */
  guint8 *buffer;    /* for one frame */
};

void
vlive_config_init (VliveConfig *config)
{
  *config = (VliveConfig) {
    .control = FASP_RATE_CONTROL_ADAPTIVE,
    .seed = 1,
    .latency_ms = LATENCY,
    .end = 65 * FASP_SEC,
    .n_paths = 1,
  };
}

/* --- the network --------------------------------------------------------------------- */

static void
on_outlet (gpointer data, gpointer packet, gsize bytes, guint8 ecn)
{
  Direction *direction = data;

  vhops_push (&direction->hops, vnet_get_time (direction->live->net) - EPOCH, packet, bytes, ecn);
}

static void
on_leave (gpointer data, gpointer packet, gsize bytes, gboolean dropped, BottleneckEcn ecn,
    gint64 now)
{
  Direction *direction = data;

  vnet_release (direction->live->net, packet, dropped, ecn == BOTTLENECK_CE, now + EPOCH);
}

static void
set_wire (Vlive *live, VnetSide from, guint n, Direction *direction, Bottleneck *const hops[VHOPS])
{
  const VlivePath *c = &live->config.paths[n];
  ImpairConfig *wire = vnet_get_link_wire (live->net, from, !from, n);

  wire->delay = c->delay;
  wire->jitter = c->jitter;
  wire->keep_order = TRUE;
  wire->loss = c->loss;
  if (c->dark_end > 0) {
    wire->blackouts[0].start = c->dark + EPOCH;
    wire->blackouts[0].end = c->dark_end + EPOCH;
  }
  direction->live = live;
  vhops_init (&direction->hops, hops, on_leave, direction);
  if (hops[0] != NULL)
    vnet_set_outlet (live->net, from, !from, n, on_outlet, direction);
}

static FaspEndpoint *
add_endpoint (Vlive *live, VnetSide side)
{
  gboolean sends = side == VNET_A;
  FaspEndpointConfig c;

  fasp_endpoint_config_init (&c, sends ? FASP_ROLE_SENDER : FASP_ROLE_RECEIVER,
      sends ? FASP_MODE_CALLER : FASP_MODE_LISTENER);
  c.settings.latency_ms = live->config.latency_ms;
  c.settings.wait_for_connection = TRUE;
  c.settings.max_bitrate = live->config.max;
  c.rate_control = live->config.control;
  c.flows = live->config.n_paths;
  c.flowlets = 1;
  c.others = live->others;
  return vnet_add_endpoint (live->net, side, &c);
}

Vlive *
vlive_new (const VliveConfig *config)
{
  Vlive *live = g_new0 (Vlive, 1);

  live->config = *config;
  live->net = vnet_new (config->seed);
  live->frames = g_array_new (FALSE, FALSE, sizeof (VliveFrame));
  live->timeline = live->next_frame = config->start;
  if (config->most == 0)
    live->config.most = MOST;
  live->buffer = g_malloc (live->config.most / 8); /* more than a key frame */
  vencoder_init (&live->encoder, config->seed);
  for (guint side = VNET_A; side <= VNET_B; side++)
    vhost_init (&live->hosts[side], HOSTS * (side + 1) + config->seed, config->load);
  for (guint i = 0; i < config->n_paths; i++) {
    set_wire (live, VNET_A, i, &live->there[i], config->paths[i].there);
    set_wire (live, VNET_B, i, &live->back[i], config->paths[i].back);
    live->others[i] = vnet_get_address (VNET_B);
    fasp_address_add_port (&live->others[i], i + 1);
  }
  live->sender = add_endpoint (live, VNET_A);
  live->receiver = add_endpoint (live, VNET_B);
  return live;
}

void
vlive_free (Vlive *live)
{
  vnet_attach (live->net, VNET_A, NULL);
  vnet_attach (live->net, VNET_B, NULL);
  fasp_endpoint_free (live->sender);
  fasp_endpoint_free (live->receiver);
  vnet_free (live->net);
  vencoder_clear (&live->encoder);
  for (guint side = VNET_A; side <= VNET_B; side++)
    vhost_clear (&live->hosts[side]);
  g_array_unref (live->frames);
  g_free (live->buffer);
  g_free (live);
}

const VliveConfig *
vlive_get_config (const Vlive *live)
{
  return &live->config;
}

/* --- the sender ----------------------------------------------------------------------- */

static void
capture (Vlive *live, gint64 now)
{
  const VliveConfig *c = &live->config;
  guint64 begin = c->begin > 0 ? c->begin : BEGIN;
  VliveFrame frame = { .captured = live->next_frame, .arrived = -1 };

  if (now < live->next_frame || live->work > 0)
    return;
  frame.size = vencoder_next (&live->encoder,
      MIN (live->announced > 0 && !c->steady ? live->announced : begin, c->most));
  live->made += frame.size;
  frame.end = live->made;
  if (c->load > 0)
    live->work = WORK + WORK_BYTE * frame.size;
  live->worked = now;
  g_array_append_val (live->frames, frame);
  live->next_frame = live->timeline + vencoder_get_time (live->encoder.frames);
  if (live->next_frame >= c->pause && live->next_frame < c->resume) {
    live->timeline += c->resume - live->next_frame;
    live->next_frame = c->resume;
  }
  if (live->next_frame >= c->end)
    live->next_frame = G_MAXINT64;
}

/* Bytes of the last frame that come out of the encoder in a µs of its work. */
static gdouble
get_speed (const Vlive *live)
{
  const VliveFrame *last = &g_array_index (live->frames, VliveFrame, live->frames->len - 1);

  return last->size / (WORK + WORK_BYTE * last->size);
}

/* Bytes that the encoder has still to put out. */
static guint64
get_owed (const Vlive *live)
{
  const VliveFrame *last;

  if (live->work <= 0)
    return 0;
  last = &g_array_index (live->frames, VliveFrame, live->frames->len - 1);
  return MIN (last->size, PIECE * (guint64) ceil (live->work * get_speed (live) / PIECE));
}

/* When the next piece, or the whole frame, is out. */
static gint64
get_piece_time (const Vlive *live)
{
  gdouble owed = get_owed (live), left = MAX (0, owed - PIECE) / get_speed (live);

  return live->worked + MAX (1, live->work - left);
}

static void
work (Vlive *live, gint64 now)
{
  if (!live->hosts[VNET_A].busy && live->work > 0)
    live->work = MAX (0, live->work - (now - live->worked));
  live->worked = now;
  for (guint side = VNET_A; side <= VNET_B; side++) {
    vhost_run (&live->hosts[side], now);
    if (live->hosts[side].busy)
      vnet_pause (live->net, side, vhost_get_next (&live->hosts[side]) + EPOCH);
  }
}

static void
write_frames (Vlive *live, gint64 now)
{
  guint64 out = live->made - get_owed (live);

  while (live->written < out && fasp_endpoint_can_write (live->sender)) {
    const VliveFrame *f = &g_array_index (live->frames, VliveFrame, live->writing);
    gsize size = MIN (f->end, out) - live->written, taken;

    memset (live->buffer, live->writing, size);
    taken = fasp_endpoint_write (live->sender, now + EPOCH, f->captured + EPOCH, live->buffer, size,
        NULL);
    live->written += taken;
    if (taken < size)
      return;
    live->writing += live->written == f->end;
  }
}

static void
take_events (Vlive *live)
{
  FaspEvent event;

  while (fasp_endpoint_poll_event (live->receiver, &event))
    ;
  while (fasp_endpoint_poll_event (live->sender, &event))
    if (event.type == FASP_EVENT_BITRATE && event.bitrate > 0)
      live->announced = event.bitrate;
}

/* --- the receiver ---------------------------------------------------------------------- */

/* The bytes up to @end, of which @data are the last, or none if it is NULL. */
static void
read_to (Vlive *live, guint64 end, const guint8 *data, gint64 now)
{
  while (live->read < end) {
    VliveFrame *f = &g_array_index (live->frames, VliveFrame, live->reading);
    guint64 to = MIN (end, f->end);

    f->damaged |= data == NULL;
    for (; live->read < to; live->read++)
      if (data != NULL)
        f->damaged |= *data++ != (guint8) live->reading;
    if (live->read < f->end)
      break;
    if (!f->damaged) {
      f->arrived = now;
      live->arrived += f->size;
    }
    live->reading++;
  }
}

static void
read_blocks (Vlive *live, gint64 now)
{
  FaspRead read;

  while (fasp_endpoint_can_read (live->receiver)
      && fasp_endpoint_read (live->receiver, now + EPOCH, &read)) {
    const FaspBlock *block = read.block;

    if (!(block->flags & (FASP_BLOCK_EOS | FASP_BLOCK_HEADER))) {
      read_to (live, read.behind.offset - block->size, NULL, now);
      read_to (live, read.behind.offset, block->data, now);
    }
    fasp_block_unref (read.block);
  }
}

/* --- running ------------------------------------------------------------------------------ */

gint64
vlive_get_next (Vlive *live)
{
  gint64 next;

  if (!live->dialled)
    return live->config.start;
  next = vnet_get_next (live->net) - EPOCH;
  if (!live->hosts[VNET_A].busy)
    next = MIN (next, live->work > 0 ? get_piece_time (live) : live->next_frame);
  for (guint side = VNET_A; side <= VNET_B; side++)
    next = MIN (next, vhost_get_next (&live->hosts[side]));
  return next;
}

void
vlive_run (Vlive *live, gint64 until)
{
  if (!live->dialled && until >= live->config.start) {
    FaspAddress peer = vnet_get_address (VNET_B);

    live->dialled = TRUE;
    vnet_run (live->net, live->config.start + EPOCH);
    fasp_endpoint_dial (live->sender, live->config.start + EPOCH, &peer);
  }
  vnet_run (live->net, until + EPOCH);
  read_blocks (live, until);
  take_events (live);
  work (live, until);
  if (live->hosts[VNET_A].busy)
    return;
  capture (live, until);
  write_frames (live, until);
}

guint64
vlive_get_arrived (const Vlive *live)
{
  return live->arrived;
}

const GArray *
vlive_get_frames (const Vlive *live)
{
  return live->frames;
}

guint64
vlive_get_announced (const Vlive *live)
{
  return live->announced;
}

gboolean
vlive_get_stats (Vlive *live, FaspSessionStats *stats)
{
  return fasp_endpoint_get_sessions (live->sender, vnet_get_time (live->net), &(guint64) { 0 },
             stats, 1)
      > 0;
}
