# SPDX-License-Identifier: LGPL-2.1-or-later
"""Integers on the wire (docs/protocol.md, first section and RFC 9000, section 16)."""


class Malformed(Exception):
    """What came does not have the form that the document gives it."""


class Reader:
    """Takes fields from the front of some bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, size):
        if self.left() < size:
            raise Malformed("cut short")
        self.at += size
        return self.data[self.at - size:self.at]

    def uint(self, size):
        return int.from_bytes(self.take(size), "big")

    def varint(self):
        first = self.uint(1)
        more = (1 << (first >> 6)) - 1
        return (first & 0x3f) << 8 * more | self.uint(more)

    def rest(self):
        return self.take(self.left())


def varint(value):
    for size, prefix in ((1, 0), (2, 1), (4, 2), (8, 3)):
        if value < 1 << 8 * size - 2:
            return (prefix << 8 * size - 2 | value).to_bytes(size, "big")
    raise ValueError(value)


def extend(low, bits, near):
    """The number with these low @bits that is nearest to @near, and not below 0."""
    span = 1 << bits
    value = near - near % span + low
    if value - near > span // 2 and value >= span:
        return value - span
    return value + span if near - value > span // 2 else value
