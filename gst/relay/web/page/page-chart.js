/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A figure: its present value, and a chart with its axes. */

const RANGES = {hour: 3600, day: 86400, week: 604800};  // s
const LEAST = 120;              // s that a chart shows, however short the history is
const WIDTH = 300, HEIGHT = 48; // of the drawing, which is stretched
const SCALE = {"bit/s": 1000, share: 0.001};    // least value at the top of a chart, by unit; else 1

/* The least number of 1, 2 or 5 times a power of ten that is not below @value. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(n => n * power).find(n => n >= value * (1 - 1e-9));
}

class Chart {
  /* Takes a row of FIGURES. */
  constructor({name, label, unit, meaning}) {
    Object.assign(this, {say: UNITS[unit], least: SCALE[unit] ?? 1, points: [], now: null, limit: null, at: null});
    this.value = make("span", {class: "value", "data-field": name});
    this.note = make("span", {class: "note"});
    this.area = make("path", {class: "area"});
    this.line = make("path", {class: "line"});
    this.border = make("line", {class: "border", x1: 0, x2: WIDTH, visibility: "hidden"});
    this.half = make("line", {class: "grid", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2});
    this.top = make("span", {class: "top-value"});
    this.from = make("span");
    this.until = make("span");
    this.cursor = make("line", {class: "cursor", y1: 0, y2: HEIGHT, visibility: "hidden"});
    this.svg = make("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
                            onpointermove: e => this.point(e), onpointerleave: () => this.point(null)},
                    this.half, this.area, this.border, this.line, this.cursor);
    this.label = label;
    this.node = make("div", {class: "chart"}, make("div", {class: "label", text: label, title: meaning}),
                     make("div", {class: "figure"}, this.value, this.note),
                     make("div", {class: "plot", "aria-hidden": "true"}, this.top), this.svg,
                     make("div", {class: "times", "aria-hidden": "true"}, this.from, this.until));
  }

  /* @now: the present value. @note: words behind it. @bad: shows it as a fault. */
  show(now, note = "", bad = false) {
    this.now = now;
    this.words = note;
    setAttribute(this.node, "class", bad ? "chart bad" : "chart");
    if (!this.at)
      this.tell();
  }

  tell() {
    setText(this.value, this.say(this.now) ?? "–");
    setText(this.note, this.words ?? "");
  }

  /* @points: [[s, value]]. @end: the present, s. @range: s at most. @limit: a value that is drawn as a line; null: none. */
  draw(points, end, range, limit = null) {
    Object.assign(this, {points, limit, end});
    this.begin = Math.max(end - range, Math.min(end - LEAST, points.length ? points[0][0] : end));
    const values = points.map(p => p[1]).filter(known);
    const most = roundUp(Math.max(this.least, limit ?? 0, ...values));
    setText(this.top, values.length ? this.say(most).replace(/\.0+(?= )/, "") : "");
    for (const [node, time] of [[this.from, this.begin], [this.until, end]])
      setText(node, (range > RANGES.day ? dayHour : hour).format(1000 * time));
    const x = t => (WIDTH * (t - this.begin) / (end - this.begin)).toFixed(1);
    const y = v => (HEIGHT * (1 - v / most)).toFixed(1);
    let line = "", area = "", open = false;
    points.forEach(([time, value], i) => {
      if (known(value)) {
        line += `${open ? "L" : "M"}${x(time)} ${y(value)}`;
        area += `${open ? "L" : `M${x(time)} ${HEIGHT}L`}${x(time)} ${y(value)}`;
      }
      const next = points[i + 1];
      if (known(value) && (!next || !known(next[1])))
        area += `L${x(time)} ${HEIGHT}Z`;
      open = known(value);
    });
    this.line.setAttribute("d", line);
    this.area.setAttribute("d", area);
    setAttribute(this.border, "visibility", known(limit) ? "visible" : "hidden");
    for (const side of ["y1", "y2"])
      this.border.setAttribute(side, y(limit ?? 0));
    setAttribute(this.svg, "aria-label", values.length ?
      `${this.label} in the last ${say.time(end - this.begin)}: at least ${this.say(Math.min(...values))}, ` +
      `at most ${this.say(Math.max(...values))}` : `${this.label}: nothing is known yet`);
  }

  /* Shows the value under the pointer. */
  point(event) {
    const box = this.svg.getBoundingClientRect();
    const time = event ? this.begin + (this.end - this.begin) * (event.clientX - box.left) / box.width : null;
    this.at = event ? this.points.reduce((best, p) =>
      !best || Math.abs(p[0] - time) < Math.abs(best[0] - time) ? p : best, null) : null;
    this.cursor.setAttribute("visibility", this.at ? "visible" : "hidden");
    if (!this.at) {
      this.tell();
      return;
    }
    const x = WIDTH * (this.at[0] - this.begin) / (this.end - this.begin);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    setText(this.value, this.say(this.at[1]) ?? "–");
    setText(this.note, (this.end - this.begin > RANGES.day / 2 ? day : clock).format(1000 * this.at[0]));
  }
}
