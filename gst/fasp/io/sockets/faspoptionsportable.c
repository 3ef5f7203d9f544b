/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspoptionsportable.c: what systems have in common of the options that differ.
 */
#include <errno.h>
#include "faspoptions.h"

/* The option that sets DF, by system, and its value; without one, routers may cut datagrams. */
#if defined(IP_DONTFRAGMENT) /* Windows */
#define WHOLE4 IP_DONTFRAGMENT
#define WHOLE6 IPV6_DONTFRAG
#define WHOLE 1
#elif defined(IP_DONTFRAG) /* macOS, FreeBSD */
#define WHOLE4 IP_DONTFRAG
#define WHOLE6 IPV6_DONTFRAG
#define WHOLE 1
#elif defined(IP_MTU_DISCOVER) /* Linux */
#define WHOLE4 IP_MTU_DISCOVER
#define WHOLE6 IPV6_MTU_DISCOVER
#define WHOLE IP_PMTUDISC_PROBE
#endif
/* Linux alone grants twice what was asked for, for its own bookkeeping. */
#ifdef __linux__
#define COUNTED 2
#else
#define COUNTED 1
#endif

void
fasp_options_keep_whole (gint fd, gboolean six)
{
#ifdef WHOLE
  fasp_net_set_int (fd, IPPROTO_IP, WHOLE4, WHOLE);
  if (six)
    fasp_net_set_int (fd, IPPROTO_IPV6, WHOLE6, WHOLE);
#endif
}

void
fasp_options_want_reports (gint fd, gboolean six)
{
}

gboolean
fasp_options_read_report (gint fd, struct sockaddr_storage *to)
{
  return FALSE;
}

gboolean
fasp_options_bind_early (gint fd)
{
  errno = EADDRNOTAVAIL;
  return FALSE;
}

void
fasp_options_set_buffer (gint fd, gint name, gint size)
{
  fasp_net_set_int (fd, SOL_SOCKET, name, size);
}

gsize
fasp_options_get_buffer (gint fd)
{
  gint granted;

  return fasp_net_get_int (fd, SOL_SOCKET, SO_RCVBUF, &granted) ? granted / COUNTED : 0;
}

void
fasp_options_hear_own_groups (gint fd)
{
}
