/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspinterface.h: keeps a socket bound to the interface with a given name.
 *
 * The kernel binds to the interface that has the name at that time, and stays bound to
 * it when it is gone. A modem that is plugged in again, a tunnel or a PPP link that is
 * set up again, is another interface to the kernel: the socket would never send or
 * receive again.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Binds the socket to the interface @name. FALSE: errno says why. */
gboolean fasp_interface_bind (gint fd, const gchar *name);
/* The interface does not exist yet: binds the socket to one from which nothing leaves the machine.
 */
gboolean fasp_interface_await (gint fd);
/* Is the socket bound to an interface, rather than to the loopback interface while it waits for
 * @name? */
gboolean fasp_interface_is_bound (gint fd, const gchar *name);
/* Unbinds the socket and binds it to the same address again, and to the interface @name; NULL: to
 * none.  @keeps_port: to the same port, too, unless another socket has got it meanwhile; else the
 * kernel chooses another one.  A port that the settings name stays in any case. */
void fasp_interface_bind_anew (gint fd, const gchar *name, gboolean keeps_port);
/* To be called regularly. Binds the socket again if its interface is gone and there is another one
 * with that name. */
void fasp_interface_follow (gint fd, const gchar *name);

G_END_DECLS
