# SPDX-License-Identifier: LGPL-2.1-or-later
"""The preview of fasp-relay's streams, as a browser shows it and as a program reads it."""

import os
import socket
import urllib.parse

import benchlib

BUTTON = ".preview button"
GOES = "document.querySelector('.preview button').textContent === 'Stop'"
PLAYS = "document.querySelector('.preview video').currentTime > 0"
# What the page's video does
SEEN = ("(() => { const v = document.querySelector('.preview video'), q = v.getVideoPlaybackQuality(); return {time: v.currentTime,"
        " frames: q.totalVideoFrames, dropped: q.droppedVideoFrames, sound: v.webkitAudioDecodedByteCount, error: v.error && v.error.message,"
        " says: document.querySelector('.preview p').textContent}; })()")
# ms since the picture that is shown was made, by the time code of fasp-lan-send (gst/tools/timecode.h); null: it has none
BEHIND = """(() => {
  const v = document.querySelector('.preview video'), side = Math.min(16, Math.floor(v.videoWidth / 64));
  if (side < 4)
    return null;
  const canvas = Object.assign(document.createElement('canvas'), {width: 64 * side, height: side}), draw = canvas.getContext('2d');
  draw.drawImage(v, 0, 0, canvas.width, side, 0, 0, canvas.width, side);
  const now = Date.now(), {data} = draw.getImageData(0, side >> 1, canvas.width, 1);
  const luma = at => 0.2126 * data[at] + 0.7152 * data[at + 1] + 0.0722 * data[at + 2];
  const bits = Array.from({length: 64}, (_, i) => Number(luma(4 * (i * side + (side >> 1))) > 128));
  let crc = 0;
  for (let byte = 0; byte < 7; byte++)
    for (let bit = 0; bit < 8; bit++) {
      const top = (crc >> 7) ^ bits[8 * byte + bit];
      crc = (crc << 1) & 255 ^ (top ? 7 : 0);
    }
  const read = (from, n) => bits.slice(from, from + n).reduce((value, bit) => 2 * value + bit, 0);
  return crc === read(56, 8) ? ((now * 1000 - read(24, 32)) % 2 ** 32 + 2 ** 32) % 2 ** 32 / 1000 : null;
})()"""


def processor(pid):
    """s of the processor that a process has used."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Viewer:
    """A program that asks for the preview of a stream. .status, .headers: of the answer; .rest: bytes that came with them.
    @holds: bytes that its system holds before it has read them. @more: lines of the request's head."""

    def __init__(self, relay, stream, method="GET", holds=None, more=""):
        self.socket = socket.socket()
        if holds:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, holds)
        self.socket.connect(("127.0.0.1", relay.port))
        self.socket.settimeout(benchlib.LIMIT)
        self.socket.sendall(f"{method} /streams/{urllib.parse.quote(stream)}/preview.mp4 HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode())

    def look(self):
        """Waits for the answer's head."""
        text = b""
        while b"\r\n\r\n" not in text:
            piece = self.socket.recv(65536)
            assert piece, text
            text += piece
        head, self.rest = text.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        self.status = int(first.split()[1])
        self.headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        return self

    def read(self, n):
        """At least @n bytes more, as they come (with the framing of chunks); fewer: the answer has ended."""
        got = self.rest
        self.rest = b""
        while len(got) < n:
            piece = self.socket.recv(65536)
            if not piece:
                break
            got += piece
        return got

    def is_cut(self):
        """Reads to the end, if there is one within a test's limit."""
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionResetError:
            pass
        except TimeoutError:
            return False
        return True

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()
