/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rekey.pml: how the keys of a session change (docs/protocol.md, section 7), with one bit that names the key.
 *
 * Properties
 *   decryptable   A datagram sealed with the key of the opener's phase, of the next phase, or of the one before, opens
 *                 when it arrives first: after any loss, reordering, and silence of an end or of a flow.
 *   ended         A datagram sealed with an older key does not open.
 *   behind        The end that opens is at most one phase behind the end that seals.
 *   once          No packet number of a flow is sealed twice.
 *
 * Assumptions
 *   A datagram opens with the key that sealed it, and with no other. Each end remembers which packet numbers came.
 *   The network keeps every datagram, and delivers any of them at any time, or never. So a report of an opened packet
 *   (FEEDBACK or PONG) and AGREE, once sent, arrive at any later time, in any order, as often as the network likes.
 *
 * What it leaves out
 *   That only 24 bits of a packet number are sent, and NEXT; when a key is due, and the limits of 60 s (here it may be
 *   due at any time); the end of a session at 2^23 datagrams; groups. The caller seals on two flows, the listener on one.
 *
 * Mistakes
 *   1: an end goes on to the next phase without a report.
 *   2: a report of a packet of an earlier phase counts.
 *   3: a datagram with the other K always counts as one of the next phase.
 *   4: the listener uses a secret before it has opened something sealed with it.
 *   5: the first packet number of a phase is not forgotten when the next phase begins.
 *   6: a flow that moves to another path counts its packets anew.
 *   7: the end that opens also tries the key of the phase before the last.
 */
#ifndef MISTAKE
#define MISTAKE 0
#endif

#define PHASES 4    /* 0 to 3: each value of K stands for two of them */
#define SECRETS 1
#define PNS 3       /* packets of a flow, at most */
#define NO_PN 255
#define CALLER 0
#define LISTENER 1
#define FLOWS(end) (2 - (end))
#define AT(end, flow) (2 * (end) + (flow))
#define LAST(end, flow) ((end) == CALLER && (flow) == 1 -> 2 : PNS)   /* how many packets it sends */

/* A key is what went into it: for each phase up to its own, the number of a secret, or 0; two bits each. */
#define KEY(phase, mix) (((phase) + 1) << 8 | (mix))
#define MIX(mix, phase, secret) ((mix) | ((secret) << (2 * (phase))))
#define PHASE_OF(key) (((key) >> 8) - 1)
#define OPENED 1   /* instead of the key of a packet: it was opened */

typedef Sealer { byte phase; byte mix; byte secret; byte next_pn[2]; byte phase_pn[2] };
typedef Opener { byte phase; byte mix; byte before; byte older; byte secret; byte first_pn[2] };
typedef Flow { short key[PNS] };   /* by packet number: the key that sealed it; 0: it was not sent */

Sealer sealer[2];
Opener opener[2];   /* of what the other end seals */
Flow sent[3];       /* AT (end, flow) */
byte serial[2];     /* of the last exchange: begun by the caller, answered by the listener */
bool awaits;        /* the caller awaits the answer */

/* @e goes on to its next phase. */
inline rekey ()
{
    sealer[e].phase++;
    sealer[e].mix = MIX (sealer[e].mix, sealer[e].phase, sealer[e].secret);
    sealer[e].secret = 0;
    for (i : 0 .. FLOWS (e) - 1) {
        sealer[e].phase_pn[i] = sealer[e].next_pn[i]
    }
    assert (sealer[e].phase <= opener[1 - e].phase + 1);   /* behind */
}

/* The peer of @e has changed to the next phase. */
inline follow (with)
{
    opener[e].older = opener[e].before;
    opener[e].before = opener[e].mix;
    opener[e].mix = with;
    opener[e].phase++;
#if MISTAKE != 5
    opener[e].first_pn[0] = NO_PN;
    opener[e].first_pn[1] = NO_PN
#endif
}

#define Q opener[e].phase
#define AGREED MIX (opener[e].mix, Q + 1, opener[e].secret)

/* Tries the keys of the next phase: without the secret, and with it. */
inline try_next ()
{
    if
    :: k == KEY (Q + 1, opener[e].mix) -> opens = true; follow (opener[e].mix)
    :: k != KEY (Q + 1, opener[e].mix) && opener[e].secret != 0 && k == KEY (Q + 1, AGREED) ->
        opens = true;
        follow (AGREED);
        sealer[e].secret = (e == LISTENER -> opener[e].secret : sealer[e].secret);
        opener[e].secret = 0
    :: else
    fi
}

