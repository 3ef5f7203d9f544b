# SPDX-License-Identifier: LGPL-2.1-or-later
"""Session datagrams sealed and opened, and their keys' phases (docs/protocol.md, sections 2.1 and 7)."""

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from . import hello
from .noise import Unopened, mac
from .wire import Malformed, extend

HEADER, LEAST, MOST, FILLED = 8, 12, 8972, 32
PHASE_TIME, PHASE_DATAGRAMS, MOST_DATAGRAMS = 60 * 10 ** 6, 1 << 22, 1 << 23    # µs; datagrams


def crc32c_table():
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
        yield value


CRC = tuple(crc32c_table())


def crc32c(data):
    table, crc = CRC, 0xffffffff
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


class Checksum:
    """The tag without a cipher. Its interface is that of the ciphers."""
    tag = 4

    def __init__(self, key):
        self.aes = Cipher(algorithms.AES(key[:16]), modes.ECB())

    def make(self, plain, head):
        return self.aes.encryptor().update(head + crc32c(plain).to_bytes(4, "big") + bytes(4))[:4]

    def encrypt(self, nonce, plain, head):
        return plain + self.make(plain, head)

    def decrypt(self, nonce, sealed, head):
        if self.make(sealed[:-4], head) != sealed[-4:]:
            raise InvalidTag
        return sealed[:-4]


def make_cipher(cipher, key):
    if cipher == hello.NONE:
        return Checksum(key)
    if cipher == hello.CHACHA:
        return ChaCha20Poly1305(key)
    return AESGCM(key[:16] if cipher == hello.AES_128 else key)


def tag_size(cipher):
    return 4 if cipher == hello.NONE else 16


def get_nonce(flow, pn):
    return flow.to_bytes(4, "big") + pn.to_bytes(8, "big")


class Key:
    """Of one phase."""

    def __init__(self, cipher, raw):
        self.cipher, self.raw, self.aead = cipher, raw, make_cipher(cipher, raw)

    def following(self, secret=None):
        return Key(self.cipher, mac(self.raw, b"fasp agreed 1" + secret if secret else b"fasp rekey 1"))

    def open(self, flow, pn, datagram):
        try:
            return self.aead.decrypt(get_nonce(flow, pn), datagram[HEADER:], datagram[:HEADER])
        except InvalidTag:
            raise Unopened from None


class Sealer:
    """Counts the packet numbers of each flow, so that none is used twice."""

    def __init__(self, now, cipher, raw, cid, phase_time=PHASE_TIME):
        self.key, self.cid, self.phase_time = Key(cipher, raw), cid, phase_time
        self.next, self.first = {}, {}      # packet numbers of each flow: the next one, the first one of this phase
        self.phase = self.changes = self.count = 0      # changes: since the start, or the last agreement
        self.began, self.confirmed, self.secret = now, False, None

    def seal(self, flow, plain):
        pn = self.next.get(flow, 0)
        self.next[flow] = pn + 1
        self.first.setdefault(flow, pn)
        self.count += 1
        head = bytes([0x80 | (self.phase & 1) << 6 | flow]) + self.cid.to_bytes(4, "big") + (pn & 0xffffff).to_bytes(3, "big")
        return pn, head + self.key.aead.encrypt(get_nonce(flow, pn), plain, head)

    def confirm(self, flow, pn):
        """The peer has opened this packet."""
        self.confirmed |= pn >= self.first.get(flow, 1 << 64)

    def is_due(self, now):
        return self.key.cipher != hello.NONE and (now >= self.began + self.phase_time or self.count >= PHASE_DATAGRAMS)

    def rekey(self, now):
        """To the next phase, if that is due and may be. True: the agreed secret is in use from now on."""
        if not self.confirmed or not self.is_due(now):
            return False
        secret, self.secret = self.secret, None
        self.key = self.key.following(secret)
        self.phase += 1
        self.changes = 0 if secret else self.changes + 1
        self.count, self.first, self.began, self.confirmed = 0, {}, now, False
        return bool(secret)


class Opener:
    """Extends packet numbers, drops what came before, and follows the peer's phases."""
    WINDOW = 4096

    def __init__(self, cipher, raw):
        self.key, self.before, self.phase, self.secret = Key(cipher, raw), None, 0, None
        self.secrets_used = 0
        self.first = {}         # of each flow: the lowest packet number of this phase that has come
        self.seen = {}          # of each flow: the largest packet number, and a bit for each of those below it
        self.hints = {}         # of each flow: what NEXT has told
        self.following = []

    def largest(self, flow):
        return self.seen.get(flow, (-1, 0))[0]

    def number(self, datagram):
        """Flow and packet number, or None for one that has come before."""
        flow = datagram[0] & 63
        largest, bits = self.seen.get(flow, (-1, 0))
        pn = extend(int.from_bytes(datagram[5:8], "big"), 24, max(largest, self.hints.get(flow, 0), 0))
        if pn <= largest and (largest - pn > self.WINDOW or bits >> largest - pn & 1):
            return flow, None
        return flow, pn

    def candidates(self, flow, pn, k):
        if k == self.phase & 1:
            return [self.key]
        first = self.first.get(flow)
        found = [self.before] if self.before and (first is None or pn < first) else []
        return found + self.next_keys() if first is None or pn >= first else found

    def next_keys(self):
        if not self.following and self.key.cipher != hello.NONE:
            self.following = [self.key.following(s) for s in (None, self.secret)[:2 if self.secret else 1]]
        return self.following

    def learn(self, secret):
        """An agreed secret, which the peer uses from one of its next phases on."""
        self.secret, self.following = secret, []

    def open(self, flow, pn, datagram):
        """The frames; raises Unopened."""
        for key in self.candidates(flow, pn, datagram[0] >> 6 & 1):
            try:
                plain = key.open(flow, pn, datagram)
            except Unopened:
                continue
            self.take(flow, pn, key)
            return plain
        raise Unopened

    def take(self, flow, pn, key):
        if key in self.following:
            if self.following.index(key) == 1:
                self.secret = None
                self.secrets_used += 1
            self.before, self.key, self.following, self.first = self.key, key, [], {}
            self.phase += 1
        if key is self.key:
            self.first[flow] = min(pn, self.first.get(flow, pn))
        largest, bits = self.seen.get(flow, (-1, 0))
        if pn > largest:
            bits = (bits << pn - largest) & (1 << self.WINDOW + 1) - 1 if pn - largest <= self.WINDOW else 0
            self.seen[flow] = pn, bits | 1
        else:
            self.seen[flow] = largest, bits | 1 << largest - pn


def check_size(datagram):
    if not LEAST <= len(datagram) <= MOST:
        raise Malformed("size")
