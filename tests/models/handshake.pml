/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * handshake.pml: a caller and a listener open a session (docs/protocol.md, sections 3 and 6), and an attacker is on the
 * path between them.
 *
 * Properties
 *   agree       When the listener's session opens, the caller has a session with the same keys. When the caller takes an
 *               ACCEPT, the listener's session of that connection id, if it still has it, has the same keys.
 *   same        Both have then the same idea of the call: nothing in the clear was changed on the way.
 *   key         No session is made, on either side, between ends with different keys.
 *   stateless   With half_open_max half-open sessions or more, the listener makes another one only for an address to
 *               which it has sent a cookie, for that call and not too long ago.
 *   flood       The listener sends nothing but ACCEPT, RETRY, REJECT and PING to an address that has received nothing.
 *
 * Assumptions
 *   The attacker reads, keeps, drops, repeats and reorders everything between the caller and the listener, sends any of
 *   it from any source address at any time, changes whatever is in the clear, and calls without a key by itself. It does
 *   not read what goes to VICTIM, another host. A message opens only with the keys that sealed it, over the header
 *   that it was sealed with; what is sealed, and a cookie, cannot be made by others. A datagram of a session counts once.
 *
 * What it leaves out
 *   The messages of Noise themselves (docs/security.md says what is proven of them). Ends without any key, which an
 *   attacker on the path can take apart. REJECT and VERSIONS, which are believed by time; rates; resume; several paths;
 *   an attacker who forwards from an address of its own. A call is the id, nonce and message of an OPEN.
 *
 * Mistakes
 *   1: the header of an OPEN is not part of what its message authenticates.
 *   2: each repetition of an OPEN is answered by a fresh ACCEPT.
 *   3: the listener takes a call of any pattern, also of one without a key.
 *   4: a cookie holds for any address.
 *   5: the first datagram proves its address, wherever an ACCEPT went besides.
 *   6: the answer to a PING proves the address that it comes from.
 *   7: the caller takes an ACCEPT of an earlier call.
 */
#ifndef MISTAKE
#define MISTAKE 0
#endif

#define CALLS 2          /* of the caller, one after the other */
#define STRANGER 2       /* the call of the attacker itself, of pattern NN */
#define SESSIONS 3       /* that the listener makes; each has an ephemeral key of its own */
#define HALF_OPEN_MAX 1
#define NOBODY 255

mtype = { FREE, HALF, UP, GONE };
mtype = { NOWHERE, CALLER, VICTIM };   /* addresses */

typedef Session {
    mtype state;
    byte call;
    bool changed;       /* the header of the OPEN that made it was changed on the way */
    byte keys;          /* number of ACCEPTs with fresh keys: the newest counts */
    mtype from;         /* where the last OPEN came from: ACCEPT goes there */
    bool moved;         /* ACCEPTs went to several addresses */
    mtype address;      /* of the peer */
    bool proved;
    mtype candidate;
    /* what the network has to deliver to the caller, and the caller's answers */
    bool accept[2];     /* by keys */
    bool pinged, answered
};

Session session[SESSIONS];
bool wrong_key;         /* the caller has another key than the listener */
byte calls, next;       /* how many calls there were; sessions of the listener */
bool calling;            /* the caller calls: call number calls - 1 */
byte with, keys;        /* the caller's session and the number of its keys; with NOBODY: none */
bool had[SESSIONS];     /* the caller has had this session */
bool cookie[3];         /* by call: the listener has sent a cookie to CALLER, which everybody on the path has */

#define COUNT_HALF ((session[0].state == HALF) + (session[1].state == HALF) + (session[2].state == HALF))

/* Call @whose comes from @origin, with a cookie or without. The header may have been changed. */
inline opened_by (whose, origin, has_cookie, altered)
{
    /* a cookie is for one address: the attacker cannot have one for VICTIM */
    proved = has_cookie && cookie[whose] && (origin == CALLER || MISTAKE == 4);
    same = NOBODY;
    for (i : 0 .. SESSIONS - 1) {
        if
        :: session[i].state != FREE && session[i].state != GONE && session[i].call == whose &&
                session[i].changed == altered -> same = i
        :: else
        fi
    }
    if
    :: same != NOBODY && session[same].state == HALF ->
        session[same].moved = session[same].moved || session[same].from != origin;
        session[same].from = origin;
#if MISTAKE == 2
        session[same].keys = 1;
#endif
        session[same].accept[session[same].keys] = session[same].accept[session[same].keys] || origin == CALLER
    :: same != NOBODY && session[same].state != HALF
    :: same == NOBODY && !proved && COUNT_HALF >= HALF_OPEN_MAX ->
        cookie[whose] = cookie[whose] || origin == CALLER   /* RETRY */
    :: same == NOBODY && (proved || COUNT_HALF < HALF_OPEN_MAX) ->
        /* does the message open? If not: REJECT, and no state */
        if
        :: next < SESSIONS && (whose == STRANGER -> MISTAKE == 3 : !wrong_key && (!altered || MISTAKE == 1)) ->
            assert (COUNT_HALF < HALF_OPEN_MAX || (origin == CALLER && cookie[whose]));   /* stateless */
            session[next].state = HALF;
            session[next].call = whose;
            session[next].changed = altered;
            session[next].from = origin;
            session[next].accept[0] = (origin == CALLER);
            next++
        :: else
        fi
    fi
}

