/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspinterface.h: keeps a socket at the interface of a name.
 *
 * The kernel binds to the interface that has the name at that time, and goes on so when it is
 * gone.  A modem that is plugged in again, a tunnel or a PPP link that is made anew, is
 * another one to it: the socket would never send or receive again.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* FALSE and errno: why not. */
gboolean fasp_interface_bind (gint fd, const gchar * name);
/* Until that is there to be followed nothing leaves by another. */
gboolean fasp_interface_await (gint fd);
/* To one that is there, whatever it is called by now, and not only until @name comes? */
gboolean fasp_interface_is_bound (gint fd, const gchar * name);
/* To be called now and then: binds it again, if what it is bound to is gone and there is
 * another one of that name. */
void fasp_interface_follow (gint fd, const gchar * name);

G_END_DECLS
