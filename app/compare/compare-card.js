// Merged kinds of layers (compare-merge.js) -> their cards: units in running order on one axis, every other edge on a rail.
import { length, runs, wrap } from "./compare-runs.js";
import { disc, draw, edge, hatching, text, tip } from "./compare-svg.js";

/** @import { Difference, MergedCard, MergedEdge, MergedState, MergedUnit, Run } from "../site/types.d.ts" */

/** @type {{ [kind: string]: number }} */
const HIGH = { norm: 24, sign: 18, pill: 20 },
  GAP = 16;
/**
 * @param {MergedUnit} unit
 * @param {number} room
 */
const names = (unit, room) => wrap(runs(unit.a?.[2], unit.b?.[2]), "on", room - 8);
/**
 * @param {MergedUnit} unit
 * @param {number} room
 */
const smalls = (unit, room) => wrap(runs(unit.a?.[3], unit.b?.[3]), "mono", room - 8),
  /** @type {(unit: MergedUnit, room: number) => number} */
  tall = (unit, room) =>
    unit.kind === "half"
      ? 16 + 16 * names(unit, room).length + 14 * smalls(unit, room).length
      : (HIGH[unit.kind] ?? 20);

/** @param {MergedUnit} unit */
const words = (unit) => runs(unit.a?.[2], unit.b?.[2]);
/**
 * @param {Element} g
 * @param {MergedUnit} unit
 * @param {number} x
 * @param {number} y
 * @param {number} room
 */
function put(g, unit, x, y, room) {
  const group = draw("g", {
      class: `i s-${unit.state} c-${unit.role || "plain"}`,
      "data-n": unit.nodes.join(" "),
      "data-k": unit.kind,
    }),
    h = tall(unit, room);
  if (unit.kind === "sign")
    group.append(
      draw("circle", { class: "sum", cx: x, cy: y + 9, r: 9 }),
      draw("path", { class: "sumline", d: `M${x} ${y + 4}v10m-5 -5h10` }),
    );
  else if (unit.kind === "half") {
    const lines = names(unit, room);
    group.append(draw("rect", { class: "half", x: x - room / 2, y, width: room, height: h, rx: 6 }));
    lines.forEach((line, i) => group.append(text(x, y + 20 + 16 * i, line, "on", "middle")));
    smalls(unit, room).forEach((line, i) =>
      group.append(text(x, y + 20 + 16 * lines.length + 14 * i, line, "mono", "middle")),
    );
  } else {
    const line = wrap(words(unit), "small", room - 10)[0] ?? [{ t: unit.name, k: "" }],
      w = Math.max(70, length(line, "small") + 14);
    group.append(
      draw("rect", { class: "pill", x: x - w / 2, y, width: w, height: h, rx: 5 }),
      text(x, y + h / 2 + 4, line, "small", "middle"),
    );
  }
  g.append(group);
}

/**
 * Edges that skip a unit, each on a rail: the shorter ones nearer to the axis.
 * @param {MergedEdge[]} edges
 * @param {Map<string, number>} place
 */
function rails(edges, place) {
  const far = edges
      .map((one) => ({
        ...one,
        lo: place.get(one.from) ?? -1,
        hi: /** @type {number} */ (place.get(one.to)),
        depth: 0,
      }))
      .filter((one) => one.hi - one.lo > 1)
      .sort((one, other) => one.hi - one.lo - (other.hi - other.lo)),
    /** @type {typeof far} */
    taken = [];
  for (const one of far) {
    while (taken.some((other) => other.depth === one.depth && other.lo < one.hi && one.lo < other.hi)) one.depth += 1;
    taken.push(one);
  }
  return far;
}
/**
 * @param {Element} g
 * @param {MergedCard} card
 * @param {number} W
 * @param {number} y
 */
