/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspaddress.h"
#include "gstfaspcommon.h"
#include "gstfaspkeys.h"
#include "gstfaspstats.h"
#include "faspstatfields.h"

#define AT_A_TIME 16 /* sessions that are copied under one lock */

#define NAME "application/x-fasp-statistics"

GstClockTime
gst_fasp_interval (guint64 seconds)
{
  return seconds < GST_CLOCK_TIME_NONE / GST_SECOND ? seconds * GST_SECOND :
                                                      GST_CLOCK_TIME_NONE - 1;
}

static void
set_uint64 (GstStructure *s, const gchar *name, guint64 value)
{
  gst_structure_set (s, name, G_TYPE_UINT64, value, NULL);
}

static void
set_double (GstStructure *s, const gchar *name, gdouble value)
{
  gst_structure_set (s, name, G_TYPE_DOUBLE, value, NULL);
}

static void
set_key (GstStructure *s, const gchar *name, const guint8 *key)
{
  g_autofree gchar *text = gst_fasp_public_key_to_text (key);

  gst_structure_set (s, name, G_TYPE_STRING, text, NULL);
}

/* The figures of the flows and paths of sessions, one after the other. */
typedef struct
{
  GArray *flows, *paths; /* FaspFlowStats and FaspPathStats, of the sessions that have several */
  guint flow, path;      /* index of the first flow and path of the next session */
} Parts;

static void describe (GstStructure *s, FaspStatsOf of, gconstpointer stats, Parts *parts,
    FaspRole role);

/* Makes a structure of each of the @n elements of @array from *at on; moves *at behind them. */
static GPtrArray *
describe_parts (const GArray *array, guint *at, guint n, const gchar *name, FaspStatsOf of,
    FaspRole role)
{
  GPtrArray *list = g_ptr_array_sized_new (n);
  gsize size = g_array_get_element_size ((GArray *) array);

  for (guint i = 0; i < n; i++) {
    GstStructure *one = gst_structure_new_empty (name);

    describe (one, of, array->data + (*at)++ * size, NULL, role);
    g_ptr_array_add (list, one);
  }
  return list;
}

/* Sets @field from the member of the statistics at @at. */
static void
set_field (GstStructure *s, const FaspStatField *field, gconstpointer at, Parts *parts,
    FaspRole role)
{
  const gchar *name = field->name;

  switch (field->form) {
    case FASP_FORM_UINT64:
      set_uint64 (s, name, *(const guint64 *) at);
      break;
    case FASP_FORM_UINT:
      gst_structure_set (s, name, G_TYPE_UINT, *(const guint *) at, NULL);
      break;
    case FASP_FORM_INT:
      gst_structure_set (s, name, G_TYPE_INT, *(const gint *) at, NULL);
      break;
    case FASP_FORM_BOOLEAN:
      gst_structure_set (s, name, G_TYPE_BOOLEAN, *(const gboolean *) at, NULL);
      break;
    case FASP_FORM_DOUBLE:
      set_double (s, name, *(const gdouble *) at);
      break;
    case FASP_FORM_TIME:
      set_double (s, name, *(const FaspTime *) at / 1e3);
      break;
    case FASP_FORM_RATE:
      set_double (s, name, *(const guint64 *) at / 1e6);
      break;
    case FASP_FORM_INTERVAL:
      set_uint64 (s, name, gst_fasp_interval (*(const guint64 *) at));
      break;
    case FASP_FORM_INTERVAL_IF_ANY:
      set_uint64 (s, name,
          *(const guint64 *) at == 0 ? GST_CLOCK_TIME_NONE :
                                       gst_fasp_interval (*(const guint64 *) at));
      break;
    case FASP_FORM_CIPHER:
      gst_structure_set (s, name, G_TYPE_STRING,
          gst_fasp_cipher_get_name (*(const FaspCipher *) at), NULL);
      break;
    case FASP_FORM_KEY:
      set_key (s, name, at);
      break;
    case FASP_FORM_TEXT:
      gst_structure_set (s, name, G_TYPE_STRING, (const gchar *) at, NULL);
      break;
    case FASP_FORM_WORDS:
      gst_structure_set (s, name, G_TYPE_STRING, *(const gchar *const *) at, NULL);
      break;
    case FASP_FORM_ADDRESS:
      gst_fasp_address_describe (s, name, at);
      break;
    case FASP_FORM_ROUNDS:
      gst_fasp_structure_set_counts (s, name, at, FASP_ROUNDS);
      break;
    case FASP_FORM_FLOWS:
      gst_fasp_structure_take_structures (s, name,
          describe_parts (parts->flows, &parts->flow, *(const guint *) at,
              "application/x-fasp-flow", FASP_STATS_FLOW, role));
      break;
    case FASP_FORM_PATHS:
      gst_fasp_structure_take_structures (s, name,
          describe_parts (parts->paths, &parts->path, *(const guint *) at, "application/x-fasp-way",
              FASP_STATS_PATH, role));
      break;
  }
}

