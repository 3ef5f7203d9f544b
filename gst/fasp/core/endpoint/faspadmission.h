/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspadmission.h: how a listener answers callers.
 *
 * The answer to an OPEN is
 *   VERSIONS  if its version is not ours,
 *   RETRY     if its address must be proved first: many sessions or half-open
 *             ones (half_open_max) exist, callers are many (fasplimiter.h), or
 *             the application is to be asked,
 *   ACCEPT    again, if it repeats one that was accepted,
 *   a PING    of its session, if it proves that it belongs to one (resume),
 *   REJECT    with the reason, if it cannot be served,
 *   ACCEPT    otherwise, and a session in state HALF is made.
 *
 * No answer is longer than the OPEN, which is padded for that, so no attacker can
 * use a listener to amplify a flood.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* @size: bytes of the datagram; @route: FASP_ROUTE_HERE if the port is not shared. */
void fasp_admission_receive (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    gsize size, const FaspHandshake *open, FaspRoute route);
/* May the half-open @session become open? A receiver takes one sender, a sender up to its limit of
 * receivers. */
gboolean fasp_admission_has_room (const FaspEndpoint *endpoint, FaspTime now,
    const FaspSession *session);
/* The first datagram of the half-open @session came, which proves its address. */
void fasp_admission_confirmed (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* The application answered FASP_EVENT_CONNECTING, as by fasp_endpoint_decide(). */
void fasp_admission_decided (FaspEndpoint *endpoint, FaspTime now, FaspSession *session,
    FaspReason refusal, const gchar *why, const gchar *for_caller);
/* Writes the ACCEPT of @session. */
void fasp_admission_accept (FaspSession *session, FaspDatagram *datagram);

G_END_DECLS
