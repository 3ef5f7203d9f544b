/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The page as a whole: it listens to the relay while its tab is visible, or may sound. */

const OPENING = 20000;          // ms in which the relay has to answer that it lets the page listen, else it counts as lost
const SILENT = 5000;            // the same without a frame, of which it sends one a second
const RETRY = 3000;             // ms until the page tries to listen again
const SHOWN = 60;               // events
const SET = 5;                  // s: a larger step of the relay's clock means that it was set, not that a frame is late
const LOST = "The connection to the relay is lost. This page tries again; the figures are old.";

/* The page of a stream or of a receiver, if the address names one. */
const pages = new Parts(find("page"), ({stream, output, receiver}) => [stream, output, receiver].join("\n"),
                        at => at.receiver ? new Receiver(at) : new Stream({name: at.stream}));
const MEMORY = FIGURES.relay.find(figure => figure.name === "memory");
const totals = new Terms(find("totals"));
let summary = null, loaded = null, feed = null, happened = -1, asking = false, now = 0, shownAt = 0, added = null;

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
  showView();
}

/* --- the summary --- */

/* Shows what the address names. */
function showView() {
  const at = readAddress(), {streams} = summary, stream = streams.find(s => s.name === at.stream);
  setShown(find("streams"), !at.stream);
  setShown(find("missing"), Boolean(at.stream) && !stream);
  setText(find("missing-name"), at.stream ?? "");
  pages.follow(stream ? [{...at, of: stream}] : []);
  if (!at.stream) {
    keepWall();
    wall.follow(streams, at);
  }
  const those = stream ? events.filter(e => e.stream === at.stream) : events;
  list.follow(those.slice(0, SHOWN));
  setText(find("happened-title"), stream ? `What happened lately to ${at.stream}` : "What happened lately");
  setShown(find("nothing"), !those.length);
  document.body.classList.toggle("one", Boolean(at.stream));
}

function show(status) {
  /* the relay's clock was set: all its times have moved with it */
  const passed = performance.now() / 1000 - shownAt;
  if (now && Math.abs(status.time - now - passed) > SET)
    catchUp();
  now = status.time;
  shownAt = performance.now() / 1000;
  summary = status;
  document.body.classList.remove("lost");
  const receivers = status.streams.reduce((n, s) => n + s.receivers, 0);
  const onAir = status.streams.filter(s => s.receiving);
  setText(find("ready"), status.ending ? "Ends" : status.ready ? "Ready" : sayNotReady(status.streams));
  setAttribute(find("ready"), "class", `pill ${status.ready && !status.ending ? "good" : "warn"}`);
  totals.set("On air", `${onAir.length} of ${status.streams.length}`, "on-air");
  totals.set("Coming in", say.rate(onAir.reduce((n, s) => n + (s.rate ?? 0), 0)), "total-rate");
  totals.set("Receivers", String(receivers), "total-receivers");
  totals.set("Runs for", say.time(status.time - status.started));
  totals.set(MEMORY.label, say.memory(status.memory || null), MEMORY.name, MEMORY.meaning);
  setText(find("foot"), `fasp-relay ${status.version}. The histories take ${say.memory(status.history)} of its memory${
    status["history-error"] ? `, and are there alone: of their file, ${status["history-error"]}` : ""}.${status.api === "off" ?
    " Nothing can be changed here: api = true in the section [relay] of its configuration allows it." : ""}`);
  const faults = status.streams.reduce((n, s) => n + s.alarms.length, 0);
  document.title = `${faults ? `${several(faults, "alarm")} · ` : ""}${onAir.length}/${status.streams.length} on air · fasp-relay`;
  loaded ??= status.version;
  notice(status["configuration-refused"] ? `The new configuration is refused: ${status["configuration-refused"]}` :
    status.version !== loaded ? `${NEWER}.` : null);
  showView();
  showAdded();
  alarms.follow(status.streams);
  api.follow(status.api, status.saved);
  if (status.happened !== happened)
    look();
}

/* The reader has gone to another view. */
function goThere() {
  if (!summary)
    return;
  showView();
  scrollTo(0, 0);
  find("page").querySelector("h2")?.focus({preventScroll: true});
}

/* --- another stream --- */

async function addStream(name, input, outputs, ofInput, ofOutputs, backups) {
  if (!name)
    throw new Error("Give it a name.");
  /* The console of the browser shows each refusal as an error.  So look first: the relay then refuses only if another client
   * adds this name at the same time. */
  if ((await api.ask("GET", ["streams"])).some(s => s.name === name))
    throw new Error("There is a stream of this name: choose another one.");
  await api.ask("PUT", ["streams", name], {
    input: withPassphrase(input, ofInput),
    backups: splitUris(backups),
    outputs: splitUris(outputs).map(uri => withPassphrase(uri, ofOutputs))}, {"If-None-Match": "*"});
  added = name;
}

