# SPDX-License-Identifier: LGPL-2.1-or-later
"""A stream from two relays at once, over a lossy path each, and what may happen to one of them. All are processes of
their own."""

import contextlib
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import time

import benchlib

LOSS = 2            # %, each way of each path
OUT = 3             # s that a relay or a path is out
# ms that each way needs beside three round trips
MARGIN = {"hot": 100, "standby": 200}
HARMS = ("kill", "stop", "cut")


def latency(redundancy, rtt):
    return 3 * rtt + MARGIN[redundancy]


class Network:
    """An origin, two relays, the paths to them, and a receiver of both."""

    def __init__(self, directory, stack, redundancy, mbit, seconds, rtt, seed, buffer_ms):
        self.stack, self.rtt, self.seed = stack, rtt, seed
        self.mbit, self.seconds, self.buffer_ms = mbit, seconds, buffer_ms
        self.channel = int(4 * mbit * 1e6)
        self.times = os.path.join(directory, "times.csv")
        self.log = os.path.join(directory, "receiver.log")
        self.ports = [benchlib.free_port() for _ in range(2)]
        self.paths = [benchlib.free_port() for _ in range(2)]
        self.source = benchlib.free_port()
        out, into = os.pipe()
        self.start(f"gst-launch-1.0 -q fdsrc blocksize=1316 ! faspsink uri=fasp://:{self.source} max-bitrate={self.channel} "
                   "wait-for-connection=false history=10000000000", stdin=out)
        os.close(out)
        self.relays = [self.relay(i) for i in range(2)]
        self.links = [self.link(i) for i in range(2)]
        with open(self.log, "w") as log:
            receiver = self.start(
                f"gst-launch-1.0 -m faspsrc uri=fasp://127.0.0.1:{self.paths[0]} fallback-addresses=127.0.0.1:{self.paths[1]} "
                f"redundancy={redundancy} latency={buffer_ms} stats-interval=500 ! fdsink fd=2 sync=false",
                stdout=log, stderr=subprocess.PIPE)
        self.check = self.start(
            f"{benchlib.program('bench/cbrcheck')} --mbit {mbit} --seconds {seconds} --delay {rtt / 2} --idle {benchlib.LIMIT} "
            f"--limit {seconds + 2 * benchlib.LIMIT} --times {shlex.quote(self.times)}",
            stdin=receiver.stderr, stdout=subprocess.PIPE)
        receiver.stderr.close()
        self.wait_for_sources()
        self.start(f"{benchlib.program('bench/cbrsource')} --mbit {mbit} --seconds {seconds}", stdout=into)
        os.close(into)

    def wait_for_sources(self):
        until = time.monotonic() + benchlib.LIMIT
        while "connected-callers=(uint)2" not in self.text():
            assert time.monotonic() < until, self.text()[-2000:]
            time.sleep(.02)

    def text(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def start(self, command, **more):
        process = subprocess.Popen(shlex.split(command), env=benchlib.environment(),
                                   **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **more})
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def relay(self, i):
        return self.start(f"gst-launch-1.0 -q faspsrc uri=fasp://127.0.0.1:{self.source} latency=50 ! queue ! "
                          f"faspsink uri=fasp://:{self.ports[i]} max-bitrate={self.channel} history=10000000000 "
                          "wait-for-connection=false")

    def link(self, i):
        self.seed += 1
        return self.start(f"{benchlib.program('netsim/linkem')} relay --rtt {self.rtt} --loss {LOSS} --seed {self.seed} "
                          f"--listen 127.0.0.1:{self.paths[i]} --to 127.0.0.1:{self.ports[i]} --seconds 10000")

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
        with open(self.times) as f:
            delays = [int(line.split(",")[1]) for line in f.readlines()[1:]]
        # the machine's own delays count as the path's
        most = 1000 * (self.rtt / 2 + self.buffer_ms)
        per_second = self.mbit * 1e6 / 8 / benchlib.RECORD
        result["skips"] = len({int(i / per_second) for i, delay in enumerate(delays) if delay < 0 or delay > most})
        result["lacks"] = [i / per_second for i, delay in enumerate(delays) if delay < 0][:1]
        result["told"] = [line.split("change=(string)")[1].split(",")[0]
                          for line in self.text().splitlines() if "stream-source," in line]
        return result


def run(redundancy, harms, mbit=2, rtt=60, seed=1, buffer_ms=None, first=2, out=OUT, pause=4):
    """A stream with so many outages, one at a time, at random moments; what came of it. @first: s before these; @pause:
    between them."""
    rand = random.Random(seed)
    directory = benchlib.scratch()
    seconds = first + harms * (1 + out + pause) + 1
    plan = [(rand.choice(HARMS), rand.randrange(2), rand.random()) for _ in range(harms)]
    try:
        with contextlib.ExitStack() as stack:
            network = Network(directory, stack, redundancy, mbit, seconds, rtt, 1000 * seed,
                              buffer_ms or latency(redundancy, rtt))
            time.sleep(first)
            for how, i, wait in plan:
                time.sleep(wait)
                network.harm(how, i, out)
                time.sleep(pause)
            return {"redundancy": redundancy, "seed": seed, "plan": plan, **network.result()}
    finally:
        shutil.rmtree(directory, True)
