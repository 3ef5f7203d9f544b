# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the benchmarks share: the programs, the link, the peers' pipelines.

A benchmark is a table of cases, and a function that runs one of them. arguments() reads its command line, scratch()
is its folder. It prints its table row by row; save() writes what it measured, save_picture() what it drew. start()
starts what a stack ends; run_on_link() and run_on_wire() run a shell between two hosts."""

import argparse
import json
import math
import multiprocessing
import multiprocessing.connection
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("FASP_BUILD", os.path.join(ROOT, "build")))


def program(name):
    path = os.path.join(BUILD, "tests", name)
    if not os.path.exists(path):
        sys.exit(f"{os.path.basename(sys.argv[0])}: there is no {name} yet. "
                 "Run ./examples/setup --bench first.")
    return path


def command(name):
    """The same as a word of a shell's line: the path may have spaces."""
    return shlex.quote(program(name))


def installed(name):
    """The path of a program that is installed: as it was built, or a script as it is."""
    paths = [os.path.join(root, folder, name) for root in (BUILD, ROOT) for folder in ("gst/relay", "gst/tools", "examples")]
    return next((path for path in paths if os.path.isfile(path)), paths[0])


def need(*programs):
    """Ends here, and says why, before anything waits for a program that is not there."""
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        sys.exit(f"{os.path.basename(sys.argv[0])}: there is no {', no '.join(missing)}. "
                 "Run ./examples/setup --bench first.")


def environment(ours=False):
    """Of a process. @ours: its program is built here, so that a sanitizer sees all that it does."""
    env = dict(os.environ)
    env["GST_PLUGIN_PATH"] = os.path.join(BUILD, "gst")
    env.setdefault("GST_REGISTRY", os.path.join(BUILD, "registry.bin"))
    env["GST_REGISTRY_FORK"] = "no"
    if "FASP_PRELOAD" in env:       # a sanitizer's library, which must come first
        env["LD_PRELOAD"] = env["FASP_PRELOAD"]
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        if not ours:    # it has GLib's own locks, which ThreadSanitizer cannot see
            env["TSAN_OPTIONS"] = env.get("TSAN_OPTIONS", "") + ":report_bugs=0"
    return env


def run_on_link(options, script, timeout, stats=None):
    """Runs a shell script between two hosts; $LINKEM_A, ... are set in it.
    Without options (None) both are this machine, without a link.

    Returns its status. Everything it started is gone afterwards."""
    if options is None:
        here = dict(environment(), LINKEM_A="", LINKEM_B="", LINKEM_ADDR_A="127.0.0.1",
                    LINKEM_ADDR_B="127.0.0.1")
        return subprocess.run(["timeout", str(timeout), "bash", "-c", script], env=here,
                              stdin=subprocess.DEVNULL).returncode
    # it ends, and frees what it made, when who waits for it is killed
    command = ["setpriv", "--pdeathsig", "TERM", program("netsim/linkem"), "run"] + [str(o) for o in options]
    if stats:
        command += ["--stats", stats]
    command += ["--seconds", str(timeout), "--", "bash", "-c", script]
    return subprocess.run(command, env=environment(),
                          stdin=subprocess.DEVNULL).returncode


def arguments(doc, out=None):
    """A parser of a program's arguments. @out: the files that it writes, with OUT for what --out says."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if out:
        parser.add_argument("--out", default=parser.prog, help=f"results to {out}")
    return parser


def numbers(text):
    return [float(x) for x in text.split(",")]


def percentile(values, share):
    """Of sorted values; None of none."""
    return values[min(len(values) - 1, int(share * len(values)))] if values else None


def save(results, path):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(results, f, indent=1)


def pyplot():
    """matplotlib's, without a screen. Only what draws needs it."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot
    return matplotlib.pyplot


def save_picture(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=100)


RECORD = 1316       # bytes, cbrsource's
WIRE_A, WIRE_B = "10.9.0.1", "10.9.0.2"

