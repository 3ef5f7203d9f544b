# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each input of fasp-relay to each output: who sends, who receives, a network that loses, and what came.

For SRT and RIST, the programs of their own projects are on the other side, or ffmpeg."""

import itertools
import json
import os
import random
import selectors
import socket
import struct
import subprocess
import threading
import time

import benchlib
import relaylib

ENDS = ("fasp", "srt", "rist", "udp", "rtp", "file")
REPAIR = ("fasp", "srt", "rist")        # these have the network that loses
PACKET, SYNC = 188, 0x47
# a table of no programmes, with its CRC; the counter is added
PAT = struct.pack(">BHBB", SYNC, 0x4000, 0x10, 0) + bytes.fromhex("00b0090001c10000ef226217").ljust(PACKET - 5, b"\xff")
EMPTY = struct.pack(">BHB", SYNC, 0x1FFF, 0x10) + bytes(PACKET - 4)      # a packet without content
# ms: their time to repair, many round trips of this machine. Nothing may be missing by SRT, so it can wait for a machine
# that pauses for a second.
LATENCY = {"srt": 2000, "rist": 1500}
RATE = 25           # pictures a second
RIST_START = 3      # s: within this, the first report of RIST has come
GROUP = "239.255.77.1"
# ffmpeg's options: µs, and how long it waits at its end, s; ms
FFMPEG = {"srt": ["-latency", str(1000 * LATENCY["srt"]), "-linger", "3"],
          "rist": ["-rist_profile", "simple", "-buffer_size", str(LATENCY["rist"])]}


def missing_programs():
    """Why a table cannot be made here; None: it can."""
    packages = {"ffmpeg": "ffmpeg", "srt-live-transmit": "srt-tools", "ristsender": "rist-tools"}
    missing = [package for name, package in packages.items()
               if not any(os.access(os.path.join(p, name), os.X_OK) for p in os.environ["PATH"].split(":"))]
    return f"install {' '.join(missing)}" if missing else None


def free_pair():
    """An even port, which is free together with the next one."""
    while True:
        port = benchlib.free_port(2)
        if port % 2 == 0:
            return port


def make_ts(path, seconds, kbit, group=RATE):
    """Picture and sound in a transport stream of a constant rate. @group: pictures from one key frame to the next."""
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc=s=320x180:r={RATE}",
                    "-f", "lavfi", "-i", "sine=f=440", "-t", str(seconds), "-c:v", "libx264", "-preset", "ultrafast",
                    "-bf", "0", "-g", str(group), "-b:v", f"{kbit // 2}k", "-c:a", "mp2", "-b:a", "64k",
                    "-muxrate", f"{kbit}k", *benchlib.MPEGTS, path], check=True, stdin=subprocess.DEVNULL)


class Wire(threading.Thread):
    """Datagrams of this machine: passed on with loss, in both directions, or kept."""

    def __init__(self, loss, seed=1):
        super().__init__(daemon=True)
        self.selector, self.loss, self.random, self.done = selectors.DefaultSelector(), loss, random.Random(seed), False
        self.passed = self.lost = 0
        self.sockets = []

    def open(self, port=0, group=None):
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        one.bind((group or "127.0.0.1", port))
        if group:
            one.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                           socket.inet_aton(group) + socket.inet_aton("127.0.0.1"))
        one.setblocking(False)
        self.sockets.append(one)
        return one

    def connect(self, near, far):
        """What comes to the port @near goes to @far, and back."""
        a, b = self.open(near), self.open()
        # only from there: another program's datagram, before the first caller's, would end this thread
        b.connect(("127.0.0.1", far))
        callers = []

        def forward():
            data, caller = a.recvfrom(65536)
            callers[:] = [caller]
            return b, data, ("127.0.0.1", far)

        def back():
            data = b.recv(65536)
            return a, data, callers[0]
        self.selector.register(a, selectors.EVENT_READ, lambda: self.pass_on(*forward()))
        self.selector.register(b, selectors.EVENT_READ, lambda: self.pass_on(*back()))

    def pass_on(self, to, data, where):
        if self.random.random() < self.loss:
            self.lost += 1
            return
        self.passed += 1
        to.sendto(data, where)

    def keep(self, port, datagrams, group=None, times=None):
        one = self.open(port, group)

        def take():
            datagrams.append(one.recv(65536))
            if times is not None:
                times.append(time.monotonic())
        self.selector.register(one, selectors.EVENT_READ, take)

    def run(self):
        while not self.done:
            for key, _ in self.selector.select(0.1):
                try:
                    key.data()
                except OSError:
                    pass        # who was called is not there (yet)

    def end(self):
        self.done = True
        self.join()
        for one in self.sockets:
            one.close()


class Stream:
    """One input, all outputs: the configuration of the relay, and the processes around it."""

    def __init__(self, directory, wire, kind, ts, outputs=ENDS, ffmpeg=False):
        self.directory, self.wire, self.kind, self.ts, self.outputs = directory, wire, kind, ts, outputs
        self.ffmpeg = ffmpeg        # speaks SRT and RIST with the relay, instead of their own programs
        self.processes, self.datagrams, self.pipe = [], {}, ()
        self.into = free_pair()                                     # where the sender sends to
        self.inner = free_pair() if kind in REPAIR else self.into   # where the relay is
        self.ports = {o: (free_pair(), free_pair()) for o in outputs}

    def path(self, name):
        return os.path.join(self.directory, f"{self.kind}-{name}.ts")

    def input_uri(self):
        keys = f"?latency={LATENCY[self.kind]}" if self.kind in LATENCY else ""
        return {"fasp": f"fasp://:{self.inner}", "file": f"file://{self.ts}"}.get(
            self.kind, f"{self.kind}://127.0.0.1:{self.inner}{keys}"
            if self.kind != "srt" else f"srt://:{self.inner}{keys}")

    def output_uri(self, o):
        first, last = self.ports[o]
        return {"fasp": f"fasp://:{first}", "srt": f"srt://:{first}?latency={LATENCY['srt']}",
                "rist": f"rist://127.0.0.1:{first}?latency={LATENCY['rist']}",
                "udp": f"udp://{GROUP}:{last}?interface=lo&ttl=0", "rtp": f"rtp://127.0.0.1:{last}",
                "file": f"file://{self.path('file')}"}[o]

    def configuration(self):
        return (f"[stream {self.kind}]\ninput = {self.input_uri()}\n"
                f"output = {';'.join(self.output_uri(o) for o in self.outputs)}\n")

    def start(self, name, command, **more):
        with open(os.path.join(self.directory, f"{self.kind}-{name}.log"), "w") as log:
            self.processes.append(subprocess.Popen(command, **{"stdout": log, "stderr": log,
                                                               "stdin": subprocess.DEVNULL, **more}))

    def launch(self, name, line):
        self.start(name, ["gst-launch-1.0", "-q"] + line.split(), env=benchlib.environment())

    def listen_by_ffmpeg(self, o, last):
        # a datagram at a time: of two pieces, the second could be missing when ffmpeg is ended
        self.start("to-" + o, ["ffmpeg", "-v", "error", "-y", *FFMPEG[o], "-f", "data", "-raw_packet_size",
                               str(7 * PACKET), "-i", f"{o}://{'@' if o == 'rist' else ''}127.0.0.1:{last}", "-map", "0", "-c", "copy",
                               "-f", "data", "-flush_packets", "1", self.path(o)])

    def listen(self):
        """Starts who receives. For what repairs, the network that loses is between it and the relay."""
        for o in self.outputs:
            first, last = self.ports[o]
            if o in ("fasp", "srt"):
                self.wire.connect(last, first)
            elif o == "rist":
                self.wire.connect(first, last)
                self.wire.connect(first + 1, last + 1)
            if self.ffmpeg and o in FFMPEG:
                self.listen_by_ffmpeg(o, last)
            elif o == "fasp":
                self.launch("to-fasp", f"faspsrc uri=fasp://127.0.0.1:{last} ! filesink buffer-mode=unbuffered location={self.path('fasp')}")
            elif o == "srt":
                with open(self.path("srt"), "wb") as out:
                    self.start("to-srt", ["srt-live-transmit", "-q", "-f", "-s", "1", "-pf", "json", "-statsout", self.path("srt-stats"),
                                          f"srt://127.0.0.1:{last}?latency={LATENCY['srt']}", "file://con"], stdout=out)
            elif o == "rist":
                kept = benchlib.free_port()
                self.wire.keep(kept, self.datagrams.setdefault(o, []))
                self.start("to-rist", ["ristreceiver", "-p", "0", "-b", str(LATENCY["rist"]), "-i",
                                       f"rist://@127.0.0.1:{last}", "-o", f"udp://127.0.0.1:{kept}"])
            elif o in ("udp", "rtp"):
                self.wire.keep(last, self.datagrams.setdefault(o, []), GROUP if o == "udp" else None)

    def open_way(self, port):
        """From RIST to RIST, each of the two passes what comes after its first report only: packets without content
        are sent until one has come out."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            benchlib.wait_until(lambda: out.sendto(7 * EMPTY, ("127.0.0.1", port)) and self.datagrams["rist"],
                                lambda: "nothing comes out")

    def send(self):
        """Starts who sends."""
        if self.kind == "file":
            return
        if self.kind in REPAIR:
            self.wire.connect(self.into, self.inner)
        if self.kind == "fasp":
            self.launch("from", f"filesrc location={self.ts} ! tsparse set-timestamps=true alignment=7 ! clocksync ! "
                        f"faspsink uri=fasp://127.0.0.1:{self.into}")
            return
        between, keys, loop, more = benchlib.free_port(), [], [], {}
        to = {"udp": f"udp://127.0.0.1:{self.into}?pkt_size=1316", "rtp": f"rtp://127.0.0.1:{self.into}"}.get(
            self.kind, f"udp://127.0.0.1:{between}?pkt_size=1316")
        if self.kind == "rist":
            self.wire.connect(self.into + 1, self.inner + 1)
        if self.ffmpeg and self.kind in FFMPEG:
            # when it ends by itself, ffmpeg 7 does not send the last datagrams by SRT
            to, keys, loop = f"{self.kind}://127.0.0.1:{self.into}", FFMPEG[self.kind] + ["-pkt_size", str(7 * PACKET)], ["-stream_loop", "-1"]
        elif self.kind == "srt":
            # by a pipe, which loses nothing while this program waits for a processor; it does not end before this does
            end, more["stdout"] = self.pipe = os.pipe()
            to = "pipe:1"
            self.start("from", ["srt-live-transmit", "-q", "-buffering:1", "-c", str(7 * PACKET), "file://con",
                                f"srt://127.0.0.1:{self.into}?latency={LATENCY['srt']}"], stdin=end)
        elif self.kind == "rist":
            self.start("from", ["ristsender", "-p", "0", "-b", str(LATENCY["rist"]), "-i", f"udp://@127.0.0.1:{between}",
                                "-o", f"rist://127.0.0.1:{self.into}"])
        if self.kind in ("srt", "rist"):
            time.sleep(1)       # until they are connected: RTP and UDP cannot wait
        if self.kind == "rist" and not self.ffmpeg and "rist" in self.outputs:
            self.open_way(between)
        self.start("file", ["ffmpeg", "-v", "error", "-re", *loop, "-i", self.ts, "-c", "copy", "-f",
                            "rtp_mpegts" if self.kind == "rtp" else "mpegts", *keys, to], **more)

    def wait(self):
        """Until all is sent, whenever the program that does has got going, if that ends."""
        if self.kind != "file" and not (self.ffmpeg and self.kind in FFMPEG):
            self.processes[-1].wait(benchlib.LIMIT)
            if self.pipe:
                # the program reads 4096 bytes at a time, and sends whole datagrams (with -buffering:1, one at a time, not
                # ten): the last ones wait for more
                os.write(self.pipe[1], 4 * 7 * EMPTY)

    def end(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(3)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for end in self.pipe:
            os.close(end)

    def late(self, o, status):
        """How many datagrams SRT says that it gave up, as they did not come in time: those who wait for them, the relay
        at its input, and the receiver."""
        ends = next(s for s in status["streams"] if s["name"] == self.kind)
        late = sum(caller.get("packets-missing", 0) for caller in ends["input"]["stats"].get("callers", [])) if self.kind == "srt" else 0
        if o == "srt" and os.path.exists(self.path("srt-stats")):
            with open(self.path("srt-stats")) as f:
                late += max((json.loads(line)["recv"]["packetsDropped"] for line in f if line.endswith("}\n")), default=0)
        return late

    def received(self, o):
        """The bytes that came, and what is wrong with the datagrams they came in."""
        faults = []
        if o not in self.datagrams:
            with open(self.path(o), "rb") as f:
                return f.read(), faults
        content = bytearray()
        for datagram in self.datagrams[o]:
            if o == "rtp":
                if len(datagram) < 12 or datagram[0] >> 6 != 2 or datagram[1] & 0x7F != 33:
                    faults.append("not MPEG-TS in RTP")
                datagram = datagram[12:]
            if not datagram or len(datagram) % PACKET or len(datagram) > 7 * PACKET:
                faults.append(f"a datagram of {len(datagram)} bytes")
            content += datagram
        return bytes(content), faults


def make_feed(port, host="127.0.0.1", rtp=False):
    """What sends more of a transport stream, with a PAT each time, to this port (of a group: through this machine's lo), each time that it is called; @missing: packets are left out.
    @table: False: so is the PAT."""
    out, counters, tables, numbers = socket.socket(type=socket.SOCK_DGRAM), itertools.count(), itertools.count(), itertools.count()
    out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))

    def feed(datagrams=20, missing=0, table=True):
        for _ in range(missing):
            next(counters)
        for i in range(datagrams):
            packets = [PAT[:3] + bytes([PAT[3] | next(tables) % 16]) + PAT[4:]] if i == 0 and table else []
            packets += [struct.pack(">BHB", SYNC, 0x101, 0x10 | next(counters) % 16) + bytes(PACKET - 4) for _ in range(7 - len(packets))]
            head = struct.pack(">BBHII", 0x80, 33, next(numbers) % 65536, int(time.monotonic() * 90000) % 2 ** 32, 1) if rtp else b""
            out.sendto(head + b"".join(packets), (host, port))
    return feed


