/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vhost.h: a host that has other things to do, such as a build.
 *
 * It does these for some ms, and then, for as long as its load allows, what is measured.  The load
 * changes every few seconds, between half of the highest and the highest.  Times are µs.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* All 0: it has nothing else to do. */
typedef struct
{
  GRand *rand;  /* NULL: it has nothing else to do */
  gdouble most; /* the highest load: the share of the time that the other things take */
  gdouble load;
  gint64 load_end; /* until then */
  gint64 next;     /* when it turns to the other things, or back */
  gboolean busy;   /* with the other things */
} Vhost;

/* @most: the highest load, 0 to less than 1. */
void vhost_init (Vhost *host, guint32 seed, gdouble most);
void vhost_clear (Vhost *host);
/* When it turns next, to the other things or back; G_MAXINT64: never. */
gint64 vhost_get_next (const Vhost *host);
void vhost_run (Vhost *host, gint64 now);

G_END_DECLS
