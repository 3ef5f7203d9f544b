# SPDX-License-Identifier: LGPL-2.1-or-later
"""A file carried from one end to another, over the emulated link or not. An end is the project's element, or the second
implementation."""

import base64
import contextlib
import json
import os
import random
import shlex
import subprocess
import sys
from typing import NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import benchlib  # noqa: E402

try:
    import middlelib
    WHY_NOT = None      # why the second implementation cannot run here
except ModuleNotFoundError as error:
    if error.name.split(".")[0] != "cryptography":
        raise
    WHY_NOT = "there is no python3-cryptography"

PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer")
RATE = 20           # Mbit/s, of a sender
CHUNK = 1 << 20     # bytes compared at once
ROLES = ("send", "receive")


def make_file(path, size, seed=1):
    with open(path, "wb") as f:
        f.write(random.Random(seed).randbytes(size))


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


class Pair(NamedTuple):
    """@second: what the second implementation does, or None: both ends are elements. @listens: the role that listens."""
    second: str
    listens: str

    def calls(self):
        return ROLES[self.listens == "send"]

    def words(self):
        """Sender and receiver; the one in brackets listens."""
        ends = ["second" if role == self.second else "element" for role in ROLES]
        return " to ".join(f"({end})" if role == self.listens else end for role, end in zip(ROLES, ends))


ELEMENTS = [Pair(None, role) for role in ROLES]
WITH_SECOND = [Pair(second, listens) for second in ROLES for listens in ROLES]


class Transfer:
    """@ours: words of the second implementation's command, @theirs: properties of an element. @link: options of a linkem
    relay before the listener, @middle: arguments of a Middle between these, @crowd: it wants a cookie."""

    def __init__(self, directory, pair, ours="", theirs="", link=None, middle=None, crowd=False, flows=1, rate=RATE,
                 within=benchlib.LIMIT, seed=1):
        self.directory, self.pair, self.ours, self.theirs, self.crowd = directory, pair, ours, theirs, crowd
        self.link, self.flows, self.rate, self.within, self.seed = link, flows, rate, within, seed
        self.source, self.copy, self.stats = (os.path.join(directory, name) for name in ("source", "copy", "stats.json"))
        self.port = self.called = benchlib.free_port(flows)
        self.middle, self.ends = None, {}       # processes by role
        if middle is not None:
            self.called = benchlib.free_port()
            self.middle = middlelib.Middle(self.called, self.port, **middle)

    def start_links(self, stack):
        if self.middle:
            stack.enter_context(self.middle)
        if self.link is None:
            return
        behind, self.called = self.called, benchlib.free_port(self.flows)
        for i in range(self.flows):
            benchlib.start(stack, f"{benchlib.command('netsim/linkem')} relay --listen 127.0.0.1:{self.called + i} "
                           f"--to 127.0.0.1:{behind + i} --seed {self.seed + i} --seconds {self.within} {self.link}")

    def log(self, role):
        return os.path.join(self.directory, role + ".log")

    def start(self, stack, role):
        if role == self.pair.second:
            self.ends[role] = self.start_ours(stack, role)
        else:
            self.ends[role] = stack.enter_context(benchlib.Launch(self.directory, role, self.line(role))).process

    def start_ours(self, stack, role):
        where = ["--listen", str(self.port)] if self.pair.listens == role else ["--call", f"127.0.0.1:{self.called}"]
        words = [sys.executable, PEER, role, *where, "--flows", str(self.flows), "--rate", str(self.rate), "--stats", self.stats,
                 "--within", str(self.within), *shlex.split(self.ours)]
        source = stack.enter_context(open(self.source if role == "send" else os.devnull, "rb"))
        copy = stack.enter_context(open(self.copy, "wb")) if role == "receive" else subprocess.DEVNULL
        errors = stack.enter_context(open(self.log(role), "w"))
        return benchlib.start(stack, words, stdin=source, stdout=copy, stderr=errors)

    def line(self, role):
        """Of an element, for gst-launch-1.0."""
        uri = f"uri=fasp://:{self.port}" if self.pair.listens == role else f"uri=fasp://127.0.0.1:{self.called}"
        keys = f"{uri} flowlets={self.flows} stats-interval=100 {self.theirs}"
        if role == "receive":
            return f"faspsrc {keys} ! filesink location={shlex.quote(self.copy)}"
        return f"filesrc location={shlex.quote(self.source)} blocksize=65536 ! faspsink {keys} max-bitrate={int(self.rate * 1e6)}"

    def said(self):
        """What both ends have said, and what was seen between them."""
        texts = [f"{role}: {read(self.log(role))[-1500:]}" for role in self.ends]
        return "\n".join([*texts, str(benchlib.load(self.stats)), str(self.middle)])

    @contextlib.contextmanager
    def running(self):
        with contextlib.ExitStack() as stack:
            self.start_links(stack)
            self.start(stack, self.pair.listens)
            if self.crowd:
                stack.enter_context(middlelib.crowd(self.port, benchlib.LIMIT))
            self.start(stack, self.pair.calls())
            yield

    def wait(self):
        for role, process in self.ends.items():
            status = process.wait(self.within + benchlib.LIMIT)
            assert status == 0, f"{role}: {status}; {self.said()}"

    def compare(self, header=b""):
        with open(self.source, "rb") as source, open(self.copy, "rb") as copy:
            assert copy.read(len(header)) == header, self.said()
            while piece := source.read(CHUNK):
                assert copy.read(len(piece)) == piece, self.said()
            assert not copy.read(1), self.said()

    def carry(self, size, header=b""):
        """Whole, and its end confirmed. Returns what happened at the second implementation, or nothing. @header: comes in
        front of what is sent."""
        make_file(self.source, size, self.seed)
        with self.running():
            self.wait()
        self.compare(header)
        return benchlib.load(self.stats) or {}

    def count_retransmitted(self):
        if self.pair.second == "send":
            return benchlib.load(self.stats)["half"]["retransmitted"]
        return benchlib.last_stats(self.log("send"))["packets-retransmitted"]


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
