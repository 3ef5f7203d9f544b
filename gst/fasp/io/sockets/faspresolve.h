/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspresolve.h: finds the peer's address without making its caller wait.
 *
 * A thread of its own resolves the name. It tries again every second while that fails.
 * While no peer answers, it offers the name's addresses in turn. When the peer at one of
 * them is not heard any more, it resolves the name anew.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _FaspResolve FaspResolve;

/* An address was found. FALSE: it cannot be used. */
typedef gboolean (*FaspResolveFound) (GSocketAddress *address, gpointer user_data);
/* Is no other address wanted, as the peer is connected or given up? */
typedef gboolean (*FaspResolveSettled) (gpointer user_data);

/* If @host is a literal address, calls @found within this call. NULL: there is no thread to resolve
 * a name; see *error. */
FaspResolve *fasp_resolve_new (const gchar *host, guint16 port, FaspResolveFound found,
    FaspResolveSettled is_settled, gpointer user_data,
    void (*failed) (const gchar *host, const GError *error, gpointer user_data),
    gpointer failed_data, GError **error);
/* Cancels a lookup that is under way. Does not wait for a name server. */
void fasp_resolve_free (FaspResolve *resolve);
/* Looks the name up again: the silent peer may have moved. */
void fasp_resolve_again (FaspResolve *resolve);

G_END_DECLS
