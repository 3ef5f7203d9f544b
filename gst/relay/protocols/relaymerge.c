/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaymerge.h"
#include <string.h>

#define SLOTS (2 * RELAY_MERGE_WINDOW) /* behind and ahead of the next packet */

/* Packets ahead of the next one from which a wait ends, so that the window never ends first. */
#define NEAR (RELAY_MERGE_WINDOW / 4 * 3)

/* Times its mean rate that a stream may have sent while nothing came: its bit rate varies. */
#define FASTER 2

/* A sequence number of the window. */
typedef struct
{
  gpointer data; /* of a packet that waits; NULL: it has left, or has not come */
  gint64 at;     /* when it came first, or was given up, µs */
  guint32 size;
  guint8 legs; /* a bit for each leg that has brought it, and for RELAY_MERGE_RECOVERED */
} Slot;

struct _RelayMerge
{
  gint64 hold;
  gsize most;
  GDestroyNotify free_data;
  gboolean begun;
  guint32 ssrc;
  guint16 next;   /* number of the packet that leaves next */
  guint16 judged; /* number of the oldest packet whose losses are not counted yet */
  guint waiting;  /* packets */
  gsize bytes;    /* of these */
  gboolean far;   /* the last of these is NEAR or more ahead: the wait has to end */
  gint64 used;    /* when a packet was last used, µs */
  gint64 began;   /* when this stream did, µs */
  guint64 left;   /* numbers that have left or were given up since then */
  /* When the packets that wait began to: the arrival of the first of them, or of the last packet
   * that has left since.  So a stranger's packet far ahead never ends a stream that comes. */
  gint64 since;
  RelayMergeStats stats;
  Slot slots[SLOTS];
};

static Slot *
get_slot (RelayMerge *merge, guint16 number)
{
  return &merge->slots[number % SLOTS];
}

RelayMerge *
relay_merge_new (gint64 hold, gsize most, GDestroyNotify free_data)
{
  RelayMerge *merge = g_new0 (RelayMerge, 1);

  merge->hold = hold;
  merge->most = most;
  merge->free_data = free_data;
  for (guint i = 0; i < RELAY_MERGE_LEGS; i++)
    merge->stats.legs[i].heard = merge->stats.legs[i].refused = RELAY_MERGE_NEVER;
  return merge;
}

/* Empties the window. */
static void
clear (RelayMerge *merge)
{
  for (guint i = 0; i < SLOTS; i++)
    if (merge->slots[i].data != NULL)
      merge->free_data (merge->slots[i].data);
  memset (merge->slots, 0, sizeof merge->slots);
  merge->waiting = merge->bytes = 0;
  merge->far = FALSE;
}

void
relay_merge_free (RelayMerge *merge)
{
  clear (merge);
  g_free (merge);
}

/* Counts the losses of the oldest packet. */
static void
judge_one (RelayMerge *merge)
{
  Slot *slot = get_slot (merge, merge->judged++);

  for (guint i = 0; i < RELAY_MERGE_LEGS; i++)
    merge->stats.legs[i].lost += (slot->legs & 1 << i) == 0;
  merge->stats.recovered += slot->legs == 1 << RELAY_MERGE_RECOVERED;
  *slot = (Slot) { 0 };
}

/* Counts the losses of packets that no leg can bring in time any more. */
static void
judge (RelayMerge *merge, gint64 now)
{
  while (merge->judged != merge->next && now - get_slot (merge, merge->judged)->at >= merge->hold)
    judge_one (merge);
}

static void
begin (RelayMerge *merge, const RelayMergePacket *packet, gint64 now)
{
  while (merge->judged != merge->next)
    judge_one (merge);
  clear (merge);
  merge->begun = TRUE;
  merge->ssrc = packet->ssrc;
  merge->next = merge->judged = packet->number;
  merge->began = now;
  merge->left = 0;
}

/* Notes which leg has brought a packet, unless it had brought it already.  One that was only
 * recovered until now is received by this leg first. */
static void
note (RelayMerge *merge, guint leg, Slot *slot, gint64 now)
{
  if ((slot->legs & 1 << leg) != 0)
    return;
  merge->stats.legs[leg].used += slot->legs == 1 << RELAY_MERGE_RECOVERED;
  slot->legs |= 1 << leg;
  merge->stats.legs[leg].received++;
  merge->stats.legs[leg].heard = now;
}

static void
refuse (RelayMerge *merge, guint leg, RelayMergeFault fault, gint64 now)
{
  merge->stats.legs[leg].refused = now;
  merge->stats.legs[leg].fault = fault;
}

void
relay_merge_refuse (RelayMerge *merge, guint leg, gint64 now)
{
  refuse (merge, leg, RELAY_MERGE_NO_RTP, now);
}

static void
keep (RelayMerge *merge, guint leg, Slot *slot, const RelayMergePacket *packet, gint64 now)
{
  note (merge, leg, slot, now);
  slot->data = packet->data;
  slot->size = packet->size;
  slot->at = merge->used = now;
  if (merge->waiting++ == 0)
    merge->since = now;
  merge->bytes += packet->size;
  merge->stats.legs[leg].used++;
}

