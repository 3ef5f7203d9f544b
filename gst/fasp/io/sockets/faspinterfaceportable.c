/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspinterfaceportable.c: sockets are not bound to interfaces. The address that a socket is bound
 * to says which one it sends from.
 */
#include <errno.h>
#include "faspinterface.h"

gboolean
fasp_interface_bind (gint fd, const gchar *name)
{
  errno = ENOTSUP;
  return FALSE;
}

gboolean
fasp_interface_await (gint fd)
{
  return FALSE;
}

gboolean
fasp_interface_is_bound (gint fd, const gchar *name)
{
  return TRUE;
}

void
fasp_interface_bind_anew (gint fd, const gchar *name, gboolean keeps_port)
{
}

void
fasp_interface_follow (gint fd, const gchar *name)
{
}
