# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sockets, the clock and the standard streams around an endpoint; the only module that knows them."""

import argparse
import base64
import json
import os
import select
import socket
import sys
import time

from cryptography.hazmat.primitives import serialization

from . import hello, noise, seal
from .config import Config
from .endpoint import Endpoint
from .store import Store
from .transmit import block_size

CIPHERS = {"none": (0,), "aes-128-gcm": (1,), "aes-256-gcm": (2,), "chacha20-poly1305": (3,), "auto": (1, 3, 2)}
CHUNK = 65536               # bytes read at once
LONGEST_WAIT = 100000       # µs
BATCH = 64                  # datagrams of a socket, between two looks at what is due


def arguments(words=None):
    parser = argparse.ArgumentParser(description="One end of a stream, from the standard input or to the standard output, "
                                     "by docs/protocol.md alone.")
    parser.add_argument("role", choices=("send", "receive"))
    parser.add_argument("--call", metavar="HOST:PORT")
    parser.add_argument("--listen", metavar="PORT", type=int)
    parser.add_argument("--flows", type=int, default=1, help="at consecutive ports of the listener")
    parser.add_argument("--latency", type=int, default=1000, metavar="MS", help="-1: the sender finds it")
    parser.add_argument("--streamid", default="")
    parser.add_argument("--passphrase")
    parser.add_argument("--key-file", metavar="PEM")
    parser.add_argument("--public-key", metavar="BASE64", help="the other end's")
    parser.add_argument("--encryption", choices=CIPHERS, default="auto")
    parser.add_argument("--rate", type=float, default=20, metavar="MBIT")
    parser.add_argument("--block", type=int, default=0, metavar="BYTES", help="default: what 1200 bytes have room for")
    parser.add_argument("--fragment", type=int, default=0, metavar="BYTES", help="larger blocks leave in fragments of so many")
    parser.add_argument("--header", metavar="FILE", help="a header that the stream has; it begins in the middle then")
    parser.add_argument("--offset", type=int, default=0, metavar="BYTES", help="of the stream's first byte")
    parser.add_argument("--wants", metavar="KIND:MS", help="where a receiver wants to begin")
    parser.add_argument("--phase", type=float, default=60, metavar="SECONDS", help="a key is used for")
    parser.add_argument("--agree-after", type=int, default=60, metavar="KEYS")
    parser.add_argument("--rebind", type=float, action="append", default=[], metavar="SECONDS", help="a caller takes new ports")
    parser.add_argument("--within", type=float, default=120, metavar="SECONDS", help="it fails if it is not over then")
    parser.add_argument("--stats", metavar="FILE", help="what has happened, in JSON")
    return parser.parse_args(words)


def make_config(args):
    sends = args.role == "send"
    config = Config(hello.SENDER if sends else hello.RECEIVER, flows=args.flows, streamid=args.streamid,
                    latency=args.latency if args.latency >= 0 else hello.FIND_LATENCY, ciphers=CIPHERS[args.encryption],
                    rate=int(args.rate * 1e6 / 8), fragment=args.fragment, header=bool(args.header),
                    phase_time=int(args.phase * 1e6), agree_after=args.agree_after)
    if args.passphrase:
        config.psk = noise.stretch(args.passphrase)
    if args.key_file:
        with open(args.key_file, "rb") as f:
            config.static = serialization.load_pem_private_key(f.read(), None)
        config.remote = base64.b64decode(args.public_key)
        config.allowed = frozenset([config.remote])
    if args.wants:
        kind, ms = map(int, args.wants.split(":"))
        config.wants = kind, ms
    return config


def make_store(args, config, now):
    size = args.block or block_size(1200, config.ciphers[0] and hello.AES_128)
    store = Store(os.urandom(16), size, offset=args.offset)
    if args.header:
        with open(args.header, "rb") as f:
            store.write_header(f.read(), now)
    return store


