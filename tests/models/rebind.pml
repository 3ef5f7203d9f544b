/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rebind.pml: an end of a session follows its peer to a new address (docs/protocol.md, section 6), and an attacker beside
 * the path copies what the peer sends.
 *
 * Properties
 *   proved      The address changes only to a place where the peer has answered a PING that went there, and from where
 *               the answer came. So nothing but PINGs goes to another place.
 *   amplified   A place that is not the address gets at most three PINGs for each datagram that came from there.
 *   stays       While the peer answers at its address, the address does not change, whatever the attacker does.
 *   follows     Once the peer has moved and the attacker is silent, the address is the peer's after four waits at most:
 *               the one that runs, and three that count.
 *
 * Assumptions
 *   The attacker copies each datagram of the peer, and its copy may come first, from any source: then the original is a
 *   duplicate. It reads what goes to THIEF, passes it on to the peer or not, and delays or drops answers that were on
 *   their way when the peer moved. It has no keys, and it does not read what goes to VICTIM, another host. A path that
 *   works carries a PING and its answer within the wait. The peer moves once, from HOME to AWAY; nothing arrives at HOME
 *   then. There is one candidate by the protocol, so one change at most is under way.
 *
 * What it leaves out
 *   An attacker that passes on everything from the moment when the peer moves, and whose copies all come first: it is a
 *   path like that of a NAT, and the session stays on it until it no longer answers. Random losses, which the second PING
 *   and three waits are for. The time between PINGs; PONGs and their limit; OPEN with option resume; an address that was
 *   never proved; several flows; the 16 PINGs that an end remembers; a move back.
 *
 * Mistakes
 *   1: the wait begins before the PINGs to the address have left.
 *   2: the address must answer from where its PING went.
 *   3: the answer to a candidate's PING proves the place that it comes from.
 *   4: the address is not asked.
 *   5: a candidate that was heard before keeps its answer from then.
 *   6: a candidate gets PINGs for as long as it is one.
 */
#ifndef MISTAKE
#define MISTAKE 0
#endif

#define HOME 0
#define AWAY 1
#define THIEF 2
#define VICTIM 3
#define NONE 255
#define PINGS 3     /* for each datagram from a candidate */
#define DOUBTS 3    /* waits in a row, if the address has answered beside a candidate */
#define WAITS 4

/* the end */
byte address = HOME, candidate = NONE;
byte left;              /* PINGs to the candidate that may still leave */
bool begun;             /* this candidate has been sent a PING */
bool answered;          /* it has answered since the wait began */
bool waits;             /* for the address */
bool asks;              /* the PINGs to the address must still leave */
bool in_vain;           /* a wait is over, and does not count yet */
byte unanswered;        /* waits that count, in a row */
bool stayed;            /* the address has answered beside a candidate */

/* the network: PINGs to AWAY and THIEF as candidates, and their answers; no other candidate can answer */
bool ping[3], pong[3];
/* the pair of PINGs of the last wait, which went to the address, and the answer */
bool asked, reply;

/* the peer and the attacker */
byte at = HOME;
bool silent;            /* the attacker */

/* what the properties look at */
bool proved;            /* the candidate has answered a PING that went to it */
byte allowed;           /* PINGs to VICTIM */
byte waited;            /* since the attacker is silent, for the peer as candidate */

/* Does the attacker get what goes there, and pass it on? */
#define TAPPED(place) ((place) == THIEF && !silent)
/* A path that works carries an answer before the wait is over; beside an attacker, only the address' does. */
#define ADDRESS_ANSWERS (at == address && (asked || reply))
#define CANDIDATE_ANSWERS (silent && candidate == at && (ping[at] || pong[at]))

inline stay ()
{
    asks = false;
    waits = false;
    in_vain = false;
    unanswered = 0
}

inline forget ()
{
    candidate = NONE;
    left = 0;
    begun = false;
    answered = false;
    asked = false;
    reply = false;
    stay ()
}

