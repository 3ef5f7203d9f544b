/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream: its figures, its input, its outputs, and their receivers. */

const STEP = 10;                // s between samples
const SAMPLES = 360;
const AGAIN = 1900;             // ms: least time between two requests for a receiver's figures
const OLD = 10;                 // s: an older picture is shown with its age

/* Figures of a stream that have no chart. */
const TERMS = FIGURES.stream.filter(figure => !figure.history);

class Receiver {
  /* @drops: the output can disconnect one receiver. */
  constructor(stream, output, one, drops) {
    this.drops = drops;
    this.at = ["streams", stream, "outputs", output, "receivers", one.address];
    this.who = sayPeer(one);
    this.name = make("span", {class: "who"});
    this.state = make("span", {class: "facts"});
    this.panel = make("div", {class: "panel", id: `receiver-${++Receiver.made}`, hidden: true});
    this.button = make("button", {type: "button", class: "row", "aria-expanded": "false", "aria-controls": this.panel.id,
                                  onclick: () => this.toggle()}, this.name, this.state);
    this.node = make("li", {class: "receiver"}, this.button, this.panel);
  }

  update(one) {
    this.one = one;
    setText(this.name, this.who);
    const behind = known(one["behind-ms"]) ? `${say.ms(one["behind-ms"])} behind` : "";
    setText(this.state, one.interrupted ? "is not heard" : [behind, known(one["rtt-ms"]) ? `round trip ${say.ms(one["rtt-ms"])}` :
      ""].filter(Boolean).join(" · "));
    this.node.classList.toggle("silent", one.interrupted);
    if (this.open && performance.now() - this.asked >= AGAIN)
      this.ask();
  }

  toggle() {
    this.open = !this.open;
    setAttribute(this.button, "aria-expanded", String(this.open));
    setShown(this.panel, this.open);
    if (this.open && !this.panel.firstChild)
      this.fill();
    if (this.open)
      this.ask();
  }

  fill() {
    const all = make("dl", {class: "all"});
    this.terms = new Terms(make("dl", {class: "terms"}));
    this.all = new Terms(all);
    this.panel.append(this.terms.node, make("details", {}, make("summary", {text: "All figures"}), all));
    if (this.drops)
      this.panel.append(make("button", {type: "button", class: "edit danger", text: "Disconnect", onclick: () => this.drop()}));
  }

  async ask() {
    this.asked = performance.now();
    try {
      const {stats, ...one} = await get(path(...this.at) + ".json");
      this.one = one;
      this.gone = false;
      this.terms.show(FIGURES.receiver, {...stats, ...one});
      for (const [field, value] of Object.entries(stats))
        this.all.set(field, typeof value === "object" && value ? JSON.stringify(value) : String(value ?? "–"), field);
    } catch (error) {
      this.gone = error.message === "404";
    }
  }

  drop() {
    ask({title: "Disconnect this receiver?", text: `${this.who} is told that it was refused. A program that starts again may come back.`,
         ok: "Disconnect", danger: true, act: () => api.ask("DELETE", this.at)});
  }
}
Receiver.made = 0;

class Output {
  constructor(stream, output) {
    Object.assign(this, {stream, id: output.id, showsAll: false});
    this.uri = make("code", {class: "uri", "data-field": "uri"});
    this.facts = make("span", {class: "facts", "data-field": "receivers"});
    this.more = make("button", {type: "button", class: "more", hidden: true, onclick: () => this.toggle()});
    this.list = make("ul", {class: "receivers", "aria-label": `Receivers of output ${output.id}`});
    this.receivers = new Parts(this.list, one => one.address, one => new Receiver(stream, this.id, one, /^fasp:/.test(output.uri)));
    this.error = make("p", {class: "fault", hidden: true});
    this.node = make("div", {class: "output", "data-output": output.id},
                     make("div", {class: "head"}, make("h4", {text: `Output ${output.id}`}), this.uri, this.facts,
                          make("button", {type: "button", class: "edit", text: "Remove",
                                          "aria-label": `Remove output ${output.id} of ${stream}`, onclick: () => this.remove()})),
                     this.error, this.list, this.more);
  }

