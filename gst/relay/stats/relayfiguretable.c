/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayfiguretable.h"
#include <math.h>
#include "relayfigures.h"
#include "relayjson.h"
#include "relaypictureview.h"
#include "tserrors.h"

#define STATUS RELAY_IN_STATUS
#define EVENTS RELAY_IN_EVENTS
#define API RELAY_IN_API
#define METRICS RELAY_IN_METRICS
#define HISTORY RELAY_IN_HISTORY

/* OF: the struct with the members of the following rows. The arguments after the member are the
 * meaning, the label and the metric's name. */
#define ROW(form, unit, kind, of, in, name, member, ...) \
  { name, RELAY_OF_##of, in, RELAY_FORM_##form, unit, FASP_KIND_##kind, \
    G_STRUCT_OFFSET (OF, member), __VA_ARGS__ }
#define NAME(...) ROW (NAME, FASP_UNIT_NONE, UNKNOWN, __VA_ARGS__)
#define TEXT(...) ROW (TEXT, FASP_UNIT_NONE, UNKNOWN, __VA_ARGS__)
#define STATE(...) ROW (STATE, FASP_UNIT_NONE, UNKNOWN, __VA_ARGS__)
#define FLAG(...) ROW (FLAG, FASP_UNIT_NONE, GAUGE, __VA_ARGS__)
#define UINT(unit, ...) ROW (UINT, unit, GAUGE, __VA_ARGS__)
#define COUNT(...) ROW (UINT64, FASP_UNIT_NONE, COUNTER, __VA_ARGS__)
#define BYTES(...) ROW (UINT64, FASP_UNIT_BYTES, __VA_ARGS__)
#define MS(...) ROW (NUMBER, FASP_UNIT_MS, GAUGE, __VA_ARGS__)
#define SECONDS(...) ROW (NUMBER, RELAY_UNIT_S, GAUGE, __VA_ARGS__)
#define TIME(...) ROW (TIME, RELAY_UNIT_S, GAUGE, __VA_ARGS__)
/* A field of a receiver's statistics; the row gives the page its unit and label. */
#define FIELD(name, unit, meaning, label) \
  { name, RELAY_OF_RECEIVER, RELAY_IN_STATS, RELAY_FORM_NUMBER, FASP_UNIT_##unit, \
    FASP_KIND_UNKNOWN, 0, meaning, label }

#define REFUSED \
  "Callers turned away because of their streamid or address, or by auth-url; of SRT, also because " \
  "of their passphrase; of RIST, second senders"

