# SPDX-License-Identifier: LGPL-2.1-or-later
"""The processes that decode pictures for fasp-relay, as tests see them."""

import contextlib
import os
import threading

import benchlib

WIDTH = 320


def children(relay):
    """{pid: its arguments} of the processes that the relay has started, and that are no zombies."""
    with open(f"/proc/{relay.process.pid}/task/{relay.process.pid}/children") as f:
        found = f.read().split()
    words = {}
    for child in found:
        try:
            with open(f"/proc/{child}/cmdline") as f:
                words[int(child)] = f.read().split("\0")[:-1]
        except OSError:
            pass                # it has ended meanwhile
    return {pid: of for pid, of in words.items() if of}


def decoders(relay):
    """The processes that make pictures, {interval: pid}."""
    return {words[-1]: pid for pid, words in children(relay).items()}


def programme(directory, port, pattern="smpte", wave="sine"):
    """Picture with a key frame each second, and sound in two channels, to an input that listens at @port."""
    return benchlib.Launch(directory, f"programme-{pattern}", f"videotestsrc is-live=true pattern={pattern} ! video/x-raw,width={WIDTH},height=180,framerate=25/1 ! "
                           f"x264enc tune=zerolatency key-int-max=25 ! h264parse ! mux. audiotestsrc is-live=true wave={wave} ! "
                           "audio/x-raw,channels=2 ! avenc_aac ! aacparse ! mux. mpegtsmux name=mux ! "
                           f"faspsink uri=fasp://127.0.0.1:{port}?max-bitrate=8000000")


class Lift:
    """Gives the processes that decode the processor as the others have it, where this user may: whoever builds something
    beside the tests would else starve them. .seen: {pid: how they were scheduled}."""

    def __init__(self, relay):
        self.relay, self.seen, self.done = relay, {}, threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.done.wait(0.02):
            with contextlib.suppress(OSError):
                for pid in children(self.relay):
                    for thread in os.listdir(f"/proc/{pid}/task"):
                        self.lift(pid, int(thread))

    def lift(self, pid, thread):
        now = os.sched_getscheduler(thread), os.getpriority(os.PRIO_PROCESS, thread)
        self.seen.setdefault(pid, set()).add(now)
        if now[1] > 0:          # the last that it sets (picturesandbox.c)
            os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))
            os.setpriority(os.PRIO_PROCESS, thread, 0)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *unused):
        self.done.set()
        self.thread.join()
