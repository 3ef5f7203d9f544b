# SPDX-License-Identifier: LGPL-2.1-or-later
"""A stream from two relays at once, over a lossy path each, and what may happen to one of them. All are processes of
their own."""

import contextlib
import json
import os
import random
import re
import shlex
import signal
import subprocess
import time

import benchlib

PACKET = 188        # bytes, of an MPEG transport stream
LOSS = 2            # %, each way of each path
OUT = 3             # s that a relay or a path is out
BACK = 3            # s that a receiver takes to call it again, mostly
# ms that each way needs beside three round trips
MARGIN = {"hot": 100, "standby": 200}
HARMS = ("kill", "stop", "cut")
# what a path is for GREY_FOR s: options of linkem, and those that make it well again
GREY = {"20 % loss": ("loss=20", f"loss={LOSS}"), "300 ms more": ("delay={more}", "delay={least}")}
GREY_FOR = 10


def latency(redundancy, rtt):
    return 3 * rtt + MARGIN[redundancy]


def sources_told(text):
    """What was told of sources (message stream-source), in words."""
    return [" ".join(re.search(name + r"=\(\w+\)(\"[^\"]*\"|[^,;]*)", line)[1] for name in ("source", "change", "why"))
            for line in text.splitlines() if "stream-source," in line]


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


class Pair:
    """Two senders, and the paths between them and a receiver of both."""

    def __init__(self, stack, rtt, seed):
        self.stack, self.rtt, self.seed = stack, rtt, seed
        self.ports = [benchlib.free_port() for _ in range(2)]
        self.paths = [benchlib.free_port() for _ in range(2)]

    def start(self, command, **more):
        return benchlib.start(self.stack, command, **more)

    def link(self, i, changes=()):
        self.seed += 1
        return self.start(f"{benchlib.command('netsim/linkem')} relay --rtt {self.rtt} --loss {LOSS} --seed {self.seed} "
                          f"--listen 127.0.0.1:{self.paths[i]} --to 127.0.0.1:{self.ports[i]} --seconds 10000 "
                          + " ".join(f"--at {at}:{change}" for at, change in changes))

    def source(self, redundancy, buffer_ms):
        return (f"faspsrc uri=fasp://127.0.0.1:{self.paths[0]} fallback-addresses=127.0.0.1:{self.paths[1]} "
                f"redundancy={redundancy} latency={buffer_ms} stats-interval=500")


