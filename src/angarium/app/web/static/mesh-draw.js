// The drawing: one SVG with an element for each broker and each link, which is changed only where the mesh is.
//
// `sync` compares what each element was made from with what it is to be made from now. `move` carries one broker and
// the ends of its own links; nothing else is touched, so that fifty brokers stay as smooth as five. Marks (a path
// that fails, a link that is dead, a broker's colour) are classes and labels on the same elements.

import { cableOf, clientsByBroker, directionsOf, endsOf, isBothWays, nameOf } from "./mesh-model.js";
import { boxAround, cardOf, lineBetween } from "./mesh-shapes.js";

const SVG = "http://www.w3.org/2000/svg";
const HUES = 7;
const FAR = 1.4;
/** From so many units to a pixel on, lines on cards cannot be read, and names are drawn over the whole card. */
const MARKS = ["marked", "would-fail", "mark-lost", "mark-loop", "mark-doubled", "mark-path"];
const CENTRED = { "text-anchor": "middle", "dominant-baseline": "central" };

export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export class Drawing {
  cards = new Map();
  #brokers = new Map();
  #links = new Map();
  #linksOf = new Map();
  #byDirection = new Map();
  #marked = [];

  constructor(svg, state) {
    Object.assign(this, { svg, state });
    const ids = ["links", "brokers", "letters"];
    this.layers = Object.fromEntries(ids.map((id) => [id, svg.querySelector(`#${id}`)]));
    this.view = { left: -400, top: -300, width: 800, height: 600 };
    this.show(this.view);
    new ResizeObserver(() => this.show(this.view)).observe(svg);
  }

  // --- where one looks -----------------------------------------------------------------------------------

  show(view) {
    this.view = view;
    const numbers = [view.left, view.top, view.width, view.height];
    this.svg.setAttribute("viewBox", numbers.map((each) => each.toFixed(1)).join(" "));
    const scale = Math.max(view.width / this.svg.clientWidth, view.height / this.svg.clientHeight);
    this.svg.classList.toggle("far", scale > FAR);
  }

  /** Let everything be seen, a little larger than it is if there is room. */
  fit() {
    const box = boxAround(this.state.places, this.cards);
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!box || !width) return;
    const scale = Math.max(0.75, box.width / width, box.height / height);
    const [wide, tall] = [width * scale, height * scale];
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    this.show({ left: x - wide / 2, top: y - tall / 2, width: wide, height: tall });
  }

  zoom(factor, at = this.middle) {
    const { left, top, width, height } = this.view;
    const scale = Math.min(8000 / width, Math.max(200 / width, factor));
    this.show({
      left: at[0] - (at[0] - left) * scale,
      top: at[1] - (at[1] - top) * scale,
      width: width * scale,
      height: height * scale,
    });
  }

  /** Move the view if a place is outside it. */
  reveal([x, y]) {
    const { left, top, width, height } = this.view;
    const isSeen = x > left && x < left + width && y > top && y < top + height;
    if (!isSeen) this.show({ left: x - width / 2, top: y - height / 2, width, height });
  }

  /** Where on the drawing the pointer is. */
  placeOf(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [at.x, at.y];
  }

  get middle() {
    return [this.view.left + this.view.width / 2, this.view.top + this.view.height / 2];
  }

  // --- what is drawn -------------------------------------------------------------------------------------

  /** Make the drawing what the state says, touching only what is different. */
  sync() {
    const { mesh, places } = this.state;
    const clients = clientsByBroker(mesh);
    this.cards = new Map(mesh.order.map((name) => [name, cardOf(name, clients.get(name))]));
    this.#drop(this.#brokers, new Set(mesh.order));
    for (const name of mesh.order) this.#syncBroker(name, clients.get(name));
    const lines = this.#lines();
    this.#drop(this.#links, new Set(lines.map(({ name }) => name)));
    this.#linksOf = new Map(mesh.order.map((name) => [name, []]));
    this.#byDirection = new Map();
    for (const line of lines) this.#syncLink(line, places);
    this.#order(this.layers.brokers, mesh.order.map((name) => this.#brokers.get(name).element));
    this.#order(this.layers.links, lines.map(({ name }) => this.#links.get(name).element));
    this.syncSelection();
    this.syncFailed();
  }

  #drop(drawn, names) {
    for (const [name, { element }] of drawn) {
      if (names.has(name)) continue;
      element.remove();
      drawn.delete(name);
    }
  }

  /** The order of elements is that in which Tab goes round. */
  #order(layer, elements) {
    elements.forEach((element, place) => {
      if (layer.children[place] !== element) layer.insertBefore(element, layer.children[place] ?? null);
    });
  }

  /** Every link that is a line, with its place among those between the same two brokers. */
  #lines() {
    const drawn = this.state.mesh.links.filter((link) => endsOf(link)[0] !== endsOf(link)[1]);
    const between = Map.groupBy(drawn, (link) => JSON.stringify([...endsOf(link)].sort()));
    return drawn.map((link) => {
      const all = between.get(JSON.stringify([...endsOf(link)].sort()));
      return { link, name: nameOf(link), place: all.indexOf(link), count: all.length };
    });
  }

  #syncBroker(name, clients) {
    const card = this.cards.get(name);
    const made = JSON.stringify([card, clients]);
    const drawn = this.#brokers.get(name);
    if (drawn?.made !== made) {
      const element = drawn?.element ?? s("g", { class: "broker", tabindex: 0, role: "button", "data-broker": name });
      element.setAttribute("aria-label", describeBroker(name, clients));
      element.replaceChildren(...cardElements(name, card));
      this.#brokers.set(name, { element, made });
    }
    this.#place(name);
  }

  #place(name) {
    const [x, y] = this.state.places[name];
    set(this.#brokers.get(name).element, "transform", `translate(${x} ${y})`);
  }

  #syncLink(line, places) {
    const { link, name } = line;
    const ends = endsOf(link).map((end) => [places[end], this.cards.get(end)]);
    const made = JSON.stringify([link, line.place, line.count, ends]);
    const drawn = this.#links.get(name) ?? this.#newLink(name);
    if (drawn.made !== made) {
      Object.assign(drawn, line, { made });
      this.#describeLink(drawn);
      this.#route(drawn);
    }
    for (const end of endsOf(link)) this.#linksOf.get(end).push(name);
    for (const direction of directionsOf(link)) this.#byDirection.set(direction, name);
  }

  #newLink(name) {
    const parts = Object.fromEntries(["hit", "line", "tip"].map((kind) => [kind, s("path", { class: kind })]));
    parts.label = s("text", { class: "label", ...CENTRED });
    parts.title = s("title");
    const element = s("g", { class: "link", tabindex: 0, role: "button", "data-link": name }, ...Object.values(parts));
    const drawn = { element, parts, made: "" };
    this.#links.set(name, drawn);
    return drawn;
  }

  #describeLink({ element, parts, link, name }) {
    const [one, other] = endsOf(link);
    const both = isBothWays(link);
    const cost = String(link.cost ?? 1);
    const filtered = link.accepts !== undefined || link.refuses !== undefined;
    const words = [
      `link ${name}`,
      both ? `between ${one} and ${other}` : `from ${one} to ${other}`,
      `cost ${cost}`,
      ...(filtered ? ["with a filter"] : []),
    ].join(", ");
    element.setAttribute("aria-label", words);
    parts.title.textContent = words;
    parts.label.dataset.plain = [cost === "1" ? "" : cost, filtered ? "▽" : ""].filter(Boolean).join(" ");
    relabel(element);
    parts.tip.classList.toggle("none", both);
  }

  #route({ parts, link, place, count }) {
    const [one, other] = endsOf(link);
    const { places } = this.state;
    const bend = one <= other ? place : count - 1 - place; // so that two that lead to and fro bend apart
    const [from, to] = [one, other].map((end) => ({ at: places[end], card: this.cards.get(end) }));
    const { path, middle, tip } = lineBetween(from, to, bend, count);
    set(parts.hit, "d", path);
    set(parts.line, "d", path);
    set(parts.tip, "d", tip);
    set(parts.label, "x", middle[0].toFixed(1));
    set(parts.label, "y", middle[1].toFixed(1));
  }

  /** A broker is elsewhere: it and the ends of its own links are carried, and nothing else. */
  move(name, at) {
    this.state.places[name] = at;
    this.#place(name);
    for (const link of this.#linksOf.get(name)) this.#route(this.#links.get(link));
  }

  elementOf({ kind, name }) {
    return (kind === "broker" ? this.#brokers : this.#links).get(name)?.element;
  }

  // --- what is marked ------------------------------------------------------------------------------------

  syncSelection() {
    for (const element of this.svg.querySelectorAll(".selected")) element.classList.remove("selected");
    if (this.state.selection) this.elementOf(this.state.selection)?.classList.add("selected");
  }

  syncFailed() {
    const { failed } = this.state;
    const isGone = (broker) => failed.includes(`broker ${broker}`);
    for (const [name, { element }] of this.#brokers) element.classList.toggle("dead", isGone(name));
    for (const { element, link } of this.#links.values()) {
      const isDead = failed.includes(`link ${cableOf(link)}`);
      element.classList.toggle("dead", isDead);
      element.classList.toggle("cut", !isDead && endsOf(link).some(isGone));
      if (!element.classList.contains("marked")) relabel(element);
    }
  }

  /** Show a path by numbered hops; `dead` would have to fail for it. */
  mark({ path = [], round = [], kind, dead = { brokers: [], links: [] } }) {
    this.unmark();
    const numbers = new Map();
    [...path, ...round].forEach((direction, hop) => {
      const name = this.#byDirection.get(direction);
      if (name) numbers.set(name, [...(numbers.get(name) ?? []), hop + 1]);
    });
    for (const [name, hops] of numbers) {
      const { element, parts } = this.#links.get(name);
      this.#mark(element, "marked", `mark-${kind}`);
      parts.label.textContent = hops.join("·");
    }
    const cut = [...this.#links.values()].filter(({ link }) => dead.links.includes(cableOf(link)));
    const gone = dead.brokers.flatMap((name) => this.#brokers.get(name) ?? []);
    for (const { element } of [...cut, ...gone]) this.#mark(element, "would-fail");
  }

  #mark(element, ...classes) {
    element.classList.add(...classes);
    this.#marked.push(element);
  }

  unmark() {
    for (const element of this.#marked) {
      element.classList.remove(...MARKS);
      relabel(element);
    }
    this.#marked = [];
  }

  /** The colour of each broker by number; brokers without one have no badge. */
  showColours(colours) {
    for (const [name, { element }] of this.#brokers) {
      const colour = colours?.get(name);
      const hue = { undefined: "none", null: "hue-none" }[colour] ?? `hue${colour % HUES}`;
      const badge = element.querySelector(".badge");
      set(badge, "class", `badge ${hue}`);
      write(badge.querySelector("text"), colour === undefined ? "" : String(colour ?? "?"));
    }
  }

  /** The links over which news passes, as lines from broker to broker. */
  showLetters(letters) {
    const named = new Set(letters.flatMap(([from, to]) => this.#linksBetween(from, to)));
    for (const [name, { element }] of this.#links) element.classList.toggle("news", named.has(name));
  }

  #linksBetween(from, to) {
    return (this.#linksOf.get(from) ?? []).filter((name) => endsOf(this.#links.get(name).link).includes(to));
  }
}

function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** A link without a mark says that it is dead, or what is to say of it. */
function relabel(element) {
  const label = element.querySelector(":scope > .label");
  const words = element.classList.contains("dead") ? "✗" : label?.dataset.plain;
  if (label) write(label, words);
}

function describeBroker(name, { publishes, subscribes }) {
  const parts = [`broker ${name}`];
  if (publishes.length) parts.push(`publishes ${publishes.join(", ")}`);
  if (subscribes.length) parts.push(`subscribes ${subscribes.join(", ")}`);
  return parts.join("; ");
}

/** A name as large as the card allows, for who looks from afar. */
function farName(title, width) {
  const name = s("text", { class: "far-name", x: 0, y: 0, ...CENTRED }, title);
  name.style.fontSize = `${Math.min(26, (width - 8) / (0.62 * title.length)).toFixed(1)}px`;
  return name;
}

function cardElements(name, { title, lines, width, height }) {
  const [x, y] = [-width / 2, -height / 2];
  const box = (room) => {
    return { x: x - room, y: y - room, width: width + 2 * room, height: height + 2 * room, rx: 8 + room };
  };
  const line = (kind, words, below) => s("text", { class: kind, x: 0, y: y + below, "text-anchor": "middle" }, words);
  const badge = { class: "badge none", transform: `translate(${-x - 2} ${y - 1})` };
  return [
    s("rect", { class: "rim", ...box(7) }),
    s("rect", { class: "card", ...box(0) }),
    s("path", { class: "cross", d: `M${x} ${y}L${-x} ${-y}M${-x} ${y}L${x} ${-y}` }),
    line("name", title, 20),
    ...lines.map(({ kind, text }, row) => line(kind, text, 35 + 15 * row)),
    farName(title, width),
    s("g", badge, s("circle", { r: 11 }), s("text", CENTRED)),
    s("title", {}, name),
  ];
}
