/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspportprivate.h: shared by faspport.c and its test, which has a clock of its own.
 */
#pragma once

#include "faspport.h"
#include "faspreceivers.h"

G_BEGIN_DECLS

typedef struct
{
  const FaspPortFunctions *functions;   /* NULL: it has not begun, or has ended */
  gpointer data;
  gsize wanted;                 /* bytes of buffer */
} FaspPortMember;

struct _FaspPort
{
  /* what never changes once somebody has begun */
  gchar *address, *interface;   /* "": any */
  guint16 number;
  gint tos, ttl;
  FaspLinks *links;
  FaspGate gate;                /* but by who receives a handshake, under `lock' */
  FaspTime (*get_time) (void);  /* g_get_monotonic_time() */

  guint users;                  /* under the lock of all ports */
  FaspReceivers *receivers;     /* the same; NULL: the only member receives */

  GMutex lock;                  /* of all below */
  FaspRoutes *routes;
  FaspPortMember members[FASP_ROUTES_MAX];
  FaspTime reports_from;        /* nothing is told before */
  gboolean has_receivers;
  gsize buffer;                 /* that the kernel has granted */
};

G_END_DECLS
