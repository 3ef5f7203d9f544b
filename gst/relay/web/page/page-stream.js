/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The page of a stream: its figures, its input, its outputs, and their receivers. */

const STEP = 10;                // s between samples of an hour
const RELOAD = 60;              // s until those of a day and of a week are asked for again
const SAMPLES = 360;

/* Figures of a stream that have no chart. */
const TERMS = FIGURES.stream.filter(figure => !figure.history);

/* A line that leads to the receiver's page. */
class ReceiverLine {
  constructor(stream, output, one) {
    this.who = sayPeer(one);
    this.state = make("span", {class: "facts"});
    this.node = make("li", {class: "receiver"}, make("a", {class: "row", href: linkTo(stream, output, one.address)},
                                                     make("span", {class: "who", text: this.who}), this.state));
  }

  update(one) {
    setText(this.state, sayReceiver(one));
    this.node.classList.toggle("silent", one.interrupted);
  }
}

class Output {
  constructor(stream, output) {
    Object.assign(this, {stream, id: output.id, showsAll: false});
    this.address = new Address();
    this.facts = make("span", {class: "facts", "data-field": "receivers"});
    this.more = make("button", {type: "button", class: "more", hidden: true, onclick: () => this.toggle()});
    this.list = make("ul", {class: "receivers", "aria-label": `Receivers of output ${output.id}`});
    this.receivers = new Parts(this.list, one => one.address, one => new ReceiverLine(stream, this.id, one));
    this.error = make("p", {class: "fault", hidden: true});
    this.lights = new Lights(`output ${output.id}`);
    this.node = make("div", {class: "output", "data-output": output.id},
                     make("div", {class: "head"}, make("h4", {text: `Output ${output.id}`}), this.address.node, this.facts,
                          make("span", {class: "edit"}, make("button", {type: "button", text: "Edit", "aria-label": `Edit output ${output.id} of ${stream}`,
                                                                        onclick: () => this.change()}),
                               make("button", {type: "button", class: "remove", text: "Remove", "aria-label": `Remove output ${output.id} of ${stream}`,
                                               onclick: () => this.remove()}))),
                     this.error, this.lights.node, this.list, this.more);
  }

  update(output) {
    const n = output.receivers, behind = output["behind-ms"], does = output.does;
    this.uri = output.uri;
    this.address.show(output.uri, output.streamid);
    setText(this.facts, [!output.open ? `not open (${output.state})` : does ?? several(n, "receiver"), known(behind) && n > 0 ? `up to ${say.ms(behind)} behind` :
      "", output.loss > 0 ? `${say.share(output.loss)} lost` : "", output.interrupted ? `${output.interrupted} not heard` : ""].filter(Boolean).join(" · "));
    this.node.classList.toggle("closed", !output.open);
    setText(this.error, output.error ?? "");
    setShown(this.error, Boolean(output.error));
    this.lights.update(output);
    const some = output.list.length > 0 && n > output.list.length;
    setShown(this.more, some);
    setText(this.more, this.showsAll ? `Show the ${output.list.length} that are furthest behind` : `Show all ${n}`);
    if (!some)
      this.showsAll = false;
    if (!this.showsAll)
      this.show(output.list);
    else if (!this.asking)
      this.ask();
  }

  /* Sorted by name, so that a line stays under the pointer. */
  show(list) {
    this.receivers.follow([...list].sort((a, b) => sayPeer(a).localeCompare(sayPeer(b))));
  }

  toggle() {
    this.showsAll = !this.showsAll;
    if (this.showsAll)
      this.ask();
  }

  async ask() {
    this.asking = true;
    try {
      this.show(await get(path("streams", this.stream, "outputs", this.id, "receivers") + ".json"));
    } catch {
      /* the output has been removed */
    }
    await new Promise(done => setTimeout(done, AGAIN));
    this.asking = false;
  }

  change() {
    ask({title: `Edit output ${this.id} of ${this.stream}`, ok: "Change",
         fields: [{caption: "URI", value: this.uri}, {caption: "Passphrase; empty: as it was", secret: true}],
         text: "It is opened anew, and its receivers are told, unless only a key changed that can be set while it runs.",
         act: (uri, passphrase) => api.ask("PATCH", ["streams", this.stream, "outputs", this.id], {uri: withPassphrase(uri, passphrase)})});
  }

  remove() {
    ask({title: `Remove output ${this.id}?`, text: `${this.uri} is closed, and its receivers are told. The other ` +
         "outputs do not notice.", ok: "Remove", danger: true,
         act: () => api.ask("DELETE", ["streams", this.stream, "outputs", this.id])});
  }

