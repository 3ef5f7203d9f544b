# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the benchmarks of pacing share: two hosts joined by a wire without any
limit, and pacewatch at the end of it."""

import os

import benchlib

ADDRESS = benchlib.WIRE_B
PORT = 5004

MEASURE = """
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
    benchlib.run_on_wire(MEASURE.format(
        result=result, watch=" ".join(str(w) for w in words),
        sender=benchlib.timed(f"{{ {sender} ; }}", cpu)), timeout)
    figures = benchlib.load(result)
    if figures:
        figures["cpu"] = benchlib.cpu_seconds(cpu)
    return figures
