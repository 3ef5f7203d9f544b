# SPDX-License-Identifier: LGPL-2.1-or-later
"""One session: datagrams in and out, paths, keys, liveness and the end (docs/protocol.md, sections 2.1, 5 to 7).

What a sender or a receiver does with its frames is in transmit.py and receive.py."""

from typing import NamedTuple

from . import frames, hello, noise, seal
from .path import Flow, RoundTrip
from .wire import Malformed

FINISHED, STOPPED, TOO_SLOW, REFUSED, BUSY, SAME_ROLE, UNSUPPORTED, KEY, ENCRYPTION = range(1, 10)
SILENCE, RESUME_TIMEOUT, NO_ROUND_TRIP = 2000000, 30000000, 4000000     # µs
CLOSE_ROUNDS, CLOSE_FOR = 3, (1000000, 3000000)     # waits of the round trip; the least and the most µs
CLOSE_LEAST, CLOSE_MOST = 10000, 100000             # µs between repetitions
MOST_PONGS = 64
PONGS_AT_ONCE, PONG_GAP = 3, 100000     # to an address that is not proved; µs
AGREE_AFTER, AGREE_GAP = 60, 60000000   # keys made one of the other; µs between agreements
LAST_REPEAT = 2000000                   # µs, the longest time between repetitions of AGREE and of a key's PING
NEXT_AFTER = 10000000                   # µs


class Agreed(NamedTuple):
    """What a handshake has made."""
    caller: bool
    own: dict               # our hello
    peer: dict              # the peer's hello
    cipher: int
    keys: tuple             # the caller's, the listener's
    flows: int

    def resume_key(self):
        return noise.resume_key(*self.keys)


