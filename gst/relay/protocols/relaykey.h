/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaykey.h: a key of a URI or of the configuration: its values, default and meaning.
 *
 * The check of its value, the list in an error, fasp-relay --help, the API's description and the
 * tables in docs/relay.md and docs/gateway.md are made from these rows, or compared with them
 * (tests/style/relaykeys).
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A sentence that says what is wrong, and what to write. */
#define RELAY_BAD(error, ...) \
  g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE, __VA_ARGS__)

/* The ends of a protocol that have a key. 0: a key of the configuration. */
#define RELAY_KEY_INPUT 1
#define RELAY_KEY_OUTPUT 2
#define RELAY_KEY_BOTH (RELAY_KEY_INPUT | RELAY_KEY_OUTPUT)

typedef struct
{
  const gchar *name; /* NULL: behind the last row */
  guint ends;
  const gchar *words;  /* possible values, separated by spaces; NULL: a number or a text */
  guint64 least, most; /* of a number; 0, 0: it is a text */
  const gchar *normal; /* the default, in words */
  const gchar *meaning;
} RelayKey;

/* Returns the row of a key that one of @ends has; NULL: there is none.  @keys: ended by a row
 * without a name. */
const RelayKey *relay_key_find (const RelayKey *keys, const gchar *name, guint ends);
/* Returns the names of the keys that one of @ends has. */
gchar *relay_key_list (const RelayKey *keys, guint ends);
/* Is @value valid for @key? @error: GST_URI_ERROR, with a sentence. */
gboolean relay_key_check (const RelayKey *key, const gchar *value, GError **error);
/* Writes what the keys mean into a --help of 80 columns. */
void relay_key_explain (const RelayKey *keys, GString *text);

G_END_DECLS
