# SPDX-License-Identifier: LGPL-2.1-or-later
"""A listener's handshakes (docs/protocol.md, section 3): cookies, what it refuses, and half-open sessions."""

from . import hello, noise, opening
from .session import BUSY, ENCRYPTION, KEY, REFUSED, SAME_ROLE, UNSUPPORTED, Agreed

HALF_OPEN, FORGOTTEN_AFTER = 16, 5000000        # without a cookie; µs
COOKIE_LIFE = 10000000                          # µs
UNPROVED_RATE = 32                              # handshakes a second without a cookie
WRONG_KEY = 9                                   # handshakes that one counts as
MOST_HALF_OPEN = 256


class HalfOpen:
    def __init__(self, now, agreed, answer, path, key):
        self.since, self.agreed, self.answer, self.key = now, agreed, answer, key
        self.paths = {path}         # to which an ACCEPT went
        self.source = path


class Listener:
    """@find (cid) is the session of that id, or None; @options (hello of the caller) are the further ones of ours, or a
    reason to refuse it."""

    def __init__(self, config, random, find, options):
        self.config, self.random, self.find, self.options = config, random, find, options
        self.secret = random(32)
        self.half_open = {}         # by what the OPEN has but for its cookie
        self.by_cid = {}
        self.rate, self.rate_at = 0, 0
        self.counts = dict.fromkeys(("retry", "accept", "reject", "malformed", "ignored"), 0)

    def cookie(self, path, nonce, when):
        stamp = when.to_bytes(8, "big")
        return stamp + noise.mac(self.secret, b"fasp cookie 1" + repr(path).encode() + nonce + stamp)

    def is_proved(self, now, path, m):
        when = int.from_bytes(m.cookie[:8], "big")
        return bool(m.cookie) and when <= now < when + COOKIE_LIFE and m.cookie == self.cookie(path, m.nonce, when)

    def needs_cookie(self, now):
        self.rate = max(0, self.rate - UNPROVED_RATE * (now - self.rate_at) / 1e6)
        self.rate_at = now
        return len(self.half_open) >= HALF_OPEN or self.rate >= UNPROVED_RATE

    def answer(self, path, m, kind, **fields):
        self.counts[opening.NAMES[kind].lower()] += 1
        return [(path, opening.write(opening.Message(kind, m.source, 0, m.nonce, **fields)))]

    def reject(self, path, m, reason, text):
        return self.answer(path, m, opening.REJECT, reason=reason, text=text)

    def take(self, now, path, m, size):
        """An OPEN. Returns what has to be sent."""
        self.expire(now)
        if m.version != opening.VERSION:
            versions = opening.Message(opening.VERSIONS, m.source, 0, m.nonce, versions=(opening.VERSION,))
            return [(path, opening.write(versions))] if size >= opening.OPEN_SIZE else []
        key = m._replace(cookie=b"")
        half = self.half_open.get(key)
        proved = self.is_proved(now, path, m)
        if not proved and (half is None or path not in half.paths) and self.needs_cookie(now):
            return self.answer(path, m, opening.RETRY, cookie=self.cookie(path, m.nonce, now))
        if half:
            half.paths.add(path)
            self.counts["accept"] += 1
            return [(path, half.answer)]
        if len(self.half_open) >= MOST_HALF_OPEN:
            self.counts["ignored"] += 1
            return []
        self.rate += 0 if proved else 1
        return self.read(now, path, m, key, proved)

    def read(self, now, path, m, key, proved):
        c = self.config
        if m.pattern not in noise.PATTERNS:
            self.counts["malformed"] += 1
            return []
        if m.pattern != c.pattern():
            return self.wrong_key(path, m, proved)
        handshake = noise.Handshake(m.pattern, False, opening.prologue(m), noise.private_key(self.random(32)), c.static,
                                    None, c.psk)
        try:
            theirs = hello.parse(handshake.read(0, m.message), m.source)
        except noise.Unopened:
            return self.wrong_key(path, m, proved)
        except hello.Unsupported:
            return self.reject(path, m, UNSUPPORTED, "unsupported option")
        except opening.Malformed:
            self.counts["malformed"] += 1
            return []
        if c.static and handshake.other["s"] not in c.allowed:
            return self.wrong_key(path, m, proved)
        if theirs["role"] == c.role:
            return self.reject(path, m, SAME_ROLE, "the same role")
        if theirs.get("streamid") and theirs["streamid"] != c.streamid:
            return self.reject(path, m, REFUSED, "no such stream")
        chosen = hello.choose_cipher(theirs["ciphers"], c.ciphers)
        if chosen is None:
            return self.reject(path, m, ENCRYPTION, "no cipher in common")
        session = self.resumed(m, theirs)
        if session:
            self.ask(now, session, path)
            return []
        options = self.options(theirs)
        if options is None:
            return self.reject(path, m, BUSY, "one peer at a time")
        return self.accept(now, path, m, key, handshake, theirs, {"ciphers": [chosen], **options})

    def wrong_key(self, path, m, proved):
        self.rate += 0 if proved else WRONG_KEY - 1
        return self.reject(path, m, KEY, "another key")

    def resumed(self, m, theirs):
        """The session that the caller asks for, if it proves that it has its keys."""
        if "resume" not in theirs:
            return None
        cid, proof = theirs["resume"]
        session = self.find(cid)
        known = session and not session.agreed.caller
        if known and proof == noise.resume_proof(session.agreed.resume_key(), m.nonce):
            return session
        return None

    def ask(self, now, session, path):
        session.now = now
        flow = session.flows[0]
        if path == flow.path:
            session.ping(flow, path, "silent")
        else:
            flow.came(now, path, True)

    def accept(self, now, path, m, key, handshake, theirs, options):
        cid = int.from_bytes(self.random(4), "big") or 1
        ours = {**self.config.hello(cid), **options}
        ours["flows"] = min(ours.get("flows", 1), theirs.get("flows", 1))
        message = handshake.write(1, hello.write(ours))
        answer = opening.write(opening.Message(opening.ACCEPT, m.source, cid, m.nonce, message=message))
        agreed = Agreed(False, ours, theirs, ours["ciphers"][0], handshake.split(), ours["flows"])
        half = HalfOpen(now, agreed, answer, path, key)
        self.half_open[key] = self.by_cid[cid] = half
        self.counts["accept"] += 1
        return [(path, answer)]

    def forget(self, half):
        del self.half_open[half.key], self.by_cid[half.agreed.own["id"]]

    def expire(self, now):
        for half in [h for h in self.half_open.values() if now >= h.since + FORGOTTEN_AFTER]:
            self.forget(half)
