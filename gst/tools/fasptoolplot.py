# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the plots of the measuring tools: the database, times in words, the command line."""

import argparse
import heapq
import math
import os
import signal
import sqlite3
import sys
import textwrap
import time
import urllib.parse
from collections import Counter

PART = 10000            # rows that are in memory at once
DIFFERENT = 1 << 19     # values that are counted exactly
BITS = 16               # of a value that are kept at first, when there are more values
NAMED = 20              # the longest of any number of periods


class Histogram:
    """Counts the values of groups in bounded memory: exactly, while there are at most
    DIFFERENT values; then only leading bits are kept, as many as DIFFERENT allows."""
    SHIFT = 42          # a value and its group are one number

    def __init__(self):
        self._counts, self._bits = Counter(), BITS

    def add(self, values):
        self._counts.update(values)
        if len(self._counts) > DIFFERENT:
            self._round()

    def _round(self):
        while True:
            rounded, bits = Counter(), self._bits
            for key, n in self._counts.items():
                low = max((key & (1 << self.SHIFT) - 1).bit_length() - bits, 0)
                rounded[(key >> low << low) + (1 << low >> 1)] += n
            self._counts = rounded
            if len(rounded) <= DIFFERENT // 2:
                return
            self._bits -= 1

    def percentiles(self, wanted):
        """The wanted percentiles of each group, {group: [value, ...]}."""
        groups = {}
        for key in sorted(self._counts):
            groups.setdefault(key >> self.SHIFT, []).append((key & (1 << self.SHIFT) - 1, self._counts[key]))
        return {group: [percentile(values, p) for p in wanted] for group, values in groups.items()}


def percentile(values, p):
    """The percentile of [(value, how often), ...] in order."""
    left = max(1, math.ceil(p * sum(n for _, n in values)))
    for value, n in values:
        left -= n
        if left <= 0:
            break
    return value


class Longest:
    """Keeps the NAMED longest of any number of periods, in order of time; of the others their
    number and total length."""

    def __init__(self):
        self._heap, self._n, self.others, self.length = [], 0, 0, 0

    def add(self, length, start, what):
        self._n += 1
        heapq.heappush(self._heap, (length, self._n, start, what))
        if len(self._heap) > NAMED:
            self.others += 1
            self.length += heapq.heappop(self._heap)[0]

    def named(self):
        """(start, length, what), ..."""
        return [(start, length, what) for length, _, start, what in sorted(self._heap, key=lambda one: one[1])]


def clock(started, at):
    """Time of day `at` µs after the start, and the day if it is another."""
    seconds = (started + at) / 1e6
    day, first = (time.strftime("%Y-%m-%d ", time.localtime(t)) for t in (seconds, started / 1e6))
    return (day if day != first else "") + time.strftime("%H:%M:%S", time.localtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}"


def share(count, of, digits):
    """`count` of `of` in per cent, with its 95 % interval."""
    error = 1.96 * math.sqrt(max(count, 1)) / max(of, 1) * 100
    return f"{100 * count / max(of, 1):.{digits}f} % (± {error:.{digits}f})"


def pyplot():
    try:
        import matplotlib
    except ImportError:
        sys.exit("Drawing needs matplotlib: apt-get install python3-matplotlib. Without it: --picture none")
    matplotlib.use("Agg")
    import matplotlib.pyplot
    return matplotlib.pyplot


def time_axis(end):
    """What a run of so many s is drawn in: s of the unit, and its name."""
    return (1, "s") if end < 2 * 3600 else (3600, "hours")


