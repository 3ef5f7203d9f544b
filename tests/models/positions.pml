/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * positions.pml: a receiver takes one stream from two senders, each of which may lack a byte, go away and be called
 * again (docs/protocol.md, sections 6, 6.1 and 6.3; gst/fasp/core/merge).
 *
 * Properties
 *   once      No byte is delivered twice, and bytes come in order.
 *   true      What is delivered as the byte of an offset is that byte, of that stream.
 *   passed    A byte is passed over only if no connected sender has it.
 *   placed    The offset of every byte that a session brings is known.
 *   goes on   The stream gets to its end if either sender can bring it there.
 *
 * Assumptions
 *   The network delivers what a sender has sent at any time, in any order; what is lost comes later, as a
 *   retransmission. Both senders have the stream's bytes as far as they have got, and each is believed. The offset that
 *   a call names, and the one that FEEDBACK reports, may be as old as the network likes.
 *
 * What it leaves out
 *   Time: the receiver waits for a sender that may bring a byte for as long as it takes. A byte that is missing because
 *   a sender's history is too short; too-late=skip; senders that lie or have another origin from the start; groups;
 *   which sender is asked to stand by (one that stands by is one whose bytes do not come). A block is one byte, so none
 *   is cut. An OFFSET has 2 bits, a segment's number 1.
 *
 * Mistakes
 *   1: a hole is passed over though another segment may begin in it.
 *   2: a hole is passed over though a byte in front of the block behind it is missing.
 *   3: a sender skips the byte at the offset that the receiver reports, too.
 *   4: a receiver counts a new session from the offset that it asked for.
 *   5: a byte that the reader has already is not dropped.
 *   6: the receiver goes on behind a gap without waiting for the other sender.
 *   7: the sender says the position of no block that it skips to.
 *   8: a block of which no offset is known is read, though a POSITION behind it says that the reader has it.
 */
#ifndef MISTAKE
#define MISTAKE 0
#endif

#define N 3           /* bytes of the stream, and blocks of a sender */
#define OUTAGES 1     /* sessions that end, of both senders together */
#define NONE 255
#define LOW 4         /* values of an OFFSET */

mtype = { IDLE, CALLING, UP, FOREIGN };   /* FOREIGN: another stream, which is not taken */

/* A sender, its session, and what the receiver has of that. Block @k is byte k; but for one that is a mark, as the
 * sender has lost that byte: another segment begins behind it, which may be of another stream. */
typedef Source {
    mtype state;
    byte head;           /* blocks that it has */
    byte mark;           /* NONE: it has all bytes */
    bool changes;        /* another stream begins behind the mark */
    byte want;           /* the offset that the call names */
    byte next;           /* block to be read next */
    bool got[N], passed[N];
    byte offset;         /* of block `next', as the receiver counts; NONE: not known */
    byte segment;        /* of the block read last; NONE: not known */
    bool gap;            /* blocks before `next' were passed over */
    bool said[N + 1];        /* a POSITION of this block has come */
    byte held, block     /* the byte that waits to be delivered, and its block; NONE */
};

Source source[2];
byte leader, next;       /* next: offset of the byte to be delivered next */
byte outages;

#define S source[j]
#define SEGMENT(k) (S.mark != NONE && (k) > S.mark -> 1 : 0)
/* what an OFFSET says of block @k, and the whole offset made of it */
#define OFFSET(k) ((k) % LOW)   /* those of another stream may look as if they went on */
#define WIDEN(k) (S.offset + (OFFSET (k) + LOW - S.offset % LOW) % LOW)
#define SAME_SEGMENT(k) (S.segment == SEGMENT (k) || (MISTAKE == 1 && S.segment != NONE))
/* the block at which a sender begins for offset @x: the mark stands for the byte that it lacks */
#define FIND(x) ((x) >= S.head -> S.head : ((x) == S.mark -> S.mark + 1 : (x)))
/* Has this sender byte @x of the stream? */
#define HAS(s, x) (source[s].state == UP && source[s].head > (x) && source[s].mark != (x) && \
        !(source[s].changes && source[s].mark < (x)))
#define MAY_BRING(s) (source[s].state == UP && source[s].held == NONE)

/* Forgets the session. */
inline leave (how)
{
    S.state = how;
    S.next = 0; S.want = 0; S.offset = NONE; S.segment = NONE; S.gap = false;
    for (k : 0 .. N - 1) {
        S.got[k] = false;
        S.passed[k] = false;
        S.said[k] = false
    }
    S.said[N] = false
}

inline begin ()
{
    S.next = FIND (S.want);
    S.state = UP;
    S.offset = (MISTAKE == 4 -> S.want : S.next);
    if
    :: S.changes && S.next > S.mark -> leave (FOREIGN)
    :: else
    fi
}