class Shell:
    def __init__(self, args):
        self.args, self.began = args, time.monotonic_ns()
        self.config = make_config(args)
        store = make_store(args, self.config, 0) if args.role == "send" else None
        self.endpoint = Endpoint(0, self.config, os.urandom, store)
        self.sockets, self.rebinds = [], sorted(args.rebind)
        self.source = sys.stdin.fileno() if store else None
        self.received, self.gaps, self.ended = 0, 0, False
        if args.call:
            host, port = args.call.rsplit(":", 1)
            self.bind([0] * args.flows)
            self.endpoint.dial(self.now(), [(i, (host, int(port) + i)) for i in range(args.flows)])
        else:
            self.bind([args.listen + i for i in range(args.flows)])
            self.endpoint.listen()

    def now(self):
        return (time.monotonic_ns() - self.began) // 1000

    def bind(self, ports):
        for s in self.sockets:
            s.close()
        self.sockets = []
        for port in ports:
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            s.bind(("", port))
            s.setblocking(False)
            self.sockets.append(s)

    def send(self, datagrams):
        for (number, address), datagram in datagrams:
            try:
                self.sockets[number].sendto(datagram, address)
            except OSError:
                pass        # as lost as on the way

    def receive(self, now):
        for number, s in enumerate(self.sockets):
            for _ in range(BATCH):
                try:
                    datagram, address = s.recvfrom(seal.MOST + 1)
                except BlockingIOError:
                    break
                except OSError:
                    continue        # an ICMP message about what was sent
                self.send(self.endpoint.take(now, (number, address), datagram))

    def read(self, now):
        data = os.read(self.source, CHUNK)
        if data:
            self.endpoint.store.write(data, now)
        else:
            self.endpoint.store.finish(now)
            self.source = None

    def deliver(self):
        events, self.endpoint.events = self.endpoint.events, []
        for event in events:
            if event[0] in ("bytes", "header"):
                sys.stdout.buffer.write(event[1])
                self.received += len(event[1])
            self.gaps += event[0] == "gap"
            self.ended |= event[0] == "end"
        if events:
            sys.stdout.buffer.flush()

    def turn(self):
        """One look at everything. True: it is over."""
        now = self.now()
        self.receive(now)       # first what came while this process did not run
        self.send(self.endpoint.poll(now))
        self.deliver()
        if self.endpoint.is_over(now) or now > self.args.within * 1e6:
            return True
        if self.rebinds and now >= self.rebinds[0] * 1e6:
            self.rebinds.pop(0)
            self.bind([0] * self.args.flows)
        reads = self.source is not None and self.endpoint.store.has_room()
        due = self.endpoint.due()
        wait = LONGEST_WAIT if due is None else min(max(due - now, 200), LONGEST_WAIT)
        ready, _, _ = select.select(self.sockets + ([self.source] if reads else []), [], [], wait / 1e6)
        if reads and self.source in ready:
            self.read(self.now())
        return False

    def report(self):
        e, s = self.endpoint, self.endpoint.session
        found = {"opened": e.opened, "unknown": e.unknown, "malformed": e.malformed, "received": self.received,
                 "gaps": self.gaps, "ended": self.ended, "seconds": self.now() / 1e6}
        if e.listener:
            found["answers"] = e.listener.counts
        if s:
            found.update(datagrams=s.counts, peer_reason=s.peer_reason, reason=s.close_reason, flows=len(s.flows),
                         proved=sum(f.proved for f in s.flows), moves=sum(f.moves for f in s.flows), own_phase=s.sealer.phase,
                         peer_phase=s.opener.phase, agreed=[s.agreements, s.opener.secrets_used], cipher=s.agreed.cipher,
                         rtt_ms=(s.rtt.smooth or 0) / 1000, peer={k: repr(v) for k, v in s.agreed.peer.items()})
            names = ("retransmitted", "sent_blocks", "feedbacks", "ignored", "sent", "forwards", "doubles")
            found["half"] = {k: getattr(s.half, k) for k in names if hasattr(s.half, k)}
        return found

    def run(self):
        """0: the stream is whole, and its end was acknowledged."""
        while not self.turn():
            pass
        s = self.endpoint.session
        if self.args.stats:
            with open(self.args.stats, "w") as f:
                json.dump(self.report(), f)
        # all is acknowledged; CLOSE may be lost for as long as it is repeated
        finished = s and s.close_reason == 1 and s.peer_reason in (None, 1)
        whole = finished or self.ended and s.peer_reason == 1
        return 0 if whole and not self.gaps else 1


def main():
    try:
        return Shell(arguments()).run()
    except KeyboardInterrupt:
        return 130
