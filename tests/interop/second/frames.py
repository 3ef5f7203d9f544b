# SPDX-License-Identifier: LGPL-2.1-or-later
"""The frames of a session datagram (docs/protocol.md, section 4): each a tuple with its fields, read and written."""

import unicodedata
from typing import NamedTuple

from .wire import Malformed, Reader, varint

MAX_BLOCK_NUMBER = 1 << 61
MAX_TEXT, MAX_FLOWS, MAX_RANGES, MAX_ARRIVALS, MAX_BACK, MAX_FRAGMENTS = 200, 64, 480, 64, 1 << 20, 16
SOURCE_SYMBOL = 7       # bytes of a source symbol without payload


class Padding(NamedTuple):
    size: int


class Ping(NamedTuple):
    token: bytes


class Pong(NamedTuple):
    token: bytes


class Tail(NamedTuple):
    n: int


class Skip(NamedTuple):
    n: int


class Close(NamedTuple):
    reason: int
    text: str


class Promise(NamedTuple):
    serial: int
    latency: int
    interval: int
    budget: int


class Repair(NamedTuple):
    block: int
    blocks: int
    key: int
    span: int
    symbol: bytes


class Position(NamedTuple):
    n: int
    origin: bytes
    offset: int


class Expired(NamedTuple):
    media: int


class Next(NamedTuple):
    flow: int
    packet: int


class Group(NamedTuple):
    members: int
    back_off: int
    clock: int


class Offset(NamedTuple):
    segment: int
    offset: int


class Agree(NamedTuple):
    serial: int
    key: bytes


class Data(NamedTuple):
    round: int
    copy: int
    mark: bool
    block: int
    media: int
    payload: bytes
    fragment: tuple = None      # index, count, the block's whole size


class FlowReport(NamedTuple):
    flow: int
    largest: int
    unsettled: int
    delay: int
    received: int
    holes: int
    marked: int = 0
    arrivals: tuple = ()


class Feedback(NamedTuple):
    flags: int
    serial: int
    clock: int
    ack: int
    window: int
    latency: int
    skips: int
    wanted: int
    has: tuple                  # origin and offset, or None
    flows: tuple
    start: int                  # the document's "from"
    end: int
    missing: tuple              # of (first, how many)


NOTHING_ABOVE, ARRIVALS, HAS, STAND_BY = 1, 2, 4, 8


def plain(text):
    """The text, or nothing where it is not plain."""
    try:
        text = text.decode()
    except UnicodeDecodeError:
        return ""
    return "" if any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in text) else text


def block_number(value):
    if value >= MAX_BLOCK_NUMBER:
        raise Malformed("no stream gets that far")
    return value


def bounded(value, limit):
    if value > limit:
        raise Malformed("above its limit")
    return value


def read_flow_report(r, flags):
    entry = r.uint(1), r.uint(3), r.varint(), r.varint(), r.varint(), r.varint()
    if not flags & ARRIVALS:
        return FlowReport(*entry)
    marked, arrivals = r.varint(), []
    for _ in range(bounded(r.uint(1), MAX_ARRIVALS)):
        back, before = r.varint(), r.varint()
        if not 1 <= back <= MAX_BACK or before >= 1 << 32:
            raise Malformed("arrivals")
        arrivals.append((back, before))
    return FlowReport(*entry, marked, tuple(arrivals))


def read_feedback(r):
    flags = r.uint(1)
    if flags & STAND_BY and not flags & HAS:
        raise Malformed("stands by without a position")
    head = r.uint(4), r.uint(4), block_number(r.varint()), r.varint(), r.varint(), r.varint(), r.varint()
    has = (r.take(16), r.uint(8)) if flags & HAS else None
    flows = tuple(read_flow_report(r, flags) for _ in range(bounded(r.uint(1), MAX_FLOWS)))
    start = head[2] + r.varint()
    at = start
    end = start + r.varint()
    missing = []
    for _ in range(bounded(r.varint(), MAX_RANGES)):
        at += r.varint()
        length = r.varint() + 1
        missing.append((at, length))
        at = bounded(at + length, end)
    return Feedback(flags, *head, has, flows, start, end, tuple(missing))


def read_repair(r):
    block, blocks, key, span, symbol = r.uint(3), r.uint(2), r.uint(2), r.uint(2), r.rest()
    if not blocks or len(symbol) < SOURCE_SYMBOL:
        raise Malformed("repair")
    return Repair(block, blocks, key, span, symbol)


