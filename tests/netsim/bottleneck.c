/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bottleneck.h"
#include "dualq.h"

typedef struct
{
  const BottleneckUser *user;
  gpointer packet;
  gsize bytes;
  BottleneckEcn ecn;
  gint64 entered; /* µs */
} Item;

struct _Bottleneck
{
  Capacity *capacity;
  gsize limit, held;           /* bytes */
  GQueue queues[DUALQ_QUEUES]; /* of Item; drop-tail: the classic one has all */
  Item *leaving;               /* the link is sending it; or NULL */
  DualqQueue leaving_from;
  gint64 due; /* when it has left, µs */
  gboolean dual;
  Dualq aqm;
  BottleneckCounters counters;
  GArray *waits[DUALQ_QUEUES];
};

Bottleneck *
bottleneck_new (Capacity *capacity, gsize limit)
{
  Bottleneck *b = g_new0 (Bottleneck, 1);

  b->capacity = capacity;
  b->limit = limit;
  b->due = G_MAXINT64;
  for (guint i = 0; i < DUALQ_QUEUES; i++) {
    b->waits[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
    g_queue_init (&b->queues[i]);
  }
  return b;
}

Bottleneck *
bottleneck_new_dual (Capacity *capacity, gsize limit)
{
  Bottleneck *b = bottleneck_new (capacity, limit);

  b->dual = TRUE;
  return b;
}

/* Frees @item. */
static void
release (Bottleneck *b, Item *item, gboolean dropped, gint64 now)
{
  b->held -= item->bytes;
  b->counters.dropped += dropped;
  item->user->leave (item->user->data, item->packet, item->bytes, dropped, item->ecn, now);
  g_free (item);
}

void
bottleneck_free (Bottleneck *b)
{
  for (guint i = 0; i < DUALQ_QUEUES; i++) {
    Item *item;

    while ((item = g_queue_pop_head (&b->queues[i])) != NULL)
      release (b, item, TRUE, b->due);
    g_array_unref (b->waits[i]);
  }
  if (b->leaving != NULL)
    release (b, b->leaving, TRUE, b->due);
  capacity_free (b->capacity);
  g_free (b);
}

static const Item *
get_first (const Bottleneck *b, DualqQueue queue)
{
  const GList *head = b->queues[queue].head;

  return head != NULL ? head->data : NULL;
}

static void
update_aqm (Bottleneck *b, gint64 now)
{
  gint64 heads[DUALQ_QUEUES];

  for (guint i = 0; i < DUALQ_QUEUES; i++) {
    const Item *first = get_first (b, i);

    heads[i] = first != NULL ? first->entered : G_MAXINT64;
  }
  dualq_update (&b->aqm, now, heads);
}

static DualqQueue
choose (Bottleneck *b)
{
  gsize sizes[DUALQ_QUEUES];

  for (guint i = 0; i < DUALQ_QUEUES; i++) {
    const Item *first = get_first (b, i);

    sizes[i] = first != NULL ? first->bytes : 0;
  }
  return dualq_choose (&b->aqm, sizes);
}

/* Takes the next packet from its queue; NULL: there is none. */
static Item *
take (Bottleneck *b, gint64 now)
{
  Item *item;

  if (b->dual)
    update_aqm (b, now);
  for (;;) {
    gboolean alone, ecn;

    b->leaving_from = b->dual ? choose (b) : DUALQ_CLASSIC;
    item = g_queue_pop_head (&b->queues[b->leaving_from]);
    if (item == NULL || !b->dual)
      return item;
    alone = b->queues[b->leaving_from].length == 0;
    ecn = item->ecn != BOTTLENECK_NOT_ECT;
    switch (dualq_judge (&b->aqm, b->leaving_from, now - item->entered, alone, ecn)) {
      case DUALQ_MARK:
        item->ecn = BOTTLENECK_CE;
        b->counters.marked++;
        return item;
      case DUALQ_PASS:
        return item;
      case DUALQ_DROP:
        release (b, item, TRUE, now);
        break;
    }
  }
}

/* The link takes the next packet. */
static void
begin (Bottleneck *b, gint64 now)
{
  b->leaving = take (b, now);
  b->due = b->leaving != NULL ? capacity_send (b->capacity, now, b->leaving->bytes) : G_MAXINT64;
}

void
bottleneck_push (Bottleneck *b, gint64 now, const BottleneckUser *user, gpointer packet,
    gsize bytes, BottleneckEcn ecn)
{
  Item item = { user, packet, bytes, ecn, now };
  gboolean l4s = b->dual && (ecn == BOTTLENECK_ECT1 || ecn == BOTTLENECK_CE);

  if (b->held + bytes > b->limit) {
    b->counters.dropped++;
    user->leave (user->data, packet, bytes, TRUE, ecn, now);
    return;
  }
  if (b->dual)
    update_aqm (b, now);
  b->held += bytes;
  g_queue_push_tail (&b->queues[l4s ? DUALQ_L4S : DUALQ_CLASSIC], g_memdup2 (&item, sizeof item));
  if (b->leaving == NULL)
    begin (b, now);
}

gint64
bottleneck_get_due (const Bottleneck *b)
{
  return b->due;
}

void
bottleneck_run (Bottleneck *b, gint64 now)
{
  while (b->due <= now) {
    Item *item = b->leaving;
    gint64 left = b->due, wait = left - item->entered;

    b->counters.packets++;
    b->counters.bytes += item->bytes;
    g_array_append_val (b->waits[b->leaving_from], wait);
    begin (b, left);
    release (b, item, FALSE, left);
  }
}

const Capacity *
bottleneck_get_capacity (const Bottleneck *b)
{
  return b->capacity;
}

const BottleneckCounters *
bottleneck_get_counters (const Bottleneck *b)
{
  return &b->counters;
}

gint64
bottleneck_get_wait (const Bottleneck *b, gint64 now)
{
  return b->leaving != NULL ? now - b->leaving->entered : 0;
}

GArray *
bottleneck_get_waits (const Bottleneck *b, gboolean l4s)
{
  return b->waits[l4s ? DUALQ_L4S : DUALQ_CLASSIC];
}