static const RelayFigure rows[] = {
#define OF RelayOwnFigures
  NAME (RELAY, STATUS | EVENTS, "version", version, "Version of the program"),
  SECONDS (RELAY, EVENTS, "time", time, "When this was made, since 1970, UTC"),
  FLAG (RELAY, STATUS | EVENTS | METRICS, "ready", ready,
      "Whether all streams that are not optional have their input"),
  TIME (RELAY, STATUS | METRICS, "started", stats.started, "When the relay was started, since 1970",
      NULL, "fasp_relay_start_time_seconds"),
  ROW (INT64, RELAY_UNIT_S, GAUGE, RELAY, EVENTS, "started", begun,
      "When the relay was started, since 1970, by the clock as it is now"),
  FLAG (RELAY, EVENTS, "ending", stats.ending, "Whether the relay ends"),
  TIME (RELAY, STATUS, "configuration-loaded", stats.loaded,
      "When the configuration was read that is in force"),
  COUNT (RELAY, STATUS | METRICS, "reloads", stats.reloads,
      "Configurations that were loaded on a signal"),
  COUNT (RELAY, STATUS | METRICS, "reloads-refused", stats.reloads_refused,
      "Configurations that were refused, as they were faulty"),
  TEXT (RELAY, STATUS | EVENTS, "configuration-refused", stats.refused,
      "Why the last reload was refused; null: it was not"),
  TEXT (RELAY, STATUS | EVENTS, "history-error", stats.unkept,
      "Why the history is not kept in its file; null: it is, or no file is named"),
  NAME (RELAY, EVENTS, "api", stats.api,
      "Whether the API takes changes: `off`, `open`, `token`: with the API's, or `login`: with a "
      "role"),
  FLAG (RELAY, EVENTS, "saved", stats.saved,
      "Whether the configuration file, as it was read or written last, says what is in force"),
  COUNT (RELAY, STATUS | METRICS, "status-refused", stats.unallowed,
      "Connections to the status that were refused for their address"),
  COUNT (RELAY, STATUS | METRICS, "auth-questions", stats.auth.questions,
      "Questions to the server of auth-url"),
  COUNT (RELAY, STATUS | METRICS, "auth-failures", stats.auth.failures,
      "Questions that it did not answer: the caller, or the request, was refused"),
  COUNT (RELAY, STATUS | METRICS, "auth-busy", stats.auth.busy,
      "Callers and requests refused unasked, as too many questions were under way"),
  UINT (FASP_UNIT_NONE, RELAY, STATUS | METRICS, "hooks-waiting", stats.hooks.waiting,
      "Events that hooks have not been told yet"),
  COUNT (RELAY, STATUS | METRICS, "hooks-dropped", stats.hooks.dropped,
      "Events that hooks were not told, as too many waited"),
  COUNT (RELAY, STATUS | METRICS, "hooks-failed", stats.hooks.failed,
      "Events that hooks were not told, as their servers refused them, or did not answer"),
  COUNT (RELAY, EVENTS, "happened", happened, "Number of the newest event; 0: there was none"),
  BYTES (GAUGE, RELAY, EVENTS, "memory", memory, "Memory that the process has; 0: not known",
      "Memory"),
  BYTES (GAUGE, RELAY, EVENTS, "history", history, "Memory that the histories take"),
#undef OF
#define OF RelayStreamFigures
  NAME (STREAM, STATUS | EVENTS | API, "name", name, "Name of the stream"),
  NAME (STREAM, STATUS | EVENTS | API, "streamid", streamid, "By which callers choose the stream"),
  FLAG (STREAM, API, "require-streamid", require_streamid,
      "Whether callers that give no streamid are refused"),
  FLAG (STREAM, STATUS | EVENTS | API, "optional", optional,
      "Whether the relay is ready without this stream's input"),
  UINT (RELAY_UNIT_S, STREAM, API, "picture-interval", picture_interval,
      "From one picture to the next, as it is configured; 0: there are none"),
  UINT (FASP_UNIT_NONE, STREAM, API, "preview-viewers", preview_viewers,
      "How many may watch the preview at once, as it is configured; 0: there is none"),
  UINT (FASP_UNIT_NONE, STREAM, EVENTS, "preview-viewers", stats.preview.viewers,
      "How many may watch the preview at once; 0: there is none"),
  UINT (FASP_UNIT_NONE, STREAM, STATUS | API, "preview-watching", stats.preview.watching,
      "How many watch the preview"),
  COUNT (STREAM, STATUS | API, "preview-dropped", stats.preview.dropped,
      "Viewers of the preview that were dropped, as they read too slowly"),
  STATE (STREAM, STATUS | EVENTS | API, "state", stats.state,
      "What the stream does; `waiting`: to start again after an error"),
  SECONDS (STREAM, STATUS | EVENTS, "state-seconds", state_seconds,
      "For how long the stream has been in this state"),
  FLAG (STREAM, METRICS, "running", running, "1: the stream's pipeline plays"),
  FLAG (STREAM, STATUS | EVENTS | API | METRICS, "receiving", stats.receiving,
      "Whether the stream's input is connected, and heard"),
  TEXT (STREAM, STATUS | EVENTS | API, "last-error", stats.error,
      "Why the stream, or one of its outputs, failed last"),
  ROW (NUMBER, FASP_UNIT_BITRATE, GAUGE, STREAM, EVENTS | HISTORY, "rate", rates.rate,
      "Rate of the stream that comes in, without repairs, over a second or more", "Rate"),
  ROW (NUMBER, FASP_UNIT_SHARE, GAUGE, STREAM, EVENTS | HISTORY, "loss", rates.loss,
      "Share of the datagrams to this relay that were lost, over ten seconds; most are repaired",
      "Loss on the way here"),
  MS (STREAM, EVENTS | HISTORY, "rtt-ms", rtt, "Time to the sender, and back", "Round trip"),
  MS (STREAM, EVENTS | HISTORY, "lateness-ms", lateness,
      "How much later than on an undisturbed path the stream is whole and in order: 99.9 % of it is "
      "not later; what is later than the latency, a dashed line, is a skip",
      "Lateness"),
  UINT (FASP_UNIT_NONE, STREAM, EVENTS | HISTORY, "receivers", receivers,
      "Receivers that are connected to the stream's outputs", "Receivers"),
  MS (STREAM, EVENTS | HISTORY, "behind-ms", behind,
      "What the slowest receiver has not confirmed yet, as time at the stream's rate",
      "Furthest behind"),
  MS (STREAM, EVENTS, "latency-ms", latency, "Latency in force"),
  SECONDS (STREAM, EVENTS, "promised-seconds", promised,
      "How rarely a player should skip, as the network is now; a skip is a second in which data is "
      "missing or too late",
      "Promised"),
  SECONDS (STREAM, EVENTS, "observed-seconds", observed,
      "How rarely a player would have skipped, since the connection began; null: never, or "
      "not known",
      "Observed"),
  ROW (NUMBER, FASP_UNIT_NONE, COUNTER, STREAM, EVENTS, "skips", skips,
      "Seconds in which data was missing or too late, since the connection began; null: not known, "
      "as of an input that is not fasp"),
  ROW (NUMBER, FASP_UNIT_NONE, GAUGE, STREAM, EVENTS, "recent-skips", rates.skips,
      "Skips of the last ten seconds; null: not known"),
  ROW (NUMBER, FASP_UNIT_NONE, GAUGE, STREAM, EVENTS, "unrepaired", rates.unrepaired,
      "Datagrams to this relay that were lost and not repaired, over ten seconds; null: not known, as "
      "of UDP, or it is fasp, which has skips",
      "Not repaired"),
  ROW (NUMBER, FASP_UNIT_NONE, GAUGE, STREAM, EVENTS, "errors", rates.errors,
      "Packets of MPEG-TS that did not follow in what came in, over ten seconds, as those before them "
      "are missing; null: it is none",
      "Continuity errors"),
  BYTES (COUNTER, STREAM, EVENTS, "bytes", bytes, "Bytes of the stream that came in", "Received"),
  COUNT (STREAM, STATUS | EVENTS | API | METRICS, "restarts", stats.restarts,
      "Restarts after an error, also of one output, or after the end of the stream", "Restarts"),
#undef OF
#define OF RelayEndFigures
  UINT (FASP_UNIT_NONE, OUTPUT, STATUS | EVENTS | API, "id", id,
      "Stays the same while the output is there, and no other output of the stream gets it while "
      "the relay runs"),
  NAME (ENDS, STATUS | EVENTS | API, "uri", uri,
      "As it is configured, without a passphrase, and with * for a password in the streamid of an "
      "end that dials"),
  FLAG (ENDS, API, "passphrase", passphrase, "Whether the end has a passphrase"),
  FLAG (ENDS, EVENTS | API, "open", open, "Whether the end runs: its state is `running`"),
  FLAG (OUTPUT, EVENTS | METRICS, "down", down,
      "Whether the output does not run, does not hear the receiver that it dials, or has not in its "
      "stream what it was to send"),
  FLAG (ENDS, METRICS, "running", open, "1: it plays; 0: it starts, stops, or waits"),
  STATE (ENDS, STATUS | EVENTS | API, "state", stats.state,
      "What the end does; `waiting`: for its stream, or to start again after an error; `starting`: "
      "also while it dials by SRT"),
  COUNT (ENDS, STATUS | API | METRICS, "callers-refused", stats.refused, REFUSED),
  COUNT (OUTPUT, EVENTS, "refused", stats.refused, REFUSED),
  ROW (NUMBER, FASP_UNIT_NONE, GAUGE, OUTPUT, EVENTS | API, "receivers", receivers,
      "Receivers that are connected; null: not known, or it is not open"),
  TEXT (OUTPUT, STATUS | EVENTS | API, "does", does,
      "What an output does that cannot know its receivers: `sends`, `records` or `publishes`; null: it knows them"),
  UINT (FASP_UNIT_NONE, OUTPUT, EVENTS, "interrupted", interrupted,
      "Receivers of these that are not heard"),
  MS (OUTPUT, EVENTS, "behind-ms", behind,
      "What the slowest receiver has not confirmed yet, as time at the stream's rate"),
  ROW (NUMBER, FASP_UNIT_SHARE, GAUGE, OUTPUT, EVENTS | METRICS, "loss", loss,
      "Share of the datagrams that were lost, to the one receiver that an output dials by fasp or "
      "SRT; of SRT an estimate: the share of repairs; null: not known"),
  FLAG (ENDS, EVENTS, "measured", measured,
      "Whether the stream is measured by TR 101 290: it is MPEG-TS, and monitor-ts is not false"),
  FLAG (ENDS, EVENTS, "judged", judged,
      "Whether an error that is not listed is known not to be there; false: nothing comes in, or "
      "nothing leaves, so it is not known of any"),
  ROW (NUMBER, FASP_UNIT_BITRATE, GAUGE, ENDS, EVENTS | METRICS, "ts-bitrate", ts_rate,
      "Rate of the packets of MPEG-TS; null: not known"),
  ROW (NUMBER, FASP_UNIT_NS, GAUGE, ENDS, EVENTS | METRICS, "pcr-accuracy", accuracy,
      "How far a PCR was off its place by the bytes, at most in a second; null: not known"),
  ROW (NUMBER, FASP_UNIT_NS, GAUGE, ENDS, EVENTS | METRICS, "pcr-jitter", jitter,
      "The same by the time of its arrival; null: not known"),
  TEXT (ENDS, EVENTS, "error", error,
      "Why an end that is not fasp does not run, or what an output was to send is not in the stream; "
      "null: it does, and it is"),
#undef OF
#define OF RelayPeerFigures
  NAME (RECEIVER, EVENTS | API, "address", address, "Address and port"),
  TEXT (SENDER, EVENTS, "address", address, "Address and port; null: it is not known"),
  TEXT (PEERS, EVENTS | API, "name", name, "Name of the key, in `allowed-keys`"),
  FLAG (PEERS, EVENTS | API, "interrupted", interrupted, "Whether it is not heard at present"),
  FLAG (SENDER, EVENTS, "stands-by", stands_by,
      "Whether it is connected, and stands by until the one that is used is silent, or gone"),
  MS (RECEIVER, EVENTS, "behind-ms", behind,
      "What the receiver has not confirmed yet, as time at the stream's rate"),
  MS (RECEIVER, EVENTS | API, "rtt-ms", rtt, "Time to the receiver, and back", "Round trip"),
  ROW (NUMBER, FASP_UNIT_SHARE, GAUGE, RECEIVER, EVENTS, "loss", loss,
      "Share of the datagrams to it that were lost", "Loss"),
  FIELD ("send-rate-mbps", MBPS, "Rate of all datagrams to the receiver", "Sent to it"),
  FIELD ("bytes-acknowledged", BYTES, "Bytes of the stream that the receiver says it has",
      "Confirmed"),
  FIELD ("negotiated-latency-ms", MS, "How late the receiver plays: the time there is for repairs",
      "Latency"),
  FIELD ("promised-interval", NS,
      "How rarely a player should skip, as the network is now; a skip is a second in which data is "
      "missing or too late",
      "Promised"),
  FIELD ("observed-interval", NS,
      "How rarely a player would have skipped, since the connection began", "Observed"),
  FIELD ("bytes-retransmitted", BYTES, "Bytes that were sent again, as they were lost on the way",
      "Sent again"),
  FIELD ("encryption", NONE, "Cipher of the connection", "Encryption"),
  TEXT (RECEIVER, EVENTS | API, "streamid", streamid, "The streamid that a receiver of SRT gave",
      "Asked for"),
  BYTES (COUNTER, RECEIVER, API, "bytes-sent", bytes_sent,
      "Bytes of the stream, each counted once"),
#undef OF
#define OF RelaySourceFigures
  UINT (FASP_UNIT_NONE, SOURCE, EVENTS, "source", number, "Number of the source, from 0"),
  TEXT (SOURCE, EVENTS, "name", name, "As the source is configured"),
  FLAG (SOURCE, EVENTS, "connected", connected, "Whether it is connected, and heard"),
  FLAG (SOURCE, EVENTS, "leads", leads, "Whether it is used"),
  TEXT (SOURCE, EVENTS, "why", why, "Why it is used, or is not"),
#undef OF
#define OF RelayPictureStats
  TIME (PICTURE, STATUS | EVENTS | API | METRICS, "time", time,
      "When the last picture came, since 1970; null: there is none yet"),
  UINT (RELAY_UNIT_PIXELS, PICTURE, STATUS | EVENTS | API, "width", width, "Width"),
  UINT (RELAY_UNIT_PIXELS, PICTURE, STATUS | EVENTS | API, "height", height, "Height"),
  UINT (FASP_UNIT_BYTES, PICTURE, STATUS | EVENTS | API, "bytes", bytes, "Size of the JPEG"),
  ROW (NUMBER, FASP_UNIT_SHARE, GAUGE, PICTURE, STATUS | EVENTS | API | METRICS, "dark", dark,
      "Share of the picture's samples that are below a tenth of white; null: not known"),
  ROW (NUMBER, FASP_UNIT_SHARE, GAUGE, PICTURE, STATUS | EVENTS | API | METRICS, "change", change,
      "Mean change of a sample since the picture before, of its range; null: not known"),
  COUNT (PICTURE, STATUS | EVENTS | API | METRICS, "made", made, "Pictures that were made", NULL,
      "fasp_relay_stream_pictures"),
  COUNT (PICTURE, STATUS | EVENTS | API | METRICS, "restarts", restarts,
      "Restarts of the process that decodes, after it failed"),
  UINT (RELAY_UNIT_S, PICTURE, METRICS, "interval", interval,
      "From one picture to the next, as it is configured"),
  TEXT (PICTURE, STATUS | EVENTS | API, "error", error,
      "Why the last try made no picture, and what to do"),
#undef OF
#define OF RelayLevelFigures
  ROW (NUMBER, RELAY_UNIT_DBFS, GAUGE, LEVEL, STATUS | API, "peak", peak,
      "The highest sample of the channel, while the picture was waited for; -120: silence"),
  ROW (NUMBER, RELAY_UNIT_DBFS, GAUGE, LEVEL, STATUS | API | METRICS, "rms", rms,
      "The power of the sound, while the last picture was waited for: a sine of full scale has -3",
      NULL, "fasp_relay_stream_sound_level_dbfs"),
#undef OF
#define OF RelayErrorFigures
  NAME (ERRORS, EVENTS, "error", name, "Its name in docs/transport-stream.md"),
  TEXT (ERRORS, EVENTS, "state", state, "`good`, `bad`: it is there now, or `unknown`"),
  COUNT (ERRORS, EVENTS | METRICS, "errors", count, "How often an error by TR 101 290 has begun"),
  SECONDS (ERRORS, EVENTS, "first", first, "When it was there first, since 1970, UTC; null: never"),
  SECONDS (ERRORS, EVENTS, "last", last, "When it was there last, since 1970, UTC; null: never"),
  ROW (NUMBER, FASP_UNIT_NONE, GAUGE, ERRORS, METRICS, "bad", bad,
      "1: an error by TR 101 290 is there; 0: it is not"),
#undef OF
};

