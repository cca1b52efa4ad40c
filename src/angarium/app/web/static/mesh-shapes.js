// Where things are drawn: how large a card is, where a line meets its rim, how lines between the same two bend.

const LETTER = 9.6;
const SMALL_LETTER = 7.3;
const LONGEST_NAME = 24;
const LONGEST_LINE = 18;
const NARROWEST = 64;
const BEND = 34;

/** A text that has room on a card. */
export function shortened(text, longest) {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** What stands on a card: its name, what is published (↑) and what is wanted (↓) there, and how large it is. */
export function cardOf(name, { publishes, subscribes }) {
  const title = shortened(name, LONGEST_NAME);
  const lines = [["publishes", "↑", publishes], ["subscribes", "↓", subscribes]]
    .filter(([, , topics]) => topics.length)
    .map(([kind, arrow, topics]) => {
      return { kind, text: shortened(`${arrow} ${[...new Set(topics)].join(", ")}`, LONGEST_LINE) };
    });
  const widest = Math.max(title.length * LETTER, ...lines.map(({ text }) => text.length * SMALL_LETTER));
  return { title, lines, width: Math.max(NARROWEST, widest + 24), height: 30 + 15 * lines.length };
}

/** Where the line from the middle of a card towards a point leaves it. */
export function rimPoint([x, y], { width, height }, [toX, toY], room = 3) {
  const [dx, dy] = [toX - x, toY - y];
  if (!dx && !dy) return [x, y];
  const share = Math.min(1, 1 / Math.max(Math.abs(dx) / (width / 2 + room), Math.abs(dy) / (height / 2 + room)));
  return [x + dx * share, y + dy * share];
}

/** A line between two cards, which bends if it is not the only one: its path, its middle, and the tip of an arrow. */
export function lineBetween(from, to, place, count) {
  const bend = (place - (count - 1) / 2) * BEND;
  const [[x, y], [toX, toY]] = [from.at, to.at];
  const length = Math.hypot(toX - x, toY - y) || 1;
  const aside = [(-(toY - y) / length) * bend * 2, ((toX - x) / length) * bend * 2];
  const knee = [(x + toX) / 2 + aside[0], (y + toY) / 2 + aside[1]];
  const start = rimPoint(from.at, from.card, bend ? knee : to.at);
  const end = rimPoint(to.at, to.card, bend ? knee : from.at);
  const share = bend ? 2 : 0; // how much the middle is drawn to the knee
  const middle = [0, 1].map((axis) => (start[axis] + share * knee[axis] + end[axis]) / (2 + share));
  const path = bend ? `M${point(start)}Q${point(knee)} ${point(end)}` : `M${point(start)}L${point(end)}`;
  return { path, middle, tip: tipAt(end, bend ? knee : start) };
}

function tipAt([x, y], [fromX, fromY]) {
  const angle = Math.atan2(y - fromY, x - fromX);
  const corner = (turn) => [x - 11 * Math.cos(angle + turn), y - 11 * Math.sin(angle + turn)];
  return `M${point([x, y])}L${point(corner(0.42))}L${point(corner(-0.42))}Z`;
}

function point([x, y]) {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/** A place near a point where no card is. */
export function freePlace([x, y], places) {
  const taken = Object.values(places);
  const isFree = ([a, b]) => taken.every(([c, d]) => Math.abs(a - c) > 110 || Math.abs(b - d) > 80);
  for (let turn = 0; turn < 400; turn += 1) {
    const distance = 26 * Math.sqrt(turn);
    const at = [x + distance * Math.cos(turn * 2.4), y + distance * Math.sin(turn * 2.4) * 0.8].map(Math.round);
    if (isFree(at)) return at;
  }
  return [x, y];
}

/** The box around all cards. */
export function boxAround(places, cards, room = 40) {
  const boxes = [...cards].map(([name, card]) => [places[name], card]).filter(([at]) => at);
  if (!boxes.length) return null;
  const left = Math.min(...boxes.map(([at, card]) => at[0] - card.width / 2)) - room;
  const top = Math.min(...boxes.map(([at, card]) => at[1] - card.height / 2)) - room;
  const right = Math.max(...boxes.map(([at, card]) => at[0] + card.width / 2)) + room;
  const bottom = Math.max(...boxes.map(([at, card]) => at[1] + card.height / 2)) + room;
  return { left, top, width: right - left, height: bottom - top };
}