/* Sets the fields that @stats, the struct of the table @of, has at an end of that role. */
static void
describe (GstStructure *s, FaspStatsOf of, gconstpointer stats, Parts *parts, FaspRole role)
{
  const FaspStatTable *table = &fasp_stat_tables[of];

  for (guint i = 0; i < table->n; i++) {
    const FaspStatField *field = &table->fields[i];

    if ((field->roles & role) != 0 && (field->is_shown == NULL || field->is_shown (stats)))
      set_field (s, field, G_STRUCT_MEMBER_P (stats, field->offset), parts, role);
  }
}

/* Appends the flows and paths of those sessions that have several. */
static void
get_parts (FaspEndpoint *endpoint, FaspTime now, const FaspSessionStats *sessions, guint n,
    Parts *parts)
{
  for (guint i = 0; i < n; i++) {
    guint flow = parts->flows->len, path = parts->paths->len;

    if (sessions[i].flows == 1)
      continue;
    g_array_set_size (parts->flows, flow + sessions[i].flows);
    fasp_endpoint_get_flows (endpoint, sessions[i].session,
        &g_array_index (parts->flows, FaspFlowStats, flow), sessions[i].flows);
    if (sessions[i].n_paths == 1)
      continue;
    g_array_set_size (parts->paths, path + sessions[i].n_paths);
    fasp_endpoint_get_paths (endpoint, now, sessions[i].session,
        &g_array_index (parts->paths, FaspPathStats, path), sessions[i].n_paths);
  }
}

/* Copies of the statistics of all endpoints, each made under its endpoint's lock; the structures
 * are made of them without a lock. */
typedef struct
{
  GArray *sessions; /* FaspSessionStats */
  GArray *sources;  /* guint: the number of the source of each session */
  Parts parts;
  FaspEndpointStats total;
  FaspHist arrival, in_order;
  gboolean has_group;
  FaspGroupStats group;
  gboolean has_last; /* all peers have left: `last' is the one that left last */
  FaspSessionStats last;
} Copied;

static void
copied_init (Copied *copied)
{
  *copied = (Copied) {
    .sessions = g_array_new (FALSE, FALSE, sizeof (FaspSessionStats)),
    .sources = g_array_new (FALSE, FALSE, sizeof (guint)),
    .parts.flows = g_array_new (FALSE, TRUE, sizeof (FaspFlowStats)),
    .parts.paths = g_array_new (FALSE, TRUE, sizeof (FaspPathStats)),
  };
}

static void
copied_clear (Copied *copied)
{
  g_array_unref (copied->sessions);
  g_array_unref (copied->sources);
  g_array_unref (copied->parts.flows);
  g_array_unref (copied->parts.paths);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Copied, copied_clear);

/* Gets the statistics of all sessions of a source, a few at a time, so that the stream does not
 * wait while those of a thousand are copied. */
static void
copy_sessions (Copied *copied, FaspIo *io, guint source, FaspTime now)
{
  FaspSessionStats some[AT_A_TIME];
  guint64 cursor = 0;
  guint n;

  do {
    FaspEndpoint *endpoint = fasp_io_lock (io);

    n = fasp_endpoint_get_sessions (endpoint, now, &cursor, some, AT_A_TIME);
    get_parts (endpoint, now, some, n, &copied->parts);
    fasp_io_unlock (io, FALSE);
    g_array_append_vals (copied->sessions, some, n);
    for (guint i = 0; i < n; i++)
      g_array_append_val (copied->sources, source);
  } while (n > 0);
}