const RelayUnit relay_units[RELAY_UNITS] = {
  [FASP_UNIT_NONE] = { "", NULL, NULL, 1, 1 },
  [FASP_UNIT_BYTES] = { "bytes", "bytes", "bytes", 1, 1 },
  [FASP_UNIT_BITRATE] = { "bit/s", "bitrate", "bits_per_second", 1, 1 },
  [FASP_UNIT_MBPS] = { "Mbit/s", "mbps", "bits_per_second", 1e6, 1e-6 },
  [FASP_UNIT_MS] = { "ms", "ms", "seconds", 1e-3, 1e-3 },
  [FASP_UNIT_NS] = { "ns", NULL, "seconds", 1e-9, 1 },
  [FASP_UNIT_PPM] = { "ppm", NULL, NULL, 1, 1 },
  [FASP_UNIT_SHARE] = { "share", NULL, NULL, 1, 1e-5 },
  [RELAY_UNIT_S] = { "s", "seconds", "seconds", 1, 1e-3 },
  [RELAY_UNIT_PIXELS] = { "pixels", NULL, NULL, 1, 1 },
  [RELAY_UNIT_DBFS] = { "dBFS", NULL, NULL, 1, 1e-2 },
};

const gchar *
relay_figure_get_owner (RelayFigureOf of)
{
  static const gchar *const names[RELAY_FIGURE_OWNERS] = { "relay", "stream", "input", "output",
    "sender", "receiver", "source", "picture", "level", "input-ts", "output-ts" };

  return names[g_bit_nth_lsf (of, -1)];
}

