# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an element answers to a caller that does not keep to docs/protocol.md, datagram by datagram."""

import contextlib
import os
import select
import socket

from interoplib import benchlib
from second import frames, hello, noise, opening, seal
from second.call import Call
from second.config import Config
from second.session import ENCRYPTION, KEY, REFUSED, SAME_ROLE, UNSUPPORTED

WAIT = .5               # s in which nothing comes
SINK = "audiotestsrc is-live=true samplesperbuffer=4410 ! faspsink wait-for-connection=false"


class Stranger:
    """A caller at a listening element, one datagram at a time."""

    def __init__(self, stack, directory, element):
        self.port = benchlib.free_port()
        element = element.replace("faspsink", f"faspsink uri=fasp://:{self.port}")
        self.element = stack.enter_context(benchlib.Launch(directory, "element", element))
        self.socket = stack.enter_context(contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)))
        self.socket.settimeout(benchlib.LIMIT)
        self.path = 0, ("127.0.0.1", self.port)
        self.element.wait_for("new-state=.GstState.playing")

    def call(self, config=None, **options):
        c = config or Config(hello.RECEIVER)
        return Call(0, c, os.urandom, int.from_bytes(os.urandom(4), "big") or 1, [self.path], options)

    def send(self, datagram):
        self.socket.sendto(datagram, self.path[1])

    def ask(self, datagram, within=benchlib.LIMIT):
        """What is answered, or None."""
        self.send(datagram)
        while select.select([self.socket], [], [], within)[0]:
            came = self.socket.recv(65536)
            if not came[0] & 0x80 and opening.parse(came).nonce == datagram[10:26]:
                return came
        return None

    def ask_open(self, message, within=benchlib.LIMIT):
        """The same of an OPEN, with a cookie if it wants one."""
        answer = self.ask(opening.write(message), within)
        m = opening.parse(answer) if answer else None
        if m and m.kind == opening.RETRY:
            answer = self.ask(opening.write(message._replace(cookie=m.cookie)), within)
        return answer

    def outcome(self, message, within=benchlib.LIMIT):
        """The reason of a REJECT, or the name of the answer."""
        answer = self.ask_open(message, within)
        m = opening.parse(answer) if answer else None
        return m.reason if m and m.kind == opening.REJECT else m and opening.NAMES[m.kind]

    def reason(self, config=None):
        return self.outcome(self.call(config).open)

    def altered(self, change, within=benchlib.LIMIT):
        """The answer to an OPEN with these bytes as its hello."""
        call = self.call()
        made = change(hello.write(call.hello))
        base = call.open._replace(message=b"")
        sealed = noise.Handshake(base.pattern, True, opening.prologue(base), noise.private_key(os.urandom(32))).write(0, made)
        return self.outcome(base._replace(message=sealed), within)


def opened(stack, directory, element=SINK):
    stranger = Stranger(stack, directory, element)
    call = stranger.call()
    agreed, proved = call.take(0, stranger.path, opening.parse(stranger.ask_open(call.open)))
    assert proved
    return stranger, agreed


class Speaker:
    """Sends frames in a session, and reads those that come."""

    def __init__(self, stranger, agreed):
        self.stranger = stranger
        self.sealer = seal.Sealer(0, agreed.cipher, agreed.keys[0], agreed.peer["id"])
        self.opener = seal.Opener(agreed.cipher, agreed.keys[1])

    def seal(self, plain):
        return self.sealer.seal(0, plain.ljust(16, b"\0"))[1]

    def say(self, *parts):
        self.stranger.send(self.seal(frames.write(parts)))

    def is_silent(self):
        """Nothing comes."""
        return not select.select([self.stranger.socket], [], [], WAIT)[0]

    def hears_until(self, token):
        """The frames that come until a PING with this token is answered: answers leave in any order."""
        found = []
        while frames.Pong(token) not in found:
            datagram = self.stranger.socket.recv(65536)
            flow, pn = self.opener.number(datagram) if datagram[0] & 0x80 else (0, None)
            if pn is not None:
                found += frames.parse(self.opener.open(flow, pn, datagram))
        found.remove(frames.Pong(token))
        return found

    def hears(self):
        """The frames that come until two PINGs, one behind the other, are answered."""
        found = []
        for token in (os.urandom(8), os.urandom(8)):
            self.say(frames.Ping(token))
            found += self.hears_until(token)
        return found

    def pongs(self):
        return [f.token for f in self.hears() if isinstance(f, frames.Pong) and any(f.token)]

    def feedback(self, **changes):
        f = frames.Feedback(frames.NOTHING_ABOVE, 1, 0, 0, 64, 1000, 0, 0, None, (), 0, 0, ())
        return f._replace(**changes)


