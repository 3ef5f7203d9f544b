/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreceiverstate.h: what a receiver is to its sender: can it read what it is sent?
 *
 * A receiver that joins in the middle of a stream needs the stream's header, which is written
 * before a key frame. Each receiver is in state READS when it joins; a dot changes nothing:
 *
 *              FIRST    LACK     HOLD     RELEASE  WRITTEN  ARRIVED
 *     READS    BEGINS   LACKS    HELD     .        .        .
 *     BEGINS   .        LACKS    HELD     .        .        READS
 *     LACKS    .        .        .        .        GETS     .
 *     HELD     .        .        .        LACKS    .        .
 *     GETS     .        LACKS    .        .        .        READS
 *
 * Two other questions are answered apart, as their answers combine with each of these states:
 * whether the receiver takes what it is sent (fasp_session_judge()), and whether that is still what
 * was written before it joined (fasp_history_is_in_past()).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  FASP_RECEIVER_READS,  /* the receiver has the header, or needs none */
  FASP_RECEIVER_BEGINS, /* the receiver gets the stream from its first byte, where the header is */
  FASP_RECEIVER_LACKS,  /* the application has not written the header yet; the receiver is sent the
                           stream meanwhile */
  FASP_RECEIVER_HELD,   /* as LACKS, but the receiver is sent nothing meanwhile */
  FASP_RECEIVER_GETS,   /* the header is written, and is sent to the receiver */
  FASP_RECEIVER_STATES
} FaspReceiverState;

typedef enum
{
  FASP_RECEIVER_FIRST, /* the receiver joins at the first byte of the stream */
  FASP_RECEIVER_LACK,  /* the receiver joins in mid-stream, has skipped blocks, or the store no
                          longer has the header */
  FASP_RECEIVER_HOLD,  /* as LACK, and our hello announced no header, so the receiver would not wait
                          for one */
  FASP_RECEIVER_RELEASE, /* the receiver is sent the stream again */
  FASP_RECEIVER_WRITTEN, /* the header was written */
  FASP_RECEIVER_ARRIVED, /* the receiver has acknowledged the header */
  FASP_RECEIVER_EVENTS
} FaspReceiverEvent;

static inline FaspReceiverState
fasp_receiver_next (FaspReceiverState state, FaspReceiverEvent event)
{
  switch (event) {
    case FASP_RECEIVER_FIRST:
      return state == FASP_RECEIVER_READS ? FASP_RECEIVER_BEGINS : state;
    case FASP_RECEIVER_LACK:
      return state == FASP_RECEIVER_HELD ? state : FASP_RECEIVER_LACKS;
    case FASP_RECEIVER_HOLD:
      return state == FASP_RECEIVER_READS || state == FASP_RECEIVER_BEGINS ? FASP_RECEIVER_HELD :
                                                                             state;
    case FASP_RECEIVER_RELEASE:
      return state == FASP_RECEIVER_HELD ? FASP_RECEIVER_LACKS : state;
    case FASP_RECEIVER_WRITTEN:
      return state == FASP_RECEIVER_LACKS ? FASP_RECEIVER_GETS : state;
    case FASP_RECEIVER_ARRIVED:
      return state == FASP_RECEIVER_BEGINS || state == FASP_RECEIVER_GETS ? FASP_RECEIVER_READS :
                                                                            state;
    case FASP_RECEIVER_EVENTS:
      break;
  }
  return state;
}

G_END_DECLS