const RelayFigure *
relay_figure_next (const RelayFigure *row, RelayFigureOf of, RelayFigureIn in)
{
  for (row = row != NULL ? row + 1 : rows; row < rows + G_N_ELEMENTS (rows); row++)
    if ((row->of & of) != 0 && (row->in & in) != 0)
      return row;
  return NULL;
}

/* --- values ------------------------------------------------------------------------------- */

gdouble
relay_figure_get_number (const RelayFigure *row, gconstpointer figures)
{
  gconstpointer member = (const guint8 *) figures + row->offset;

  switch (row->form) {
    case RELAY_FORM_FLAG:
      return *(const gboolean *) member;
    case RELAY_FORM_UINT:
      return *(const guint *) member;
    case RELAY_FORM_UINT64:
      return *(const guint64 *) member;
    case RELAY_FORM_INT64:
      return *(const gint64 *) member;
    case RELAY_FORM_NUMBER:
      return *(const gdouble *) member;
    case RELAY_FORM_TIME:
      return *(const gint64 *) member != 0 ? *(const gint64 *) member / G_USEC_PER_SEC : NAN;
    default:
      return NAN;
  }
}

static JsonNode *
make_node (const RelayFigure *row, gconstpointer figures)
{
  gconstpointer member = (const guint8 *) figures + row->offset;
  gdouble number = relay_figure_get_number (row, figures);
  const gchar *text = NULL;

  switch (row->form) {
    case RELAY_FORM_STATE:
      return relay_json_string (relay_state_get_name (*(const RelayState *) member));
    case RELAY_FORM_NAME:
      return relay_json_string (*(const gchar *const *) member);
    case RELAY_FORM_TEXT:
      text = *(const gchar *const *) member;
      return relay_json_string (text != NULL && text[0] != '\0' ? text : NULL);
    case RELAY_FORM_FLAG:
      return json_node_init_boolean (json_node_alloc (), *(const gboolean *) member);
    case RELAY_FORM_TIME:
      return isnan (number) ? relay_json_string (NULL) : relay_json_time (*(const gint64 *) member);
    default:
      return relay_json_rounded (number,
          row->form == RELAY_FORM_NUMBER ? relay_units[row->unit].precision : 1);
  }
}