/* Has the stream ended, so that any packet may begin the next one? */
static gboolean
is_over (const RelayMerge *merge, gint64 now)
{
  return !merge->begun || now - merge->used >= MAX (merge->hold, RELAY_MERGE_SILENCE);
}

/* After a silence, may the stream have gone on to @distance? Its mean rate tells how many numbers
 * it may have sent meanwhile; if these could be all that there are, this is not known. */
static gboolean
may_go_on (const RelayMerge *merge, gint distance, gint64 now)
{
  gint64 lasted = MAX (merge->used - merge->began, RELAY_MERGE_SILENCE);
  gdouble most = (gdouble) FASTER * merge->left * (now - merge->used) / lasted;

  return distance == 0
      || (distance > 0 && distance <= most && most < G_MAXUINT16 - RELAY_MERGE_WINDOW);
}

/* Does this packet, at @distance from the next one, follow on those that wait? They and it are half
 * of the numbers up to it, as in a stream, and not scattered as what a stranger puts ahead of it.
 */
static gboolean
is_dense (RelayMerge *merge, gint distance)
{
  gint count = 1;

  if (2 * ((gint) merge->waiting + 1) < distance + 1)
    return FALSE;
  for (gint i = 0; i < distance; i++)
    count += get_slot (merge, merge->next + i)->data != NULL;
  return 2 * count >= distance + 1;
}

/* Takes a packet of the stream. FALSE: its data are not kept. @distance: from the next one. */
static gboolean
take (RelayMerge *merge, guint leg, gint distance, const RelayMergePacket *packet, gint64 now)
{
  Slot *slot = get_slot (merge, packet->number);

  if (distance < 0) {
    /* what has been judged, or was before the stream began, counts no more */
    if (-distance <= (guint16) (merge->next - merge->judged)) {
      merge->stats.dropped += slot->legs == 0;
      if (leg != RELAY_MERGE_RECOVERED)
        note (merge, leg, slot, now);
    } else
      refuse (merge, leg, RELAY_MERGE_LATE, now);
    return FALSE;
  }
  if (slot->data != NULL) {
    note (merge, leg, slot, now);
    return FALSE;
  }
  if (distance > 0 && (merge->bytes + packet->size > merge->most || distance >= NEAR)) {
    if (!is_dense (merge, distance)) {
      merge->stats.dropped++;
      return FALSE;
    }
    merge->far |= distance >= NEAR;
  }
  keep (merge, leg, slot, packet, now);
  return TRUE;
}

RelayMergeResult
relay_merge_push (RelayMerge *merge, guint leg, const RelayMergePacket *packet, gint64 now)
{
  gint distance = (gint16) (packet->number - merge->next);
  RelayMergeResult result = RELAY_MERGE_REFUSED;

  judge (merge, now);
  if (merge->begun && packet->ssrc == merge->ssrc && distance >= -RELAY_MERGE_WINDOW
      && distance < RELAY_MERGE_WINDOW)
    result = RELAY_MERGE_GOES_ON;
  if (is_over (merge, now) && leg != RELAY_MERGE_RECOVERED
      && (result == RELAY_MERGE_REFUSED || !may_go_on (merge, distance, now))) {
    begin (merge, packet, now);
    result = RELAY_MERGE_BEGINS;
    distance = 0;
  }
  if (result == RELAY_MERGE_REFUSED)
    refuse (merge, leg, RELAY_MERGE_OTHER, now);
  if (result != RELAY_MERGE_REFUSED && take (merge, leg, distance, packet, now))
    return result;
  merge->free_data (packet->data);
  return result == RELAY_MERGE_GOES_ON && distance >= NEAR ? RELAY_MERGE_AHEAD : result;
}

static void
step (RelayMerge *merge)
{
  merge->next++;
  merge->left++;
  if ((guint16) (merge->next - merge->judged) > RELAY_MERGE_WINDOW)
    judge_one (merge);
}

/* Goes on to the first packet that waits. */
static void
give_up (RelayMerge *merge, gint64 now)
{
  while (get_slot (merge, merge->next)->data == NULL) {
    get_slot (merge, merge->next)->at = now;
    merge->stats.missing++;
    step (merge);
  }
}

gpointer
relay_merge_pop (RelayMerge *merge, gint64 now)
{
  Slot *slot;
  gpointer data;

  if (merge->waiting == 0)
    return NULL;
  if (now >= merge->since + merge->hold || merge->bytes > merge->most || merge->far)
    give_up (merge, now);
  merge->far = FALSE;
  slot = get_slot (merge, merge->next);
  if (slot->data == NULL)
    return NULL;
  data = g_steal_pointer (&slot->data);
  merge->waiting--;
  merge->bytes -= slot->size;
  merge->since = MAX (merge->since, slot->at);
  step (merge);
  return data;
}

gint64
relay_merge_get_deadline (const RelayMerge *merge)
{
  return merge->waiting > 0 ? merge->since + merge->hold : G_MAXINT64;
}

const RelayMergeStats *
relay_merge_get_stats (RelayMerge *merge, gint64 now)
{
  judge (merge, now);
  return &merge->stats;
}
