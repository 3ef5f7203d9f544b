/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * eos.pml: how a stream and its session end (docs/protocol.md, section 6, "End" and "CLOSE").
 *
 * Properties
 *   whole     An end that reports "finished" does so only when the receiver has every block and the end.
 *   known     Where the sender reports "finished", the receiver has acknowledged everything to it.
 *   ends      If the network loses no more of the messages than an end repeats, and nobody stops, both ends report
 *             "finished".
 *   bounded   An end that closes is done after the closing time; an end that hears nothing, after the resume time. So
 *             both ends are done in bounded time, whatever is lost.
 *   quiet     An answer to a CLOSE causes no further CLOSE.
 *
 * Assumptions
 *   Messages of one tick arrive in any order, or are lost; a CLOSE may arrive again at any later time. Each end sends
 *   once a tick what is not acknowledged or not answered, and reads the clock before it sends.
 *
 * What it leaves out
 *   Settling and round trips: what is not acknowledged is sent again each tick. SKIP, the window, groups, several
 *   sessions, coming back after an outage (positions.pml). How long a tick is: the closing time is 1 s, the resume time
 *   30 s. A peer that lies about what it has.
 *
 * Mistakes
 *   1: the sender is finished when it has sent the end.
 *   2: a receiver puts no FEEDBACK in front of its CLOSE.
 *   3: CLOSE is sent once.
 *   4: an end that has begun to close answers each CLOSE.
 *   5: an end repeats CLOSE until the answer comes.
 *   6: a sender that is stopped says "finished".
 */
#ifndef MISTAKE
#define MISTAKE 0
#endif

#define BLOCKS 3    /* the last one is the end of the stream */
#define LOSSES 3    /* messages that are lost, unless the network goes away for good */
#define CLOSING_TIME 4   /* ticks: CLOSE is sent this often. More than LOSSES */
#define RESUME_TIME 6    /* ticks */

mtype = { OPEN, CLOSING, CLOSED };
mtype = { NONE, FINISHED, STOPPED, SILENT };

typedef End {
    mtype state;
    mtype reason;
    bool initiated;     /* it sent the first CLOSE */
    bool wants_stop;    /* its application stops it */
    byte age;           /* ticks since it began to close */
    byte silence;       /* ticks since it heard the peer */
    bool close;         /* its CLOSE is under way */
    bool is_answer;     /* that CLOSE is an answer */
    bool closed_once    /* a CLOSE of it has been under way, with the reason */
};

End snd, rcv;
bool data[BLOCKS];      /* under way */
bool has[BLOCKS];       /* the receiver has it */
bool feedback;          /* under way */
byte reported;          /* by it: blocks below are there */
byte acked;             /* the sender knows: blocks below are there */
bool sent_end, gone;    /* gone: the network carries nothing any more */
byte lost, now;

#define ACK (has[0] -> (has[1] -> (has[2] -> 3 : 2) : 1) : 0)

inline begin_closing (end, why)
{
    if
    :: end.state == OPEN ->
        end.state = CLOSING;
        end.reason = why;
        end.initiated = true;
        end.age = 0;
        end.close = true;
        end.is_answer = false;
        end.closed_once = true
    :: else
    fi
}

/* What a CLOSE of @peer does to @end. */
inline closed_by (end, peer)
{
    end.silence = 0;
    if
    :: end.initiated ->
        end.is_answer = end.is_answer || (MISTAKE == 4 && end.state == CLOSING);
        end.close = end.close || end.is_answer;
        end.state = CLOSED
    :: else ->
        if
        :: end.state == OPEN -> end.reason = (peer.reason == FINISHED -> FINISHED : STOPPED); end.state = CLOSED; end.age = 0
        :: else
        fi;
        /* a session that has closed answers for as long as the peer may repeat its CLOSE */
        if
        :: end.age <= CLOSING_TIME ->
            assert (!peer.is_answer);   /* quiet */
            end.close = true;
            end.is_answer = true;
            end.closed_once = true
        :: else
        fi
    fi
}

inline acknowledge (ack)
{
    snd.silence = 0;
    acked = (ack > acked -> ack : acked);
    if
    :: acked == BLOCKS || (MISTAKE == 1 && sent_end) -> begin_closing (snd, FINISHED)
    :: else
    fi
}

