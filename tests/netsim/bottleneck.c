/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bottleneck.h"

typedef struct
{
  const BottleneckUser *user;
  gpointer packet;
  gsize bytes;
  gint64 entered; /* µs */
} Item;

struct _Bottleneck
{
  Capacity *capacity;
  gsize limit, held; /* bytes */
  GQueue queue;      /* of Item */
  gint64 due;        /* when the first one leaves, µs */
  BottleneckCounters counters;
  GArray *waits;
};

Bottleneck *
bottleneck_new (Capacity *capacity, gsize limit)
{
  Bottleneck *b = g_new0 (Bottleneck, 1);

  b->capacity = capacity;
  b->limit = limit;
  b->due = G_MAXINT64;
  b->waits = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_queue_init (&b->queue);
  return b;
}

void
bottleneck_free (Bottleneck *b)
{
  Item *item;

  while ((item = g_queue_pop_head (&b->queue)) != NULL) {
    item->user->leave (item->user->data, item->packet, TRUE, FALSE, G_MAXINT64);
    g_free (item);
  }
  capacity_free (b->capacity);
  g_array_unref (b->waits);
  g_free (b);
}

/* The link takes the next packet. */
static void
begin (Bottleneck *b, gint64 now)
{
  const Item *first = g_queue_peek_head (&b->queue);

  b->due = first != NULL ? capacity_send (b->capacity, now, first->bytes) : G_MAXINT64;
}

void
bottleneck_push (Bottleneck *b, gint64 now, const BottleneckUser *user, gpointer packet,
    gsize bytes)
{
  Item item = { user, packet, bytes, now };

  if (b->held + bytes > b->limit) {
    b->counters.dropped++;
    user->leave (user->data, packet, TRUE, FALSE, now);
    return;
  }
  b->held += bytes;
  g_queue_push_tail (&b->queue, g_memdup2 (&item, sizeof item));
  if (b->due == G_MAXINT64)
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
    Item *item = g_queue_pop_head (&b->queue);
    gint64 left = b->due, wait = left - item->entered;

    b->held -= item->bytes;
    b->counters.packets++;
    b->counters.bytes += item->bytes;
    g_array_append_val (b->waits, wait);
    begin (b, left);
    item->user->leave (item->user->data, item->packet, FALSE, FALSE, left);
    g_free (item);
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
  const Item *first = b->queue.head != NULL ? b->queue.head->data : NULL;

  return first != NULL ? now - first->entered : 0;
}

GArray *
bottleneck_get_waits (const Bottleneck *b)
{
  return b->waits;
}