/* Passes over the first hole, if the reader has its bytes from the other sender. */
inline pass ()
{
    k = S.next;
    segment = S.segment;
    do
    :: k < N && (S.got[k] || S.passed[k]) ->
        segment = (S.got[k] -> SEGMENT (k) : NONE);
        k++
    :: else -> break
    od;
    x = k;
    do
    :: x < N && !S.got[x] -> x++
    :: else -> break
    od;
    if
    :: x < N && x > k && S.offset != NONE && segment != NONE &&
            (segment == SEGMENT (x) || MISTAKE == 1) && SAME_SEGMENT (x) && WIDEN (x) <= next + (MISTAKE == 2) ->
        for (i : k .. x - 1) {
            S.passed[i] = true
        }
    :: else
    fi
}

/* SKIP and POSITION come, as the sender knows that the reader has the bytes before @x. */
inline skip_to ()
{
    x = x + (MISTAKE == 3);
    k = FIND (x);
    if
    :: k > S.next && k <= S.head && !(S.changes && k > S.mark) ->
        for (i : S.next .. k - 1) {
            S.passed[i] = S.passed[i] || !S.got[i]
        }
        S.said[k] = (MISTAKE != 7)
    :: else
    fi
}

/* Is a block behind @k known to begin where the reader has everything? Then it has block @k, too. */
#define LATER(n) (S.said[n] && n > k && n <= next)
#define KNOWN_LATER (LATER (1) || LATER (2) || LATER (3))   /* up to N */

/* The next block in order is read. */
inline read ()
{
    k = S.next;
    if
    :: S.passed[k] -> S.gap = true
    :: else ->
        if
        :: S.said[k] && (S.gap || S.offset == NONE) -> S.offset = k
        :: S.gap && !S.said[k] && SAME_SEGMENT (k) && S.offset != NONE -> S.offset = WIDEN (k)
        :: S.gap && !S.said[k] && !(SAME_SEGMENT (k) && S.offset != NONE) -> S.offset = NONE
        :: else
        fi;
        S.gap = false;
        S.segment = SEGMENT (k);
        if
        :: k == S.mark -> S.offset = k + 1
        :: k != S.mark && S.offset == NONE && KNOWN_LATER && MISTAKE != 8
        :: else ->
            assert (S.offset != NONE);   /* placed */
            S.held = S.offset;
            S.block = k;
            S.offset++
        fi
    fi;
    S.next++;
    if
    :: k == S.mark && S.changes && S.got[k] -> leave (FOREIGN)
    :: else -> S.passed[k] = false; S.got[k] = false; S.said[k] = false
    fi
}

/* The byte that source @j holds is delivered. */
inline deliver ()
{
    assert (S.held == S.block && S.block != S.mark && !(S.changes && S.mark < S.block));   /* true */
    assert (S.held >= next);   /* once */
    for (x : next .. N - 1) {
        assert (x >= S.held || !(HAS (0, x) || HAS (1, x)))   /* passed */
    }
    next = S.held + 1;
    S.held = NONE;
    S.block = NONE
}

#define DROPS (MISTAKE != 5)
#define DONE(s) ((source[s].state == FOREIGN || source[s].next == N) && source[s].held == NONE)
#define CLEAR j = 0; k = 0; x = 0; i = 0; segment = 0

active proctype all ()
{
    byte j, k, x, i, segment;

    atomic {
        for (j : 0 .. 1) {
            leave (IDLE);
            S.held = NONE;
            S.block = NONE;
            S.mark = NONE;
            if :: true :: S.mark = 1 fi
        }
        if :: source[0].mark != NONE -> source[0].changes = true :: true fi;
        CLEAR
    };
end:
    do
    :: atomic { select (j : 0 .. 1);
        if
        :: S.head < N -> S.head++
        :: S.state == IDLE -> S.state = CALLING; S.want = next
        :: S.state == CALLING -> begin ()
        :: S.state == UP && outages < OUTAGES -> outages++; leave (IDLE)
        :: S.state == UP -> pass ()
        :: S.state == UP -> select (x : 0 .. N);
            if :: x <= next -> skip_to () :: else fi
        :: S.state == UP -> select (k : 0 .. N - 1);
            S.got[k] = S.got[k] || (k >= S.next && k < S.head && !S.passed[k])
        :: S.state == UP && S.held == NONE && S.next < N && (S.got[S.next] || S.passed[S.next]) -> read ()
        :: else
        fi;
        CLEAR }
    /* the reader has this byte already */
    :: atomic { select (j : 0 .. 1);
        if
        :: S.held != NONE && S.held < next && DROPS -> S.held = NONE; S.block = NONE
        :: S.held != NONE && S.held < next && !DROPS -> deliver ()
        :: S.held == next && S.held != NONE -> deliver ()
        :: j == leader && S.state != UP && S.held == NONE && source[1 - j].state == UP -> leader = 1 - j
        /* a gap: the other sender may bring what is missing; else the nearest byte comes */
        :: j == leader && S.held != NONE && S.held > next && source[1 - j].held == NONE &&
                (MISTAKE == 6 || !MAY_BRING (1 - j)) -> deliver ()
        :: j == leader && S.held != NONE && S.held > next && source[1 - j].held != NONE && source[1 - j].held > next ->
            j = (source[1 - j].held < S.held -> 1 - j : j);
            deliver ()
        :: else
        fi;
        CLEAR }
    /* nothing more comes */
    :: atomic { DONE (0) && DONE (1) -> assert (next == N) }   /* goes on */
    od
}
