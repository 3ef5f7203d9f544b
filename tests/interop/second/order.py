# SPDX-License-Identifier: LGPL-2.1-or-later
"""The receiver's stream: blocks in order, fragments, marks, headers and positions (docs/protocol.md, 4.1 and 6)."""

from .store import HEADER, KEY_FRAME, NOT_KNOWN, POSITION
from .wire import extend

MAX_BLOCK, MAX_HEADER, MAX_POSITIONS = 8952, 262144, 16
NO_OFFSET = 1 << 61         # an offset above this is not known


class Place:
    """Where in the stream the receiver is; it outlives sessions."""

    def __init__(self):
        self.origin, self.offset = None, None
        self.has_bytes = self.complete = False

    def has(self):
        known = self.has_bytes and self.origin is not None and self.offset is not None
        return (self.origin, self.offset) if known else None


class Order:
    """Blocks of one session. Events: ("bytes", b), ("header", b), ("key frame",), ("gap", bytes or None), ("end",)."""

    def __init__(self, place, start, window, peer):
        self.place, self.ack, self.window = place, start, window
        self.high = self.known = start          # above all that have come; above all that exist
        self.blocks, self.missing, self.fragments = {}, set(), {}
        self.positions, self.events, self.parts = {}, [], {}
        self.drop = 0                           # bytes to come that are here already
        self.awaits_header = "header" in peer and not place.has_bytes
        self.ended = self.jumped = False        # jumped: blocks were given up just before the next one
        self.skipped = 0
        if "position" in peer:
            self.set_position(*peer["position"])
        else:
            self.place.origin = self.place.offset = None

    def set_position(self, origin, offset):
        """The next byte of the stream is this one."""
        place, self.drop = self.place, 0
        offset = None if offset > NO_OFFSET else offset
        if place.has_bytes and place.origin == origin and None not in (place.offset, offset):
            self.drop = max(place.offset - offset, 0)
            if offset > place.offset:
                self.events.append(("gap", offset - place.offset))
                place.offset = offset
            return
        if place.has_bytes:
            self.events.append(("gap", None))
        place.origin, place.offset = origin, offset
        if offset == 0 and not place.has_bytes:
            self.awaits_header = False

    def take(self, data):
        """A DATA frame; returns whether it brought something new."""
        n = extend(data.block, 24, self.high)
        if n < self.ack or n in self.blocks or n >= self.ack + self.window:
            return False
        payload = data.payload
        if data.fragment:
            payload = self.join(n, data)
            if payload is None:
                return True
        if len(payload) > MAX_BLOCK:
            return False
        if n >= self.high:
            self.missing.update(range(self.high, n))
            self.high = n + 1
            self.known = max(self.known, self.high)
        self.missing.discard(n)
        self.fragments.pop(n, None)
        self.blocks[n] = data.mark, payload
        self.deliver()
        return True

    def join(self, n, data):
        index, count, size = data.fragment
        each = -(-size // count)
        if size > MAX_BLOCK or len(data.payload) != (each if index < count - 1 else size - each * (count - 1)):
            return None
        parts = self.fragments.setdefault(n, {})
        if parts and next(iter(parts))[1:] != (count, size):
            parts.clear()
        parts[index, count, size] = data.payload
        return b"".join(parts[i, count, size] for i in range(count)) if len(parts) == count else None

    def exists(self, n):
        """TAIL: the blocks below @n exist."""
        self.known = max(self.known, min(n, self.ack + self.window))

    def deliver(self):
        while self.ack in self.blocks:
            self.reach(self.ack)
            mark, payload = self.blocks.pop(self.ack)
            self.ack += 1
            (self.take_mark if mark else self.take_bytes)(payload)
        self.known = max(self.known, self.ack)

    def reach(self, n):
        """The next block is @n: whether POSITION has told where it begins."""
        if n in self.positions:
            position = self.positions.pop(n)
            if self.jumped or self.place.offset is None:
                self.set_position(*position)
        self.jumped = False

    def skip(self, n):
        """Blocks below @n never come."""
        if n <= self.ack:
            return
        for m in sorted(m for m in self.blocks if m < n) + [n]:
            self.give_up(min(m, n))
            self.deliver()
        self.positions = {m: p for m, p in self.positions.items() if m >= self.ack}

    def give_up(self, n):
        if n <= self.ack:
            return
        self.skipped += n - self.ack
        self.missing = {m for m in self.missing if m >= n}
        self.fragments = {m: p for m, p in self.fragments.items() if m >= n}
        self.jumped = True
        self.ack, self.high, self.known = n, max(self.high, n), max(self.known, n)
        if n in self.positions:
            return
        self.events.append(("gap", None))
        self.place.offset = None

    def note_position(self, n, origin, offset):
        if n < self.ack:
            return
        if n == self.ack and n not in self.positions and self.place.offset is not None:
            return              # our own count is trusted
        self.positions[n] = origin, offset
        if len(self.positions) > MAX_POSITIONS:
            del self.positions[max(self.positions)]
        if n == self.ack and self.place.offset is None:
            self.reach(n)

    def take_bytes(self, payload):
        place, drop = self.place, min(self.drop, len(payload))
        self.drop -= drop
        payload = payload[drop:]
        if self.awaits_header:
            if place.offset is not None:
                place.offset += len(payload)
        elif payload:
            self.events.append(("bytes", payload))
            place.has_bytes = True
            if place.offset is not None:
                place.offset += len(payload)

    def take_mark(self, payload):
        if not payload:
            self.ended = self.place.complete = True
            self.events.append(("end",))
        elif payload[0] == POSITION and len(payload) == 25:
            self.set_position(payload[1:17], int.from_bytes(payload[17:], "big"))
        elif payload[0] == KEY_FRAME and len(payload) == 1:
            self.events.append(("key frame",))
        elif payload[0] == HEADER and len(payload) >= 5:
            self.take_header(int.from_bytes(payload[1:3], "big"), int.from_bytes(payload[3:5], "big"), payload[5:])

    def take_header(self, index, count, part):
        if index == 0:
            self.parts = {}
        self.parts[index] = part
        if index == count - 1:
            data = b"".join(self.parts.values())
            whole = sorted(self.parts) == list(range(count)) and len(data) <= MAX_HEADER
            self.parts = {}
            if whole and self.awaits_header:
                self.awaits_header = False
                self.events.append(("header", data))

    def ranges(self, most):
        """Lists of (first, how many) of what is missing below what has come, of at most @most each."""
        found = []
        for n in sorted(self.missing):
            if found and sum(found[-1]) == n:
                found[-1] = found[-1][0], found[-1][1] + 1
            else:
                found.append((n, 1))
        return [found[i:i + most] for i in range(0, len(found), most)] or [[]]

    def lacks_something(self):
        return bool(self.missing) or self.known > self.high


assert NOT_KNOWN > NO_OFFSET
