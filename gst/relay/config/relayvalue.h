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

/* The contents of files, by their path. */
typedef struct
{
  GHashTable *known;   /* those of another configuration, of which no file is read; NULL: none */
  GHashTable *found;   /* those of this one */
  GPtrArray *warnings; /* sentences on files that were read */
} RelaySecrets;

/* Puts section and key before @error's sentence.  Returns FALSE. */
gboolean relay_value_locate (GError **error, const gchar *group, const gchar *key);

/* Leaves *value as it is if the key is not there. */
gboolean relay_value_boolean (GKeyFile *file, const gchar *group, const gchar *key, gboolean *value,
    GError **error);
/* The same, for a whole number. */
gboolean relay_value_number (GKeyFile *file, const gchar *group, const RelayKey *key, guint *value,
    GError **error);
/* Returns NULL without an error if the key is not there. */
gchar *relay_value_string (GKeyFile *file, const gchar *group, const gchar *key, GError **error);
/* Takes the secret of the file that the key names: one line, without the space around it. @what: a
 * word for it. */
gboolean relay_value_secret (GKeyFile *file, const gchar *group, const gchar *key,
    const gchar *what, const RelaySecrets *secrets, gchar **secret, GError **error);

/* Tells of a file that others can read or change, once, whatever names it. */
void relay_value_look_at (GPtrArray *warnings, const gchar *path, const struct stat *what,
    GstFaspFileKind kind);
/* Frees it, and leaves nothing of it in memory.  @secret: or NULL. */
void relay_value_wipe (gchar *secret);

G_END_DECLS
