// The mesh view: draw a mesh, see at once what it guarantees, and let parts of it fail.

import { api, clearProblems, report } from "/static/common.js";
import { readAddress, rememberPlaces, rememberedPlaces, writeAddress } from "./mesh-address.js";
import { kept } from "./mesh-api.js";
import { Drawing } from "./mesh-draw.js";
import { Failing } from "./mesh-fail.js";
import { showFind } from "./mesh-find.js";
import { showHelp, showOpen, showSave, showText } from "./mesh-files.js";
import { Keys } from "./mesh-keys.js";
import { addBroker, addLink, addTopic, emptyMesh, isDrawable, removeBroker, removeLink } from "./mesh-model.js";
import { Mouse, failureOf } from "./mesh-mouse.js";
import { Panel } from "./mesh-panel.js";
import { freePlace } from "./mesh-shapes.js";
import { State } from "./mesh-state.js";
import { Verdicts } from "./mesh-verdicts.js";

const byId = (id) => document.getElementById(id);
const inside = (id) => byId(id).querySelector(":scope > div");
const state = new State();
const drawing = new Drawing(byId("drawing"), state);

// --- what can be done ------------------------------------------------------------------------------------

let linkFrom = null;
let failByClick = false;

const actions = {
  get isLinking() {
    return linkFrom !== null;
  },

  failureOf: (what) => failureOf(state.mesh, what),

  addBroker(at = freePlace(drawing.middle, state.places)) {
    const name = state.change((mesh, places) => {
      const added = addBroker(mesh);
      places[added] = at.map(Math.round);
      return added;
    });
    choose({ kind: "broker", name });
  },

  beginLink(name) {
    linkFrom = name;
    say(`Link ${name} with: choose the other broker by a click, or by Tab and Enter. Escape leaves it.`);
    drawing.elementOf({ kind: "broker", name }).focus();
  },

  link(one, other) {
    actions.endLink();
    const name = state.change((mesh) => addLink(mesh, one, other));
    choose({ kind: "broker", name: other });
    say(`${name} is linked.`);
  },

  endLink() {
    linkFrom = null;
    say("");
  },

  addTopic() {
    const name = state.change((mesh) => addTopic(mesh, state.selectedBroker));
    state.select({ kind: "topic", name });
    byId("selected").open = true;
    panel.focus();
  },

  /** Something is chosen in the drawing: to be linked, to fail, or to be looked at. */
  choose(what, byKey = false) {
    if (linkFrom !== null && what.kind === "broker" && what.name !== linkFrom) return actions.link(linkFrom, what.name);
    if (failByClick) return actions.toggleFailed(what);
    choose(what);
    if (byKey) panel.focus();
  },

  chooseNothing() {
    actions.endLink();
    state.select(null);
    verdicts.forget();
  },

  remove(what = state.selection) {
    if (!what) return;
    const next = neighbourOf(document.activeElement);
    const removers = {
      broker: (mesh, places) => { removeBroker(mesh, what.name); delete places[what.name]; },
      link: (mesh) => removeLink(mesh, what.name),
      topic: (mesh) => { delete mesh.topics[what.name]; },
    };
    state.change(removers[what.kind]);
    next?.focus();
  },

  toggleFailed: (what) => state.toggleFailed(failureOf(state.mesh, what)),

  escape() {
    mouse.cancel();
    if (linkFrom !== null) return actions.endLink();
    byId("side").focus();
  },

  find: () => showFind(state.mesh.order, (name) => {
    choose({ kind: "broker", name });
    drawing.reveal(state.places[name]);
  }),

  undo: () => state.undo(),
  redo: () => state.redo(),
  save: () => showSave(state, saved),
  help: showHelp,
};

/** What is selected has the focus in the drawing as well. */
function choose(what) {
  state.select(what);
  drawing.elementOf(what)?.focus({ preventScroll: true });
}

/** Who gets the focus when an element of the drawing goes. */
function neighbourOf(element) {
  if (!element?.closest?.("#drawing")) return null;
  return element.nextElementSibling ?? element.previousElementSibling;
}

function say(words) {
  byId("status").textContent = words;
}

// --- opening and saving ----------------------------------------------------------------------------------

const onDisk = new Map();
/** The mesh of each file, as it was last read or written. */

function opened(answer, file) {
  const mesh = kept(answer);
  const places = { ...answer.positions, ...known(mesh, rememberedPlaces(file)) };
  if (file) onDisk.set(file, JSON.stringify(mesh));
  state.open(mesh, places, file);
  drawing.fit();
  if (answer.remarks.length) say(`${answer.remarks.length} remarks: ${answer.remarks[0]}`);
}

/** Places of brokers that are there; a file whose brokers are others is laid out anew. */
function known(mesh, places) {
  const isKnown = mesh.order.every((name) => Object.hasOwn(places, name));
  return isKnown ? Object.fromEntries(mesh.order.map((name) => [name, places[name]])) : {};
}

