# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sender's half of a session: what goes next, what is lost, TAIL and PROMISE (docs/protocol.md, section 5)."""

import heapq

from . import frames, hello, seal
from .store import NOT_KNOWN
from .wire import extend

IP_UDP = 28                             # bytes of headers in front of a datagram
BURST = 20000                           # µs of the pace that may leave at once
TAIL_FIRST, TAIL_MOST = 8000, 100000    # µs
STALL, STALL_TAIL = 5000000, 100000     # µs
PROMISE_GAP = 500000                    # µs; liveness asks for as much
LOST_BY_TIME = 15000                    # µs beyond the flow's round trip
BEFORE_FEEDBACK = 10                    # packets to a caller that has reported nothing
LEAST_LOSS, DEAD_CHANCE = .001, 1e-4
MOST_WINDOW = 1 << 22                   # units
LEAST_BUDGET = 16000                    # bytes/s of FEEDBACK


class Sent:
    """What went by one flow."""

    def __init__(self):
        self.settled = self.largest = -1
        self.packets = {}               # number: block or None, when, size
        self.lost = self.gone = 0       # datagrams, for its own loss
        self.row = 0                    # lost by time, one behind the other


class Transmit:
    """@rate: bytes/s from the IP header up. @start: the first block that this session sends."""

    def __init__(self, session, store, rate, latency, start, fragment=0):
        self.session, self.store, self.rate, self.latency, self.fragment = session, store, rate, latency, fragment
        self.ack = self.next = self.start = start
        for n in range(start, store.next):
            store.blocks[n].forget()
        self.window_end = store.units_at(start) + min(session.agreed.peer.get("window", 0), MOST_WINDOW)
        self.serial, self.feedbacks = -1, 0
        self.flows = [Sent() for _ in session.flows]
        self.undecided, self.lost, self.queued = set(), [], set()
        self.pace_at = self.progress = self.last_block = session.now
        self.tail_at, self.tail_gap, self.promise_at, self.promise_serial = None, 0, session.now, 0
        self.skip_to, self.skip_at = 0, 0
        self.turn = 0
        self.retransmitted = self.sent_blocks = self.ignored = 0
        self.stands_by = False

    # --- FEEDBACK

    def handle(self, now, flow, frame):
        if isinstance(frame, frames.Feedback):
            if self.is_believable(frame):
                self.take_feedback(now, frame)
            else:
                self.ignored += 1

    def arrived(self, now, flow, pn, size):
        pass

    def newest(self, flow, low):
        """The newest packet that was sent with these low bits; below 0: none."""
        last = self.session.sealer.next.get(flow, 0) - 1
        return last - (last - low & 0xffffff)

    def is_believable(self, f):
        if extend(f.serial, 32, max(self.serial, 0)) <= self.serial or f.ack > self.next or f.end > self.next:
            return False
        if len({e.flow for e in f.flows}) < len(f.flows):
            return False
        for e in f.flows:
            if e.received == 0:
                continue
            if e.flow >= len(self.flows):
                return False
            largest = self.newest(e.flow, e.largest)
            if largest < 0 or e.unsettled > largest + 1 or e.received > largest + 1:
                return False
        return True

    def take_feedback(self, now, f):
        self.serial = extend(f.serial, 32, max(self.serial, 0))
        self.feedbacks += 1
        for e in f.flows:
            if e.received:
                self.take_report(now, e)
        if f.ack > self.ack:
            self.ack, self.progress = f.ack, now
            self.store.drop_below(f.ack)
        if f.ack == self.ack:
            self.window_end = max(self.window_end, self.store.units_at(f.ack) + min(f.window, MOST_WINDOW))
        missing = set()
        for first, length in f.missing:
            missing.update(range(first, min(first + length, self.next)))
        for n in list(self.undecided):
            if n < self.ack or f.start <= n < f.end and n not in missing:
                self.undecided.discard(n)
                if n in self.store.blocks:
                    self.store.blocks[n].received = True
            elif n in missing or n >= f.end and f.flags & frames.NOTHING_ABOVE:
                self.undecided.discard(n)
                self.lose(n)
        if f.flags & frames.HAS:
            self.take_position(now, f.has)
        self.stands_by = bool(f.flags & frames.STAND_BY) and not self.store.finished

    def take_report(self, now, e):
        flow, sent = self.session.flows[e.flow], self.flows[e.flow]
        largest = self.newest(e.flow, e.largest)
        if largest in sent.packets:
            sample = now - sent.packets[largest][1] - e.delay
            flow.rtt.add(sample)
            self.session.rtt.add(sample)
        self.session.sealer.confirm(e.flow, largest)
        if largest > sent.largest:
            sent.largest, sent.row, flow.dead = largest, 0, False
            flow.heard = now
        for pn in range(sent.settled + 1, largest - e.unsettled + 1):
            self.settle(sent, pn)
        sent.settled = max(sent.settled, largest - e.unsettled)
        if len(self.flows) > 1:
            self.lose_by_time(now, flow, sent)

    def settle(self, sent, pn):
        packet = sent.packets.pop(pn, None)
        sent.gone += 1
        block = packet and packet[0] is not None and self.store.blocks.get(packet[0])
        if block:
            block.under_way -= 1
            if block.under_way == 0 and not block.received:
                self.undecided.add(packet[0])

    def lose_by_time(self, now, flow, sent):
        before = now - (flow.rtt.smooth or 0) - max(LOST_BY_TIME, 4 * flow.rtt.variation)
        for pn in [p for p, (_, at, _) in sent.packets.items() if p > sent.largest and at < before]:
            self.settle(sent, pn)
            sent.lost += 1
            sent.row += 1
        loss = max(LEAST_LOSS, sent.lost / max(sent.gone, 1))
        if loss < 1 and loss ** sent.row < DEAD_CHANCE and not flow.dead:
            flow.dead = True
            for pn in list(sent.packets):
                self.settle(sent, pn)

    def lose(self, n):
        if n in self.store.blocks and n not in self.queued and n < self.next:
            self.queued.add(n)
            heapq.heappush(self.lost, n)

    def take_position(self, now, has):
        """The receiver has all before that byte: skip to it, if something below would be sent otherwise."""
        n = self.store.find(*has)
        if n is not None and n > self.ack and (n > self.next or any(m < n for m in self.lost)):
            self.skip(n)

    def skip(self, n):
        self.next, self.skip_to, self.skip_at = max(self.next, n), max(self.skip_to, n), self.session.now
        self.lost = [m for m in self.lost if m >= n]
        heapq.heapify(self.lost)
        self.queued = set(self.lost)

    # --- what goes next

    def may_be_finished(self):
        return True

    def before_close(self, now):
        return []

    def is_idle(self):
        """Everything of the stream that there is has been acknowledged."""
        return self.ack >= self.store.next

    def is_stalled(self, now):
        return self.ack < self.next and now - self.progress > max(STALL, 4 * (self.session.rtt.smooth or 0))

    def next_new(self):
        block = self.store.blocks.get(self.next)
        if block is None or block.units_before + block.units > self.window_end:
            return None
        return block

    def is_held(self):
        """A caller that has reported nothing gets little."""
        return not self.session.agreed.caller and not self.feedbacks and self.sent_blocks >= BEFORE_FEEDBACK

    def choose(self, block):
        """A flow in turn; for what is sent again, one that did not carry it first or last."""
        flows = self.session.carriers()
        if block.flows:
            flows = [f for f in flows if f.number not in (block.flows[0], block.flows[-1])] or flows
        self.turn += 1
        return flows[self.turn % len(flows)].number

    def send(self, now, flow, parts, number=None):
        pn, size = self.session.send(flow, parts)
        self.pace_at = max(self.pace_at, now - BURST) + (size + IP_UDP) * 1000000 // self.rate
        self.flows[flow].packets[pn] = number, now, size
        return pn

    def send_block(self, now, number):
        block = self.store.blocks[number]
        again = bool(block.flows)
        block.round = min(block.round + again, 7)
        for payload, fragment in self.cut(block.payload):
            flow = self.choose(block)
            data = frames.Data(block.round, 0, block.mark, number & 0xffffff, block.media, payload, fragment)
            self.send(now, flow, [*self.offset_of(block), data], number)
            block.under_way += 1
        block.flows = [*block.flows[:1], flow]
        self.sent_blocks += 1
        self.retransmitted += again
        self.last_block, self.tail_at, self.tail_gap = now, now + TAIL_FIRST, TAIL_FIRST

    def cut(self, payload):
        """A block, or its fragments: (payload, fragment)."""
        size = len(payload)
        if not self.fragment or size <= self.fragment:
            return [(payload, None)]
        count = -(-size // self.fragment)
        each = -(-size // count)
        return [(payload[i * each:(i + 1) * each], (i, count, size)) for i in range(count)]

    def offset_of(self, block):
        if "offsets" not in self.session.agreed.peer or block.offset == NOT_KNOWN:
            return []
        return [frames.Offset(0, block.offset & 0xffffffff)]

    def poll(self, now):
        if now >= self.promise_at:
            self.send_promise(now)
        if self.skip_to > self.ack and now >= self.skip_at:
            self.skip_at = now + max(10000, self.session.rtt.smooth or 100000)
            where = self.store.position(self.skip_to)
            parts = [frames.Position(self.skip_to, *where)] if where else []
            self.send(now, self.session.carriers()[0].number, [*parts, frames.Skip(self.skip_to)])
        stalled = self.is_stalled(now)
        while not stalled and not self.stands_by and now >= self.pace_at and not self.is_held():
            if self.lost:
                number = heapq.heappop(self.lost)
                self.queued.discard(number)
                if number >= self.ack and not self.store.blocks[number].received:
                    self.send_block(now, number)
            elif self.next_new():
                if self.ack == self.next:
                    self.progress = now
                self.send_block(now, self.next)
                self.next += 1
            else:
                break
        self.poll_tail(now, stalled)
        if self.store.finished and self.is_idle():
            self.session.close(1)

    def poll_tail(self, now, stalled):
        waits = self.ack < self.next or self.store.next > self.next
        if not waits or self.stands_by or not stalled and (self.lost or self.next_new() and not self.is_held()):
            self.tail_at = None if not waits else self.tail_at
            return
        if self.tail_at is None:
            self.tail_at, self.tail_gap = now + TAIL_FIRST, TAIL_FIRST
        if now < self.tail_at or self.is_held() and now < self.last_block + STALL_TAIL:
            return
        rtt = self.session.rtt.smooth or TAIL_MOST
        self.tail_gap = STALL_TAIL if stalled else min(max(2 * self.tail_gap, rtt), max(TAIL_MOST, rtt))
        self.tail_at = now + self.tail_gap
        for flow in self.session.carriers():
            if self.flows[flow.number].largest < self.session.sealer.next.get(flow.number, 0) - 1 or len(self.flows) == 1:
                self.send(now, flow.number, [frames.Tail(self.next)])

    def send_promise(self, now):
        self.promise_at = now + PROMISE_GAP
        self.promise_serial += 1
        parts = [frames.Promise(self.promise_serial, self.latency, 3600, max(LEAST_BUDGET, self.rate // 256))]
        flow, told = self.session.carriers()[0], None
        if self.session.rtt.smooth is None:
            ping, told = self.session.make_ping(flow, "round trip")
            parts.insert(0, ping)
        pn = self.send(now, flow.number, [*parts, *self.session.next_frame(now)])
        if told:
            told(pn)

    def due(self):
        times = [self.promise_at]
        if self.lost or self.next_new() and not self.is_held():
            times.append(self.pace_at)
        if self.tail_at is not None and self.ack < self.store.next:
            times.append(self.tail_at)
        if self.skip_to > self.ack:
            times.append(self.skip_at)
        return min(times)


def block_size(datagram, cipher):
    """Bytes of a block whose datagram has so many, with an OFFSET in front of it."""
    return datagram - seal.HEADER - seal.tag_size(cipher) - 8 - 6


def latency_of(own, peer):
    """What both have asked for, in ms: the larger, or 1000."""
    asked = [h["latency"] for h in (own, peer) if h.get("latency", hello.FIND_LATENCY) != hello.FIND_LATENCY]
    return max(asked, default=1000)
