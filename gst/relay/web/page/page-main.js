/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The page as a whole: it listens to the relay while its tab is visible. */

const FEW = 4;                  // streams that are open at first
const RETRY = 3000;             // ms until the page tries to listen again
const SHOWN = 60;               // events
const SET = 5;                  // s: a larger step of the relay's clock means that it was set, not that a frame is late
const LOST = "The connection to the relay is lost. This page tries again; the figures are old.";

const streams = new Parts(find("streams"), s => s.name, s => new Stream(s));
const [MEMORY] = FIGURES.relay;
const totals = new Terms(find("totals"));
let feed = null, happened = -1, asking = false, first = true, now = 0, shownAt = 0, added = null;

function notice(text) {
  setText(find("notice"), text ?? "");
  setShown(find("notice"), Boolean(text));
}

/* --- events --- */

class Happened {
  constructor(event) {
    this.event = event;
    this.time = make("time", {datetime: new Date(1000 * event.time).toISOString(), title: day.format(1000 * event.time)});
    this.node = make("li", {class: event.kind}, this.time, make("p", {},
      ...event.stream ? [make("b", {text: event.stream}), " "] : [], sayEvent(event)));
  }

  update() {
    setText(this.time, sayAgo(this.event.time, now));
  }
}

/* The time is a part of the key, as a relay that starts anew numbers its events from 1 again. */
const list = new Parts(find("happened"), e => `${e.id} ${e.time}`, e => new Happened(e));
let events = [];

async function look() {
  if (asking)
    return;
  asking = true;
  try {
    events = await get(path("happened.json"));
    happened = events.length ? events[0].id : 0;
  } catch {
    happened = -1;              // asks again with the next frame
  }
  asking = false;
  list.follow(events.slice(0, SHOWN));
  setShown(find("nothing"), !events.length);
}

/* --- the summary --- */

function show(status) {
  /* the relay's clock was set: all its times have moved with it */
  const passed = performance.now() / 1000 - shownAt;
  if (now && Math.abs(status.time - now - passed) > SET) {
    happened = -1;
    for (const part of streams.parts.values())
      part.load();
  }
  now = status.time;
  shownAt = performance.now() / 1000;
  const receivers = status.streams.reduce((n, s) => n + s.receivers, 0);
  const onAir = status.streams.filter(s => s.receiving);
  setText(find("ready"), status.ending ? "Ends" : status.ready ? "Ready" : sayNotReady(status.streams));
  setAttribute(find("ready"), "class", `pill ${status.ready && !status.ending ? "good" : "warn"}`);
  totals.set("On air", `${onAir.length} of ${status.streams.length}`, "on-air");
  totals.set("Coming in", say.rate(onAir.reduce((n, s) => n + (s.rate ?? 0), 0)), "total-rate");
  totals.set("Receivers", String(receivers), "total-receivers");
  totals.set("Runs for", say.time(status.time - status.started));
  totals.set(MEMORY.label, say.memory(status.memory || null), MEMORY.name, MEMORY.meaning);
  setText(find("foot"), `fasp-relay ${status.version}. The histories take ${say.memory(status.history)} of its memory.${status.api === "off" ?
    " Nothing can be changed here: api = true in the section [relay] of its configuration allows it." : ""}`);
  document.title = `${onAir.length}/${status.streams.length} on air · fasp-relay`;
  notice(status["configuration-refused"] ? `The new configuration is refused: ${status["configuration-refused"]}` : null);
  streams.follow(status.streams);
  if (first) {
    for (const part of [...streams.parts.values()].slice(0, status.streams.length <= FEW ? FEW : 0))
      part.node.open = true;
    first = false;
  }
  showAdded();
  list.follow(events.slice(0, SHOWN));
  api.follow(status.api, status.saved);
  if (status.happened !== happened)
    look();
}

/* --- another stream --- */

async function addStream(name, input, outputs, ofInput, ofOutputs) {
  if (!name)
    throw new Error("Give it a name.");
  /* The console of the browser shows each refusal as an error.  So look first: the relay then refuses only if another client
   * adds this name at the same time. */
  if ((await api.ask("GET", ["streams"])).some(s => s.name === name))
    throw new Error("There is a stream of this name: choose another one.");
  await api.ask("PUT", ["streams", name], {
    input: withPassphrase(input, ofInput),
    outputs: outputs.split(/\s+/).filter(Boolean).map(uri => withPassphrase(uri, ofOutputs))}, {"If-None-Match": "*"});
  added = name;
}

/* Opens the stream that this page has added, as soon as a summary has it. */
function showAdded() {
  const part = streams.parts.get(added);
  if (!part)
    return;
  part.node.open = true;
  part.node.querySelector("summary").focus();
  added = null;
}

/* --- listening --- */

function showLost(text) {
  setText(find("ready"), "Not connected");
  setAttribute(find("ready"), "class", "pill bad");
  notice(text ? `This page gets no figures. ${text}` : LOST);
}

async function listen() {
  feed?.abort();
  feed = null;
  if (document.hidden)
    return;
  const mine = feed = new AbortController();
  let why = "";
  try {
    await hear(path("events"), {open: catchUp, take: frame => show(frame)}, mine.signal);
  } catch (refused) {
    why = refused instanceof Refused ? refused.message : "";
  }
  if (feed !== mine)
    return;
  showLost(why);
  setTimeout(() => feed === mine && listen(), RETRY);
}

/* Asks for everything that the page may have missed while it did not listen. */
function catchUp() {
  happened = -1;
  for (const part of streams.parts.values())
    part.load();
}

document.addEventListener("visibilitychange", listen);
find("unlock").onclick = askForToken;
find("add").onclick = () => ask({title: "Add a stream", ok: "Add",
  text: "fasp://HOST:PORT dials, fasp://:PORT waits to be dialled. srt://, rist://, udp:// and rtp:// are taken, too.",
  fields: [{caption: "Name"}, {caption: "Input", value: "fasp://:"}, {caption: "Outputs, with a space between two", value: "fasp://:"},
           {caption: "Passphrase of the input, or nothing", secret: true}, {caption: "Passphrase of the outputs, or nothing", secret: true}],
  act: addStream});
find("save").onclick = () => ask({title: "Save what is in force?", ok: "Save",
  text: "The configuration file is replaced. Otherwise, changes are lost when the relay starts anew or reads its file.",
  act: () => api.ask("POST", ["configuration", "save"], {})});
listen();
