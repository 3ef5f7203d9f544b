/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspadmission.h: the listener's door.
 *
 * An OPEN is answered with
 *   VERSIONS  when its version is not ours,
 *   ACCEPT    again, when it is the repetition of one that was accepted, or
 *             when it proves that it belongs to a session we know (resume),
 *   REJECT    when it cannot be served, with the reason,
 *   RETRY     when its address must be proved first: more than half_open_max
 *             handshakes are open, or the application is to be asked,
 *   ACCEPT    otherwise, and a session in state HALF is made.
 *
 * No answer is longer than the OPEN, which is padded for that, so nobody can
 * be flooded through us.
 */
#pragma once

#include "faspendpointprivate.h"

G_BEGIN_DECLS

/* Half-open sessions at most, cookie or not. */
#define FASP_HALF_MAX 1024
/* And of one network. */
#define FASP_HALF_NETWORK_MAX 256
/* Receivers of one sender at most. */
#define FASP_SESSIONS_MAX 16384

void fasp_admission_init (FaspEndpoint * endpoint);
void fasp_admission_receive (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, gsize size, const FaspHandshake * open,
    FaspRoute route);
/* Would a half-open session become one? A receiver takes one sender. */
gboolean fasp_admission_has_room (const FaspEndpoint * endpoint,
    const FaspSession * session);
/* The first datagram of a half-open session came: its address is real. */
void fasp_admission_confirmed (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session);
/* The application answered FASP_EVENT_CONNECTING. */
void fasp_admission_decided (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session, gboolean accept);
/* @session is about to be removed: its call would be a new one. */
void fasp_admission_forget (FaspEndpoint * endpoint, FaspSession * session);
/* It is half open no more: open, or gone. */
void fasp_admission_left (FaspEndpoint * endpoint, FaspSession * session);
/* Writes the ACCEPT of @session. */
void fasp_admission_accept (FaspSession * session, FaspDatagram * datagram);

G_END_DECLS
