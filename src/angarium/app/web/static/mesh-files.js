// Opening and saving: files of the folder, brokers' own configuration files, and the mesh as text.

import { api, clearProblems, fill, h, report } from "/static/common.js";
import { sent } from "./mesh-api.js";
import { helpContent } from "./mesh-keys.js";

const dialog = document.getElementById("dialog");

export function show(title, ...content) {
  const close = h("button", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "×");
  fill(dialog, h("div", { class: "dialog-head" }, h("h2", { id: "dialog-title" }, title), close), ...content);
  if (!dialog.open) dialog.showModal();
}

/** What is wrong, within the dialog that asked. */
export function problemLine() {
  return h("p", { class: "problem", role: "alert" });
}

function tell(line, problem) {
  fill(line, [problem.message, problem.possible, problem.remedy].filter(Boolean).join(" — "));
}

export function showHelp() {
  show("Keys", h("div", { class: "help" }, helpContent()));
}

// --- open ----------------------------------------------------------------------------------------------

/** Choose a mesh file, or files of brokers that make one mesh together. */
export async function showOpen(opened) {
  try {
    const { files } = await api("/api/mesh/files", {});
    const meshes = files.filter(({ form }) => form === "a mesh file (YAML)");
    const others = files.filter((file) => !meshes.includes(file));
    show("Open", h("div", { class: "two" }, meshList(meshes, opened), importForm(others, opened)));
  } catch (problem) {
    report(problem);
  }
}

function meshList(meshes, opened) {
  const line = problemLine();
  const open = (file) => read({ file }, line, (answer) => opened(answer, file));
  const items = meshes.map(({ file }, place) => {
    return h("li", {}, h("button", { class: "file", autofocus: place === 0, onclick: () => open(file) }, file));
  });
  const list = items.length ? h("ul", { class: "files" }, items) : h("p", { class: "pale" }, "There are none.");
  return h("section", {}, h("h3", {}, "Mesh files of the folder"), list, line);
}

function importForm(files, opened) {
  if (!files.length) return null;
  const line = problemLine();
  const boxes = files.map(({ file, form }) => {
    const box = h("input", { type: "checkbox", name: "file", value: file });
    return h("li", {}, h("label", {}, box, ` ${file} `, h("span", { class: "pale" }, form)));
  });
  const form = h(
    "form",
    {},
    h("h3", {}, "Brokers' own configuration"),
    h("p", { class: "pale" }, "Choose the files of all brokers that make one mesh."),
    h("ul", { class: "files" }, boxes),
    h("button", { class: "first" }, "Import"),
    line,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    read({ files: new FormData(form).getAll("file") }, line, (answer) => opened(answer, null));
  });
  return form;
}

async function read(asked, line, opened) {
  try {
    const answer = await api("/api/mesh/read", asked);
    dialog.close();
    clearProblems();
    opened(answer);
  } catch (problem) {
    tell(line, problem);
  }
}

// --- text ----------------------------------------------------------------------------------------------

/** The mesh as a mesh file, to read, copy, paste and change. */
export async function showText(state, opened) {
  let text = "mesh: mesh\nrouting: shortest\nbrokers: []\nlinks: []\n";
  try {
    if (state.mesh.order.length) text = (await api("/api/mesh/read", sent(state.mesh))).text;
  } catch (problem) {
    return report(problem);
  }
  const area = h("textarea", { rows: 18, spellcheck: "false", "aria-label": "Mesh file" });
  area.value = text;
  const line = problemLine();
  const words = h("p", { class: "pale" }, "The mesh as a mesh file (YAML). Paste another one, or change it.");
  const form = h("form", {}, words, area, line, h("button", { class: "first" }, "Use this text"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    useText(area, line, opened);
  });
  show("Text", form);
}

async function useText(area, line, opened) {
  try {
    const answer = await api("/api/mesh/read", { text: area.value });
    dialog.close();
    opened(answer);
  } catch (problem) {
    tell(line, problem);
    const at = /^text:(\d+):(\d+)/.exec(problem.message);
    if (at) pointAt(area, Number(at[1]));
  }
}

function pointAt(area, line) {
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}

// --- save ----------------------------------------------------------------------------------------------

/** Ask for a name, and write a mesh file into the folder. */
export function showSave(state, saved) {
  const stem = state.mesh.mesh.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "mesh";
  const usual = state.file ?? `${stem}.yaml`;
  const name = h("input", { type: "text", value: usual, required: true, spellcheck: "false", id: "save-name" });
  const replace = h("input", { type: "checkbox" });
  const asks = h("label", { hidden: true }, replace, " Replace the mesh file that is there; comments in it are lost.");
  const line = problemLine();
  const names = h("div", { class: "field" }, h("label", { for: "save-name" }, "File in the folder"), name);
  const form = h("form", {}, names, asks, line, h("button", { class: "first" }, "Save"));
  name.addEventListener("input", () => { replace.checked = false; asks.hidden = true; });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const file = /\.ya?ml$/i.test(name.value.trim()) ? name.value.trim() : `${name.value.trim()}.yaml`;
    try {
      await api("/api/mesh/save", sent(state.mesh, { file, replace: replace.checked }));
      dialog.close();
      saved(file);
    } catch (problem) {
      tell(line, problem);
      asks.hidden = problem.status !== 409;
    }
  });
  show("Save", form);
  name.select();
}
