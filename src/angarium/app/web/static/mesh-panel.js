// The panel of what is selected: a broker, a link, a topic; the mesh itself if nothing is. Everything that the mouse
// and the keys do in the drawing can be done here as well.

import { fill, h } from "/static/common.js";
import { cableOf, endsOf, isBothWays, linkNamed, nameOf } from "./mesh-model.js";
import { renameBroker, renameTopic, setDirection, setEntry } from "./mesh-model.js";
import { addChoice, amount, chip, chipsField, choiceField, textField } from "./mesh-parts.js";

const DIALECTS = ["plain", "mqtt", "amqp", "nats", "mirrormaker"].map((each) => [each, each]);
const ROUTINGS = [
  ["shortest", "shortest paths"],
  ["forward", "links hand on"],
  ["tables", "given tables"],
];
const sizeOf = ({ order, links }) => `${amount(order.length, "broker")}, ${amount(links.length, "link")}`;
const isText = (value) => value === undefined || typeof value === "string";

export class Panel {
  constructor(place, state, actions) {
    Object.assign(this, { place, state, actions });
  }

  show() {
    const { selection } = this.state;
    const focus = this.#controls().indexOf(document.activeElement);
    const shown = {
      broker: () => this.#broker(selection.name),
      link: () => this.#link(selection.name),
      topic: () => this.#topic(selection.name),
    };
    fill(this.place, selection ? shown[selection.kind]() : this.#whole());
    if (focus >= 0) this.#controls()[focus]?.focus();
  }

  #controls() {
    return [...this.place.querySelectorAll("input, select, button")];
  }

  /** The first field, to type at once. */
  focus() {
    const first = this.place.querySelector("input");
    first?.focus();
    first?.select();
  }

