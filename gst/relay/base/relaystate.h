/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystate.h: the state of a stream, or of one of its ends.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  RELAY_IDLE, /* stopped, or waits to start again */
  RELAY_STARTING,
  RELAY_RUNNING,
  RELAY_STOPPING,
} RelayState;

/* Returns its name in the status: `waiting', `starting' ... */
const gchar *relay_state_get_name (RelayState state);

G_END_DECLS