# Both hosts are gone when their last process is, however this ends.
WIRE = f"""
set -e
ip link set lo up
unshare --net sleep {{timeout}} & other=$!
trap 'kill $other $(jobs -p) 2>/dev/null' EXIT
for i in $(seq 100); do
    [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/$$/ns/net)" ] && break
    sleep 0.01
done
ip link add wire type veth peer name wire netns $other
ip addr add {WIRE_A}/24 dev wire
ip link set wire mtu {{mtu}} up
B="nsenter --target $other --net"
$B ip link set lo up
$B ip addr add {WIRE_B}/24 dev wire
$B ip link set wire mtu {{mtu}} up
# asks for the address of the other before it counts
ping -c 1 -w 10 {WIRE_B} >/dev/null
set +e
"""


def run_on_wire(script, timeout, mtu=1500):
    """Runs a shell script on one of two hosts joined by a wire without any limit (a
    veth pair between namespaces): this one is WIRE_A, what $B stands before runs
    on WIRE_B. Needs root."""
    need("ip", "nsenter", "unshare", "ping")
    if os.geteuid():
        sys.exit(f"{os.path.basename(sys.argv[0])}: making two hosts needs root.")
    script = WIRE.format(timeout=timeout + 5, mtu=mtu) + script
    return subprocess.run(["timeout", "--kill-after=5", str(timeout), "unshare", "--net", "bash", "-c", script],
                          env=environment(), stdin=subprocess.DEVNULL, check=False).returncode


def timed(command, file):
    """The command, its CPU seconds (user + system) to a file afterwards."""
    return f"{{ TIMEFORMAT='%U %S'; time {command} 2>&4 ; }} 4>&2 2>{shlex.quote(file)}"


def cpu_seconds(file):
    with open(file) as f:
        return sum(float(word) for word in f.read().split()[-2:])


