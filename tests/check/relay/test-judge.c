/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What stays of the judgement of sources when settings change, in virtual time.  All sources are
 * black; the element, the timer and the clock are replaced.
 */
#include "relaybackups.h"
#include "relayjudge.h"
#include "relaypicture.h"

#define SOURCES 2

static gint64 now = G_TIME_SPAN_HOUR;
static GSourceFunc look; /* of the judge */
static gpointer judge_of_look;
static gint faults[SOURCES];
static guint turns; /* how often a source was found bad, or good again */

G_MODULE_EXPORT gint64 __wrap_g_get_monotonic_time (void);
G_MODULE_EXPORT guint __wrap_g_timeout_add (guint interval, GSourceFunc func, gpointer data);
void __wrap_relay_backups_foreach (GstElement *element, GFunc func, gpointer data);
gboolean __wrap_relay_backups_shows (GstElement *element, guint i);
void __wrap_relay_backups_judge (GstElement *element, guint i, gint fault, gint64 judged,
    gint64 faulty);
RelayPictureStats *__wrap_relay_picture_get_stats (RelayPicture *picture);

gint64
__wrap_g_get_monotonic_time (void)
{
  return now;
}

guint
__wrap_g_timeout_add (guint interval, GSourceFunc func, gpointer data)
{
  look = func;
  judge_of_look = data;
  /* for that which is removed in the end */
  return g_timeout_add_full (G_PRIORITY_DEFAULT, interval, func, data, NULL);
}

void
__wrap_relay_backups_foreach (GstElement *element, GFunc func, gpointer data)
{
  for (guint i = 0; i < SOURCES; i++)
    func (element, data);
}

gboolean
__wrap_relay_backups_shows (GstElement *element, guint i)
{
  return TRUE;
}

void
__wrap_relay_backups_judge (GstElement *element, guint i, gint fault, gint64 judged, gint64 faulty)
{
  turns += fault != faults[i];
  faults[i] = fault;
}

RelayPictureStats *
__wrap_relay_picture_get_stats (RelayPicture *picture)
{
  RelayPictureStats *stats = g_new0 (RelayPictureStats, 1);

  stats->dark = 1;
  stats->looked = now;
  return stats;
}

static void
follow (RelayJudge *judge, GstElement *element, guint interval, const gchar *rules)
{
  g_autofree gchar *text = g_strdup_printf (
      "[stream s]\ninput = udp://:5004;udp://:5005\noutput = fasp://:1\npicture-interval = %u\n%s",
      interval, rules);
  g_autoptr (GError) error = NULL;
  g_autoptr (RelayConfig) config = relay_config_parse (text, strlen (text), NULL, &error);

  g_assert_no_error (error);
  relay_judge_follow (judge, element, relay_config_find (config, "s"));
}

static void
look_for (guint seconds)
{
  for (guint i = 0; i <= seconds; i++, now += G_TIME_SPAN_SECOND)
    look (judge_of_look);
}

static void
assert_faults (gint fault, guint expected)
{
  for (guint i = 0; i < SOURCES; i++)
    g_assert_cmpint (faults[i], ==, fault);
  g_assert_cmpuint (turns, ==, expected * SOURCES);
}

static void
test_changed (void)
{
  RelayJudge *judge = relay_judge_new ("s");
  g_autoptr (GstElement) element =
      gst_object_ref_sink (gst_element_factory_make ("identity", NULL));
  g_autoptr (GstElement) other = gst_object_ref_sink (gst_element_factory_make ("identity", NULL));

  for (guint i = 0; i < SOURCES; i++)
    faults[i] = RELAY_RULE_NONE;
  follow (judge, element, 1, "leave-on-black = 5\n");
  look_for (5);
  assert_faults (RELAY_RULE_BLACK, 1);
  /* another time, another rule, another interval */
  follow (judge, element, 1, "leave-on-black = 9\n");
  look_for (0);
  follow (judge, element, 2, "leave-on-black = 9\nleave-on-silence = 5\n");
  look_for (0);
  assert_faults (RELAY_RULE_BLACK, 1);
  /* the rule is gone */
  follow (judge, element, 1, "leave-on-silence = 5\n");
  look_for (0);
  assert_faults (RELAY_RULE_NONE, 2);
  follow (judge, element, 1, "leave-on-black = 5\n");
  look_for (0);
  assert_faults (RELAY_RULE_BLACK, 3);
  /* there are no pictures any more */
  follow (judge, element, 0, "leave-on-black = 5\n");
  look_for (0);
  assert_faults (RELAY_RULE_NONE, 4);
  follow (judge, element, 1, "leave-on-black = 5\n");
  look_for (5);
  assert_faults (RELAY_RULE_BLACK, 5);
  /* no rule is left */
  follow (judge, element, 1, "");
  assert_faults (RELAY_RULE_NONE, 6);
  follow (judge, element, 1, "leave-on-black = 5\n");
  look_for (4);
  assert_faults (RELAY_RULE_NONE, 6);
  /* of other sources, nothing is known */
  follow (judge, other, 1, "leave-on-black = 5\n");
  look_for (4);
  assert_faults (RELAY_RULE_NONE, 6);
  look_for (0);
  assert_faults (RELAY_RULE_BLACK, 7);
  relay_judge_free (judge);
}

/* Files are not judged, and the configuration is told of rules that have nothing else. */
static void
test_files (void)
{
  const gchar text[] = "[stream s]\ninput = file:///proc/self/exe;file:///proc/self/exe\n"
                       "output = fasp://:1\nleave-on-errors = 3\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (RelayConfig) config = relay_config_parse (text, sizeof text - 1, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (config->warnings->len, ==, 1);
  g_assert_nonnull (strstr (g_ptr_array_index (config->warnings, 0),
      "[stream s] leave-on-errors judges no file"));
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/judge/changed", test_changed);
  g_test_add_func ("/relay/judge/files", test_files);
  return g_test_run ();
}
