/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vroad.h"
#include "delayline.h"
#include "fasptimestamps.h"
#include "faspgap.h"
#include "fasprtt.h"
#include "faspsentlog.h"
#include "vtcp.h"

#define SENDERS 16
#define BITS (VROAD_PACKET * 8.)
/* What an encoder is told is less by what waits, to be gone in this time. */
#define BACKLOG_TIME (250 * FASP_MSEC)

typedef struct
{
  VroadSender config;
  Vroad *road;
  guint64 next_pn;     /* also the number of packets sent, */
  guint64 bytes;       /* and their bytes */
  guint64 arrived;     /* packets; for a TCP, those delivered in order */
  guint64 marked;      /* of those that arrived */
  gint64 largest;      /* packet that has arrived; -1: none, */
  gint64 largest_time; /* when, by the receiver's clock, */
  gint64 largest_now;  /* and by that of the road */
  FaspPacer pacer;
  gdouble credit; /* bytes that the source has made */
  gint64 credit_time;
  guint64 pictures;              /* made so far */
  gint64 pause_start, pause_end; /* of the current pause, or the next one */
  /* for a controller */
  FaspRate *rate;
  FaspSentLog log;
  FaspGap *gap;
  FaspTimestamps arrivals;
  FaspRtt rtt;
  gint64 feedback_due, feedback_sent;
  /* for a TCP */
  Vtcp tcp;
  guint64 next_packet; /* number in the stream */
  GHashTable *early;   /* packets that arrived before an earlier one */
} Sender;

typedef enum
{
  ARRIVE,
  FEEDBACK,
  ACK,
} EventType;

typedef struct
{
  EventType type;
  Sender *sender;
  guint64 pn;      /* ARRIVE, ACK */
  guint64 packet;  /* ARRIVE: number in a TCP's stream */
  gboolean marked; /* ARRIVE, ACK */
  /* FEEDBACK */
  gint64 at, largest, largest_time, largest_now;
  guint64 reported, lost, all_marked, unsettled;
  FaspTimestamps arrivals;
} Event;

struct _Vroad
{
  gint64 now;
  GRand *rand;
  Impair bottleneck;
  Bottleneck *dual; /* in its place; or NULL */
  BottleneckUser user;
  DelayLine *line;
  Sender *senders[SENDERS];
  guint n;
};

Vroad *
vroad_new (guint32 seed, const ImpairConfig *bottleneck)
{
  Vroad *road = g_new0 (Vroad, 1);

  road->rand = g_rand_new_with_seed (seed);
  road->line = delay_line_new (g_free);
  road->bottleneck.config = *bottleneck;
  return road;
}

/* Of the dual queue. */
static void
on_leave (gpointer data, gpointer packet, gsize bytes, gboolean dropped, BottleneckEcn ecn,
    gint64 now)
{
  Vroad *road = data;
  Event *event = packet;

  event->marked = ecn == BOTTLENECK_CE;
  if (dropped)
    g_free (event);
  else
    delay_line_push (road->line, now + event->sender->config.rtt / 2, event);
}

Vroad *
vroad_new_dual (guint32 seed, const ImpairConfig *config)
{
  Vroad *road = vroad_new (seed, config);

  road->user = (BottleneckUser) { on_leave, road };
  road->dual = bottleneck_new_dual (capacity_new_rate (config->rate), config->queue);
  return road;
}

void
vroad_free (Vroad *road)
{
  g_clear_pointer (&road->dual, bottleneck_free);
  for (guint i = 0; i < road->n; i++) {
    fasp_rate_free (road->senders[i]->rate);
    fasp_sent_log_clear (&road->senders[i]->log);
    fasp_gap_free (road->senders[i]->gap);
    vtcp_clear (&road->senders[i]->tcp);
    g_hash_table_unref (road->senders[i]->early);
    g_free (road->senders[i]);
  }
  delay_line_free (road->line);
  g_rand_free (road->rand);
  g_free (road);
}

ImpairConfig *
vroad_get_bottleneck (Vroad *road)
{
  return &road->bottleneck.config;
}

Bottleneck *
vroad_get_dual (const Vroad *road)
{
  return road->dual;
}

static gboolean
is_tcp (const Sender *s)
{
  return s->config.kind >= VROAD_RENO;
}

static void
set_rate (Sender *s, gint64 now, guint64 rate)
{
  fasp_pacer_set_rate (&s->pacer, now, rate,
      s->rate != NULL && s->rate->even ? fasp_pacer_choose_short_burst (rate) :
                                         fasp_pacer_choose_burst (rate, 0));
}

