/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When buffer-size counts as too small for what waits to be played, in virtual time.
 */
#include "gstfasproom.h"

#define LIMIT 1000000 /* bytes: buffer-size */
#define START (10 * G_TIME_SPAN_SECOND)

static const struct
{
  const gchar *name;
  gboolean full;
  guint64 level, rate; /* bytes; bytes/s that the sink takes */
  FaspTime hold;
  guint64 wanted; /* 0: it does not warn */
} rows[] = {
  { "more than it holds", TRUE, LIMIT, LIMIT, 4 * FASP_SEC, 8 * LIMIT },
  { "large overheads", TRUE, LIMIT / 2, LIMIT, 4 * FASP_SEC, 16 * LIMIT },
  { "as much as it holds", TRUE, LIMIT, LIMIT / 2, 2 * FASP_SEC, 0 },
  { "not full", FALSE, LIMIT / 2, LIMIT / 2, 2 * FASP_SEC, 0 },
  { "full of nothing", TRUE, 0, LIMIT, 4 * FASP_SEC, 0 },
  { "a sink that is slow", TRUE, LIMIT, LIMIT / 50, 2 * FASP_SEC, 0 },
  { "a sink that stands still", TRUE, LIMIT, 0, 2 * FASP_SEC, 0 },
  { "no latency", TRUE, LIMIT, LIMIT, 0, 0 },
};

static void
test_rows (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstElement *bin = gst_bin_new (NULL);
    g_autoptr (GstBus) bus = gst_bus_new ();
    FaspEndpointStats stats = { .buffer_limit = LIMIT,
      .buffer_bytes = rows[i].level,
      .buffer_is_full = rows[i].full };
    GstFaspRoom room = { 0 };
    guint messages = 0, warnings = 0;
    GstMessage *message;
    guint64 told = 0;

    gst_element_set_bus (bin, bus);
    for (guint s = 0; s < 10; s++) {
      gint64 now = START + s * GST_FASP_ROOM_EVERY;

      g_assert_true (gst_fasp_room_is_due (&room, now));
      g_assert_true (told == 0 || s > GST_FASP_ROOM_LOOKS);
      told = gst_fasp_room_look (&room, bin, &stats, rows[i].hold, now);
      g_assert_false (gst_fasp_room_is_due (&room, now + GST_FASP_ROOM_EVERY - 1));
      stats.bytes_read += rows[i].rate;
    }
    while ((message = gst_bus_pop (bus)) != NULL) {
      messages += gst_message_has_name (message, "fasp-buffer-full");
      warnings += GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;
      gst_message_unref (message);
    }
    g_test_message ("%s: %" G_GUINT64_FORMAT, rows[i].name, told);
    g_assert_cmpuint (told, ==, rows[i].wanted);
    g_assert_cmpuint (messages, ==, rows[i].wanted > 0);
    g_assert_cmpuint (warnings, ==, messages);
    gst_element_set_bus (bin, NULL);
    gst_object_unref (bin);
  }
}

/* A buffer that was full for a moment now and then is large enough. */
static void
test_moments (void)
{
  FaspEndpointStats stats = { .buffer_limit = LIMIT, .buffer_bytes = LIMIT };
  GstElement *bin = gst_bin_new (NULL);
  GstFaspRoom room = { 0 };

  for (guint s = 0; s < 40; s++) {
    stats.buffer_is_full = s % 4 != 3;
    g_assert_cmpuint (gst_fasp_room_look (&room, bin, &stats, 4 * FASP_SEC,
                          START + s * GST_FASP_ROOM_EVERY),
        ==, 0);
    stats.bytes_read += LIMIT / 2;
  }
  gst_object_unref (bin);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/room/rows", test_rows);
  g_test_add_func ("/room/moments", test_moments);
  return g_test_run ();
}