def say(text):
    """The reader of its output may have read enough (head)."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Progress:
    """On a terminal, how far it has come through the passes over all rows."""

    def __init__(self, passes):
        self._passes, self._done, self._next = passes, 0, time.monotonic() + 1

    def show(self, part):
        """@part: of this pass."""
        if sys.stderr.isatty() and time.monotonic() >= self._next:
            self._next = time.monotonic() + 1
            done = min((self._done + part) / self._passes, 1)
            print(f"\r[{'#' * int(30 * done):30s}] {100 * done:.0f} % read ", end="", file=sys.stderr, flush=True)

    def end_pass(self):
        self._done += 1

    def end(self):
        if sys.stderr.isatty():
            print(f"\r{'':50s}\r", end="", file=sys.stderr, flush=True)


def write_words(axis, said, width, most):
    """The sentences, in place of a diagram."""
    lines = said if len(said) <= most else said[:most - 1] + [f"... and {len(said) - most + 1} more"]
    axis.axis("off")
    axis.text(0, 1, "\n\n".join("\n".join(textwrap.wrap(s, width)) for s in lines), va="top", fontsize=10)


class Run:
    """One run in the file of a tool: its row of table `run`, and its other tables, as
    they are now: rows that are written meanwhile are not seen."""

    def __init__(self, tool, path, number, progress):
        def give_up(why):
            sys.exit(f"fasp-{tool}-plot: {path}: {why}")

        # SQLite has to write beside a file (where a link leads) with rows in its -wal file; else read-only access will do
        beside = os.path.realpath(path) + "-wal"
        written = os.path.exists(beside) and os.path.getsize(beside) > 0
        self._progress = progress
        try:
            self._db = sqlite3.connect(f"file:{urllib.parse.quote(path)}?mode=ro&immutable={int(not written)}", uri=True)
            self._db.execute("BEGIN")
            runs = self._db.execute("SELECT run, started, target, rate FROM run ORDER BY run").fetchall()
        except sqlite3.Error as why:
            if written:
                give_up(f"{why}. fasp-{tool} is writing to it, or was killed: then only who may write to its directory can "
                        f"read it. Copy both, it and {beside}.")
            give_up(f"{why}. Is it a file that fasp-{tool} has written?")
        chosen = [r for r in runs if r[0] == number] if number else runs[-1:]
        if not chosen:
            give_up(f"it has the runs {', '.join(str(r[0]) for r in runs) or '(none)'}")
        self.number, self.started, self.target, self.rate = chosen[0]
        self._give_up = give_up

    def select_new(self, what, table, order=""):
        """Rows of a table that versions before do not have."""
        known = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchall()
        return self.each(f"{what} FROM {table}", order) if known else iter(())

    def select(self, what, more="", **values):
        """Rows of SELECT what WHERE run is this one."""
        return list(self.each(what, more, **values))

    def each(self, what, more="", **values):
        """The same, one after the other."""
        return self._query(f"SELECT {what} WHERE run = :run {more}", run=self.number, **values)

    def _query(self, sql, **values):
        try:
            yield from self._db.execute(sql, values)
        except sqlite3.Error as why:
            self._give_up(f"{why}. Was it written by another version?")

    def parts(self, what, table, more="", **values):
        """The same of each part of a table, in the order in which it was written: a list
        that fits into memory, as the whole may not."""
        rows = next(self._query(f"SELECT max(rowid) FROM {table}"))[0] or 0
        for before in range(0, rows, PART):
            self._progress.show(before / rows)
            yield self.select(f"{what} FROM {table}", f"AND rowid > :before AND rowid <= :before + {PART} {more} ORDER BY rowid",
                              before=before, **values)
        self._progress.end_pass()


def main(tool, doc, passes, load, findings, draw):
    """The command line: load(Run), which goes over all rows so many times, gives what
    findings(Run, loaded) puts into sentences and draw(pyplot, loaded, said) into a figure."""
    p = argparse.ArgumentParser(description=doc)
    p.add_argument("--version", action="version", version="%(prog)s 1.0.0")  # as in meson.build; check-tools compares
    p.add_argument("db", help=f"the file that fasp-{tool} has written")
    p.add_argument("--run", type=int, help="which of its runs (the last)")
    p.add_argument("--picture", help="PNG file (the database's name with .png); none: words only")
    args = p.parse_args()
    try:
        plot(tool, args, passes, load, findings, draw)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def plot(tool, args, passes, load, findings, draw):
    progress = Progress(passes)
    run = Run(tool, args.db, args.run, progress)
    try:
        loaded = load(run)
    finally:
        progress.end()
    if not loaded:
        sys.exit(f"fasp-{tool}-plot: nothing came in run {run.number} of {args.db}")
    said = findings(run, loaded)
    say("\n".join(said))
    picture = args.picture or os.path.splitext(args.db)[0] + ".png"
    if picture != "none":
        if not os.path.splitext(picture)[1]:
            picture += ".png"       # pyplot would, and not say so
        figure = draw(pyplot(), loaded, said)
        figure.tight_layout()
        try:
            figure.savefig(picture, dpi=110)
        except (OSError, ValueError) as why:
            sys.exit(f"fasp-{tool}-plot: no picture: {why}. Name another file with --picture, or none.")
        say(f"The picture: {picture}")
