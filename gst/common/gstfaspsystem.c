/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include "gstfaspsystem.h"

gint
gst_fasp_system_sharpen_timers (void)
{
  gint slack = prctl (PR_GET_TIMERSLACK, 0, 0, 0, 0);

  prctl (PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
  return slack;
}

void
gst_fasp_system_restore_timers (gint slack)
{
  if (slack > 0)
    prctl (PR_SET_TIMERSLACK, (gulong) slack, 0, 0, 0);
}

gboolean
gst_fasp_system_cut_datagrams (GSocket *socket, gint size)
{
  return setsockopt (g_socket_get_fd (socket), IPPROTO_UDP, UDP_SEGMENT, &size, sizeof size) == 0;
}

void
gst_fasp_system_ask_clock (gint *tai, gint64 *error)
{
  struct timex timex = { 0 };
  gint state = adjtimex (&timex);

  *tai = state >= 0 ? timex.tai : 0;
  *error = state < 0 || state == TIME_ERROR || (timex.status & STA_UNSYNC) != 0 ?
      -1 :
      MAX (timex.maxerror, 0);
}
