/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The picture of a stream and the levels of its sound, as far as the relay has them. */

const OLD = 10;                 // s: an older picture is shown with its age
const QUIET = -60;              // dBFS at the left end of a meter

class Screen {
  constructor(name) {
    this.name = name;
    this.picture = make("img", {class: "picture", alt: `What ${name} shows`, hidden: true});
    this.caption = make("p", {class: "quiet", hidden: true});
    this.meters = make("div", {class: "meters", role: "img", hidden: true});
    this.node = make("div", {class: "screen"}, this.picture, this.caption, this.meters);
  }

  /* Each picture has an address of its own, so the browser asks for it once. */
  update({picture, levels, receiving}) {
    const time = picture?.time, error = receiving ? picture?.error : null;
    const caption = picture ? sayPicture(time && Date.parse(time) / 1000, receiving, error) : "– No pictures: picture-interval is 0.";
    setShown(this.picture, Boolean(time));
    if (time)
      showPicture(this.picture, `${path("streams", this.name, "picture.jpg")}?${time}`);
    this.picture.classList.toggle("past", !receiving || Boolean(error));
    setText(this.caption, caption);
    setShown(this.caption, Boolean(caption));
    setShown(this.meters, receiving && levels.length > 0);
    if (!this.meters.hidden)
      this.showLevels(levels);
  }

  showLevels(levels) {
    const names = levels.length === 2 ? ["L", "R"] : levels.map((_, i) => `${i + 1}`);
    while (this.meters.children.length > levels.length)
      this.meters.lastChild.remove();
    while (this.meters.children.length < levels.length)
      this.meters.append(make("div", {}, make("span"), make("meter", {min: QUIET, max: 0, high: -9, optimum: -30}), make("span")));
    levels.forEach((level, i) => {
      const [name, meter, value] = this.meters.children[i].children;
      setText(name, names[i]);
      meter.value = level;
      setText(value, sayLevel(level));
    });
    setAttribute(this.meters, "aria-label", `Sound, highest of the last measurement: ${levels.map((l, i) => `${names[i]} ${sayLevel(l)}`).join(", ")}`);
  }
}
