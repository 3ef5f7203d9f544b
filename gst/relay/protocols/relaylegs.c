/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaylegs.h"
#include <gst/app/app.h>
#include <gst/rtp/rtp.h>
#include "gstfaspcommon.h"
#include "relaygroup.h"
#include "relayguard.h"
#include "relayprotocol.h"
#include "relaytimer.h"

#define JOINT "joint"
#define KEY "relay-legs" /* of the bin's data */

/* The merge of an input. */
typedef struct
{
  const RelayProtocolUri *protocol_uri;
  void (*refused) (gpointer data);
  gpointer data; /* of `refused' */
  GstAppSrc *merged;
  GMutex lock; /* guards the rest */
  RelayMerge *merge;
  RelayFec *fec;    /* NULL: no repairs are sent */
  GstClockID timer; /* when packets leave without a missing one; NULL: none runs */
} Legs;

typedef struct
{
  Legs *legs;
  guint number;
  guint kind; /* of its receivers: 0 of media, else of repairs */
} Leg;

static void
clear_legs (gpointer data)
{
  Legs *legs = data;

  gst_object_unref (legs->merged);
  relay_merge_free (legs->merge);
  relay_fec_free (legs->fec);
  g_mutex_clear (&legs->lock);
}

static void
release_legs (gpointer data)
{
  Legs *legs = data;

  g_mutex_lock (&legs->lock);
  relay_timer_stop (&legs->timer);
  g_mutex_unlock (&legs->lock);
  g_atomic_rc_box_release_full (legs, clear_legs);
}

static void
unref_legs (gpointer legs)
{
  g_atomic_rc_box_release_full (legs, clear_legs);
}

static gboolean on_timer (GstClock *clock, GstClockTime time, GstClockID id, gpointer data);

/* Passes on the packets that may leave.  Under the lock. */
static void
pass_on (Legs *legs, gint64 now)
{
  GstBuffer *packet;
  gint64 deadline;

  while ((packet = relay_merge_pop (legs->merge, now)) != NULL)
    gst_app_src_push_buffer (legs->merged, packet);
  deadline = relay_merge_get_deadline (legs->merge);
  if (deadline == G_MAXINT64 || legs->timer != NULL)
    return;
  legs->timer = relay_timer_start (relay_timer_get_time () + MAX (deadline - now, 0) * GST_USECOND,
      on_timer, g_atomic_rc_box_acquire (legs), unref_legs);
}

/* Called in a thread of the clock. */
static gboolean
on_timer (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  Legs *legs = data;

  g_mutex_lock (&legs->lock);
  if (legs->timer == id) {
    relay_timer_stop (&legs->timer);
    pass_on (legs, g_get_monotonic_time ());
  }
  g_mutex_unlock (&legs->lock);
  return TRUE;
}

/* FALSE: it is no packet of RTP. */
static gboolean
read_packet (GstBuffer *datagram, RelayMergePacket *packet)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (!gst_rtp_buffer_map (datagram, GST_MAP_READ, &rtp))
    return FALSE;
  *packet = (RelayMergePacket) { gst_rtp_buffer_get_ssrc (&rtp), gst_rtp_buffer_get_seq (&rtp),
    gst_buffer_get_size (datagram), gst_buffer_ref (datagram) };
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

/* Recovers what it can, and pushes that into the merge.  Under the lock. */
static void
recover (Legs *legs, gint64 now)
{
  GBytes *recovered;

  while (legs->fec != NULL && (recovered = relay_fec_pop (legs->fec)) != NULL) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new_wrapped_bytes (recovered);
    RelayMergePacket packet;

    if (read_packet (buffer, &packet))
      relay_merge_push (legs->merge, RELAY_MERGE_RECOVERED, &packet, now);
    g_bytes_unref (recovered);
  }
}

/* Gives a datagram to what recovers others.  FALSE: it is no repair, as it should be.  Under the
 * lock. */
