/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vtcp.h"
#include <math.h>

#define CUBIC_C .4
#define CUBIC_BETA .7
#define RENO_BETA .5
#define WINDOW_FIRST 10 /* RFC 6928 */
#define WINDOW_LEAST 2
#define DUPLICATES 3
#define TIMEOUT_FIRST 1000000
#define TIMEOUT_LEAST 200000
#define TIMEOUT_MOST 60000000

typedef struct
{
  guint64 packet;
  gint64 sent;
  gboolean gone; /* acknowledged */
  VbbrStamp stamp;
} Transmission;

void
vtcp_init (Vtcp *tcp, VtcpKind kind)
{
  *tcp = (Vtcp) {
    .kind = kind,
    .window = WINDOW_FIRST,
    .threshold = G_MAXUINT32,
    .under_way = G_QUEUE_INIT,
    .lost = G_QUEUE_INIT,
  };
  vbbr_init (&tcp->bbr, WINDOW_FIRST);
}

void
vtcp_clear (Vtcp *tcp)
{
  g_queue_clear_full (&tcp->under_way, g_free);
  g_queue_clear_full (&tcp->lost, g_free);
}

/* --- the window ---------------------------------------------------------------- */

static void
grow (Vtcp *tcp, gint64 now)
{
  gdouble t, target;

  if (tcp->window < tcp->threshold) {
    tcp->window += 1;
    return;
  }
  if (tcp->kind == VTCP_RENO) {
    tcp->window += 1 / tcp->window;
    return;
  }
  if (tcp->epoch == 0) {
    tcp->epoch = now;
    tcp->friendly = tcp->window;
    tcp->top = MAX (tcp->top, tcp->window);
  }
  t = (now - tcp->epoch + tcp->smoothed) / 1e6 - cbrt (tcp->top * (1 - CUBIC_BETA) / CUBIC_C);
  target = tcp->top + CUBIC_C * t * t * t;
  tcp->friendly += 3 * (1 - CUBIC_BETA) / (1 + CUBIC_BETA) / tcp->window;
  tcp->window += CLAMP (target - tcp->window, 0, .5 * tcp->window) / tcp->window;
  tcp->window = MAX (tcp->window, tcp->friendly);
}

static void
shrink (Vtcp *tcp)
{
  tcp->recover = tcp->next_pn;
  tcp->lost_some = TRUE;
  if (tcp->kind == VTCP_BBR)
    return;
  tcp->top = tcp->window;
  tcp->epoch = 0;
  tcp->window =
      MAX (WINDOW_LEAST, tcp->window * (tcp->kind == VTCP_CUBIC ? CUBIC_BETA : RENO_BETA));
  tcp->threshold = tcp->window;
}

/* --- finding losses ------------------------------------------------------------------ */

/* The oldest transmission is acknowledged or lost. */
static void
forget_oldest (Vtcp *tcp, gboolean lost)
{
  Transmission *t = g_queue_pop_head (&tcp->under_way);

  if (lost)
    g_queue_push_tail (&tcp->lost, g_memdup2 (&t->packet, sizeof t->packet));
  g_free (t);
  tcp->oldest++;
}

static void
find_lost (Vtcp *tcp)
{
  Transmission *t;

  while ((t = g_queue_peek_head (&tcp->under_way)) != NULL) {
    if (t->gone) {
      forget_oldest (tcp, FALSE);
    } else if (tcp->oldest + DUPLICATES < tcp->highest) {
      if (tcp->oldest >= tcp->recover)
        shrink (tcp);
      tcp->in_flight--;
      forget_oldest (tcp, TRUE);
    } else {
      break;
    }
  }
}

void
vtcp_congested (Vtcp *tcp)
{
  if (tcp->oldest >= tcp->recover)
    shrink (tcp);
}

/* --- times --------------------------------------------------------------------------- */