class Network(Pair):
    """An origin, two relays, the paths to them, and a receiver of both."""

    def __init__(self, directory, stack, redundancy, mbit, seconds, rtt, seed, buffer_ms, changes=((), ())):
        super().__init__(stack, rtt, seed)
        self.mbit, self.seconds, self.buffer_ms = mbit, seconds, buffer_ms
        self.channel = int(4 * mbit * 1e6)
        self.times = os.path.join(directory, "times.csv")
        self.log = os.path.join(directory, "receiver.log")
        self.origin = benchlib.free_port()
        out, into = os.pipe()
        callers = os.path.join(directory, "origin.log")
        with open(callers, "w") as log:
            self.start(f"gst-launch-1.0 -m fdsrc blocksize=1316 ! faspsink uri=fasp://:{self.origin} "
                       f"max-bitrate={self.channel} wait-for-connection=false history=10000000000", stdin=out, stdout=log)
        os.close(out)
        self.relays = [self.relay(i) for i in range(2)]
        self.links = [self.link(i, changes[i]) for i in range(2)]
        with open(self.log, "w") as log:
            receiver = self.start(f"gst-launch-1.0 -m {self.source(redundancy, buffer_ms)} ! fdsink fd=2 sync=false",
                                  stdout=log, stderr=subprocess.PIPE)
        self.check = self.start(
            f"{benchlib.command('bench/cbrcheck')} --mbit {mbit} --seconds {seconds} --delay {rtt / 2} --idle {benchlib.LIMIT} "
            f"--limit {seconds + 2 * benchlib.LIMIT} --times {shlex.quote(self.times)}",
            stdin=receiver.stderr, stdout=subprocess.PIPE)
        receiver.stderr.close()
        assert self.wait_for_sources(1 if redundancy == "none" else 2, time.monotonic() + benchlib.LIMIT), self.text()[-2000:]
        # a relay that calls the origin after the stream's beginning does not get it
        benchlib.wait_until(lambda: read(callers).count("connection-added") == len(self.relays))
        self.start(f"{benchlib.command('bench/cbrsource')} --mbit {mbit} --seconds {seconds}", stdout=into)
        os.close(into)

    def count_sources(self):
        """As the receiver's statistics said last."""
        found = re.findall(r"connected-callers=\(uint\)(\d+)", self.text())
        return int(found[-1]) if found else 0

    def wait_for_sources(self, n, until):
        """False: they are not there by then."""
        while self.count_sources() < n:
            if time.monotonic() > until:
                return False
            time.sleep(.02)
        return True

    def text(self):
        return read(self.log)

    def relay(self, i):
        return self.start(f"gst-launch-1.0 -q faspsrc uri=fasp://127.0.0.1:{self.origin} latency=50 ! queue ! "
                          f"faspsink uri=fasp://:{self.ports[i]} max-bitrate={self.channel} history=10000000000 "
                          "wait-for-connection=false")

    def harm(self, how, i, out):
        """Relay or path @i is out for @out s."""
        if how == "stop":
            self.relays[i].send_signal(signal.SIGSTOP)
            time.sleep(out)
            self.relays[i].send_signal(signal.SIGCONT)
            return
        dead = self.relays[i] if how == "kill" else self.links[i]
        dead.kill()
        dead.wait()
        time.sleep(out)
        if how == "kill":
            self.relays[i] = self.relay(i)
        else:
            self.links[i] = self.link(i)

    def result(self):
        result = json.loads(self.check.communicate(timeout=self.seconds + 60)[0])
        delays = benchlib.read_delays(self.times)
        # the machine's own delays count as the path's
        most = 1000 * (self.rtt / 2 + self.buffer_ms)
        per_second = self.mbit * 1e6 / 8 / benchlib.RECORD
        # the seconds of the stream
        result["skipped"] = sorted({int(i / per_second) for i, delay in enumerate(delays) if delay < 0 or delay > most})
        result["skips"] = len(result["skipped"])
        result["lacks"] = [i / per_second for i, delay in enumerate(delays) if delay < 0][:1]
        result["told"] = sources_told(self.text())
        return result


@contextlib.contextmanager
def scratch():
    with benchlib.scratch() as directory:
        with contextlib.ExitStack() as stack:
            yield directory, stack


def run(redundancy, harms, mbit=2, rtt=60, seed=1, buffer_ms=None, first=2, out=OUT, pause=4):
    """A stream with about so many outages, one at a time, at random moments; what came of it. @first: s before these;
    @pause: between them, once both are there again."""
    rand = random.Random(seed)
    seconds = first + harms * (1 + out + BACK + pause) + 1
    outages = []
    with scratch() as (directory, stack):
        network = Network(directory, stack, redundancy, mbit, seconds, rtt, 1000 * seed,
                          buffer_ms or latency(redundancy, rtt))
        begin = time.monotonic()
        time.sleep(first)
        while time.monotonic() - begin + 1 + out + BACK + pause < seconds:
            time.sleep(rand.random())
            outages.append((rand.choice(HARMS), rand.randrange(2), round(time.monotonic() - begin, 2)))
            network.harm(*outages[-1][:2], out)
            # on a busy machine the stream may be over first
            network.wait_for_sources(2, begin + seconds)
            time.sleep(pause)
        return {"redundancy": redundancy, "seed": seed, "outages": outages, **network.result()}


def grey(redundancy, kind, mbit, rtt, seed):
    """A stream one of whose paths is bad for a while, and lives."""
    rand = random.Random(seed)
    at = 4 + rand.random()
    options = [option.format(more=rtt / 2 + 300, least=rtt / 2) for option in GREY[kind]]
    changes = [(), ()]
    changes[seed % 2] = [(at, options[0]), (at + GREY_FOR, options[1])]
    with scratch() as (directory, stack):
        network = Network(directory, stack, redundancy, mbit, at + GREY_FOR + 8, rtt, 1000 * seed, latency(redundancy, rtt),
                          changes)
        return {"redundancy": redundancy, "kind": kind, "seed": seed, "path": seed % 2, **network.result()}


