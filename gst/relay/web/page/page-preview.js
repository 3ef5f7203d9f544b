/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Moving picture and sound of a stream. The relay sends one MP4 from a key frame on, until the stream's codecs change or the
 * reader stops: then this asks again, or not. */

const EDGE = 0.6;               // s that the picture is behind the newest data, as the relay sends a piece each 0.25 s
const HASTEN = 1.2;             // further behind than this, s, it plays faster
const LEAP = 3;                 // further behind than this, s, it jumps to the newest
const FAST = 1.1;               // a tenth faster than the stream
const KEPT = 10;                // s of data that was played are kept
const ANEW = 1000;              // ms until it asks again
const NAMES = {avc1: "H.264", hvc1: "H.265", hev1: "H.265", mp4a: "AAC", opus: "Opus"};

function sayCodec(codec) {
  const name = NAMES[codec.split(".")[0].toLowerCase()];
  return name ? `${name} (${codec})` : codec;
}

/* The codecs of a type of RFC 6381, as people call them. */
const sayCodecs = type => (/codecs="([^"]*)"/.exec(type)?.[1] ?? type).split(/, */).map(sayCodec).join(", ");

const happens = (node, what) => new Promise(done => node.addEventListener(what, done, {once: true}));

class Preview {
  constructor(name) {
    this.name = name;
    this.button = make("button", {type: "button", text: "Watch", "aria-label": `Watch ${name}`, onclick: () => this.going ? this.stop("") : this.start()});
    this.caption = make("p", {class: "quiet", role: "status"});
    this.video = make("video", {controls: true, playsinline: true, hidden: true, "aria-label": `Preview of ${name}, without captions`,
                                onpause: () => this.going && !this.video.seeking && !this.video.error && this.stop("")});
    this.node = make("div", {class: "preview", hidden: true}, this.video, this.button, this.caption);
  }

  update(stream) {
    const may = stream["preview-viewers"] > 0;
    setShown(this.node, may);
    if (!may && this.going)
      this.stop("");
  }

  async start() {
    const going = this.going = new AbortController();
    setText(this.button, "Stop");
    this.tell("The preview begins with the next key frame.");
    while (this.going === going) {
      try {
        await this.play(going.signal);
        if (this.going !== going)
          return;
        this.tell(this.video.error ? "What came was damaged: the preview begins anew." :
                  "The stream has changed, or the relay has ended the preview: it begins anew.");
      } catch (refused) {
        if (this.going !== going)
          return;
        if (!(refused instanceof Refused) || refused.status !== 503) {
          this.stop(refused.message);
          return;
        }
        this.tell(refused.message);
      }
      await new Promise(done => setTimeout(done, ANEW));
    }
  }

  /* @why: shown instead of it. */
  stop(why) {
    this.going?.abort();
    this.going = null;
    this.close();
    setText(this.button, "Watch");
    setShown(this.video, false);
    this.tell(why);
  }

  tell(text) {
    setText(this.caption, text);
  }

  close() {
    if (this.video.src)
      URL.revokeObjectURL(this.video.src);
    this.video.removeAttribute("src");
    this.video.load();
  }

  /* Plays one MP4 to its end. Throws Refused with a sentence. */
  async play(signal) {
    const answer = await fetch(path("streams", this.name, "preview.mp4"), {cache: "no-store", signal, headers: withToken()}).catch(() => {
      throw new Refused(503, "The relay does not answer.");
    });
    const type = answer.headers.get("Content-Type") ?? "";
    if (!answer.ok)
      throw new Refused(answer.status, await readRefusal(answer) || `There is no preview: ${answer.status}.`);
    if (!window.MediaSource?.isTypeSupported(type)) {
      await answer.body.cancel();
      throw new Refused(415, `This browser does not play ${sayCodecs(type)}.`);
    }
    const media = new MediaSource();
    this.begun = false;
    this.close();
    this.video.src = URL.createObjectURL(media);
    setShown(this.video, true);
    await happens(media, "sourceopen");
    this.tell(type.includes(",") ? "" : `This is ${sayCodecs(type)} alone: the stream has nothing else that browsers play.`);
    await this.take(answer.body.getReader(), media.addSourceBuffer(type));
  }

  /* Throws Refused when the browser decodes nothing of it. What it has begun to play may be damaged later: it returns then. */
  async take(reader, buffer) {
    const {video} = this;
    video.onerror = () => reader.cancel().catch(() => { /* it has failed already */ });
    for (;;) {
      const {value, done} = await reader.read().catch(() => ({done: true}));
      if (video.error && !video.played.length)
        throw new Refused(415, `This browser cannot play it: ${video.error.message || "its decoder failed"}.`);
      if (done || !this.going || video.error)
        return;
      await this.change(buffer, () => buffer.appendBuffer(value));
      const shown = video.currentTime;
      if (buffer.buffered.length && buffer.buffered.start(0) < shown - 2 * KEPT)
        await this.change(buffer, () => buffer.remove(0, shown - KEPT));
      this.follow(buffer.buffered);
    }
  }

  /* Returns when it is done, or the video has an error. */
  async change(buffer, act) {
    const changed = happens(buffer, "updateend");
    try {
      act();
      await changed;
    } catch (error) {
      if (!this.video.error)
        throw error;
    }
  }

  /* Stays near the newest that has come. */
  follow(buffered) {
    const n = buffered.length, {video} = this;
    if (!n || video.seeking)
      return;
    const first = buffered.start(n - 1), last = buffered.end(n - 1), behind = last - video.currentTime;
    if (video.currentTime < first || behind > LEAP)
      video.currentTime = Math.max(first, last - EDGE);
    video.playbackRate = behind > HASTEN ? FAST : 1;
    if (!this.begun)
      video.play().catch(() => this.tell("This browser plays it when you press Play."));
    this.begun = true;
  }
}
