// The report view: all runs, one run, one claim; the address says which.
//
//   /report    /report?run=20261116-183000-1f3a    /report?run=...&claim=no-loss

import { api, clearProblems, fill, h, picture, report } from "./common.js";
import * as explore from "./explore_address.js";

const main = document.getElementById("main");
const adopted = new Set();

const DRAWN = /<svg\b[^>]*>.*?<\/svg>/gs;
const STYLE = /<style>(.*?)<\/style>/s;

/** HTML that our server made. The policy forbids style elements, so what they say is found another way. */
function ours(html) {
  return [...parsed(html.replace(DRAWN, styled)).childNodes];
}

/** Diagrams of stories all have the same style, which becomes one of the page; other drawings become images. */
function styled(svg) {
  if (!STYLE.test(svg)) return svg;
  if (svg.includes('class="sequence"')) return svg.replace(STYLE, (_, rules) => adopt(rules));
  const [, title = ""] = svg.match(/<title>(.*?)<\/title>/s) ?? [];
  return picture(svg, parsed(title).textContent).outerHTML;
}

const parsed = (html) => new DOMParser().parseFromString(html, "text/html").body;

function adopt(rules) {
  if (adopted.has(rules)) return "";
  adopted.add(rules);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets.push(sheet);
  return "";
}

const link = (asked, text) => h("a", { href: `/report?${new URLSearchParams(asked)}` }, text);
const seconds = (number) => `${number < 10 ? number.toFixed(1) : Math.round(number)}\u00a0s`;
const time = (text) => text.replace("T", "\u00a0").replace("Z", "\u00a0UTC");

function table(caption, heads, rows) {
  const head = h("tr", {}, heads.map((name) => h("th", { scope: "col" }, name)));
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, h("table", {}, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, rows)));
}

const row = (first, ...rest) => h("tr", {}, h("th", { scope: "row" }, first), rest.map((cell) => h("td", {}, cell)));

// --- the three pages --------------------------------------------------------------------------

async function allRuns() {
  const { runs } = await api("/api/report/runs");
  if (!runs.length) return noRuns();
  const rows = runs.map((each) => row(link({ run: each.run }, each.run), ours(each.outcome), each.project, time(each.began), `${each.claims}${each.unchecked ? `, and ${each.unchecked} not looked at` : ""}`, seconds(each.seconds)));
  return [h("h1", {}, "Report"), table("All runs, the newest first", ["run", "outcome", "project", "began", "claims", "took"], rows)];
}

/** Where it was looked for, and where there are some: a run is kept in the folder of its project. */
async function noRuns() {
  const { place, others } = await api("/api/report/place");
  const code = (words) => h("code", {}, words);
  const found = others.map((each) => h("li", {}, code(each)));
  return [
    h("h1", {}, "Report"),
    h("p", {}, "There are no runs in ", code(place), " yet. ", code("angarium run"), " checks the claims of a project file and keeps what it finds; it is shown here then."),
    found.length ? [h("p", {}, "But there are runs elsewhere in this folder. To see them, start the page again with ", code("--out"), " and one of these:"), h("ul", {}, found)] : null,
  ];
}

async function oneRun(run) {
  const told = await api(`/api/report/run?${new URLSearchParams({ run })}`);
  const rows = told.rows.map((each) =>
    row([link({ run, claim: each.name }, each.name), each.notes.map((note) => h("p", { class: "remark" }, note))], ours(each.outcome), ours(each.verdict), ours(each.expect), each.kind, each.about, seconds(each.seconds), each.cached ? "yes" : "no"),
  );
  const heads = ["claim", "outcome", "verdict", "expected", "kind", "what was asked", "took", "from before"];
  return [
    way(),
    h("h1", {}, told.project, " ", ours(told.outcome)),
    h("p", { class: "pale" }, `Run ${run}, began ${time(told.began)}, took ${seconds(told.seconds)}, on ${told.master}, by Angarium ${told.version}.`),
    h("h2", { id: "claims" }, "Claims"),
    rows.length ? table("All claims, the worst first", heads, rows) : h("p", {}, "No claim was looked at."),
    ours(told.html),
  ];
}

async function oneClaim(run, claim) {
  const told = await api(`/api/report/claim?${new URLSearchParams({ run, claim })}`);
  const section = ours(told.html);
  for (const node of section) {
    for (const back of node.querySelectorAll?.(".back a") ?? []) back.setAttribute("href", link({ run }, "").getAttribute("href"));
  }
  const page = h("div", {}, section);
  const links = stories(told.stories);
  if (links) (page.querySelector("h4") ?? page.firstChild).before(links);
  return [way(run), h("h1", {}, told.project), page];
}

function stories(found) {
  if (!found.length) return null;
  const links = found.map((each) => h("a", { href: explore.write({ ...each, path: each.path.slice(0, 1), along: each }) }, each.guarantee));
  return h("p", { class: "row stories" }, "Step through the story of:", links);
}

function way(run = "") {
  return h("nav", { class: "way", "aria-label": "Where you are" }, h("a", { href: "/report" }, "All runs"), run ? [" › ", link({ run }, `run ${run}`)] : null);
}

// --- showing ----------------------------------------------------------------------------------

async function show() {
  const asked = new URLSearchParams(location.search);
  const [run, claim] = [asked.get("run"), asked.get("claim")];
  try {
    const parts = claim ? await oneClaim(run ?? "", claim) : run ? await oneRun(run) : await allRuns();
    clearProblems();
    fill(main, parts);
    document.title = `${claim ?? run ?? "Report"} · Angarium`;
  } catch (problem) {
    fill(main, way(), h("h1", {}, "Report"));
    report(problem);
  }
}

await show();