ENCODER = ("videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420 ! "
           "x264enc tune=zerolatency bitrate={kbit} key-int-max=30 ! mpegtsmux alignment=7 ! tee name=t "
           "t. ! queue ! filesink location={sent} buffer-mode=unbuffered "
           "t. ! queue ! udpsink host={group} port={port} multicast-iface=lo auto-multicast=true")
SENDER = ("udpsrc address={group} port={port} multicast-iface=lo buffer-size=4000000 caps=video/mpegts ! "
          "faspsink uri=fasp://:{own} history=10000000000 wait-for-connection=false")


def two_senders(redundancy, later=7, pause=5, kbit=4000, rtt=60, seed=1, buffer_ms=None):
    """Two senders of one UDP multicast of an MPEG transport stream. The second is started @later s after the first; then
    the first is killed and started anew, then the second is killed. Compares what was received with what was multicast."""
    with scratch() as (directory, stack):
        sent, got, log = (os.path.join(directory, name) for name in ("sent.ts", "got.ts", "log"))
        network = Pair(stack, rtt, seed)
        where = {"group": "239.7.7.7", "port": benchlib.free_port()}

        def send(i):
            return network.start("gst-launch-1.0 -q -e " + SENDER.format(own=network.ports[i], **where))

        encoder = network.start("gst-launch-1.0 -q -e " + ENCODER.format(sent=sent, kbit=kbit, **where))
        senders = [send(0)]
        network.links = [network.link(i) for i in range(2)]
        with open(log, "w") as file:
            receiver = network.start(f"gst-launch-1.0 -m {network.source(redundancy, buffer_ms or latency(redundancy, rtt))} ! "
                                     f"filesink location={got} buffer-mode=unbuffered", stdout=file)
        time.sleep(later)
        senders.append(send(1))
        time.sleep(pause)
        senders[0].kill()
        time.sleep(pause / 2)
        senders[0] = send(0)
        time.sleep(pause)
        senders[1].kill()
        time.sleep(pause)
        for process in (encoder, senders[0]):
            process.send_signal(signal.SIGINT)
            process.wait(benchlib.LIMIT)
        receiver.wait(benchlib.LIMIT)
        with open(sent, "rb") as a, open(got, "rb") as b:
            sent, got = a.read(), b.read()
        first = sent.find(got[:PACKET * 100])
        with open(log) as file:
            told = sources_told(file.read())
        return {"redundancy": redundancy, "sent": len(sent), "received": len(got), "first": first,
                "exact": first >= 0 and sent[first:] == got, "told": told}


def cost(mbit, megabytes, merged):
    """Receives the same from two senders at so many Mbit/s each, merged or not: processor time of the receiver, s, and how
    long it took."""
    with scratch() as (directory, stack):
        file = os.path.join(directory, "sent")
        pair = Pair(stack, 0, 1)
        with open(file, "wb") as f:
            for _ in range(megabytes):
                f.write(os.urandom(1 << 20))
        for port in pair.ports:
            pair.start(f"gst-launch-1.0 -q filesrc location={file} blocksize=131072 ! faspsink uri=fasp://:{port} "
                       f"max-bitrate={int(mbit * 1e6)} latency=1000")
        pair.paths = pair.ports
        sources = ([pair.source("hot", 1000)] if merged else
                   [f"faspsrc uri=fasp://127.0.0.1:{port} latency=1000 stats-interval=500" for port in pair.ports])
        begin = time.monotonic()
        receiver = pair.start("gst-launch-1.0 -q " + " ".join(source + " ! fakesink" for source in sources))
        _, receiver.returncode, usage = os.wait4(receiver.pid, 0)
        return usage.ru_utime + usage.ru_stime, time.monotonic() - begin