  #select(kind, name) {
    this.state.select({ kind, name });
  }

  #whole() {
    const { mesh } = this.state;
    const possible = ROUTINGS.filter(([kind]) => (kind === "tables") === (mesh.tables !== undefined));
    const set = (edit) => this.state.change(edit);
    return [
      textField("Mesh", mesh.mesh, (name) => name && set((draft) => { draft.mesh = name; })),
      choiceField("Routing", mesh.routing.kind, possible, (kind) => set((draft) => { draft.routing.kind = kind; })),
      choiceField("Dialect", mesh.dialect ?? "plain", DIALECTS, (word) => set((draft) => { draft.dialect = word; })),
      chipsField(
        "Topics",
        Object.keys(mesh.topics ?? {}).map((name) => chip(name, () => this.#select("topic", name))),
        chip("Add topic", () => this.actions.addTopic()),
      ),
      mesh.order.length ? h("p", { class: "pale" }, `${sizeOf(mesh)}. Select one to change it.`) : null,
    ];
  }

  // --- a broker ----------------------------------------------------------------------------------------

  #broker(name) {
    const { mesh } = this.state;
    const said = mesh.brokers[name];
    const others = mesh.order.filter((each) => each !== name);
    const takers = [["", "nobody"], ...others.map((each) => [each, each])];
    const begin = h("button", { onclick: () => this.actions.beginLink(name) }, "Link with…");
    const set = (key, value) => this.state.change((draft) => setEntry(draft.brokers[name], key, value));
    const links = mesh.links.filter((link) => endsOf(link).includes(name)).map(nameOf);
    return [
      textField("Broker", name, (other, control) => this.#renameBroker(name, other, control)),
      choiceField("Substitute", said.substitute ?? "", takers, (other) => set("substitute", other)),
      isText(said.latency) ? textField("Latency", said.latency, (value) => set("latency", value), "0 ms") : null,
      this.#ends(name, "from", "Publishes"),
      this.#ends(name, "to", "Subscribes"),
      links.length ? chipsField("Links", links.map((link) => chip(link, () => this.#select("link", link)))) : null,
      this.#buttons({ kind: "broker", name }, begin),
    ];
  }

  #renameBroker(name, other, control) {
    if (!other || this.state.mesh.order.includes(other)) {
      control.value = name;
      return;
    }
    this.state.change((draft, places) => {
      renameBroker(draft, name, other);
      places[other] = places[name];
      delete places[name];
    });
    this.#select("broker", other);
  }

  /** The topics that come from a broker, or go to it, with a choice to add one. */
  #ends(name, end, label) {
    const { mesh } = this.state;
    const topics = Object.keys(mesh.topics ?? {});
    const mine = topics.filter((topic) => mesh.topics[topic][end]?.includes(name));
    const clients = Object.entries(mesh[end === "from" ? "publishers" : "subscribers"] ?? {});
    const without = (topic) => this.#changeEnds(topic, end, (all) => all.filter((each) => each !== name));
    return chipsField(
      label,
      clients.filter(([, said]) => said.at === name).map(([client]) => h("span", { class: "pale" }, client)),
      mine.map((topic) => [
        chip(topic, () => this.#select("topic", topic)),
        chip("×", () => without(topic), `${label} ${topic} no longer`),
      ]),
      addChoice(
        `${label}: add a topic`,
        topics.filter((topic) => !mine.includes(topic)),
        (topic) => this.#changeEnds(topic, end, (all) => [...all, name]),
      ),
    );
  }

  #changeEnds(topic, end, edit) {
    this.state.change((draft) => { draft.topics[topic][end] = edit(draft.topics[topic][end] ?? []); });
  }

  #buttons(what, ...more) {
    const dead = this.state.failed.includes(this.actions.failureOf(what));
    const fail = h("button", { onclick: () => this.actions.toggleFailed(what) }, dead ? "Mend" : "Fail");
    return h("p", { class: "row" }, more, fail, h("button", { onclick: () => this.actions.remove(what) }, "Delete"));
  }

  // --- a link ------------------------------------------------------------------------------------------

  #link(name) {
    const link = linkNamed(this.state.mesh, name);
    const set = (key, value) => this.state.change((draft) => setEntry(linkNamed(draft, name), key, value));
    return [
      h("p", {}, h("strong", {}, `Link ${name}`), cableOf(link) === name ? null : ` of the cable ${cableOf(link)}`),
      link.rename || link.cable || link.connection ? null : this.#direction(link, name),
      textField("Cost", link.cost, (value) => set("cost", value), "1"),
      isText(link.latency) ? textField("Latency", link.latency, (value) => set("latency", value), "0 ms") : null,
      this.#filter("Accepts", link.accepts, "everything", (value) => set("accepts", value)),
      this.#filter("Refuses", link.refuses, "nothing", (value) => set("refuses", value)),
      textField("Hop limit", link["hop-limit"], (value) => set("hop-limit", value), "none"),
      this.#buttons({ kind: "link", name }),
    ];
  }

  #direction(link, name) {
    const [one, other] = endsOf(link);
    const possible = [
      ["both", `${one} — ${other}`],
      ["there", `${one} → ${other}`],
      ["back", `${other} → ${one}`],
    ];
    return choiceField("Leads", isBothWays(link) ? "both" : "there", possible, (direction) => {
      this.#select("link", this.state.change((draft) => setDirection(draft, name, direction)));
    });
  }

  /** Patterns of a filter, with blanks between them; those that say more than a text are changed as text. */
  #filter(label, said, usual, set) {
    const patterns = [said ?? []].flat();
    if (!patterns.every(isText)) return null;
    return textField(label, patterns.join(" "), (value) => set(value ? value.split(/\s+/) : ""), usual);
  }

  // --- a topic -----------------------------------------------------------------------------------------

  #topic(name) {
    const set = (value) => this.state.change((draft) => setEntry(draft.topics[name], "within", value));
    const remove = () => this.actions.remove({ kind: "topic", name });
    return [
      textField("Topic", name, (other, control) => this.#renameTopic(name, other, control)),
      this.#brokersOf(name, "from", "Published at"),
      this.#brokersOf(name, "to", "Wanted at"),
      textField("Within", this.state.mesh.topics[name].within, set, "no bound"),
      h("p", { class: "row" }, h("button", { onclick: remove }, "Delete")),
    ];
  }

  #renameTopic(name, other, control) {
    if (!other || Object.hasOwn(this.state.mesh.topics, other)) {
      control.value = name;
      return;
    }
    this.state.change((draft) => renameTopic(draft, name, other));
    this.#select("topic", other);
  }

  #brokersOf(topic, end, label) {
    const { mesh } = this.state;
    const mine = mesh.topics[topic][end] ?? [];
    const without = (broker) => this.#changeEnds(topic, end, (all) => all.filter((each) => each !== broker));
    return chipsField(
      label,
      mine.map((broker) => chip(`${broker} ×`, () => without(broker), `not at ${broker}`)),
      addChoice(
        `${label}: add a broker`,
        mesh.order.filter((each) => !mine.includes(each)),
        (broker) => this.#changeEnds(topic, end, (all) => [...all, broker]),
      ),
    );
  }
}
