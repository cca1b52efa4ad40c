// The page's address says everything: which subject, with which parameters, along which path, and the story
// that is being followed. `set` may stand there more than once; in `along`, what is behind `~` is repeated.
//
//   /explore?subject=nsq&set=messages=2&path=0.3.1&along=0.3.1.2.0~1

/** What an address says. */
export function read(search = location.search) {
  const said = new URLSearchParams(search);
  const pairs = said.getAll("set").map((word) => [word.split("=", 1)[0], word.slice(word.indexOf("=") + 1)]);
  return {
    subject: said.get("subject") ?? "",
    set: Object.fromEntries(pairs),
    path: numbers(said.get("path")) ?? [0],
    along: story(said.get("along")),
  };
}

/** The address that says it. */
export function write({ subject, set, path, along }) {
  const said = new URLSearchParams();
  if (subject) said.set("subject", subject);
  for (const [name, value] of Object.entries(set)) said.append("set", `${name}=${value}`);
  if (path.length > 1 || path[0] > 0) said.set("path", path.join("."));
  if (along) said.set("along", alongText(along));
  const text = said.toString().replaceAll("%3D", "=").replaceAll("%3A", ":").replaceAll("%2F", "/").replaceAll("%7E", "~");
  return text ? `/explore?${text}` : "/explore";
}

/** Whether one path is the beginning of another, or all of it. */
export function isBeginning(path, whole) {
  return path.length <= whole.length && path.every((choice, position) => choice === whole[position]);
}

/** A story's path as its address has it. */
export function alongText({ path, cycle }) {
  if (cycle === null) return path.join(".");
  return `${path.slice(0, cycle + 1).join(".")}~${path.slice(cycle + 1).join(".")}`;
}

function story(text) {
  if (!text) return null;
  const [before, again] = text.split("~");
  const first = numbers(before);
  const repeated = again ? numbers(again) : [];
  if (!first || !repeated) return null;
  return { path: [...first, ...repeated], cycle: again === undefined ? null : first.length - 1 };
}

function numbers(text) {
  return text && /^\d+(\.\d+)*$/.test(text) ? text.split(".").map(Number) : null;
}
