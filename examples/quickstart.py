# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs fasp-send and fasp-receive over the emulated link; prints and draws."""

import argparse
import filecmp
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("FASP_BUILD", os.path.join(ROOT, "build")))
LINKEM = os.path.join(BUILD, "tests", "netsim", "linkem")
PORT, RELAY_PORT = 7001, 7002
BUSY = .02              # s, a picture: a machine that keeps a thread waiting for longer delays the stream visibly
SOUND_HELD = 5          # frames, 0.1 s: what parser and decoder may take to begin with


def positive(text):
    value = float(text)
    if value <= 0:
        raise argparse.ArgumentTypeError("must be more than 0")
    return value


def writable(text):
    """A file that can be written, as known before the programme has run."""
    where = text if os.path.exists(text) else os.path.dirname(os.path.abspath(text))
    if os.path.isdir(text) or not os.access(where, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text} cannot be written here, name another")
    return text


def parse():
    p = argparse.ArgumentParser(prog="quickstart")
    p.add_argument("--seconds", type=positive, default=20)
    p.add_argument("--loss", type=float, default=2)
    p.add_argument("--rtt", type=float, default=200)
    p.add_argument("--mbit", type=positive, default=6)
    p.add_argument("--latency", type=int, default=1000)
    p.add_argument("--to", type=writable)
    p.add_argument("--png", type=writable, default="quickstart.png")
    p.add_argument("--display", action="store_true")
    p.add_argument("--inside", help=argparse.SUPPRESS)   # where results go
    args = p.parse_args()
    if not os.path.splitext(args.png)[1]:
        args.png += ".png"          # pyplot would, and not say so
    if not 0 <= args.loss < 100:
        p.error("--loss is a percentage from 0 to below 100")
    if not 0 <= args.rtt <= 10000:
        p.error("--rtt is in milliseconds, 0 to 10000")
    if not 0 <= args.latency <= 600000:
        p.error("--latency is in milliseconds, 0 to 600000")
    if args.display and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        p.error("there is no display here; leave --display out, or keep the "
                "stream with --to FILE and play that")
    return args


class Side:
    """A program that prints figures as lines of JSON."""

    def __init__(self, name, prefix, arguments):
        self.lines = []
        env = dict(os.environ, GST_PLUGIN_PATH=os.path.join(BUILD, "gst"),
                   GST_REGISTRY=os.path.join(BUILD, "registry.bin"))
        self.process = subprocess.Popen(prefix + [os.path.join(BUILD, "examples", name)] + arguments,
                                        stdout=subprocess.PIPE, text=True, env=env)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                pass

    def last(self, key, default=0):
        for line in reversed(self.lines):
            if key in line:
                return line[key]
        return default

    def finish(self, seconds):
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.reader.join(5)
        return self.process.returncode


def progress(start, sender, receiver, final=False):
    line = (f"  {time.time() - start:5.1f} s   "
            f"{receiver.last('bytes') / 1e6:7.2f} MB received   "
            f"{receiver.last('packets-received-lost'):5.0f} packets lost   "
            f"{receiver.last('packets-received-retransmitted'):5.0f} recovered   "
            f"{receiver.last('frames'):5.0f} frames decoded")
    if sys.stderr.isatty():
        print("\r" + line, end="\n" if final else "", file=sys.stderr, flush=True)
    else:
        print(line, file=sys.stderr, flush=True)


def transfer(args, directory):
    """Both programs from start to end; their lines of figures."""
    split = os.environ.get
    on_a, on_b = split("LINKEM_A", "").split(), split("LINKEM_B", "").split()
    host, port = (os.environ["LINKEM_ADDR_B"], PORT) if on_b else ("127.0.0.1", RELAY_PORT)
    receive = ["--uri", f"fasp://:{PORT}?latency={args.latency}",
               "--to", os.path.join(directory, "received.ts")]
    if args.display:
        receive.append("--display")
    os.environ["FASP_PASSPHRASE"] = secrets.token_urlsafe(18)
    receiver = Side("fasp-receive", on_b, receive)
    sender = Side("fasp-send", on_a, [
        "--uri", f"fasp://{host}:{port}?latency={args.latency}",
        "--mbit", str(args.mbit), "--seconds", str(args.seconds),
        "--copy", os.path.join(directory, "sent.ts")])
    start = time.time()
    # even a machine too slow for the encoder gets there some day
    while sender.process.poll() is None and time.time() - start < 4 * args.seconds + 60:
        if receiver.process.poll() is not None:
            break
        time.sleep(1)
        progress(start, sender, receiver)
    status = sender.finish(1), receiver.finish(10 + args.latency / 1000)
    progress(start, sender, receiver, final=True)
    with open(os.path.join(directory, "lines.json"), "w") as f:
        json.dump({"sender": sender.lines, "receiver": receiver.lines, "status": status}, f)


