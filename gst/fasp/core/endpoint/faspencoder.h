/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspencoder.h: what is announced to an encoder: the bit rate that it may use, and that a
 * receiver needs a key frame: it has joined, goes on behind a gap, or says so.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Announces to the encoder what has changed. */
void fasp_encoder_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_encoder_get_time (FaspEndpoint *endpoint);
/* Key frames that it was asked for. */
guint64 fasp_encoder_count_key_frames (const FaspEndpoint *endpoint);
/* The receivers need a key frame. */
void fasp_encoder_want_key_frame (FaspEndpoint *endpoint, FaspTime now);
/* This one does, as it is new. */
void fasp_encoder_joined (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Does this one need it now, as it goes on behind a gap, or says so? */
void fasp_encoder_follow (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* A session has left.  If it was the last one, announces it to the encoder now: nothing may be
 * polled until another one comes. */
void fasp_encoder_left (FaspEndpoint *endpoint, FaspTime now);

G_END_DECLS
