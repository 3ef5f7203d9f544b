/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * linkrelay.h: the link as a UDP relay, which needs no root.
 *
 * A client (side A) sends to the relay instead of to the server (side B). For each
 * client, the relay has a socket of its own to the server.
 */
#pragma once

#include "linkoptions.h"

G_BEGIN_DECLS

/* Runs until SIGINT or SIGTERM, or for the time in the options. */
gboolean link_relay_run (LinkOptions *options, GError **error);

G_END_DECLS
