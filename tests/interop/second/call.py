# SPDX-License-Identifier: LGPL-2.1-or-later
"""A caller's handshake (docs/protocol.md, section 3): OPENs until something is answered that can be believed."""

from . import hello, noise, opening
from .session import Agreed
from .wire import Malformed

FIRST_GAP, GAP = 250000, 500000     # µs
BELIEVE_AFTER = 1000000             # µs between the OPENs that two refusals answer
COOKIE_TIMES = 3                    # OPENs by the path that a cookie is for


class Refused(Exception):
    """By the listener. @reason: of REJECT, or None where it does not speak this version."""

    def __init__(self, reason, text):
        super().__init__(f"refused: {reason} {text}")
        self.reason, self.text = reason, text


class Call:
    """@paths to the listener, of which the first is that of its first port."""

    def __init__(self, now, config, random, cid, paths, options, believes=True):
        self.config, self.paths, self.believes = config, paths, believes
        self.hello = {**config.hello(cid), "ciphers": list(config.ciphers), **options}
        nonce = options.get("nonce") or random(16)
        self.hello.pop("nonce", None)
        base = opening.Message(opening.OPEN, opening.hint(nonce, self.hello["role"], config.streamid), cid, nonce,
                               pattern=config.pattern())
        self.noise = noise.Handshake(base.pattern, True, opening.prologue(base), noise.private_key(random(32)),
                                     config.static, config.remote, config.psk)
        self.open = base._replace(message=self.noise.write(0, hello.write(self.hello)))
        self.at, self.gap, self.turn = now, FIRST_GAP, 0
        self.cookie_path, self.cookie_times = None, 0
        self.sent = {}              # when the first OPEN left by each path, and the newest
        self.refusal = None         # what was refused, and when its OPEN had left
        self.newest = now
        self.retries = 0

    def poll(self, now):
        if now < self.at:
            return []
        self.at, self.gap = now + self.gap, GAP
        return [self.send(now)]

    def send(self, now):
        if self.cookie_times:
            self.cookie_times -= 1
            path = self.cookie_path
        else:
            others = self.paths[1:]
            path = others[self.turn // 2 % len(others)] if self.turn % 2 and others else self.paths[0]
            self.turn += 1
        self.newest = now
        return path, opening.write(self.open)

    def due(self):
        return self.at

    def take(self, now, path, m):
        """A handshake datagram to our id. Returns what was agreed and whether its path is proved, or None."""
        if m.nonce != self.open.nonce:
            return None
        if m.kind == opening.RETRY and m.to == self.open.source:
            self.open = self.open._replace(cookie=m.cookie)
            self.cookie_path, self.cookie_times = path, COOKIE_TIMES
            self.at, self.gap = now, GAP
            self.retries += 1
        elif m.kind == opening.ACCEPT:
            return self.take_accept(path, m)
        elif m.kind == opening.REJECT:
            self.refuse(now, m.reason, m.text)
        elif m.kind == opening.VERSIONS and opening.VERSION not in m.versions:
            self.refuse(now, None, "it speaks other versions")
        return None

    def refuse(self, now, reason, text):
        """Believed only when it answers another OPEN a second later."""
        if not self.refusal or self.refusal[0] != reason:
            self.refusal = reason, self.newest
        elif self.newest - self.refusal[1] >= BELIEVE_AFTER and self.believes:
            raise Refused(reason, text)

    def take_accept(self, path, m):
        before = vars(self.noise).copy()
        try:
            theirs = hello.parse(self.noise.read(1, m.message), m.source)
            self.check(theirs)
        except (noise.Unopened, Malformed, hello.Unsupported):
            vars(self.noise).update(before)
            self.noise.other = {"e": None, "s": self.config.remote}
            return None
        self.refusal = None
        flows = min(theirs.get("flows", 1), self.hello.get("flows", 1))
        return Agreed(True, self.hello, theirs, theirs["ciphers"][0], self.noise.split(), flows), path in self.paths

    def check(self, theirs):
        chosen = theirs["ciphers"]
        if len(chosen) != 1 or chosen[0] not in self.hello["ciphers"] or theirs["role"] == self.hello["role"]:
            raise Malformed("ACCEPT")
        if theirs["id"] == 0 or theirs.get("flows", 1) > self.hello.get("flows", 1):
            raise Malformed("ACCEPT")
