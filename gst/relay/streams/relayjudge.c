/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayjudge.h"
#include "relaybackups.h"
#include "relaypicture.h"

#define EACH 250 /* ms between two looks: a quarter of the shortest time of a rule */

typedef struct
{
  GstElement *element;
  gboolean judged;
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
end_picture (Source *source)
{
  if (source->picture == NULL)
    return;
  relay_picture_end (source->picture);
  g_clear_pointer (&source->picture, relay_picture_free);
}

static void
forget (RelayJudge *judge)
{
  for (guint i = 0; i < judge->n; i++) {
    end_picture (&judge->sources[i]);
    gst_object_unref (judge->sources[i].element);
    judge->sources[i] = (Source) { NULL };
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
  if (relay_backups_shows (judge->element, i))
    ask (source, findings);
  fault = relay_judgement_note (&source->judgement, judge->times, findings);
  relay_backups_judge (judge->element, i, fault, fault >= 0 ? judge->times[fault] : 0,
      relay_judgement_get_faulty (&source->judgement, now));
}

static gboolean
look (gpointer data)
{
  RelayJudge *judge = data;

  for (guint i = 0; i < judge->n; i++)
    if (judge->sources[i].judged)
      judge_source (judge, i);
  return G_SOURCE_CONTINUE;
}

/* --- its beginning ------------------------------------------------------------------------- */

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
  g_autoptr (GstPad) pad = NULL;

  if (interval == 0) {
    end_picture (source);
    return;
  }
  if (source->picture == NULL)
    source->picture = relay_picture_new (judge->name);
  pad = gst_element_get_static_pad (source->element, "src");
  relay_picture_set_interval (source->picture, interval);
  relay_picture_follow (source->picture, pad);
}

/* Judges source @i by these rules from now on, or not any more. */
static void
set_source (RelayJudge *judge, guint i, const RelayEnd *end, guint interval)
{
  Source *source = &judge->sources[i];

  source->judged = has_rules (judge, FALSE) && !relay_end_is_file (end);
  watch_picture (judge, source, source->judged && has_rules (judge, TRUE) ? interval : 0);
  if (source->judged)
    return;
  /* nothing stays bad that is not judged any more */
  source->judgement = (RelayJudgement) { .faulty = 0 };
  relay_backups_judge (judge->element, i, RELAY_RULE_NONE, 0, 0);
}

void
relay_judge_follow (RelayJudge *judge, GstElement *element, const RelayStreamConfig *config)
{
  if (element == NULL || element != judge->element)
    forget (judge);
  if (element == NULL || config->input->backups == NULL)
    return;
  if (judge->element == NULL) {
    judge->element = gst_object_ref (element);
    relay_backups_foreach (element, add_source, judge);
  }
  /* without pictures, nothing tells of those rules, nor stays bad by them */
  for (guint i = 0; i < RELAY_RULES; i++)
    judge->times[i] = relay_rule_rows[i].pictured && config->picture_interval == 0 ?
        0 :
        config->input->rules[i] * G_USEC_PER_SEC;
  for (guint i = 0; i < judge->n; i++)
    set_source (judge, i,
        i == 0 ? config->input : g_ptr_array_index (config->input->backups, i - 1),
        config->picture_interval);
  if (judge->timer == 0 && has_rules (judge, FALSE))
    judge->timer = g_timeout_add (EACH, look, judge);
}
