/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vcases.h: cases of a test that are alike: one for each row of a table, or for each seed.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A case for each of @n rows of @size bytes. The first member of a row is its name; the case is
 * @path/name, and gets the row. */
static inline void
vcases_add (const gchar *path, gconstpointer rows, gsize size, guint n, GTestDataFunc test)
{
  for (guint i = 0; i < n; i++) {
    const gchar *const *row = (gconstpointer) ((const guint8 *) rows + i * size);
    g_autofree gchar *name = g_strconcat (path, "/", *row, NULL);

    g_test_add_data_func (name, row, test);
  }
}

/* A case for each of @texts, up to NULL: @path/text, which gets the text. */
static inline void
vcases_add_texts (const gchar *path, const gchar *const *texts, GTestDataFunc test)
{
  for (; *texts != NULL; texts++) {
    g_autofree gchar *name = g_strconcat (path, "/", *texts, NULL);

    g_test_add_data_func (name, *texts, test);
  }
}

/* A case for each seed from 1 to @n, which it gets. */
static inline void
vcases_add_seeds (const gchar *path, guint n, GTestDataFunc test)
{
  for (guint seed = 1; seed <= n; seed++) {
    g_autofree gchar *name = g_strdup_printf ("%s/%u", path, seed);

    g_test_add_data_func (name, GUINT_TO_POINTER (seed), test);
  }
}

G_END_DECLS
