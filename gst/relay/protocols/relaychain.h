/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaychain.h: GStreamer's own elements for an end, in the order of the flow.
 */
#pragma once

#include <gst/gst.h>
#include "relayprotocoluri.h"

G_BEGIN_DECLS

/* The media that an end gives or takes. */
#define RELAY_MEDIA "video/mpegts, systemstream=true"
#define RELAY_WHOLE_PACKETS RELAY_MEDIA ", packetsize=188"

/* Debian's names of the packages with the elements. */
#define RELAY_CORE "libgstreamer1.0-0"
#define RELAY_PLUGINS_BASE "gstreamer1.0-plugins-base"
#define RELAY_PLUGINS_GOOD "gstreamer1.0-plugins-good"
#define RELAY_PLUGINS_BAD "gstreamer1.0-plugins-bad"
#define RELAY_PLUGINS_FASP "gstreamer1.0-fasp"

#define RELAY_CHAIN_MAX 5

typedef struct
{
  GstElement *elements[RELAY_CHAIN_MAX];
  guint n;
  GError *error;   /* an element or a file is missing; no others are made then */
  gboolean checks; /* it is only asked whether something is missing */
} RelayChain;

/* Adds an element. NULL: it is missing, or an earlier one was. */
GstElement *relay_chain_add (RelayChain *chain, const gchar *factory, const gchar *package);
/* Makes an element that is not added: a floating reference. NULL: as above. */
GstElement *relay_chain_make_part (RelayChain *chain, const gchar *factory, const gchar *package);
/* Adds an element that is made already, and returns it.  @element: NULL: does nothing. */
GstElement *relay_chain_add_made (RelayChain *chain, GstElement *element);
/* Checks whether there is such an element, without making one. */
void relay_chain_need (RelayChain *chain, const gchar *factory, const gchar *package);
/* Adds the RTP payloader for whole packets of MPEG-TS.  NULL: an earlier element is missing. */
GstElement *relay_chain_add_payloader (RelayChain *chain);
/* Sets a property to the value of a key of the URI, if it has that. */
void relay_chain_set (GstElement *element, const gchar *property,
    const RelayProtocolUri *protocol_uri, const gchar *key);
/* Sets up a sink that takes each buffer at once, and keeps none. */
void relay_chain_set_unsynchronized (GstElement *sink);
/* Adds the appsink of an output that writes below the folder of @path, which has to be there. */
GstElement *relay_chain_add_writer (RelayChain *chain, const gchar *path);
/* Handles media that an output writes. @error: a sentence; it ends the output. */
typedef gboolean (*RelayWriteFunc) (GstElement *sink, const guint8 *data, gsize size,
    gpointer writer, GError **error);
/* Passes on the next buffer of an appsink. */
GstFlowReturn relay_chain_write (GstElement *sink, RelayWriteFunc func, gpointer writer);
/* Sets up an appsrc that stamps buffers on arrival, and takes any number of them. */
void relay_chain_set_live (GstElement *source);
/* Returns the element of that name in @element, or itself if it is no bin. */
GstElement *relay_chain_get_part (GstElement *element, const gchar *name);
/* Returns the name of a leg's element.  @part: that of the first leg's. */
gchar *relay_chain_name (const RelayProtocolUri *leg, const gchar *part);
/* Returns the @i-th part of @end that receives the datagrams of this leg; NULL: there are no more.
 */
GstElement *relay_chain_get_receiver (const RelayProtocolUri *leg, GstElement *end, guint i);
/* Makes an appsrc of media with these caps; NULL: an appsink.  A floating reference. */
GstElement *relay_chain_make_app (const gchar *caps, GError **error);

/* Makes the elements of an end, linked, as one with a pad: a floating reference.  Media goes in or
 * comes out: into an output, in whole packets, seven a buffer.  @end: the element that the
 * protocol's make() returned; NULL: only @error is wanted.  One that is timed waits for the time of
 * each buffer.  @error: a sentence that says what to install, if an element is missing. */
GstElement *relay_chain_make (const RelayProtocolUri *protocol_uri, GstElement **end,
    GError **error);

G_END_DECLS
