// The mouse: double-click on empty ground adds a broker, dragging a card moves it, dragging from its rim to another
// card adds a link, dragging the ground moves the view, the wheel zooms, the right button fails and mends.

import { linkNamed, cableOf } from "./mesh-model.js";
import { rimPoint } from "./mesh-shapes.js";

const STILL = 4;
/** Pixels that a hand shakes without meaning to drag. */

export class Mouse {
  #drag = null;

  constructor(drawing, actions) {
    Object.assign(this, { drawing, actions, state: drawing.state, rubber: drawing.svg.querySelector("#rubber") });
    const { svg } = drawing;
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    svg.addEventListener("pointermove", (event) => this.#drag?.move(event));
    svg.addEventListener("pointerup", (event) => this.#up(event));
    svg.addEventListener("pointercancel", () => this.cancel());
    svg.addEventListener("dblclick", (event) => this.#doubleClick(event));
    svg.addEventListener("contextmenu", (event) => this.#rightClick(event));
    svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** What is under the pointer: a broker, a link, or null for the ground. */
  #under(event) {
    const target = document.elementFromPoint(event.clientX, event.clientY);
    const broker = target?.closest("[data-broker]")?.dataset.broker;
    if (broker !== undefined) return { kind: "broker", name: broker, isRim: target.classList.contains("rim") };
    const link = target?.closest("[data-link]")?.dataset.link;
    return link === undefined ? null : { kind: "link", name: link };
  }

  #down(event) {
    if (event.button !== 0) return;
    const under = this.#under(event);
    this.drawing.svg.setPointerCapture(event.pointerId);
    if (under?.kind === "broker" && under.isRim) this.#drag = this.#linking(under.name);
    else if (under?.kind === "broker") this.#drag = this.#moving(under.name, event);
    else this.#drag = under ? this.#clicking(under) : this.#panning(event);
    (under ? this.drawing.elementOf(under) : this.drawing.svg).focus({ preventScroll: true });
    event.preventDefault(); // no text is selected
  }

  #up(event) {
    const drag = this.#drag;
    this.#drag = null;
    drag?.end(event);
  }

  cancel() {
    this.#drag?.cancel?.();
    this.#drag = null;
    this.rubber.setAttribute("hidden", "");
  }

  #clicking(under) {
    return { move: () => {}, end: () => this.actions.choose(under) };
  }

  #moving(name, event) {
    const start = this.state.places[name];
    const [x, y] = this.drawing.placeOf(event);
    let moved = false;
    const move = (now) => {
      const [toX, toY] = this.drawing.placeOf(now);
      moved ||= Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) > STILL;
      if (moved) this.drawing.move(name, [Math.round(start[0] + toX - x), Math.round(start[1] + toY - y)]);
    };
    const cancel = () => this.drawing.move(name, start);
    const end = () => {
      if (!moved) return this.actions.choose({ kind: "broker", name });
      const there = this.state.places[name];
      this.state.places[name] = start; // so that this is what undoing comes back to
      this.state.change((_, places) => { places[name] = there; });
      this.state.select({ kind: "broker", name });
    };
    return { move, end, cancel };
  }

  #linking(name) {
    const move = (event) => {
      const to = this.drawing.placeOf(event);
      const from = rimPoint(this.state.places[name], this.drawing.cards.get(name), to);
      this.rubber.setAttribute("d", `M${from.join(" ")}L${to.join(" ")}`);
      this.rubber.removeAttribute("hidden");
    };
    const end = (event) => {
      this.rubber.setAttribute("hidden", "");
      const under = this.#under(event);
      if (under?.kind === "broker" && under.name !== name) this.actions.link(name, under.name);
      else this.actions.choose({ kind: "broker", name });
    };
    return { move, end };
  }

  #panning(event) {
    const { left, top, width, height } = this.drawing.view;
    const scale = width / this.drawing.svg.clientWidth;
    const move = (now) => {
      const [dx, dy] = [now.clientX - event.clientX, now.clientY - event.clientY];
      this.drawing.show({ left: left - dx * scale, top: top - dy * scale, width, height });
    };
    const end = (now) => {
      if (Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) <= STILL) this.actions.chooseNothing();
    };
    return { move, end };
  }

  #doubleClick(event) {
    if (!this.#under(event)) this.actions.addBroker(this.drawing.placeOf(event));
  }

  #rightClick(event) {
    const under = this.#under(event);
    event.preventDefault();
    if (under) this.actions.toggleFailed(under);
  }

  #wheel(event) {
    event.preventDefault();
    this.drawing.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), this.drawing.placeOf(event));
  }
}

/** What fails when something drawn is failed. */
export function failureOf(mesh, { kind, name }) {
  return kind === "broker" ? `broker ${name}` : `link ${cableOf(linkNamed(mesh, name))}`;
}
