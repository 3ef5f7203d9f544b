# SPDX-License-Identifier: LGPL-2.1-or-later
"""A caller or a listener with one session at a time, which continues in a new one where the peer has lost it
(docs/protocol.md, section 6)."""

from . import hello, noise, opening
from .call import Call
from .listen import Listener
from .order import Place
from .receive import Receive
from .session import Session
from .transmit import Transmit, latency_of
from .wire import Malformed


class Endpoint:
    """@random (n) gives so many random bytes. A sender has a @store."""

    def __init__(self, now, config, random, store=None):
        self.config, self.random, self.store, self.place = config, random, store, Place()
        self.session = self.call = self.listener = None
        self.paths, self.events, self.opened = [], [], 0
        self.unknown, self.malformed, self.now = 0, 0, now

    def dial(self, now, paths):
        """@paths to each of the listener's ports."""
        self.paths = paths
        self.call_anew(now)

    def listen(self):
        self.listener = Listener(self.config, self.random, self.find, self.answer_options)

    def find(self, cid):
        session = self.session
        return session if session and session.agreed.own["id"] == cid else None

    # --- opening

    def stream_options(self):
        """Of our hello: where the sender begins, and what the receiver has."""
        if self.store:
            store, options = self.store, {"start": self.store.first}
            where = store.position(store.first)
            return {**options, "position": where} if where else options
        kind, ms = self.config.wants or (0, 0)
        has = self.place.has()
        return {"wants": (kind, ms, has)} if has or self.config.wants else {}

    def call_anew(self, now):
        options = self.stream_options()
        if self.session:
            nonce = self.random(16)
            proof = noise.resume_proof(self.session.agreed.resume_key(), nonce)
            options.update(nonce=nonce, resume=(self.session.agreed.peer["id"], proof))
        cid = int.from_bytes(self.random(4), "big") or 1
        self.call = Call(now, self.config, self.random, cid, self.paths, options, believes=not self.session)

    def answer_options(self, theirs):
        """A listener's; None: it is busy."""
        if self.session and not self.session.is_interrupted(self.now) and not self.session.is_closing():
            return None
        if self.store and theirs.get("wants") and theirs["wants"][2]:
            n = self.store.find(*theirs["wants"][2])
            if n is not None:
                self.store.drop_below(n)
        return self.stream_options()

    def begin(self, now, agreed, path):
        """@path: and whether it is proved."""
        latency = latency_of(agreed.own, agreed.peer)

        def half(session):
            if self.store:
                size = agreed.own["start"]
                return Transmit(session, self.store, self.config.rate, latency, size, self.config.fragment)
            return Receive(session, self.place, self.config.window, latency)
        self.session = Session(now, agreed, self.random, path, half, self.config.phase_time, self.config.agree_after)
        self.opened += 1
        self.call = None
        for number, other in enumerate(self.other_paths(path[0]), 1):
            if number < agreed.flows and agreed.caller:
                self.session.flows[number].path = other
        if agreed.caller:
            for flow in self.session.flows:
                flow.ask_now(now)

    def other_paths(self, first):
        return [p for p in self.paths if p != first]

    # --- datagrams

    def take(self, now, path, datagram):
        self.now = now
        try:
            if not datagram or datagram[0] & 0xc0 == 0 or datagram[0] & 0xf0 in (0x50, 0x60, 0x70):
                raise Malformed("not fasp")
            if datagram[0] & 0x80:
                return self.take_session(now, path, datagram)
            return self.take_handshake(now, path, datagram)
        except Malformed:
            self.malformed += 1
            return []

    def take_session(self, now, path, datagram):
        cid = int.from_bytes(datagram[1:5], "big")
        session = self.find(cid)
        if session:
            session.take(now, path, datagram)
            return []
        half = self.listener and self.listener.by_cid.get(cid)
        if not half:
            self.unknown += 1
            return []
        known, opened = self.session, self.opened
        self.begin(now, half.agreed, (path, half.paths == {path}))
        if self.session.take(now, path, datagram):
            self.listener.forget(half)
        else:
            self.session, self.opened = known, opened
        return []

    def take_handshake(self, now, path, datagram):
        m = opening.parse(datagram)
        if m.kind == opening.OPEN:
            return self.listener.take(now, path, m, len(datagram)) if self.listener else []
        agreed = self.call.take(now, path, m) if self.call else None
        if agreed:
            self.begin(now, agreed[0], (path, agreed[1]))
        return []

    # --- time

    def poll(self, now):
        """Returns (path, datagram) of all that leaves now."""
        self.now = now
        out = self.call.poll(now) if self.call else []
        session = self.session
        if session:
            out += session.poll(now)
            if not self.store:
                order = session.half.order
                self.events += order.events
                order.events = []
            if session.agreed.caller and not session.is_closing():
                if session.is_interrupted(now) and not self.call:
                    self.call_anew(now)
                elif self.call and not session.is_interrupted(now):
                    self.call = None
        return out

    def is_over(self, now):
        return bool(self.session) and self.session.is_over(now)

    def due(self):
        times = [self.call.due() if self.call else None, self.session.due() if self.session else None]
        return min((t for t in times if t is not None), default=None)


assert hello.SENDER != hello.RECEIVER
