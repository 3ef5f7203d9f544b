/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbroffload.h: lets the kernel cut large buffers into datagrams.
 *
 * With the socket option UDP_SEGMENT (Linux 4.18, "generic segmentation
 * offload") a datagram socket sends one large buffer as many datagrams of a
 * fixed size, the last one shorter, at a sixth of the CPU.
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* The most that one buffer may hold, for UDP_MAX_SEGMENTS of Linux, and for an IP packet. */
#define CBR_OFFLOAD_DATAGRAMS 64
#define CBR_OFFLOAD_BYTES 65000

typedef struct
{
  GSocket *sockets[2]; /* IPv4 and IPv6 */
  guint payload;       /* bytes of the datagrams that they cut; 0: they do not cut */
} CbrOffload;

/* Looks for the sockets of a udpsink or multiudpsink behind @pad and lets the kernel cut their
 * buffers into datagrams of @payload bytes.  Returns NULL, or why that is not possible (g_free). */
gchar *cbr_offload_start (CbrOffload *offload, GstPad *pad, guint payload);
/* Has the sink closed its socket? A new socket would send large buffers uncut. */
gboolean cbr_offload_has_gone (const CbrOffload *offload);
/* Makes the sockets send buffers uncut again. */
void cbr_offload_stop (CbrOffload *offload);

G_END_DECLS
