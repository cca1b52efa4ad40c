// The explore view: choose a system, take steps, undo them, follow stories. What is shown follows from the
// address alone, so an address can be shared, and the browser's own buttons undo and redo.

import { api, clearProblems, fill, h, isTyping, report, shown } from "./common.js";
import * as address from "./explore_address.js";
import * as show from "./explore_show.js";

let here = address.read();
let view = null;
let every = { bundled: [], models: [], meshes: [] };
let about = null;
let checked = null;
let isCheckedOpen = true;
let told = { address: "", summary: "" };
let running = new AbortController();

// --- the page ---------------------------------------------------------------------------------

const part = (id, tag = "div", attributes = {}) => h(tag, { id, ...attributes });
const filter = (id, label) =>
  h("input", { id, type: "search", placeholder: label, "aria-label": label, oninput: () => draw() });
const number = (id, label, value, max) =>
  h("label", { class: "row" }, label, h("input", { id, type: "number", value, min: 1, max, required: true }));
const button = (id, text, key, onclick, more = {}) =>
  h("button", { id, onclick, ...more }, text, key ? [" ", h("kbd", {}, key)] : null);

function build() {
  const onlyChanged = h("label", { class: "row" }, h("input", { id: "only-changed", type: "checkbox", onchange: () => draw() }), "only what changed");
  fill(
    document.getElementById("main"),
    h("h1", {}, "Explore"),
    h(
      "section",
      { class: "panel", "aria-label": "What to explore" },
      h("div", { class: "row" }, h("label", { for: "subject" }, "System"), part("subjects", "span"), button("check", "Check it", "", check, { class: "first" }), part("about", "span", { class: "pale" })),
      h("details", { id: "parameters" }, h("summary", {}, "Parameters"), part("fields", "div", { class: "fields" })),
      h("form", { class: "row", onsubmit: jumpToStory }, h("label", { for: "story-address" }, "Story"), h("input", { id: "story-address", class: "mono wide", placeholder: "paste an address of angarium replay", autocomplete: "off", spellcheck: "false" }), h("button", {}, "Go there")),
      h("p", { class: "pale", id: "note", hidden: true }, "This model is a file of the folder that the page was started for. It is read and compiled, and never run as Python."),
    ),
    h("section", { id: "begin", "aria-label": "What there is", hidden: true }),
    h("section", { class: "panel", id: "checked", "aria-label": "Verdicts", hidden: true }),
    h("section", { class: "panel", id: "along", "aria-label": "The story", hidden: true }),
    h(
      "div",
      { class: "panels explore", id: "panels", hidden: true },
      h("section", { class: "panel", "aria-labelledby": "steps-title" }, h("h2", { id: "steps-title", tabindex: "-1" }, "Possible steps"),
        h("div", { class: "row tools" }, button("undo", "Undo", "u", undo), button("random", "Random step", "r", () => wander(1)), h("span", { class: "row" }, number("count", "or", 20, 400), button("wander", "random steps", "", () => wander(field("count"))), number("seed", "seed", 1, 999999))),
        filter("step-filter", "Filter steps ( / )"), part("steps", "ol", { class: "steps" }), part("rest", "p", { class: "pale" })),
      h("section", { class: "panel", "aria-labelledby": "state-title" }, h("h2", { id: "state-title" }, "State"),
        part("decided"), h("div", { class: "row" }, filter("state-filter", "Filter variables"), onlyChanged),
        h("div", { class: "scroll" }, h("table", { class: "mono state" }, part("state", "tbody"))), part("starts", "div")),
      h("section", { class: "panel", "aria-labelledby": "run-title" }, h("h2", { id: "run-title" }, "The run so far"),
        part("diagram", "div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Diagram" }), h("details", {}, h("summary", {}, "as a list"), part("run", "ol", { class: "run" })),
        h("div", { class: "row" }, h("code", { id: "address" }), button("copy", "Copy address", "", copyAddress))),
    ),
    h("p", { id: "said", class: "skip", role: "status", "aria-live": "polite" }),
  );
}

const at = (id) => document.getElementById(id);
const field = (id) => Math.max(1, Math.min(Number(at(id).value) || 1, Number(at(id).max)));

// --- drawing ----------------------------------------------------------------------------------

function drawSubject() {
  fill(at("subjects"), show.subjectSelect(every, here.subject, (subject) => go({ subject, set: {}, path: [0], along: null })));
  at("check").disabled = !here.subject;
  at("note").hidden = !here.subject || every.bundled.some((each) => each.name === here.subject);
  at("parameters").hidden = !about?.parameters.length;
  fill(at("about"), about?.description ?? "");
  fill(at("fields"), about ? show.parameterFields(about, here.set, setParameter) : []);
}

