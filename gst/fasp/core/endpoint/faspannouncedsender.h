/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspannouncedsender.h: what a receiver does with a sender that announces itself to its group.
 * faspannounce.h remembers these senders, and chooses among them.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* The sender at @from has announced itself: calls it if the receiver wants a sender. */
void fasp_announced_sender_heard (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from);

G_END_DECLS
