/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers and events in words for people. */

/* What a page does not know that was loaded from the relay before that was replaced. */
const NEWER = "This page is older than its relay: load it again";

const known = value => value !== null && value !== undefined;

function fixed(value, digits = 3) {
  if (value === 0)
    return "0";
  const whole = Math.floor(Math.log10(Math.abs(value))) + 1;
  return value.toFixed(Math.max(0, Math.min(digits - whole, 2)));
}

function scaled(value, step, units) {
  let i = 0;
  while (Math.abs(value) >= step && i < units.length - 1) {
    value /= step;
    i++;
  }
  return `${i === 0 ? Math.round(value) : fixed(value)} ${units[i]}`;
}

const say = {
  rate: v => known(v) ? scaled(v, 1000, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]) : null,
  bytes: v => known(v) ? scaled(v, 1000, ["bytes", "kB", "MB", "GB", "TB"]) : null,
  memory: v => known(v) ? scaled(v, 1024, ["bytes", "KiB", "MiB", "GiB"]) : null,
  ms: v => !known(v) ? null : v >= 10000 ? `${fixed(v / 1000)} s` : `${fixed(v)} ms`,
  share: v => !known(v) ? null : v === 0 ? "0 %" : v < 0.0001 ? "< 0.01 %" : `${fixed(100 * v)} %`,
  count: v => known(v) ? String(Math.round(v)) : null,
  /* @v: seconds. */
  time(v) {
    if (!known(v))
      return null;
    for (const [unit, seconds] of [["years", 31557600], ["d", 86400], ["h", 3600], ["min", 60]])
      if (v >= 2 * seconds)
        return `${Math.floor(v / seconds)} ${unit}`;
    return `${v < 10 ? fixed(v, 2) : Math.round(v)} s`;
  },
};

/* "1 receiver", "2 receivers" */
const several = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

/* Functions that write a figure, by its unit. */
const UNITS = {"bit/s": say.rate, "Mbit/s": v => known(v) ? say.rate(1e6 * v) : null, bytes: say.bytes, ms: say.ms, share: say.share,
               s: say.time, ns: v => known(v) ? say.time(v / 1e9) : null, "": v => typeof v === "number" ? say.count(v) : v};

/* Writes a row of FIGURES. @of: the values, by name. */
function sayFigure({name, unit}, of) {
  const words = UNITS[unit](of[name]);
  if (!/^(promised|observed)-/.test(name))
    return words;
  /* the relay knows no interval if there was no skip */
  return words ? `1 skip in ${words}` : name.startsWith("observed") && of.skips === 0 ? "no skip" : null;
}

/* What a player has noticed, in the last ten seconds: "" if nothing is known. */
function sayFaults({errors, unrepaired, "recent-skips": skips}) {
  return [errors > 0 && several(errors, "continuity error"), unrepaired > 0 && several(unrepaired, "lost datagram"),
          skips > 0 && several(skips, "skip")].filter(Boolean).join(", ");
}

/* The errors by TR 101 290 that stop decoders now, but for missing packets, which are damage. */
function saySignal(stream) {
  const there = [stream.input, ...stream.outputs].flatMap(end => end.errors).filter(e => e.state === "bad").map(e => e.error);
  return FIGURES.errors.filter(({name, priority}) => priority === 1 && name !== "continuity" && there.includes(name)).map(row => row.label).join(", ");
}

/* The row of an alarm. One that only a newer relay knows is told by its name. */
const findAlarm = name => ALARMS[name] ?? {label: name, meaning: NEWER, needs: NEWER, rules: "not known"};

function sayAlarm(stream, {name, since}) {
  if (name === "damaged")
    return `Damaged: ${sayFaults(stream)} in 10 s`;
  const what = name === "signal" ? saySignal(stream) : name === "output" ? `Output ${stream.outputs.filter(o => o.down).map(o => o.id).join(", ")} down` : findAlarm(name).label;
  return `${what} for ${say.time(Math.max(0, now - since))}`;
}

/* What a stream does that brings nothing. */
function sayAbsent(stream) {
  if (stream.state === "running" && !stream.input.open)
    return "Its input is not open";
  if (stream.state === "running")
    return stream.optional ? "Off" : "Waits for its sender";
  if (stream.state === "waiting")
    return `Starts again (for ${say.time(stream["state-seconds"])})`;
  return stream.state === "starting" ? "Starts" : "Stops";
}

