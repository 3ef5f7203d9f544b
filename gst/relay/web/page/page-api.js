/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Requests to the relay. If it needs a token, the tab keeps the token until it is closed. A login sets a cookie, which scripts
 * cannot read. The page hides what the role does not allow. */

const TOKEN = "fasp-relay-token";

/* A path of @names, which may have any characters. A proxy may show the relay below a path of its own. */
const BASE = location.pathname.replace(/\/*$/, "");
const path = (...names) => BASE + "/" + names.map(encodeURIComponent).join("/");

async function get(at) {
  const answer = await fetch(at, {cache: "no-store", headers: withToken()});
  if (!answer.ok)
    throw new Error(`${answer.status}`);
  return answer.json();
}

/* Shows the picture at that address, which is of this one alone. With a token it is fetched, as an img cannot send that. */
async function showPicture(image, at) {
  if (image.dataset.at === at)
    return;
  image.dataset.at = at;
  if (!sessionStorage.getItem(TOKEN)) {
    image.src = at;
    return;
  }
  const picture = await fetch(at, {headers: withToken()}).then(answer => answer.ok ? answer.blob() : null, () => null);
  if (!picture || image.dataset.at !== at)
    return;
  image.src = URL.createObjectURL(picture);
  image.onload = image.onerror = () => URL.revokeObjectURL(image.src);
}

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/* A header has bytes; the relay's file has the token in UTF-8. */
const asBearer = token => ({Authorization: `Bearer ${String.fromCharCode(...new TextEncoder().encode(token))}`});

function withToken(headers = {}) {
  const token = sessionStorage.getItem(TOKEN);
  return token ? {...asBearer(token), ...headers} : headers;
}

/* Why the relay refuses, a sentence; empty: a proxy has answered, with HTML. */
const readRefusal = async answer => answer.headers.get("Content-Type")?.startsWith("text/plain") ? answer.text() : "";

/* Reads events until the relay or @signal ends them. Not by an EventSource, as that cannot send the token, which gives the page
 * precedence over others. @open: called when the relay lets the page listen. @take: called with each summary. */
async function hear(at, {open, take}, signal) {
  const answer = await fetch(at, {cache: "no-store", signal, headers: withToken()});
  if (!answer.ok)
    throw new Refused(answer.status, await readRefusal(answer));
  open();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "";;) {
    const {value, done} = await reader.read();
    if (done)
      return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop();
    for (const frame of frames)
      take(JSON.parse(frame.slice("data: ".length)));
  }
}

const api = {
  mode: null,           // of the relay's API: "off", "open", "token" or "login"; null: not known
  role: null,           // of this page: "none", "view", "operate" or "administer"; null: not known
  name: null,           // of the user that is logged in
  users: false,         // the configuration has users: one can log in
  saved: true,          // the configuration in force is in the relay's file

  /* Does the relay take changes from this page? */
  get may() {
    return this.mode !== null && this.mode !== "off" && ["operate", "administer"].includes(this.role);
  },

  async ask(method, names, body, more = {}, signal = undefined) {
    const headers = withToken(more);
    if (body !== undefined)
      headers["Content-Type"] = "application/json";
    let answer;
    try {
      answer = await fetch(path("api", "v1", ...names), {method, headers, signal, cache: "no-store",
                                                             body: body === undefined ? undefined : JSON.stringify(body)});
    } catch {
      throw new Refused(0, "The relay does not answer. Is it running, and can this machine reach it?");
    }
    const text = await answer.text();
    let value = null;
    try {
      value = text ? JSON.parse(text) : null;
    } catch {
      value = {error: text};
    }
    if (answer.status === 401 && names[0] !== "session")
      this.forget();
    else if (answer.status === 403)
      this.role = null;         // it may have another one now: the next summary makes the page ask
    if (!answer.ok)
      throw new Refused(answer.status, value?.error ?? `The relay answers ${answer.status}.`);
    return value;
  },

  /* Asks which role this page has. Throws what went wrong. */
  async look(signal) {
    try {
      Object.assign(this, await this.ask("GET", ["session"], undefined, {}, signal));
    } catch (refused) {
      this.mode = this.role = null;     // the next summary makes the page ask again
      throw refused;
    } finally {
      this.show();
    }
  },

  /* The relay refused the token or the session: it has others now. */
  forget() {
    sessionStorage.removeItem(TOKEN);
    this.role = this.name = null;
    this.show();
  },

  show() {
    const login = this.users && !this.name;
    setText(find("unlock"), login ? "Log in" : "Enter token");
    setShown(find("unlock"), login || this.role === "none" || (this.mode === "token" && !this.may));
    setText(find("leave"), `Log out ${this.name ?? ""}`);
    setShown(find("leave"), Boolean(this.users && this.name));
    setShown(find("save"), this.may && this.role === "administer" && !this.saved);
    document.body.classList.toggle("may", this.may);
  },

  /* Takes both from a summary. */
  follow(mode, saved) {
    const known = this.role !== null && (this.mode === null || mode === this.mode);
    Object.assign(this, {mode, saved});
    if (known)
      this.show();
    else
      this.look().catch(() => { /* look() has shown what is allowed */ });
  },
};

