# SPDX-License-Identifier: LGPL-2.1-or-later
"""The experiment's database as one HTML file with all its pictures in it."""

import base64
import collections
import html
import io
import json
import math
import os
import platform
import zlib

import numpy as np

import experimentlib as lib

COLOURS = {"fasp": "#00796b", "fasp-fec": "#65a30d", "fasp-fec-18": "#4d7c0f", "fasp-fec-auto": "#15803d", "srt": "#c2410c", "rist": "#7c3aed", "tcp-bbr": "#1d4ed8",
           "tcp-cubic": "#64748b", "tcp-reno": "#a16207", "udp": "#111827"}
BUFFERS = (100, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1500, 2000)

STYLE = """
:root { color-scheme: light dark; --ink: #1c1917; --paper: #fff; --line: #d6d3d1; --soft: #f5f5f4 }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e5e4; --paper: #1c1917; --line: #57534e;
  --soft: #292524 } figure img { filter: brightness(.92) } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 62rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.7rem; line-height: 1.2 } h2 { font-size: 1.25rem; margin-top: 2.2rem;
  border-bottom: 1px solid var(--line) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap }
th:first-child, td:first-child { text-align: left } tr.fasp td { background: var(--soft);
  font-weight: 600 }
figure { margin: 1rem 0; overflow-x: auto } figure img { width: 100%; min-width: 40rem; height: auto; background: #fff;
  border-radius: 4px } figcaption { font-size: .9rem }
code { font-size: .9em }
@media print { body { max-width: none; padding: 0; font-size: 11pt } figure, tr {
  break-inside: avoid } h2 { break-after: avoid } .scroll, figure { overflow: visible }
  figure img { min-width: 0 } table { font-size: 7pt } }
"""


# --- what the streams say -------------------------------------------------------------

def unpack(blob):
    return np.frombuffer(zlib.decompress(blob), np.int32) if blob else np.zeros(0, np.int32)


class Stream:
    def __init__(self, row):
        self.__dict__.update({k: row[k] for k in row.keys() if k not in ("delays", "blocks")})
        self.delays = unpack(row["delays"])
        # of blocks: number, us late as it arrived, round
        self.blocks = unpack(row["blocks"]).reshape(-1, 3)
        self.chunks = max(1, round(self.seconds))
        per_second = self.mbit * 1e6 / 8 / lib.RECORD
        self.chunk_of = np.minimum((np.arange(len(self.delays)) / per_second).astype(np.int32),
                                   self.chunks - 1)

    def late(self, buffer_ms):
        """Of each record: it never came, or later than that."""
        never = self.delays < 0
        return never if self.peer in lib.DROPS else never | (self.delays > buffer_ms * 1000)

    def skips(self, buffer_ms):
        return len(np.unique(self.chunk_of[self.late(buffer_ms)]))

    def chunk_lateness(self):
        """Of each second of stream, ms after its turn without loss that it was whole; inf: never."""
        late = np.zeros(len(self.delays)) if self.peer in lib.DROPS else self.delays / 1000
        worst = np.zeros(self.chunks)
        np.maximum.at(worst, self.chunk_of, np.where(self.delays < 0, np.inf, late))
        return worst

    def startup(self):
        """s until the first second of stream was there; None: never."""
        first = self.delays[self.chunk_of == 0]
        if len(first) == 0 or first.min() < 0:
            return None
        return float(np.max(np.arange(len(first)) * lib.RECORD * 8 / self.mbit / 1e6 + first / 1e6))


def groups(streams, *keys):
    found = collections.OrderedDict()
    for s in streams:
        found.setdefault(tuple(getattr(s, k) for k in keys), []).append(s)
    return found