/* How a stream is shown, and what it does: its page says beside that what is wrong. */
const sayDoing = stream => [sayState(stream)[0], stream.receiving ? "On air" : sayAbsent(stream)];

/* How a stream is shown on the wall: "bad", "warn", "good" or "off", and words. */
function sayState(stream) {
  const wrong = stream.alarms.map(alarm => sayAlarm(stream, alarm));
  if (!stream.receiving)
    wrong.push(sayAbsent(stream));
  if (wrong.length)
    return [stream.alarms.length ? "bad" : stream.optional ? "off" : "warn", wrong.join(" · ")];
  return ["good", "On air"];
}

function sayNotReady(streams) {
  const names = streams.filter(s => !s.receiving && !s.optional).map(s => s.name);
  const more = names.length > 2 ? ` and ${names.length - 2} more` : "";
  return names.length ? `Not ready: waits for ${names.slice(0, 2).join(", ")}${more}` : streams.length ? "Not ready" : "No stream yet";
}

/* The caption below a picture of @time, or below its empty place. @error: why the last try made no picture. */
function sayPicture(time, receiving, error) {
  const old = time && (!receiving || error || now - time >= OLD) ? `Seen ${sayAgo(time, now)}.` : "";
  const none = receiving && !time && !error ? "There is no picture yet: it comes with a key frame." : "";
  return [old, none, error].filter(Boolean).join(" ");
}

/* Names an end as the page does: in the relay's log, `output-2' is output 2, and `output' the only output. */
function sayEnd(end) {
  const found = /^(input|output)-?(\d*)$/.exec(end ?? "");
  if (!found)
    return end ?? "";
  return found[1] === "input" ? "the input" : `output ${found[2] || 1}`;
}

function sayPeer(peer) {
  return peer.name ? `${peer.name} (${peer.address})` : peer.address ?? "A peer without an address";
}

function saySender(one) {
  const how = [one["stands-by"] && "stands by", one.interrupted && "not heard"].filter(Boolean).join(", ");
  return sayPeer(one) + (how && ` (${how})`);
}

/* How a receiver does, in a line. */
function sayReceiver(one) {
  return one.interrupted ? "is not heard" : [known(one["behind-ms"]) && `${say.ms(one["behind-ms"])} behind`,
                                             known(one["rtt-ms"]) && `round trip ${say.ms(one["rtt-ms"])}`].filter(Boolean).join(" · ");
}

/* @level: the relay says -120 of silence. */
const sayLevel = level => level <= -120 ? "silent" : `${Math.round(level)} dBFS`.replace("-", "−");

/* The reason without the peer's address at its beginning, which the sentence has already. */
function sayReason(peer) {
  const reason = peer.reason ?? "the reason is not known";
  return peer.address && reason.startsWith(peer.address) ? reason.slice(peer.address.length).trim() : reason;
}

function sayEvent(event) {
  const {kind, peer} = event;
  if (!peer)
    return [sayEnd(event.end), event.text].filter(Boolean).join(": ");
  const asked = peer.streamid && peer.streamid !== event.stream ? `, which asked for “${peer.streamid}”` : "";
  if (kind === "came")
    return `${sayPeer(peer)} came to ${sayEnd(event.end)}${asked}.`;
  if (kind === "refused")
    return `${sayPeer(peer)} was not let in at ${sayEnd(event.end)}${asked}: ${sayReason(peer)}.`;
  const after = peer.seconds === null ? "" : ` after ${say.time(peer.seconds)} and ${say.bytes(peer.bytes)}`;
  return `${sayPeer(peer)} has gone from ${sayEnd(event.end)}${after}: ${sayReason(peer)}.`;
}

function sayAgo(time, now) {
  const ago = Math.max(0, now - time);
  return ago < 5 ? "just now" : `${say.time(ago)} ago`;
}

const clock = new Intl.DateTimeFormat([], {hour: "2-digit", minute: "2-digit", second: "2-digit"});
const hour = new Intl.DateTimeFormat([], {hour: "2-digit", minute: "2-digit"});
const dayHour = new Intl.DateTimeFormat([], {weekday: "short", hour: "2-digit", minute: "2-digit"});
const day = new Intl.DateTimeFormat([], {dateStyle: "medium", timeStyle: "medium"});
