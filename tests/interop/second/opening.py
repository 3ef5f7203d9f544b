# SPDX-License-Identifier: LGPL-2.1-or-later
"""Handshake datagrams (docs/protocol.md, section 2.2), and the hint of a stream (3.3)."""

import hashlib
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .frames import MAX_TEXT, plain
from .wire import Malformed, Reader

VERSION = 5
OPEN, RETRY, ACCEPT, REJECT, VERSIONS, PUNCH, ANNOUNCE = range(1, 8)
NAMES = ("", "OPEN", "RETRY", "ACCEPT", "REJECT", "VERSIONS", "PUNCH", "ANNOUNCE")
OPEN_SIZE, LEAST_SIZE, COOKIE_SIZE, HEADER_SIZE = 1200, 32, 40, 26
NO_NONCE = bytes(16)


class Message(NamedTuple):
    kind: int
    to: int
    source: int                 # the document's "from id"
    nonce: bytes
    cookie: bytes = b""
    pattern: int = 0
    message: bytes = b""
    reason: int = 0
    text: str = ""
    versions: tuple = ()
    version: int = VERSION

    def header(self):
        return (bytes([0x40 | self.kind, self.version]) + self.to.to_bytes(4, "big")
                + self.source.to_bytes(4, "big") + self.nonce)


def parse(data):
    """Of another version, only an OPEN and VERSIONS have a meaning, and of that OPEN only its header."""
    r = Reader(data)
    kind, version = r.uint(1) ^ 0x40, r.uint(1)
    m = Message(kind, r.uint(4), r.uint(4), r.take(16), version=version)
    if not OPEN <= kind <= ANNOUNCE:
        raise Malformed("no such message")
    if kind == OPEN and len(data) < OPEN_SIZE:
        raise Malformed("an OPEN that is not padded")
    if kind == VERSIONS:
        count = r.uint(1)
        if count > 16:
            raise Malformed("versions")
        return m._replace(versions=tuple(r.take(count)))
    if version != VERSION:
        if kind == OPEN:
            return m
        raise Malformed("version")
    if kind == OPEN:
        cookie = r.take(r.uint(1))
        if len(cookie) not in (0, COOKIE_SIZE):
            raise Malformed("cookie")
        m = m._replace(cookie=cookie, pattern=r.uint(1))
    if kind == RETRY:
        if r.uint(1) != COOKIE_SIZE:
            raise Malformed("cookie")
        return m._replace(cookie=r.take(COOKIE_SIZE))
    if kind in (OPEN, ACCEPT):
        return m._replace(message=r.take(r.uint(2)))
    if kind == REJECT:
        reason, size = r.uint(2), r.uint(1)
        if size > MAX_TEXT:
            raise Malformed("text")
        return m._replace(reason=reason, text=plain(r.take(size)))
    return m


def write(m):
    body = b""
    if m.kind == OPEN:
        body = bytes([len(m.cookie)]) + m.cookie + bytes([m.pattern])
    if m.kind in (OPEN, ACCEPT):
        body += len(m.message).to_bytes(2, "big") + m.message
    if m.kind == RETRY:
        body = bytes([len(m.cookie)]) + m.cookie
    if m.kind == REJECT:
        text = m.text.encode()
        body = m.reason.to_bytes(2, "big") + bytes([len(text)]) + text
    if m.kind == VERSIONS:
        body = bytes([len(m.versions), *m.versions])
    return (m.header() + body).ljust(OPEN_SIZE if m.kind == OPEN else LEAST_SIZE, b"\0")


def prologue(message):
    return b"fasp" + message.header() + bytes([message.pattern])


def hint(nonce, role, streamid):
    """The "to id" of an OPEN: which stream of the port is called."""
    if not streamid:
        return 0
    digest = hashlib.sha256(b"fasp stream 1" + bytes([role]) + streamid.encode()).digest()[:16]
    found = Cipher(algorithms.AES(nonce), modes.ECB()).encryptor().update(digest)[:4]
    return int.from_bytes(found, "big") or 1
