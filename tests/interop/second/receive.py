# SPDX-License-Identifier: LGPL-2.1-or-later
"""The receiver's half of a session: when FEEDBACK leaves and what it states (docs/protocol.md, 4.2 and 5)."""

from . import frames, hello
from .holes import Arrivals
from .order import Order

IP_UDP = 28                                     # bytes of headers in front of a datagram
REPEATS = [2000] * 16 + [4000] * 16             # µs between reports of a loss; then
LAST_REPEAT = 8000
REGULAR_LEAST, REGULAR_MOST, IDLE = 10000, 100000, 500000       # µs
SHARE, LEAST_SHARE, LARGEST_SHARE, AT_ONCE = 64, 4000, 8, 8000  # of the bytes received; bytes/s; bytes
PING_GAP = 1000000                              # µs
MOST_LATENCY = 600000                           # ms
LEAST_BUDGET, BUDGET_AHEAD, BUDGET_WAIT = 1000, .125, 250000    # bytes/s; s; µs
FLOWS_AT_ONCE, RANGES = 16, 200                 # in a FEEDBACK, so that it stays below 1200 bytes
ARRIVALS_SHARED = 16


class Share:
    """A bucket of bytes."""

    def __init__(self, room):
        self.room = self.most = room
        self.at = None

    def fill(self, now, rate, most):
        if self.at is not None:
            self.room = min(self.room + rate * (now - self.at) / 1e6, most)
        self.at = now


