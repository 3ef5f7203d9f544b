/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayvalue.h: values of the relay's configuration, each read from its key, with a sentence if it
 * is none.
 */
#pragma once

#include <gio/gio.h>
#include "gstfaspfile.h"
#include "relaykey.h"

G_BEGIN_DECLS

#define RELAY_SECRET_MIN 10 /* characters */

/* The contents of files, by their path. */
typedef struct
{
  GHashTable *known;   /* contents of another configuration's files, which are not read again; NULL:
                          none */
  GHashTable *found;   /* contents of the files of this configuration */
  GPtrArray *warnings; /* sentences on what was read */
} RelaySecrets;

/* Puts section and key before @error's sentence.  Returns FALSE. */
gboolean relay_value_locate (GError **error, const gchar *group, const gchar *key);

/* Does not change *value if the key is missing. */
gboolean relay_value_boolean (GKeyFile *file, const gchar *group, const gchar *key, gboolean *value,
    GError **error);
/* The same, for a whole number. */
gboolean relay_value_number (GKeyFile *file, const gchar *group, const RelayKey *key, guint *value,
    GError **error);
/* The same, for text. */
gboolean relay_value_string (GKeyFile *file, const gchar *group, const gchar *key, gchar **value,
    GError **error);
/* The same, for a list of texts, without the space around each; it may be empty. */
gboolean relay_value_list (GKeyFile *file, const gchar *group, const gchar *key, gchar ***list,
    GError **error);
/* The same, for the key "streams", whose list is not empty. */
gboolean relay_value_streams (GKeyFile *file, const gchar *group, gchar ***streams, GError **error);
/* Reads a list of addresses (relayallowed.h). Does not change *allowed if the key is missing. */
gboolean relay_value_allowed (GKeyFile *file, const gchar *group, const gchar *key,
    GPtrArray **allowed, GError **error);
/* Reads a secret from the file that the key names: one line, without the space around it. @what: a
 * word for the secret. */
gboolean relay_value_secret (GKeyFile *file, const gchar *group, const gchar *key,
    const gchar *what, const RelaySecrets *secrets, gchar **secret, GError **error);

/* Adds a warning if other users can read or change the file, once for each file. */
void relay_value_look_at (GPtrArray *warnings, const gchar *path, const struct stat *what,
    GstFaspFileKind kind);
/* Overwrites and frees @secret; NULL: does nothing. */
void relay_value_wipe (gchar *secret);

G_END_DECLS
