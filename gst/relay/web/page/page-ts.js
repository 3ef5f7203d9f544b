/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What TR 101 290 measures of an end: a light for each error, green to red, and a line for each that has been there. */

/* An error that has been there: how often, when first and last. */
class ErrorLine {
  constructor(error) {
    this.row = FIGURES.errors.find(row => row.name === error.error) ?? {label: error.error, meaning: NEWER};
    this.words = make("span", {class: "facts"});
    this.node = make("li", {title: this.row.meaning}, make("b", {text: this.row.label}), " ", this.words);
  }

  update({errors, first, last}) {
    setText(this.words, `${errors === 1 ? "once" : `${errors} times`}, first ${day.format(1000 * first)}, last ${sayAgo(last, now)}`);
  }
}

class Lights {
  /* @end: "the input", "output 1" */
  constructor(end) {
    const lights = make("p", {class: "lights"});
    this.lights = FIGURES.errors.map(row => [row, lights.appendChild(make("span", {text: row.name, "data-error": row.name}))]);
    this.facts = make("p", {class: "facts"});
    this.list = make("ul", {class: "errors"});
    this.lines = new Parts(this.list, e => e.error, e => new ErrorLine(e));
    this.node = make("div", {role: "group", "aria-label": `TR 101 290 of ${end}`, hidden: true}, lights, this.facts, this.list);
  }

  update({measured, judged, errors, "ts-bitrate": rate, "pcr-accuracy": accuracy, "pcr-jitter": jitter}) {
    setShown(this.node, measured);
    setText(this.facts, [say.rate(rate), known(accuracy) && `PCR off by ${accuracy} ns of its bytes`,
                         known(jitter) && `by ${say.ms(jitter / 1e6)} of its time`].filter(Boolean).join(" · "));
    for (const [row, light] of this.lights) {
      const error = errors.find(e => e.error === row.name) ?? {state: judged ? "good" : "unknown", errors: 0};
      const look = error.state === "good" && error.errors > 0 ? "past" : error.state;
      const words = {good: "never", past: "not now", bad: "now", unknown: "not known"}[look];
      setAttribute(light, "class", `light ${look}`);
      setAttribute(light, "title", `${row.label} (${row.clause}, priority ${row.priority}): ${row.meaning}. It is there: ${words}.`);
    }
    this.lines.follow(errors.filter(e => e.errors > 0));
  }
}
