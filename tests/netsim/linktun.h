/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * linktun.h: a command between two network namespaces joined over TUN.
 */
#pragma once

#include "linkoptions.h"

G_BEGIN_DECLS

/* Runs @argv, returns its exit status in *status (128 + signal when one
 * killed it).  Nothing outlives the call or a killed caller: the namespaces
 * have no names, and the command is the child of the first process of a PID
 * namespace that dies with us. */
gboolean link_tun_run (LinkOptions * options, gchar ** argv, gint * status,
    GError ** error);

G_END_DECLS