JsonObject *
relay_figures_to_object (RelayFigureOf of, RelayFigureIn in, gconstpointer figures)
{
  JsonObject *object = json_object_new ();

  for (const RelayFigure *row = NULL; (row = relay_figure_next (row, of, in)) != NULL;)
    json_object_set_member (object, row->name, make_node (row, figures));
  return object;
}

JsonArray *
relay_figures_to_array (RelayFigureOf of, RelayFigureIn in, const GArray *all)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; all != NULL && i < all->len; i++)
    json_array_add_object_element (array,
        relay_figures_to_object (of, in,
            all->data + i * g_array_get_element_size ((GArray *) all)));
  return array;
}

gchar *
relay_figures_make_metric (const gchar *owner, const gchar *name, guint unit)
{
  g_auto (GStrv) words = g_strsplit (name, "-", -1);
  GString *metric = g_string_new ("fasp_relay");

  if (owner[0] != '\0')
    g_string_append_printf (metric, "_%s", owner);
  for (guint i = 0; words[i] != NULL; i++)
    if (!g_str_equal (words[i], "total") && g_strcmp0 (words[i], relay_units[unit].word) != 0)
      g_string_append_printf (metric, "_%s", words[i]);
  if (relay_units[unit].metric != NULL)
    g_string_append_printf (metric, "_%s", relay_units[unit].metric);
  for (gchar *c = metric->str; *c != '\0'; c++)
    if (!g_ascii_isalnum (*c))
      *c = '_';
  return g_string_free (metric, FALSE);
}

