// What all views share: asking the server, making elements, saying what went wrong.
//
//   const answer = await api("/api/explore/view", { subject: "nsq" });   // POST; without a body, GET
//   main.append(h("button", { class: "first", onclick: go }, "Go"));     // text is never read as HTML
//   try { ... } catch (problem) { report(problem); }                     // in a polite live region
//
// Only `picture` takes markup, and only such as our own server made.

/** What the server refused, in its words: what is wrong, what was possible, what to do. */
export class Refused extends Error {
  constructor(status, { problem, possible = "", remedy = "" }) {
    super(problem);
    Object.assign(this, { status, possible, remedy });
  }
}

let asking = 0;

/** Ask the server: POST with a body of JSON, or GET without one. */
export async function api(path, body = undefined, { signal } = {}) {
  const asked = { headers: { Accept: "application/json" }, signal };
  if (body !== undefined) {
    asked.method = "POST";
    asked.headers["Content-Type"] = "application/json";
    asked.body = JSON.stringify(body);
  }
  asking += 1;
  document.body.classList.add("busy");
  try {
    const response = await fetch(path, asked);
    const answer = await response.json().catch(() => ({ problem: `the server answered ${response.status}` }));
    if (!response.ok) throw new Refused(response.status, answer);
    return answer;
  } catch (problem) {
    if (!(problem instanceof TypeError)) throw problem;
    throw new Refused(0, { problem: "the server does not answer", remedy: "is angarium serve still running?" });
  } finally {
    asking -= 1;
    document.body.classList.toggle("busy", asking > 0);
  }
}

/** An element: attributes by name, `on...` are listeners, `null` and `false` are left out; children are text or nodes. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && ["value", "checked", "disabled", "selected"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...nodes(children));
  return element;
}

/** Put children in the place of what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

function nodes(children) {
  const there = children.flat(Infinity).filter((child) => child !== null && child !== undefined);
  return there.map((child) => (typeof child === "string" ? shown(child) : child));
}

const OBEYED = /[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Words of others as they may be shown: what turns writing round or cannot be seen is an escape. */
export function shown(text) {
  return text.replace(OBEYED, (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`);
}

const SIGNS = { holds: "✓", violated: "✗", unknown: "?" };

/** A verdict as a word with a sign. */
export function verdict(word) {
  return h("span", { class: `verdict ${word}` }, `${SIGNS[word] ?? ""} ${word}`);
}

/** SVG that our own server made, as an image: whatever is in it, no script of it runs. */
export function picture(svg, alt) {
  return h("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, alt });
}

/** Say what went wrong. An answer that nobody waits for any more is no problem. */
export function report(problem) {
  if (problem.name === "AbortError") return;
  const region = problems();
  const entry = h("div", {}, h("p", {}, h("strong", {}, problem.message)));
  entry.append(h("button", { "aria-label": "Close", onclick: () => entry.remove() }, "×"));
  for (const more of [problem.possible, problem.remedy]) if (more) entry.append(h("p", { class: "pale" }, more));
  fill(region, entry);
}

/** Forget problems that are over. */
export function clearProblems() {
  fill(problems());
}

function problems() {
  let region = document.getElementById("problems");
  if (!region) {
    region = h("div", { id: "problems", role: "status", "aria-live": "polite" });
    document.body.append(region);
  }
  return region;
}

/** Whether keys are for a field that is being typed in, or for the browser. */
export function isTyping(event) {
  return (
    event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea, [contenteditable]")
  );
}

problems();