/* The clock of @end goes on by a tick. */
inline tick (end)
{
    if
    :: end.state == OPEN ->
        end.silence++;
        if
        :: end.silence > RESUME_TIME -> end.state = CLOSED; end.reason = SILENT; end.initiated = true
        :: else
        fi
    :: end.state == CLOSING ->
        end.age++;
        assert (end.age <= CLOSING_TIME);   /* bounded */
        if
        :: end.age == CLOSING_TIME && MISTAKE != 5 -> end.state = CLOSED
        :: MISTAKE == 3
        :: else -> end.close = true
        fi
    :: end.state == CLOSED && end.age <= CLOSING_TIME -> end.age++
    :: else
    fi
}

#define UNDER_WAY (data[0] || data[1] || data[2] || feedback || snd.close || rcv.close)
#define MAY_LOSE (gone || lost < LOSSES)

inline lose (message)
{
    d_step { message && MAY_LOSE -> message = false; lost = (gone -> lost : lost + 1) }
}

inline deliver_data (n)
{
    d_step {
        data[n] && !gone ->
        data[n] = false;
        has[n] = has[n] || rcv.state == OPEN;
        rcv.silence = (rcv.state == OPEN -> 0 : rcv.silence)
    }
}

/* The reason of a CLOSE of the receiver counts after the FEEDBACK in front of it. */
inline deliver_close_of_receiver ()
{
    acked = (MISTAKE != 2 && snd.state == OPEN && ACK > acked -> ACK : acked);
    closed_by (snd, rcv)
}

active proctype all ()
{
    byte i;

    snd.state = OPEN; snd.reason = NONE;
    rcv.state = OPEN; rcv.reason = NONE;
    do
    :: lose (data[0])
    :: lose (data[1])
    :: lose (data[2])
    :: lose (feedback)
    :: lose (snd.close)
    :: lose (rcv.close)
    :: deliver_data (0)
    :: deliver_data (1)
    :: deliver_data (2)
    :: d_step { feedback && !gone -> feedback = false;
        if :: snd.state == OPEN -> acknowledge (reported) :: else fi }
    :: d_step { snd.close && !gone -> snd.close = false; closed_by (rcv, snd) }
    :: d_step { rcv.close && !gone -> rcv.close = false; deliver_close_of_receiver () }
    /* a CLOSE comes once more */
    :: d_step { snd.closed_once && !gone && !rcv.close -> closed_by (rcv, snd) }
    :: d_step { rcv.closed_once && !gone && !snd.close -> deliver_close_of_receiver () }
    /* an application stops its end; that of the receiver may do so at the end of the stream, too */
    :: d_step { snd.state == OPEN && acked < BLOCKS -> snd.wants_stop = true;
        begin_closing (snd, (MISTAKE == 6 -> FINISHED : STOPPED)) }
    :: d_step { rcv.state == OPEN && ACK < BLOCKS -> rcv.wants_stop = true; begin_closing (rcv, STOPPED) }
    :: d_step { rcv.state == OPEN && ACK == BLOCKS -> begin_closing (rcv, FINISHED) }
    :: d_step { !gone -> gone = true }
    :: d_step { !UNDER_WAY && (snd.state != CLOSED || rcv.state != CLOSED) ->
        tick (snd);
        tick (rcv);
        if
        :: snd.state == OPEN ->
            for (i : acked .. BLOCKS - 1) {
                data[i] = true
            }
            sent_end = true;
            i = 0
        :: else
        fi;
        if :: rcv.state == OPEN -> feedback = true; reported = ACK :: else fi;
        now++;
        assert (now <= 2 * RESUME_TIME + CLOSING_TIME + 2 * LOSSES) }   /* bounded */
    :: d_step { snd.state == CLOSED && rcv.state == CLOSED && !UNDER_WAY ->
        assert (snd.reason != FINISHED || ACK == BLOCKS);     /* whole */
        assert (rcv.reason != FINISHED || ACK == BLOCKS);     /* whole */
        assert (snd.reason != FINISHED || acked == BLOCKS);   /* known */
        assert (gone || snd.wants_stop || rcv.wants_stop || (snd.reason == FINISHED && rcv.reason == FINISHED))   /* ends */
        } -> break
    od
}
