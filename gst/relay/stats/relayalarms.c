/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayalarms.h"
#include "relayjson.h"
#include "relaypictureview.h"

#define MUCH_LOSS 0.1   /* share of the datagrams */
#define STANDS_AFTER 60 /* s beyond three intervals: key frames may be eight seconds apart */

typedef struct
{
  const gchar *name, *label, *meaning;
  const gchar *needs; /* why the condition may not be known */
  const gchar *rules;
  guint seconds;     /* for which it has to last */
  gboolean pictured; /* it also has to last from one picture to the next */
  RelayAnswer (*is) (const RelayStreamFigures *figures);
} Alarm;

static RelayAnswer
is_above (gdouble value, gdouble limit)
{
  return isnan (value) ? RELAY_UNKNOWN : value > limit ? RELAY_YES : RELAY_NO;
}

static RelayAnswer
is_off (const RelayStreamFigures *figures)
{
  return !figures->stats.receiving && !figures->optional ? RELAY_YES : RELAY_NO;
}

/* --- picture and sound -------------------------------------------------------------------- */

/* The picture of a stream that comes in; NULL: there is none. */
static const RelayPictureStats *
get_picture (const RelayStreamFigures *figures)
{
  const RelayPictureStats *picture = figures->stats.picture;

  return figures->stats.receiving && picture != NULL && picture->made > 0 ? picture : NULL;
}

static RelayAnswer
is_black (const RelayStreamFigures *figures)
{
  return relay_picture_is_black (get_picture (figures));
}

static RelayAnswer
is_frozen (const RelayStreamFigures *figures)
{
  /* a black picture does not change, and has an alarm already */
  return is_black (figures) == RELAY_YES ? RELAY_NO :
                                           relay_picture_is_frozen (get_picture (figures));
}

static RelayAnswer
is_unseen (const RelayStreamFigures *figures)
{
  const RelayPictureStats *picture = figures->stats.picture;

  if (picture == NULL || !figures->stats.receiving)
    return RELAY_UNKNOWN;
  return picture->made == 0
          || g_get_real_time () - picture->time
              > (3 * picture->interval + STANDS_AFTER) * G_USEC_PER_SEC ?
      RELAY_YES :
      RELAY_NO;
}

static RelayAnswer
is_silent (const RelayStreamFigures *figures)
{
  return figures->stats.receiving ? relay_picture_is_silent (figures->stats.picture) :
                                    RELAY_UNKNOWN;
}

/* --- what comes in, and goes out ---------------------------------------------------------- */

static RelayAnswer
is_damaged (const RelayStreamFigures *figures)
{
  const RelayRates *rates = &figures->rates;

  if (!figures->stats.receiving)
    return RELAY_UNKNOWN;
  /* fmax() ignores what is not known */
  return is_above (fmax (rates->errors, fmax (rates->unrepaired, rates->skips)), 0);
}

/* Has the end an error of priority 1?  Continuity errors are damage, as is_damaged() says. */
static RelayAnswer
has_error (const RelayEndStats *end)
{
  g_autoptr (GArray) errors = relay_figures_list_errors (end, relay_figures_is_judged (end, TRUE));
  RelayAnswer answer = RELAY_UNKNOWN;

  for (guint i = 0; answer != RELAY_YES && i < errors->len; i++) {
    const RelayErrorFigures *one = &g_array_index (errors, RelayErrorFigures, i);

    if (one->priority == 1 && !isnan (one->bad) && !g_str_equal (one->name, "continuity"))
      answer = one->bad == 1 ? RELAY_YES : RELAY_NO;
  }
  return answer;
}

/* Asks @is about each output.  Yes if it says so of one output; else no if it says no of one; else
 * @answer, which is what is known of the rest of the stream, and a yes there stays. */
static RelayAnswer
ask_outputs (const RelayStreamFigures *figures, RelayAnswer answer,
    RelayAnswer (*is) (const RelayEndStats *output))
{
  for (guint i = 0; answer != RELAY_YES && i < figures->stats.outputs->len; i++) {
    RelayAnswer one = is (g_ptr_array_index (figures->stats.outputs, i));

    answer = one != RELAY_UNKNOWN ? one : answer;
  }
  return answer;
}

