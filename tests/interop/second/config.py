# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an end is told: a role, keys, and what its hello has."""

from dataclasses import dataclass

from . import hello, noise

WINDOW = 8192           # units


@dataclass
class Config:
    role: int
    latency: int = 1000                 # ms, or hello.FIND_LATENCY
    streamid: str = ""
    ciphers: tuple = (hello.AES_128, hello.CHACHA, hello.AES_256)
    psk: bytes = None
    static: object = None               # our private key
    remote: bytes = None                # caller: the listener's public key
    allowed: frozenset = frozenset()    # listener: public keys of callers
    flows: int = 1
    window: int = WINDOW
    datagram_max: int = 8972
    arrivals: int = 16
    rate: int = 2500000                 # sender: bytes/s from the IP header up
    fragment: int = 0                   # sender: bytes of a fragment; 0: none
    header: bool = False                # sender: the stream has one
    wants: tuple = None                 # receiver: kind and ms
    phase_time: int = 60000000          # µs
    agree_after: int = 60               # keys

    def pattern(self):
        return noise.kind(self.static, self.psk)

    def hello(self, id):
        """The options that caller and listener have in common."""
        made = {"role": self.role, "latency": self.latency, "datagram max": self.datagram_max, "id": id, "flows": self.flows}
        if self.role == hello.RECEIVER:
            made.update(window=self.window, arrivals=self.arrivals)
        if self.role == hello.SENDER and self.header:
            made["header"] = True
        if self.streamid:
            made["streamid"] = self.streamid
        return made
