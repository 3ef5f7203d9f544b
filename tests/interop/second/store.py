# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sender's stream: its bytes, cut into numbered blocks (docs/protocol.md, sections 4.1, 6.1 and 6.2)."""

import collections

from .frames import MAX_BLOCK_NUMBER

UNIT = 1500             # bytes of a block for each unit of the window
NOT_KNOWN = (1 << 64) - 1
POSITION, KEY_FRAME, HEADER = 1, 2, 3       # kinds of marks


class Block:
    """Immutable but for what the session that sends it notes."""
    __slots__ = ("payload", "mark", "media", "offset", "units_before", "units", "under_way", "flows", "round", "received")

    def __init__(self, payload, mark, media, offset, units_before):
        self.payload, self.mark, self.media, self.offset = payload, mark, media, offset
        self.units_before, self.units = units_before, max(1, -(-len(payload) // UNIT))
        self.forget()

    def forget(self):
        """A new session sends it again."""
        self.under_way, self.flows, self.round, self.received = 0, [], 0, False


class Store:
    def __init__(self, origin, block_size, limit=16 << 20, start=0, offset=0):
        """@start: number of the first block; @offset: of the first byte, not known where @origin is None."""
        self.origin, self.block_size, self.limit = origin, block_size, limit
        self.blocks = {}
        self.first = self.next = start
        self.offset, self.units, self.bytes = offset, 0, 0
        self.pending = collections.deque()      # bytes that do not fill a block yet
        self.pending_size = 0
        self.finished = False

    def has_room(self):
        return self.bytes + self.pending_size < self.limit

    def append(self, payload, mark, now):
        assert self.next < MAX_BLOCK_NUMBER
        offset = self.offset if self.origin else NOT_KNOWN
        block = self.blocks[self.next] = Block(payload, mark, now & 0xffffffff, offset, self.units)
        self.next += 1
        self.units += block.units
        self.bytes += len(payload)
        if not mark:
            self.offset += len(payload)

    def write(self, data, now):
        self.pending.append(data)
        self.pending_size += len(data)
        if self.pending_size >= self.block_size:
            self.cut(now, False)

    def cut(self, now, all_of_it):
        data = b"".join(self.pending)
        size, at = self.block_size, 0
        while len(data) - at >= (1 if all_of_it else size):
            self.append(data[at:at + size], False, now)
            at += size
        self.pending = collections.deque([data[at:]])
        self.pending_size = len(data) - at

    def write_header(self, data, now):
        """In marks, and the mark of the key frame that follows."""
        size = self.block_size - 5
        parts = [data[i:i + size] for i in range(0, len(data), size)] or [b""]
        for i, part in enumerate(parts):
            self.append(bytes([HEADER]) + i.to_bytes(2, "big") + len(parts).to_bytes(2, "big") + part, True, now)
        self.append(bytes([KEY_FRAME]), True, now)

    def write_position(self, origin, offset, now):
        self.cut(now, True)
        self.origin, self.offset = origin, offset
        self.append(bytes([POSITION]) + origin + offset.to_bytes(8, "big"), True, now)

    def finish(self, now):
        if not self.finished:
            self.cut(now, True)
            self.finished = True
            self.append(b"", True, now)

    def drop_below(self, n):
        while self.first < min(n, self.next):
            self.bytes -= len(self.blocks.pop(self.first).payload)
            self.first += 1

    def units_at(self, n):
        return self.blocks[n].units_before if n in self.blocks else self.units

    def position(self, n):
        """Origin and offset of where block @n begins, or None."""
        if not self.origin:
            return None
        return self.origin, self.blocks[n].offset if n in self.blocks else self.offset

    def find(self, origin, offset):
        """The block that holds that byte, or the marks in front of it; None if the stream is another one."""
        if not self.origin or origin != self.origin:
            return None
        for n in range(self.first, self.next):
            block = self.blocks[n]
            if block.offset >= offset or not block.mark and block.offset + len(block.payload) > offset:
                return n
        return self.next