def cpu_of(pid):
    """CPU seconds (user + system) of a process so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(stack, command, **more):
    """A process of a line or of words, which ends with the stack. It is silent if @more does not say otherwise."""
    words = shlex.split(command) if isinstance(command, str) else command
    process = subprocess.Popen(words, env=environment(), **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **more})
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def read_delays(path):
    """Of each record in order, from what cbrcheck --times wrote: µs; -1: it is missing."""
    with open(path) as f:
        return [int(line.split(",")[1]) for line in list(f)[1:]]


def load(file):
    try:
        with open(file) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def last_stats(file):
    """Numbers of the last stats message that gst-launch-1.0 -m wrote."""
    try:
        with open(file, errors="replace") as f:
            lines = [line for line in f if "application/x-fasp-statistics" in line]
    except OSError:
        return {}
    if not lines:
        return {}
    found = re.findall(r"([\w.-]+)=\((?:double|guint64|uint|int)\)([-+.\de]+)", lines[-1])
    result = {}
    for name, value in found:
        result.setdefault(name, float(value))       # the first is the total's
    return result


# the same protocols with other keys
KEYS = {
    "fasp-fec": ("fasp", "fec=14%"),
    "fasp-fec-18": ("fasp", "fec=18%"),
    "fasp-fec-auto": ("fasp", "fec=auto"),
    "fasp-clear": ("fasp", "encryption=none"),
    "fasp-aes-128": ("fasp", "passphrase=the-same-on-both-ends encryption=aes-128-gcm"),
    "fasp-chacha20": ("fasp", "passphrase=the-same-on-both-ends encryption=chacha20-poly1305"),
    "srt-aes-128": ("srt", "passphrase=the-same-on-both-ends pbkeylen=16"),
}


def pipelines(protocol, channel_mbit, buffer_ms, log, receiver_keys=""):
    """(receiver, sender): shell commands; stdout and stdin are the stream."""
    port = 5004
    b = "$LINKEM_ADDR_B"
    launch = "gst-launch-1.0 -q"
    if protocol in KEYS:
        protocol, keys = KEYS[protocol]
    else:
        keys = ""
    if protocol == "fasp":
        return (
            f"gst-launch-1.0 -m faspsrc 'uri=fasp://:{port}?latency={buffer_ms}' {keys} {receiver_keys} "
            f"stats-interval=500 ! fdsink fd=3 sync=false 3>&1 >{shlex.quote(log)}",
            f"{launch} fdsrc ! faspsink uri=\"fasp://{b}:{port}?latency={buffer_ms}\" "
            f"max-bitrate={int(channel_mbit * 1e6)} {keys}")
    if protocol == "srt":
        return (
            f"{launch} srtsrc 'uri=srt://:{port}?mode=listener' latency={buffer_ms} {keys} {receiver_keys} ! "
            "fdsink sync=false",
            f"{launch} fdsrc blocksize=1316 ! srtsink uri=\"srt://{b}:{port}\" "
            f"latency={buffer_ms} sync=false {keys}")
    raise ValueError(protocol)


def stream(protocol, mbit, channel_mbit, seconds, directory, buffer_ms=1000,
           rtt=200, loss=2, seed=1, extra=(), link=True, write=None,
           schedule=None, sender_keys="", beside="", receiver_keys=""):
    """One constant-rate stream over the link, or on this machine alone; a
    dictionary of what happened. @write: bytes per write of the source. @schedule: instead of the rate,
    [(when in µs, how many records)]. @sender_keys: more of fasp's or SRT's sink; @receiver_keys: of the
    source. @beside: what else is to be run from its start on."""
    os.makedirs(directory, exist_ok=True)
    path = {name: os.path.join(directory, name) for name in
            ("check.json", "link.json", "log", "cpu-receiver", "cpu-sender", "times.csv", "schedule")}
    # datagrams have no end; streams have, and may pause for long before it
    idle = 8 + buffer_ms / 1000 if protocol in ("udp", "rist") else 40
    # SRT and RIST deliver the last of it a buffer later, if they are still there
    rest = 3 + math.ceil(buffer_ms / 1000)
    source = f"{command('bench/cbrsource')} --mbit {mbit} --seconds {seconds} --lead 2"
    if write:
        source += f" --write {write}"
    check = (f"{command('bench/cbrcheck')} --mbit {mbit} --seconds {seconds} "
             f"--delay {rtt / 2 if link else 0} --idle {idle} --times {shlex.quote(path['times.csv'])}")
    payload = mbit * 1e6 / 8 * seconds
    if schedule:
        with open(path["schedule"], "w") as f:
            f.writelines(f"{when} {n}\n" for when, n in schedule)
        records = sum(n for _, n in schedule)
        payload = records * RECORD
        source += f" --schedule {shlex.quote(path['schedule'])}"
        check += f" --records {records}"
    # it has to say something before all is killed; TCP may be slower than the stream, and never end
    check += f" --limit {seconds + (20 if protocol.startswith('tcp') else 30)}"
    json_file, log = shlex.quote(path["check.json"]), shlex.quote(path["log"])
    if protocol == "udp":
        receiver = f"$LINKEM_B {check} --udp 5004 >{json_file}"
        sender = f"$LINKEM_A {source} --udp $LINKEM_ADDR_B:5004"
    elif protocol.startswith("tcp"):
        receiver = f"$LINKEM_B {check} --tcp 5004 >{json_file}"
        sender = (f"$LINKEM_A {source} --tcp $LINKEM_ADDR_B:5004 "
                  f"--congestion {protocol[4:] or 'bbr'}")
    elif protocol == "rist":    # librist's own programs, with UDP on the host itself
        need("ristsender", "ristreceiver")
        r = (f"ristreceiver -v 3 -S 0 -p 1 -i 'rist://@0.0.0.0:5004?buffer={buffer_ms}' "
             "-o udp://127.0.0.1:6001")
        s = (f"ristsender -v 3 -S 0 -p 1 -i udp://@127.0.0.1:6000 "
             f"-o \"rist://$LINKEM_ADDR_B:5004?buffer={buffer_ms}\"")
        receiver = (f"{timed('timeout -s INT %d $LINKEM_B ' % (seconds + 2 + rest) + r, path['cpu-receiver'])} & "
                    f"$LINKEM_B {check} --udp 6001 >{json_file}; wait")
        sender = (f"{timed('timeout -s INT %d $LINKEM_A ' % (seconds + 2 + rest) + s, path['cpu-sender'])} & "
                  f"sleep 0.3; $LINKEM_A {source} --udp 127.0.0.1:6000; wait")
        receiver, sender = f"{{ {receiver} ; }}", f"{{ {sender} ; }}"
    else:
        r, s = pipelines(protocol, channel_mbit, buffer_ms, path["log"], receiver_keys)
        s = f"$LINKEM_A {s} {sender_keys}"
        r, s = timed("$LINKEM_B " + r, path["cpu-receiver"]), timed(s, path["cpu-sender"])
        receiver = f"{{ {r} ; }} | {check} >{json_file}"
        linger = "" if protocol.startswith("fasp") else f" --linger {rest}"
        sender = f"{source}{linger} | {{ {s} ; }}"
    options = ["--rtt", rtt, "--loss", loss, "--seed", seed]
    if channel_mbit:
        options += ["--rate", int(channel_mbit * 1e6)]
    options += list(extra)
    # the receiver ends by itself when the stream ends or falls silent
    script = (f"exec 2>>{log}.err; {receiver} & check=$!; sleep 0.7; "
              f"{sender} & {beside + ' &' if beside else ''} wait $check; wait")
    run_on_link(options if link else None, script, seconds + 40, path["link.json"])
    result = load(path["check.json"]) or {"exact": False, "missing": -1, "skips": {}}
    result["delays"] = read_delays(path["times.csv"]) if os.path.exists(path["times.csv"]) else []
    figures = load(path["link.json"]) if link else None
    if figures:
        result["wire"] = figures["a_to_b"]["bytes"] / payload
        result["feedback"] = figures["b_to_a"]["bytes"] / payload
        result["lost"] = figures["a_to_b"]["lost"]
        result["queue_lost"] = figures["a_to_b"]["queue_lost"]
        result["link_late_us"] = figures["late_us"]
    if os.path.exists(path["cpu-sender"]):
        try:
            result["cpu_sender"] = cpu_seconds(path["cpu-sender"])
            result["cpu_receiver"] = cpu_seconds(path["cpu-receiver"])
        except (OSError, ValueError):
            pass
    if protocol.startswith("fasp"):
        stats = last_stats(path["log"])
        result["arrival_ms"] = {p: stats.get(f"lateness-{p}-ms") for p in
                                ("p50", "p90", "p99", "p99.9", "max")}
    return result


LIMIT = 30      # seconds that anything here may take at most
# What ends ffmpeg's command for a file of picture and sound. By default its muxer waits for no stream that is 10 s behind:
# at one picture a second these are ten pictures, and on a busy machine the sound is then seconds late in the file.
MPEGTS = ("-max_interleave_delta", "0", "-f", "mpegts")


def wait_until(true, tell=lambda: "it does not come"):
    """Looks again and again, until it is @true; @tell is why it should have been."""
    until = time.monotonic() + LIMIT
    while not true():
        assert time.monotonic() < until, tell()
        time.sleep(0.02)


def remove_at_once(folder):
    """Removes a folder in which another process writes meanwhile: a file that is new there would hinder rmtree()."""
    os.rename(folder, gone := folder + "-gone")
    shutil.rmtree(gone)


PORT_BLOCK = 512        # that a program takes at a time
_reserved = []          # sockets that say so, as long as it lives
_ports = iter(())
_choosing = threading.Lock()


def free_port(count=1, kind=socket.SOCK_DGRAM):
    """The first of @count ports that nobody has, and that nothing else that is asked of for ports
    here and in tests/check/elements/pair.c is given: they hold a block while they live."""
    global _ports
    free = 0
    with _choosing:
        while free < count:
            port = next(_ports, None)
            if port is None:
                _ports, free = _reserve_ports(), 0
                continue
            with socket.socket(socket.AF_INET, kind) as s:
                try:
                    s.bind(("", port))
                    free += 1
                except OSError:
                    free = 0
        return port - count + 1


def _reserve_ports():
    held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    _reserved.append(held)
    for first in range(10240, 32768, PORT_BLOCK):       # which no socket that dials is given
        try:
            held.bind(f"\0gst-fasp-tests-ports-{first}")
            return iter(range(first, first + PORT_BLOCK))
        except OSError:
            pass
    raise RuntimeError("every port is reserved by another test: end those")


class Launch:
    """gst-launch-1.0 with its messages in a file."""

    def __init__(self, directory, name, line, **kwargs):
        self.log = os.path.join(directory, name + ".log")
        self.file = open(self.log, "w")
        self.process = subprocess.Popen(
            ["gst-launch-1.0", "-m"] + shlex.split(line), stdout=self.file,
            stderr=subprocess.STDOUT, env=environment(), **kwargs)

    def text(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def wait_for(self, pattern):
        until = time.monotonic() + LIMIT
        while not re.search(pattern, self.text()):
            assert time.monotonic() < until, f"no {pattern!r} in: {self.text()[-2000:]}"
            assert self.process.poll() is None or re.search(pattern, self.text()), self.text()[-2000:]
            time.sleep(0.02)

    def end(self, sig=None):
        """Seconds until it has ended."""
        start = time.monotonic()
        if sig:
            self.process.send_signal(sig)
        self.process.wait(LIMIT)
        return time.monotonic() - start

    def finish(self):
        """Until it has ended by itself, and well."""
        assert self.process.wait(LIMIT) == 0, self.text()[-2000:]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
        self.file.close()


SOURCE = "videotestsrc is-live=true ! video/x-raw,width=320,height=240 ! identity ! "
PLAYING = "connected-callers=.uint.1"


def pair(directory, port, tag=""):
    """A sender and a receiver on this machine, connected."""
    receiver = Launch(directory, f"receiver{tag}",
                      f"faspsrc uri=fasp://:{port} stats-interval=50 ! fakesink sync=false")
    sender = Launch(directory, f"sender{tag}",
                    SOURCE + f"faspsink uri=fasp://127.0.0.1:{port} stats-interval=50")
    sender.wait_for(PLAYING)
    receiver.wait_for(PLAYING)
    return sender, receiver


def scratch():
    """A folder for as long as its `with` lasts."""
    return tempfile.TemporaryDirectory(prefix="fasp-bench-", ignore_cleanup_errors=True)


def run_test(test):
    """What went wrong, or None."""
    _, function, skip = test
    if skip:
        return None
    with scratch() as directory:
        try:
            function(directory)
            return None
        except Exception as error:      # whatever it is, it is told
            return repr(error).replace("\\n", "\n# ") + "\n# in: " + traceback.extract_tb(error.__traceback__)[-1].line


def run_each(tests, at_once):
    """Runs tests side by side; of each that has ended, in that order: the test, and what went wrong. Each has a process of
    its own, as the threads of one would wait for Python's lock, and be late."""
    fork = multiprocessing.get_context("fork")
    waiting, running = list(tests), {}

    def run(test, into):
        global _ports
        _ports = iter(())           # those are this program's: of another block
        into.send(run_test(test))
    while waiting or running:
        while waiting and len(running) < at_once:
            out, into = fork.Pipe(duplex=False)
            running[out] = waiting[0], fork.Process(target=run, args=(waiting.pop(0), into))
            running[out][1].start()
            into.close()
        for out in multiprocessing.connection.wait(list(running)):
            test, process = running.pop(out)
            try:
                wrong = out.recv()
            except EOFError:
                wrong = "its process has ended"
            process.join()
            yield test, wrong


