# SPDX-License-Identifier: LGPL-2.1-or-later
"""The four patterns of the Noise Protocol Framework, revision 34 (docs/protocol.md, section 3.1)."""

import hashlib
import hmac

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from .wire import Malformed, Reader

NN, NNPSK0, IK, IKPSK2 = 1, 2, 3, 4
PATTERNS = {
    NN: ("NN", (("e",), ("e", "ee"))),
    NNPSK0: ("NNpsk0", (("psk", "e"), ("e", "ee"))),
    IK: ("IK", (("e", "es", "s", "ss"), ("e", "ee", "se"))),
    IKPSK2: ("IKpsk2", (("e", "es", "s", "ss"), ("e", "ee", "se", "psk"))),
}


class Unopened(Exception):
    """A message that another key has sealed, or nobody."""


def stretch(passphrase):
    """The pre-shared key of a passphrase."""
    return Scrypt(salt=b"fasp passphrase 1", length=32, n=131072, r=8, p=1).derive(passphrase.encode())


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def hkdf(key, data, count):
    secret, found = mac(key, data), [b""]
    for i in range(count):
        found.append(mac(secret, found[-1] + bytes([i + 1])))
    return found[1:]


def public(private):
    return private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def private_key(raw):
    return X25519PrivateKey.from_private_bytes(raw)


def agree(private, other):
    """The shared secret, or None where the other's public key gives zeros."""
    try:
        return private.exchange(X25519PublicKey.from_public_bytes(other))
    except ValueError:
        return None


def kind(static, psk):
    """The pattern that keys and passphrase make."""
    return (IKPSK2 if psk else IK) if static else NNPSK0 if psk else NN


class Handshake:
    """One end of one handshake. @static: private key or None; @remote: the listener's public key, known to a caller."""

    def __init__(self, pattern, caller, prologue, ephemeral, static=None, remote=None, psk=None):
        name, self.messages = PATTERNS[pattern]
        name = f"Noise_{name}_25519_ChaChaPoly_SHA256".encode()
        self.h = name.ljust(32, b"\0") if len(name) <= 32 else hashlib.sha256(name).digest()
        self.ck, self.key, self.n = self.h, None, 0
        self.caller, self.psk = caller, psk
        self.own = {"e": ephemeral, "s": static}
        self.other = {"e": None, "s": remote}
        self.mix_hash(prologue)
        if name.startswith(b"Noise_IK"):
            self.mix_hash(remote if caller else public(static))

    def mix_hash(self, data):
        self.h = hashlib.sha256(self.h + data).digest()

    def mix_key(self, data):
        self.ck, self.key = hkdf(self.ck, data, 2)
        self.n = 0

    def nonce(self):
        self.n += 1
        return bytes(4) + (self.n - 1).to_bytes(8, "little")

    def seal(self, plain):
        sealed = ChaCha20Poly1305(self.key).encrypt(self.nonce(), plain, self.h) if self.key else plain
        self.mix_hash(sealed)
        return sealed

    def open(self, sealed):
        try:
            plain = ChaCha20Poly1305(self.key).decrypt(self.nonce(), sealed, self.h) if self.key else sealed
        except InvalidTag:
            raise Unopened from None
        self.mix_hash(sealed)
        return plain

    def mix_shared(self, token):
        """@token: first the caller's key, then the listener's."""
        own, other = token if self.caller else token[::-1]
        secret = agree(self.own[own], self.other[other])
        if secret is None:
            raise Unopened
        self.mix_key(secret)

    def mix_psk(self):
        self.ck, mixed, self.key = hkdf(self.ck, self.psk, 3)
        self.n = 0
        self.mix_hash(mixed)

    def mix_ephemeral(self, key):
        self.mix_hash(key)
        if self.psk:
            self.mix_key(key)

    def write(self, number, payload):
        parts = []
        for token in self.messages[number]:
            if token == "e":
                parts.append(public(self.own["e"]))
                self.mix_ephemeral(parts[0])
            elif token == "s":
                parts.append(self.seal(public(self.own["s"])))
            elif token == "psk":
                self.mix_psk()
            else:
                self.mix_shared(token)
        return b"".join(parts) + self.seal(payload)

    def read(self, number, message):
        r = Reader(message)
        for token in self.messages[number]:
            if token == "e":
                self.other["e"] = r.take(32)
                self.mix_ephemeral(self.other["e"])
            elif token == "s":
                self.other["s"] = self.open(r.take(32 + (16 if self.key else 0)))
            elif token == "psk":
                self.mix_psk()
            else:
                self.mix_shared(token)
        if self.key and r.left() < 16:
            raise Malformed("cut short")
        return self.open(r.rest())

    def split(self):
        """The key of what the caller seals, that of what the listener seals."""
        return tuple(hkdf(self.ck, b"", 2))


def resume_key(caller_key, listener_key):
    return mac(caller_key, b"fasp resume 2" + listener_key)


def resume_proof(key, nonce):
    return mac(key, b"fasp resume proof 2" + nonce)[:16]
