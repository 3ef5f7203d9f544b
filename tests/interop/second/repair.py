# SPDX-License-Identifier: LGPL-2.1-or-later
"""Repair symbols (docs/protocol.md, section 5.3): how one is made. No end sends or uses any."""


def tinymt(seed):
    s, low = [seed, 0x8f7011ee, 0xfc78ff1f, 0x3793fdff], 0xffffffff
    for i in range(1, 8):
        before = s[i - 1 & 3]
        s[i & 3] ^= i + 1812433253 * (before ^ before >> 30) & low
    count = 0
    while True:
        x, y = (s[0] & 0x7fffffff) ^ s[1] ^ s[2], s[3]
        x ^= x << 1 & low
        y ^= y >> 1 ^ x
        s = [s[1], s[2], x ^ y << 10 & low, y]
        if y & 1:
            s[1] ^= 0x8f7011ee
            s[2] ^= 0xfc78ff1f
        count += 1
        if count > 8:
            total = s[0] + (s[2] >> 8) & low
            yield s[3] ^ total ^ (0x3793fdff if total & 1 else 0)


def product(a, b):
    result = 0
    while b:
        result ^= a if b & 1 else 0
        a = a << 1 ^ (0x11d if a & 0x80 else 0)
        b >>= 1
    return result


def make(key, blocks):
    """@blocks: mark, media time and payload of each."""
    symbols = [len(payload).to_bytes(2, "big") + bytes([mark]) + (media & 0xffffffff).to_bytes(4, "big") + payload
               for mark, media, payload in blocks]
    out = bytearray(max(map(len, symbols)))
    coefficients = (x & 255 for x in tinymt(key) if x & 255)
    for symbol, c in zip(symbols, coefficients):
        for i, byte in enumerate(symbol):
            out[i] ^= product(byte, c)
    return bytes(out)