def over_link(args, directory, arguments):
    link = ["--rtt", str(args.rtt), "--loss", str(args.loss), "--rate",
            str(int(1.5e6 * args.mbit * 1.02)), "--queue", "200000",
            "--stats", os.path.join(directory, "link.json")]
    inside = [sys.executable, os.path.abspath(__file__), "--inside", directory] + arguments
    usable = subprocess.run([LINKEM, "run", "--", "true"], stderr=subprocess.DEVNULL).returncode == 0
    if usable:
        print("Two network namespaces, a link between them.", file=sys.stderr)
        subprocess.run([LINKEM, "run"] + link + ["--"] + inside, check=True)
        return
    print("No right to make network namespaces here: the link is a UDP relay.", file=sys.stderr)
    relay = subprocess.Popen([LINKEM, "relay"] + link + [
        "--listen", f"127.0.0.1:{RELAY_PORT}", "--to", f"127.0.0.1:{PORT}"])
    try:
        subprocess.run(inside, check=True)
    finally:
        relay.terminate()
        relay.wait()


def read_frames(file, stream="v"):
    """What an independent reader finds: frames, of these out of order, complaints."""
    run = subprocess.run(
        ["ffprobe", "-v", "warning", "-select_streams", stream, "-show_entries", "frame=pts",
         "-of", "csv=p=0", file], capture_output=True, text=True)
    times = [int(line.strip(",")) for line in run.stdout.split() if line.strip(",").isdigit()]
    backwards = sum(b <= a for a, b in zip(times, times[1:]))
    return len(times), backwards, run.stderr.strip() or ("" if times else "no video found")


def last(lines, key, default=0):
    return next((line[key] for line in reversed(lines) if key in line), default)


def explain_lateness(sender, link):
    """What the machine, not the network, has delayed: as the emulated link and the sender's pacer measured it."""
    passed_on, missed = link["late_us"]["max"] / 1e6, last(sender, "missed-ms") / 1e3
    if max(passed_on, missed) < BUSY:
        return ""
    return (f"\n  THIS MACHINE WAS BUSY: the emulated network itself passed packets on up to {passed_on:.2f} s too late,"
            f"\n  and the sender had to wait for a processor for {missed:.2f} s in all. Try again when it is idle.")