def openings(directory):
    with contextlib.ExitStack() as stack:
        s = Stranger(stack, directory, SINK)
        call = s.call()
        first = s.ask_open(call.open)
        assert opening.parse(first).kind == opening.ACCEPT
        assert s.ask_open(call.open) == first, "another ACCEPT for a repetition"
        assert s.ask(opening.write(call.open)[:1199], WAIT) is None, "an answer to an OPEN that is not padded"
        m = opening.parse(s.ask(b"\x41\x06" + opening.write(call.open)[2:]))
        assert m.kind == opening.VERSIONS and m.versions == (5,), m
        assert s.reason(Config(hello.SENDER)) == SAME_ROLE
        assert s.reason(Config(hello.RECEIVER, ciphers=(0,))) == ENCRYPTION
        assert s.reason(Config(hello.RECEIVER, psk=bytes(32))) == KEY
        assert s.reason(Config(hello.RECEIVER, ciphers=(9, 1))) == "ACCEPT"
        assert s.altered(lambda h: h) == "ACCEPT"
        assert s.altered(lambda h: h + b"\x7f\0\1x") == "ACCEPT", "option 127 is skipped"
        assert s.altered(lambda h: h + b"\0\x80\0\0") == "ACCEPT", "0 ends the options"
        assert s.altered(lambda h: h + b"\x80\0\0") == UNSUPPORTED
        assert s.altered(lambda h: h.replace(b"\x0a\0\1\1", b"\x0a\0\1\0"), WAIT) is None, "no flow"
        assert s.altered(lambda h: h.replace(b"\2\0\4", b"\2\0\5\0"), WAIT) is None, "a latency of five bytes"
        assert s.altered(lambda h: h[:-1], WAIT) is None, "an option that is cut short"


def names(directory):
    with contextlib.ExitStack() as stack:
        s = Stranger(stack, directory, SINK.replace("wait-for", "streamid=news wait-for"))
        assert s.reason(Config(hello.RECEIVER, streamid="news")) == "ACCEPT"
        assert s.reason(Config(hello.RECEIVER, streamid="sport")) == REFUSED


def sessions(directory):
    with contextlib.ExitStack() as stack:
        speaker = Speaker(*opened(stack, directory))
        assert speaker.is_silent(), "it speaks to an address that is not proved"
        forged = bytearray(speaker.seal(frames.write([frames.Ping(b"forged!!")])))
        forged[-1] ^= 1
        speaker.stranger.send(bytes(forged))
        assert not speaker.pongs()
        again = speaker.seal(frames.write([frames.Ping(b"replayed")]))
        speaker.stranger.send(again)
        speaker.hears_until(b"replayed")
        speaker.stranger.send(again)
        assert not speaker.pongs(), "a replayed datagram is answered"
        speaker.stranger.send(speaker.seal(frames.write([frames.Ping(b"and then")]) + b"\x7f"))
        speaker.hears_until(b"and then")    # frames before a fault take effect
        report = frames.FlowReport(0, 0, 0, 0, 1, 0)
        far = speaker.feedback(ack=1 << 40, start=1 << 40, end=1 << 40)
        lies = (far, far._replace(ack=0, start=0), speaker.feedback(flows=(report, report)),
                speaker.feedback(flows=(report._replace(received=1 << 30),)), speaker.feedback(flags=0xf1))
        for serial, lie in enumerate(lies, 1):
            speaker.say(lie._replace(serial=serial))
        assert frames.Close not in map(type, speaker.hears()), "a lie ends the session"
        assert not speaker.pongs()


TESTS = [("it refuses callers", openings), ("it refuses other names", names), ("it drops what is not valid", sessions)]