class Session:
    """@half makes the sender's or the receiver's part of it."""

    def __init__(self, now, agreed, random, path, half, phase_time=seal.PHASE_TIME, agree_after=AGREE_AFTER):
        self.agreed, self.random, self.agree_after = agreed, random, agree_after
        ours, theirs = agreed.keys if agreed.caller else agreed.keys[::-1]
        self.sealer = seal.Sealer(now, agreed.cipher, ours, agreed.peer["id"], phase_time)
        self.opener = seal.Opener(agreed.cipher, theirs)
        self.now, self.out, self.pongs = now, [], []
        self.flows = [Flow(i, None, False, self.ping, now) for i in range(agreed.flows)]
        self.flows[0].path, self.flows[0].proved = path
        self.rtt = RoundTrip()
        self.heard = self.spoke = now
        self.counts = dict.fromkeys(("malformed", "duplicate", "forged", "received"), 0)
        self.pong_room, self.pong_at = {}, now
        self.close_reason = self.close_text = None      # ours
        self.close_until = self.next_close = self.close_got = None
        self.peer_reason = None
        self.private, self.serial, self.agree_at, self.agree_gap = None, 0, None, 0
        self.agreed_at, self.answer, self.pending, self.agreements = None, None, None, 0
        self.key_ping_at, self.key_ping_gap = None, 0
        self.datagram_max = min(max(agreed.peer.get("datagram max", 1200), 512), seal.MOST)
        self.half = half(self)

    # --- out

    def send(self, flow, parts, path=None):
        """Frames in a datagram of a flow, which is a number; returns its packet number and size."""
        tag = seal.tag_size(self.agreed.cipher)
        plain = frames.write(parts)
        lacking = seal.FILLED - seal.HEADER - tag - len(plain)
        if lacking > 0 and isinstance(parts[-1], (frames.Data, frames.Repair)):
            plain = frames.write([frames.Pong(bytes(8)), frames.Expired(0)]) + plain
        else:
            plain += bytes(max(lacking, 0))
        pn, datagram = self.sealer.seal(flow, plain)
        self.out.append((path or self.flows[flow].path, datagram))
        self.spoke = self.now
        return pn, len(datagram)

    def ping(self, flow, path, kind):
        token = self.random(8)
        pn, _ = self.send(flow.number, [frames.Ping(token)], path)
        flow.remember(token, kind, path, self.now, pn)

    def make_ping(self, flow, kind):
        """A PING that goes with other frames by the flow's own path; its packet number follows."""
        token = self.random(8)
        return frames.Ping(token), lambda pn: flow.remember(token, kind, flow.path, self.now, pn)

    def carriers(self):
        """Flows that carry: proved, and not dead unless all are."""
        proved = [f for f in self.flows if f.proved]
        return [f for f in proved if not f.dead] or proved

    # --- in

    def take(self, now, path, datagram):
        """A session datagram with our connection id. True: it was valid."""
        self.now = now
        flow, pn = (datagram[0] & 63), None
        try:
            seal.check_size(datagram)
            if flow >= len(self.flows):
                raise Malformed("flow")
            flow, pn = self.opener.number(datagram)
            if pn is None:
                self.counts["duplicate"] += 1
                return False
            largest = self.opener.largest(flow)
            plain = self.opener.open(flow, pn, datagram)
        except noise.Unopened:
            self.counts["forged"] += 1
            return False
        except Malformed:
            self.counts["malformed"] += 1
            return False
        self.counts["received"] += 1
        self.heard = now
        self.flows[flow].came(now, path, pn > largest)
        self.half.arrived(now, flow, pn, len(datagram))
        try:
            for frame in frames.parse(plain):
                self.handle(now, self.flows[flow], path, frame)
        except Malformed:
            self.counts["malformed"] += 1
        self.follow_secret()
        return True

    def handle(self, now, flow, path, frame):
        if isinstance(frame, frames.Ping):
            if len(self.pongs) < MOST_PONGS and self.may_answer(now, flow, path):
                self.pongs.append((flow.number, path, frame.token))
        elif isinstance(frame, frames.Pong):
            self.handle_pong(now, path, frame.token)
        elif isinstance(frame, frames.Close):
            self.handle_close(now, frame)
        elif isinstance(frame, frames.Agree):
            self.handle_agree(now, frame)
        elif isinstance(frame, frames.Next):
            if frame.flow < len(self.flows):
                hints = self.opener.hints
                hints[frame.flow] = max(frame.packet - 1, hints.get(frame.flow, 0))
        else:
            self.half.handle(now, flow.number, frame)

    def may_answer(self, now, flow, path):
        if flow.proved and path == flow.path:
            return True
        room, at = self.pong_room.get(flow.number, (PONGS_AT_ONCE, now))
        room = min(PONGS_AT_ONCE, room + (now - at) / PONG_GAP)
        self.pong_room[flow.number] = (room - 1 if room >= 1 else room), now
        return room >= 1

    def handle_pong(self, now, path, token):
        for flow in self.flows:
            if token in flow.tokens:
                found = flow.answered(now, token, path)
                if found:
                    self.sealer.confirm(flow.number, found[0])
                    flow.rtt.add(found[1])
                    self.rtt.add(found[1])
                return

    # --- the end

    def close(self, reason, text=""):
        if self.close_reason is None:
            self.close_reason, self.close_text = reason, text
            self.next_close, self.close_until = self.now, self.now + self.close_for()

    def close_for(self):
        return min(max(CLOSE_ROUNDS * self.rtt.wait(), CLOSE_FOR[0]), CLOSE_FOR[1])

    def handle_close(self, now, frame):
        reason = frame.reason if FINISHED <= frame.reason <= UNSUPPORTED else STOPPED
        if reason == FINISHED and not self.half.may_be_finished():
            reason = STOPPED
        if self.peer_reason is None:
            self.peer_reason, self.close_got = reason, now
        if self.next_close is not None:
            return                  # it answers ours
        if self.close_reason is None:
            self.close_reason, self.close_text = (FINISHED if reason == FINISHED else STOPPED), ""
        self.send_close()
        self.close_until = self.close_until or now + self.close_for()

    def send_close(self):
        for flow in self.carriers()[:1]:
            self.send(flow.number, [*self.half.before_close(self.now), frames.Close(self.close_reason, self.close_text)])

    def is_closing(self):
        return self.close_reason is not None

    def is_over(self, now):
        """Both have said so, or nobody answers."""
        if self.peer_reason is not None and (self.next_close is not None or now >= self.close_until):
            return True
        return (self.close_until is not None and now >= self.close_until) or now >= self.heard + RESUME_TIMEOUT

    def is_interrupted(self, now):
        wait = max(SILENCE, 4 * self.rtt.smooth) if self.rtt.smooth else NO_ROUND_TRIP
        return now >= self.heard + wait

    # --- keys

    def handle_agree(self, now, frame):
        if self.agreed.cipher == hello.NONE:
            return
        if self.agreed.caller:
            if self.private and frame.serial == self.serial:
                secret, self.private = noise.agree(self.private, frame.key), None
                if secret:
                    self.sealer.secret = secret
                    self.opener.learn(secret)
                    self.agreed_at = now
            return
        if frame.serial == self.serial and self.answer:
            self.tell(self.answer)
        elif frame.serial == self.serial + 1:
            idle = not self.pending and not self.sealer.secret and not self.opener.secret
            if not idle or self.agreed_at is not None and now < self.agreed_at + AGREE_GAP:
                return
            private = noise.private_key(self.random(32))
            secret = noise.agree(private, frame.key)
            if secret:
                self.serial, self.agreed_at, self.pending = frame.serial, now, secret
                self.opener.learn(secret)
                self.answer = frames.Agree(frame.serial, noise.public(private))
                self.tell(self.answer)

    def tell(self, frame):
        for flow in self.carriers()[:1]:
            self.send(flow.number, [frame])

    def follow_secret(self):
        """A listener seals with the secret once the caller has done so."""
        if self.pending and self.opener.secret is None:
            self.sealer.secret, self.pending = self.pending, None

    def poll_keys(self, now):
        s = self.sealer
        if self.agreed.cipher == hello.NONE:
            return
        if s.count >= seal.MOST_DATAGRAMS:
            self.close(STOPPED, "no new key")
        again = 2 * (self.rtt.smooth or 250000)
        if self.agreed.caller and s.changes >= self.agree_after and not s.secret and not self.opener.secret:
            if not self.private and (self.agreed_at is None or now >= self.agreed_at + AGREE_GAP):
                self.private, self.serial = noise.private_key(self.random(32)), self.serial + 1
                self.agree_at, self.agree_gap = now, again // 2
            if self.private and now >= self.agree_at:
                self.agree_at, self.agree_gap = now + self.agree_gap, min(2 * self.agree_gap, LAST_REPEAT)
                self.tell(frames.Agree(self.serial, noise.public(self.private)))
        if s.is_due(now) and not s.confirmed:
            if self.key_ping_at is None:
                self.key_ping_at, self.key_ping_gap = now, again // 2
            if now >= self.key_ping_at:
                self.key_ping_at, self.key_ping_gap = now + self.key_ping_gap, min(2 * self.key_ping_gap, LAST_REPEAT)
                for flow in self.carriers()[:1]:
                    self.ping(flow, flow.path, "key")
        if s.is_due(now) and s.confirmed:
            self.agreements += s.rekey(now)
            self.key_ping_at = None

    # --- time

    def poll(self, now):
        """Everything that is due; returns (path, datagram) of each."""
        self.now = now
        for flow, path, token in self.pongs:
            self.send(flow, [frames.Pong(token)], path)
        self.pongs = []
        for flow in self.flows if self.peer_reason is None else ():
            flow.poll(now)
        if not self.is_closing():
            self.poll_keys(now)
            if self.carriers():
                self.half.poll(now)
        elif self.next_close is not None and now >= self.next_close and self.peer_reason is None:
            self.next_close = now + min(max((self.rtt.smooth or 0) // 2, CLOSE_LEAST), CLOSE_MOST)
            self.send_close()
        sent, self.out = self.out, []
        return sent

    def due(self):
        times = [flow.due() for flow in self.flows if self.peer_reason is None]
        times += [self.half.due(), self.next_close, self.close_until, self.agree_at if self.private else None, self.key_ping_at]
        if self.agreed.cipher != hello.NONE and self.sealer.confirmed:
            times.append(self.sealer.began + self.sealer.phase_time)
        return min((t for t in times if t is not None), default=None)

    def next_frame(self, now):
        """NEXT of a flow that has not been heard for long, if there is one."""
        for flow in self.flows:
            if flow.path and now >= flow.heard + NEXT_AFTER:
                return [frames.Next(flow.number, self.sealer.next.get(flow.number, 0))]
        return []