def run_tests(tests, sensitive=(), alone=(), at_once=os.cpu_count() + 2):
    """Runs each (name, function of a directory of its own, why it cannot be run or None), reports TAP, returns the status.
    As GLib's test programs do, it lists the tests for -l, and runs only those that -p names.
    @tests wait for clocks and peers: @at_once of them run side by side, whatever else the machine does. With --sensitive it
    runs those instead that fail where others compute, side by side; with --alone those that use all processors, or measure
    how late something is, one after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-l", action="store_true", dest="list", help="list the tests")
    parser.add_argument("-p", action="append", dest="names", metavar="NAME", help="run only the test of this name")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--sensitive", action="store_true", help="the tests that fail where others compute")
    which.add_argument("--alone", action="store_true", help="the tests beside which nothing may run")
    args = parser.parse_args()
    group = alone if args.alone else sensitive if args.sensitive else tests
    if args.list:
        print(*(name for name, _, _ in group), sep="\n")
        return 0
    group = [test for test in group if not args.names or test[0] in args.names]
    print(f"TAP version 13\n1..{len(group)}", flush=True)
    failed = 0
    for number, ((name, _, skip), wrong) in enumerate(run_each(group, 1 if args.alone else at_once), 1):
        failed += wrong is not None
        print(f"{'not ' if wrong else ''}ok {number} - {name}" + (f" # SKIP {skip}" if skip else ""), flush=True)
        if wrong:
            print(f"# {wrong}", flush=True)
    return 1 if failed else 0