guint
vroad_add (Vroad *road, const VroadSender *config)
{
  Sender *s = g_new0 (Sender, 1);

  g_return_val_if_fail (road->n < SENDERS, 0);
  g_return_val_if_fail (config->key == 0 || config->kind < VROAD_RENO, 0);
  s->config = *config;
  if (config->follow > 0 && config->key == 0)
    s->config.key = 1; /* an encoder makes pictures */
  s->road = road;
  s->largest = -1;
  s->credit_time = config->start;
  s->feedback_due = G_MAXINT64;
  s->early = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  if (is_tcp (s))
    vtcp_init (&s->tcp, VTCP_RENO + config->kind - VROAD_RENO);
  s->gap = fasp_gap_new ();
  fasp_timestamps_init (&s->arrivals);
  fasp_rtt_init (&s->rtt);
  if (!is_tcp (s))
    s->rate = fasp_rate_new (config->kind == VROAD_PERT ? FASP_RATE_CONTROL_PERT :
            config->kind == VROAD_ADAPTIVE              ? FASP_RATE_CONTROL_ADAPTIVE :
                                                          FASP_RATE_CONTROL_FIXED,
        0, config->max, config->start);
  set_rate (s, config->start, config->max);
  road->senders[road->n] = s;
  return road->n++;
}

void
vroad_set_max (Vroad *road, guint sender, guint64 max)
{
  Sender *s = road->senders[sender];

  s->config.max = max;
  if (s->rate != NULL)
    fasp_rate_set_bounds (s->rate, 0, max);
  else
    set_rate (s, road->now, max);
}

void
vroad_set_rtt (Vroad *road, guint sender, gint64 rtt)
{
  road->senders[sender]->config.rtt = rtt;
}

/* --- sending ------------------------------------------------------------------------ */

static void
make_pictures (Sender *s, gint64 now)
{
  while (s->config.start + (gint64) s->pictures * 20000 <= now) {
    gdouble share = s->pictures++ % 50 == 0 ? s->config.key : 1;

    s->credit += s->config.source / 8. * share / (49 + s->config.key);
  }
}

static gboolean
has_data (Sender *s, gint64 now)
{
  if (s->config.follow > 0 && s->rate != NULL) {
    s->config.source = MAX (0.,
        s->config.follow * s->rate->offer
            - fasp_rate_get_excess (s->rate, s->bytes) * 8. * FASP_SEC / BACKLOG_TIME);
    if (s->config.follow_most > 0)
      s->config.source = MIN (s->config.source, s->config.follow_most);
  }
  if (s->config.source == 0)
    return TRUE;
  /* what has not left remains, also of a live source */
  if (s->config.key > 0)
    make_pictures (s, now);
  else
    s->credit += (now - s->credit_time) * (s->config.source / 8e6);
  s->credit_time = now;
  return s->credit >= VROAD_PACKET;
}

static void
push (Vroad *road, gint64 when, const Event *event)
{
  delay_line_push (road->line, when, g_memdup2 (event, sizeof *event));
}

static BottleneckEcn
get_ecn (const Sender *s)
{
  return !s->config.ecn                      ? BOTTLENECK_NOT_ECT :
      s->rate != NULL && s->rate->class->l4s ? BOTTLENECK_ECT1 :
                                               BOTTLENECK_ECT0;
}

static void
enter_road (Sender *s, guint64 pn, guint64 packet)
{
  Vroad *road = s->road;
  Event event = { .type = ARRIVE, .sender = s, .pn = pn, .packet = packet };
  ImpairFate fate;

  if (road->dual != NULL) {
    bottleneck_push (road->dual, road->now, &road->user, g_memdup2 (&event, sizeof event),
        VROAD_PACKET, get_ecn (s));
    return;
  }
  fate = impair_packet (&road->bottleneck, road->rand, road->now, VROAD_PACKET, s->config.ecn);
  event.marked = fate.mark;
  for (guint i = 0; i < fate.copies; i++)
    push (road, fate.when[i] + s->config.rtt / 2, &event);
}

static void
send_packet (Sender *s)
{
  if (s->config.source > 0)
    s->credit -= VROAD_PACKET;
  s->bytes += VROAD_PACKET;
  fasp_sent_log_add (&s->log, s->next_pn, s->road->now, s->bytes);
  enter_road (s, s->next_pn++, 0);
  fasp_pacer_sent (&s->pacer, s->road->now, VROAD_PACKET);
  if (s->rate != NULL)
    fasp_rate_sent (s->rate, s->road->now, s->bytes);
}

