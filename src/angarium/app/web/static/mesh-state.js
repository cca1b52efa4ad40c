// What the page knows, and how it changes: the mesh, where its brokers stand, what is selected and what is dead.
//
// Every change of the mesh, of a place or of what is dead can be undone. Snapshots are kept, not differences: a mesh
// on a page is small. What is selected is no part of them, but forgets what is there no longer.

import { canFail, emptyMesh, linkNamed } from "./mesh-model.js";

const MOST_STEPS = 200;

export class State {
  mesh = emptyMesh();
  places = {};
  file = null;
  selection = null;
  failed = [];
  #past = [];
  #future = [];
  #last = null;
  #listeners = [];

  /** Call a function with what has changed: "mesh", "selection" or "failed". */
  onChange(listener) {
    this.#listeners.push(listener);
  }

  #tell(what, more) {
    for (const listener of this.#listeners) listener(what, more);
  }

  /** Change copies of the mesh and of the places. Those of one kind, one behind the other, are undone together. */
  change(edit, kind = null) {
    if (kind === null || kind !== this.#last || !this.#past.length) this.#remember();
    this.#last = kind;
    this.mesh = structuredClone(this.mesh);
    this.places = structuredClone(this.places);
    const made = edit(this.mesh, this.places);
    this.#changed();
    return made;
  }

  /** Another mesh altogether, which can be undone as well. */
  open(mesh, places, file = null, failed = []) {
    if (this.mesh.order.length) this.#remember();
    const before = this.failed;
    Object.assign(this, { mesh, places, file, failed, selection: null });
    this.#last = null;
    this.#changed(before);
  }

  #remember() {
    this.#past.push(this.#snapshot());
    this.#past.splice(0, this.#past.length - MOST_STEPS);
    this.#future = [];
  }

  #snapshot() {
    return { mesh: this.mesh, places: this.places, file: this.file, failed: this.failed };
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  undo() {
    this.#step(this.#past, this.#future);
  }

  redo() {
    this.#step(this.#future, this.#past);
  }

  #step(from, to) {
    if (!from.length) return;
    const before = this.failed;
    to.push(this.#snapshot());
    Object.assign(this, from.pop());
    this.#last = null;
    this.#changed(before);
  }

  /** Tell that the mesh is another one; and what is dead, if that was something else before. */
  #changed(before = this.failed) {
    if (this.selection && !this.#isThere(this.selection)) this.select(null);
    this.failed = this.failed.filter((name) => canFail(this.mesh, name));
    this.#tell("mesh");
    if (before.join("\n") !== this.failed.join("\n")) this.#tell("failed", { before });
  }

  #isThere({ kind, name }) {
    const there = {
      broker: () => this.mesh.order.includes(name),
      link: () => linkNamed(this.mesh, name),
      topic: () => Object.hasOwn(this.mesh.topics ?? {}, name),
    };
    return there[kind]();
  }

  select(selection) {
    if (JSON.stringify(selection) === JSON.stringify(this.selection)) return;
    this.selection = selection;
    this.#tell("selection");
  }

  get selectedBroker() {
    return this.selection?.kind === "broker" ? this.selection.name : null;
  }

  /** Let "broker b1" or "link b1-b2" fail, or mend it. */
  toggleFailed(name) {
    const dead = this.failed.includes(name);
    this.setFailed(dead ? this.failed.filter((each) => each !== name) : [...this.failed, name]);
  }

  /** Let these have failed, and nothing else; it can be undone. */
  setFailed(names) {
    this.#remember();
    this.#last = null;
    this.beginFailed(names);
  }

  /** The same for what the page begins with. */
  beginFailed(names) {
    const before = this.failed;
    this.failed = names.filter((name) => canFail(this.mesh, name));
    this.#tell("failed", { before });
  }
}