/* Packet @n of flow @f, which was sealed with key @k, comes to @e. */
inline open ()
{
    was = Q;
    if
    :: PHASE_OF (k) % 2 == Q % 2 -> opens = (k == KEY (Q, opener[e].mix))
    :: PHASE_OF (k) % 2 != Q % 2 && Q > 0 && n < opener[e].first_pn[f] && MISTAKE != 3 ->
        opens = (k == KEY (Q - 1, opener[e].before));
        if
        :: !opens && opener[e].first_pn[f] == NO_PN -> try_next ()
        :: else
        fi
    :: else -> try_next ()
    fi;
#if MISTAKE == 7
    opens = opens || (Q > 1 && k == KEY (Q - 2, opener[e].older));
#endif
    opener[e].first_pn[f] = (opens && PHASE_OF (k) % 2 == Q % 2 && n < opener[e].first_pn[f] -> n : opener[e].first_pn[f]);
    assert (opens || PHASE_OF (k) + 1 < was);     /* decryptable */
    assert (!opens || PHASE_OF (k) + 1 >= was);   /* ended */
}

#define CLEAR e = 0; f = 0; n = 0; i = 0; k = 0; was = 0; opens = false

active proctype all ()
{
    byte e, f, n, i, was;
    short k;
    bool opens;

    opener[0].first_pn[0] = NO_PN;
    opener[1].first_pn[0] = NO_PN;
    opener[1].first_pn[1] = NO_PN;
end:
    do
    :: atomic { /* an end seals a packet */
        select (e : 0 .. 1);
        select (f : 0 .. FLOWS (e) - 1);
        if
        :: sealer[e].next_pn[f] < LAST (e, f)
        :: else -> CLEAR; goto end
        fi;
        assert (sent[AT (e, f)].key[sealer[e].next_pn[f]] == 0);   /* once */
        sent[AT (e, f)].key[sealer[e].next_pn[f]] = KEY (sealer[e].phase, sealer[e].mix);
        sealer[e].next_pn[f]++;
        CLEAR
       }
    :: atomic { /* the network delivers a packet */
        select (e : 0 .. 1);
        select (f : 0 .. FLOWS (1 - e) - 1);
        select (n : 0 .. PNS - 1);
        k = sent[AT (1 - e, f)].key[n];
        if
        :: k > OPENED -> open ()
        :: else -> CLEAR; goto end
        fi;
        sent[AT (1 - e, f)].key[n] = (opens -> OPENED : k);
        CLEAR
       }
    :: atomic { /* the network delivers a report of an opened packet to @e; the next key may be due */
        select (e : 0 .. 1);
        select (f : 0 .. FLOWS (e) - 1);
        select (n : 0 .. PNS - 1);
        if
        :: sealer[e].phase + 1 < PHASES && (MISTAKE == 1 || (sent[AT (e, f)].key[n] == OPENED
                && (MISTAKE == 2 || n >= sealer[e].phase_pn[f]))) ->
            rekey ()
        :: else -> CLEAR; goto end
        fi;
        CLEAR
       }
    :: atomic { /* the caller begins an exchange */
        !awaits && serial[CALLER] < SECRETS && opener[CALLER].secret == 0 ->
        serial[CALLER]++;
        awaits = true
       }
    :: atomic { /* its AGREE comes to the listener */
        awaits && serial[LISTENER] + 1 == serial[CALLER] && opener[LISTENER].secret == 0 ->
        serial[LISTENER]++;
#if MISTAKE == 4
        sealer[LISTENER].secret = serial[LISTENER];
#endif
        opener[LISTENER].secret = serial[LISTENER]
       }
    :: atomic { /* the listener's AGREE comes to the caller */
        awaits && serial[LISTENER] == serial[CALLER] ->
        awaits = false;
        opener[CALLER].secret = serial[CALLER];
        sealer[CALLER].secret = serial[CALLER]
       }
#if MISTAKE == 6
    :: atomic { sealer[CALLER].next_pn[1] > 0 -> sealer[CALLER].next_pn[1] = 0 }
#endif
    od
}
