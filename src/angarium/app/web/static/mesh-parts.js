// Small parts that the panels are made of: fields, chips, tables.

import { h } from "/static/common.js";

let fields = 0;

/** A control with its label. */
export function field(label, control) {
  fields += 1;
  control.id = `field-${fields}`;
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control);
}

/** A text that is taken when the field is left. */
export function textField(label, value, take, placeholder = "") {
  const control = h("input", { type: "text", value: value ?? "", placeholder, spellcheck: "false" });
  control.addEventListener("change", () => take(control.value.trim(), control));
  return field(label, control);
}

/** One of some choices, each a key and its words. */
export function choiceField(label, value, choices, take) {
  const options = choices.map(([key, words]) => h("option", { value: key, selected: key === value }, words));
  const control = h("select", {}, options);
  control.addEventListener("change", () => take(control.value));
  return field(label, control);
}

/** A row of small things behind a label. */
export function chipsField(label, ...chips) {
  return h("div", { class: "field" }, h("span", {}, label), h("span", { class: "chips" }, chips));
}

/** A small button; `meaning` is for those who do not see where it stands. */
export function chip(words, onclick, meaning = null) {
  return h("button", { class: "chip", "aria-label": meaning, onclick }, words);
}

/** A choice of names of which one is added; nothing if there is none to add. */
export function addChoice(meaning, names, take) {
  if (!names.length) return null;
  const options = names.map((name) => h("option", { value: name }, name));
  const control = h("select", { "aria-label": meaning }, h("option", { value: "" }, "add…"), options);
  control.addEventListener("change", () => control.value && take(control.value));
  return control;
}

/** A number of things: "1 broker", "2 brokers". */
export function amount(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/** A table; each row is a class, or null, and its cells. */
export function table(kind, heads, rows) {
  const head = heads.map((words) => h("th", { scope: "col" }, words));
  const body = rows.map(([mark, ...cells]) => h("tr", { class: mark }, cells.map((cell) => h("td", {}, cell))));
  return h("table", { class: kind }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body));
}
