// Questions to the server about the mesh. While somebody edits, a question is asked a moment after the last change;
// only one is asked at a time, so that the server is not kept busy with meshes that are gone, and only the answer to
// the last one counts.

import { api } from "/static/common.js";

/** A mesh as it is sent: the order of its brokers stands beside it. */
export function sent({ order, ...mesh }, more = {}) {
  return { mesh, order, ...more };
}

/** A mesh as it is kept, from an answer of /api/mesh/read. */
export function kept({ mesh, order }) {
  return { links: [], ...mesh, order };
}

export class Latest {
  #timer = null;
  #wanted = null;
  #isDue = false;
  #isAsking = false;

  constructor(path, wait) {
    Object.assign(this, { path, wait });
  }

  /** Ask soon, in place of what was to be asked before. */
  ask(body, answered, refused) {
    this.stop();
    this.#wanted = { body, answered, refused };
    this.#timer = setTimeout(() => {
      this.#isDue = true;
      this.#send();
    }, this.wait);
  }

  /** No answer counts any more. */
  stop() {
    clearTimeout(this.#timer);
    this.#wanted = null;
    this.#isDue = false;
  }

  async #send() {
    if (this.#isAsking || !this.#isDue) return;
    const asked = this.#wanted;
    this.#isAsking = true;
    const tell = await api(this.path, asked.body).then(
      (answer) => () => asked.answered(answer),
      (problem) => () => asked.refused(problem),
    );
    this.#isAsking = false;
    if (asked !== this.#wanted) return void this.#send();
    this.stop();
    tell();
  }
}
