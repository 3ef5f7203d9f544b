# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the benchmarks of pacing share: two hosts joined by a wire without any
limit (a veth pair between namespaces), and pacewatch at the end of it."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import benchlib  # noqa: E402

ADDRESS = "10.9.0.2"
PORT = 5004

# Both hosts are gone when their last process is, however this ends.
WIRE = """
set -e
ip link set lo up
unshare --net sleep {timeout} & other=$!
trap 'kill $other $(jobs -p) 2>/dev/null' EXIT
for i in $(seq 100); do
    [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/$$/ns/net)" ] && break
    sleep 0.01
done
ip link add wire type veth peer name wire netns $other
ip addr add 10.9.0.1/24 dev wire
ip link set wire up
B="nsenter --target $other --net"
$B ip link set lo up
$B ip addr add {address}/24 dev wire
$B ip link set wire up
# ask for the address of the other before it counts
until ping -c 1 -W 1 {address} >/dev/null 2>&1; do sleep 0.1; done
set +e
$B {watch} >{result} & watch=$!
sleep 0.3
{sender}
wait $watch
"""


def measure(directory, sender, timeout, watch=()):
    """Runs the shell command `sender`, which sends to ADDRESS:PORT; what
    pacewatch says of it, and the sender's CPU seconds as "cpu"."""
    result, cpu = (os.path.join(directory, name) for name in ("watch.json", "cpu"))
    words = [benchlib.program("bench/pacewatch"), "--port", PORT] + list(watch)
    script = WIRE.format(timeout=timeout + 5, address=ADDRESS, result=result,
                         watch=" ".join(str(w) for w in words),
                         sender=benchlib.timed(f"{{ {sender} ; }}", cpu))
    subprocess.run(["timeout", "--kill-after=5", str(timeout), "unshare", "--net", "bash", "-c", script],
                   env=benchlib.environment(), stdin=subprocess.DEVNULL, check=False)
    figures = benchlib.load(result)
    if figures:
        figures["cpu"] = benchlib.cpu_seconds(cpu)
    return figures


def need(*programs):
    for name in programs:
        if subprocess.run(["sh", "-c", f"command -v {name}"], stdout=subprocess.DEVNULL,
                          check=False).returncode:
            sys.exit(f"{os.path.basename(sys.argv[0])}: there is no {name}. "
                     "Run ./examples/setup --bench first.")
    if os.geteuid():
        sys.exit(f"{os.path.basename(sys.argv[0])}: making two hosts needs root.")


def save(results, path):
    with open(path, "w") as f:
        json.dump(results, f, indent=1)
