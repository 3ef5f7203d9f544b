/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspencoder.h: what is announced to an encoder: the bit rate that it may use, and that a
 * receiver needs a key frame: it has joined, goes on behind a gap, or says so.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Announces a changed rate, and asks for a key frame, if that is due. */
void fasp_encoder_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_encoder_get_time (FaspEndpoint *endpoint);
/* How many key frames the encoder was asked for. */
guint64 fasp_encoder_count_key_frames (const FaspEndpoint *endpoint);
/* The receivers need a key frame. */
void fasp_encoder_want_key_frame (FaspEndpoint *endpoint, FaspTime now);
/* @session needs a key frame, as it is new. */
void fasp_encoder_joined (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Asks for a key frame if @session needs one now: the receiver goes on behind a gap, or asks for a
 * key frame. */
void fasp_encoder_follow (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* A session has left. After the last one no key frame is needed, and the encoder is told the rate 0
 * now, as the endpoint may not be polled until another session begins. */
void fasp_encoder_left (FaspEndpoint *endpoint, FaspTime now);

G_END_DECLS
