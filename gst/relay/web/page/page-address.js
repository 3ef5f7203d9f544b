/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the address of the page names behind its #: a link to it shows the same again.
 *
 *   #?find=TEXT&only=faults&as=rows     the wall
 *   #/STREAM?range=week                 a stream
 *   #/STREAM/OUTPUT/ADDRESS             a receiver */

const linkTo = (...names) => "#/" + names.map(encodeURIComponent).join("/");

function readAddress() {
  const [at, query] = location.hash.slice(1).split("?");
  const wanted = new URLSearchParams(query);
  let names = [];
  try {
    names = at.split("/").slice(1).map(decodeURIComponent);
  } catch {
    /* it was cut: the wall */
  }
  return {stream: names[0], output: names[1], receiver: names[2],
          range: Object.hasOwn(RANGES, wanted.get("range")) ? wanted.get("range") : "hour", find: wanted.get("find") ?? "",
          only: wanted.get("only") === "faults" ? "faults" : "", as: wanted.get("as") === "rows" ? "rows" : "tiles"};
}

/* The wall as it was seen last. */
let wallAddress = "#";
const linkToWall = () => wallAddress;
const keepWall = () => wallAddress = location.hash || "#";

/* Names the wall that is shown, without a step in the browser's history. */
function nameWall({find, only, as}) {
  const wanted = new URLSearchParams(Object.entries({find, only, as: as === "tiles" ? "" : as}).filter(([, value]) => value));
  history.replaceState(null, "", `#${wanted.size ? `?${wanted}` : ""}`);
}

/* The address by which others call an end that waits for calls; else the end's own. @streamid: of the stream. */
function callAddress(uri, streamid) {
  const [, scheme, port] = /^(fasp|srt):\/\/(?:0\.0\.0\.0|\[::\])?:(\d+)/.exec(uri ?? "") ?? [];
  const its = new URLSearchParams(uri?.split("?")[1]).get("streamid") ?? streamid;
  return !port ? uri : `${scheme}://${location.hostname}:${port}${scheme === "fasp" ? `?streamid=${encodeURIComponent(its)}` : ""}`;
}

/* An address of an end, and buttons that copy what others call, or show it as a QR code. */
class Address {
  constructor() {
    this.uri = make("code", {class: "uri", "data-field": "uri"});
    this.button = make("button", {type: "button", class: "copy", text: "Copy", onclick: () => this.copy()});
    this.toggle = make("button", {type: "button", class: "copy", text: "QR code", "aria-expanded": "false", onclick: () => this.draw(!this.code)});
    this.node = make("span", {class: "address"}, this.uri, this.button, this.toggle);
  }

  show(uri, streamid) {
    const call = callAddress(uri, streamid), changed = call !== this.call;
    this.call = call;
    if (changed && this.code)
      this.draw(Boolean(uri));
    setText(this.uri, uri ?? "");
    setAttribute(this.button, "title", `Copy ${this.call}`);
    setAttribute(this.button, "aria-label", `Copy ${this.call}`);
    setAttribute(this.toggle, "aria-label", `QR code of ${this.call}`);
    for (const button of [this.button, this.toggle])
      setShown(button, Boolean(uri));
  }

  draw(shown) {
    this.code?.remove();
    this.code = shown ? drawQr(this.call) ?? make("span", {class: "note", text: "It is too long for a QR code."}) : null;
    this.node.append(...this.code ? [this.code] : []);
    setAttribute(this.toggle, "aria-expanded", String(shown));
  }

  /* navigator.clipboard is not there without TLS. */
  copy() {
    const text = make("textarea", {readonly: true, class: "skip"});
    text.value = this.call;
    this.node.append(text);
    text.select();
    setText(this.button, document.execCommand("copy") ? "Copied" : "Not allowed");
    text.remove();
    this.button.focus();
    setTimeout(() => setText(this.button, "Copy"), 2000);
  }
}