  update(output) {
    const n = output.receivers, behind = output["behind-ms"], does = output.does;
    setText(this.uri, output.uri ?? "");
    setText(this.facts, [!output.open ? `not open (${output.state})` : does ?? several(n, "receiver"), known(behind) && n > 0 ? `up to ${say.ms(behind)} behind` :
      "", output.interrupted ? `${output.interrupted} not heard` : ""].filter(Boolean).join(" · "));
    this.node.classList.toggle("closed", !output.open);
    setText(this.error, output.error ?? "");
    setShown(this.error, Boolean(output.error));
    const some = output.list.length > 0 && n > output.list.length;
    setShown(this.more, some);
    setText(this.more, this.showsAll ? `Show the ${output.list.length} that are furthest behind` : `Show all ${n}`);
    this.some = some;
    if (!some)
      this.showsAll = false;
    if (!this.showsAll)
      this.show(output.list);
    else if (!this.asking)
      this.ask();
  }

  /* Sorted by name, so that a row stays under the pointer. A receiver whose row is open stays in the list while it is connected,
   * even if others are further behind. */
  show(list) {
    const named = new Set(list.map(one => one.address));
    const open = [...this.receivers.parts.values()].filter(r => r.open && !r.gone && !named.has(r.one.address)).map(r => r.one);
    this.receivers.follow([...list, ...this.some ? open : []].sort((a, b) => sayPeer(a).localeCompare(sayPeer(b))));
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

  remove() {
    ask({title: `Remove output ${this.id}?`, text: `${this.uri.textContent} is closed, and its receivers are told. The other ` +
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
  constructor(stream) {
    this.name = stream.name;
    this.samples = [];
    this.charts = Object.fromEntries(FIGURES.stream.filter(figure => figure.history).map(figure => [figure.name, new Chart(figure)]));
    this.build(stream.name);
    this.load();
  }

  build(name) {
    const outputs = make("div", {class: "outputs"});
    const sources = make("ul", {class: "sources"});
    this.state = make("span", {class: "state", "data-field": "state"});
    this.brief = make("span", {class: "brief"});
    this.error = make("p", {class: "fault", hidden: true});
    this.picture = make("img", {class: "picture", alt: `What ${name} shows`, hidden: true});
    this.meters = make("div", {class: "meters", role: "img", hidden: true});
    this.caption = make("p", {class: "quiet", hidden: true});
    this.inputError = make("p", {class: "fault", hidden: true});
    this.uri = make("code", {class: "uri"});
    this.senders = make("span", {class: "facts"});
    this.terms = new Terms(make("dl", {class: "terms"}));
    this.span = make("p", {class: "quiet"});
    this.outputs = new Parts(outputs, o => o.id, o => new Output(name, o));
    this.sources = new Parts(sources, s => s.source, s => new Source(name, s));
    this.node = make("details", {class: "stream", "data-stream": name, ontoggle: () => this.draw()},
      make("summary", {}, make("h2", {text: name}), this.state, this.brief),
      make("div", {class: "body"}, this.error,
        make("div", {class: "view"}, make("div", {class: "screen"}, this.picture, this.caption, this.meters),
          make("div", {class: "charts"}, ...Object.values(this.charts).map(c => c.node))),
        this.span, this.terms.node,
        make("section", {"aria-label": `Input of ${name}`}, make("div", {class: "head"}, make("h3", {text: "Input"}), this.uri,
          this.senders, make("button", {type: "button", class: "edit", text: "Switch", "aria-label": `Switch the input of ${name}`,
                                        onclick: () => this.switchInput()})), this.inputError, sources),
        make("section", {"aria-label": `Outputs of ${name}`}, make("div", {class: "head"}, make("h3", {text: "Outputs"}),
          make("button", {type: "button", class: "edit", text: "Add output", "aria-label": `Add an output to ${name}`,
                          onclick: () => this.addOutput()})), outputs),
        make("div", {class: "head"}, make("button", {type: "button", class: "edit danger remove", text: "Remove stream",
                                                     "aria-label": `Remove the stream ${name}`, onclick: () => this.remove()}))));
  }

  /* Gets the samples of the hour before this page was opened. */
  async load() {
    try {
      const history = await get(path("streams", this.name, "history") + ".json");
      this.samples = history.time.map((time, i) =>
        Object.fromEntries([["time", time], ...Object.keys(this.charts).map(field => [field, history[field][i]])]));
      this.draw();
    } catch {
      /* the stream has no history yet */
    }
  }

  update(stream, time = now) {
    const [look, words] = sayState(stream);
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
    this.showPicture(stream);
    setText(this.uri, stream.input.uri ?? "");
    setText(this.senders, !stream.input.open ? `not open (${stream.input.state})` : stream.input.senders.filter(s => s.address).map(s =>
      sayPeer(s) + (s.interrupted ? " (not heard)" : "")).join(", "));
    setText(this.inputError, stream.input.error ?? "");
    setShown(this.inputError, Boolean(stream.input.error));
    this.sources.follow(stream.input.sources);
    this.outputs.follow([...stream.outputs].sort((a, b) => a.id - b.id));
    this.latency = stream["latency-ms"] || null;       // 0: there is none
    if (!this.samples.length || time - this.samples.at(-1).time >= STEP) {
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
        chart.show(now[field], "", field === "loss" && now.loss > 0.1);
    this.terms.show(TERMS, now);
  }

  /* Shows the picture and the levels, if the relay makes pictures of the stream. */
  showPicture({picture, levels, receiving}) {
    const time = picture?.time, error = receiving ? picture?.error : null;
    const caption = picture ? sayPicture(time && Date.parse(time) / 1000, receiving, error) : "";
    setShown(this.picture, Boolean(time));
    if (time && this.node.open)
      setAttribute(this.picture, "src", `${path("streams", this.name, "picture.jpg")}?${time}`);
    this.picture.classList.toggle("past", !receiving || Boolean(error));
    setText(this.caption, caption);
    setShown(this.caption, Boolean(caption));
    setShown(this.meters, receiving && levels.length > 0);
    if (this.meters.hidden)
      return;
    while (this.meters.children.length < levels.length)
      this.meters.append(make("meter", {min: -60, max: 0, high: -9, optimum: -30}));
    levels.forEach((level, i) => this.meters.children[i].value = level ?? -60);
    setAttribute(this.meters, "aria-label", `Sound: ${levels.map(l => `${Math.round(l)} dB`).join(", ")}`);
  }

  draw() {
    if (!this.node.open || !this.samples.length)
      return;
    const end = this.samples.at(-1).time;
    for (const [field, chart] of Object.entries(this.charts))
      chart.draw(this.samples.map(s => [s.time, s[field] ?? null]), end, field === "lateness-ms" ? this.latency : null);
    setText(this.span, `Charts: the last ${say.time(Math.min(HOUR, Math.max(LEAST, end - this.samples[0].time)))}`);
  }

  addOutput() {
    ask({title: `Add an output to ${this.name}`, fields: [{caption: "URI", value: "fasp://:"}, {caption: "Passphrase, or nothing", secret: true}], ok: "Add",
         text: "fasp://:PORT waits for receivers, fasp://HOST:PORT dials one. srt://, rist://, udp:// and rtp:// are taken, too.",
         act: (uri, passphrase) => api.ask("POST", ["streams", this.name, "outputs"], {uri: withPassphrase(uri, passphrase)})});
  }

  switchInput() {
    ask({title: `Switch the input of ${this.name}`, ok: "Switch",
         fields: [{caption: "URI", value: this.uri.textContent}, {caption: "Passphrase; empty: as it was", secret: true}],
         text: "Receivers go on with the stream of the new input. They stay connected, except those of an output with slow-policy=wait.",
         act: (uri, passphrase) => api.ask("PATCH", ["streams", this.name, "input"], {uri: withPassphrase(uri, passphrase)})});
  }

  remove() {
    ask({title: `Remove ${this.name}?`, text: "Its sender and its receivers are told. The other streams do not notice.", ok: "Remove",
         danger: true, act: () => api.ask("DELETE", ["streams", this.name])});
  }

  end() {
    this.outputs.follow([]);
  }
}