static gboolean
give_fec (const Leg *leg, GstBuffer *datagram)
{
  gboolean good = TRUE;
  GstMapInfo map;

  if (!gst_buffer_map (datagram, &map, GST_MAP_READ))
    return FALSE;
  if (leg->kind == 0)
    relay_fec_take_media (leg->legs->fec, map.data, map.size);
  else
    good = relay_fec_take_repair (leg->legs->fec, leg->kind > 1, map.data, map.size);
  gst_buffer_unmap (datagram, &map);
  return good;
}

/* FALSE: it is no packet of the stream.  Under the lock. */
static gboolean
take_media (const Leg *leg, GstBuffer *datagram, gint64 now)
{
  RelayMergePacket packet;
  RelayMergeResult result;

  if (!read_packet (datagram, &packet)) {
    relay_merge_refuse (leg->legs->merge, leg->number, now);
    return FALSE;
  }
  result = relay_merge_push (leg->legs->merge, leg->number, &packet, now);
  if (result <= RELAY_MERGE_AHEAD || leg->legs->fec == NULL)
    return result != RELAY_MERGE_REFUSED;
  if (result == RELAY_MERGE_BEGINS)
    relay_fec_forget (leg->legs->fec);
  return give_fec (leg, datagram);
}

/* Gives a datagram, which the guard (relayguard.h) has let in, to the merge.  FALSE: it goes no
 * further by itself. */
static gboolean
take (gpointer data, GstBuffer *datagram)
{
  const Leg *leg = data;
  gboolean good;
  gint64 now;

  g_mutex_lock (&leg->legs->lock);
  /* under the lock, so that the merge's time never goes back */
  now = g_get_monotonic_time ();
  good = leg->kind == 0 ? take_media (leg, datagram, now) : give_fec (leg, datagram);
  recover (leg->legs, now);
  pass_on (leg->legs, now);
  g_mutex_unlock (&leg->legs->lock);
  if (!good)
    leg->legs->refused (leg->legs->data);
  return FALSE;
}

guint64
relay_legs_get_latency (const RelayProtocolUri *protocol_uri)
{
  return relay_protocol_uri_get_uint (protocol_uri, "latency", RELAY_LEGS_LATENCY);
}

gboolean
relay_legs_merges (const RelayProtocolUri *protocol_uri)
{
  return !protocol_uri->sends
      && (protocol_uri->second != NULL || relay_protocol_uri_get (protocol_uri, "fec") != NULL);
}

static void
watch_receivers (Legs *legs, const RelayProtocolUri *uri, GstElement *bin)
{
  GstElement *source;

  for (guint i = 0; (source = relay_chain_get_receiver (uri, bin, i)) != NULL; i++) {
    Leg *leg = g_new (Leg, 1);

    *leg = (Leg) { legs, uri->is_second, i };
    relay_guard_watch (source, take, leg, g_free);
    gst_object_unref (source);
  }
}

void
relay_legs_watch (GstElement *bin, const RelayProtocolUri *protocol_uri,
    void (*refused) (gpointer data), gpointer data)
{
  Legs *legs = g_atomic_rc_box_new0 (Legs);
  const gchar *fec = relay_protocol_uri_get (protocol_uri, "fec");
  guint columns, rows;

  g_mutex_init (&legs->lock);
  legs->protocol_uri = protocol_uri;
  legs->refused = refused;
  legs->data = data;
  legs->merged = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (bin), JOINT));
  legs->merge = relay_merge_new (relay_legs_get_latency (protocol_uri) * G_TIME_SPAN_MILLISECOND,
      relay_protocol_uri_get_uint (protocol_uri, "buffer-size", RELAY_BUFFER_NORMAL),
      (GDestroyNotify) gst_buffer_unref);
  if (fec != NULL && relay_fec_read (fec, &columns, &rows))
    legs->fec = relay_fec_new (columns, rows);
  for (const RelayProtocolUri *uri = protocol_uri; uri != NULL; uri = uri->second)
    watch_receivers (legs, uri, bin);
  g_object_set_data_full (G_OBJECT (bin), KEY, legs, release_legs);
}

