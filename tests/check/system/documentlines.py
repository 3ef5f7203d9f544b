# SPDX-License-Identifier: LGPL-2.1-or-later
"""The gst-launch-1.0 lines of the documents, and which of them belong together: what one sends, another receives."""

import dataclasses
import functools
import glob
import ipaddress
import os
import re
import shlex
import urllib.parse

LAUNCH = re.compile(r"^(?:.* )?gst-launch-1\.0 ")
# the elements that have another end
FASP, SRT, RIST, UDP = "fasp", "srt", "rist", "udp"
ENDS = {"faspsrc": FASP, "faspsink": FASP, "srtsrc": SRT, "srtsink": SRT, "ristsrc": RIST, "ristsink": RIST,
        "udpsrc": UDP, "udpsink": UDP}


@dataclasses.dataclass(frozen=True)
class End:
    """What an element sends to or receives from."""

    protocol: str
    is_sender: bool
    calls: bool
    port: int
    # of the stream: its group and name; both ends have the same
    group: str
    name: str
    # for who stands in; a line of the document whose other line has another one is run, and fails
    passphrase: str
    # what comes out of the other end can be decoded; samples and zeroes cannot
    is_coded: bool

    @property
    def is_met(self):
        """It needs nobody who listens: it does so itself, or what is at a group is announced to all who ask."""
        return not self.calls or self.protocol == FASP and self.group != ""

    def fits(self, other):
        """They are the two ends of one stream."""
        return (self.is_sender, self.calls) == (not other.is_sender, not other.calls) and all(
            getattr(self, field) == getattr(other, field) for field in ("protocol", "port", "group", "name"))


@dataclasses.dataclass(frozen=True)
class Line:
    document: str
    number: int         # of the line in it, from 1
    section: int        # of the document: how many titles are above it
    block: int          # how many blocks of code are above it
    text: str           # as it is given to a shell

    def __str__(self):
        return f"{self.document}:{self.number}" if self.number else self.document

    @functools.cached_property
    def chains(self):
        """Elements that "!" joins: the name of each, and its properties."""
        chains, joined = [], False
        for word in shlex.split(self.text[LAUNCH.match(self.text).end():]):
            if word == "!":
                joined = True
            elif re.match(r"[\w-]+=", word) and chains:
                name, value = word.split("=", 1)
                chains[-1][-1][1][name] = value
            elif word in ("|", "&"):
                break
            elif not word.startswith("-"):
                if not joined:
                    chains.append([])
                chains[-1].append((word, {}))
                joined = False
        return chains

    @property
    def has_sound(self):
        return re.search("audio|opus", self.text) is not None

    @functools.cached_property
    def ends(self):
        return [get_end(name, properties, any("mux" in n or n in ENDS or n.endswith(("filesrc", "fdsrc")) for n, _ in chain[:i]))
                for chain in self.chains for i, (name, properties) in enumerate(chain) if name in ENDS]


def get_end(element, properties, is_coded):
    protocol, is_sender = ENDS[element], element.endswith("sink")
    if "uri" in properties:
        uri = urllib.parse.urlsplit(properties["uri"])
        properties = properties | dict(urllib.parse.parse_qsl(uri.query))
        host, port = uri.hostname or "", uri.port
    else:
        host = properties.get("host") or properties.get("address") or ""
        first = re.search(r":(\d+)", properties.get("bonding-addresses", ""))
        port = int(properties.get("port") or first[1])
    is_group = re.match(r"[\d.]+$", host) is not None and ipaddress.ip_address(host).is_multicast
    calls = is_sender if protocol in (RIST, UDP) else host != "" and properties.get("mode") != "listener"
    # who receives from a group is told where its sender is by the group, and calls that
    return End(protocol, is_sender, calls != (is_group and is_sender and protocol == FASP), port, host if is_group else "",
               properties.get("streamid", ""), properties.get("passphrase", ""), is_coded)


def find_lines(text):
    """Of each in a document what Line says."""
    section, block, in_block, joined = 0, 0, False, ""
    for number, line in enumerate(text.split("\n"), 1):
        line = re.sub(r"^ \* ?", "", line.strip() if not line.startswith(" *") else line)
        if re.match(r"```|\|\[|\]\|", line):
            block += in_block
            in_block = not in_block
        elif not in_block:
            section += line.startswith("#")
        elif joined or line:
            if not joined:
                first = number
            joined += line.removesuffix("\\")
            if not line.endswith("\\"):
                if LAUNCH.match(joined):
                    yield first, section, block, joined
                joined = ""


def find_all(root):
    lines = []
    for path in [*glob.glob(root + "/README.md"), *sorted(glob.glob(root + "/docs/**/*.md", recursive=True)),
                 *sorted(glob.glob(root + "/gst/**/gst*.c", recursive=True))]:
        with open(path) as f:
            lines += [Line(os.path.relpath(path, root), *found) for found in find_lines(f.read())]
    return lines


def stand_in(end):
    """The other end of what a section says one end of: it plays a test picture, or decodes what comes."""
    host = end.group or ("127.0.0.1" if not end.calls else "")
    named = f"?streamid={end.name}" if end.name else ""
    secret = f' passphrase="{end.passphrase}"' if end.passphrase else ""
    uri = f'uri="{end.protocol}://{host}:{end.port}{named}"{secret}'
    if end.is_sender:
        element = {FASP: f"faspsrc {uri}", SRT: f"srtsrc {uri}", RIST: f"ristsrc port={end.port} ! rtpmp2tdepay",
                   UDP: f"udpsrc port={end.port} buffer-size=2097152" + (f" address={host}" if end.group else "") +
                        " ! queue max-size-buffers=0"}[end.protocol]
        text = f"{element} ! fakesink"
    else:
        element = {FASP: f"faspsink {uri}", SRT: f"srtsink {uri}", RIST: f"rtpmp2tpay ! ristsink address={host} port={end.port}",
                   UDP: f"udpsink host={host} port={end.port}"}[end.protocol]
        text = ("videotestsrc is-live=true ! video/x-raw,format=I420 ! x264enc tune=zerolatency bitrate=4000 key-int-max=30 ! "
                f"mpegtsmux alignment=7 ! {element}")
    return Line("stand-in", 0, 0, 0, f"gst-launch-1.0 {text}")


def is_taken(line, chosen):
    """Its port is that of another one, which would be on another machine."""
    ports = {end.port for l in chosen for end in l.ends if not end.calls}
    return any(not end.calls and end.port in ports for end in line.ends)


def complete(line, lines):
    """This line, and what it needs for all of its ends to have another."""
    chosen, ends = [line], [(line, end) for end in line.ends]
    while ends:
        of, end = ends.pop(0)
        if any(end.fits(other) for l in chosen for other in l.ends):
            continue
        near = [l for l in lines if l.document == of.document and l.section == of.section and l not in chosen
                and any(end.fits(other) for other in l.ends) and not is_taken(l, chosen)
                and ("demux" not in of.text + l.text or of.has_sound == l.has_sound)]
        other = min(near, key=lambda l: (abs(l.block - of.block), abs(l.number - of.number)), default=None) if of in lines else None
        other = other or stand_in(end)
        assert any(end.fits(e) for e in other.ends), (str(of), end, other)
        chosen.append(other)
        ends += [(other, e) for e in other.ends]
    return chosen


def arrange(lines):
    """Lists of lines that are run together; each line is in one or several."""
    scenes = [complete(line, lines) for line in lines]
    return [scene for i, scene in enumerate(scenes)
            if not any(set(scene) < set(other) or set(scene) == set(other) and j < i for j, other in enumerate(scenes))]