gchar *
relay_figure_make_metric (const RelayFigure *row, RelayFigureOf of)
{
  const gchar *owner = of == RELAY_OF_RELAY ? "" :
      of == RELAY_OF_PICTURE                ? "stream_picture" :
      of == RELAY_OF_LEVEL                  ? "stream_sound" :
                                              relay_figure_get_owner (of);

  return row->metric != NULL ? g_strdup (row->metric) :
                               relay_figures_make_metric (owner, row->name, row->unit);
}

/* --- descriptions ------------------------------------------------------------------------- */

/* @in: RELAY_IN_HISTORY: the schema of the list of past values. */
static JsonNode *
make_schema (const RelayFigure *row, RelayFigureIn in)
{
  static const gchar *const types[] = {
    [RELAY_FORM_NAME] = "\"type\":\"string\"",
    [RELAY_FORM_TEXT] = "\"type\":[\"string\",\"null\"]",
    [RELAY_FORM_STATE] =
        "\"type\":\"string\",\"enum\":[\"waiting\",\"starting\",\"running\",\"stopping\"]",
    [RELAY_FORM_FLAG] = "\"type\":\"boolean\"",
    [RELAY_FORM_UINT] = "\"type\":\"integer\"",
    [RELAY_FORM_UINT64] = "\"type\":\"integer\"",
    [RELAY_FORM_INT64] = "\"type\":\"integer\"",
    [RELAY_FORM_NUMBER] = "\"type\":[\"number\",\"null\"]",
    [RELAY_FORM_TIME] = "\"type\":[\"string\",\"null\"]",
  };
  const gchar *unit = row->form != RELAY_FORM_TIME ? relay_units[row->unit].name : "";
  g_autofree gchar *text = in != HISTORY ?
      g_strdup_printf ("{%s}", types[row->form]) :
      g_strdup_printf ("{\"type\":\"array\",\"items\":{%s}}", types[RELAY_FORM_NUMBER]);
  g_autofree gchar *description =
      g_strdup_printf (unit[0] != '\0' ? "%s (%s)" : "%s", row->meaning, unit);
  JsonNode *schema = json_from_string (text, NULL);

  json_object_set_string_member (json_node_get_object (schema), "description", description);
  return schema;
}

