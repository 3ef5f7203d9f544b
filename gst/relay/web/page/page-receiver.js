/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The page of a receiver: its figures. */

const AGAIN = 1900;             // ms: least time between two requests for figures of receivers

class Receiver {
  constructor({stream, output, receiver}) {
    this.at = ["streams", stream, "outputs", output, "receivers", receiver];
    this.asked = -AGAIN;
    this.heading = make("h2", {text: receiver, tabindex: "-1"});
    this.state = make("span", {class: "state", "data-field": "state"});
    this.brief = make("span", {class: "brief"});
    this.terms = new Terms(make("dl", {class: "terms"}));
    this.all = new Terms(make("dl", {class: "all"}));
    this.drops = make("button", {type: "button", class: "edit danger", hidden: true, text: "Disconnect", onclick: () => this.drop()});
    this.node = make("article", {class: "stream", "data-receiver": receiver},
      make("nav", {"aria-label": "Where this is"}, make("a", {href: linkToWall(), text: "All streams"}), " › ",
           make("a", {href: linkTo(stream), text: stream}), ` › Output ${output}`),
      make("div", {class: "head"}, this.heading, this.state, this.brief, this.drops), this.terms.node,
      make("section", {"aria-label": "All figures"}, make("h3", {text: "All figures"}), this.all.node));
  }

  /* @stream: that of the summary. */
  update({of: stream}) {
    const output = stream.outputs.find(o => String(o.id) === this.at[3]);
    this.uri = output?.uri;
    if (performance.now() - this.asked >= AGAIN)
      this.ask();
  }

  async ask() {
    this.asked = performance.now();
    try {
      const {stats, ...one} = await get(path(...this.at) + ".json");
      setShown(this.drops, /^fasp:/.test(this.uri));
      setText(this.heading, sayPeer(one));
      setText(this.state, one.interrupted ? "Is not heard" : "Connected");
      setAttribute(this.state, "class", `state ${one.interrupted ? "bad" : "good"}`);
      setText(this.brief, sayReceiver({...one, interrupted: false}));
      this.terms.show(FIGURES.receiver, {...stats, ...one});
      for (const [field, value] of Object.entries(stats))
        this.all.set(field, typeof value === "object" && value ? JSON.stringify(value) : String(value ?? "–"), field);
    } catch (error) {
      if (error.message !== "404")
        return;
      setShown(this.drops, false);
      setText(this.state, this.all.rows.size ? "Has gone; these were its figures" : "Is not connected");
      setAttribute(this.state, "class", "state warn");
    }
  }

  drop() {
    ask({title: "Disconnect this receiver?", text: `${this.heading.textContent} is told that it was refused. A program that starts again may ` +
         "come back.", ok: "Disconnect", danger: true, act: () => api.ask("DELETE", this.at)});
  }
}
