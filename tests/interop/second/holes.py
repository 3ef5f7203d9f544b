# SPDX-License-Identifier: LGPL-2.1-or-later
"""What has come on one flow, and which holes in its packet numbers are settled (docs/protocol.md, section 5)."""

FIRST_DELAY, LEAST_ALLOWED, HALVE_AFTER = 1000, 50000, 10000000     # µs
REMEMBERED = 256            # settled holes in which something may still arrive
MOST_ARRIVALS = 4096        # packets since the last FEEDBACK


class Hole:
    __slots__ = ("low", "high", "seen", "lacking")

    def __init__(self, low, high, seen):
        self.low, self.high, self.seen, self.lacking = low, high, seen, high - low + 1


class Arrivals:
    """@open holes are not settled, and in the order of their numbers."""

    def __init__(self):
        self.largest, self.when, self.received = -1, 0, 0
        self.open, self.settled_holes, self.holes = [], [], 0
        self.delay, self.worst, self.halve_at = FIRST_DELAY, 0, HALVE_AFTER
        self.since = []             # (number, when) of what has come since the last FEEDBACK
        self.heard = None

    def add(self, now, pn):
        self.received += 1
        self.heard = now
        if len(self.since) < MOST_ARRIVALS:
            self.since.append((pn, now))
        if pn > self.largest:
            if pn > self.largest + 1:
                self.open.append(Hole(self.largest + 1, pn - 1, now))
            self.largest, self.when = pn, now
            return
        for i, hole in enumerate(self.open):
            if hole.low <= pn <= hole.high:
                self.displaced(now - hole.seen)
                parts = ((hole.low, pn - 1), (pn + 1, hole.high))
                self.open[i:i + 1] = [Hole(low, high, hole.seen) for low, high in parts if low <= high]
                return
        for hole in self.settled_holes:
            if hole.low <= pn <= hole.high:
                self.displaced(now - hole.seen)
                hole.lacking -= 1
                if not hole.lacking:
                    self.holes -= 1
                    self.settled_holes.remove(hole)
                return

    def displaced(self, by):
        self.worst = max(self.worst, by)
        self.delay = max(self.delay, by * 5 // 4)

    def settle(self, now, most):
        """True: a hole is settled now. @most: µs that may be waited at most."""
        if now >= self.halve_at:
            self.halve_at = now + HALVE_AFTER
            self.delay = max(FIRST_DELAY, self.delay // 2, self.worst * 5 // 4)
            self.worst = 0
        wait, before = min(self.delay, max(most, LEAST_ALLOWED)), self.holes
        while self.open and now >= self.open[0].seen + wait:
            self.settled_holes = [*self.settled_holes[1 - REMEMBERED:], self.open.pop(0)]
            self.holes += 1
        return self.holes > before

    def due(self, most):
        return self.open[0].seen + min(self.delay, max(most, LEAST_ALLOWED)) if self.open else None

    def unsettled(self):
        """The document's field: largest - settled."""
        return self.largest - self.open[0].low + 1 if self.open else 0

    def take_arrivals(self, count):
        """Up to @count (back, before) of what has come beside the largest, evenly spaced, from the newest."""
        found, pn, when = [], self.largest, self.when
        others = sorted((p for p in self.since if p[0] < self.largest), reverse=True)
        step = max(1, -(-len(others) // max(count, 1)))
        for number, at in others[::step][:count]:
            if 1 <= pn - number <= 1 << 20 and 0 <= when - at < 1 << 32:
                found.append((pn - number, when - at))
                pn, when = number, at
        self.since = []
        return tuple(found)