/* --- elements ------------------------------------------------------------------------------ */

/* Makes what joins the legs.  NULL: it is missing. */
static GstElement *
make_joint (RelayChain *chain, const gchar *caps)
{
  if (caps == NULL)
    return relay_chain_make_part (chain, "tee", RELAY_CORE);
  return chain->error == NULL ? relay_chain_make_app (caps, &chain->error) : NULL;
}

GstElement *
relay_legs_new (RelayChain *chain, GstElement *const *parts, const gchar *caps)
{
  GstElement *joint = make_joint (chain, caps), *bin = gst_bin_new (NULL);
  g_autoptr (GstPad) pad = NULL;

  for (guint i = 0; i < RELAY_LEGS_PARTS; i++)
    if (parts[i] != NULL)
      gst_bin_add (GST_BIN (bin), parts[i]);
  if (joint == NULL) {
    gst_object_unref (gst_object_ref_sink (bin));
    return NULL;
  }
  gst_object_set_name (GST_OBJECT (joint), JOINT);
  gst_bin_add (GST_BIN (bin), joint);
  for (guint i = 0; caps == NULL && i < RELAY_LEGS_PARTS; i++)
    if (parts[i] != NULL)
      gst_element_link (joint, parts[i]);
  pad = gst_element_get_static_pad (joint, caps != NULL ? "src" : "sink");
  gst_element_add_pad (bin, gst_ghost_pad_new (caps != NULL ? "src" : "sink", pad));
  return relay_chain_add_made (chain, bin);
}

/* Links the encoder's pads of repairs, which it makes when it starts. */
static void
on_pad (GstElement *encoder, GstPad *pad, gpointer bin)
{
  const gchar *name =
      g_str_equal (GST_PAD_NAME (pad), "fec_0") ? RELAY_LEGS_COLUMNS : RELAY_LEGS_ROWS;
  g_autoptr (GstElement) sink = gst_bin_get_by_name (bin, name);
  g_autoptr (GstPad) its = sink != NULL ? gst_element_get_static_pad (sink, "sink") : NULL;

  if (its != NULL)
    gst_pad_link (pad, its);
}

GstElement *
relay_legs_repair (RelayChain *chain, GstElement *const *sinks, const gchar *fec)
{
  GstElement *encoder = relay_chain_make_part (chain, "rtpst2022-1-fecenc", RELAY_PLUGINS_GOOD);
  GstElement *bin = gst_bin_new (NULL);
  g_autoptr (GstPad) pad = NULL;
  guint columns, rows;

  for (guint i = 0; i < RELAY_FEC_PORTS; i++)
    if (sinks[i] != NULL)
      gst_bin_add (GST_BIN (bin), sinks[i]);
  if (encoder == NULL || !relay_fec_read (fec, &columns, &rows)) {
    gst_object_unref (gst_object_ref_sink (bin));
    return NULL;
  }
  g_object_set (encoder, "columns", columns, "rows", rows, NULL);
  g_signal_connect (encoder, "pad-added", G_CALLBACK (on_pad), bin);
  gst_bin_add (GST_BIN (bin), encoder);
  gst_element_link (encoder, sinks[0]);
  /* the encoder passes no EOS on to repairs, so nothing waits for these sinks' */
  for (guint i = 1; i < RELAY_FEC_PORTS; i++)
    GST_OBJECT_FLAG_UNSET (sinks[i], GST_ELEMENT_FLAG_SINK);
  pad = gst_element_get_static_pad (encoder, "sink");
  gst_element_add_pad (bin, gst_ghost_pad_new ("sink", pad));
  return bin;
}

/* --- figures ------------------------------------------------------------------------------- */