function draw() {
  at("begin").hidden = Boolean(here.subject);
  fill(at("begin"), here.subject ? [] : show.beginning(every, (subject) => address.write({ subject, set: {}, path: [0], along: null })));
  at("panels").hidden = !view;
  at("checked").hidden = !checked;
  if (checked) drawChecked();
  drawAlong();
  if (!view) return;
  const next = nextOfStory();
  const items = show.stepItems(view.steps, at("step-filter").value, next, take);
  fill(at("steps"), items);
  at("rest").textContent = restText(items.length);
  at("undo").disabled = here.path.length < 2;
  at("random").disabled = at("wander").disabled = !view.steps.length;
  fill(at("decided"), show.decidedParts(view.decided));
  fill(at("state"), show.stateRows(view.state, at("state-filter").value, at("only-changed").checked));
  fill(at("starts"), startsField());
  drawDiagram();
  fill(at("run"), show.runItems(view.run, (length) => go({ path: here.path.slice(0, length) })));
  at("address").textContent = view.address;
}

/** The newest step is in sight. */
function drawDiagram() {
  const place = at("diagram");
  fill(place, show.diagram(view, () => (place.scrollTop = place.scrollHeight)));
}

function restText(shown) {
  if (!view.steps.length) return "Nothing more can happen.";
  return shown < view.steps.length ? `${view.steps.length - shown} more do not match the filter.` : "";
}

function startsField() {
  if (view.starts < 2) return [];
  const choose = (event) => event.target.reportValidity() && go({ path: [Number(event.target.value)], along: null });
  const input = h("input", { type: "number", min: 0, max: view.starts - 1, value: here.path[0], required: true, onchange: choose });
  return [h("label", { class: "row" }, `Initial state, 0 to ${view.starts - 1}`, input)];
}

function drawChecked() {
  const heads = ["verdict", "guarantee", "what it says", ""].map((name) => h("th", { scope: "col" }, name));
  const table = h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, show.verdictRows(checked, followStory)));
  const summary = h("summary", {}, h("strong", {}, "Verdicts"), ` ${show.verdictCounts(checked)}`);
  const parts = h("details", { open: isCheckedOpen }, summary, table, h("p", { class: "pale" }, show.coverage(checked)));
  parts.addEventListener("toggle", () => (isCheckedOpen = parts.open));
  fill(at("checked"), parts);
}

function drawAlong() {
  const { along, path } = here;
  at("along").hidden = !along;
  if (!along) return;
  const onIt = address.isBeginning(path, along.path);
  const total = along.path.length - 1;
  const repeats = along.cycle === null ? "" : along.cycle === total ? " Then it stays like this for ever." : ` From step ${along.cycle + 1} on, the same again for ever.`;
  fill(
    at("along"),
    h("h2", {}, "A story"),
    h("div", { class: "row" },
      button("story-start", "To its start", "", () => go({ path: along.path.slice(0, 1) })),
      button("story-next", "Next step", "n", nextStep, { class: "first", disabled: nextOfStory() === null }),
      button("story-end", "To its end", "", () => go({ path: along.path })),
      button("story-leave", "Leave it", "", () => go({ along: null })),
      h("span", {}, onIt ? `Step ${path.length - 1} of ${total}.${repeats}` : "You have left it: undo leads back."),
    ),
    h("p", { id: "summary" }, told.summary),
  );
}

function nextOfStory() {
  const { along, path } = here;
  return along && path.length < along.path.length && address.isBeginning(path, along.path) ? along.path[path.length] : null;
}

// --- going somewhere --------------------------------------------------------------------------

/** Go to another place, as a new entry of the browser's history. */
async function go(change) {
  const before = address.write(here);
  const moved = { ...here, ...change };
  const after = address.write(moved);
  if (after !== before) history.pushState({ before }, "", after);
  await arrive();
}

/** Show what the address says. */
async function arrive() {
  const there = address.read();
  const isOther = there.subject !== here.subject || about?.subject !== there.subject;
  if (isOther || JSON.stringify(there.set) !== JSON.stringify(here.set)) checked = null;
  here = there;
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const focus = document.activeElement;
  const isOnSteps = Boolean(focus?.closest?.(".steps"));
  try {
    if (!here.subject) view = about = null;
    else if (isOther) about = await api("/api/explore/about", { subject: here.subject }, { signal });
    if (isOther) clearFilters();
    drawSubject();
    if (here.subject) view = await api("/api/explore/view", { subject: here.subject, set: here.set, path: here.path }, { signal });
    await tellStory(signal);
    clearProblems();
    draw();
    say();
    if (isOnSteps) (at("steps").querySelector("button") ?? at("steps-title")).focus();
    else refocus(focus);
  } catch (problem) {
    if (problem.name === "AbortError") return;
    view = null;
    draw();
    report(problem);
  }
}

