// Finding a broker by its name: among many, Tab is a long way.

import { fill, h } from "/static/common.js";
import { problemLine, show } from "./mesh-files.js";

const MOST = 12;
const dialog = document.getElementById("dialog");

/** Ask for a name, and call a function with the broker that has it, or the only one whose name has it in it. */
export function showFind(names, found) {
  const options = h("datalist", { id: "find-names" }, names.map((name) => h("option", { value: name })));
  const input = h("input", { type: "text", id: "find-name", list: "find-names", required: true, autocomplete: "off", spellcheck: "false" });
  const line = problemLine();
  const field = h("div", { class: "field" }, h("label", { for: "find-name" }, "Broker"), input, options);
  const form = h("form", {}, field, line, h("button", { class: "first" }, "Go there"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [name, ...others] = matching(names, input.value.trim());
    if (name === undefined || others.length) return void fill(line, told(name, others));
    dialog.close();
    found(name);
  });
  show("Find a broker", form);
  input.focus();
}

function matching(names, wanted) {
  if (names.includes(wanted)) return [wanted];
  return names.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
}

function told(name, others) {
  if (name === undefined) return "No broker is called so.";
  const more = others.length > MOST ? ` and ${others.length - MOST} more` : "";
  return `Several are: ${[name, ...others.slice(0, MOST)].join(", ")}${more}.`;
}
