/* Where the matrices of a layer stand: left to right, in lines, as large as the width allows. */
import { printValue, templateParts, valueAt } from "../kit/numbers.js";
import { halves_of, sheets } from "./matrices.js";

/** @import { Model } from "./shapes.js" */
/** @import { Shown } from "./compute.js" */
/** @import { Block, Item, Matrices, Piece } from "./matrices.js" */

/**
 * An item and its box; y is its middle, `wide` how much of it the matrices take.
 * @template {Item} [I=Item]
 * @typedef {{ item: I, x: number, y: number, w: number, h: number, wide: number }} Placed
 */

/** @param {string} template @param {Shown} now */
const said = (template, now) =>
  templateParts(template)
    .map((bit) => (typeof bit === "string" ? bit : printValue(valueAt(now, bit.path), bit.how)))
    .join("");

/** @param {Block} b @returns {[w: number, h: number]} */
const block_size = (b) => [
  b.w + (b.apart || 0) + 4 * ((b.copies || 1) - 1),
  b.h + (b.apart || 0) + 4 * ((b.copies || 1) - 1),
];

/** @param {Item} item @param {Shown} now @returns {[w: number, h: number, wide: number]} */
const item_size = (item, now) => {
  if (item.sign) return [14, 20, 0];
  if (!item.blocks) return [112, 120, 0];
  const sizes = item.blocks.map(block_size);
  const words =
    Math.max(said(item.name, now).length * 7.6, ...item.note.map((line) => said(line, now).length * 6.3)) + 6;
  const wide = item.over ? sizes[0][0] : sizes.reduce((sum, s) => sum + s[0] + 5, -5);
  const tall = item.over ? 2 * sizes[0][1] + 5 : Math.max(...sizes.map((s) => s[1]));
  return [Math.max(wide, words), tall, wide];
};

/* Left to right; where the width ends, the next group goes into a new line, and only a group too wide for a line is parted. */
/** @param {Item[][]} groups @param {Shown} now @param {number} width @param {number} top */
const flow = (groups, now, width, top) => {
  /** @typedef {{ item: Item, w: number, h: number, wide: number }} Sized */
  /** @type {Sized[][]} */
  const lines = [[]];
  const last = () => lines[lines.length - 1];
  /** @param {Sized[]} list */
  const room = (list) => list.reduce((sum, p) => sum + p.w + 4, -4);
  /** @param {Sized[]} more */
  const fits = (more) => width >= room([...last(), ...more]) || !last().length;
  for (const group of groups) {
    const sized = group.map((item) => {
      const [w, h, wide] = item_size(item, now);
      return { item, w, h, wide };
    });
    if (!fits(sized)) lines.push([]);
    for (const p of sized) {
      if (!fits([p])) lines.push([]);
      last().push(p);
    }
  }
  let y = top;
  /** @type {Placed[]} */
  const placed = [];
  for (const line of lines) {
    const tall = Math.max(...line.map((p) => p.h));
    const spare = Math.max(0, Math.min((width - room(line)) / Math.max(line.length - 1, 1), 16));
    let x = 0;
    for (const p of line) {
      placed.push({ ...p, x, y: y + tall / 2 });
      x += p.w + 4 + spare;
    }
    y += tall + 50;
  }
  return { placed, bottom: y, lines: lines.length };
};

/* Both halves where each has one line, as large as that allows; else, where it is narrow, the half of this step alone. */
/**
 * @param {Model} model
 * @param {Shown} now
 * @param {number} width
 * @param {boolean} alone
 * @param {0 | 1} half
 * @returns {{ placed: Placed[], height: number, titles: [words: string, y: number][], half: number }}
 */
export const layout = (model, now, width, alone, half) => {
  const sizes = width >= 700 ? [1, 0.92, 0.84, 0.76, 0.68, 0.6, 0.8] : [0.7];
  /** @param {number} size */
  const flowed = (size) => {
    const [first, second] = halves_of(model, now, size);
    const one = flow(first, now, width, 34);
    return { one, two: flow(second, now, width, one.bottom + 40) };
  };
  let { one, two } = flowed(sizes[0]);
  for (const size of sizes.slice(1)) {
    if (one.lines === 1 && two.lines === 1) break;
    ({ one, two } = flowed(size));
  }
  const titles = ["attention", model.expert ? "MLP, one expert" : "MLP"];
  if ((one.lines === 1 && two.lines === 1) || !alone)
    return {
      placed: [...one.placed, ...two.placed],
      height: two.bottom,
      titles: [
        [titles[0], 14],
        [titles[1], one.bottom + 20],
      ],
      half: -1,
    };
  const up = one.bottom + 40 - 34;
  const lower = two.placed.map((p) => ({ ...p, y: p.y - up }));
  return {
    placed: half ? lower : one.placed,
    height: Math.max(one.bottom, two.bottom - up),
    titles: [
      [titles[half], 14],
      ["", 0],
    ],
    half,
  };
};

/** @param {Placed} p @returns {p is Placed<Matrices>} */
export const has_blocks = (p) => p.item.blocks !== undefined;

/** @param {Placed<Matrices>} p @param {number} t */
export const draw_blocks = (p, t) => {
  const { item } = p;
  /** @type {(Piece & { step: number })[]} */
  const made = [];
  let x = p.x + (p.w - p.wide) / 2;
  item.blocks.forEach((b, i) => {
    const [wide, tall] = block_size(b);
    const top = item.over ? p.y - b.h - 2.5 + i * (b.h + 5) : p.y - tall / 2;
    made.push(...sheets(b, t).map((q) => ({ ...q, x: x + q.x, y: top + q.y, step: item.step })));
    if (!item.over) x += wide + 5;
  });
  return made;
};
