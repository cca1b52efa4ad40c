// The panel of guarantees: judged anew after every change, with what fails; a click on a violation shows it.

import { fill, h, verdict } from "/static/common.js";
import { Latest, sent } from "./mesh-api.js";
import { amount } from "./mesh-parts.js";

const WAIT = 350;
const SHOWN = 12;
const MORE = 50;
const MAY_FAIL = [
  ["none", "nothing"],
  ["links=1", "one link"],
  ["brokers=1", "one broker"],
  ["one", "one link or one broker"],
  ["links=2", "two links"],
];
/** How a violation of a guarantee is marked. */
const KINDS = { "loop-free": "loop", "no-duplicates": "doubled", latency: "path" };
const CUT = "There was no time to look at everything: what says unknown may still hold.";
const PROBED = "No clients are named: every broker is taken to publish and to want everything.";

export class Verdicts {
  may = "links=1";
  #latest = new Latest("/api/mesh/verify", WAIT);
  #shown = SHOWN;
  #chosen = null;

  constructor(place, state, drawing, said) {
    Object.assign(this, { place, state, drawing, said });
    const options = MAY_FAIL.map(([key, words]) => h("option", { value: key }, words));
    this.answer = h("div", { "aria-live": "polite" });
    this.choice = h("select", { id: "may-fail" }, options);
    this.choice.value = this.may;
    this.choice.addEventListener("change", () => this.setMay(this.choice.value));
    fill(place, h("div", { class: "field" }, h("label", { for: "may-fail" }, "May fail"), this.choice), this.answer);
  }

  setMay(may) {
    if (!MAY_FAIL.some(([key]) => key === may)) return;
    this.may = may;
    this.choice.value = may;
    this.ask();
    this.said();
  }

  /** Judge the mesh as it is now. */
  ask() {
    this.forget();
    const { mesh } = this.state;
    if (!mesh.order.length) {
      this.#latest.stop();
      return void fill(this.answer, h("p", { class: "pale" }, "There is nothing to judge yet."));
    }
    this.answer.classList.add("waiting");
    const asked = sent(mesh, { failures: this.may });
    this.#latest.ask(asked, (record) => this.#judged(record), (problem) => this.#refused(problem));
  }

  /** No violation is shown in the drawing any more. */
  forget() {
    this.#chosen = null;
    this.drawing.unmark();
    const pressed = this.answer.querySelectorAll("[aria-pressed=true]");
    for (const button of pressed) button.setAttribute("aria-pressed", "false");
  }

  #refused(problem) {
    this.answer.classList.remove("waiting");
    const told = [problem.possible, problem.remedy].filter(Boolean);
    const more = told.map((words) => h("p", { class: "pale" }, words));
    fill(this.answer, h("p", { class: "problem" }, problem.message), more);
  }

  #judged(record) {
    this.#shown = SHOWN;
    this.answer.classList.remove("waiting");
    this.#show(record);
  }

  #show(record) {
    const { demands, classes, seconds, probed } = record;
    const looked = `${amount(demands, "demand")} of ${amount(classes, "class", "classes")} of topics, in ${seconds} s.`;
    fill(
      this.answer,
      this.#table(record),
      record.cut ? h("p", { class: "problem" }, CUT) : null,
      this.#leftOpen(record),
      this.#violations(record),
      h("p", { class: "pale" }, probed ? `${PROBED} ${looked}` : looked),
    );
  }

  #table({ verdicts }) {
    const sizes = [...new Set(verdicts.map(({ failures }) => failures))];
    const heads = ["guarantee", ...sizes].map((words) => h("th", { scope: "col" }, words));
    const rows = [...Map.groupBy(verdicts, ({ guarantee }) => guarantee)].map(([name, of]) => {
      const found = sizes.map((size) => of.find(({ failures }) => failures === size));
      const cells = found.map((each) => h("td", {}, each ? verdict(each.verdict) : null));
      return h("tr", {}, h("th", { scope: "row", title: of[0].description }, name), cells);
    });
    return h("table", { class: "judged" }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows));
  }

  /** What the files leave open, because of which verdicts are unknown. */
  #leftOpen({ remarks }) {
    const open = remarks.filter(({ effects, assumed }) => effects.length && !assumed);
    if (!open.length) return null;
    const items = open.slice(0, SHOWN).map(({ what }) => h("li", {}, what));
    return [
      h("h3", {}, "Left out, so verdicts are unknown"),
      h("ul", { class: "left-open" }, items),
      open.length > SHOWN ? h("p", { class: "pale" }, `and ${open.length - SHOWN} more`) : null,
    ];
  }

  #violations(record) {
    const all = record.verdicts.flatMap(({ guarantee, findings }) => findings.map((each) => ({ guarantee, ...each })));
    if (!all.length) return null;
    const total = record.verdicts.reduce((sum, { found }) => sum + found, 0);
    const showMore = () => {
      this.#shown += MORE;
      this.#show(record);
    };
    const items = all.slice(0, this.#shown).map((violation) => h("li", {}, this.#violation(violation)));
    return [
      h("h3", {}, "What fails"),
      h("ul", { class: "violations" }, items),
      all.length > this.#shown ? h("button", { onclick: showMore }, `Show more of ${total}`) : null,
    ];
  }

  #violation(violation) {
    const { guarantee, what, dead, demands } = violation;
    const gone = [...dead.brokers.map((name) => `broker ${name}`), ...dead.links.map((name) => `link ${name}`)];
    const topics = [...new Set(demands.map(({ topic }) => topic))].slice(0, 4).join(", ");
    const button = h(
      "button",
      { class: "violation", "aria-pressed": "false" },
      h("strong", {}, guarantee),
      ` ${what}${topics ? ` (${topics})` : ""}`,
      gone.length ? h("span", { class: "pale" }, ` without ${gone.join(" and ")}`) : null,
    );
    button.addEventListener("click", () => this.#choose(violation, button));
    return button;
  }

  #choose(violation, button) {
    const again = this.#chosen === violation;
    this.forget();
    if (again) return;
    this.#chosen = violation;
    button.setAttribute("aria-pressed", "true");
    this.drawing.mark({ ...violation, kind: KINDS[violation.guarantee] ?? "lost" });
  }
}
