/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many seeds a test has that draws by chance.
 */
#pragma once

#include <glib.h>
#include <stdlib.h>

/* FASP_SEEDS of the environment, at least 1; without it @usual. */
static inline guint
count_seeds (guint usual)
{
  const gchar *set = g_getenv ("FASP_SEEDS");

  return set != NULL ? (guint) MAX (1, atoi (set)) : usual;
}
