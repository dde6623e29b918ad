// A merged flow -> lanes that rise from the input into its operation, and the tail on top of it.
import { equals, fit, put, STEP } from "./compare-boxes.js";
import { fitOp } from "./compare-operation.js";
import { runs } from "./compare-runs.js";
import { draw, edge, text, tip } from "./compare-svg.js";

/** @import { DrawEnv, FittedBox, FittedFlow, MergedFlow, MergedItem, MergedLane, MergedPanel, MergedState } from "../site/types.d.ts" */

/**
 * A box's middle column: the room left and right of it.
 * @typedef {{ left: number, right: number }} LaneColumn
 */

/**
 * A lane that knows its boxes' sizes, its forks and its columns.
 * @typedef {{
 *   lane: MergedLane, items: { item: MergedItem, f: FittedBox }[], kids: LaneTree[], columns: LaneColumn[],
 *   h: number,
 * }} LaneTree
 */

/**
 * Where a lane ends; `free` where no line leads there.
 * @typedef {{ x: number, y: number, mark: MergedState, lane: MergedLane, free: boolean, gate?: MergedLane }} LaneEnd
 */

/**
 * @param {MergedLane} lane
 * @param {DrawEnv} env
 * @returns {LaneTree}
 */
function tree(lane, env) {
  const items = lane.items.filter((one) => one.kind !== "heads").map((item) => ({ item, f: fit(item, env) })),
    kids = lane.branches.map((one) => tree(one, env));
  const left = Math.max(6, ...items.map(({ f }) => f.w / 2)),
    right = Math.max(6, ...items.map(({ f }) => f.w / 2 + (f.beside ? 8 + f.beside : 0)));
  const tall = items.reduce((sum, { f }) => sum + f.tall + STEP, 0),
    columns = kids.flatMap((kid) => kid.columns);
  if (!kids.length) return { lane, items, kids, columns: [{ left, right }], h: tall };
  columns[0].left = Math.max(columns[0].left, left);
  const span = columns.reduce((sum, one) => sum + one.left + one.right, 0) + env.gap * (columns.length - 1);
  columns[columns.length - 1].right += Math.max(0, columns[0].left + right - span);
  return { lane, items, kids, columns, h: tall + 12 + Math.max(...kids.map((kid) => kid.h)) };
}
/**
 * @param {{ a: boolean, b: boolean }} lane
 * @returns {MergedState}
 */
const has = (lane) => (lane.a ? (lane.b ? "same" : "a") : "b");
/**
 * Draws a lane upwards from y; the ends of its forks.
 * @param {Element} g
 * @param {LaneTree} node
 * @param {number[]} xs
 * @param {number} y
 * @param {MergedState} mark
 * @param {boolean} [bare]
 * @returns {LaneEnd[]}
 */
function rise(g, node, xs, y, mark, bare = false) {
  /** @type {LaneEnd[]} */
  const ends = [];
  let x = xs[0],
    at = y,
    free = bare;
  for (const { item, f } of node.items) {
    const top = at - STEP - f.tall + (f.tall - f.h) / 2;
    if (!free) g.append(edge(mark, [x, at], [x, top + f.h]));
    put(g, item, f, x, top);
    [at, free] = [top - 0, false];
    at -= (f.tall - f.h) / 2;
    if (f.tall > f.h) g.append(edge(mark, [x, top], [x, at]));
  }
  if (!node.kids.length) return [{ x, y: at, mark, lane: node.lane, free }];
  const fork = at - 8;
  if (!free) g.append(edge(mark, [x, at], [x, fork]));
  let taken = 0;
  for (const kid of node.kids) {
    const own = xs.slice(taken, taken + kid.columns.length),
      state = mark === "same" ? has(kid.lane) : mark;
    taken += kid.columns.length;
    if (own[0] !== x) g.append(edge(state, [x, fork], [own[0], fork]));
    ends.push(...rise(g, kid, own, fork, state, false));
  }
  return ends;
}

/**
 * @param {MergedLane} lane
 * @param {MergedItem} step
 */
const meets = (lane, step) => step.kind === "sign" && lane.sign.some((name) => step.nodes.includes(name));
/**
 * @param {MergedFlow} flow
 * @param {MergedPanel} panel
 * @param {DrawEnv} env
 * @param {boolean} first
 * @returns {FittedFlow}
 */
