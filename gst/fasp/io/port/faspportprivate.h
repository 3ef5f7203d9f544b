/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspportprivate.h: what faspport.c shares with its test, which has a clock of its
 * own.
 */
#pragma once

#include "faspport.h"
#include "faspreceivers.h"

G_BEGIN_DECLS

typedef struct
{
  const FaspPortFunctions *functions; /* NULL: it has not begun, or has ended */
  gpointer data;
  gsize wanted; /* bytes of buffer that the member asked for */
} FaspPortMember;

struct _FaspPort
{
  /* the following never change once a member has begun */
  gchar *address, *interface; /* "": any */
  guint16 number;
  gint tos, ttl;
  FaspSockets *sockets;
  FaspLimiter limiter;         /* changed on receipt of a handshake, under `lock'; its
                                  atomic members at any time */
  FaspTime (*get_time) (void); /* g_get_monotonic_time() */

  guint users;              /* number of members; under ports_lock */
  FaspReceivers *receivers; /* under ports_lock; NULL: one member, which receives itself */

  GMutex lock; /* guards all below */
  FaspRoutes *routes;
  FaspPortMember members[FASP_ROUTES_MAX];
  FaspTime reports_from; /* reports of unreachable addresses are dropped until then */
  gboolean has_receivers;
  gsize buffer; /* bytes that the kernel has granted */
};

G_END_DECLS