def percentiles(values, points):
    """ms; None where that many never came."""
    values = np.sort(np.where(values < 0, np.inf, values))
    if len(values) == 0:
        return None
    found = [values[min(len(values) - 1, int(p * len(values)))] / 1000 for p in points]
    return [None if math.isinf(v) else float(v) for v in found]


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def chance(chi2, degrees):
    """Of at least this chi-square."""
    x, a = chi2 / 2, (.5 if degrees % 2 else 1)
    q = math.erfc(math.sqrt(x)) if degrees % 2 else math.exp(-x)
    while a < degrees / 2:
        q += math.exp(a * math.log(max(x, 1e-300)) - x - math.lgamma(a + 1))
        a += 1
    return q


def against_model(streams):
    """Blocks by rounds that they needed, beside the model's: the original comes
    with 1 - p; what is left is the retransmissions'. How many blocks were later than their
    round explains."""
    p, rtt = streams[0].loss / 100, streams[0].rtt
    late = np.concatenate([s.blocks[:, 1] for s in streams]) / 1000
    rounds = np.concatenate([s.blocks[:, 2] for s in streams])
    counts = [int(np.sum(np.minimum(rounds, 2) == r)) for r in range(3)]
    # a round takes a round trip, what feedback and detection add, and the spread
    unexplained = int(np.sum(late > rounds * (rtt + 60) + 105))
    n = sum(counts)
    if n == 0:
        return None
    observed = [counts[0], counts[1] + counts[2]]
    expected = [n * (1 - p), n * p]
    chi2 = sum((o - e) ** 2 / e for o, e in zip(observed, expected)) if p > 0 else 0
    return {"blocks": n, "rounds": counts, "expected_lost": expected[1], "chi_square": chi2,
            "p_value": chance(chi2, 1), "unexplained": unexplained,
            "latest_ms": float(late.max())}


def figures(streams):
    """Everything the tables and the tests want, as plain numbers."""
    out = []
    for (peer, mbit, channel, rtt, loss, burst, buffer, write), group in groups(
            streams, "peer", "mbit", "channel", "rtt", "loss", "burst", "buffer", "write").items():
        buffers = [buffer] if buffer else list(BUFFERS)
        out.append({
            "peer": peer, "mbit": mbit, "channel": channel, "rtt": rtt, "loss": loss,
            "burst": burst, "buffer": buffer, "write": write, "tests": len(group),
            "seconds": sum(s.seconds for s in group),
            "exact": sum(bool(s.exact) for s in group),
            "missing": sum(max(0, s.missing or 0) for s in group),
            "skips": {str(b): sum(s.skips(b) for s in group) for b in buffers},
            "wire": mean(s.wire for s in group),
            "wire_worst": max((s.wire for s in group if s.wire), default=None),
            "feedback": mean(s.feedback for s in group),
            "cpu": mean(None if s.cpu_sender is None or s.cpu_receiver is None else
                        (s.cpu_sender + s.cpu_receiver) / s.seconds for s in group),
            "startup": mean(s.startup() for s in group),
            # what the next element sees; what SRT and RIST hold back for says nothing
            "in_order_ms": None if peer in lib.DROPS else percentiles(
                np.concatenate([s.delays for s in group]), (.5, .99, .999)),
            "arrival_ms": percentiles(np.concatenate([s.blocks[:, 1] for s in group]), (.5, .999)),
        })
    return out


# --- pictures ---------------------------------------------------------------------------

def figure(width, height, rows=1):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    fig, axes = plt.subplots(rows, 1, figsize=(width, height * rows), squeeze=False)
    return fig, [row[0] for row in axes]


def image(fig, caption):
    import matplotlib.pyplot as plt
    out = io.BytesIO()
    fig.tight_layout()
    fig.savefig(out, format="png", dpi=110)
    plt.close(fig)
    data = base64.b64encode(out.getvalue()).decode()
    return (f'<figure><img src="data:image/png;base64,{data}" alt="{html.escape(caption)}">'
            f"<figcaption>{html.escape(caption)}</figcaption></figure>")