/* When the source has made the next packet. */
static gint64
get_source_time (const Sender *s)
{
  return s->credit_time + (VROAD_PACKET - s->credit) * 8e6 / s->config.source + 1;
}

static gint64
poll_tcp (Sender *s, gint64 now)
{
  gint64 again;

  vtcp_look (&s->tcp, now);
  again = vtcp_get_time (&s->tcp, now);
  while (vtcp_can_send (&s->tcp, now)) {
    guint64 packet;

    if (!vtcp_get_lost (&s->tcp, &packet)) {
      if (!has_data (s, now))
        return MIN (again, get_source_time (s));
      if (s->config.source > 0)
        s->credit -= VROAD_PACKET;
      packet = s->next_packet++;
    }
    enter_road (s, vtcp_send (&s->tcp, packet, now), packet);
    again = vtcp_get_time (&s->tcp, now);
  }
  return again;
}

/* Is the host busy with something else? */
static gboolean
is_paused (Sender *s, gint64 now)
{
  GRand *rand = s->road->rand;

  if (s->config.pause == 0)
    return FALSE;
  while (now >= s->pause_end) {
    s->pause_start = s->pause_end + 2 * s->config.pause_interval * g_rand_double (rand);
    s->pause_end = s->pause_start + 1 + s->config.pause * g_rand_double (rand);
  }
  return now >= s->pause_start;
}

/* Sends what may leave now; returns when to look again. */
static gint64
poll (Sender *s)
{
  gint64 now = s->road->now, again = G_MAXINT64;
  FaspTime until = G_MAXINT64;
  gboolean dry;

  if (now < s->config.start)
    return s->config.start;
  if (is_paused (s, now))
    return s->pause_end;
  if (is_tcp (s))
    return poll_tcp (s, now);
  for (;;) {
    if (s->rate != NULL)
      set_rate (s, now, fasp_rate_get (s->rate, now, s->bytes, &until));
    again = fasp_pacer_get_time (&s->pacer, now, VROAD_PACKET);
    if (s->rate != NULL)
      again = MAX (again, fasp_rate_get_time (s->rate, now, s->bytes, VROAD_PACKET));
    if (again > now)
      break;
    dry = !has_data (s, now);
    if (s->rate != NULL)
      fasp_rate_set_dry (s->rate, now, dry);
    if (dry) {
      again = now + 1000;
      break;
    }
    send_packet (s);
  }
  return MIN (again, MAX (until, now + 1));
}

/* --- feedback to a controller ------------------------------------------- */

/* The number of packets up to the newest that may still arrive. */
static guint64
get_unsettled (Sender *s)
{
  guint64 settled;

  if (!fasp_gap_get_settled (s->gap, s->road->now, &settled))
    return s->largest + 1;
  return s->largest - settled;
}

static void
tell (Sender *s)
{
  Vroad *road = s->road;
  Event event;

  fasp_timestamps_thin_out (&s->arrivals, fasp_timestamps_choose (road->now - s->feedback_sent));
  event = (Event) {
    .type = FEEDBACK,
    .sender = s,
    .at = road->now,
    .reported = s->largest + 1,
    .lost = s->largest + 1 - s->arrived,
    .all_marked = s->marked,
    .unsettled = get_unsettled (s),
    .arrivals = s->arrivals,
    .largest = s->largest,
    .largest_time = s->largest_time,
    .largest_now = s->largest_now,
  };
  fasp_timestamps_reset (&s->arrivals);
  s->feedback_sent = road->now;
  s->feedback_due = G_MAXINT64;
  push (road, road->now + s->config.rtt / 2, &event);
}

static void
hear (Sender *s, const Event *event)
{
  FaspRateSample samples[FASP_TIMESTAMPS + 1];
  FaspRateFeedback report = {
    .now = s->road->now,
    .samples = samples,
    .reported = event->reported,
    .lost = event->lost,
    .marked = event->all_marked,
    .unsettled = event->unsettled,
  };
  const FaspSent *newest;

  for (guint i = 0; i < event->arrivals.n; i++) {
    const FaspTimestamp *arrival = &event->arrivals.list[i];
    const FaspSent *sent = fasp_sent_log_get (&s->log, arrival->pn);

    if (sent != NULL && (gint64) arrival->pn < event->largest)
      samples[report.n++] = (FaspRateSample) { sent->time, arrival->time, sent->bytes };
  }
  newest = fasp_sent_log_get (&s->log, event->largest);
  if (newest != NULL) {
    samples[report.n++] = (FaspRateSample) { newest->time, event->largest_time, newest->bytes };
    fasp_rtt_sample (&s->rtt, s->road->now - newest->time - (event->at - event->largest_now), 0);
  }
  report.rtt = s->rtt.smoothed;
  if (s->rate != NULL)
    fasp_rate_feedback (s->rate, &report);
}

