# SPDX-License-Identifier: LGPL-2.1-or-later
"""A file carried between the second implementation and the project's elements, over the emulated link or not."""

import base64
import contextlib
import json
import os
import random
import select
import shlex
import socket
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import benchlib  # noqa: E402

PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer")
RATE = 20           # Mbit/s, of a sender
CHUNK = 1 << 20     # bytes compared at once


def why_not():
    """Why the second implementation cannot run here, or None."""
    try:
        import cryptography  # noqa: F401
    except ImportError:
        return "there is no python3-cryptography"
    return None


def make_file(path, size, seed=1):
    with open(path, "wb") as f:
        f.write(random.Random(seed).randbytes(size))


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


class Nat(threading.Thread):
    """Between a caller and a listener, who sees the caller at another port once @after datagrams have passed."""

    def __init__(self, stack, called, port, after):
        super().__init__(daemon=True)
        self.listener, self.after, self.ends = ("127.0.0.1", port), after, False
        self.near, self.far = self.open(called), self.open(0)
        stack.callback(self.end)
        self.start()

    @staticmethod
    def open(port):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", port))
        return s

    def end(self):
        self.ends = True
        self.join()
        self.near.close()
        self.far.close()

    def run(self):
        caller, passed = None, 0
        while not self.ends:
            for s in select.select([self.near, self.far], [], [], .1)[0]:
                try:
                    datagram, address = s.recvfrom(65536)
                    caller = address if s is self.near else caller
                    (self.far if s is self.near else self.near).sendto(datagram, self.listener if s is self.near else caller)
                except OSError:
                    continue        # nobody is there yet
                passed += 1
                if passed == self.after:
                    self.far.close()
                    self.far = self.open(0)
                    break


class Transfer:
    """@we: "send" or "receive". @listen: who listens, "we" or "they". @link: options of a linkem relay, after how many
    datagrams the caller's port moves, or None."""

    def __init__(self, directory, we, listen, ours="", theirs="", link=None, flows=1, rate=RATE, within=benchlib.LIMIT, seed=1):
        self.directory, self.we, self.listen, self.ours, self.theirs = directory, we, listen, ours, theirs
        self.link, self.flows, self.rate, self.within, self.seed = link, flows, rate, within, seed
        self.source, self.copy, self.stats = (os.path.join(directory, name) for name in ("source", "copy", "stats.json"))
        self.port = benchlib.free_port(flows)

    def start_links(self, stack):
        """The first of the ports that a caller calls."""
        if self.link is None:
            return self.port
        called = benchlib.free_port(self.flows)
        if isinstance(self.link, int):
            Nat(stack, called, self.port, self.link)
            return called
        for i in range(self.flows):
            benchlib.start(stack, f"{benchlib.command('netsim/linkem')} relay --listen 127.0.0.1:{called + i} "
                           f"--to 127.0.0.1:{self.port + i} --seed {self.seed + i} --seconds {self.within} {self.link}")
        return called

    def our_words(self, called):
        where = ["--listen", str(self.port)] if self.listen == "we" else ["--call", f"127.0.0.1:{called}"]
        return [sys.executable, PEER, self.we, *where, "--flows", str(self.flows), "--rate", str(self.rate), "--stats", self.stats,
                "--within", str(self.within), *shlex.split(self.ours)]

    def their_line(self, called):
        uri = f"uri=fasp://:{self.port}" if self.listen == "they" else f"uri=fasp://127.0.0.1:{called}"
        keys = f"{uri} flowlets={self.flows} {self.theirs}"
        if self.we == "send":
            return f"faspsrc {keys} ! filesink location={shlex.quote(self.copy)}"
        return f"filesrc location={shlex.quote(self.source)} blocksize=65536 ! faspsink {keys} max-bitrate={int(self.rate * 1e6)}"

    def run(self):
        """Whole, and its end confirmed; returns what happened at our end."""
        with contextlib.ExitStack() as stack:
            called = self.start_links(stack)
            source = stack.enter_context(open(self.source if self.we == "send" else os.devnull, "rb"))
            copy = stack.enter_context(open(self.copy, "wb")) if self.we == "receive" else subprocess.DEVNULL
            log = os.path.join(self.directory, "ours.log")
            errors = stack.enter_context(open(log, "w"))
            ours = benchlib.start(stack, self.our_words(called), stdin=source, stdout=copy, stderr=errors)
            theirs = stack.enter_context(benchlib.Launch(self.directory, "theirs", self.their_line(called)))
            status = ours.wait(self.within + benchlib.LIMIT)
            assert status == 0, f"{status}: {read(log)[-1500:]} {read(self.stats) if os.path.exists(self.stats) else ''} " \
                + theirs.text()[-1500:]
            assert theirs.process.wait(self.within) == 0, theirs.text()[-2000:]
        with open(self.stats) as f:
            return json.load(f)

    def carry(self, size, header=b""):
        """@header: comes in front of what is sent."""
        make_file(self.source, size, self.seed)
        stats = self.run()
        with open(self.source, "rb") as source, open(self.copy, "rb") as copy:
            assert copy.read(len(header)) == header, stats
            while piece := source.read(CHUNK):
                assert copy.read(len(piece)) == piece, stats
            assert not copy.read(1), stats
        return stats


def make_keys(directory):
    """For "ours" and "theirs": the file of the private key, and the public one in base64."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    encoding, private, public = serialization.Encoding, serialization.PrivateFormat, serialization.PublicFormat
    made = {}
    for name in ("ours", "theirs"):
        key, path = X25519PrivateKey.generate(), os.path.join(directory, name + ".pem")
        with open(path, "wb") as f:
            os.chmod(path, 0o600)
            f.write(key.private_bytes(encoding.PEM, private.PKCS8, serialization.NoEncryption()))
        made[name] = path, base64.b64encode(key.public_key().public_bytes(encoding.Raw, public.Raw)).decode()
    return made
