// The panel of failures: what is dead, which colour brokers give it, over which paths messages go now, what the tables
// of a broker say, and how the news spreads.

import { fill, h, report } from "/static/common.js";
import { Latest, sent } from "./mesh-api.js";
import { Flood } from "./mesh-flood.js";
import { canFail } from "./mesh-model.js";
import { chip, table } from "./mesh-parts.js";

const WAIT = 200;
const SHOWN = 30;
const HEALTHY = "Nothing is dead. Right-click a broker or a link, or press F on it, to let it fail.";
const NO_COLOUR = "This has no colour: tables for it were not calculated before, so brokers calculate them now.";
const UNFOLLOWED = "The mesh is too large to follow how the news of it spreads.";

export class Failing {
  #latest = new Latest("/api/mesh/tables", WAIT);
  #answer = null;
  #colours = new Map();
  #broker = null;
  #before = null;

  constructor(place, state, drawing, forgetMarks) {
    Object.assign(this, { state, drawing, forgetMarks });
    this.flood = new Flood(drawing);
    this.dead = h("div");
    this.paths = h("div");
    this.tables = h("div");
    fill(place, this.dead, this.flood.place, this.paths, this.tables);
  }

  /** The mesh is another one: how news spread in the last one is no matter. */
  changed() {
    this.flood.show([], new Map());
    this.ask(this.state.failed);
  }

  /** Ask what is so now, and what happens when that comes after `before`. */
  ask(before) {
    this.#before ??= before; // what overtakes another question begins where that began
    const { mesh, failed } = this.state;
    this.#showDead();
    this.#recolour();
    if (!mesh.order.length) {
      this.#latest.stop();
      return this.#clear();
    }
    const known = this.#before.filter((name) => canFail(mesh, name));
    const asked = sent(mesh, { failed, before: known, broker: this.#chosenBroker() });
    this.#latest.ask(asked, (answer) => this.#show(answer), (problem) => this.#refused(problem));
  }

  #clear() {
    this.#answer = this.#before = null;
    this.flood.show([], new Map());
    fill(this.paths);
    fill(this.tables);
  }

  #refused(problem) {
    this.#clear();
    if (this.state.failed.length) report(problem);
  }

  #show(answer) {
    const before = this.#colours;
    const seen = Object.entries(answer.seen).map(([name, { colour }]) => [name, colour]);
    this.#before = null;
    this.#answer = answer;
    this.#colours = new Map(this.state.failed.length ? seen : []);
    this.#showDead();
    this.#showPaths();
    this.#showTables();
    if (answer.flood?.length) return this.#spread(answer.flood, before);
    if (answer.flood === null) this.flood.show([], before); // more letters than can be followed
    this.#recolour();
  }

  #spread(flood, before) {
    const living = this.state.mesh.order.filter((name) => !this.state.failed.includes(`broker ${name}`));
    this.flood.show(flood, new Map(living.map((name) => [name, before.get(name) ?? 1])));
  }

  /** Every broker shows its colour: that of the step which is shown, or that which it has in the end. */
  #recolour() {
    if (this.flood.isShown) this.flood.recolour();
    else this.drawing.showColours(this.#colours);
  }

  // --- what is dead ------------------------------------------------------------------------------------

  #showDead() {
    const { failed } = this.state;
    if (!failed.length) return void fill(this.dead, h("p", { class: "pale" }, HEALTHY));
    const mends = failed.map((name) => chip(`Mend ${name}`, () => this.state.toggleFailed(name)));
    const all = failed.length > 1 ? chip("Mend all", () => this.state.setFailed([])) : null;
    const words = this.#answer ? h("p", {}, this.#colourWords()) : null;
    const unfollowed = this.#answer?.flood === null ? h("p", { class: "pale" }, UNFOLLOWED) : null;
    fill(this.dead, h("p", { class: "chips" }, mends, all), words, unfollowed);
  }

  #colourWords() {
    const colours = [...new Set(this.#colours.values())];
    if (!colours.length) return "No broker is left.";
    const numbers = colours.map((each) => each ?? "none").join(", ");
    if (colours.length > 1) return `Brokers that are cut off from each other see different colours: ${numbers}.`;
    return colours[0] === null ? NO_COLOUR : `All brokers come to use colour ${colours[0]} of ${this.#answer.colours}.`;
  }

  // --- paths --------------------------------------------------------------------------------------------

  #showPaths() {
    const { routes, routes_found: found } = this.#answer;
    const told = this.state.failed.length ? routes : routes.filter(({ before }) => before?.length);
    if (!told.length) return void fill(this.paths);
    const rows = told.slice(0, SHOWN).map((route) => this.#route(route));
    const more = `${SHOWN} of ${found} paths; those that are others now come first.`;
    const note = found > SHOWN ? h("p", { class: "pale" }, more) : null;
    fill(this.paths, h("h3", {}, "Paths of messages"), table("paths", ["message", "path", "now"], rows), note);
  }

  #route({ topics, from, to, before, now, visits, state }) {
    const words = `${topics.slice(0, 3).join(", ")} ${from} → ${to}`;
    const shown = now === null ? { path: before ?? [], kind: "lost" } : { path: now, kind: "path" };
    const button = chip(words, () => {
      this.forgetMarks();
      this.drawing.mark(shown);
    });
    return [state === "unchanged" ? null : "changed", button, visits?.join(" › ") ?? "none", state];
  }

  // --- tables ------------------------------------------------------------------------------------------

  #chosenBroker() {
    const { mesh, selectedBroker } = this.state;
    if (selectedBroker) this.#broker = selectedBroker;
    if (!mesh.order.includes(this.#broker)) this.#broker = mesh.order[0];
    return this.#broker;
  }

  /** The tables of the selected broker, if another one was shown. */
  selected() {
    const shown = this.#broker;
    if (this.#answer && this.#chosenBroker() !== shown) this.ask(this.state.failed);
  }

  #showTables() {
    const { tables, super_table: all } = this.#answer;
    const at = tables.brokers.indexOf(this.#broker);
    const name = (number) => tables.brokers[number] ?? "no path";
    const isDead = this.state.failed.length > 0;
    const rows = tables.brokers.map((to, place) => {
      const [healthy, now] = [tables.healthy[at][place], tables.now[at][place]];
      const after = healthy === now ? "the same" : name(now);
      return [healthy === now ? null : "changed", to, name(healthy), ...(isDead ? [after] : [])];
    });
    const heads = ["to", "next broker", ...(isDead ? ["next now"] : [])];
    const others = rows.toSpliced(at, 1);
    const nobody = h("p", { class: "pale" }, "It has nobody to send to.");
    const title = h("h3", {}, `Recovery table of ${this.#broker}`);
    fill(this.tables, title, others.length ? [table("tables", heads, others), this.#superTable(all)] : nobody);
  }

  #superTable(rows) {
    const colour = this.state.failed.length ? this.#colours.get(this.#broker) : 1;
    const used = colour ? `Rows of colour ${colour} are marked.` : "None of them is used now.";
    const body = rows.map(({ destination, next, colours }) => {
      return [holds(colours, colour) ? "used" : null, destination, next ?? "no path", colours.replaceAll(",", ", ")];
    });
    return h(
      "details",
      { class: "inner", open: this.tables.querySelector("details")?.open },
      h("summary", {}, `All ${this.#answer.colours} colours in ${rows.length} rows`),
      h("p", { class: "pale" }, used),
      table("super", ["to", "next broker", "in colours"], body),
    );
  }
}

/** Whether ranges such as "1,3-5" hold a number. */
function holds(ranges, number) {
  return ranges.split(",").some((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return first <= number && number <= last;
  });
}