/* Adds up the fields of an endpoint, which all are numbers. */
static void
add_up (FaspEndpointStats *sum, const FaspEndpointStats *one)
{
  const FaspStatTable *table = &fasp_stat_tables[FASP_STATS_ENDPOINT];

  for (guint i = 0; i < table->n; i++) {
    gpointer to = G_STRUCT_MEMBER_P (sum, table->fields[i].offset);
    gconstpointer from = G_STRUCT_MEMBER_P (one, table->fields[i].offset);

    /* two rows may be of one member */
    if (i > 0 && table->fields[i].offset == table->fields[i - 1].offset)
      continue;
    if (table->fields[i].form == FASP_FORM_UINT)
      *(guint *) to += *(const guint *) from;
    else
      *(guint64 *) to += *(const guint64 *) from;
  }
}

static void
copy_totals (Copied *copied, FaspIo *io, FaspTime now)
{
  FaspEndpoint *endpoint = fasp_io_lock (io);
  FaspEndpointStats one;

  fasp_endpoint_get_stats (endpoint, &one);
  add_up (&copied->total, &one);
  if (copied->sessions->len == 0 && !copied->has_last) {
    copied->has_last = fasp_endpoint_get_last_session (endpoint, &copied->last);
    if (copied->has_last)
      get_parts (endpoint, now, &copied->last, 1, &copied->parts);
  }
  fasp_hist_merge (&copied->arrival, fasp_endpoint_get_lateness (endpoint, FALSE));
  fasp_hist_merge (&copied->in_order, fasp_endpoint_get_lateness (endpoint, TRUE));
  copied->has_group = fasp_endpoint_get_group (endpoint, &copied->group);
  fasp_io_unlock (io, FALSE);
}

/* With several sources, the totals are those of the merged stream; describe_source() shows those of
 * each source. */
static void
copy_stream (Copied *copied, FaspSources *several)
{
  FaspSourcesStats stream;

  fasp_sources_get_stats (several, &stream);
  copied->total.bytes_read = stream.bytes_read;
  copied->total.bytes_missing = stream.bytes_missing;
  copied->total.join_offset = stream.join_offset;
  copied->total.joins_in_the_middle = stream.joins_in_the_middle;
}

/* Describes each session, and notes how much of its channel's rate is used. */
static GPtrArray *
describe_callers (const Copied *copied, FaspSources *several, Parts *parts, FaspRole role,
    gdouble *channel_use)
{
  const GArray *sessions = copied->sessions;
  GPtrArray *callers = g_ptr_array_sized_new (sessions->len);

  for (guint i = 0; i < sessions->len; i++) {
    const FaspSessionStats *session = &g_array_index (sessions, FaspSessionStats, i);
    GstStructure *one = gst_structure_new_empty (NAME);
    FaspSourceStats source;

    describe (one, FASP_STATS_SESSION, session, parts, role);
    if (several != NULL) {
      fasp_sources_get_source_stats (several, g_array_index (copied->sources, guint, i), &source);
      describe (one, FASP_STATS_SOURCE, &source, NULL, role);
    }
    if (session->pacing.rate > 0)
      *channel_use = MAX (*channel_use, (gdouble) session->sent.rate / session->pacing.rate);
    g_ptr_array_add (callers, one);
  }
  return callers;
}

static gboolean
is_connected (const Copied *copied, guint source)
{
  for (guint i = 0; i < copied->sessions->len; i++)
    if (g_array_index (copied->sources, guint, i) == source
        && !g_array_index (copied->sessions, FaspSessionStats, i).interrupted)
      return TRUE;
  return FALSE;
}

static void
find_lateness (const FaspHist *hist, FaspTime lateness[FASP_HIST_POINTS])
{
  for (guint i = 0; i < FASP_HIST_POINTS; i++)
    lateness[i] = fasp_hist_percentile (hist, fasp_hist_points[i].fraction);
}

/* Describes one of several sources, connected or not. */
static GstStructure *
describe_source (const Copied *copied, FaspSources *several, guint i, FaspTime now, FaspRole role)
{
  GstStructure *one = gst_structure_new_empty ("application/x-fasp-source");
  FaspSourceChangeStats change = { .is_connected = is_connected (copied, i) };
  FaspSummaryStats summary = { .channel_use = -1 };
  FaspSourceStats source;
  FaspEndpoint *endpoint;

  fasp_sources_get_source_stats (several, i, &source);
  fasp_sources_get_source_change (several, now, i, &change);
  endpoint = fasp_io_lock (fasp_sources_get (several, i));
  find_lateness (fasp_endpoint_get_lateness (endpoint, FALSE), summary.lateness);
  find_lateness (fasp_endpoint_get_lateness (endpoint, TRUE), summary.lateness_in_order);
  fasp_io_unlock (fasp_sources_get (several, i), FALSE);
  describe (one, FASP_STATS_SOURCE, &source, NULL, role);
  describe (one, FASP_STATS_SOURCE_CHANGE, &change, NULL, role);
  describe (one, FASP_STATS_SUMMARY, &summary, NULL, role);
  return one;
}

