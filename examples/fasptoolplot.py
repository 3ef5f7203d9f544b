# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the plots of the measuring tools share: the database, times in words,
the command line."""

import argparse
import math
import os
import sqlite3
import sys
import textwrap
import time
import urllib.parse


def percentile(values, p):
    return values[min(len(values), max(1, math.ceil(p * len(values)))) - 1]


def clock(started, at):
    """Time of day of what was `at` µs after the start."""
    seconds = (started + at) / 1e6
    return time.strftime("%H:%M:%S", time.localtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}"


def share(count, of, digits):
    """`count` of `of` in per cent, with its 95 % interval."""
    error = 1.96 * math.sqrt(max(count, 1)) / max(of, 1) * 100
    return f"{100 * count / max(of, 1):.{digits}f} % (± {error:.{digits}f})"


def pyplot():
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot
    return matplotlib.pyplot


def write_words(axis, said, width, most):
    """The sentences, in place of a diagram."""
    lines = said if len(said) <= most else said[:most - 1] + [f"... and {len(said) - most + 1} more"]
    axis.axis("off")
    axis.text(0, 1, "\n\n".join("\n".join(textwrap.wrap(s, width)) for s in lines), va="top", fontsize=10)


class Run:
    """One run in the file of a tool: its row of table `run`, and its other tables."""

    def __init__(self, tool, path, number):
        def give_up(why):
            sys.exit(f"fasp-{tool}-plot: {path}: {why}")

        # to read what may still be written SQLite needs to write beside it; else it need not
        written = os.path.exists(path + "-wal") and os.path.getsize(path + "-wal") > 0
        try:
            self._db = sqlite3.connect(f"file:{urllib.parse.quote(path)}?mode=ro&immutable={int(not written)}", uri=True)
            runs = self._db.execute("SELECT run, started, target, rate FROM run ORDER BY run").fetchall()
        except sqlite3.Error as why:
            if written:
                give_up(f"{why}. fasp-{tool} is writing to it, or was killed: then only who may write to its directory can "
                        f"read it. Copy both, it and {path}-wal.")
            give_up(f"{why}. Is it a file that fasp-{tool} has written?")
        chosen = [r for r in runs if r[0] == number] if number else runs[-1:]
        if not chosen:
            give_up(f"it has the runs {', '.join(str(r[0]) for r in runs) or '(none)'}")
        self.number, self.started, self.target, self.rate = chosen[0]
        self._give_up = give_up

    def select_new(self, what, table):
        """Rows of a table that versions before do not have."""
        known = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchall()
        return self.select(f"{what} FROM {table}") if known else []

    def select(self, what, order=""):
        """Rows of SELECT what WHERE run is this one."""
        try:
            return self._db.execute(f"SELECT {what} WHERE run = ? {order}", (self.number,)).fetchall()
        except sqlite3.Error as why:
            self._give_up(f"{why}. Was it written by another version?")


def main(tool, doc, load, findings, draw):
    """The command line: load(Run) gives what findings(Run, loaded) puts into sentences
    and draw(pyplot, loaded, said) into a figure."""
    p = argparse.ArgumentParser(description=doc)
    p.add_argument("db", help=f"the file that fasp-{tool} has written")
    p.add_argument("--run", type=int, help="which of its runs (the last)")
    p.add_argument("--picture", help="PNG file (the database's name with .png); none: words only")
    args = p.parse_args()
    run = Run(tool, args.db, args.run)
    loaded = load(run)
    if not loaded:
        sys.exit(f"fasp-{tool}-plot: nothing came in run {run.number} of {args.db}")
    said = findings(run, loaded)
    print("\n".join(said))
    picture = args.picture or os.path.splitext(args.db)[0] + ".png"
    if picture != "none":
        figure = draw(pyplot(), loaded, said)
        figure.tight_layout()
        try:
            figure.savefig(picture, dpi=110)
        except (OSError, ValueError) as why:
            sys.exit(f"fasp-{tool}-plot: no picture: {why}. Name another file with --picture, or none.")
        print(f"The picture: {picture}")
