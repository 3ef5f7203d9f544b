/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relay.h: a relay, which receives streams and offers each to many receivers, as its configuration
 * file says; and may be changed while it runs, by signals and by its API.
 */
#pragma once

#include "relayconfig.h"

G_BEGIN_DECLS

/* Exit status. */
enum
{
  RELAY_ENDED,
  RELAY_FAILED,
  RELAY_FAULTY, /* the configuration, or the command line */
};

/* Runs until a signal ends it.  @path: of the configuration. */
int relay_run (const gchar *path);

/* Logs the warnings about a configuration that is valid. */
void relay_tell_warnings (const RelayConfig *config);

G_END_DECLS