/* Is the candidate the address now? */
inline move ()
{
    if
    :: answered && in_vain ->
        in_vain = false;
        unanswered++;
        if
        :: unanswered == (stayed -> DOUBTS : 1) ->
            assert (at != address);     /* stays */
            assert (proved);            /* proved */
            address = candidate;
            ping[AWAY] = false;
            pong[AWAY] = false;
            ping[THIEF] = false;
            pong[THIEF] = false;
            stayed = false;
            waited = 0;
            forget ()
        :: else
        fi
    :: else
    fi
}

/* A datagram of the peer, the newest so far, comes from @from. */
inline hear ()
{
    if
    :: from == address -> forget ()
    :: else ->
        if
        :: from != candidate ->
            candidate = from;
            begun = false;
            proved = false;
            answered = (MISTAKE == 5 -> answered : false)
        :: else
        fi;
        allowed = (from == VICTIM -> PINGS : allowed);
        left = PINGS
    fi
}

/* An answer to a PING that went to @x comes from @from. */
inline answer ()
{
    pong[x] = false;
    if
    :: from == candidate && (x == from || MISTAKE == 3) ->
        answered = true;
        proved = (x == from);
        move ()
    :: else
    fi
}

active proctype all ()
{
    byte x, from;

end:
    do
    :: atomic { /* a datagram of the peer, or its copy, comes */
        select (from : HOME .. VICTIM);
        if
        :: from == at || !silent -> hear ()
        :: else
        fi;
        from = 0
       }
    :: atomic { /* a PING to the candidate */
        candidate != NONE && left > 0 ->
        assert (candidate != VICTIM || allowed > 0);    /* amplified */
        allowed = (candidate == VICTIM -> allowed - 1 : allowed);
        left = (MISTAKE == 6 -> left : left - 1);
        if
        :: candidate == AWAY || candidate == THIEF -> ping[candidate] = true
        :: else
        fi;
        if
        :: !waits && (!begun || answered) ->
            waits = true;
            asks = true;
            answered = false;
            in_vain = false;
            asked = false;
            reply = false
        :: else
        fi;
        begun = true
       }
    :: atomic { /* the PINGs to the address */
        asks && MISTAKE != 4 ->
        asks = false;
        asked = true
       }
    :: atomic { /* the peer gets one of them */
        asked && (at == address || TAPPED (address)) ->
        asked = false;
        reply = true
       }
    :: atomic { /* and its answer comes, from the attacker or not */
        reply ->
        reply = false;
        if
        :: candidate != NONE ->
            stayed = true;
            stay ()
        :: MISTAKE == 2 && !silent
        :: candidate == NONE
        fi
       }
    :: atomic { ping[AWAY] && at == AWAY -> ping[AWAY] = false; pong[AWAY] = true }
    :: atomic { ping[THIEF] && !silent -> ping[THIEF] = false; pong[THIEF] = true }
    :: atomic { /* the answer of a candidate comes, or its copy does */
        pong[AWAY] || pong[THIEF] ->
        x = (pong[AWAY] -> AWAY : THIEF);
        if
        :: pong[THIEF] -> x = THIEF
        :: true
        fi;
        select (from : HOME .. VICTIM);
        if
        :: from == at || !silent -> answer ()
        :: else
        fi;
        x = 0;
        from = 0
       }
    :: atomic { /* the wait is over */
        waits && (!asks || MISTAKE == 1 || MISTAKE == 4) && !ADDRESS_ANSWERS && !CANDIDATE_ANSWERS ->
        waits = false;
        in_vain = true;
        if
        :: silent && candidate == at ->
            waited++;
            assert (waited <= WAITS)        /* follows */
        :: else
        fi;
        move ()
       }
    :: atomic { at == HOME -> at = AWAY }
    :: atomic { at == AWAY && !silent -> silent = true }
    od
}
