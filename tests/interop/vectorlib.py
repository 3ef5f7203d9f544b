# SPDX-License-Identifier: LGPL-2.1-or-later
"""The vectors of docs/protocol.md (docs/vectors.jsonl), and their keys as the second implementation has them."""

import json
import re

from second import seal

CIPHERS = ("none", "aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")


def read(document):
    with open(document) as f:
        return [json.loads(line) for line in f]


def unfold(text):
    """Hex with runs: 00*1000 is a thousand zero bytes."""
    return b"".join(bytes.fromhex(byte) * int(times or 1) for byte, times in re.findall(r"([0-9a-f]+)(?:\*(\d+))?", text))


def get_key(v):
    return seal.Key(CIPHERS.index(v["cipher"]), bytes.fromhex(v["key"]))


def unseal(v, datagram):
    """The frames, as the vector tells key and packet number; raises noise.Unopened."""
    return get_key(v).open(datagram[0] & 63, v["pn"], datagram)
