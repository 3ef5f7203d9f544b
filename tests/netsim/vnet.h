/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vnet.h: endpoints of the core on a network in virtual time.
 *
 * There are a few nodes, and a wire for each pair and direction. Time is a number that
 * jumps from event to event. All chance comes from one seed, so a run is the same every
 * time.
 */
#pragma once

#include "faspendpoint.h"
#include "impair.h"

G_BEGIN_DECLS

typedef struct _Vnet Vnet;

/* Copies @size bytes to memory of its own, at @data, in which blocks may stay. */
FaspMemory *vnet_memory_new (const guint8 *bytes, gsize size, const guint8 **data);

#define VNET_NODES 8
#define VNET_LINKS 64 /* sockets of a node, at consecutive ports */

typedef enum
{
  VNET_A,
  VNET_B,
  VNET_C,
  VNET_D,
  VNET_E,
  VNET_F,
  VNET_G,
  VNET_H,
} VnetSide;

/* Changes one of the settings of an endpoint that runs. */
#define vnet_configure(endpoint, now, field, value) \
  G_STMT_START \
  { \
    FaspEndpointSettings changed = *fasp_endpoint_get_settings (endpoint); \
    changed.field = (value); \
    fasp_endpoint_configure ((endpoint), (now), &changed); \
  } \
  G_STMT_END

Vnet *vnet_new (guint32 seed);
void vnet_free (Vnet *net);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Vnet, vnet_free)
/* For fasp_endpoint_new (). */
void vnet_random (gpointer net, guint8 *data, gsize size);
/* The wire between the first links of two nodes, in one direction. May be changed while
 * running. */
ImpairConfig *vnet_get_wire (Vnet *net, VnetSide from, VnetSide to);
/* The wire of another link. */
ImpairConfig *vnet_get_link_wire (Vnet *net, VnetSide from, VnetSide to, guint link);
/* Sets the paths from A to B and back, on every link. Each direction takes half of
 * @rtt, and has its own share of losses in bursts of its own mean length. */
void vnet_set_path (Vnet *net, FaspTime rtt, const gdouble loss[2], const gdouble burst[2],
    guint64 rate);
const ImpairCounters *vnet_get_counters (Vnet *net, VnetSide from, VnetSide to);
const ImpairCounters *vnet_get_link_counters (Vnet *net, VnetSide from, VnetSide to, guint link);
/* A datagram of @bytes, IP header included, leaves a node.  It reaches its wire when, and if,
 * vnet_release() is called.  @ecn: its ECN field. */
typedef void (*VnetOutlet) (gpointer data, gpointer packet, gsize bytes, guint8 ecn);
/* What goes to @link of @to passes @outlet first. */
void vnet_set_outlet (Vnet *net, VnetSide from, VnetSide to, guint link, VnetOutlet outlet,
    gpointer data);
/* The packet goes on at @now, or is dropped. */
void vnet_release (Vnet *net, gpointer packet, gboolean dropped, gboolean marked, FaspTime now);
/* NAT rebinding: from now on @from appears with this port. */
void vnet_rebind (Vnet *net, VnetSide from, guint16 port);

/* The address of a node, as its own stack knows it. */
FaspAddress vnet_get_address (VnetSide side);
/* Does not own the endpoint. NULL: there is none, and datagrams vanish. */
void vnet_attach (Vnet *net, VnetSide side, FaspEndpoint *endpoint);
/* Makes an endpoint and attaches it. The caller frees it. */
FaspEndpoint *vnet_add_endpoint (Vnet *net, VnetSide side, const FaspEndpointConfig *config);

FaspTime vnet_get_time (Vnet *net);
/* The host of @side does something else until then: its endpoint gets and sends nothing. */
void vnet_pause (Vnet *net, VnetSide side, FaspTime until);
/* Lets endpoints send and deliver until nothing more happens before @until, which is
 * the time then. */
void vnet_run (Vnet *net, FaspTime until);
/* For @time from now. */
void vnet_run_for (Vnet *net, FaspTime time);
/* The time of the next event. */
FaspTime vnet_get_next (Vnet *net);

/* Called for each datagram that is delivered, before the endpoint sees it. May change
 * it. */
typedef void (*VnetTap) (gpointer user_data, VnetSide from, FaspTime now, guint8 *data, gsize size);
void vnet_set_tap (Vnet *net, VnetTap tap, gpointer user_data);
/* Puts a forged datagram on the wire towards @to. */
void vnet_inject (Vnet *net, VnetSide to, const FaspAddress *from, const guint8 *data, gsize size);

G_END_DECLS
