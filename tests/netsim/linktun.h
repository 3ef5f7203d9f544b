/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * linktun.h: runs a command between two network namespaces that are joined over TUN.
 */
#pragma once

#include "linkoptions.h"

G_BEGIN_DECLS

/* Runs @argv. Its exit status goes to *status (128 + signal if one killed it). Nothing
 * outlives the call or a killed caller: the namespaces have no names, and the command
 * is the child of the first process of a PID namespace, which dies with us. */
gboolean link_tun_run (LinkOptions *options, gchar **argv, gint *status, GError **error);

G_END_DECLS
