# SPDX-License-Identifier: LGPL-2.1-or-later
"""What stands between a caller and a listener of one flow, and reads what docs/protocol.md, section 2, has in the clear."""

import collections
import contextlib
import os
import select
import socket
import threading
import time

from second import call, hello, opening
from second.config import Config

ADDRESSES = 16                  # of the caller, from 127.0.0.1 on
SWAP = bytes.maketrans(b"\x05\x06", b"\x06\x05")
LIST = opening.HEADER_SIZE + 1  # where the list of VERSIONS begins


def open_socket(host="127.0.0.1", port=0):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((host, port))
    return s


def translate(datagram):
    """Versions 5 and 6 change places: in the header, and in the list of VERSIONS. Either end takes the other's version for
    another one then."""
    if datagram[0] & 0x80:
        return datagram
    end = LIST + datagram[LIST - 1] if datagram[0] & 15 == opening.VERSIONS else LIST
    return datagram[:1] + datagram[1:2].translate(SWAP) + datagram[2:LIST] + datagram[LIST:end].translate(SWAP) + datagram[end:]


class Middle(threading.Thread):
    """@moves: the listener sees the caller at another port whenever so many datagrams have passed; with @addresses, at another
    address. @drops: which datagrams of the caller do not pass, counted from 1. @dark: (datagrams, s, senders): after so
    many have passed, those of these senders do not, for so long. @translates: see translate()."""

    def __init__(self, called, port, moves=0, addresses=False, drops=(), dark=None, translates=False):
        super().__init__(daemon=True)
        self.listener, self.moves, self.addresses, self.drops = ("127.0.0.1", port), moves, addresses, drops
        self.dark, self.dark_until, self.translates = dark, 0, translates
        self.ends, self.passed, self.came, self.moved = False, 0, 0, 0
        self.darkened = 0                           # datagrams that did not pass while it was dark
        self.seen = collections.Counter()           # handshake datagrams, by name
        self.calls, self.accepted = set(), set()    # nonces of OPEN, and of ACCEPT
        self.phases = {"caller": set(), "listener": set()}      # the bit K of what each has sent
        self.unproved = {"caller": 0, "listener": 0}            # bytes until the caller's first session datagram
        self.near, self.far = open_socket(port=called), open_socket()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *unused):
        self.ends = True
        self.join()
        self.near.close()
        self.far.close()

    def __str__(self):
        return f"{self.seen}, {len(self.calls)} calls, {len(self.accepted)} accepted, K {self.phases}, before a proof {self.unproved}, " \
            f"{self.moved} moves, {self.darkened} lost in the dark"

    def look(self, sender, datagram):
        if datagram[0] & 0x80:
            self.phases[sender].add(datagram[0] >> 6 & 1)
        else:
            name = opening.NAMES[min(datagram[0] & 15, opening.ANNOUNCE)]
            self.seen[name] += 1
            {"OPEN": self.calls, "ACCEPT": self.accepted}.get(name, set()).add(datagram[10:opening.HEADER_SIZE])
        if not self.phases["caller"]:
            self.unproved[sender] += len(datagram)

    def move(self):
        self.moved += 1
        self.far.close()
        self.far = open_socket(f"127.0.0.{1 + (self.moved % ADDRESSES if self.addresses else 0)}")

    def is_lost(self, sender):
        if sender == "caller" and self.came in self.drops:
            return True
        if not self.dark or self.passed < self.dark[0] or sender not in self.dark[2]:
            return False
        if not self.dark_until:
            self.dark_until = time.monotonic() + self.dark[1]
        lost = time.monotonic() < self.dark_until
        self.darkened += lost
        return lost

    def take(self, s, caller):
        """One datagram that came in there. Returns the caller's address."""
        datagram, address = s.recvfrom(65536)
        sender, to, out = ("caller", self.listener, self.far) if s is self.near else ("listener", caller, self.near)
        self.came += sender == "caller"
        if not self.is_lost(sender):
            self.look(sender, datagram)
            out.sendto(translate(datagram) if self.translates else datagram, to)
            self.passed += 1
        return address if sender == "caller" else caller

    def run(self):
        caller = None
        while not self.ends:
            for s in select.select([self.near, self.far], [], [], .1)[0]:
                before = self.passed
                with contextlib.suppress(OSError):      # nobody is there yet
                    caller = self.take(s, caller)
                if self.moves and self.passed > before and self.passed % self.moves == 0:
                    self.move()
                    break


@contextlib.contextmanager
def crowd(port, within):
    """Calls a listener, each time anew, so that it wants a cookie of each caller until the end."""
    wants, over = threading.Event(), threading.Event()

    def call_on():
        with open_socket() as s:
            s.settimeout(.02)
            while not over.is_set():
                for role in hello.RECEIVER, hello.SENDER:
                    opened = call.Call(0, Config(role), os.urandom, 1, [None], {}).open
                    with contextlib.suppress(OSError):      # it does not listen yet
                        s.sendto(opening.write(opened), ("127.0.0.1", port))
                with contextlib.suppress(OSError):
                    while not over.is_set():
                        if s.recv(65536)[0] == 0x40 | opening.RETRY:
                            wants.set()
    thread = threading.Thread(target=call_on)
    thread.start()
    try:
        assert wants.wait(within), "the listener wants no cookie"
        yield
    finally:
        over.set()
        thread.join()
