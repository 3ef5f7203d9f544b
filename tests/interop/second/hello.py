# SPDX-License-Identifier: LGPL-2.1-or-later
"""The payload of a handshake message (docs/protocol.md, section 3.2), as a dictionary of its options."""

from .frames import plain
from .wire import Malformed, Reader

SENDER, RECEIVER = 1, 2
FIND_LATENCY = (1 << 32) - 1
NONE, AES_128, AES_256, CHACHA = 0, 1, 2, 3


class Unsupported(Exception):
    """An option that the other end needs us to understand."""


def number(size, least=0, most=None):
    def read(value):
        found = int.from_bytes(value, "big")
        if len(value) != size or found < least or most is not None and found > most:
            raise Malformed("option")
        return found
    return read, lambda value: value.to_bytes(size, "big")


def read_streamid(value):
    if len(value) > 512:
        raise Malformed("streamid")
    return plain(value)


def read_resume(value):
    if len(value) != 20:
        raise Malformed("resume")
    return int.from_bytes(value[:4], "big"), value[4:]


def read_position(value):
    if len(value) != 24:
        raise Malformed("position")
    return value[:16], int.from_bytes(value[16:], "big")


def read_wants(value):
    if len(value) not in (5, 29):
        raise Malformed("wants")
    return value[0], int.from_bytes(value[1:5], "big"), read_position(value[5:]) if value[5:] else None


def write_position(value):
    return value[0] + value[1].to_bytes(8, "big")


def write_wants(value):
    kind, ms, has = value
    return bytes([kind]) + ms.to_bytes(4, "big") + (write_position(has) if has else b"")


def read_ciphers(value):
    if not value:
        raise Malformed("ciphers")
    return list(value)


def read_group_key(value):
    r = Reader(value)
    if len(value) != 53:
        raise Malformed("group key")
    return r.uint(4), r.uint(1), r.uint(8), r.take(32), r.uint(2), r.uint(4), r.uint(2)


def write_group_key(value):
    cid, cipher, pn, key, *rest = value
    return (cid.to_bytes(4, "big") + bytes([cipher]) + pn.to_bytes(8, "big") + key
            + b"".join(x.to_bytes(n, "big") for x, n in zip(rest, (2, 4, 2))))


def read_flag(value):
    if value:
        raise Malformed("flag")
    return True


FLAG = read_flag, lambda value: b""
OPTIONS = {
    1: ("role", number(1, SENDER, RECEIVER)),
    2: ("latency", number(4)),
    3: ("streamid", (read_streamid, str.encode)),
    4: ("start", number(8, 0, (1 << 61) - 1)),
    5: ("window", number(4)),
    6: ("datagram max", number(2)),
    7: ("resume", (read_resume, lambda v: v[0].to_bytes(4, "big") + v[1])),
    8: ("id", number(4)),
    9: ("ciphers", (read_ciphers, bytes)),
    10: ("flows", number(1, 1, 64)),
    11: ("fec", number(2)),
    12: ("arrivals", number(1)),
    13: ("position", (read_position, write_position)),
    14: ("wants", (read_wants, write_wants)),
    15: ("group", FLAG),
    16: ("group key", (read_group_key, write_group_key)),
    17: ("header", FLAG),
    18: ("offsets", FLAG),
}
IDS = {name: id for id, (name, _) in OPTIONS.items()}


def parse(data, from_id):
    """@from_id: of the datagram's header."""
    r, hello, unsupported = Reader(data), {}, False
    while r.left():
        id = r.uint(1)
        if id == 0:
            break
        value = r.take(r.uint(2))
        if id in OPTIONS:
            name, (read, _) = OPTIONS[id]
            hello[name] = read(value)
        unsupported |= id >= 128
    if unsupported:
        raise Unsupported
    if not {"role", "id", "ciphers"} <= hello.keys() or hello["id"] != from_id:
        raise Malformed("hello")
    return hello


def write(hello):
    parts = []
    for id, (name, (_, put)) in OPTIONS.items():
        if name in hello:
            value = put(hello[name])
            parts.append(bytes([id]) + len(value).to_bytes(2, "big") + value)
    return b"".join(parts)


def choose_cipher(offered, accepted):
    """The listener's choice, or None; both lists are best first."""
    if list(offered) == [NONE] or list(accepted) == [NONE]:
        return NONE if list(offered) == list(accepted) else None
    offered = [c for c in offered if c != NONE]
    first, second = (accepted, offered) if accepted[0] == CHACHA else (offered, accepted)
    return next((c for c in first if c in second), None)