def read_data(kind, r):
    block, media, fragment = r.uint(3), r.uint(4), None
    if kind & 2:
        parts = r.uint(1)
        fragment = parts >> 4, (parts & 15) + 1, r.uint(2)
        if fragment[1] < 2 or fragment[0] >= fragment[1]:
            raise Malformed("fragment")
    payload = r.rest()
    if not payload and not kind & 1:
        raise Malformed("data without payload")
    return Data(kind >> 4 & 7, kind >> 2 & 3, bool(kind & 1), block, media, payload, fragment)


READERS = {
    0x01: lambda r: Ping(r.take(8)),
    0x02: lambda r: Pong(r.take(8)),
    0x03: lambda r: Tail(block_number(r.varint())),
    0x04: read_feedback,
    0x05: lambda r: Skip(block_number(r.varint())),
    0x06: lambda r: Close(r.uint(2), plain(r.take(bounded(r.uint(1), MAX_TEXT)))),
    0x07: lambda r: Promise(r.varint(), r.varint(), r.varint(), r.varint()),
    0x08: read_repair,
    0x09: lambda r: Position(block_number(r.varint()), r.take(16), r.uint(8)),
    0x0a: lambda r: Expired(r.uint(4)),
    0x0b: lambda r: Next(bounded(r.uint(1), 63), r.varint()),
    0x0c: lambda r: Group(r.varint(), r.varint(), r.varint()),
    0x0d: lambda r: Offset(r.uint(1), r.uint(4)),
    0x0e: lambda r: Agree(r.varint(), r.take(32)),
}


def parse(data):
    """Frame by frame, so that those before a fault take effect; raises Malformed at the fault."""
    r, seen = Reader(data), set()
    while r.left():
        kind = r.uint(1)
        if kind == 0:
            yield Padding(len(r.rest()))
        elif kind >= 0x80:
            yield read_data(kind, r)
        elif kind in READERS and kind not in seen:
            seen.add(kind)
            yield READERS[kind](r)
        else:
            raise Malformed(f"frame of type {kind}")


def write_feedback(f):
    parts = [bytes([4, f.flags]), f.serial.to_bytes(4, "big"), f.clock.to_bytes(4, "big")]
    parts += map(varint, (f.ack, f.window, f.latency, f.skips, f.wanted))
    if f.flags & HAS:
        parts += [f.has[0], f.has[1].to_bytes(8, "big")]
    parts.append(bytes([len(f.flows)]))
    for e in f.flows:
        parts += [bytes([e.flow]), e.largest.to_bytes(3, "big")]
        parts += map(varint, (e.unsettled, e.delay, e.received, e.holes))
        if f.flags & ARRIVALS:
            parts += [varint(e.marked), bytes([len(e.arrivals)])]
            parts += [varint(x) for pair in e.arrivals for x in pair]
    parts += map(varint, (f.start - f.ack, f.end - f.start, len(f.missing)))
    at = f.start
    for first, length in f.missing:
        parts += [varint(first - at), varint(length - 1)]
        at = first + length
    return b"".join(parts)


def write_data(d):
    kind = 0x80 | d.round << 4 | d.copy << 2 | (2 if d.fragment else 0) | d.mark
    head = bytes([kind]) + d.block.to_bytes(3, "big") + d.media.to_bytes(4, "big")
    if d.fragment:
        index, count, size = d.fragment
        head += bytes([index << 4 | count - 1]) + size.to_bytes(2, "big")
    return head + d.payload


def write_close(c):
    text = c.text.encode()
    return b"\x06" + c.reason.to_bytes(2, "big") + bytes([len(text)]) + text


WRITERS = {
    Padding: lambda f: bytes(1 + f.size),
    Ping: lambda f: b"\x01" + f.token,
    Pong: lambda f: b"\x02" + f.token,
    Tail: lambda f: b"\x03" + varint(f.n),
    Feedback: write_feedback,
    Skip: lambda f: b"\x05" + varint(f.n),
    Close: write_close,
    Promise: lambda f: b"\x07" + b"".join(map(varint, f)),
    Repair: lambda f: b"\x08" + f.block.to_bytes(3, "big") + b"".join(x.to_bytes(2, "big") for x in f[1:4]) + f.symbol,
    Position: lambda f: b"\x09" + varint(f.n) + f.origin + f.offset.to_bytes(8, "big"),
    Expired: lambda f: b"\x0a" + f.media.to_bytes(4, "big"),
    Next: lambda f: bytes([0x0b, f.flow]) + varint(f.packet),
    Group: lambda f: b"\x0c" + b"".join(map(varint, f)),
    Offset: lambda f: bytes([0x0d, f.segment]) + f.offset.to_bytes(4, "big"),
    Agree: lambda f: b"\x0e" + varint(f.serial) + f.key,
    Data: write_data,
}


def write(frames):
    return b"".join(WRITERS[type(f)](f) for f in frames)
