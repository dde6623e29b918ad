/* Where cells stand, as paths and numbers: of the lanes those in view, of the map stretches of like work. */
import { renderList, s, setAttrs } from "../kit/dom.js";

/** @import { Op } from "./simulate.js" */

/**
 * Where the lanes of a schedule stand, in pixels, and from when to when they go.
 * @typedef {{ left: number, inner: number, from: number, to: number, top: number, lane: number, pitch: number }} Field
 */

/** @typedef {{ kind: string, chunk: number, x: number, y: number, w: number, h: number, label: number }} Cell */
/** Like work of a rank in a row. @typedef {[kind: string, from: number, to: number]} Stretch */
/** Texts of one line, and where each digit stands. @typedef {{ x: number[], text: string }} Labels */

const DIGIT = 7; // pixels wide
const ROUND_TO = 200; // cells; more have plain corners
/** @param {number} m */
export const needs_px = (m) => DIGIT * String(m).length + 2;
/** @param {number} value */
export const tenth = (value) => Math.round(value * 10) / 10;

/** @param {number} x @param {number} y @param {number} w @param {number} h @param {boolean} [round] */
const box = (x, y, w, h, round) => {
  if (!round || 8 > w) return `M${tenth(x)} ${tenth(y)}h${tenth(w)}v${h}h${-tenth(w)}z`;
  const r = 3;
  return `M${tenth(x + r)} ${tenth(y)}h${tenth(w - 2 * r)}q${r} 0 ${r} ${r}v${h - 2 * r}q0 ${r} ${-r} ${r}h${-tenth(w - 2 * r)}q${-r} 0 ${-r} ${-r}v${2 * r - h}q0 ${-r} ${r} ${-r}z`;
};

/**
 * The cells of a field.
 * @param {{ ops: Op[][] }} out
 * @param {Field} f
 * @param {number} p
 */
export const cells = (out, f, p) => {
  const unit = f.inner / (f.to - f.from);
  /** @type {Cell[]} */
  const made = [];
  out.ops.forEach((ops, r) =>
    ops.forEach((op) => {
      const [start, end] = [
        Math.max(/** @type {number} */ (op[op.length - 2]), f.from),
        Math.min(/** @type {number} */ (op[op.length - 1]), f.to),
      ];
      if (start >= end) return;
      const y = f.top + r * f.pitch;
      const wide = (end - start) * unit;
      const space = Math.min(1, wide / 5);
      const at = { x: f.left + (start - f.from) * unit + space / 2, w: wide - space };
      const chunk = (/** @type {number} */ stage) => (stage === r ? 0 : Math.max(1, Math.floor(stage / p)));
      if (op[0] !== "X") made.push({ ...at, kind: op[0], chunk: chunk(op[1]), y, h: f.lane, label: op[2] + 1 });
      else {
        made.push({ ...at, kind: "F", chunk: chunk(op[1]), y, h: f.lane / 2 - 0.5, label: op[2] + 1 });
        made.push({
          ...at,
          kind: "B",
          chunk: chunk(op[3]),
          y: y + f.lane / 2 + 0.5,
          h: f.lane / 2 - 0.5,
          label: op[4] + 1,
        });
      }
    }),
  );
  return made;
};

/** @param {Element} group @param {Cell[]} all */
export const paint_cells = (group, all) => {
  /** @type {{ [key: string]: string[] }} */
  const paths = {};
  const round = ROUND_TO >= all.length;
  for (const c of all) (paths[c.kind + c.chunk] ||= []).push(box(c.x, c.y, c.w, c.h, round));
  renderList(
    group,
    Object.keys(paths).sort(),
    () => s("path"),
    (node, key) =>
      setAttrs(node, { class: `cw-pipeline-${key[0]} cw-pipeline-tone${key.slice(1)}`, d: paths[key].join("") }),
  );
};

/**
 * Micro-batches where they fit: one text for each line of cells, every digit with a place of its own.
 * @param {Element} group
 * @param {Cell[]} all
 * @param {number} digits
 */
export const paint_labels = (group, all, digits) => {
  /** @type {Map<string, Labels>} */
  const rows = new Map();
  for (const c of all) {
    if (digits > c.w || 13 > c.h) continue;
    const key = `${c.chunk ? 1 : 0} ${tenth(c.y + c.h / 2 + 4)}`;
    if (!rows.has(key)) rows.set(key, { x: [], text: "" });
    const [row, label] = [/** @type {Labels} */ (rows.get(key)), String(c.label)];
    [...label].forEach((_, i) => row.x.push(tenth(c.x + c.w / 2 + (i - (label.length - 1) / 2) * (DIGIT - 0.4))));
    row.text += label;
  }
  renderList(
    group,
    [...rows],
    () => s("text", { "text-anchor": "middle" }),
    (node, [key, { x, text }]) => {
      const [tone, y] = key.split(" ");
      setAttrs(node, { x: x.join(" "), y, class: `cw-pipeline-on${tone}`, text });
    },
  );
};

/**
 * A rank's work: neighbours of one kind are one; what is narrower than `least` joins its neighbour as M, a mixture.
 * @param {Op[]} ops
 * @param {number} least
 */
export const stretches = (ops, least) => {
  const joined = (/** @type {Stretch[]} */ all) =>
    all.reduce(
      (made, one) => {
        const last = made.at(-1);
        if (last && last[0] === one[0] && 1e-9 > one[1] - last[2]) last[2] = one[2];
        else made.push([...one]);
        return made;
      },
      /** @type {Stretch[]} */ ([]),
    );
  const all = joined(
    ops.map(
      (op) =>
        /** @type {Stretch} */ ([
          /** @type {{ [kind: string]: string }} */ ({ X: "M", I: "B" })[op[0]] || op[0],
          op.at(-2),
          op.at(-1),
        ]),
    ),
  );
  const touches = (/** @type {Stretch | undefined} */ a, /** @type {Stretch | undefined} */ b) =>
    a && b && 1e-9 > b[1] - a[2];
  /** @type {Stretch[]} */
  const mixed = all.map((one, i) =>
    least > one[2] - one[1] && (touches(all[i - 1], one) || touches(one, all[i + 1])) ? ["M", one[1], one[2]] : one,
  );
  return joined(mixed);
};

/** @param {Element} group @param {{ ops: Op[][] }} out @param {Field} f */
export const paint_map = (group, out, f) => {
  /** @type {{ [key: string]: string[] }} */
  const paths = {};
  const unit = f.inner / (f.to - f.from);
  out.ops.forEach((ops, r) => {
    for (const [kind, from, to] of stretches(ops, 6 / unit)) {
      (paths[kind] ||= []).push(box(f.left + from * unit, f.top + r * f.pitch, (to - from) * unit, f.lane));
    }
  });
  renderList(
    group,
    Object.keys(paths).sort(),
    () => s("path"),
    (node, key) => setAttrs(node, { class: `cw-pipeline-${key}`, d: paths[key].join("") }),
  );
};
