// The address says everything, so that it can be shared: #mesh=… holds a small mesh and its places, compressed;
// ?file=… names a file of the folder; #fail=… and #may=… what is dead and what may fail.
//
// What is too large for an address stays in this browser, and so do the places of a file's brokers, for which mesh
// files have no room. Such an address, #draft=…, is of no use elsewhere, and the page says so, here and there. Each
// page keeps a draft of its own, so that two of them do not overwrite each other; the oldest drafts go.

const LONGEST = 6000;
const DRAFT = "angarium-mesh-draft:";
const MOST_DRAFTS = 12;
const PLACES = "angarium-mesh-places:";
const ours = `${Date.now().toString(36)}-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
/** The name of this page's draft, which begins with its time. */

export const KEPT_ELSEWHERE =
  "This address is of a drawing that is too large for it, and only the browser that drew it has it: save it as a file there.";
export const IS_CUT = "The address holds no mesh that can be read: was it cut?";

async function through(stream, bytes) {
  const readable = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(readable).arrayBuffer());
}

async function packed(value) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(value)));
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(letters) {
  const plain = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const given = Uint8Array.from(plain, (each) => each.charCodeAt(0));
  const bytes = await through(new DecompressionStream("deflate-raw"), given);
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** What the address asks for: a mesh with places, or what to say if there is none; a file, what is dead, what may fail. */
export async function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  const file = new URLSearchParams(location.search).get("file");
  const mesh = said.get("mesh");
  const draft = said.get("draft");
  return {
    file,
    drawn: mesh ? await unpacked(mesh).catch(() => null) : draft === null ? null : stored(DRAFT + draft),
    missing: mesh ? IS_CUT : draft === null ? null : KEPT_ELSEWHERE,
    failed: said.getAll("fail"),
    may: said.get("may"),
  };
}

/** Let the address say what the page shows, and tell if it cannot. A file that nobody has changed is named only. */
export async function writeAddress({ mesh, places, file, failed }, may, changed) {
  const said = new URLSearchParams();
  if (changed && mesh.order.length) {
    const letters = await packed({ mesh, places });
    if (letters.length <= LONGEST) said.set("mesh", letters);
    else said.set("draft", keepDraft({ mesh, places }) ? ours : "");
  }
  for (const name of failed) said.append("fail", name);
  if (may !== "links=1") said.set("may", may);
  const query = file ? `?${new URLSearchParams({ file })}` : "";
  const hash = said.size ? `#${said}` : "";
  history.replaceState(null, "", `${location.pathname}${query}${hash}`);
  return !said.has("draft");
}

function keepDraft(draft) {
  const others = Object.keys(localStorage).filter((key) => key.startsWith(DRAFT) && key !== DRAFT + ours);
  for (const key of others.sort().slice(0, Math.max(0, others.length + 1 - MOST_DRAFTS))) localStorage.removeItem(key);
  return store(DRAFT + ours, draft);
}

/** Where the brokers of a file stood when it was last seen here. */
export function rememberedPlaces(file) {
  return (file && stored(PLACES + file)) ?? {};
}

export function rememberPlaces(file, places) {
  if (file) store(PLACES + file, places);
}

function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false; // there is no room, or the browser keeps nothing: then it is not remembered
  }
}
