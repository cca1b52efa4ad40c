// The mesh as the page holds it: a mesh file as JSON, in its long forms, as /api/mesh/read answers it.
//
// Functions that change a document change the one that they are given; `State.change` gives them a copy.
// Names are made as the reader of mesh files makes them: "b1-b2" is the cable of a link both ways, whose links
// are "b1->b2" and "b2->b1"; a link one way is "b1->b2", and its own cable unless it names another.
//
// `order` is no part of the file: it keeps the order of brokers, which settles ties, and which JavaScript's objects
// forget where names are numbers. It is sent beside the mesh.

export function emptyMesh() {
  return { mesh: "mesh", routing: { kind: "shortest" }, brokers: {}, links: [], order: [] };
}

// --- links ---------------------------------------------------------------------------------------------

export function endsOf(link) {
  return link.between ?? [link.from, link.to];
}

export function isBothWays(link) {
  return "between" in link;
}

/** What no other link is called. */
export function nameOf(link) {
  const [one, other] = endsOf(link);
  return link.name ?? (isBothWays(link) ? `${one}-${other}` : `${one}->${other}`);
}

/** What fails when it fails. */
export function cableOf(link) {
  return link.cable || nameOf(link);
}

/** The names by which paths call it: one for each direction. */
export function directionsOf(link) {
  if (!isBothWays(link)) return [nameOf(link)];
  const [one, other] = endsOf(link);
  const before = link.name === undefined ? "" : `${link.name}:`;
  return [`${before}${one}->${other}`, `${before}${other}->${one}`];
}

export function linkNamed(mesh, name) {
  return mesh.links.find((link) => nameOf(link) === name);
}

/** A link between two brokers; a second one between the same gets a name of its own. */
export function addLink(mesh, one, other) {
  const link = { between: [one, other] };
  const taken = new Set(mesh.links.flatMap((each) => [nameOf(each), ...directionsOf(each)]));
  for (let number = 2; [nameOf(link), ...directionsOf(link)].some((name) => taken.has(name)); number += 1) {
    link.name = `${one}-${other} ${number}`;
  }
  mesh.links.push(link);
  return nameOf(link);
}

export function removeLink(mesh, name) {
  removeLinks(mesh, (link) => nameOf(link) === name);
}

function removeLinks(mesh, goes) {
  const gone = mesh.links.filter(goes).flatMap((link) => [cableOf(link), ...directionsOf(link)]);
  mesh.links = mesh.links.filter((link) => !goes(link));
  const left = new Set(mesh.links.map(cableOf));
  pruneRisks(mesh, "links", (each) => !gone.includes(each) || left.has(each));
}

/** Shared risks without some of their parts; what has no part left is none. */
function pruneRisks(mesh, part, stays) {
  for (const [name, risk] of Object.entries(mesh["shared-risks"] ?? {})) {
    if (risk[part]) risk[part] = risk[part].filter(stays);
    if (!risk[part]?.length) delete risk[part];
    if (!risk.links && !risk.brokers) delete mesh["shared-risks"][name];
  }
}

/** Both ways, or one way from the first end to the second, or the other way round. */
export function setDirection(mesh, name, direction) {
  const link = linkNamed(mesh, name);
  const [one, other] = endsOf(link);
  const { between, from, to, echoes, rename, cable, connection, ...rest } = link;
  const ends = { both: { between: [one, other] }, there: { from: one, to: other }, back: { from: other, to: one } };
  const changed = { ...ends[direction], ...rest };
  mesh.links[mesh.links.indexOf(link)] = changed;
  renameInRisks(mesh, "links", cableOf(link), cableOf(changed));
  return nameOf(changed);
}

/** What is said of a link, or of a broker; nothing takes the entry out. */
export function setEntry(entries, key, value) {
  if (value === "" || value === null) delete entries[key];
  else entries[key] = value;
}

// --- brokers -------------------------------------------------------------------------------------------

export function freeName(taken, stem, number = 1) {
  while (taken.includes(`${stem}${number}`)) number += 1;
  return `${stem}${number}`;
}

export function addBroker(mesh) {
  const name = freeName(mesh.order, "b", mesh.order.length + 1);
  mesh.brokers[name] = {};
  mesh.order.push(name);
  return name;
}

/** A broker goes, with its links, its clients, and what else names it. */
export function removeBroker(mesh, name) {
  delete mesh.brokers[name];
  mesh.order = mesh.order.filter((each) => each !== name);
  for (const broker of Object.values(mesh.brokers)) if (broker.substitute === name) delete broker.substitute;
  removeLinks(mesh, (link) => endsOf(link).includes(name));
  for (const kind of ["publishers", "subscribers"]) {
    for (const [client, said] of Object.entries(mesh[kind] ?? {})) if (said.at === name) delete mesh[kind][client];
  }
  for (const topic of Object.values(mesh.topics ?? {})) {
    for (const end of ["from", "to"]) if (topic[end]) topic[end] = topic[end].filter((each) => each !== name);
  }
  pruneRisks(mesh, "brokers", (each) => each !== name);
  forgetInTables(mesh, name);
}

