// How the news of a failure passes from broker to broker, step by step over the drawing: letters run along links, and
// whoever switches to the tables of another colour shows its number. Whoever wants no motion goes from step to step.

import { fill, h } from "/static/common.js";
import { s } from "./mesh-draw.js";
import { rimPoint } from "./mesh-shapes.js";

const STEP = 900;
const RUN = 600;
const GROUPS = 3;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Flood {
  #moments = [];
  #before = new Map();
  #at = 0;
  #timer = null;

  constructor(drawing) {
    this.drawing = drawing;
    this.slider = h("input", { type: "range", min: 0, value: 0, "aria-label": "Step" });
    this.slider.addEventListener("input", () => this.#go(Number(this.slider.value)));
    this.play = h("button", { onclick: () => this.#toggle() }, "Play");
    this.words = h("p", { "aria-live": "polite", class: "moment" });
    const controls = [this.#button("Back", -1), this.play, this.#button("Next", 1), this.slider];
    const title = h("h3", {}, "How the news spreads");
    this.place = h("div", { class: "flood", hidden: true }, title, h("p", { class: "row" }, controls), this.words);
  }

  #button(words, step) {
    return h("button", { onclick: () => this.#go(this.#at + step) }, words);
  }

  /** Steps from the colours before to those after; they begin at once where motion is welcome. */
  show(moments, before) {
    this.stop();
    this.#moments = moments;
    this.#before = before;
    this.place.hidden = !moments.length;
    this.slider.max = moments.length;
    if (!moments.length) return;
    this.#render(still.matches ? moments.length : 0);
    if (!still.matches) this.#start();
  }

  get isShown() {
    return this.#moments.length > 0;
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.play.textContent = "Play";
    this.drawing.layers.letters.replaceChildren();
    this.drawing.showLetters([]);
  }

  #toggle() {
    if (this.#timer !== null) return this.stop();
    if (this.#at >= this.#moments.length) this.#render(0);
    this.#start();
  }

  #start() {
    this.play.textContent = "Pause";
    this.#timer = setTimeout(() => {
      this.#render(this.#at + 1);
      if (this.#at < this.#moments.length) this.#start();
      else this.#timer = setTimeout(() => this.stop(), STEP);
    }, STEP);
  }

  #go(step) {
    this.stop();
    this.#render(Math.max(0, Math.min(this.#moments.length, step)));
  }

  /** Everything as it is after so many steps. */
  #render(step) {
    this.#at = step;
    this.slider.value = step;
    const moment = this.#moments[step - 1];
    this.recolour();
    this.drawing.showLetters(moment?.letters ?? []);
    this.#run(moment?.letters ?? []);
    const words = moment ? `, ${moment.milliseconds} ms: ${told(moment)}` : ": nobody has noticed anything yet.";
    fill(this.words, `Step ${step} of ${this.#moments.length}${words}`);
  }

  /** The colours of all brokers after the step that is shown. */
  recolour() {
    const switched = this.#moments.slice(0, this.#at).flatMap((moment) => moment.switched);
    this.drawing.showColours(new Map([...this.#before, ...switched]));
  }

  /** A dot for every letter, from broker to broker. */
  #run(letters) {
    const { layers, state, cards } = this.drawing;
    layers.letters.replaceChildren();
    if (still.matches) return;
    for (const [from, to] of letters) {
      const [one, other] = [state.places[from], state.places[to]];
      if (!one || !other) continue;
      const dot = s("circle", { class: "letter", r: 6 });
      layers.letters.append(dot);
      const ends = [rimPoint(one, cards.get(from), other), rimPoint(other, cards.get(to), one)];
      const frames = ends.map(([x, y]) => ({ transform: `translate(${x}px, ${y}px)` }));
      const run = dot.animate(frames, { duration: RUN, fill: "forwards", easing: "ease-in-out" });
      run.finished.then(() => dot.remove(), () => {}); // it is gone already if the next step has begun
    }
  }
}

/** What happens in a step, in words. */
function told({ notices, letters, switched }) {
  const parts = notices.slice(0, 4).map(([broker, neighbour, isDead]) => {
    return `${broker} notices that ${neighbour} is ${isDead ? "dead" : "back"}`;
  });
  if (notices.length > 4) parts.push(`${notices.length - 4} more notice`);
  if (letters.length) parts.push(`letters with the news leave: ${letters.length}`);
  const groups = [...Map.groupBy(switched, ([, colour]) => colour)].sort(([, a], [, b]) => b.length - a.length);
  for (const [colour, all] of groups.slice(0, GROUPS)) parts.push(switching(all.map(([broker]) => broker), colour));
  const others = groups.slice(GROUPS).reduce((sum, [, all]) => sum + all.length, 0);
  if (others) parts.push(`${others} more switch to others`);
  return `${parts.join("; ")}.`;
}

function switching(brokers, colour) {
  const names = `${brokers.slice(0, 6).join(", ")}${brokers.length > 6 ? ` and ${brokers.length - 6} more` : ""}`;
  const tables = colour === null ? "tables that were not calculated before (?)" : `colour ${colour}`;
  return `${names} ${brokers.length === 1 ? "switches" : "switch"} to ${tables}`;
}