def path_name(rtt, loss, burst):
    bursts = f" in bursts of {burst:g}" if burst > 1 else ""
    return f"{rtt:g} ms, {loss:g} %{bursts}"


def network(key):
    mbit, channel, rtt, loss, burst, write = key
    writes = f", writes of {write}" if write != lib.RECORD else ""
    return f"{mbit:g} of {channel:g} Mbit/s, {path_name(rtt, loss, burst)}{writes}"


NETWORK = ("mbit", "channel", "rtt", "loss", "burst", "write")


def draw_skip_curves(streams):
    nets = groups(streams, *NETWORK)
    fig, axes = figure(9, 3.4, len(nets))
    for axis, (key, group) in zip(axes, nets.items()):
        for (peer,), rows in groups(group, "peer").items():
            points = {}
            for s in rows:
                for b in [s.buffer] if s.buffer else BUFFERS:
                    late, all_ = points.get(b, (0, 0))
                    points[b] = (late + s.skips(b), all_ + s.chunks)
            xs = sorted(points)
            # none of n is drawn at a third of one of n
            ys = [max(points[b][0], 1 / 3) / points[b][1] for b in xs]
            axis.plot(xs, ys, "o-", ms=4, color=COLOURS[peer], label=peer)
            for b, y in zip(xs, ys):
                if points[b][0] == 0:
                    axis.plot([b], [y], "o", ms=8, mfc="white", color=COLOURS[peer])
        axis.set_yscale("log")
        axis.set_xscale("log")
        axis.set_xticks(BUFFERS, [str(b) for b in BUFFERS])
        axis.minorticks_off()
        axis.set_title(network(key))
        axis.set_ylabel("share of seconds skipped")
        axis.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=8)
        axis.grid(alpha=.3)
    axes[-1].set_xlabel("buffer, ms")
    return fig


def skip_curves(streams):
    return image(draw_skip_curves(streams), "Skips against buffer: the seconds of stream that were not whole in time. "
                                            "Hollow: none in all tests, drawn at a third of one.")


def lateness_scatter(streams):
    nets = groups([s for s in streams if s.peer == "fasp" and len(s.blocks)], *NETWORK, "buffer")
    if not nets:
        return ""
    fig, axes = figure(9, 2.8, len(nets))
    for axis, (key, group) in zip(axes, nets.items()):
        s = group[0]
        # blocks are not records, but as even
        at = s.blocks[:, 0] / (s.blocks[:, 0].max() + 1) * s.seconds
        late = s.blocks[:, 1] / 1000
        rounds = np.minimum(s.blocks[:, 2], 3)
        for r in range(4):
            if np.any(rounds == r):
                axis.plot(at[rounds == r], late[rounds == r], ".", ms=2,
                          label=["original", "1st round", "2nd", "3rd and on"][r])
        top = late.max()
        for k in range(1, int(top / s.rtt) + 2):
            axis.axhline(k * s.rtt, color="#999", lw=.8, ls="--")
        axis.axhline(key[-1], color="#b91c1c", lw=1)
        axis.set_title(f"{network(key[:-1])}, buffer {key[-1]} ms")
        axis.set_ylabel("late, ms")
        axis.legend(loc="upper right", fontsize=8, markerscale=4, ncols=4)
    axes[-1].set_xlabel("stream time, s")
    return image(fig, "Lateness of every block of a fasp stream as it arrived. Dashed: multiples of "
                      "the round trip; red: the buffer.")


