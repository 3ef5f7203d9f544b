# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which path a flow has, and how it moves to another one (docs/protocol.md, sections 5.2 and 6).

A path is a pair: which of our sockets, and the peer's address."""

MOST_TOKENS = 16                    # PINGs of a flow that an end remembers
PINGS = 3                           # to a candidate, for each datagram that comes from it
FIRST_GAP, LAST_GAP, STEADY = 100000, 1000000, 800000      # µs between PINGs; for how long the first gap stays
LEAST_WAIT = 10000                  # µs
WAITS_BESIDE = 3                    # waits in a row, where both have answered before
SILENT = 1000000                    # µs without a datagram, after which a path is asked


class RoundTrip:
    """Smoothed as in RFC 6298; @smooth is None while it is not known. µs."""

    def __init__(self):
        self.smooth, self.variation = None, 0

    def add(self, sample):
        sample = max(sample, 1)
        if self.smooth is None:
            self.smooth, self.variation = sample, sample // 2
        else:
            self.variation += (abs(sample - self.smooth) - self.variation) // 4
            self.smooth += (sample - self.smooth) // 8

    def wait(self):
        return max(LEAST_WAIT, (self.smooth or 0) + 4 * self.variation)


class Candidate:
    """A path that may become that of the flow."""

    def __init__(self, now, path):
        self.path, self.since, self.next_ping, self.pings = path, now, now, PINGS
        self.wait_began = self.wait_ends = None
        self.answered = None            # when, last
        self.waits, self.counted = 0, None      # in a row in which this alone has answered; the last one's beginning

    def gap(self, now):
        age = now - self.since
        return FIRST_GAP if age < STEADY else min(age // 8, LAST_GAP)


class Flow:
    """@send (flow, path, kind) sends a PING."""

    def __init__(self, number, path, proved, send, now):
        self.number, self.path, self.proved, self.send_ping = number, path, proved, send
        self.candidate, self.beside = None, False   # beside: the address answered while a candidate was asked
        self.rtt = RoundTrip()
        self.tokens = {}                # of PINGs: kind, path, when, packet number
        self.heard = now
        self.asked, self.gap = None, 0  # the last PING to a silent path, µs until the next one
        self.dead = False
        self.moves = 0

    def remember(self, token, kind, path, now, pn):
        self.tokens[token] = kind, path, now, pn
        if len(self.tokens) > MOST_TOKENS:
            del self.tokens[next(iter(self.tokens))]

    def came(self, now, path, newest):
        """A valid datagram came by @path; @newest: with the highest packet number yet."""
        if path == self.path:
            self.heard, self.gap = now, 0
        elif newest:
            if not self.candidate or self.candidate.path != path:
                before = self.candidate
                self.candidate = Candidate(now, path)
                if before:
                    self.candidate.next_ping = max(now, before.next_ping)
            self.candidate.pings = PINGS

    def answered(self, now, token, path):
        """A PONG. Returns its PING's (packet number, round trip), where that tells anything of the peer."""
        kind, went, sent, pn = self.tokens.pop(token)
        c = self.candidate
        if kind == "candidate":
            if c and went == c.path == path:
                c.answered = now
                if not self.proved:
                    self.adopt(now)
                elif c.wait_ends is None:
                    self.count_wait(now)
            return None
        if kind == "address" and c and c.wait_began is not None and sent >= c.wait_began:
            self.beside, c.waits, c.wait_began, c.wait_ends, c.answered = True, 0, None, None, None
        if went == self.path and (path == went or not self.proved):
            self.proved, self.heard, self.dead = True, now, False
        return pn, now - sent

    def adopt(self, now):
        self.path, self.proved, self.candidate, self.beside = self.candidate.path, True, None, False
        self.heard, self.rtt, self.dead, self.gap = now, RoundTrip(), False, 0
        self.moves += 1

    def count_wait(self, now):
        """A wait is over. True: the candidate, which alone has answered since it began, is the address now."""
        c = self.candidate
        if c.wait_began is None or c.answered is None or c.answered < c.wait_began or c.counted == c.wait_began:
            return False
        c.counted, c.waits = c.wait_began, c.waits + 1
        if c.waits < (WAITS_BESIDE if self.beside else 1):
            return False
        self.adopt(now)
        return True

    def poll(self, now):
        c = self.candidate
        if c and c.wait_ends is not None and now >= c.wait_ends:
            c.wait_ends = None
            if self.count_wait(now):
                return
        if c and c.pings and now >= c.next_ping:
            c.pings -= 1
            c.next_ping = now + c.gap(now)
            self.send_ping(self, c.path, "candidate")
            if self.proved and c.wait_ends is None and (c.wait_began is None or (c.answered or 0) >= c.wait_began):
                c.wait_began, c.wait_ends = now, now + self.rtt.wait()
                for _ in range(2):
                    self.send_ping(self, self.path, "address")
        if self.path and now >= self.when_silent():
            self.asked, self.gap = now, min(self.gap + FIRST_GAP, LAST_GAP)
            self.send_ping(self, self.path, "silent")

    def when_silent(self):
        return self.asked + self.gap if self.gap else self.heard + SILENT

    def ask_now(self, now):
        self.asked, self.gap = now, FIRST_GAP
        self.send_ping(self, self.path, "silent")

    def due(self):
        times = [self.when_silent()] if self.path else []
        if self.candidate:
            times += [self.candidate.next_ping] if self.candidate.pings else []
            times += [self.candidate.wait_ends] if self.candidate.wait_ends is not None else []
        return min(times, default=None)