/* The URIs of a field, which have a space between two. */
const splitUris = text => text.split(/\s+/).filter(Boolean);

/* @uri with a passphrase; empty: as it is. */
const withPassphrase = (uri, passphrase) =>
  passphrase ? `${uri}${uri.includes("?") ? "&" : "?"}passphrase=${encodeURIComponent(passphrase)}` : uri;

/* A field of the dialog. It hides a passphrase, also one within a URI. */
function makeInput({value = "", secret = false, autocomplete = "off"}, i) {
  const input = make("input", {id: i ? `dialog-input-${i + 1}` : "dialog-input", type: secret ? "password" : "text",
                               autocomplete, autocapitalize: "off", spellcheck: "false"});
  input.value = value;
  input.oninput = () => setAttribute(input, "type", secret || /passphrase=/i.test(input.value) ? "password" : "text");
  return input;
}

/* Opens the dialog, which asks for texts or for a confirmation. @fields: {caption, value, secret} of each text. @act: called with
 * the texts; if it throws an error, the dialog shows that, and the texts can be corrected. */
function ask({title, text, fields = [], ok, danger = false, act}) {
  const dialog = find("dialog"), form = find("dialog-form"), error = find("dialog-error"), button = find("dialog-ok"), inputs = fields.map(makeInput);
  setText(find("dialog-title"), title);
  setText(find("dialog-text"), text);
  find("dialog-fields").replaceChildren(...inputs.map((input, i) => make("label", {}, make("span", {text: fields[i].caption}), input)));
  setText(button, ok);
  setAttribute(button, "class", danger ? "danger" : "primary");
  setShown(error, false);
  find("dialog-cancel").onclick = () => dialog.close();
  async function submit(event) {
    let why = null;
    event.preventDefault();
    button.disabled = true;
    try {
      await act(...inputs.map(input => input.value.trim()));
    } catch (refused) {
      why = refused;
    }
    if (form.onsubmit !== submit)       // the dialog was closed meanwhile, and asks another question
      return;
    button.disabled = false;
    if (why)
      setText(error, why.message);
    else
      dialog.close();
    setShown(error, Boolean(why));
  }
  form.onsubmit = submit;
  button.disabled = false;
  dialog.showModal();
  (inputs[0] ?? find("dialog-cancel")).focus();
}

/* @then: called when the relay has taken the token. */
function askForToken(then) {
  ask({title: "Token of this relay", fields: [{caption: "Token", secret: true}], ok: "Use it",
       text: "It is in a file that the relay's configuration names. This tab keeps it until it is closed.",
       async act(token) {
         const session = await api.ask("GET", ["session"], undefined, asBearer(token));
         if (session["known-by"] !== "token")   // a client that auth-url lets in sees no page
           throw new Error("The relay does not take this token.");
         sessionStorage.setItem(TOKEN, token);
         Object.assign(api, session);
         api.show();
         then();
       }});
}

/* @then: called when the user is logged in. */
function askToLogIn(then) {
  ask({title: "Log in", ok: "Log in", text: "This relay shows itself to its users.",
       fields: [{caption: "User", autocomplete: "username"}, {caption: "Password", secret: true, autocomplete: "current-password"}],
       async act(user, password) {
         sessionStorage.removeItem(TOKEN);
         Object.assign(api, await api.ask("POST", ["session"], {user, password}));
         api.show();
         then();
       }});
}