def draw(args, data, link, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    send, receive = data["sender"], data["receiver"]
    figure, axes = plt.subplots(2, 2, figsize=(12, 7.5))
    figure.suptitle(f"fasp: {args.mbit:g} Mbit/s live, {args.rtt:g} ms round trip, "
                    f"{args.loss:g} % loss each way")

    def curve(axis, lines, key, label, scale=1.0):
        points = [(x["time"], x[key] * scale) for x in lines if key in x]
        axis.plot([p[0] for p in points], [p[1] for p in points], label=label)

    a = axes[0, 0]
    curve(a, send, "send-rate-mbps", "sent, IP header up")
    curve(a, receive, "receive-rate-mbps", "received")
    a.axhline(1.5 * args.mbit, color="gray", ls=":", label="channel")
    a.set(title="Rate", ylabel="Mbit/s", xlabel="s")
    a.set_ylim(bottom=0)
    a.legend()
    a = axes[0, 1]
    curve(a, receive, "packets-received-lost", "lost on the way, retransmissions too")
    curve(a, receive, "packets-received-retransmitted", "recovered by a retransmission")
    a.set(title="Packets lost and recovered", xlabel="s")
    a.legend()
    a = axes[1, 0]
    names = ["p50", "p90", "p99", "p99.9", "max"]
    for prefix, shift, label in (("lateness", -.2, "as it arrives"),
                                 ("lateness-in-order", .2, "as it is delivered, in order")):
        values = [last(receive, f"{prefix}-{n}-ms") for n in names]
        bars = a.bar([i + shift for i in range(len(names))], values, .4, label=label)
        a.bar_label(bars, fmt="%.0f", fontsize=8)
    a.axhline(args.latency, color="gray", ls=":", label="buffer")
    a.set_xticks(range(len(names)), names)
    a.set(title="Lateness over the best case of the path", ylabel="ms")
    a.legend()
    a = axes[1, 1]
    rounds = last(receive, "rex-rounds", [0])
    bars = a.bar(range(len(rounds)), [max(r, .5) for r in rounds])
    a.bar_label(bars, labels=[str(r) for r in rounds], fontsize=8)
    a.set_yscale("log")
    a.set_ylim(.5, 4 * max(1, *rounds))     # a bar of none has no height
    a.set(title="Blocks by how often they had to be sent again", ylabel="blocks",
          xlabel="times sent again")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def tell(args, directory, data, link):
    received, sent = (os.path.join(directory, n) for n in ("received.ts", "sent.ts"))
    send, receive = data["sender"], data["receiver"]
    identical = (os.path.exists(received) and os.path.exists(sent)
                 and filecmp.cmp(received, sent, shallow=False))
    frames_sent, _, _ = read_frames(sent)
    probe, backwards, complaints = read_frames(received)
    sound_sent, _, _ = read_frames(sent, "a")
    decoded, errors = last(receive, "frames"), last(receive, "ts-errors")
    sound = last(receive, "sound-frames")
    lost, there = link["a_to_b"], link["b_to_a"]
    gone = lost["lost"] + lost["queue_lost"]
    wrote = last(send, "bytes-sent-total")
    worst = last(receive, "lateness-in-order-max-ms")
    print(f"""
What happened
  The sender wrote {wrote:,} bytes of programme in {args.seconds:g} s \
({wrote * 8e-6 / args.seconds:.1f} Mbit/s).
  The network lost {gone:,} of {lost['packets']:,} packets on the way there
  and {there['lost'] + there['queue_lost']:,} of {there['packets']:,} on the way back.
  {last(send, 'packets-retransmitted'):,} packets were retransmitted (one without data is not needed again);
  {last(receive, 'bytes'):,} bytes arrived, {'every one the same as sent' if identical else 'NOT the same as sent'}.
  Frames: {frames_sent} sent, {decoded} decoded, {errors} continuity errors; of sound: {sound_sent} sent, {sound} decoded.
  ffprobe finds {probe} frames in the received file, {backwards} out of order\
{'.' if not complaints else ', and says: ' + complaints}
  Compared with a network without loss, half of the blocks were at most \
{last(receive, 'lateness-in-order-p50-ms'):.0f} ms late,
  99 % at most {last(receive, 'lateness-in-order-p99-ms'):.0f} ms, and the latest {worst:.0f} ms\
{': a lost packet holds up those behind it' if gone else ''}.
  The buffer is {args.latency} ms, \
{'so nothing came too late.' if worst <= args.latency else
 'so some came too late, and a player would have stalled.' + explain_lateness(send, link)}
  On the wire (IP header up): {100 * (lost['bytes'] / max(1, wrote) - 1):.1f} % \
more than the programme.""")
    good = (identical and errors == backwards == 0
            and decoded == frames_sent == probe and decoded > 0
            and 0 < sound_sent <= sound + SOUND_HELD)
    print("\n" + ("The programme arrived whole." if good else "THE PROGRAMME DID NOT ARRIVE WHOLE."))
    return good


def main():
    args = parse()
    if args.inside:
        try:
            transfer(args, args.inside)
        except KeyboardInterrupt:       # the parent process says the rest
            return 130
        return 0
    print(f"{args.seconds:g} s of 720p50 H.264 and sound at {args.mbit:g} Mbit/s; "
          f"{args.rtt:g} ms round trip, {args.loss:g} % loss each way; "
          f"a channel of {1.5 * args.mbit:g} Mbit/s.", file=sys.stderr)
    directory = tempfile.mkdtemp(prefix="fasp-quickstart-")
    try:
        over_link(args, directory, sys.argv[1:])
        with open(os.path.join(directory, "lines.json")) as f:
            data = json.load(f)
        with open(os.path.join(directory, "link.json")) as f:
            link = json.load(f)
        good = tell(args, directory, data, link)
        if args.to:
            shutil.copyfile(os.path.join(directory, "received.ts"), args.to)
            print(f"The received stream: {args.to}")
        draw(args, data, link, args.png)
        print(f"The picture of it: {args.png}")
        return 0 if good else 1
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"quickstart: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
