# SPDX-License-Identifier: LGPL-2.1-or-later
"""A fasp-relay whose outputs come and go while a stream passes."""

import contextlib
import filecmp
import os
import random
import re
import subprocess
import time

import benchlib
import relaylib

LATENCY = 10000     # ms, of which no machine stands still for so long: else each receiver would rightly report a skip
PIECE = 1 << 20     # bytes, of a file that is made: random numbers come at most 256 MiB at once


def sender(directory, name, port, content, mbit=8, keys=""):
    return benchlib.Launch(directory, name, f"filesrc location={content} blocksize=8192 ! faspsink "
                           f"uri=fasp://127.0.0.1:{port} max-bitrate={int(mbit * 1e6)} {keys}")


def receiver(directory, name, port, keys=""):
    return benchlib.Launch(directory, name, f"faspsrc uri=fasp://127.0.0.1:{port} {keys} ! "
                           f"filesink location={directory}/{name}")


def make_file(directory, size, name="content"):
    path = os.path.join(directory, name)
    draw = random.Random(size)
    with open(path, "wb") as f:
        for at in range(0, size, PIECE):
            f.write(draw.randbytes(min(PIECE, size - at)))
    return path


def same(a, b):
    return filecmp.cmp(a, b, shallow=False)


def resident(process):
    with open(f"/proc/{process.pid}/smaps_rollup", encoding="ascii") as f:
        return int(re.search(r"^Rss: +(\d+) kB", f.read(), re.M).group(1)) * 1024


def assert_no_skip(relay, sent):
    """Of the two outputs that stay, each has a receiver, which has reported none. @sent: while this sends."""
    skips = [c["skips"] for o in relay.status()["streams"][0]["outputs"] if o["id"] <= 2 and o["stats"]
             for c in o["stats"]["callers"]]
    assert skips == [0, 0] or sent.process.poll() is not None, skips


def come_and_go(directory, changes, mbit, seconds):
    """Outputs are added and removed at random beside a stream with 2 % loss: the others have every byte and no skip."""
    draw = random.Random(1)
    a, b, far, c = (benchlib.free_port() for _ in range(4))
    spare = [benchlib.free_port() for _ in range(4)]
    content = make_file(directory, int(mbit * 1e6 / 8 * seconds))
    config = f"[stream s]\ninput = fasp://:{a}?keep-listening=false\noutput = fasp://:{b}?max-bitrate={int(3e6 * mbit)};fasp://:{c}\n"
    link = [benchlib.program("netsim/linkem"), "relay", "--rtt", "40", "--loss", "2", "--listen", str(far), "--to",
            f"127.0.0.1:{b}"]
    with relaylib.Relay(directory, config, "api = true") as relay, contextlib.ExitStack() as stack:
        relay.wait(lambda s: s["s"]["state"] == "running")
        lossy = stack.enter_context(subprocess.Popen(link, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        stack.callback(lossy.kill)
        those = [stack.enter_context(receiver(directory, name, port, f"latency={LATENCY}")) for name, port in (("far", far), ("near", c))]
        relay.wait(lambda s: relaylib.receivers(s["s"]) == 2)
        # what waits for half a second at most: the whole file at once would be late, which is a skip
        s = stack.enter_context(sender(directory, "sender", a, content, mbit=1.2 * mbit, keys=f"buffer-size={int(mbit * 1e6 / 16)}"))
        relay.wait(lambda s: relaylib.passed(s["s"]) > 500_000)
        there, guests = {}, {}
        for n in range(changes):
            assert_no_skip(relay, s)
            port = draw.choice(spare)
            if port in there:
                code, _, answer = relay.ask("DELETE", f"/streams/s/outputs/{there.pop(port)}")
                assert code == 204, answer
                if port in guests:
                    guests.pop(port).__exit__(None, None, None)
            else:
                code, _, answer = relay.ask("POST", "/streams/s/outputs", {"uri": f"fasp://:{port}"})
                assert code == 201, answer
                there[port] = answer["id"]
                if draw.random() < 0.3:
                    guests[port] = stack.enter_context(receiver(directory, f"guest-{n}", port))
            time.sleep(draw.uniform(0, 2 * seconds * 0.75 / changes))
        for port, output in there.items():
            assert relay.ask("DELETE", f"/streams/s/outputs/{output}")[0] == 204
        for guest in guests.values():
            guest.__exit__(None, None, None)
        streams = relay.wait(lambda s: len(s["s"]["outputs"]) == 2)
        assert streams["s"]["restarts"] == 0 and "starts again" not in relay.text(), relay.text()[-2000:]
        assert all(o["stats"]["bytes-dropped-total"] == 0 for o in streams["s"]["outputs"]
                   if "bytes-dropped-total" in (o["stats"] or ())), streams
        for _ in range(int(seconds + benchlib.LIMIT)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                s.process.wait(1)
                break
            assert_no_skip(relay, s)
        for one in those:
            one.end()
        assert [x.process.returncode for x in (s, *those)] == [0, 0, 0], [x.text()[-500:] for x in (s, *those)]
        assert same(content, os.path.join(directory, "far")) and same(content, os.path.join(directory, "near"))
        intervals = {i for one in those for i in re.findall(r"observed-interval=\(guint64\)(\d+)", one.text())}
        assert intervals <= {str(2**64 - 1)}, intervals
        relay.end()
