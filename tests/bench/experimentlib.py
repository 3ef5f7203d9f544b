# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams of every protocol over the emulated link, kept in SQLite: what the
experiment runs and what its report reads."""

import array
import concurrent.futures
import datetime
import itertools
import os
import shlex
import shutil
import sqlite3
import sys
import time
import zlib

import benchlib

PEERS = ("fasp", "srt", "rist", "tcp-bbr", "tcp-cubic", "tcp-reno", "udp")
# not of the usual comparison
MORE = ("fasp-fec", "fasp-fec-18", "fasp-fec-auto")
# these give up what is later than their latency, or plan for it: a run each
WITH_BUFFER = ("fasp", "srt", "rist") + MORE
# these hold everything back for their latency and drop what is later: what they
# deliver is in time
DROPS = ("srt", "rist")
RECORD = 1316

SCHEMA = """
CREATE TABLE IF NOT EXISTS stream (
    peer TEXT, mbit REAL, channel REAL, rtt REAL, loss REAL, burst REAL,
    buffer INTEGER, seconds INTEGER, write INTEGER, test INTEGER,
    started TEXT, exact INTEGER, missing INTEGER, records INTEGER,
    wire REAL, feedback REAL, cpu_sender REAL, cpu_receiver REAL,
    delays BLOB,        -- int32 us over the one-way delay, in order, -1 missing; zlib
    blocks BLOB,        -- fasp: int32 triples of block, us late as it arrived, round; zlib
    PRIMARY KEY (peer, mbit, channel, rtt, loss, burst, buffer, seconds, write, test));
"""
KEY = ("peer", "mbit", "channel", "rtt", "loss", "burst", "buffer", "seconds", "write", "test")


def open_database(path):
    database = sqlite3.connect(path, timeout=30)
    database.row_factory = sqlite3.Row
    database.execute("PRAGMA journal_mode = WAL")
    database.executescript(SCHEMA)
    columns = {row["name"] for row in database.execute("PRAGMA table_info(stream)")}
    if not columns.issuperset(KEY):
        sys.exit(f"{path} is of an older version of this program. Give another --db.")
    return database


def pack(values):
    return zlib.compress(array.array("i", values).tobytes())


def read_blocks(path):
    """From the recording of fasp's receiver: block, us late over the best, round."""
    try:
        with sqlite3.connect(path) as recorded:
            rows = recorded.execute("SELECT number, time - sender_time, round FROM block "
                                    "WHERE fresh AND payload_size > 0 ORDER BY time").fetchall()
    except sqlite3.Error:
        return []
    best = min((row[1] for row in rows), default=0)
    first = min((row[0] for row in rows), default=0)
    return list(itertools.chain.from_iterable((n - first, late - best, r) for n, late, r in rows))


def tail_of(path):
    try:
        with open(path, errors="replace") as f:
            return f.read()[-2000:]
    except OSError:
        return "none"


def find(database, job):
    """The row of a stream that has been run, or None."""
    where = " AND ".join(f"{k} = ?" for k in KEY)
    return database.execute(f"SELECT * FROM stream WHERE {where}",
                            [job[k] for k in KEY]).fetchone()


def run_job(job, directory, keep_blocks=True):
    """One stream; the row for the database."""
    where = os.path.join(directory, "-".join(str(job[k]) for k in KEY))
    recording = os.path.join(where, "blocks.db") if job["peer"] == "fasp" and keep_blocks else None
    extra = ("--loss-burst", job["burst"]) if job["burst"] > 1 else ()
    started = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    seed = zlib.crc32(repr([job[k] for k in KEY]).encode()) % 1000000 + 1
    try:
        result = benchlib.stream(job["peer"], job["mbit"], job["channel"], job["seconds"], where,
                                 job["buffer"] or 1000, job["rtt"], job["loss"], seed=seed,
                                 extra=extra, write=job["write"],
                                 receiver_keys=f"record={shlex.quote(recording)}" if recording else "")
        if result.get("missing") == -1:     # which says nothing about the peer
            raise RuntimeError(f"the checker behind {job['peer']} said nothing; the programs' messages:\n"
                               + tail_of(os.path.join(where, "log.err")))
        # µs over the one-way delay; one that is early (the link's clock) is not missing
        delays = [max(0, d - int(job["rtt"] / 2 * 1000)) if d >= 0 else -1 for d in result["delays"]]
        blocks = read_blocks(recording) if recording else []
    finally:
        shutil.rmtree(where, ignore_errors=True)
    expected = int(job["seconds"] * job["mbit"] * 1e6 / 8 / RECORD)
    delays += [-1] * (expected - len(delays))
    row = {k: job[k] for k in KEY}
    row.update(started=started, exact=int(bool(result.get("exact"))), missing=result.get("missing"),
               records=expected, wire=result.get("wire"), feedback=result.get("feedback"),
               cpu_sender=result.get("cpu_sender"), cpu_receiver=result.get("cpu_receiver"),
               delays=pack(delays), blocks=pack(blocks) if blocks else None)
    return row


def save(database, row):
    columns = ", ".join(row)
    marks = ", ".join("?" for _ in row)
    with database:
        database.execute(f"INSERT OR REPLACE INTO stream ({columns}) VALUES ({marks})",
                         list(row.values()))


class Progress:
    """A bar, and when it will be done."""

    def __init__(self, total):
        self.total, self.done, self.start = total, 0, time.monotonic()
        self.shown = sys.stderr.isatty()

    def step(self, text):
        self.done += 1
        spent = time.monotonic() - self.start
        left = datetime.timedelta(seconds=round(spent / self.done * (self.total - self.done)))
        bar = "#" * (30 * self.done // max(1, self.total))
        line = f"[{bar:30}] {self.done}/{self.total}, {left} left: {text}"
        print(f"\r\033[K{line}" if self.shown else line, end="" if self.shown else "\n",
              file=sys.stderr, flush=True)
        if self.shown and self.done == self.total:
            print(file=sys.stderr)


def run_all(database, jobs, at_once=1):
    """Runs what is not in the database yet."""
    todo = [job for job in jobs if find(database, job) is None]
    progress = Progress(len(todo))
    with benchlib.scratch() as directory:
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            futures = [pool.submit(run_job, job, directory) for job in todo]
            try:
                for future in concurrent.futures.as_completed(futures):
                    row = future.result()
                    save(database, row)
                    progress.step(describe(row))
            except BaseException:
                for future in futures:
                    future.cancel()
                raise
    return len(todo)


def describe(row):
    buffer = f" at {row['buffer']} ms" if row["buffer"] else ""
    what = "whole" if row["exact"] else f"{row['missing']} records missing"
    return f"{row['peer']}{buffer}, {row['mbit']:g} Mbit/s, test {row['test']}: {what}"
