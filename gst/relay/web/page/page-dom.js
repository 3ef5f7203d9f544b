/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of the page. Texts from the network are inserted as text, never as markup. */

const find = id => document.getElementById(id);

/* Makes an element. @attributes: its attributes, `text', and handlers such as `onclick'. */
function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "line"].includes(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text")
      node.textContent = value;
    else if (name.startsWith("on"))
      node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null)
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/* These do nothing if the value is the same, so that the reader's selection and focus stay. */
function setText(node, text) {
  if (node.textContent !== text)
    node.textContent = text;
}

function setShown(node, shown) {
  if (node.hidden === shown)
    node.hidden = !shown;
}

function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value)
    node.setAttribute(name, value);
}

/* Makes the children of @parent follow @items: each item has a part {node, update(item)}, which is made once for its key. */
class Parts {
  constructor(parent, key, create) {
    Object.assign(this, {parent, key, create, parts: new Map()});
  }

  follow(items) {
    const focused = document.activeElement;
    const keys = new Set(items.map(this.key));
    for (const [key, part] of this.parts)
      if (!keys.has(key)) {
        part.node.remove();
        part.end?.();
        this.parts.delete(key);
      }
    let before = null;
    for (const item of items) {
      const key = this.key(item);
      let part = this.parts.get(key);
      if (!part) {
        part = this.create(item);
        this.parts.set(key, part);
      }
      const place = before ? before.nextSibling : this.parent.firstChild;
      if (part.node !== place)
        this.parent.insertBefore(part.node, place);
      part.update(item);
      before = part.node;
    }
    if (focused !== document.activeElement && this.parent.contains(focused))
      focused.focus({preventScroll: true});       // it was moved
  }
}

/* A list of terms and values, in the order in which `set' first got them. */
class Terms {
  constructor(node) {
    this.node = node;
    this.rows = new Map();
  }

  set(term, value, field = null, meaning = null) {
    let row = this.rows.get(term);
    if (!row) {
      const said = make("dd", field ? {"data-field": field} : {});
      row = {node: make("div", {}, make("dt", {text: term, title: meaning}), said), said};
      this.rows.set(term, row);
      this.node.append(row.node);
    }
    setText(row.said, value ?? "–");
    return row;
  }

  /* @figures: rows of FIGURES. @of: the values, by name. */
  show(figures, of) {
    for (const figure of figures)
      this.set(figure.label, sayFigure(figure, of), figure.name, figure.meaning);
  }
}
