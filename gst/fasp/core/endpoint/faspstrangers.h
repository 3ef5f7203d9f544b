/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstrangers.h: what a user has mistaken, as far as the port shows it: another protocol comes to
 * it, or no caller does, as the other end listens, too.
 *
 * Each kind is reported once: any host can reach a port, and one report is enough for the user.
 * What comes after that is counted.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* How long a listener waits before it says that it was not called.  A caller says after 2 s that it
 * is not answered (faspdial.c); an end that is started by hand may be some seconds later. */
#define FASP_UNCALLED_AFTER (10 * FASP_SEC)
/* RTP's numbers may advance by so many between two datagrams, as some of them are lost. */
#define FASP_STRANGERS_RTP_STEP 16

/* A datagram that is of no session came.  TRUE: it is of another protocol, and is dealt with. */
gboolean fasp_strangers_look (FaspEndpoint *endpoint, const FaspAddress *from, const guint8 *data,
    gsize size);
void fasp_strangers_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_strangers_get_time (FaspEndpoint *endpoint);

G_END_DECLS