/** Text that somebody changed: brokers that were there stay where they are. */
function retyped(answer) {
  const mesh = kept(answer);
  const stay = mesh.order.filter((name) => Object.hasOwn(state.places, name));
  const places = Object.fromEntries(stay.map((name) => [name, state.places[name]]));
  if (!stay.length) Object.assign(places, answer.positions);
  for (const name of mesh.order) places[name] ??= freePlace(drawing.middle, places);
  state.open(mesh, places, state.file, state.failed);
  drawing.fit();
}

function saved(file) {
  state.file = file;
  onDisk.set(file, JSON.stringify(state.mesh));
  clearProblems();
  say(`Saved as ${file}.`);
  settled();
}

async function tidy() {
  if (!state.mesh.order.length) return;
  const { order, ...mesh } = state.mesh;
  const answer = await api("/api/mesh/read", { mesh, order });
  state.change((_, places) => Object.assign(places, answer.positions));
  drawing.fit();
}

// --- what follows a change -------------------------------------------------------------------------------

const panel = new Panel(inside("selected"), state, actions);
const verdicts = new Verdicts(inside("verdicts"), state, drawing, () => settled());
const failing = new Failing(inside("failures"), state, drawing, () => verdicts.forget());
const mouse = new Mouse(drawing, actions);
new Keys(drawing, actions);

let judged = null;
let settling = null;

state.onChange((what, more) => {
  const follow = {
    mesh: () => {
      drawing.sync();
      panel.show();
      judge();
    },
    selection: () => {
      drawing.syncSelection();
      panel.show();
      failing.selected();
    },
    failed: () => {
      drawing.syncFailed();
      panel.show();
      failing.ask(more.before);
      if (state.failed.length > more.before.length) showFailures();
    },
  };
  follow[what]();
  settled();
});

/** Who lets something fail in the drawing sees beside it what becomes of that. */
function showFailures() {
  const [side, failures] = [byId("side"), byId("failures")];
  if (side.contains(document.activeElement)) return;
  failures.open = true;
  side.scrollTop = failures.offsetTop - side.offsetTop;
}

/** Ask anew if the mesh is another one; where its brokers stand does not matter to it. */
function judge() {
  const now = JSON.stringify(state.mesh);
  if (now === judged) return;
  judged = now;
  verdicts.ask();
  failing.changed();
}

/** The buttons, the title and, a moment later, the address say what is so. */
function settled() {
  byId("undo").disabled = !state.canUndo;
  byId("redo").disabled = !state.canRedo;
  byId("hint").hidden = state.mesh.order.length > 0;
  const changed = JSON.stringify(state.mesh) !== onDisk.get(state.file);
  const unsaved = changed && state.mesh.order.length > 0;
  byId("title").textContent = [state.mesh.mesh, state.file, unsaved && "not saved"].filter(Boolean).join(" · ");
  clearTimeout(settling);
  settling = setTimeout(async () => {
    rememberPlaces(state.file, state.places);
    byId("unshared").hidden = await writeAddress(state, verdicts.may, changed);
  }, 250);
}

// --- beginning -------------------------------------------------------------------------------------------

const buttons = {
  new: () => state.open(emptyMesh(), {}),
  open: () => showOpen((answer, file) => {
    opened(answer, file);
    drawing.svg.focus();
  }),
  save: actions.save,
  text: () => showText(state, retyped),
  undo: actions.undo,
  redo: actions.redo,
  "add-broker": () => actions.addBroker(),
  "add-link": () => {
    if (state.selectedBroker) actions.beginLink(state.selectedBroker);
    else say("Choose a broker first; then it is linked with the next one.");
  },
  "add-topic": () => actions.addTopic(),
  delete: () => actions.remove(),
  "fail-mode": (event) => {
    failByClick = !failByClick;
    event.currentTarget.setAttribute("aria-pressed", String(failByClick));
    drawing.svg.classList.toggle("failing", failByClick);
    say(failByClick ? "A click on a broker or a link lets it fail, or mends it." : "");
  },
  find: actions.find,
  fit: () => drawing.fit(),
  tidy: () => tidy().catch(report),
  help: showHelp,
};
for (const [id, deed] of Object.entries(buttons)) byId(id).addEventListener("click", deed);

async function begin() {
  const { file, drawn, missing, failed, may } = await readAddress();
  if (may) verdicts.setMay(may);
  const isFound = isDrawable(drawn?.mesh, drawn?.places);
  if (isFound) {
    state.open(drawn.mesh, drawn.places, file);
    drawing.fit();
  } else if (file) {
    opened(await api("/api/mesh/read", { file }), file);
  }
  if (missing && !isFound) report(new Error(missing));
  if (failed.length) state.beginFailed(failed);
  settled();
  if (!state.mesh.order.length) drawing.svg.focus();
}

panel.show();
verdicts.ask();
failing.ask([]);
addEventListener("hashchange", () => location.reload());
begin().catch(report);
