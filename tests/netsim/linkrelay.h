/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * linkrelay.h: the link as a UDP relay, for those without root.
 *
 * A client (side A) sends to the relay instead of to the server (side B);
 * the relay has a socket of its own to the server for each client.
 */
#pragma once

#include "linkoptions.h"

G_BEGIN_DECLS

/* Runs until SIGINT or SIGTERM, or the time in the options. */
gboolean link_relay_run (LinkOptions * options, GError ** error);

G_END_DECLS