static GPtrArray *
describe_sources (const Copied *copied, FaspSources *several, FaspTime now, FaspRole role)
{
  guint n = fasp_sources_count (several);
  GPtrArray *list = g_ptr_array_sized_new (n);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (list, describe_source (copied, several, i, now, role));
  return list;
}

static void
describe_lead (GstStructure *s, FaspSources *several, FaspTime now, FaspRole role)
{
  FaspLeadStats lead;

  fasp_sources_get_lead_stats (several, now, &lead);
  describe (s, FASP_STATS_LEAD, &lead, NULL, role);
}

static void
copy_all (Copied *copied, FaspIo *io, FaspSources *several, FaspTime now)
{
  guint n = several != NULL ? fasp_sources_count (several) : 1;

  for (guint i = 0; i < n; i++)
    copy_sessions (copied, several != NULL ? fasp_sources_get (several, i) : io, i, now);
  for (guint i = 0; i < n; i++)
    copy_totals (copied, several != NULL ? fasp_sources_get (several, i) : io, now);
  if (several != NULL)
    copy_stream (copied, several);
}

GstStructure *
gst_fasp_stats_new (FaspIo *io, FaspSources *several, FaspRole role)
{
  GstStructure *s = gst_structure_new_empty (NAME);
  FaspSummaryStats summary = { .channel_use = -1 };
  FaspTime now = g_get_monotonic_time ();
  g_auto (Copied) copied;
  Parts parts, first;

  copied_init (&copied);
  if (io == NULL) { /* there is no peer, but a reader of the statistics always finds the field */
    gst_fasp_structure_take_structures (s, "callers", g_ptr_array_new ());
    return s;
  }
  copy_all (&copied, io, several, now);
  parts = first = copied.parts;
  describe (s, FASP_STATS_ENDPOINT, &copied.total, NULL, role);
  if (copied.has_group)
    describe (s, FASP_STATS_GROUP, &copied.group, NULL, role);
  if (several != NULL)
    describe_lead (s, several, now, role);
  /* the statistics of a single peer are also fields of the outer structure, as in srtsink */
  if (copied.sessions->len == 1 || copied.has_last)
    describe (s, FASP_STATS_SESSION,
        copied.has_last ? &copied.last : (gpointer) copied.sessions->data, &first, role);
  gst_fasp_structure_take_structures (s, "callers",
      describe_callers (&copied, several, &parts, role, &summary.channel_use));
  if (several != NULL)
    gst_fasp_structure_take_structures (s, "source-list",
        describe_sources (&copied, several, now, role));
  find_lateness (&copied.arrival, summary.lateness);
  find_lateness (&copied.in_order, summary.lateness_in_order);
  describe (s, FASP_STATS_SUMMARY, &summary, NULL, role);
  return s;
}

void
gst_fasp_stats_add_presentation (GstStructure *stats, const FaspPresentationStats *presentation)
{
  describe (stats, FASP_STATS_PRESENTATION, presentation, NULL, FASP_ROLE_RECEIVER);
}

static gboolean
report (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  g_autoptr (GstElement) element = g_weak_ref_get (data);
  GstStructure *stats = NULL;

  if (element == NULL)
    return FALSE;
  g_object_get (element, "stats", &stats, NULL);
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), stats));
  return TRUE;
}

static void
free_weak_ref (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

GstClockID
gst_fasp_stats_begin_reports (GstElement *element, GstClockTime interval)
{
  /* the system's clock, as statistics are also wanted while the pipeline's clock stands still */
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockID id =
      gst_clock_new_periodic_id (clock, gst_clock_get_time (clock) + interval, interval);
  /* a weak reference: an unscheduled entry stays in the clock until all earlier entries were due */
  GWeakRef *ref = g_new (GWeakRef, 1);

  g_weak_ref_init (ref, element);
  gst_clock_id_wait_async (id, report, ref, free_weak_ref);
  return id;
}

void
gst_fasp_stats_end_reports (GstClockID id)
{
  gst_clock_id_unschedule (id);
  gst_clock_id_unref (id);
}
