// The keyboard. Letters count only while the drawing has the focus, so that they never disturb typing or a reader.

import { h } from "/static/common.js";

const STEP = 10;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** What each key does, as the help tells it. */
const HELP = [
  ["In the drawing", [
    ["Tab", "to the next broker or link"],
    ["Enter", "choose it"],
    ["N", "add a broker"],
    ["← ↑ ↓ →", "move the broker, with Shift in small steps"],
    ["L", "link the broker with the next one that you choose"],
    ["T", "add a topic that is published here"],
    ["Delete", "remove what has the focus"],
    ["F", "let it fail, or mend it"],
    ["Escape", "leave what is begun; then go to the panel beside"],
    ["+ − 0", "larger, smaller, all of it"],
  ]],
  ["Everywhere", [
    ["Ctrl Z", "undo"],
    ["Ctrl Shift Z", "redo"],
    ["Ctrl S", "save"],
    ["/", "find a broker by its name"],
    ["?", "this help"],
  ]],
  ["With the mouse", [
    ["double-click", "on empty ground: add a broker"],
    ["drag", "a broker: move it; from its rim to another broker: link them; the ground: move the view"],
    ["right click", "let a broker or a link fail, or mend it"],
    ["wheel", "larger, smaller"],
  ]],
];

export function helpContent() {
  return HELP.map(([title, rows]) => [
    h("h3", {}, title),
    h("dl", { class: "keys" }, rows.map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)])),
  ]);
}

export class Keys {
  constructor(drawing, actions) {
    Object.assign(this, { drawing, actions, state: drawing.state });
    drawing.svg.addEventListener("focusin", () => this.#focused());
    drawing.svg.addEventListener("keydown", (event) => this.#inDrawing(event));
    document.addEventListener("keydown", (event) => this.#everywhere(event));
  }

  /** What has the focus in the drawing. */
  get at() {
    const { broker, link } = document.activeElement?.dataset ?? {};
    if (broker !== undefined) return { kind: "broker", name: broker };
    return link === undefined ? null : { kind: "link", name: link };
  }

  #focused() {
    if (this.at && !this.actions.isLinking) this.state.select(this.at);
  }

  #inDrawing(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key in ARROWS ? this.#arrow(event) : this.#key(key)) event.preventDefault();
  }

  #arrow(event) {
    if (this.at?.kind !== "broker") return false;
    const [dx, dy] = ARROWS[event.key];
    const step = event.shiftKey ? 1 : STEP;
    const { name } = this.at;
    this.state.change((_, places) => {
      places[name] = [places[name][0] + dx * step, places[name][1] + dy * step];
    }, `move ${name}`);
    return true;
  }

  #key(key) {
    const { at, actions } = this;
    const deeds = {
      n: () => actions.addBroker(),
      t: () => actions.addTopic(),
      l: () => at?.kind === "broker" && (actions.isLinking ? actions.choose(at) : actions.beginLink(at.name)),
      f: () => at && actions.toggleFailed(at),
      Enter: () => at && actions.choose(at, true),
      " ": () => at && actions.choose(at, true),
      Delete: () => actions.remove(),
      Backspace: () => actions.remove(),
      Escape: () => actions.escape(),
      "+": () => this.drawing.zoom(0.8),
      "-": () => this.drawing.zoom(1.25),
      0: () => this.drawing.fit(),
    };
    if (!Object.hasOwn(deeds, key)) return false;
    deeds[key]();
    return true;
  }

  #everywhere(event) {
    const typing = event.target.closest?.("input, select, textarea, dialog");
    if (event.key === "?" && !typing) this.#take(event, () => this.actions.help());
    if (event.key === "/" && !typing) this.#take(event, () => this.actions.find());
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "s" && !event.target.closest?.("dialog")) this.#take(event, () => this.actions.save());
    if (typing) return;
    if (key === "z") this.#take(event, () => (event.shiftKey ? this.actions.redo() : this.actions.undo()));
    if (key === "y") this.#take(event, () => this.actions.redo());
  }

  #take(event, deed) {
    event.preventDefault();
    deed();
  }
}
