/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The alarms of all streams: how many there are, and a sound when there is another one. */

const SOUND = "fasp-relay-sound";       // in the browser's storage: "off"
const TONES = [880, 660];               // Hz
const TONE = 0.25;                      // s

const alarms = {
  known: new Set(),
  context: null,
  played: 0,

  get wanted() {
    return localStorage.getItem(SOUND) !== "off";
  },

  /* A browser lets a page sound only when its reader has touched it. */
  get allowed() {
    return navigator.userActivation?.hasBeenActive ?? true;
  },

  follow(streams) {
    const present = streams.flatMap(s => s.alarms.map(a => `${s.name}: ${findAlarm(a.name).label}`));
    const added = present.filter(one => !this.known.has(one));
    this.known = new Set(present);
    setText(find("alarms"), several(present.length, "alarm"));
    setShown(find("alarms"), present.length > 0);
    if (!present.length)
      setText(find("alarm-news"), "");
    if (added.length > 0) {
      setText(find("alarm-news"), `Alarm: ${added.slice(0, 3).join(", ")}${added.length > 3 ? ` and ${added.length - 3} more` : ""}`);
      this.sound();
    }
    this.show();
  },

  show() {
    setText(find("sound"), !this.wanted ? "Sound is off" : this.allowed ? "Sound is on" : "Sound waits for a click");
    setAttribute(find("sound"), "aria-pressed", String(this.wanted));
  },

  sound() {
    if (!this.wanted || !this.allowed)
      return;
    this.context ??= new AudioContext();
    TONES.forEach((frequency, i) => {
      const tone = this.context.createOscillator(), volume = this.context.createGain();
      tone.frequency.value = frequency;
      volume.gain.value = 0.2;
      tone.connect(volume).connect(this.context.destination);
      tone.start(this.context.currentTime + i * TONE);
      tone.stop(this.context.currentTime + (i + 1) * TONE);
    });
    this.played++;
  },

  toggle() {
    if (this.wanted)
      localStorage.setItem(SOUND, "off");
    else
      localStorage.removeItem(SOUND);
    this.show();
    this.sound();
  },
};

/* The part of a stream's page with its alarms, and with the names of those that are not watched. */
class Watch {
  constructor() {
    this.list = make("ul", {class: "alarms"});
    this.rest = make("p", {class: "quiet"});
    this.node = make("div", {class: "watch"}, this.list, this.rest);
    this.lines = new Parts(this.list, a => a.name, a => new Alarm(a));
  }

  update(stream) {
    const needs = new Map();
    for (const {needs: why, label} of stream.receiving ? stream.unwatched.map(findAlarm) : [])
      needs.set(why, [...needs.get(why) ?? [], label]);
    this.lines.follow(stream.alarms.map(alarm => ({...alarm, stream})));
    setText(this.rest, [...needs].map(([why, names]) => `Not watched: ${names.join(", ")} – ${why}.`).join("\n"));
  }
}

class Alarm {
  constructor({name}) {
    const {rules, meaning} = findAlarm(name);
    this.words = make("b");
    this.node = make("li", {title: `Alert rules: ${rules}`}, this.words, ` ${meaning}.`);
  }

  update(alarm) {
    setText(this.words, `${sayAlarm(alarm.stream, alarm)}.`);
  }
}