void
relay_figures_describe (JsonObject *schemas)
{
  static const struct
  {
    const gchar *schema;
    RelayFigureOf of;
    RelayFigureIn in;
  } places[] = {
    { "Stream", RELAY_OF_STREAM, API },
    { "Input", RELAY_OF_INPUT, API },
    { "Output", RELAY_OF_OUTPUT, API },
    { "Receiver", RELAY_OF_RECEIVER, API },
    { "Picture", RELAY_OF_PICTURE, API },
    { "Level", RELAY_OF_LEVEL, API },
    { "History", RELAY_OF_STREAM, HISTORY },
    { "Summary", RELAY_OF_RELAY, EVENTS },
    { "StreamSummary", RELAY_OF_STREAM, EVENTS },
    { "InputSummary", RELAY_OF_INPUT, EVENTS },
    { "OutputSummary", RELAY_OF_OUTPUT, EVENTS },
    { "SenderSummary", RELAY_OF_SENDER, EVENTS },
    { "SourceSummary", RELAY_OF_SOURCE, EVENTS },
    { "ErrorSummary", RELAY_OF_INPUT_ERROR, EVENTS },
    { "ReceiverSummary", RELAY_OF_RECEIVER, EVENTS },
    { "ReceiverFigures", RELAY_OF_RECEIVER, EVENTS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    JsonObject *schema = json_object_get_object_member (schemas, places[i].schema);
    JsonObject *properties = json_object_get_object_member (schema, "properties");
    JsonArray *required = json_object_get_array_member (schema, "required");

    for (const RelayFigure *row = NULL;
        (row = relay_figure_next (row, places[i].of, places[i].in)) != NULL;) {
      json_array_add_string_element (required, row->name);
      if (!json_object_has_member (properties, row->name))
        json_object_set_member (properties, row->name, make_schema (row, places[i].in));
    }
  }
}

static JsonArray *
list_labels (RelayFigureOf of)
{
  JsonArray *list = json_array_new ();

  for (const RelayFigure *row = NULL;
      (row = relay_figure_next (row, of, EVENTS | HISTORY | RELAY_IN_STATS)) != NULL;) {
    JsonObject *object;

    if (row->label == NULL)
      continue;
    object = json_object_new ();
    json_object_set_string_member (object, "name", row->name);
    json_object_set_string_member (object, "label", row->label);
    json_object_set_string_member (object, "unit", relay_units[row->unit].name);
    json_object_set_string_member (object, "meaning", row->meaning);
    json_object_set_boolean_member (object, "history", (row->in & HISTORY) != 0);
    json_array_add_object_element (list, object);
  }
  return list;
}

/* What the page says of the errors of a transport stream. */
static JsonArray *
list_errors (void)
{
  JsonArray *list = json_array_new ();

  for (guint kind = 0; kind < TS_ERRORS; kind++) {
    const TsErrorRow *row = &ts_error_rows[kind];
    JsonObject *object = json_object_new ();

    json_object_set_string_member (object, "name", row->name);
    json_object_set_int_member (object, "priority", row->priority);
    json_object_set_string_member (object, "clause", row->clause);
    json_object_set_string_member (object, "label", row->label);
    json_object_set_string_member (object, "meaning", row->meaning);
    json_array_add_object_element (list, object);
  }
  return list;
}

gchar *
relay_figures_to_json (void)
{
  JsonObject *object = json_object_new ();
  g_autoptr (JsonNode) root = relay_json_take (object);

  for (guint i = 0; i < RELAY_FIGURE_OWNERS; i++)
    json_object_set_array_member (object, relay_figure_get_owner (1 << i), list_labels (1 << i));
  json_object_set_array_member (object, "errors", list_errors ());
  return json_to_string (root, FALSE);
}