  end() {
    this.receivers.follow([]);
  }
}

class Source {
  constructor(stream, source) {
    this.name = make("span", {class: "who"});
    this.facts = make("span", {class: "facts"});
    this.use = make("button", {type: "button", class: "edit", text: "Use", "aria-label": `Use source ${source.source}`,
      onclick: () => ask({title: `Use ${this.name.textContent}?`, ok: "Use it", text: "If it sends the same stream, receivers notice " +
                          "nothing. The stream of another encoder begins at its next key frame, with one DISCONT.",
                          act: () => api.ask("PUT", ["streams", stream, "input", "source"], {source: source.source})})});
    this.node = make("li", {class: "source"}, this.name, this.facts, this.use);
  }

  update(source) {
    setText(this.name, source.name || `source ${source.source}`);
    setText(this.facts, `${source.leads ? "in use" : source.connected ? "stands ready" : "not connected"}${source.why ? `: ${source.why}` : ""}`);
    setShown(this.use, !source.leads && source.connected);
  }
}

class Stream {
  constructor({name}) {
    this.name = name;
    Object.assign(this, {samples: [], range: null, loaded: 0});
    this.charts = Object.fromEntries(FIGURES.stream.filter(figure => figure.history).map(figure => [figure.name, new Chart(figure)]));
    this.build(name);
  }

  build(name) {
    const outputs = make("div", {class: "outputs"});
    const sources = make("ul", {class: "sources"});
    this.heading = make("h2", {text: name, tabindex: "-1"});
    this.state = make("span", {class: "state", "data-field": "state"});
    this.brief = make("span", {class: "brief"});
    this.error = make("p", {class: "fault", hidden: true});
    this.screen = new Screen(name);
    this.preview = new Preview(name);
    this.watch = new Watch();
    this.ranges = make("div", {class: "ranges", role: "group", "aria-label": "Charts show"}, ...Object.keys(RANGES).map(range =>
      make("button", {type: "button", text: `Last ${range}`, "data-range": range, onclick: () => nameRange(name, range)})));
    this.inputError = make("p", {class: "fault", hidden: true});
    this.address = new Address();
    this.lights = new Lights("the input");
    this.senders = make("span", {class: "facts"});
    this.terms = new Terms(make("dl", {class: "terms"}));
    this.outputs = new Parts(outputs, o => o.id, o => new Output(name, o));
    this.sources = new Parts(sources, s => s.source, s => new Source(name, s));
    this.node = make("article", {class: "stream", "data-stream": name},
      make("nav", {"aria-label": "Where this is"}, make("a", {href: linkToWall(), text: "All streams"})),
      make("div", {class: "head"}, this.heading, this.state, this.brief,
        make("button", {type: "button", class: "edit danger remove", text: "Remove stream", "aria-label": `Remove stream ${name}`,
                        onclick: () => this.remove()})),
      this.watch.node, this.error,
      this.ranges,
      make("div", {class: "view"}, this.preview.node, this.screen.node, make("div", {class: "charts"}, ...Object.values(this.charts).map(c => c.node))),
      this.terms.node,
      make("section", {"aria-label": `Input of ${name}`}, make("div", {class: "head"}, make("h3", {text: "Input"}), this.address.node,
        this.senders, make("button", {type: "button", class: "edit", text: "Switch", "aria-label": `Switch input of ${name}`,
                                      onclick: () => this.switchInput()})), this.inputError, this.lights.node, sources),
      make("section", {"aria-label": `Outputs of ${name}`}, make("div", {class: "head"}, make("h3", {text: "Outputs"}),
        make("button", {type: "button", class: "edit", text: "Add output", "aria-label": `Add output to ${name}`,
                        onclick: () => this.addOutput()})), outputs));
  }

  end() {
    this.preview.stop("");
  }

  /* Gets the samples of the range, up to now. */
  async load() {
    const range = this.range;
    this.loaded = performance.now() / 1000;
    try {
      const history = await get(path("streams", this.name, "history", range) + ".json");
      if (range !== this.range)
        return;
      this.samples = history.time.map((time, i) =>
        Object.fromEntries([["time", time], ...Object.keys(this.charts).map(field => [field, history[field][i]])]));
      this.draw();
    } catch {
      /* the stream has no history yet */
    }
  }

