/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All streams as tiles or rows, those with a fault first, the newest before the others. Only those in view ask for their pictures. */

/* So many tiles still are large, and middle. */
const LARGE = 8, MIDDLE = 40;

class Tile {
  constructor(stream) {
    this.state = make("span", {class: "state", "data-field": "state"});
    this.brief = make("span", {class: "brief"});
    this.screen = new Screen(stream.name);
    this.node = make("li", {class: "tile", "data-tile": stream.name},
      make("a", {href: linkTo(stream.name)}, this.screen.node,
           make("span", {class: "words"}, make("b", {class: "name", text: stream.name}), this.state, this.brief)));
    this.node.tile = this;
    inView.observe(this.node);
  }

  update(stream) {
    const [look, words] = sayState(stream);
    this.stream = stream;
    setAttribute(this.node, "class", `tile ${look}`);
    setText(this.state, words);
    setAttribute(this.state, "class", `state ${look}`);
    setText(this.brief, [say.rate(stream.receiving ? stream.rate : null), stream.outputs.every(o => o.does) ? "" :
      several(stream.receivers, "receiver")].filter(Boolean).join(" · "));
    if (this.seen)
      this.screen.update(stream);
  }

  see(seen) {
    this.seen = seen;
    if (seen)
      this.screen.update(this.stream);
  }

  end() {
    inView.unobserve(this.node);
  }
}

const inView = new IntersectionObserver(entries => {
  for (const {target, isIntersecting} of entries)
    target.tile.see(isIntersecting);
});

const wall = {
  tiles: new Parts(find("wall"), s => s.name, s => new Tile(s)),

  /* @wanted: what the address says. */
  follow(streams, wanted) {
    const rank = s => ["bad", "warn", "good", "off"].indexOf(sayState(s)[0]);
    const newest = s => Math.max(0, ...s.alarms.map(a => a.since));
    const words = s => [s.name, s.input.uri, s.input.senders.map(sayPeer), s.outputs.map(o => o.uri)].flat(2).join(" ").toLowerCase();
    const all = streams.filter(s => words(s).includes(wanted.find.toLowerCase()) && (wanted.only !== "faults" || rank(s) < 2));
    all.sort((a, b) => Math.min(2, rank(a)) - Math.min(2, rank(b)) || newest(b) - newest(a) || a.name.localeCompare(b.name));
    setAttribute(find("wall"), "class", `${wanted.as} ${all.length <= LARGE ? "large" : all.length <= MIDDLE ? "middle" : "small"}`);
    setText(find("found"), all.length === streams.length ? several(all.length, "stream") : `${all.length} of ${several(streams.length, "stream")}`);
    if (document.activeElement !== find("search"))
      find("search").value = wanted.find;
    setAttribute(find("faults"), "aria-pressed", String(wanted.only === "faults"));
    setAttribute(find("rows"), "aria-pressed", String(wanted.as === "rows"));
    this.tiles.follow(all);
  },
};
