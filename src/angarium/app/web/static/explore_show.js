// The parts of the explore view as elements, from what the server answers. Nothing here asks or remembers.

import { h, picture, verdict } from "./common.js";

const MANY = 4;

/** The choice of what to explore. */
export function subjectSelect(every, chosen, onchange) {
  const group = (label, names) =>
    names.length ? h("optgroup", { label }, names.map((name) => option(name, name === chosen))) : null;
  const names = every.bundled.map((each) => each.name);
  const known = [...names, ...every.models, ...every.meshes].includes(chosen);
  return h(
    "select",
    { id: "subject", onchange: (event) => onchange(event.target.value) },
    chosen ? null : option("", true, "choose one"),
    known || !chosen ? null : option(chosen, true),
    group("comes with Angarium", names),
    group("models in the folder", every.models),
    group("meshes in the folder", every.meshes),
  );
}

/** What there is, for who has not chosen yet: `where` tells the address of a subject. */
export function beginning(every, where) {
  const link = (name) => h("a", { href: where(name) }, name);
  const systems = every.bundled.map(({ name, description, source }) =>
    h("li", { class: "panel" }, h("h2", {}, link(name)), h("p", {}, description), h("p", { class: "pale" }, source)),
  );
  return [
    h("p", {}, "Choose a system: step through its runs, undo, let all of it be checked, and follow the story of what breaks."),
    h("ul", { class: "subjects" }, systems),
    every.models.length ? h("h2", {}, "Models in the folder") : null,
    h("ul", { class: "row models" }, every.models.map((name) => h("li", {}, link(name)))),
  ];
}

function option(value, selected, text = value) {
  return h("option", { value, selected }, text);
}

/** A field for each parameter, with its default, what is possible, and what it is. */
export function parameterFields(about, set, onchange) {
  return about.parameters.map((each) => {
    const id = `set-${each.name}`;
    const given = set[each.name] ?? each.default;
    const listen = { id, name: each.name, onchange: (event) => event.target.reportValidity() && onchange(each.name, event.target.value) };
    const field = each.choices
      ? h("select", listen, each.choices.map((choice) => option(choice, choice === given)))
      : h("input", { ...listen, type: "number", required: true, min: each.low, max: each.high, value: given });
    const possible = each.choices ? each.choices.join(" or ") : `${each.low} to ${each.high}`;
    const about = `${possible}; default ${each.default}`;
    return h(
      "div",
      { class: given === each.default ? "parameter" : "parameter set" },
      h("label", { for: id }, each.name),
      field,
      h("small", { class: "pale" }, each.description ? `${each.description} (${about})` : about),
    );
  });
}

/** The state as a table; what the last step changed is marked. Of many places that hold the same, one row tells. */
export function stateRows(state, wanted, onlyChanged) {
  const groups = new Map();
  for (const place of state) {
    const root = place.where.split(/[[.]/, 1)[0];
    groups.set(root, [...(groups.get(root) ?? []), place]);
  }
  return [...groups].flatMap(([root, places]) => {
    const found = places.filter((each) => matches(`${each.where} ${each.value}`, wanted) && (!onlyChanged || each.was !== null));
    return (wanted ? found : shortened(root, found)).map(placeRow);
  });
}

function shortened(root, places) {
  const unchanged = places.filter((each) => each.was === null);
  const counts = Map.groupBy(unchanged, (each) => each.value);
  const [value, same] = [...counts].sort(([, some], [, others]) => others.length - some.length)[0] ?? ["", []];
  if (same.length <= MANY) return places;
  const rest = places.filter((each) => !same.includes(each));
  return [...rest, { where: rest.length ? `${root}: the other ${same.length}` : `${root}: all ${same.length}`, value, was: null }];
}

function placeRow({ where, value, was }) {
  const cell = was === null ? value : [h("del", {}, was), " ", h("ins", {}, value)];
  return h("tr", { class: was === null ? null : "changed" }, h("th", { scope: "row" }, where), h("td", {}, cell));
}

/** A button for each possible step; the first nine have keys. */
export function stepItems(steps, wanted, next, take) {
  const found = steps.filter((step) => matches(`${step.says} ${step.call} ${step.who}`, wanted));
  return found.map((step, position) =>
    h(
      "li",
      {},
      h(
        "button",
        { class: step.choice === next ? "step next" : "step", "data-choice": step.choice, onclick: () => take(step.choice) },
        h("span", { class: "key" }, position < 9 ? h("kbd", {}, position + 1) : null),
        h(
          "span",
          {},
          h("strong", {}, step.fault ? "fault: " : "", step.says),
          step.choice === next ? h("em", {}, " the story goes on here") : null,
          step.call === step.says ? null : h("code", { class: "pale call" }, step.call),
          h("span", { class: "changes mono" }, step.changes.slice(0, 6).map(changeText)),
          step.changes.length > 6 ? h("span", { class: "pale" }, `and ${step.changes.length - 6} more`) : null,
          step.then ? h("span", { class: "then" }, `then: ${step.then}`) : null,
        ),
      ),
    ),
  );
}

function changeText({ where, before, after }) {
  return h("span", { class: "change" }, `${where}: ${before} → ${after}`);
}

/** The steps so far; each leads back to the state behind it. */
export function runItems(run, jump) {
  const items = run.map((step, position) =>
    h("li", {}, h("button", { class: "past", onclick: () => jump(position + 2) }, step.fault ? "fault: " : "", step.says)),
  );
  return [h("li", { value: 0 }, h("button", { class: "past", onclick: () => jump(1) }, "start")), ...items];
}

/** What the state breaks or reaches. */
export function decidedParts({ broken, reached, says }) {
  if (!says) return [h("p", { class: "pale" }, "No guarantee is broken in this state.")];
  const names = [
    ...broken.map((name) => h("span", { class: "verdict violated" }, `✗ ${name}`)),
    ...reached.map((name) => h("span", { class: "verdict holds" }, `✓ ${name} is reached`)),
  ];
  return [h("p", { class: "row" }, names), h("p", {}, says)];
}

/** The diagram of the run, as a picture with its words beside it. Its top stays in sight: it says who is who. */
export function diagram(view, onload) {
  if (!view.diagram) return h("p", { class: "pale" }, "Take a step to see it drawn.");
  const drawn = picture(view.diagram, `Sequence diagram of ${view.run.length} steps; the list of steps says the same.`);
  drawn.addEventListener("load", onload);
  return [h("div", { class: "heads", "aria-hidden": "true" }, picture(view.diagram, "")), drawn];
}

/** The verdicts of a check; one with a story leads there. */
export function verdictRows(checked, follow) {
  return checked.verdicts.map((each) =>
    h(
      "tr",
      {},
      h("td", {}, verdict(each.verdict)),
      h("th", { scope: "row" }, each.guarantee),
      h("td", {}, each.description, each.why ? h("em", {}, ` ${each.why}`) : null),
      h("td", {}, each.story ? h("button", { onclick: () => follow(each) }, `Story (${each.story.path.length - 1} steps)`) : null),
    ),
  );
}

/** How many guarantees have which verdict. */
export function verdictCounts({ verdicts }) {
  return [...Map.groupBy(verdicts, (each) => each.verdict)].map(([word, all]) => `${all.length} ${word}`).join(", ");
}

/** How much a check saw. */
export function coverage(checked) {
  const states = checked.states.toLocaleString("en");
  const seen = checked.complete ? `Searched all ${states} states` : `Searched ${states} states, not all (${checked.cut})`;
  return `${seen} in ${checked.seconds} s.`;
}

function matches(text, wanted) {
  return wanted.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
}