/* --- what a TCP's receiver does --------------------------------------------------------- */

static void
arrive_tcp (Sender *s, const Event *event)
{
  gint64 now = s->road->now;

  push (s->road, now + s->config.rtt / 2,
      &(Event) {
          .type = ACK,
          .sender = s,
          .pn = event->pn,
          .marked = event->marked,
      });
  if (event->packet < s->arrived)
    return;
  g_hash_table_add (s->early, g_memdup2 (&event->packet, sizeof event->packet));
  while (g_hash_table_remove (s->early, &s->arrived))
    s->arrived++;
}

/* --- running ------------------------------------------------------------------------------ */

static void
arrive (Sender *s, const Event *event)
{
  gint64 now = s->road->now;
  gint64 theirs = now + (gint64) (now * s->config.clock);

  if (is_tcp (s)) {
    arrive_tcp (s, event);
    return;
  }
  s->arrived++;
  s->marked += event->marked;
  fasp_gap_receive (s->gap, now, event->pn);
  if ((gint64) event->pn <= s->largest)
    return;
  s->largest = event->pn;
  s->largest_now = now;
  s->largest_time = theirs;
  fasp_timestamps_add (&s->arrivals, theirs, event->pn);
  if (s->feedback_due == G_MAXINT64)
    s->feedback_due = now + CLAMP (s->rtt.smoothed / 4, 10000, 100000);
}

static void
happen (Vroad *road, Event *event)
{
  switch (event->type) {
    case ARRIVE:
      arrive (event->sender, event);
      break;
    case FEEDBACK:
      hear (event->sender, event);
      break;
    case ACK:
      if (event->marked)
        vtcp_congested (&event->sender->tcp);
      vtcp_acknowledge (&event->sender->tcp, event->pn, road->now);
      break;
  }
}

void
vroad_run (Vroad *road, gint64 until)
{
  while (road->now < until) {
    gint64 next = until, again;
    Event *event;

    if (road->dual != NULL)
      bottleneck_run (road->dual, road->now);
    while ((event = delay_line_pop (road->line, road->now)) != NULL) {
      happen (road, event);
      g_free (event);
    }
    for (guint i = 0; i < road->n; i++) {
      Sender *s = road->senders[i];

      if (s->feedback_due <= road->now)
        tell (s);
      again = poll (s);
      next = MIN (next, MIN (s->feedback_due, again));
    }
    if (road->dual != NULL)
      next = MIN (next, bottleneck_get_due (road->dual));
    road->now = MAX (MIN (next, delay_line_due (road->line)), road->now);
  }
}

guint64
vroad_get_delivered (const Vroad *road, guint sender)
{
  const Sender *s = road->senders[sender];

  return s->arrived * VROAD_PACKET;
}

guint64
vroad_get_lost (const Vroad *road, guint sender)
{
  FaspGapCounters counters;

  fasp_gap_get_counters (road->senders[sender]->gap, &counters);
  return counters.lost * VROAD_PACKET;
}

guint64
vroad_get_rate (const Vroad *road, guint sender)
{
  const Sender *s = road->senders[sender];

  if (is_tcp (s))
    return s->tcp.window * BITS * 1e6 / MAX (s->tcp.smoothed, 1);
  return s->rate != NULL ? s->rate->rate : s->config.max;
}

gint64
vroad_get_queue (const Vroad *road)
{
  return MAX (0, road->bottleneck.free_ns / 1000 - road->now);
}

/* --- how long packets wait ------------------------------------------------------------ */

void
vroad_note_queue (const Vroad *road, GArray *queues)
{
  gint64 queue = vroad_get_queue (road);

  g_array_append_val (queues, queue);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  return *(const gint64 *) a < *(const gint64 *) b ? -1 : 1;
}

gint64
vroad_get_p95 (GArray *queues)
{
  g_array_sort (queues, compare);
  return g_array_index (queues, gint64, queues->len * 95 / 100);
}

gint64
vroad_watch (Vroad *road, gint64 from, gint64 until)
{
  g_autoptr (GArray) queues = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (gint64 now = from; now < until;) {
    now += FASP_MSEC;
    vroad_run (road, now);
    vroad_note_queue (road, queues);
  }
  return vroad_get_p95 (queues);
}