def count_faults(content):
    """(bytes that are not in whole packets, jumps of a continuity counter: [(packet, how many are missing)])"""
    stray, jumps, counters = len(content) % PACKET, [], {}
    for number in range(len(content) // PACKET):
        sync, pid, flags = struct.unpack_from(">BHB", content, number * PACKET)
        pid &= 0x1FFF
        if sync != SYNC:
            stray += PACKET
        elif pid != 0x1FFF and flags & 0x10:
            missing = (flags - counters.get(pid, flags - 1) - 1) % 16
            if missing:
                jumps.append((number, missing))
            counters[pid] = flags
    return stray, jumps


def count_frames(path):
    """(pictures that were decoded, complaints of the decoder)"""
    run = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-f", "framecrc", "-"],
                         capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return sum(not line.startswith("#") for line in run.stdout.splitlines()), run.stderr.strip().splitlines()


def judge(stream, o, status):
    """What came of an output, as a dict."""
    content, faults = stream.received(o)
    path = stream.path(o + "-checked")
    with open(path, "wb") as f:
        f.write(content)
    stray, jumps = count_faults(content)
    frames, complaints = count_frames(path)
    return {"packets": len(content) // PACKET, "stray": stray, "jumps": jumps, "frames": frames, "faults": faults[:3],
            "complaints": complaints[:3], "late": stream.late(o, status)}


def run(directory, inputs, seconds, kbit, loss, outputs=ENDS, ffmpeg=False):
    """{(input, output): what came}; and the share of datagrams that the network lost."""
    ts = os.path.join(directory, "content.ts")
    make_ts(ts, seconds, kbit)
    wire = Wire(loss)
    streams = [Stream(directory, wire, kind, ts, outputs, ffmpeg) for kind in inputs]
    table = {}
    with relaylib.Relay(directory, "".join(s.configuration() for s in streams)) as relay:
        try:
            wire.start()
            for stream in streams:
                stream.listen()
            relay.wait(lambda s: all(e["state"] == "running" and e["stats"].get("connected-callers", 1) == 1
                                     for x in s.values() for e in x["outputs"]))
            for stream in streams:
                stream.send()
            time.sleep(seconds)
            for stream in streams:
                stream.wait()
            time.sleep(1 + 3 * max(LATENCY.values()) / 1000)
            table["status"] = relay.status()
            relay.end()
        finally:
            for stream in streams:
                stream.end()
            wire.end()
        table["log"] = relay.text()
    for stream in streams:
        for o in outputs:
            table[stream.kind, o] = judge(stream, o, table["status"])
    table["lost"] = wire.lost / max(1, wire.lost + wire.passed)
    return table


def find_fault(cell, kind, o, pictures, kbit, loss):
    """What is wrong with what came; None: nothing.  @pictures: that were sent.

    RIST passes what comes after its first report: some pictures are missing at the beginning. Then it repairs most of
    what is lost, but not all: librist sends a packet again once, however often it is asked to (seen with 0.2.7), and
    is asked seldom in the first seconds.  SRT gives up what is late, where a machine pauses for longer than its
    latency, and says so: no more than that may be missing."""
    rist = "rist" in (kind, o)
    if cell["stray"] or cell["faults"]:
        return "not whole packets"
    start = RIST_START * kbit * 1000 // (8 * PACKET) if rist else 0
    missing = sum(n for number, n in cell["jumps"] if number >= start)
    if missing > 7 * cell["late"] + (loss / 2 * (cell["packets"] - start) if rist else 0) and kind != "file":
        return f"{missing} of {cell['packets'] - start} packets are missing, and SRT gave up {cell['late']} datagrams"
    if cell["frames"] < pictures - (RIST_START * RATE if rist else 0) and not cell["late"]:
        return f"{cell['frames']} of {pictures} pictures"
    return None
