/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaystate.h"

const gchar *
relay_state_get_name (RelayState state)
{
  static const gchar *const names[] = { "waiting", "starting", "running", "stopping" };

  return names[state];
}
