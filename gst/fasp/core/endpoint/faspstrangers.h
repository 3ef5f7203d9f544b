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

/* After this time a listener notifies the application that no caller has come. A caller does so
 * after 2 s without an answer (faspdial.c); a user may start the two ends some seconds apart. */
#define FASP_UNCALLED_AFTER (10 * FASP_SEC)
/* The sequence numbers of two RTP datagrams in a row may differ by this much, as some may be
 * lost. */
#define FASP_STRANGERS_RTP_STEP 16

/* Looks at a datagram of no session. TRUE: it is of another protocol, and needs no other
 * treatment. */
gboolean fasp_strangers_look (FaspEndpoint *endpoint, const FaspAddress *from, const guint8 *data,
    gsize size);
void fasp_strangers_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_strangers_get_time (FaspEndpoint *endpoint);

G_END_DECLS
