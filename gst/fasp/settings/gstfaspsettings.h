/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspsettings.h: the properties of both elements.
 *
 * One table serves both.  Every writable property is also a key of the URI
 * (gstfaspuri.h), unless it is LOCAL.  The element's object lock guards them.
 */
#pragma once

#include <gst/gst.h>
#include "faspsources.h"
#include "gstfaspenums.h"
#include "gstfaspkeys.h"

G_BEGIN_DECLS

/* A flag of a property that names a file of this machine.  A URI may come from a web page, a
 * playlist or a chat, so no key of a URI can make this machine read, create or change a file: only
 * the property can. */
#define GST_FASP_PARAM_LOCAL GST_PARAM_USER_SHIFT

typedef enum
{
  GST_FASP_PROP_URI = 1,
  GST_FASP_PROP_MODE,
  GST_FASP_PROP_LOCALADDRESS,
  GST_FASP_PROP_LOCALPORT,
  GST_FASP_PROP_LATENCY,
  GST_FASP_PROP_STREAMID,
  GST_FASP_PROP_PASSPHRASE,
  GST_FASP_PROP_KEY_FILE,
  GST_FASP_PROP_PUBLIC_KEY,
  GST_FASP_PROP_ALLOWED_KEYS,
  GST_FASP_PROP_ENCRYPTION,
  GST_FASP_PROP_AUTHENTICATION,
  GST_FASP_PROP_AUTO_RECONNECT,
  GST_FASP_PROP_RESUME_TIMEOUT,
  GST_FASP_PROP_BUFFER_SIZE,
  GST_FASP_PROP_TOS,
  GST_FASP_PROP_TTL,
  GST_FASP_PROP_INTERFACE,
  GST_FASP_PROP_FLOWLETS,
  GST_FASP_PROP_THREADS,
  GST_FASP_PROP_BONDING_ADDRESSES,
  GST_FASP_PROP_FEC,
  GST_FASP_PROP_RECORD,
  GST_FASP_PROP_LOG,
  GST_FASP_PROP_STATS,
  GST_FASP_PROP_STATS_INTERVAL,
  GST_FASP_PROP_JOIN_AT,
  GST_FASP_PROP_JOIN_BACK,
  /* sink */
  GST_FASP_PROP_MAX_BITRATE,
  GST_FASP_PROP_MAX_TOTAL_BITRATE,
  GST_FASP_PROP_MIN_BITRATE,
  GST_FASP_PROP_MAX_ENCODER_BITRATE,
  GST_FASP_PROP_RATE_CONTROL,
  GST_FASP_PROP_AVAILABLE_BITRATE,
  GST_FASP_PROP_SLOW_POLICY,
  GST_FASP_PROP_GLITCH_INTERVAL,
  GST_FASP_PROP_WAIT_FOR_CONNECTION,
  GST_FASP_PROP_FLOW_ASSIGNMENT,
  GST_FASP_PROP_REX,
  GST_FASP_PROP_HISTORY,
  GST_FASP_PROP_MAX_RECEIVERS,
  GST_FASP_PROP_MAX_RECEIVERS_PER_NETWORK,
  GST_FASP_PROP_SEND_REFERENCE_TIMESTAMPS,
  /* source */
  GST_FASP_PROP_KEEP_LISTENING,
  GST_FASP_PROP_TOO_LATE,
  GST_FASP_PROP_CAPS,
  GST_FASP_PROP_PROVIDE_CLOCK,
  GST_FASP_PROP_FALLBACK_ADDRESSES,
  GST_FASP_PROP_REQUIRE_COMPLETE,
  GST_FASP_PROP_REDUNDANCY,
  GST_FASP_PROP_WAIT_TO_RESTORE,
  GST_FASP_PROP_MONITOR_TS,
  GST_FASP_PROP_PRESENTATION_DELAY,
  /* gstfaspmulticast.h */
  GST_FASP_PROP_MULTICAST_IFACE,
  GST_FASP_PROP_MULTICAST_SOURCE,
  GST_FASP_PROP_MULTICAST_LOOP,
  GST_FASP_PROP_TTL_MC,
} GstFaspProp;

typedef struct
{
  gchar *interface, *source;
  gboolean loop;
  gint ttl;
} GstFaspMulticast;

/* Settings of a sink only. */
typedef struct
{
  guint64 max_bitrate, max_total_bitrate, min_bitrate, max_encoder_bitrate;
  GstFaspRateControl rate_control;
  FaspSlowPolicy slow_policy;
  GstClockTime glitch_interval;
  gboolean wait_for_connection;
  FaspAssignment flow_assignment;
  gboolean rtx;
  GstClockTime history;
  guint max_receivers, max_receivers_per_network; /* 0: no limit */
  gboolean send_reference_timestamps;
} GstFaspSending;

/* Settings of a source only. */
typedef struct
{
  gboolean keep_listening;
  GstFaspTooLate too_late;
  GstCaps *caps;
  gboolean provide_clock;
  gboolean require_complete;
  gchar *fallback_addresses;
  FaspRedundancy redundancy;
  guint wait_to_restore; /* how long the preferred source must have been good before it leads again,
                            ms; 0: it leads only when asked */
  gboolean monitor_ts;
  guint presentation_delay; /* ms; 0: none */
} GstFaspReceiving;

typedef struct
{
  FaspRole role;   /* role of the element */
  GError *bad_uri; /* why the URI is not valid; NULL: it is valid */
  gchar *host;     /* the peer, from the URI; NULL: none */
  guint16 port;
  GstFaspMode mode;
  gchar *localaddress;
  guint localport;
  gboolean localport_set;
  gchar *interface;
  gint tos;
  gint ttl;
  gchar *bonding_addresses;
  guint flowlets;
  guint threads; /* 0: auto */
  gchar *streamid;
  GstFaspKeys keys;
  gboolean auto_reconnect;
  GstClockTime resume_timeout;
  guint64 buffer_size;
  gint latency; /* ms; -1: auto */
  gboolean latency_set;
  gchar *fec; /* NULL: the default, which depends on the role */
  FaspJoin join_at;
  GstClockTime join_back;
  gchar *record, *log;
  guint stats_interval; /* ms */
  GstFaspMulticast multicast;
  GstFaspSending sending;
  GstFaspReceiving receiving;
} GstFaspSettings;

void gst_fasp_settings_install (GObjectClass *klass, FaspRole role);
void gst_fasp_settings_init (GstFaspSettings *settings, FaspRole role);
void gst_fasp_settings_clear (GstFaspSettings *settings);

/* Set and get all properties but uri and stats. Call these with the object lock held. */
void gst_fasp_settings_set (GstFaspSettings *settings, GstFaspProp prop, const GValue *value);
void gst_fasp_settings_get (const GstFaspSettings *settings, GstFaspProp prop, GValue *value);

/* The URI is not valid, as @error says; takes @error. */
void gst_fasp_settings_set_bad_uri (GstFaspSettings *settings, GError *error);

/* gstfaspsettingsio.c */
/* Fills in the core's settings that can be changed while an element runs. */
void gst_fasp_settings_to_endpoint (const GstFaspSettings *settings,
    FaspEndpointSettings *endpoint);
typedef struct _GstFaspSockets GstFaspSockets;

/* Checks and translates everything but the keys. @settings still owns the strings.
 * *sockets: the sockets; free them, but not before @io. */
gboolean gst_fasp_settings_to_io (const GstFaspSettings *settings, FaspIoSettings *io,
    GstFaspSockets **sockets, GError **error);

G_END_DECLS
