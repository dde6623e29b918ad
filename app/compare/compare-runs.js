// Runs of text in the superposed drawing: A's value, an arrow, B's value; how wide they are, and how they wrap.

/** @import { Run } from "../site/types.d.ts" */

/** @type {{ [style: string]: [pixels: number, wider: number] }} */
const SIZES = {
  title: [15, 1.1],
  strong: [17, 1.06],
  ink: [12.5, 1],
  bold: [12.5, 1.05],
  small: [11.5, 1],
  mono: [11, 0],
  name: [13, 1.09],
  on: [13, 1.05],
  count: [19, 1.03],
};
const NARROW = new Set("ijlI.,:;|!'’ ·"),
  SLIM = new Set('frt()[]/-*"'),
  BROAD = new Set("mwMWGOQ@%→←↑…—∑⊖⊕"),
  SMALL = new Set("ksvxyz");
/** @param {string} char */
const advance = (char) =>
  NARROW.has(char)
    ? 0.282
    : SLIM.has(char)
      ? 0.38
      : BROAD.has(char)
        ? 0.94
        : SMALL.has(char)
          ? 0.552
          : char >= "0" && char <= "9"
            ? 0.645
            : char >= "A" && char <= "Z"
              ? 0.69
              : 0.603;
/** @type {Map<string, number>} */
const known = new Map();
/**
 * @param {string} text
 * @param {string} [style]
 * @returns {number}
 */
export function wide(text, style = "ink") {
  const key = `${style}|${text}`,
    held = known.get(key);
  if (held !== undefined) return held;
  const [size, by] = SIZES[style];
  let sum = 0;
  if (by) for (const char of text) sum += advance(char);
  const found = Math.ceil((by ? sum * by : [...text].length * 0.605) * size);
  if (known.size > 20_000) known.clear();
  known.set(key, found);
  return found;
}
/**
 * @param {string} style
 * @returns {number}
 */
export const size = (style) => SIZES[style][0];

export const ARROW = " → ";
/**
 * What A says and what B says as one line: their common words once, and a -> b where they differ.
 * @param {string} t
 */
const words = (t) => (t ? t.split(/(?<=[ (])|(?=, )/) : []);
/**
 * @param {string | undefined} a
 * @param {string | undefined} b
 * @returns {Run[]}
 */
export function runs(a, b) {
  if (a === undefined || b === undefined || a === b) return [{ t: a ?? b ?? "", k: "" }];
  const x = words(a),
    y = words(b),
    /** @type {(i: number, j: number) => boolean} */
    like = (i, j) => x.at(i)?.trimEnd() === y.at(j)?.trimEnd();
  let head = 0,
    tail = 0;
  while (head < Math.min(x.length, y.length) && like(head, head)) head++;
  while (tail < Math.min(x.length, y.length) - head && like(-1 - tail, -1 - tail)) tail++;
  const mine = x
      .slice(head, x.length - tail)
      .join("")
      .trimEnd(),
    theirs = y
      .slice(head, y.length - tail)
      .join("")
      .trimEnd(),
    after = x.slice(x.length - tail).join("");
  const open = x.slice(0, head).join(""),
    gap = /[ (]$/.test(open) || (mine || theirs).startsWith(",") ? "" : " ",
    out = open ? [{ t: open + gap, k: "" }] : [];
  if (mine) out.push({ t: mine, k: "a" });
  if (mine) out.push({ t: ARROW, k: "r" });
  if (mine && !theirs) out.push({ t: "none", k: "r" });
  if (theirs) out.push({ t: theirs, k: "b" });
  if (after) out.push({ t: after.startsWith(",") ? after : ` ${after}`, k: "" });
  return out;
}
/**
 * @param {Run[]} list
 * @param {string} t
 * @param {string} [k]
 * @returns {Run[]}
 */
export const plus = (list, t, k = "") => (t ? [...list, { t, k }] : list);
/**
 * @param {Run[]} list
 * @param {string} style
 * @returns {number}
 */
export const length = (list, style) =>
  list.reduce((sum, run) => sum + wide(run.t, style) * (run.k === "b" && style !== "mono" ? 1.05 : 1), 0);
/**
 * @param {string} t
 * @param {string} style
 * @param {number} room
 * @returns {string}
 */
export const fitted = (t, style, room) => (wide(t, style) <= room ? t : cut(t, style, room));
/**
 * @param {string} text
 * @param {string} style
 * @param {number} room
 */
const cut = (text, style, room) => {
  let t = text;
  while (t && wide(`${t}…`, style) > room) t = t.slice(0, -1);
  return `${t}…`;
};

/**
 * Runs in lines of at most so much room; a word that is too long is cut.
 * @param {Run[]} list
 * @param {string} style
 * @param {number} room
 * @returns {Run[][]}
 */
export function wrap(list, style, room) {
  /** @type {Run[][]} */
  const lines = [[]];
  let used = 0;
  for (const run of list) {
    if (run.t === "\n") {
      lines.push([]);
      used = 0;
      continue;
    }
    for (const word of run.t.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? []) {
      let t = word,
        much = wide(t, style) * (run.k === "b" ? 1.05 : 1);
      if (used && run.k !== "q" && used + wide(t.trimEnd(), style) + (run.k === "b" ? 2 : 0) > room) {
        lines.push([]);
        used = 0;
      }
      if (!used) {
        t = t.trimStart();
        if (wide(t.trimEnd(), style) > room) t = cut(t.trimEnd(), style, room);
        much = wide(t, style);
      }
      if (!t) continue;
      const line = lines[lines.length - 1],
        last = line.at(-1);
      if (last?.k === run.k) last.t += t;
      else line.push({ t, k: run.k });
      used += much;
    }
  }
  return lines.filter((line) => line.length);
}
