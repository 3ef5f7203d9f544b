/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * members.h: a group (vgroup) of a few members, as several of these tests have it.
 */
#pragma once

#include "vgroup.h"

G_BEGIN_DECLS

#define MEMBERS_RTT (20 * FASP_MSEC) /* of the farthest member */

/* @n members, all of them there, of a stream of 4 Mbit/s that has just begun. */
Vgroup *members_new (guint32 seed, guint n, FaspSlowPolicy policy);
/* Runs so long without a stream, as receivers that join one lack something at first. Then the
 * stream has @bitrate. */
void members_assemble (Vgroup *g, FaspTime time, guint64 bitrate);
/* Blocks that went out by unicast in the sessions. */
guint64 members_count_alone (Vgroup *g);
/* Ends the stream: whoever is there has all of it within 5 s. */
void members_assert_whole (Vgroup *g);
/* An address that is none of theirs. */
FaspAddress members_get_stranger (guint n);

G_END_DECLS