class Receive:
    def __init__(self, session, place, window, latency):
        self.session, self.latency = session, latency
        peer = session.agreed.peer
        self.order = Order(place, peer.get("start", 0), window, peer)
        self.flows = [Arrivals() for _ in session.flows]
        self.serial, self.turn = 0, 0
        self.find_latency = hello.FIND_LATENCY in (peer.get("latency"), session.agreed.own.get("latency"))
        self.in_force = 0 if self.find_latency else latency     # ms, as FEEDBACK states it
        self.promise, self.budget = 0, 0
        self.share, self.ahead = Share(AT_ONCE), Share(0)
        self.rate, self.bytes, self.rate_at = 0, 0, session.now
        self.last = session.now - IDLE          # the last FEEDBACK
        self.at_once, self.repeats, self.repeat_at = True, 0, None
        self.ping_at = session.now
        self.fresh = self.told_end = False      # data has come since the last FEEDBACK
        self.told_ack = self.told_window = self.order.ack
        self.sent = self.forwards = self.doubles = 0

    # --- in

    def arrived(self, now, flow, pn, size):
        self.bytes += size + IP_UDP
        self.flows[flow].add(now, pn)

    def handle(self, now, flow, frame):
        order = self.order
        if isinstance(frame, frames.Data):
            new = order.take(frame)
            self.forwards += new
            self.doubles += not new
            self.fresh = True
        elif isinstance(frame, frames.Tail):
            order.exists(frame.n)
            self.at_once = True
        elif isinstance(frame, frames.Skip):
            order.skip(frame.n)
            self.at_once = True
        elif isinstance(frame, frames.Position):
            order.note_position(frame.n, frame.origin, frame.offset)
        elif isinstance(frame, frames.Promise):
            if frame.latency <= MOST_LATENCY and frame.serial >= self.promise:
                self.promise, self.budget = frame.serial, frame.budget and max(frame.budget, LEAST_BUDGET)
                self.in_force = frame.latency or self.in_force
        if order.ended and not self.told_end:
            self.at_once = self.told_end = True

    # --- out

    def may_be_finished(self):
        return self.order.ended

    def before_close(self, now):
        return [self.make_feedback(now, *self.state()[-1])]

    def regular(self):
        return min(max((self.session.rtt.smooth or 0) // 4, REGULAR_LEAST), REGULAR_MOST)

    def most_wait(self):
        return max(0, self.latency * 1000 - (self.session.rtt.smooth or 0)) // 2

    def fill(self, now):
        if now - self.rate_at >= 500000:
            self.rate = self.bytes * 1000000 // (now - self.rate_at)
            self.bytes, self.rate_at = 0, now
        self.share.fill(now, min(max(self.rate // SHARE, LEAST_SHARE), max(self.rate // LARGEST_SHARE, 500)), AT_ONCE)
        if self.budget:
            self.ahead.fill(now, self.budget, self.budget * BUDGET_AHEAD)

    def poll(self, now):
        self.fill(now)
        for arrivals in self.flows:
            if arrivals.settle(now, self.most_wait()):
                self.at_once, self.repeats, self.repeat_at = True, 0, now
        if self.is_due(now):
            self.speak(now)

    def is_due(self, now):
        """Whether FEEDBACK leaves now."""
        due = now >= self.last + IDLE or self.fresh and now >= self.last + self.regular()
        wanted = self.at_once or self.repeat_at is not None and now >= self.repeat_at and self.order.lacks_something()
        if not due and not (wanted and self.share.room > 0):
            return False
        return not self.budget or self.ahead.room > 0 or now >= self.last + BUDGET_WAIT

    def speak(self, now):
        ping, told = None, None
        for start, end, ranges, last in self.state():
            flow = self.choose(now)
            parts = [self.make_feedback(now, start, end, ranges, last)]
            if now >= self.ping_at:
                self.ping_at = now + PING_GAP
                ping, told = self.session.make_ping(flow, "round trip")
                parts += [ping, *self.session.next_frame(now)]
            pn, size = self.session.send(flow.number, parts)
            if told:
                told(pn)
                told = None
            self.share.room -= size + IP_UDP
            self.ahead.room -= size + IP_UDP
            self.sent += 1
        self.last, self.at_once, self.fresh = now, False, False
        if self.order.lacks_something():
            gap = REPEATS[self.repeats] if self.repeats < len(REPEATS) else LAST_REPEAT
            self.repeats, self.repeat_at = self.repeats + 1, now + gap
        else:
            self.repeats, self.repeat_at = 0, None

    def choose(self, now):
        """In turn those that have brought the stream, and every fourth time any."""
        flows = self.session.carriers()
        self.turn += 1
        heard = [f for f in flows if (self.flows[f.number].heard or 0) >= now - 1000000]
        if heard and self.turn % 4:
            flows = heard
        return flows[self.turn % len(flows)]

    def state(self):
        """(from, end, ranges, whether it is the last part) of each FEEDBACK that it takes."""
        lists, order = self.order.ranges(RANGES), self.order
        start, found = order.ack, []
        for i, ranges in enumerate(lists):
            last = i == len(lists) - 1
            end = max(order.high, order.ack) if last else sum(ranges[-1])
            found.append((start, end, ranges, last))
            start = end
        return found

    def make_feedback(self, now, start, end, ranges, last):
        wants = self.session.agreed.peer.get("arrivals", 0) and self.session.agreed.own.get("arrivals", 0)
        flags = (frames.NOTHING_ABOVE if last else 0) | (frames.ARRIVALS if wants else 0)
        known = [i for i, a in enumerate(self.flows) if a.received]
        known = (known[self.turn % len(known):] + known[:self.turn % len(known)])[:FLOWS_AT_ONCE] if known else []
        reports = []
        for i in known:
            a = self.flows[i]
            arrivals = a.take_arrivals(max(1, min(wants, ARRIVALS_SHARED) // len(known))) if wants else ()
            reports.append(frames.FlowReport(i, a.largest & 0xffffff, a.unsettled(), now - a.when, a.received, a.holes, 0,
                                             arrivals))
        self.serial += 1
        return frames.Feedback(flags, self.serial & 0xffffffff, now & 0xffffffff, self.order.ack, self.order.window,
                               self.in_force, 0, 0, None, tuple(reports), start, end, tuple(ranges))

    def due(self):
        times = [self.last + (self.regular() if self.fresh else IDLE)]
        times += [t for t in (a.due(self.most_wait()) for a in self.flows) if t is not None]
        if self.repeat_at is not None and self.share.room > 0:
            times.append(self.repeat_at)
        if self.at_once:
            times.append(self.last + 1000)
        return min(times)
