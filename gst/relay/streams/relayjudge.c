/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayjudge.h"
#include "relaybackups.h"
#include "relaypicture.h"

#define EACH 250 /* ms between two looks: a quarter of the shortest time of a rule */

typedef struct
{
  GstElement *element;   /* NULL: it is not judged */
  RelayPicture *picture; /* NULL: no rule needs it, or there are no pictures */
  RelayJudgement judgement;
} Source;

struct _RelayJudge
{
  gchar *name;
  GstElement *element; /* NULL: nothing is judged */
  gint64 times[RELAY_RULES];
  guint n;
  Source sources[RELAY_SOURCES_MAX];
  guint timer;
};

RelayJudge *
relay_judge_new (const gchar *name)
{
  RelayJudge *judge = g_new0 (RelayJudge, 1);

  judge->name = g_strdup (name);
  return judge;
}

static void
forget (RelayJudge *judge)
{
  for (guint i = 0; i < judge->n; i++) {
    Source *source = &judge->sources[i];

    if (source->picture != NULL) {
      relay_picture_end (source->picture);
      relay_picture_free (source->picture);
    }
    gst_clear_object (&source->element);
    *source = (Source) { NULL };
  }
  judge->n = 0;
  gst_clear_object (&judge->element);
  if (judge->timer != 0)
    g_source_remove (judge->timer);
  judge->timer = 0;
}

void
relay_judge_free (RelayJudge *judge)
{
  forget (judge);
  g_free (judge->name);
  g_free (judge);
}

/* --- a look -------------------------------------------------------------------------------- */

static RelayAnswer
is_bad (TsState state)
{
  return state == TS_STATE_UNKNOWN ? RELAY_UNKNOWN : state == TS_STATE_BAD ? RELAY_YES : RELAY_NO;
}

static void
ask (const Source *source, RelayFinding findings[RELAY_RULES])
{
  g_autoptr (GstFaspMonitor) monitor = relay_end_copy_monitor (source->element);
  RelayPictureStats *picture =
      source->picture != NULL ? relay_picture_get_stats (source->picture) : NULL;

  if (monitor != NULL) {
    findings[RELAY_RULE_ERRORS].answer =
        is_bad (ts_monitor_get_priority_1 (gst_fasp_monitor_get (monitor)));
    findings[RELAY_RULE_NO_VIDEO].answer =
        is_bad (ts_monitor_get_video (gst_fasp_monitor_get (monitor)));
  }
  if (picture != NULL) {
    findings[RELAY_RULE_BLACK] =
        (RelayFinding) { relay_picture_is_black (picture), picture->looked };
    findings[RELAY_RULE_FROZEN] =
        (RelayFinding) { relay_picture_is_frozen (picture), picture->looked };
    findings[RELAY_RULE_SILENCE] =
        (RelayFinding) { relay_picture_is_silent (picture), picture->heard };
  }
  answers[RELAY_RULE_BLACK] = relay_picture_is_black (picture);
  answers[RELAY_RULE_FROZEN] = relay_picture_is_frozen (picture);
  answers[RELAY_RULE_SILENCE] = relay_picture_is_silent (picture);
  relay_picture_stats_free (picture);
}

static void
judge_source (RelayJudge *judge, guint i)
{
  Source *source = &judge->sources[i];
  RelayFinding findings[RELAY_RULES];
  gint64 now = g_get_monotonic_time ();
  gint fault;

  for (guint k = 0; k < RELAY_RULES; k++)
    findings[k] = (RelayFinding) { RELAY_UNKNOWN, now };
  if (relay_backups_gives (judge->element, i))
    ask (source, findings);
  fault = relay_judgement_note (&source->judgement, judge->times, findings);
  relay_backups_judge (judge->element, i, fault, fault >= 0 ? judge->times[fault] : 0,
      source->judgement.faulty);
}

static gboolean
look (gpointer data)
{
  RelayJudge *judge = data;

  for (guint i = 0; i < judge->n; i++)
    if (judge->sources[i].element != NULL)
      judge_source (judge, i);
  return G_SOURCE_CONTINUE;
}

/* --- its beginning ------------------------------------------------------------------------- */

/* What a picture shows lasts until the next one: a rule needs two of them, as an alarm does. */
static void
set_times (RelayJudge *judge, const RelayStreamConfig *config)
{
  gint64 pictures = config->picture_interval * G_USEC_PER_SEC * 3 / 2;

  for (guint i = 0; i < RELAY_RULES; i++) {
    gint64 time = config->input->rules[i] * G_USEC_PER_SEC;

    judge->times[i] = time > 0 && relay_rule_rows[i].pictured ? MAX (time, pictures) : time;
  }
}

static gboolean
has_rules (const RelayJudge *judge, gboolean pictured)
{
  for (guint i = 0; i < RELAY_RULES; i++)
    if (judge->times[i] > 0 && (relay_rule_rows[i].pictured || !pictured))
      return TRUE;
  return FALSE;
}

static void
add_source (gpointer element, gpointer data)
{
  RelayJudge *judge = data;

  judge->sources[judge->n++].element = gst_object_ref (element);
}

static void
watch_picture (RelayJudge *judge, Source *source, guint interval)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source->element, "src");

  source->picture = relay_picture_new (judge->name);
  relay_picture_set_interval (source->picture, interval);
  relay_picture_follow (source->picture, pad);
}

void
relay_judge_follow (RelayJudge *judge, GstElement *element, const RelayStreamConfig *config)
{
  forget (judge);
  if (element == NULL || config->input->backups == NULL)
    return;
  set_times (judge, config);
  judge->element = gst_object_ref (element);
  relay_backups_foreach (element, add_source, judge);
  for (guint i = 0; i < judge->n; i++) {
    const RelayEnd *end =
        i == 0 ? config->input : g_ptr_array_index (config->input->backups, i - 1);

    /* of sources that are not judged any more, nothing stays bad */
    relay_backups_judge (element, i, RELAY_RULE_NONE, 0, 0);
    if (relay_end_is_file (end) || !has_rules (judge, FALSE))
      gst_clear_object (&judge->sources[i].element);
    else if (has_rules (judge, TRUE) && config->picture_interval > 0)
      watch_picture (judge, &judge->sources[i], config->picture_interval);
  }
  if (has_rules (judge, FALSE))
    judge->timer = g_timeout_add (EACH, look, judge);
}
