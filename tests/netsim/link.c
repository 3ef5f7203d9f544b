/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include "link.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include "delayline.h"
#include "fasphist.h"

#define BATCH 64   /* packets read between two looks at the clock */
#define TICK 20000 /* µs */

typedef struct
{
  LinkOptions *options;
  const LinkBackend *backend;
  GRand *rand;
  Impair wires[2];
  DelayLine *line;
  gint64 start_ns;
  guint64 overflow;
  FaspHist late, waited[2]; /* waited: in the queues, by side */
  LinkPacket packet;        /* packet that is being read */
} Link;

typedef struct
{
  gint64 when;
  LinkPacket packet; /* allocated with only `size' bytes of data */
} Waiting;

static gint64
get_time_ns (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_MONOTONIC, &ts);
  return ts.tv_sec * G_GINT64_CONSTANT (1000000000) + ts.tv_nsec;
}

static gint64
get_time (Link *link)
{
  return (get_time_ns () - link->start_ns) / 1000;
}

static void
damage (Link *link, LinkPacket *packet)
{
  guint bit;

  if (packet->size <= packet->protect)
    return;
  bit = g_rand_int_range (link->rand, packet->protect * 8, packet->size * 8);
  packet->data[bit / 8] ^= 1 << bit % 8;
}

static void
accept_packet (Link *link, LinkPacket *packet)
{
  ImpairFate fate = impair_packet (&link->wires[packet->from], link->rand, get_time (link),
      packet->size + packet->overhead, packet->ecn);

  packet->marked = fate.mark;
  if (fate.copies > 0)
    fasp_hist_add (&link->waited[packet->from], fate.waited);
  if (fate.corrupt)
    damage (link, packet);
  for (guint i = 0; i < fate.copies; i++) {
    Waiting *waiting;

    if (delay_line_length (link->line) >= LINK_PACKETS) {
      link->overflow++;
      continue;
    }
    waiting = g_malloc (G_STRUCT_OFFSET (Waiting, packet.data) + packet->size);
    waiting->when = fate.when[i];
    memcpy (&waiting->packet, packet, G_STRUCT_OFFSET (LinkPacket, data) + packet->size);
    delay_line_push (link->line, fate.when[i], waiting);
  }
}

static void
deliver (Link *link)
{
  Waiting *waiting;

  while ((waiting = delay_line_pop (link->line, get_time (link))) != NULL) {
    link->backend->send (link->backend->data, &waiting->packet);
    fasp_hist_add (&link->late, get_time (link) - waiting->when);
    g_free (waiting);
  }
}

static void
wait_for_input (Link *link, gint64 until)
{
  struct pollfd fds[LINK_FDS];
  guint n = link->backend->get_fds (link->backend->data, fds);
  gint64 ns = MAX (0, until * 1000 + link->start_ns - get_time_ns ());
  struct timespec timeout = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

  ppoll (fds, n, &timeout, NULL);
}

static void
run (Link *link)
{
  LinkOptions *options = link->options;
  gint64 tick = 0;

  for (;;) {
    gint64 now = get_time (link);

    if (now >= tick) {
      tick = now + TICK;
      if (!link->backend->tick (link->backend->data, now)
          || (options->seconds > 0 && now >= options->seconds))
        return;
      link_options_change (options, &link->wires[LINK_A].config, &link->wires[LINK_B].config, now);
    }
    deliver (link);
    for (guint i = 0; i < BATCH; i++) {
      if (!link->backend->receive (link->backend->data, &link->packet))
        break;
      accept_packet (link, &link->packet);
    }
    deliver (link);
    if (!options->spin)
      wait_for_input (link, MIN (tick, delay_line_due (link->line)));
  }
}

/* --- figures -------------------------------------------------------------- */

static void
print_times (GString *out, const gchar *name, const FaspHist *hist)
{
  g_string_append_printf (out,
      "\"%s\": {\"p50\": %" G_GINT64_FORMAT ", \"p95\": %" G_GINT64_FORMAT
      ", \"p99\": %" G_GINT64_FORMAT ", \"p999\": %" G_GINT64_FORMAT ", \"max\": %" G_GINT64_FORMAT
      "}",
      name, fasp_hist_percentile (hist, .5), fasp_hist_percentile (hist, .95),
      fasp_hist_percentile (hist, .99), fasp_hist_percentile (hist, .999), hist->max);
}

static void
print_wire (GString *out, const gchar *name, const ImpairCounters *n, const FaspHist *waited)
{
#define COUNT(field) \
  g_string_append_printf (out, "    \"" #field "\": %" G_GUINT64_FORMAT ",\n", n->field)
  g_string_append_printf (out, "  \"%s\": {\n", name);
  COUNT (packets);
  COUNT (bytes);
  COUNT (delivered);
  COUNT (delivered_bytes);
  COUNT (lost);
  COUNT (queue_lost);
  COUNT (blackout_lost);
  COUNT (mtu_lost);
  COUNT (marked);
  COUNT (policed);
  COUNT (duplicated);
  COUNT (reordered);
  COUNT (corrupted);
  g_string_append (out, "    ");
  print_times (out, "queue_us", waited);
  g_string_append (out, "\n  },\n");
#undef COUNT
}

static gboolean
write_stats (Link *link, GError **error)
{
  g_autoptr (GString) out = g_string_new ("{\n");

  if (link->options->stats == NULL)
    return TRUE;
  print_wire (out, "a_to_b", &link->wires[LINK_A].counters, &link->waited[LINK_A]);
  print_wire (out, "b_to_a", &link->wires[LINK_B].counters, &link->waited[LINK_B]);
  g_string_append_printf (out, "  \"overflow\": %" G_GUINT64_FORMAT ",\n  ", link->overflow);
  print_times (out, "late_us", &link->late);
  g_string_append (out, "\n}\n");
  return g_file_set_contents (link->options->stats, out->str, out->len, error);
}

gboolean
link_run (LinkOptions *options, const LinkBackend *backend, GError **error)
{
  Link *link = g_new0 (Link, 1);
  struct sched_param priority = { .sched_priority = 1 };
  gboolean good;

  link->options = options;
  link->backend = backend;
  link->rand = g_rand_new_with_seed (options->seed);
  link->line = delay_line_new (g_free);
  for (guint side = 0; side < 2; side++)
    link->wires[side].config = options->wires[side];
  /* All of these are for precision, and may be refused. A real-time thread that never
   * sleeps would be stopped by the kernel for 50 ms of each second. */
  prctl (PR_SET_TIMERSLACK, 1);
  if (options->spin)
    setpriority (PRIO_PROCESS, 0, -20);
  else
    sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority);

  link->start_ns = get_time_ns ();
  run (link);
  good = write_stats (link, error);
  delay_line_free (link->line);
  g_rand_free (link->rand);
  g_free (link);
  return good;
}