/* Has one of its ends an error?  It is unknown if none is measured. */
static RelayAnswer
is_wrong (const RelayStreamFigures *figures)
{
  return figures->stats.receiving ?
      ask_outputs (figures, has_error (&figures->stats.input), has_error) :
      RELAY_UNKNOWN;
}

static RelayAnswer
loses_much (const RelayEndStats *output)
{
  return is_above (relay_figures_get_loss (output), MUCH_LOSS);
}

static RelayAnswer
has_lossy_output (const RelayStreamFigures *figures)
{
  return figures->stats.receiving ? ask_outputs (figures, RELAY_UNKNOWN, loses_much) :
                                    RELAY_UNKNOWN;
}

static RelayAnswer
is_lossy (const RelayStreamFigures *figures)
{
  return figures->stats.receiving ? is_above (figures->rates.loss, MUCH_LOSS) : RELAY_UNKNOWN;
}

static RelayAnswer
is_closed (const RelayStreamFigures *figures)
{
  return figures->stats.closed ? RELAY_YES : RELAY_NO;
}

static RelayAnswer
lacks_source (const RelayStreamFigures *figures)
{
  g_autoptr (GArray) sources = relay_figures_list_sources (&figures->stats.input);

  for (guint i = 0; i < sources->len; i++)
    if (!g_array_index (sources, RelaySourceFigures, i).connected)
      return RELAY_YES;
  return RELAY_NO;
}

static RelayAnswer
is_down (const RelayEndStats *output)
{
  return relay_figures_is_down (output) ? RELAY_YES : RELAY_NO;
}

static RelayAnswer
has_output_down (const RelayStreamFigures *figures)
{
  return ask_outputs (figures, RELAY_NO, is_down);
}

#define NO_PICTURE "the relay has no picture of it, or it has no sound: see picture-interval"
#define NO_FIGURE "the protocol of the input does not tell"
#define NO_MONITOR "it is no MPEG-TS, or monitor-ts and output-monitor-ts are false"

static const Alarm rows[RELAY_ALARMS] = {
  { "off", "Off", "Nothing comes in", NULL, "FaspStreamSilent", 2, FALSE, is_off },
  { "output", "Output down",
      "An output does not run, does not hear the receiver that it dials, or its programme is not in "
      "the stream",
      NULL, "FaspOutputWaits", 2, FALSE, has_output_down },
  { "black", "Black", "The picture is dark, but for a fiftieth of it", NO_PICTURE,
      "FaspPictureBlack", 0, TRUE, is_black },
  { "frozen", "Frozen", "The picture has not changed since the one before", NO_PICTURE,
      "FaspPictureFrozen", 0, TRUE, is_frozen },
  { "picture", "No picture", "Bytes come in, and there is no new picture", NO_PICTURE,
      "FaspPictureStands", STANDS_AFTER, FALSE, is_unseen },
  { "silent", "Silent", "All channels of its sound are below -60 dBFS", NO_PICTURE,
      "FaspSoundSilent", 0, TRUE, is_silent },
  { "damaged", "Damaged",
      "In the last ten seconds, something was missing or too late in what came in", NO_FIGURE,
      "FaspStreamContinuity, FaspStreamNotRepaired, FaspStreamSkips", 0, FALSE, is_damaged },
  { "signal", "Signal",
      "What comes in or goes out has an error by which decoders stop (TR 101 290, priority 1)",
      NO_MONITOR, "FaspTransportStream, FaspOutputTransportStream", 2, FALSE, is_wrong },
  { "loss", "Heavy loss", "More than a tenth of the datagrams to this relay is lost", NO_FIGURE,
      "FaspStreamLoss", 0, FALSE, is_lossy },
  { "output-loss", "Heavy loss at an output",
      "More than a tenth of the datagrams to a receiver that an output dials is lost",
      "no output is connected that dials by fasp or SRT", "FaspOutputLoss", 2, FALSE,
      has_lossy_output },
  { "auth", "Nobody let in", "The server of auth-url does not say whether callers may come in",
      NULL, "FaspAuthFails", 0, FALSE, is_closed },
  { "source", "Source away", "One of its sources is not connected", NULL, "FaspSourceGone", 2,
      FALSE, lacks_source },
};

