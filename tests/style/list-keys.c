/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the keys of the relay, one a line: whose (relay, stream, user, token, or a scheme), the
 * ends that have it (1: inputs, 2: outputs, 3: both), its type in JSON, name, default, meaning;
 * with tabs between.
 */
#include <stdio.h>
#include "relayconfigkeys.h"
#include "relayprotocol.h"

static void
list (const gchar *whose, const RelayKey *key)
{
  for (; key->name != NULL; key++) {
    gboolean truth = g_strcmp0 (key->words, "true false") == 0;

    printf ("%s\t%u\t%s\t%s\t%s\t%s\n", whose, key->ends,
        truth             ? "boolean" :
            key->most > 0 ? "integer" :
                            "string",
        key->name, key->normal, key->meaning);
  }
}

int
main (void)
{
  list ("relay", relay_section_keys);
  list ("stream", relay_stream_keys);
  list ("user", relay_user_keys);
  list ("token", relay_token_keys);
  list ("hook", relay_hook_keys);
  for (guint i = 0; relay_protocols[i] != NULL; i++)
    list (relay_protocols[i]->scheme, relay_protocols[i]->keys);
  return 0;
}