static void
measure (Vtcp *tcp, gint64 rtt)
{
  if (tcp->smoothed == 0) {
    tcp->smoothed = rtt;
    tcp->variation = rtt / 2;
  } else {
    tcp->variation += (ABS (rtt - tcp->smoothed) - tcp->variation) / 4;
    tcp->smoothed += (rtt - tcp->smoothed) / 8;
  }
}

static gint64
get_timeout (const Vtcp *tcp)
{
  gint64 timeout =
      tcp->smoothed == 0 ? TIMEOUT_FIRST : MAX (TIMEOUT_LEAST, tcp->smoothed + 4 * tcp->variation);

  if (tcp->in_flight == 0)
    return G_MAXINT64;
  return tcp->timer + MIN (timeout << MIN (tcp->backoff, 6), TIMEOUT_MOST);
}

gint64
vtcp_get_time (const Vtcp *tcp, gint64 now)
{
  gint64 timeout = get_timeout (tcp);

  return tcp->next_send > now && tcp->in_flight < tcp->window ? MIN (timeout, tcp->next_send) :
                                                                timeout;
}

void
vtcp_look (Vtcp *tcp, gint64 now)
{
  if (now < get_timeout (tcp))
    return;
  tcp->threshold =
      MAX (WINDOW_LEAST, tcp->in_flight * (tcp->kind == VTCP_CUBIC ? CUBIC_BETA : RENO_BETA));
  tcp->top = tcp->window;
  tcp->epoch = 0;
  tcp->window = 1;
  tcp->recover = tcp->next_pn;
  while (!g_queue_is_empty (&tcp->under_way)) {
    Transmission *t = g_queue_peek_head (&tcp->under_way);

    forget_oldest (tcp, !t->gone);
  }
  tcp->in_flight = 0;
  tcp->backoff++;
  tcp->timer = now;
}

/* --- sending ------------------------------------------------------------------------- */

gboolean
vtcp_can_send (const Vtcp *tcp, gint64 now)
{
  return tcp->in_flight < tcp->window && now >= tcp->next_send;
}

gboolean
vtcp_get_lost (Vtcp *tcp, guint64 *packet)
{
  g_autofree guint64 *first = g_queue_pop_head (&tcp->lost);

  if (first != NULL)
    *packet = *first;
  return first != NULL;
}

guint64
vtcp_send (Vtcp *tcp, guint64 packet, gint64 now)
{
  Transmission t = {
    .packet = packet,
    .sent = now,
    .stamp = vbbr_send (&tcp->bbr, tcp->in_flight, now),
  };

  if (tcp->in_flight++ == 0)
    tcp->timer = now;
  g_queue_push_tail (&tcp->under_way, g_memdup2 (&t, sizeof t));
  if (tcp->kind == VTCP_BBR && tcp->bbr.pacing > 0)
    tcp->next_send = MAX (tcp->next_send, now - 1000) + 1e6 / tcp->bbr.pacing;
  return tcp->next_pn++;
}

void
vtcp_acknowledge (Vtcp *tcp, guint64 pn, gint64 now)
{
  Transmission *t, told;
  gboolean full;

  /* from before a timeout, or believed lost: too late to matter here */
  if (pn < tcp->oldest)
    return;
  t = g_queue_peek_nth (&tcp->under_way, pn - tcp->oldest);
  if (t == NULL || t->gone)
    return;
  t->gone = TRUE;
  told = *t;
  /* a window that is not used does not show that a larger one is possible (RFC 7661) */
  full = tcp->in_flight + 1 >= tcp->window;
  tcp->in_flight--;
  tcp->backoff = 0;
  tcp->timer = now;
  measure (tcp, now - told.sent);
  tcp->highest = MAX (tcp->highest, pn + 1);
  find_lost (tcp);
  if (tcp->kind == VTCP_BBR) {
    vbbr_acknowledge (&tcp->bbr, &told.stamp, told.sent, tcp->in_flight, tcp->lost_some, now);
    tcp->window = tcp->bbr.window;
    tcp->lost_some = FALSE;
    return;
  }
  /* not during the recovery from a loss */
  if (full && tcp->oldest >= tcp->recover)
    grow (tcp, now);
}
