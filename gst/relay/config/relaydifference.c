/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a new configuration of a stream requires, and which of its outputs are those that are there.
 */
#include "gstfaspparse.h"
#include "relayconfig.h"

/* May an output block the input, so that the input cannot be closed alone? */
static gboolean
has_holder (const RelayStreamConfig *config)
{
  for (guint i = 0; i < config->outputs->len; i++)
    if (relay_end_holds_up (g_ptr_array_index (config->outputs, i)))
      return TRUE;
  return FALSE;
}

static RelayDifference
compare_outputs (const RelayStreamConfig *a, const RelayStreamConfig *b)
{
  RelayDifference most = a->outputs->len != b->outputs->len ? RELAY_ENDS : RELAY_SAME;

  for (guint i = 0; i < b->outputs->len; i++) {
    const RelayEnd *new = g_ptr_array_index (b->outputs, i);
    const RelayEnd *old = relay_stream_config_find_output (a, new->id);
    RelayDifference one = old != NULL ? relay_end_compare (old, new) : RELAY_ENDS;

    most = MAX (most, MIN (one, RELAY_ENDS));
  }
  return most;
}

RelayDifference
relay_stream_config_compare (const RelayStreamConfig *a, const RelayStreamConfig *b)
{
  RelayDifference most = RELAY_SAME, inputs, outputs;

  if (g_strcmp0 (a->streamid, b->streamid) != 0)
    return RELAY_RESTART;
  if (a->require_streamid != b->require_streamid || a->optional != b->optional
      || a->picture_interval != b->picture_interval || a->preview_viewers != b->preview_viewers)
    most = RELAY_ADJUST;
  inputs = relay_end_compare (a->input, b->input);
  if (inputs == RELAY_RESTART && !has_holder (a))
    inputs = RELAY_ENDS;
  outputs = compare_outputs (a, b);
  most = MAX (most, inputs);
  return MAX (most, outputs);
}

/* --- ids ----------------------------------------------------------------------------- */

static gboolean
has_same_uri (const RelayEnd *a, const RelayEnd *b)
{
  return g_str_equal (a->uri, b->uri);
}

static gboolean
has_same_place (const RelayEnd *a, const RelayEnd *b)
{
  g_autoptr (GstUri) x = gst_fasp_parse_uri (a->uri), y = gst_fasp_parse_uri (b->uri);

  return x != NULL && y != NULL && g_strcmp0 (gst_uri_get_scheme (x), gst_uri_get_scheme (y)) == 0
      && g_strcmp0 (gst_uri_get_host (x), gst_uri_get_host (y)) == 0
      && gst_uri_get_port (x) == gst_uri_get_port (y);
}

/* Gives outputs without an id that of an old output that is like them and whose id is not given
 * yet. */
static void
adopt (RelayStreamConfig *config, const RelayStreamConfig *old,
    gboolean (*is_like) (const RelayEnd *a, const RelayEnd *b))
{
  for (guint i = 0; i < config->outputs->len; i++) {
    RelayEnd *end = g_ptr_array_index (config->outputs, i);

    for (guint k = 0; end->id == 0 && k < old->outputs->len; k++) {
      const RelayEnd *one = g_ptr_array_index (old->outputs, k);

      if (relay_stream_config_find_output (config, one->id) == NULL && is_like (one, end))
        end->id = one->id;
    }
  }
}

void
relay_config_adopt (RelayConfig *config, const RelayConfig *old, const RelayKept *kept)
{
  config->revision = old->revision + 1;
  for (guint i = 0; i < config->streams->len; i++) {
    RelayStreamConfig *stream = g_ptr_array_index (config->streams, i);
    const RelayStreamConfig *before = relay_config_find (old, stream->name);

    stream->revision = config->revision;
    if (before == NULL)
      continue;
    for (guint k = 0; k < stream->outputs->len; k++)
      ((RelayEnd *) g_ptr_array_index (stream->outputs, k))->id =
          kept != NULL && g_str_equal (kept->stream, stream->name) ?
          g_array_index (kept->ids, guint, k) :
          0;
    adopt (stream, before, has_same_uri);
    adopt (stream, before, has_same_place);
    stream->next_id = before->next_id;
    for (guint k = 0; k < stream->outputs->len; k++) {
      RelayEnd *end = g_ptr_array_index (stream->outputs, k);

      if (end->id == 0)
        end->id = stream->next_id;
      stream->next_id = MAX (stream->next_id, end->id + 1);
    }
    if (relay_stream_config_compare (before, stream) == RELAY_SAME)
      stream->revision = before->revision;
  }
}