def heatmaps(streams):
    """The paper's: rows are tests, columns seconds, green in time, white late."""
    import matplotlib.colors
    out = []
    shown = groups([s for s in streams if s.peer in lib.WITH_BUFFER], "peer", "mbit", "buffer",
                   "rtt", "loss", "burst")
    if not shown:
        return ""
    colours = matplotlib.colors.LinearSegmentedColormap.from_list("", ["#15803d", "#bbf7d0", "#fff"])
    fig, axes = figure(9, .9 + .12 * max(len(g) for g in shown.values()), len(shown))
    for axis, (key, group) in zip(axes, shown.items()):
        peer, mbit, buffer = key[:3]
        rows = [[min(v, 2 * buffer) / buffer for v in s.chunk_lateness()] for s in group]
        width = max(len(r) for r in rows)
        axis.imshow([r + [0] * (width - len(r)) for r in rows], cmap=colours, vmin=0, vmax=1,
                    aspect="auto", interpolation="nearest")
        for y, row in enumerate(rows):
            for x, v in enumerate(row):
                if v > 1:
                    axis.plot([x], [y], "x", color="#b91c1c", ms=3)
        axis.set_title(f"{peer}, {mbit:g} Mbit/s, {key[3]:g} ms, {key[4]:g} %, buffer {buffer} ms",
                       fontsize=9)
        axis.set_yticks([])
        axis.tick_params(labelsize=7)
    axes[-1].set_xlabel("second of the stream")
    out.append(image(fig, "Skip heatmaps: a row for each test, a column for each second; green: whole at "
                          "its turn, white: a whole buffer later; red: skipped. What SRT and RIST "
                          "deliver is in time; what they drop is not there."))
    return "".join(out)


def startup_scatter(streams):
    nets = groups([s for s in streams if s.peer.startswith("tcp")], *NETWORK)
    if not nets:
        return ""
    fig, axes = figure(9, 2.6, len(nets))
    for axis, (key, group) in zip(axes, nets.items()):
        for (peer,), rows in groups(group, "peer").items():
            points = [(s.test, s.startup()) for s in rows if s.startup() is not None]
            axis.plot([p[0] for p in points], [p[1] for p in points], "o", ms=4,
                      color=COLOURS[peer], label=peer)
        axis.axhline(1, color="#999", lw=.8, ls="--")
        axis.set_title(network(key))
        axis.set_ylabel("s")
        axis.set_ylim(bottom=0)
        axis.legend(fontsize=8, ncols=3)
    axes[-1].set_xlabel("test")
    return image(fig, "TCP's start-up delay: seconds until the first second of stream was there "
                      "(dashed: without any delay).")


def bars(rows, value, title, scale, base=0):
    shown = [r for r in rows if r[value] is not None]
    if not shown:
        return ""
    fig, (axis,) = figure(9, .6 + .24 * len(shown))
    labels = [f"{r['peer']}{' ' + str(r['buffer']) + ' ms' if r['buffer'] else ''}, "
              f"{r['mbit']:g} Mbit/s, {r['rtt']:g} ms, {r['loss']:g} %" for r in shown]
    axis.barh(range(len(shown)), [(r[value] - base) * scale for r in shown],
              color=[COLOURS[r["peer"]] for r in shown])
    axis.set_yticks(range(len(shown)), labels, fontsize=7)
    axis.invert_yaxis()
    return image(fig, title)


# --- the page ---------------------------------------------------------------------------------

def cell(value, form="{}"):
    return "–" if value is None else form.format(value)


def summary_table(rows):
    out = ["<div class=scroll><table><tr><th>protocol<th>Mbit/s<th>channel<th>RTT, ms<th>loss, %"
           "<th>burst<th>buffer, ms<th>tests<th>whole<th>skips<th>of s<th>on the wire<th>worst"
           "<th>feedback<th>CPU, s/s<th>in order: p50, p99, p99.9, ms</tr>"]
    for r in rows:
        # those without a latency of their own: as for a second
        skips = r["skips"].get(str(r["buffer"]) if r["buffer"] else "1000")
        buffer = r["buffer"] or "1000"
        out.append(
            f"<tr class={r['peer'].split('-')[0]}><td>{r['peer']}<td>{r['mbit']:g}<td>{r['channel']:g}"
            f"<td>{r['rtt']:g}<td>{r['loss']:g}<td>{cell(r['burst'] or None, '{:g}')}<td>{buffer}"
            f"<td>{r['tests']}<td>{r['exact']}<td>{cell(skips)}<td>{r['seconds']}"
            f"<td>{cell(r['wire'], '{:.4f}')}<td>{cell(r['wire_worst'], '{:.4f}')}"
            f"<td>{cell(r['feedback'], '{:.4f}')}<td>{cell(r['cpu'], '{:.3f}')}"
            f"<td>{', '.join(cell(v, '{:.1f}') for v in r['in_order_ms'] or [None])}</tr>")
    return "".join(out) + "</table></div>"


