/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayrecording.h"
#include <gst/app/app.h>
#include "relaychain.h"
#include "relaycut.h"
#include "relayrecord.h"

#define MBYTE (1000 * 1000)

struct _RelayRecording
{
  RelayProtocolPipeline *pipeline; /* with the appsink */
  RelayCut *cut;
  RelayRecord *record;
  RelayRetention retention;
  gboolean removes; /* there is a limit */
  GError *error;    /* of the last write; NULL: it was good */
};

gboolean
relay_recording_get_retention (const RelayProtocolUri *protocol_uri, RelayRetention *retention)
{
  retention->seconds = relay_protocol_uri_get_uint (protocol_uri, "keep-seconds", 0);
  retention->size = relay_protocol_uri_get_uint (protocol_uri, "keep-mbytes", 0) * MBYTE;
  retention->free = relay_protocol_uri_get_uint (protocol_uri, "keep-free-mbytes", 0) * MBYTE;
  return retention->seconds > 0 || retention->size > 0 || retention->free > 0;
}

RelayRecording *
relay_recording_new (const RelayProtocolUri *protocol_uri)
{
  RelayRecording *recording = g_new0 (RelayRecording, 1);
  guint piece = relay_protocol_uri_get_uint (protocol_uri, "piece", 0);

  recording->cut = relay_cut_new (piece);
  recording->record = relay_record_new (protocol_uri->path, piece);
  recording->removes = relay_recording_get_retention (protocol_uri, &recording->retention);
  return recording;
}

/* That old pieces cannot be removed does not end the recording. */
static void
tidy (GstElement *sink, RelayRecording *recording, gint64 now)
{
  g_autoptr (GError) error = NULL;

  if (recording->removes
      && !relay_record_tidy (recording->record, &recording->retention, now, &error))
    GST_ELEMENT_WARNING (sink, RESOURCE, WRITE, ("%s", error->message), (NULL));
}

/* Writes packets that the cutter passes on. */
static gboolean
write_packets (const guint8 *data, gsize size, gint64 seconds, gpointer data_of)
{
  RelayRecording *recording = data_of;
  g_autofree gchar *finished = NULL;
  gboolean good = relay_record_write (recording->record, data, size, seconds, &recording->error);

  finished = relay_record_take_finished (recording->record);
  if (finished != NULL)
    relay_protocol_pipeline_note_piece (recording->pipeline, finished);
  return good;
}

static void
warn_of_cut (GstElement *sink, RelayRecording *recording)
{
  if (relay_cut_lacks_key_frames (recording->cut))
    GST_ELEMENT_WARNING (sink, STREAM, FORMAT,
        ("This piece begins between key frames: none came in time, with a PAT and a PMT in front "
         "of it. If this stream has video, set its encoder to a key frame each few seconds."),
        (NULL));
}

static gboolean
record (GstElement *sink, const guint8 *data, gsize size, gpointer writer, GError **error)
{
  RelayRecording *recording = writer;
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  gboolean good = relay_cut_push (recording->cut, data, size, now, write_packets, recording);

  warn_of_cut (sink, recording);
  if (good || g_error_matches (recording->error, G_FILE_ERROR, G_FILE_ERROR_NOSPC))
    tidy (sink, recording, now);
  if (good)
    relay_protocol_pipeline_note_work (recording->pipeline);
  else
    g_propagate_error (error, g_steal_pointer (&recording->error));
  return good;
}

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer recording)
{
  return relay_chain_write (GST_ELEMENT (sink), record, recording);
}

/* The appsink has ended. */
static void
on_gone (gpointer data)
{
  RelayRecording *recording = data;

  relay_cut_flush (recording->cut, write_packets, recording);
  g_clear_error (&recording->error);
  relay_record_close (recording->record);
}

void
relay_recording_follow (RelayRecording *recording, RelayProtocolPipeline *pipeline,
    GstElement *appsink)
{
  GstAppSinkCallbacks functions = { .new_sample = on_sample };

  recording->pipeline = pipeline;
  gst_app_sink_set_callbacks (GST_APP_SINK (appsink), &functions, recording, on_gone);
}

void
relay_recording_free (RelayRecording *recording)
{
  relay_cut_free (recording->cut);
  relay_record_free (recording->record);
  g_free (recording);
}
