/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspmonitor.h"
#include "gstfaspcommon.h"

struct _GstFaspMonitor
{
  TsMonitor *ts;
  gint64 offset; /* ns, added to the caller's times, so that they go on with another clock */
  gint64 last;   /* ns, the latest of the monitor's times */
  gint64 utc;    /* ns, added to the monitor's times: since 1970 */
};

GstFaspMonitor *
gst_fasp_monitor_new (void)
{
  GstFaspMonitor *self = g_new0 (GstFaspMonitor, 1);

  self->ts = ts_monitor_new (NULL);
  return self;
}

void
gst_fasp_monitor_free (GstFaspMonitor *self)
{
  if (self == NULL)
    return;
  ts_monitor_free (self->ts);
  g_free (self);
}

void
gst_fasp_monitor_begin (GstFaspMonitor *self)
{
  if (self != NULL)
    ts_monitor_begin (self->ts);
}

void
gst_fasp_monitor_set_clock (GstFaspMonitor *self, gint64 now)
{
  if (self != NULL)
    self->offset = self->last - now;
}

static gint64
convert (GstFaspMonitor *self, gint64 now)
{
  if (now + self->offset > self->last) {
    self->last = now + self->offset;
    self->utc = g_get_real_time () * 1000 - self->last;
  }
  return self->last;
}

gint64
gst_fasp_monitor_get_time (void)
{
  return g_get_monotonic_time () * 1000;
}

void
gst_fasp_monitor_push (GstFaspMonitor *self, GstBuffer *buffer, gint64 now)
{
  GstMapInfo map;

  now = convert (self, now);
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      continue;
    ts_monitor_push (self->ts, map.data, map.size, now);
    gst_memory_unmap (memory, &map);
  }
}

void
gst_fasp_monitor_push_list (GstFaspMonitor *self, GstBufferList *list, gint64 now)
{
  for (guint i = 0; i < gst_buffer_list_length (list); i++)
    gst_fasp_monitor_push (self, gst_buffer_list_get (list, i), now);
}

const TsMonitor *
gst_fasp_monitor_get (const GstFaspMonitor *self)
{
  return self->ts;
}

GstFaspMonitor *
gst_fasp_monitor_copy (GstFaspMonitor *self, gint64 now)
{
  GstFaspMonitor *copy;

  if (self == NULL)
    return NULL;
  ts_monitor_update (self->ts, convert (self, now));
  copy = g_memdup2 (self, sizeof *self);
  copy->ts = ts_monitor_copy (self->ts);
  return copy;
}

/* --- figures ------------------------------------------------------------ */

static const gchar *const states[] = { "unknown", "good", "bad" };

/* Takes @inner. */
static void
set_structure (GstStructure *s, const gchar *name, GstStructure *inner)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, inner);
  gst_structure_take_value (s, name, &value);
}

/* @utc: ns, added to the monitor's times. */
static void
add_error (GstStructure *s, const TsMonitor *ts, TsErrorKind kind, gint64 utc)
{
  const TsErrorRow *row = &ts_error_rows[kind];
  const TsError *error = ts_monitor_get_error (ts, kind);
  GstStructure *one = gst_structure_new ("application/x-ts-error", "priority", G_TYPE_UINT,
      row->priority, "state", G_TYPE_STRING, states[ts_monitor_get_state (ts, kind)], "count",
      G_TYPE_UINT64, error->count, NULL);

  if (error->count > 0)
    gst_structure_set (one, "first", G_TYPE_UINT64, (guint64) (error->first + utc), "last",
        G_TYPE_UINT64, (guint64) (error->last + utc), NULL);
  set_structure (s, row->name, one);
}

static void
add_programmes (GstStructure *s, const TsMonitor *ts)
{
  GPtrArray *list = g_ptr_array_new ();
  guint n;
  const TsProgramme *all = ts_monitor_get_programmes (ts, &n);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (list,
        gst_structure_new ("application/x-ts-programme", "number", G_TYPE_UINT, all[i].number,
            "name", G_TYPE_STRING, all[i].text, "pmt-pid", G_TYPE_UINT, all[i].pmt_pid, "pcr-pid",
            G_TYPE_UINT, all[i].pcr_pid, NULL));
  gst_fasp_structure_take_structures (s, "programmes", list);
}

static GstStructure *
describe_pid (const TsPid *pid)
{
  static const gchar *const roles[] = { NULL, "other", "video", "audio" };
  GstStructure *one = gst_structure_new ("application/x-ts-pid", "pid", G_TYPE_UINT, pid->pid,
      "bitrate", G_TYPE_UINT64, pid->bit_rate, NULL);

  if (roles[pid->role] != NULL)
    gst_structure_set (one, "programme", G_TYPE_UINT, pid->programme, "stream-type", G_TYPE_UINT,
        pid->type, "carries", G_TYPE_STRING, roles[pid->role], NULL);
  return one;
}

static void
add_pids (GstStructure *s, const TsMonitor *ts)
{
  GPtrArray *list = g_ptr_array_new ();
  gint64 accuracy = TS_NEVER, jitter = TS_NEVER;
  guint n;
  const TsPid *all = ts_monitor_get_pids (ts, &n);

  for (guint i = 0; i < n; i++) {
    g_ptr_array_add (list, describe_pid (&all[i]));
    accuracy = all[i].pcr != NULL ? MAX (accuracy, all[i].pcr->accuracy) : accuracy;
    jitter = all[i].pcr != NULL ? MAX (jitter, all[i].pcr->jitter) : jitter;
  }
  if (accuracy != TS_NEVER)
    gst_structure_set (s, "pcr-accuracy-ns", G_TYPE_UINT64, (guint64) accuracy, NULL);
  if (jitter != TS_NEVER)
    gst_structure_set (s, "pcr-jitter-ns", G_TYPE_UINT64, (guint64) jitter, NULL);
  gst_fasp_structure_take_structures (s, "pids", list);
}

void
gst_fasp_monitor_add_figures (const GstFaspMonitor *self, GstStructure *stats)
{
  GstStructure *s;

  if (self == NULL || ts_monitor_get_packets (self->ts) == 0)
    return;
  s = gst_structure_new ("application/x-ts-monitor", "packets", G_TYPE_UINT64,
      ts_monitor_get_packets (self->ts), "sections-refused", G_TYPE_UINT64,
      ts_monitor_get_refused (self->ts), NULL);
  if (ts_monitor_get_bit_rate (self->ts) != G_MAXUINT64)
    gst_structure_set (s, "bitrate", G_TYPE_UINT64, ts_monitor_get_bit_rate (self->ts), NULL);
  for (guint kind = 0; kind < TS_ERRORS; kind++)
    add_error (s, self->ts, kind, self->utc);
  add_programmes (s, self->ts);
  add_pids (s, self->ts);
  set_structure (stats, GST_FASP_MONITOR_FIELD, s);
}