void
relay_alarms_note (RelayAlarms *alarms, gint64 now, const RelayStreamFigures *figures)
{
  alarms->unknown = 0;
  for (guint i = 0; i < RELAY_ALARMS; i++) {
    RelayAnswer answer = rows[i].is (figures);

    if (answer != RELAY_YES)
      alarms->since[i] = 0;
    else if (alarms->since[i] == 0)
      alarms->since[i] = now;
    alarms->unknown |= (answer == RELAY_UNKNOWN) << i;
  }
}

/* How long the condition has to last before it is an alarm, µs: that of a picture for one and a
 * half intervals (@interval: s), so that the next picture has it, too. */
static gint64
get_time (const Alarm *row, guint interval)
{
  gint64 pictures = row->pictured ? interval * G_USEC_PER_SEC * 3 / 2 : 0;

  return MAX (row->seconds * G_USEC_PER_SEC, pictures);
}

static gboolean
is_raised (const RelayAlarms *alarms, guint i, gint64 now, guint interval)
{
  return alarms->since[i] != 0 && now - alarms->since[i] >= get_time (&rows[i], interval);
}

void
relay_alarms_tell (RelayAlarms *alarms, gint64 now, const gchar *stream, guint interval,
    RelayAlarmFunc func, gpointer data)
{
  for (guint i = 0; i < RELAY_ALARMS; i++) {
    gboolean raised = is_raised (alarms, i, now, interval);
    g_autofree gchar *text = NULL;

    if (raised == ((alarms->told & 1 << i) != 0))
      continue;
    alarms->told ^= 1 << i;
    text = raised ? g_strdup_printf ("Alarm: %s. %s.", rows[i].label, rows[i].meaning) :
                    g_strdup_printf ("Over: %s.", rows[i].label);
    func (stream, rows[i].name, raised, text, data);
  }
}

void
relay_alarms_end (RelayAlarms *alarms, const gchar *stream, RelayAlarmFunc func, gpointer data)
{
  memset (alarms->since, 0, sizeof alarms->since);
  relay_alarms_tell (alarms, 0, stream, 0, func, data);
}

void
relay_alarms_describe (const RelayAlarms *alarms, gint64 now, gint64 utc, guint interval,
    JsonObject *object)
{
  JsonArray *raised = json_array_new (), *unwatched = json_array_new ();

  for (guint i = 0; i < RELAY_ALARMS; i++) {
    gint64 since = alarms->since[i];

    if ((alarms->unknown & 1 << i) != 0)
      json_array_add_string_element (unwatched, rows[i].name);
    if (is_raised (alarms, i, now, interval)) {
      JsonObject *alarm = json_object_new ();

      json_object_set_string_member (alarm, "name", rows[i].name);
      json_object_set_double_member (alarm, "since", (since + utc) / 1e6);
      json_array_add_object_element (raised, alarm);
    }
  }
  json_object_set_array_member (object, "alarms", raised);
  json_object_set_array_member (object, "unwatched", unwatched);
}

gchar *
relay_alarms_to_json (void)
{
  JsonObject *object = json_object_new ();
  g_autoptr (JsonNode) root = relay_json_take (object);

  for (guint i = 0; i < RELAY_ALARMS; i++) {
    JsonObject *row = json_object_new ();

    json_object_set_string_member (row, "label", rows[i].label);
    json_object_set_string_member (row, "meaning", rows[i].meaning);
    json_object_set_string_member (row, "rules", rows[i].rules);
    json_object_set_member (row, "needs", relay_json_string (rows[i].needs));
    json_object_set_object_member (object, rows[i].name, row);
  }
  return json_to_string (root, FALSE);
}