/* Goes to the stream that this page has added, as soon as a summary has it. */
function showAdded() {
  if (!summary.streams.some(s => s.name === added))
    return;
  location.hash = linkTo(added);
  added = null;
}

/* --- listening --- */

/* The relay does not answer: the page loses its colours, as its figures are old. */
function showLost(text) {
  if (!document.body.classList.contains("lost"))
    alarms.sound();
  document.body.classList.add("lost");
  document.title = "Not connected · fasp-relay";
  setText(find("ready"), "Not connected");
  setAttribute(find("ready"), "class", "pill bad");
  notice(text ? `This page gets no figures. ${text}` : LOST);
}

const askForRole = () => (api.users && !api.name ? askToLogIn : askForToken)(listen);

/* The relay shows nothing to strangers. */
function showLogin() {
  setText(find("ready"), "Not logged in");
  setAttribute(find("ready"), "class", "pill warn");
  notice("Log in to see what this relay does.");
  askForRole();
}

async function logOut() {
  feed?.abort();
  feed = null;
  await api.ask("DELETE", ["session"]).catch(() => { /* then it has ended, or goes on; the page shows which */ });
  location.reload();    // so that nothing of it stays on the screen
}

const mayListen = () => !document.hidden || (alarms.wanted && alarms.allowed);

async function listen() {
  feed?.abort();
  feed = null;
  if (!mayListen())
    return;
  const mine = feed = new AbortController();
  let why = "", silence;
  const expect = time => {
    clearTimeout(silence);
    silence = setTimeout(() => mine.abort(), time);
  };
  const hearFor = take => frame => {
    expect(SILENT);
    take(frame);
  };
  expect(OPENING);
  try {
    if (api.role === null)
      await api.look(mine.signal);
    if (api.role === "none") {
      showLogin();
      return;
    }
    await hear(path("events"), {open: hearFor(catchUp), take: hearFor(frame => show(frame))}, mine.signal);
  } catch (refused) {
    why = refused instanceof Refused && refused.status ? refused.message : "";
    if (refused.status === 401)
      api.forget();
  } finally {
    clearTimeout(silence);
  }
  if (feed !== mine)
    return;
  api.role = null;              // it may be another one when the relay answers again
  showLost(why);
  setTimeout(() => feed === mine && listen(), RETRY);
}

/* Asks for everything that the page may have missed while it did not listen. */
function catchUp() {
  happened = -1;
  for (const part of pages.parts.values())
    part.load?.();
}

/* --- what the reader does --- */

function nameRange(stream, range) {
  history.replaceState(null, "", `${linkTo(stream)}${range === "hour" ? "" : `?range=${range}`}`);
  showView();
}

function chooseWall(choice) {
  nameWall({...readAddress(), ...choice});
  if (summary)
    showView();
}

document.addEventListener("visibilitychange", () => {
  if (!feed || !mayListen())
    listen();
});
addEventListener("hashchange", goThere);
find("skip").onclick = event => {
  event.preventDefault();
  (find("page").querySelector("h2") ?? find("streams")).focus();
};
find("sound").onclick = () => alarms.toggle();
find("search").oninput = () => chooseWall({find: find("search").value});
find("faults").onclick = () => chooseWall({only: readAddress().only ? "" : "faults"});
find("rows").onclick = () => chooseWall({as: readAddress().as === "rows" ? "tiles" : "rows"});
find("unlock").onclick = askForRole;
find("leave").onclick = logOut;
find("add").onclick = () => ask({title: "Add a stream", ok: "Add",
  text: "fasp://HOST:PORT dials, fasp://:PORT waits to be dialled. srt://, rist://, udp:// and rtp:// are taken, too.",
  fields: [{caption: "Name"}, {caption: "Input", value: "fasp://:"}, {caption: "Outputs, with a space between two", value: "fasp://:"},
           {caption: "Passphrase of the input, or nothing", secret: true}, {caption: "Passphrase of the outputs, or nothing", secret: true},
           {caption: "Backups of the input, with a space between two"}],
  act: addStream});
find("save").onclick = () => ask({title: "Save what is in force?", ok: "Save",
  text: "The configuration file is replaced. Otherwise, changes are lost when the relay starts anew or reads its file.",
  act: () => api.ask("POST", ["configuration", "save"], {})});
listen();
