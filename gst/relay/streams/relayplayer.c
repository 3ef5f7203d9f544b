/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayplayer.h"
#include "relayretry.h"
#include "relaytransit.h"

struct _RelayPlayer
{
  GstElement *element;
  gboolean queues;
  GThread *thread; /* NULL: stopped */
  GstClockTime base_time;
  GMutex lock; /* guards the rest */
  GCond wake;
  gboolean ending;
  gboolean over; /* the element has failed, or its stream has ended */
  gboolean failed;
};

RelayPlayer *
relay_player_new (GstElement *element, gboolean queues)
{
  RelayPlayer *player = g_new0 (RelayPlayer, 1);

  player->element = gst_object_ref (element);
  player->queues = queues;
  g_mutex_init (&player->lock);
  g_cond_init (&player->wake);
  return player;
}

void
relay_player_free (RelayPlayer *player)
{
  gst_object_unref (player->element);
  g_mutex_clear (&player->lock);
  g_cond_clear (&player->wake);
  g_free (player);
}

void
relay_player_note_over (RelayPlayer *player, gboolean failed)
{
  g_mutex_lock (&player->lock);
  player->over = TRUE;
  player->failed |= failed;
  g_cond_signal (&player->wake);
  g_mutex_unlock (&player->lock);
}

static void
play (RelayPlayer *player)
{
  gint64 turn = player->queues ? relay_turn_take () : 0;
  gboolean ending;

  g_mutex_lock (&player->lock);
  ending = player->ending;
  player->over = player->failed = FALSE;
  g_mutex_unlock (&player->lock);
  gst_element_set_base_time (player->element, player->base_time);
  if (!ending
      && gst_element_set_state (player->element, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    relay_player_note_over (player, TRUE);
  if (player->queues)
    relay_turn_leave (turn);
}

static gpointer
run (gpointer data)
{
  RelayPlayer *player = data;
  guint delay = 0;

  g_mutex_lock (&player->lock);
  while (!player->ending) {
    gint64 begun = g_get_monotonic_time (), until;

    g_mutex_unlock (&player->lock);
    play (player);
    g_mutex_lock (&player->lock);
    while (!player->ending && !player->over)
      g_cond_wait (&player->wake, &player->lock);
    g_mutex_unlock (&player->lock);
    gst_element_set_state (player->element, GST_STATE_NULL);
    g_mutex_lock (&player->lock);
    delay = relay_retry_next (delay,
        !player->failed || g_get_monotonic_time () - begun >= RELAY_RETRY_LASTED);
    until = g_get_monotonic_time () + delay * G_TIME_SPAN_MILLISECOND;
    while (!player->ending && g_cond_wait_until (&player->wake, &player->lock, until))
      ;
  }
  g_mutex_unlock (&player->lock);
  return NULL;
}

gboolean
relay_player_start (RelayPlayer *player, GstClockTime base_time, GError **error)
{
  if (player->thread != NULL)
    return TRUE;
  player->base_time = base_time;
  player->ending = FALSE;
  player->thread = g_thread_try_new ("source", run, player, error);
  return player->thread != NULL;
}

void
relay_player_call_off (RelayPlayer *player)
{
  g_mutex_lock (&player->lock);
  player->ending = TRUE;
  g_cond_signal (&player->wake);
  g_mutex_unlock (&player->lock);
}

void
relay_player_join (RelayPlayer *player)
{
  g_clear_pointer (&player->thread, g_thread_join);
}