/* @since: when something last happened. */
static gboolean
is_recent (gint64 since)
{
  return since != RELAY_MERGE_NEVER && g_get_monotonic_time () - since < RELAY_MERGE_SILENCE;
}

static gchar *
explain (GstElement *bin, const RelayProtocolUri *uri, const RelayMergeLeg *leg)
{
  static const gchar *const faults[] = {
    [RELAY_MERGE_NO_RTP] = "what comes from it is no RTP: send RTP there",
    [RELAY_MERGE_OTHER] = "its packets are not those of the other leg: have one sender send both",
    [RELAY_MERGE_LATE] = "its packets come too late: set a longer latency",
  };
  g_autofree gchar *error = relay_group_get_error (uri, bin);

  if (is_recent (leg->heard))
    return g_strdup ("it brings packets of the stream");
  if (error != NULL)
    return g_strdup_printf ("it cannot join its group: %s", error);
  return g_strdup (is_recent (leg->refused) ? faults[leg->fault] :
                                              "nothing comes from it: check its network");
}

static RelayMergeStats
get_stats (GstElement *bin)
{
  Legs *legs = g_object_get_data (G_OBJECT (bin), KEY);
  RelayMergeStats stats;

  g_mutex_lock (&legs->lock);
  stats = *relay_merge_get_stats (legs->merge, g_get_monotonic_time ());
  g_mutex_unlock (&legs->lock);
  return stats;
}

gboolean
relay_legs_hears (GstElement *bin, guint leg)
{
  RelayMergeStats stats = get_stats (bin);

  return is_recent (stats.legs[leg].heard);
}

/* Describes a leg as a source of the input, of which each that is heard is used. */
static GstStructure *
describe (GstElement *bin, const RelayProtocolUri *uri, const RelayMergeLeg *leg)
{
  g_autofree gchar *place = relay_host_with_port (uri->host, uri->port);
  g_autofree gchar *why = explain (bin, uri, leg);
  gboolean heard = is_recent (leg->heard);

  return gst_structure_new ("application/x-relay-source", "source", G_TYPE_UINT,
      (guint) uri->is_second, "name", G_TYPE_STRING, place, "connected", G_TYPE_BOOLEAN, heard,
      "leads", G_TYPE_BOOLEAN, heard, "packets-received", G_TYPE_UINT64, leg->received,
      "packets-received-lost", G_TYPE_UINT64, leg->lost, "packets-used", G_TYPE_UINT64, leg->used,
      "why", G_TYPE_STRING, why, NULL);
}

void
relay_legs_add_figures (GstElement *bin, const RelayProtocolUri *protocol_uri, GstStructure *stats,
    GstStructure *peer)
{
  RelayMergeStats merge = get_stats (bin);
  guint64 used = 0, lost = 0;

  for (const RelayProtocolUri *uri = protocol_uri; uri != NULL; uri = uri->second) {
    used += merge.legs[uri->is_second].used;
    lost += merge.legs[uri->is_second].lost;
  }
  if (protocol_uri->second != NULL) {
    GPtrArray *all = g_ptr_array_new ();

    for (const RelayProtocolUri *uri = protocol_uri; uri != NULL; uri = uri->second)
      g_ptr_array_add (all, describe (bin, uri, &merge.legs[uri->is_second]));
    gst_fasp_structure_take_structures (stats, "source-list", all);
  }
  /* each packet of the stream counts once as received, so that one leg's loss is seen by itself */
  gst_structure_set (peer, "packets-received", G_TYPE_UINT64, used, "packets-received-lost",
      G_TYPE_UINT64, lost, "packets-missing", G_TYPE_UINT64, merge.missing,
      "packets-received-dropped", G_TYPE_UINT64, merge.dropped, NULL);
  if (relay_protocol_uri_get (protocol_uri, "fec") != NULL)
    gst_structure_set (peer, "packets-recovered", G_TYPE_UINT64, merge.recovered, NULL);
}