  /* @range: of RANGES. */
  show(range) {
    if (range !== this.range)
      this.samples = [];
    if (range !== this.range || (range !== "hour" && performance.now() / 1000 - this.loaded >= RELOAD)) {
      this.range = range;
      this.draw();
      this.load();
    }
    for (const button of this.ranges.children)
      setAttribute(button, "aria-pressed", String(button.dataset.range === range));
  }

  update({of: stream, range}, time = now) {
    this.show(range);
    const [look, words] = sayDoing(stream);
    const now = {...stream};
    if (!stream.receiving)
      now.rate = now["lateness-ms"] = now["observed-seconds"] = now.skips = now.errors = now.unrepaired = null;
    setText(this.state, words);
    setAttribute(this.state, "class", `state ${look}`);
    setText(this.brief, [say.rate(now.rate), stream.outputs.every(o => o.does) ? "" : several(now.receivers, "receiver")].filter(Boolean).join(" · "));
    setText(this.error, stream["last-error"] ? `Last error: ${stream["last-error"]}` : "");
    setShown(this.error, Boolean(stream["last-error"]));
    this.error.classList.toggle("past", stream.receiving);
    this.showFigures(now);
    this.screen.update(stream);
    this.preview.update(stream);
    this.watch.update(stream);
    this.address.show(stream.input.uri, stream.streamid);
    setText(this.senders, !stream.input.open ? `not open (${stream.input.state})` : stream.input.senders.filter(s => s.address).map(
      saySender).join(", "));
    setText(this.inputError, stream.input.error ?? "");
    setShown(this.inputError, Boolean(stream.input.error));
    this.lights.update(stream.input);
    this.sources.follow(stream.input.sources);
    this.outputs.follow(stream.outputs.map(o => ({...o, streamid: stream.streamid})).sort((a, b) => a.id - b.id));
    this.latency = stream["latency-ms"] || null;       // 0: there is none
    if (range === "hour" && (!this.samples.length || time - this.samples.at(-1).time >= STEP)) {
      this.samples.push({...now, time});
      this.samples.splice(0, this.samples.length - SAMPLES);
      this.draw();
    }
  }

  showFigures(now) {
    const latency = now["latency-ms"] || null, late = known(latency) && now["lateness-ms"] > latency;
    for (const [field, chart] of Object.entries(this.charts))
      if (field === "lateness-ms")
        chart.show(now[field], known(latency) ? `of ${say.ms(latency)} latency` : "", late);
      else
        chart.show(now[field], "", field === "loss" && now.alarms.some(alarm => alarm.name === "loss"));
    this.terms.show(TERMS, now);
  }

  draw() {
    const end = this.samples.at(-1)?.time ?? now;
    for (const [field, chart] of Object.entries(this.charts))
      chart.draw(this.samples.map(s => [s.time, s[field] ?? null]), end, RANGES[this.range], field === "lateness-ms" ? this.latency : null);
  }

  addOutput() {
    ask({title: `Add an output to ${this.name}`, fields: [{caption: "URI", value: "fasp://:"}, {caption: "Passphrase, or nothing", secret: true}], ok: "Add",
         text: "fasp://:PORT waits for receivers, fasp://HOST:PORT dials one. srt://, rist://, udp:// and rtp:// are taken, too.",
         act: (uri, passphrase) => api.ask("POST", ["streams", this.name, "outputs"], {uri: withPassphrase(uri, passphrase)})});
  }

  async switchInput() {
    const title = `Switch the input of ${this.name}`;
    let old;
    try {
      old = await api.ask("GET", ["streams", this.name]);
    } catch (refused) {
      ask({title, text: refused.message, ok: "Try again", act: () => this.switchInput()});
      return;
    }
    const backups = old.backups.join(" ");
    /* only what was changed: the relay takes no file from here, but keeps those that it has */
    ask({title, ok: "Switch",
         fields: [{caption: "URI", value: old.input.uri}, {caption: "Passphrase; empty: as it was", secret: true},
                  {caption: "Backups, with a space between two", value: backups}],
         text: "Receivers go on with the stream of the new input. They stay connected, except those of an output with slow-policy=wait.",
         act: (uri, passphrase, others) => api.ask("PATCH", ["streams", this.name], {
           ...(uri === old.input.uri && !passphrase ? {} : {input: withPassphrase(uri, passphrase)}),
           ...(others === backups ? {} : {backups: splitUris(others)})})});
  }

  remove() {
    ask({title: `Remove ${this.name}?`, text: "Its sender and its receivers are told. The other streams do not notice.", ok: "Remove",
         danger: true, act: () => api.ask("DELETE", ["streams", this.name])});
  }
}