def model_table(models):
    if not models:
        return ""
    out = ["<div class=scroll><table><tr><th>network<th>blocks<th>original<th>first retransmission<th>later"
           "<th>lost, expected<th>chi-square<th>chance of it<th>latest, ms<th>unexplained</tr>"]
    for name, m in models.items():
        out.append(f"<tr><td>{html.escape(name)}<td>{m['blocks']}<td>{m['rounds'][0]}<td>{m['rounds'][1]}"
                   f"<td>{m['rounds'][2]}<td>{m['expected_lost']:.0f}<td>{m['chi_square']:.2f}"
                   f"<td>{m['p_value']:.3f}<td>{m['latest_ms']:.1f}<td>{m['unexplained']}</tr>")
    return "".join(out) + "</table></div>"


def load(database):
    return [Stream(row) for row in database.execute(
        "SELECT * FROM stream ORDER BY mbit, rtt, loss, burst, peer, buffer, test")]


def write_picture(database, path):
    """The curves that decide, by themselves."""
    draw_skip_curves(load(database)).savefig(path, dpi=110, bbox_inches="tight")


def write(database, path):
    streams = load(database)
    rows = figures(streams)
    models = {}
    for key, group in groups([s for s in streams if s.peer == "fasp" and len(s.blocks)],
                             *NETWORK, "buffer").items():
        found = against_model(group)
        if found:
            models[f"{network(key[:-1])}, buffer {key[-1]} ms"] = found
    total = sum(s.seconds for s in streams)
    page = f"""<!DOCTYPE html>
<html lang=en><head><meta charset=utf-8><meta name=viewport content="width=device-width">
<title>fasp beside its peers</title><style>{STYLE}</style></head><body>
<h1>Live streams over a bad network: fasp beside its peers</h1>
<p>{len(streams)} streams, {total / 3600:.1f} hours, each of constant rate, over the same emulated link
with the same checker behind every receiver. A <em>skip</em> is a second of stream of which something
was missing or came later than the buffer after its turn; for protocols without a latency of their
own the table tells it for 1000 ms. <em>On the wire</em>: bytes from the IP header up, sender to receiver,
over the payload. CPU: both ends together, where they are programs of their own.</p>
{summary_table(rows)}
<h2>What decides</h2>{skip_curves(streams) if streams else ""}
<h2>Lateness in bands</h2>{lateness_scatter(streams)}
<p>A block is lost with the link's chance, the first round of retransmissions takes one round trip; no block may be
later than its rounds explain (each a round trip and 60 ms for seeing and telling a loss, and 105 ms for copies
that are spread).</p>{model_table(models)}
<h2>Skips</h2>{heatmaps(streams)}
<h2>TCP's start</h2>{startup_scatter(streams)}
<h2>What it costs</h2>{bars(rows, "wire", "Bytes on the wire beyond the payload, percent.", 100, 1)}
{bars(rows, "cpu", "CPU, percent of one core, both ends.", 100)}
<h2>How it was made</h2><p><code>tests/bench/experiment</code>; Linux {html.escape(platform.release())},
{os.cpu_count()} cores. Every stream's raw delays are in the database.</p>
<script type="application/json" id=figures>{json.dumps({"rows": rows, "models": models})}</script>
</body></html>
"""
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w") as f:
        f.write(page)
    os.replace(temporary, path)
