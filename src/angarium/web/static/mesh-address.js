// The address says everything, so that it can be shared: #mesh=… holds a small mesh and its places, compressed;
// ?file=… names a file of the folder; #fail=… and #may=… what is dead and what may fail.
//
// What is too large for an address stays in this browser, and so do the places of a file's brokers, for which mesh
// files have no room.

const LONGEST = 6000;
const DRAFT = "angarium-mesh-draft";
const PLACES = "angarium-mesh-places:";

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

/** What the address asks for: a mesh with places, a file, what is dead, what may fail. */
export async function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  const file = new URLSearchParams(location.search).get("file");
  const mesh = said.get("mesh");
  const kept = said.has("draft") ? stored(DRAFT) : null;
  return {
    file,
    drawn: mesh ? await unpacked(mesh).catch(() => "what was cut") : kept,
    failed: said.getAll("fail"),
    may: said.get("may"),
  };
}

/** Let the address say what the page shows. A file that nobody has changed is named only. */
export async function writeAddress({ mesh, places, file, failed }, may, changed) {
  const said = new URLSearchParams();
  if (changed && mesh.order.length) {
    const letters = await packed({ mesh, places });
    if (letters.length <= LONGEST) said.set("mesh", letters);
    else if (store(DRAFT, { mesh, places })) said.set("draft", "");
  }
  for (const name of failed) said.append("fail", name);
  if (may !== "links=1") said.set("may", may);
  const query = file ? `?${new URLSearchParams({ file })}` : "";
  const hash = said.size ? `#${said}` : "";
  history.replaceState(null, "", `${location.pathname}${query}${hash}`);
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
