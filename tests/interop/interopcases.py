# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases of interoperation, most of them under the name that the QUIC interop runner has for the like."""

import contextlib
import os
import shlex
from typing import Callable, NamedTuple

import interoplib
from interoplib import ELEMENTS, WITH_SECOND, Pair, Transfer, benchlib

SIZE = 1000000      # bytes
SMALL = 10000
LIKE_QUIC = "--rtt 30"      # as the runner's paths
PASSPHRASE = "correct horse battery staple"
OURS, THEIRS = f"--passphrase '{PASSPHRASE}'", f'passphrase="{PASSPHRASE}"'
STREAMS = 8         # at one port
CHANGES = 3         # of keys
BOTH = ("caller", "listener")
SEND_TO, SEND_AT, RECEIVE_FROM, RECEIVE_AT = (Pair("send", "receive"), Pair("send", "send"), Pair("receive", "send"),
                                              Pair("receive", "receive"))      # the second implementation calls, listens


class Case(NamedTuple):
    """@run (directory, pair) raises an error where the case fails. @short: pairs that run with the other tests. @cannot: why
    a pair has not the case, or None."""
    name: str
    run: Callable
    short: tuple = ()
    cannot: Callable = lambda pair: None


def transfer(expect=lambda t, stats: True, size=SIZE, times=1, **how):
    """@expect (transfer, stats): what has happened beside the transfer."""
    def run(directory, pair):
        for seed in range(1, times + 1):
            folder = os.path.join(directory, str(seed))
            os.mkdir(folder)
            t = Transfer(folder, pair, seed=seed, **how)
            stats = t.carry(size)
            assert expect(t, stats), t.said()
    return run


def one_session(t, stats):
    """The caller was accepted once."""
    return stats.get("opened", 1) == 1 and (t.middle is None or len(t.middle.accepted) == 1)


def moved(t, stats):
    """The caller came from other addresses, and has not called anew."""
    return t.middle.moved > 0 and one_session(t, stats) and len(t.middle.calls) == 1 and (t.pair.second != t.pair.listens or stats["moves"])


def outlasted(t, stats):
    """The session, which was open by then, has lost what both ends sent for a while."""
    return one_session(t, stats) and t.middle.darkened > 0


def keys_changed(t, stats):
    """Both ends have changed their keys: an element once, after a minute, the second implementation as often as it could."""
    return (all(len(bits) == 2 for bits in t.middle.phases.values()) and stats.get("peer_phase", 1) >= 1
            and stats.get("own_phase", CHANGES) >= CHANGES)


def encrypted(kind):
    number = ("none", "aes-128-gcm", "aes-256-gcm", "chacha20-poly1305").index(kind)
    # the elements refuse a passphrase where nothing is encrypted
    ours, theirs = (OURS, THEIRS) if number else ("", "")
    return transfer(lambda t, stats: stats.get("cipher", number) == number, ours=f"{ours} --encryption {kind}",
                    theirs=f"{theirs} encryption={kind}")