function body(g, card, W, y) {
  const place = new Map([
      ["stream", -1],
      ...card.units.map((unit, i) => /** @type {[string, number]} */ ([unit.name, i])),
    ]),
    far = rails(card.edges, place),
    deep = Math.max(0, ...far.map((one) => one.depth + 1));
  const right = W - 14,
    room = Math.min(170, W - 34 - deep * 11),
    axis = Math.round((W - deep * 11) / 2),
    heights = card.units.map((unit) => tall(unit, room)),
    total = heights.reduce((sum, one) => sum + one + GAP, 26);
  /** @type {number[]} */
  const bottoms = [],
    /** @type {number[]} */
    tops = [];
  let at = y + total - 10;
  const floor = at;
  heights.forEach((h) => {
    bottoms.push(at - GAP);
    tops.push(at - GAP - h);
    at -= GAP + h;
  });
  /** @param {number} i */
  const from = (i) => (i < 0 ? floor : tops[i]),
    /** @type {(one: MergedEdge) => MergedState} */
    mark = (one) => (card.a && card.b ? one.state : "same"),
    edges = draw("g", { class: "edges" });
  g.append(edges);
  for (const one of card.edges) {
    const lo = place.get(one.from) ?? -1,
      hi = /** @type {number} */ (place.get(one.to));
    if (hi - lo === 1)
      edges.append(edge(mark(one), [axis, from(lo)], [axis, bottoms[hi]]), tip(axis, bottoms[hi], "up", mark(one)));
  }
  for (const one of far) {
    const x = right - (deep - 1 - one.depth) * 11,
      low = from(one.lo) - 5,
      /** @type {[x: number, y: number]} */
      goal =
        card.units[one.hi].kind === "sign"
          ? [axis + 9, tops[one.hi] + 9]
          : [
              axis + Math.min(room, wideOf(card.units[one.hi], room)) / 2,
              tops[one.hi] + (heights[one.hi] * (one.depth + 1)) / (deep + 1),
            ];
    edges.append(edge(mark(one), [axis, low], [x, low], [x, goal[1]], goal), tip(...goal, "left", mark(one)));
    if (
      one.hi - one.lo > 1 &&
      !card.edges.some((other) => place.get(other.from) === one.lo && place.get(other.to) === one.lo + 1)
    )
      edges.append(edge(mark(one), [axis, from(one.lo)], [axis, low]));
  }
  card.units.forEach((unit, i) => put(g, unit, axis, tops[i], room));
  for (const out of new Set(card.outs.filter(Boolean))) {
    const i = place.get(out ?? "") ?? -1,
      top = y + 4;
    if (i === card.units.length - 1)
      edges.append(edge("same", [axis, tops[i]], [axis, top]), tip(axis, top, "up", "same"));
  }
  const streams = runs(card.a && told(card.a), card.b && told(card.b));
  g.append(text(Math.max(14, Math.min(axis + 8, W - 14 - length(streams, "small"))), y + total + 4, streams, "small"));
  return y + total + 10;
}
/** @param {{ streams: number }} card */
const told = (card) => (card.streams ? `${card.streams} streams` : "residual stream");
/**
 * @param {MergedUnit} unit
 * @param {number} room
 */
const wideOf = (unit, room) =>
  unit.kind === "half" ? room : Math.max(70, length(wrap(words(unit), "small", room - 10)[0] ?? [], "small") + 14);

let many = 0;
/**
 * @param {MergedCard} card
 * @param {number} W
 * @param {{ rows?: Difference[], full?: boolean, own?: boolean }} [options]
 */
export function cardOf(card, W, { rows = [], full = true, own = false } = {}) {
  const g = draw("g", { class: `pn s-${own ? "own" : card.state}` }),
    hatch = `card-${++many}`;
  const count = plusTimes(runs(card.a && String(card.a.count), card.b && String(card.b.count))),
    side = card.a && card.b ? "" : own ? "" : card.a ? "⊖ only in A" : "⊕ only in B";
  g.append(text(14, 30, count, "count"));
  rows.forEach((row, i) => g.append(disc(row.number, W - 20 - 22 * i, 24)));
  let y = 48;
  const lines = [
    ...(side ? [[{ t: side, k: "" }]] : []),
    ...wrap(runs(card.a?.which, card.b?.which), "small", W - 28),
    ...wrap(runs(card.a?.says, card.b?.says), "small", W - 28),
  ];
  lines.forEach((line) => {
    g.append(text(14, y, line, "small"));
    y += 15;
  });
  if (full) y = body(g, card, W, y - 4);
  else g.append(draw("g", { class: "i folded", "data-n": card.units.flatMap((unit) => unit.nodes).join(" ") }));
  g.prepend(draw("rect", { class: "frame", x: 1, y: 1, width: W - 2, height: y + 2, rx: 9 }));
  return {
    svg: draw(
      "svg",
      {
        class: `cmp-in cmp-card c-${card.role || "plain"}${own ? " own" : ""}`,
        viewBox: `0 0 ${W} ${y + 4}`,
        width: W,
        height: y + 4,
      },
      hatching(hatch),
      g,
    ),
    h: y + 4,
  };
}
/** @param {Run[]} list */
const plusTimes = (list) => [...list, { t: " ×", k: "" }];