/** What had the focus and was drawn anew has it again; of a story that is at its end, its start. */
function refocus({ id = "" } = {}) {
  if (!id || document.activeElement !== document.body) return;
  const again = at(id);
  (again?.disabled && id.startsWith("story-") ? at("story-start") : again)?.focus({ preventScroll: true });
}

/** What the story shows that is being followed; its address is that of the run with another path. */
async function tellStory(signal) {
  if (!view || !here.along) return;
  const text = view.address.replace(/:[^:]*$/, `:${address.alongText(here.along)}`);
  if (text === told.address) return;
  const { summary } = await api("/api/explore/story", { address: text }, { signal });
  told = { address: text, summary };
}

function clearFilters() {
  for (const id of ["step-filter", "state-filter"]) at(id).value = "";
}

/** Tell who cannot see the page what has happened. */
function say() {
  if (!view) return;
  document.title = `${here.subject} · Explore · Angarium`;
  const last = view.run.at(-1);
  const broken = view.decided.broken.length ? ` Broken: ${view.decided.broken.join(", ")}.` : "";
  at("said").textContent = shown(`${last ? `Step ${view.run.length}: ${last.says}.` : "At the start."}${broken} ${view.steps.length} steps are possible.`);
}

const take = (choice) => go({ path: [...here.path, choice] });
const nextStep = () => nextOfStory() !== null && take(nextOfStory());

function undo() {
  if (here.path.length < 2) return;
  const shorter = { ...here, path: here.path.slice(0, -1) };
  if (history.state?.before === address.write(shorter)) history.back();
  else go(shorter);
}

function setParameter(name, value) {
  const set = { ...here.set, [name]: value };
  if (about.parameters.find((each) => each.name === name)?.default === value) delete set[name];
  go({ set, path: [0], along: null });
}

async function wander(steps) {
  if (!view?.steps.length) return;
  const asked = { subject: here.subject, set: here.set, path: here.path, steps, seed: field("seed") };
  await tried(async () => go({ path: (await api("/api/explore/wander", asked)).path }));
}

// --- stories ----------------------------------------------------------------------------------

async function jumpToStory(event) {
  event.preventDefault();
  const text = at("story-address").value.trim();
  if (!text) return;
  await tried(async () => {
    const { subject, set, path, cycle } = await api("/api/explore/story", { address: text });
    await go({ subject, set, path, along: { path, cycle } });
  });
}

async function check() {
  const { subject, set } = here;
  at("check").disabled = true;
  at("check").textContent = "Checking…";
  await tried(async () => {
    const answer = await api("/api/explore/check", { subject, set });
    if (subject === here.subject) checked = answer;
    isCheckedOpen = true;
  });
  at("check").disabled = false;
  at("check").textContent = "Check it";
  draw();
}

/** The story and the steps come into sight, and its next step is a key away. */
async function followStory({ story }) {
  isCheckedOpen = false;
  await go({ path: story.path.slice(0, 1), along: { path: story.path, cycle: story.cycle } });
  at("along").scrollIntoView({ block: "start" });
  at("story-next")?.focus({ preventScroll: true });
}

/** Copy the address, or mark it where the browser does not let pages copy. */
async function copyAddress() {
  getSelection().selectAllChildren(at("address"));
  await navigator.clipboard?.writeText(view.address).catch(() => {});
}

async function tried(doing) {
  try {
    await doing();
  } catch (problem) {
    report(problem);
  }
}

// --- keys -------------------------------------------------------------------------------------

const KEYS = { u: undo, Backspace: undo, r: () => wander(1), n: nextStep, "/": () => at("step-filter").focus() };

function onKey(event) {
  if (isTyping(event) || !view) return;
  const step = /^[1-9]$/.test(event.key) ? at("steps").querySelectorAll("button")[Number(event.key) - 1] : null;
  const doing = step ? () => take(Number(step.dataset.choice)) : KEYS[event.key];
  if (!doing) return;
  event.preventDefault();
  doing();
}

build();
drawSubject();
document.addEventListener("keydown", onKey);
addEventListener("popstate", arrive);
await tried(async () => (every = await api("/api/explore/subjects")));
await arrive();