def multiplexing(directory, pair):
    """Several streams at one port, each to its caller."""
    transfers = []
    for i in range(STREAMS):
        os.mkdir(folder := os.path.join(directory, str(i)))
        transfers.append(Transfer(folder, pair, f"--streamid s{i}", f"streamid=s{i}", rate=4, seed=i))
    with contextlib.ExitStack() as stack:
        for t in transfers:
            t.port = t.called = transfers[0].port
            interoplib.make_file(t.source, SIZE // STREAMS, t.seed)
        listener = stack.enter_context(benchlib.Launch(directory, "listener", " ".join(t.line(pair.listens) for t in transfers)))
        for t in transfers:
            t.start(stack, pair.calls())
        for t in transfers:
            t.wait()
        listener.finish()
    for t in transfers:
        t.compare()


def versionnegotiation(directory, pair):
    """The listener says which versions it speaks; the caller believes it, says so, and stops."""
    t = Transfer(directory, pair, middle={"translates": True})
    interoplib.make_file(t.source, SMALL)
    with t.running():
        assert t.ends[pair.calls()].wait(benchlib.LIMIT) != 0, t.said()
        assert t.ends[pair.listens].poll() is None, t.said()
    assert t.middle.seen["VERSIONS"] and not t.middle.accepted, t.middle.seen
    assert "version" in interoplib.read(t.log(pair.calls())), t.said()


def ecn(directory, pair):
    """A queue marks what it would drop; the receiver reports that, and the sender slows down."""
    t = Transfer(directory, pair)
    interoplib.make_file(t.source, 4 * SIZE)
    t.called, t.port = "", 5004
    lines = {role: f"gst-launch-1.0 -m {t.line(role)} >{shlex.quote(t.log(role))} 2>&1" for role in interoplib.ROLES}
    lines[pair.calls()] = lines[pair.calls()].replace("127.0.0.1:", "$LINKEM_ADDR_B:5004")
    lines["send"] = lines["send"].replace(f"max-bitrate={int(t.rate * 1e6)}", "")
    script = f"$LINKEM_B {lines[pair.listens]} & $LINKEM_A {lines[pair.calls()]} & wait"
    status = benchlib.run_on_link(["--rtt", 20, "--rate", "8M", "--codel", 1], script, benchlib.LIMIT)
    assert status == 0, status
    t.compare()
    assert benchlib.last_stats(t.log("send"))["packets-marked"] > 0, interoplib.read(t.log("send"))[-1500:]


def keys_of_both(directory, pair):
    """Both have a key and a passphrase."""
    made = interoplib.make_keys(directory)
    ours = f"{OURS} --key-file {made['ours'][0]} --public-key {made['theirs'][1]}"
    theirs = f"{THEIRS} key-file={made['theirs'][0]} public-key={made['ours'][1]}"
    assert Transfer(directory, pair, ours, theirs).carry(SIZE)["opened"] == 1


def has_no(what):
    return lambda pair: f"the second implementation has no {what}" if pair.second else None


CASES = [
    Case("handshake", transfer(lambda t, s: one_session(t, s) and not t.middle.seen["RETRY"], SMALL, middle={})),
    Case("transfer", transfer(lambda t, s: one_session(t, s) and not s.get("datagrams", {}).get("forged"), ours=OURS, theirs=THEIRS),
         tuple(WITH_SECOND)),
    Case("multiplexing", multiplexing, cannot=lambda pair: "the second implementation has one stream at a port"
         if pair.second == pair.listens else None),
    Case("longrtt", transfer(one_session, SMALL, link="--rtt 1500", middle={})),
    Case("chacha20", encrypted("chacha20-poly1305"), (RECEIVE_FROM,)),
    Case("retry", transfer(lambda t, s: one_session(t, s) and t.middle.seen["RETRY"], SMALL, middle={}, crowd=True),
         (SEND_TO, SEND_AT)),
    Case("versionnegotiation", versionnegotiation, (SEND_TO, RECEIVE_AT)),
    Case("amplificationlimit", transfer(lambda t, s: t.middle.unproved["listener"] <= t.middle.unproved["caller"], SMALL,
                                        middle={"drops": range(2, 8)})),
    Case("handshakeloss", transfer(one_session, SMALL, times=5, link=f"{LIKE_QUIC} --loss 30 --loss-burst 3")),
    Case("transferloss", transfer(lambda t, s: t.count_retransmitted(), link=f"{LIKE_QUIC} --loss 2 --loss-burst 3"),
         (SEND_TO, RECEIVE_FROM)),
    Case("handshakecorruption", transfer(size=SMALL, times=5, link=f"{LIKE_QUIC} --corrupt 30")),
    Case("transfercorruption", transfer(lambda t, s: t.count_retransmitted(), link="--rtt 20 --reorder 5 --duplicate 5 --corrupt 2"),
         (SEND_AT, RECEIVE_FROM)),
    Case("blackhole", transfer(outlasted, rate=4, link="--rtt 20", middle={"dark": (200, 2, BOTH)}), (SEND_TO, RECEIVE_AT)),
    Case("rebind-port", transfer(moved, rate=4, middle={"moves": 300}), (SEND_AT, RECEIVE_AT)),
    Case("rebind-addr", transfer(moved, rate=4, middle={"moves": 300, "addresses": True}), (SEND_TO,)),
    Case("connectionmigration", transfer(one_session, ours="--rebind 1 --rebind 1.6", rate=4), (SEND_TO, RECEIVE_FROM),
         lambda pair: None if pair.second == pair.calls() else "an element changes its port only after a silence"),
    # the caller hears nothing for four of eight seconds, and calls with option resume
    Case("resumption", transfer(lambda t, s: one_session(t, s) and len(t.middle.calls) > 1, rate=1,
                                middle={"dark": (50, 4, ("listener",))})),
    Case("keyupdate", transfer(keys_changed, 3200000, rate=.4, within=120, middle={}, ours="--phase .3")),     # 64 s
    Case("ecn", ecn, cannot=has_no("ECN")),
]
# cases that the QUIC interop runner does not have
MORE = [
    Case("none", encrypted("none"), (SEND_TO, RECEIVE_AT)), Case("aes-256-gcm", encrypted("aes-256-gcm"), (SEND_TO,)),
    Case("four flows", transfer(lambda t, s: s["flows"] == s["proved"] == 4, flows=4, rate=1, link="--rtt 20 --loss 2"),
         (SEND_TO, RECEIVE_AT)),
    Case("keys of the second implementation", transfer(lambda t, s: s["own_phase"] >= CHANGES, ours="--phase .3", rate=4),
         (SEND_TO, RECEIVE_AT)),
    Case("a new agreement", transfer(lambda t, s: s["agreed"][0] == 1, ours="--phase .3 --agree-after 2", rate=4), (SEND_TO,)),
    Case("keys of both", keys_of_both, (SEND_TO, RECEIVE_AT)),
]
PAIRS = ELEMENTS + WITH_SECOND