export function fitFlow(flow, panel, env, first) {
  const trees = flow.lanes.map((one) => tree(one, env)),
    op = fitOp(flow, panel, env, first),
    tail = flow.tail.map((item) => ({ item, f: fit(item, env) }));
  const inner = trees.filter((one) => !one.lane.gate),
    /** @type {(one: LaneTree) => number} */
    level = (one) => flow.tail.findIndex((step) => meets(one.lane, step)),
    gates = trees.filter((one) => one.lane.gate).sort((one, other) => level(one) - level(other)),
    columns = inner.flatMap((one) => one.columns),
    outer = gates.flatMap((one) => one.columns);
  /** @param {LaneColumn[]} list */
  const sum = (list) => list.reduce((all, one) => all + one.left + one.right, 0),
    lanesW = sum(columns) + env.gap * Math.max(0, columns.length - 1);
  const side = Math.max(0, ...tail.map(({ f }) => f.w / 2 + (f.beside ? 8 + f.beside : 0))),
    span = Math.max(lanesW, op.least, 2 * side),
    gatesW = outer.length ? sum(outer) + env.gap * outer.length : 0;
  const heading = flow.heading.some(Boolean) ? runs(flow.heading[0], flow.heading[1]) : null;
  return {
    w: span + gatesW,
    lay: (room) => {
      const wideSpan = span + Math.max(0, Math.min(room - span - gatesW, 200)),
        laid = op.lay(wideSpan),
        laneH = Math.max(0, ...trees.map((one) => one.h)),
        tailH = tail.reduce((all, { f }) => all + f.tall + STEP, 0) + 16,
        top = heading ? 20 : 0;
      const h = top + tailH + laid.h + 12 + laneH + 34;
      return {
        w: wideSpan + gatesW,
        h,
        put: (g, x, y) => {
          if (heading) g.append(text(x, y + 12, heading, "bold"));
          const opTop = y + top + tailH,
            bus = y + h - 26,
            spare = columns.length ? (wideSpan - lanesW) / columns.length : 0,
            edges = draw("g", { class: "edges" }),
            /** @type {number[]} */
            xs = [];
          g.append(edges);
          let at = x + spare / 2;
          for (const one of columns) {
            xs.push(Math.round(at + one.left));
            at += one.left + one.right + env.gap + spare;
          }
          at = x + wideSpan + env.gap;
          /** @type {number[]} */
          const away = [];
          for (const one of outer) {
            away.push(Math.round(at + one.left));
            at += one.left + one.right + env.gap;
          }
          laid.put(g, x, opTop);
          climb(g, edges, { inner, gates, xs, away, bus, opTop, opH: laid.h, x, wideSpan, tail, flow });
          g.append(
            text(
              x + 6,
              y + h - 8,
              equals(runs(flow.source[0], flow.source[1]), { state: flow.source[0] === flow.source[1] ? "same" : "" }),
              "small",
            ),
          );
        },
      };
    },
  };
}
/**
 * Everything that moves: from the input into the lanes, from the lanes into the operation, from there to the top.
 * @param {Element} g
 * @param {Element} edges
 * @param {{
 *   inner: LaneTree[], gates: LaneTree[], xs: number[], away: number[], bus: number, opTop: number, opH: number,
 *   x: number, wideSpan: number, tail: { item: MergedItem, f: FittedBox }[], flow: MergedFlow,
 * }} laid
 */
function climb(g, edges, { inner, gates, xs, away, bus, opTop, opH, x, wideSpan, tail, flow }) {
  /** @type {[x: number, mark: MergedState][]} */
  const fed = [],
    /** @type {LaneEnd[][]} */
    ends = [],
    /** @type {LaneEnd[][]} */
    late = [],
    mine = flow.a ? (flow.b ? "same" : "a") : "b";
  let i = 0;
  for (const [list, places, out] of /** @type {[LaneTree[], number[], LaneEnd[][]][]} */ ([
    [inner, xs, ends],
    [gates, away, late],
  ])) {
    i = 0;
    for (const node of list) {
      const own = places.slice(i, i + node.columns.length),
        mark = mine === "same" ? has(node.lane) : mine;
      i += node.columns.length;
      if (!node.lane.loose) fed.push([own[0], mark]);
      out.push(rise(edges, node, own, bus, mark, node.lane.loose).map((end) => ({ ...end, gate: node.lane })));
    }
  }
  for (const [at, mark] of fed) edges.append(edge(mark, [x, bus], [at, bus]));
  if (fed.length) edges.append(edge("same", [x, bus], [x, bus + 12]));
  for (const one of ends.flat()) {
    if (!one.free)
      edges.append(edge(one.mark, [one.x, one.y], [one.x, opTop + opH]), tip(one.x, opTop + opH, "up", one.mark));
    beside(edges, one, opTop + opH + 12);
  }
  const middle = Math.round(x + wideSpan / 2);
  let at = opTop,
    from = opTop;
  for (const { item, f } of tail) {
    const top = at - STEP - f.tall + (f.tall - f.h) / 2;
    edges.append(
      edge(
        mine === "same" && item.state !== "a" && item.state !== "b" ? "same" : mine === "same" ? item.state : mine,
        [middle, from],
        [middle, top + f.h],
      ),
    );
    put(g, item, f, middle, top);
    if (item.kind === "sign") {
      for (const one of late.flat().filter((end) => meets(/** @type {MergedLane} */ (end.gate), item))) {
        edges.append(
          edge(one.mark, [one.x, one.y], [one.x, top + 9], [middle + 9, top + 9]),
          tip(middle + 9, top + 9, "left", one.mark),
        );
        beside(edges, one, top + 22);
      }
    }
    [at, from] = [top - (f.tall - f.h) / 2, top];
  }
  edges.append(edge(mine, [middle, from], [middle, at - 18]), tip(middle, at - 18, "up", mine));
}
/**
 * @param {Element} g
 * @param {LaneEnd} one
 * @param {number} y
 */
function beside(g, one, y) {
  const [a, b] = one.lane.beside;
  if (a || b) g.append(Object.assign(text(one.x + 6, y + 2, runs(a, b), "small")));
  if (one.lane.said.length) g.append(draw("g", { "data-n": one.lane.said.join(" "), class: "i" }));
}