/* The listener uses @x as the address of the peer from now on. */
inline trust (x)
{
    assert (x != VICTIM);   /* flood */
    session[s].address = x;
    session[s].proved = true;
    session[s].candidate = NOWHERE
}

#define SOURCE (i == 0 -> CALLER : VICTIM)   /* of a datagram */
#define CLEAR i = 0; s = 0; same = 0; proved = false

active proctype all ()
{
    byte i, s, same;
    bool proved;

    d_step {
        for (i : 0 .. SESSIONS - 1) {
            session[i].state = FREE;
            session[i].from = NOWHERE;
            session[i].address = NOWHERE;
            session[i].candidate = NOWHERE
        }
        with = NOBODY
    };
    if :: wrong_key = true :: true fi;
    CLEAR;
end:
    do
    /* the caller begins a call: its first one, or as it hears nothing in its session */
    :: d_step { !calling && calls < CALLS -> calling = true; calls++ }

    /* an OPEN comes to the listener: of the caller, repeated, from elsewhere, changed, or of the attacker itself */
    :: d_step { calls > 0 -> opened_by (0, CALLER, false, false); CLEAR }
    :: d_step { calls > 0 -> opened_by (0, CALLER, true, false); CLEAR }
    :: d_step { calls > 0 -> opened_by (0, VICTIM, true, false); CLEAR }
    :: d_step { calls > 0 -> opened_by (0, CALLER, true, true); CLEAR }
    :: d_step { calls > 1 -> opened_by (1, CALLER, false, false); CLEAR }
    :: d_step { calls > 1 -> opened_by (1, CALLER, true, false); CLEAR }
    :: d_step { calls > 1 -> opened_by (1, VICTIM, true, false); CLEAR }
    :: d_step { opened_by (STRANGER, CALLER, true, false); CLEAR }

    /* cookies are too old now; a half-open session is over; an open one ends */
    :: d_step { cookie[0] || cookie[1] || cookie[2] -> cookie[0] = false; cookie[1] = false; cookie[2] = false }
    :: atomic { select (s : 0 .. SESSIONS - 1);
        if
        :: session[s].state == HALF || session[s].state == UP ->
            session[s].state = GONE;
            session[s].pinged = false;
            session[s].answered = false
        :: else
        fi;
        CLEAR }

    /* an ACCEPT comes to the caller, its header made to fit */
    :: atomic { select (s : 0 .. SESSIONS - 1);
        select (i : 0 .. 1);
        if
        :: calling && session[s].accept[i] && (session[s].call == calls - 1 || (MISTAKE == 7 && session[s].call < calls)) ->
            calling = false;
            with = s;
            keys = i;
            had[s] = true;
            assert (!wrong_key);                /* key */
            assert (!session[s].changed);       /* same */
            assert (session[s].call == calls - 1);   /* same */
            assert (session[s].state == GONE || session[s].keys == i)   /* agree */
        :: else
        fi;
        CLEAR }

    /* a datagram of the caller's session comes to the listener, from where the caller is or elsewhere; or one of the
       attacker in its own */
    :: atomic { select (s : 0 .. SESSIONS - 1);
        select (i : 0 .. 1);
        if
        :: (had[s] && (with != s || session[s].keys == keys)) || session[s].call == STRANGER ->
            if
            :: session[s].state == HALF ->
                assert (had[s]);      /* agree */
                assert (!wrong_key);  /* key */
                session[s].state = UP;
                session[s].accept[0] = false;
                session[s].accept[1] = false;
                if
                :: session[s].from == SOURCE && (!session[s].moved || MISTAKE == 5) -> trust (session[s].from)
                :: else -> session[s].candidate = SOURCE
                fi
            :: session[s].state == UP -> session[s].candidate = (session[s].address == SOURCE -> NOWHERE : SOURCE)
            :: else
            fi
        :: else
        fi;
        CLEAR }

    /* the listener sends a PING to the candidate and to the address; the caller answers one that it gets */
    :: atomic { select (s : 0 .. SESSIONS - 1);
        session[s].pinged = session[s].pinged ||
            (session[s].state == UP && (session[s].candidate == CALLER || session[s].address == CALLER));
        CLEAR }
    :: atomic { select (s : 0 .. SESSIONS - 1);
        if
        :: session[s].pinged && had[s] -> session[s].answered = true; session[s].pinged = false
        :: else
        fi;
        CLEAR }
    /* the answer comes to the listener, from where the caller is or elsewhere: the PING went to CALLER */
    :: atomic { select (s : 0 .. SESSIONS - 1);
        select (i : 0 .. 1);
        if
        :: session[s].answered && session[s].state == UP ->
            session[s].answered = false;
            if
            :: MISTAKE == 6 && i == 1 -> trust (VICTIM)
            :: MISTAKE != 6 && (!session[s].proved || session[s].address == CALLER || i == 0) ->
                if
                :: !session[s].proved || session[s].candidate == CALLER -> trust (CALLER)
                :: else
                fi
            :: else
            fi
        :: else
        fi;
        CLEAR }
    od
}