function forgetInTables(mesh, name) {
  delete mesh.tables?.[name];
  for (const table of Object.values(mesh.tables ?? {})) {
    for (const [to, next] of Object.entries(table ?? {})) if (to === name || next === name) delete table[to];
  }
}

/** Another name for a broker, in its place, wherever it is named. */
export function renameBroker(mesh, name, other) {
  const as = (each) => (each === name ? other : each);
  const cables = mesh.links.map(cableOf);
  mesh.brokers = renamedKeys(mesh.brokers, as);
  mesh.order = mesh.order.map(as);
  for (const broker of Object.values(mesh.brokers)) if (broker.substitute === name) broker.substitute = other;
  for (const link of mesh.links) {
    if (link.between) link.between = link.between.map(as);
    else [link.from, link.to] = [as(link.from), as(link.to)];
  }
  for (const client of clientsOf(mesh)) client.at = as(client.at);
  for (const topic of Object.values(mesh.topics ?? {})) {
    for (const end of ["from", "to"]) if (topic[end]) topic[end] = topic[end].map(as);
  }
  mesh.links.forEach((link, place) => renameInRisks(mesh, "links", cables[place], cableOf(link)));
  renameInRisks(mesh, "brokers", name, other);
  if (mesh.tables) mesh.tables = renamedTables(mesh.tables, as);
}

function renamedKeys(table, as) {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [as(key), value]));
}

function renamedTables(tables, as) {
  const rows = Object.entries(tables).map(([at, row]) => [
    as(at),
    Object.fromEntries(Object.entries(row ?? {}).map(([to, next]) => [as(to), as(next)])),
  ]);
  return Object.fromEntries(rows);
}

function renameInRisks(mesh, part, name, other) {
  for (const risk of Object.values(mesh["shared-risks"] ?? {})) {
    if (risk[part]) risk[part] = risk[part].map((each) => (each === name ? other : each));
  }
}

// --- topics and clients --------------------------------------------------------------------------------

/** A topic that is published at a broker and wanted nowhere yet. */
export function addTopic(mesh, broker) {
  mesh.topics ??= {};
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].filter((letter) => !Object.hasOwn(mesh.topics, letter));
  const name = letters[0] ?? freeName(Object.keys(mesh.topics), "topic");
  mesh.topics[name] = { from: broker ? [broker] : [], to: [] };
  return name;
}

export function renameTopic(mesh, name, other) {
  mesh.topics = renamedKeys(mesh.topics, (each) => (each === name ? other : each));
}

function clientsOf(mesh) {
  return [mesh.publishers, mesh.subscribers].flatMap((each) => Object.values(each ?? {}));
}

const patternText = (pattern) => (typeof pattern === "string" ? pattern : pattern.pattern);

/** What is published and what is wanted at every broker, by the words of the file. */
export function clientsByBroker(mesh) {
  const found = new Map(mesh.order.map((name) => [name, { publishes: [], subscribes: [] }]));
  const kinds = [["publishers", "publishes"], ["subscribers", "subscribes"]];
  for (const [section, verb] of kinds) {
    for (const { at, topics } of Object.values(mesh[section] ?? {})) found.get(at)?.[verb].push(...topics.map(patternText));
  }
  for (const [topic, { from = [], to = [] }] of Object.entries(mesh.topics ?? {})) {
    for (const broker of from) found.get(broker)?.publishes.push(topic);
    for (const broker of to) found.get(broker)?.subscribes.push(topic);
  }
  return found;
}

// --- what comes from elsewhere -----------------------------------------------------------------------------

const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value) => Array.isArray(value) && value.every((each) => typeof each === "string");
const isPlace = (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);

/** Whether something, such as what an address holds, is a mesh that can be drawn; what it says may still be wrong. */
export function isDrawable(mesh, places) {
  if (![mesh, mesh?.brokers, mesh?.routing, places].every(isTable)) return false;
  if (!isTexts(mesh.order) || !Array.isArray(mesh.links)) return false;
  const isThere = (name) => mesh.order.includes(name);
  const tables = ["topics", "publishers", "subscribers", "shared-risks", "tables"].map((key) => mesh[key] ?? {});
  return (
    typeof mesh.mesh === "string" &&
    [...mesh.order].sort().join("\n") === Object.keys(mesh.brokers).sort().join("\n") &&
    mesh.order.every((name) => isTable(mesh.brokers[name]) && isPlace(places[name])) &&
    mesh.links.every((link) => isTable(link) && isTexts(endsOf(link)) && endsOf(link).length === 2) &&
    mesh.links.every((link) => endsOf(link).every(isThere)) &&
    tables.every((table) => isTable(table) && Object.values(table).every(isTable)) &&
    Object.values(mesh.topics ?? {}).every(({ from = [], to = [] }) => isTexts(from) && isTexts(to)) &&
    clientsOf(mesh).every(({ at, topics }) => typeof at === "string" && Array.isArray(topics))
  );
}

// --- what can fail -------------------------------------------------------------------------------------

/** Whether there is still what a name such as "broker b1" or "link b1-b2" stands for. */
export function canFail(mesh, name) {
  const [kind, ...rest] = name.split(" ");
  const plain = rest.join(" ");
  return kind === "broker" ? mesh.order.includes(plain) : mesh.links.some((link) => cableOf(link) === plain);
}
