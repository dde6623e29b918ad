// Two drawings of /data/compare/ -> one: panels, cards, flows and boxes matched by the names of their nodes. Pure.
// A merged thing is {a, b, state}: "same" | "differs" | "a" (only in A) | "b" (only in B). Layout never asks whose it is.
import { aligned, matched, plain, state, words } from "./compare-alignment.js";
import { alike, boxes, every, flow } from "./compare-merged-flow.js";

/** @import { Both, CardJson, ComparedModel, MatrixBox, MatrixSize, MergedCard, MergedMatrix, MergedPanel,
 *   MergedState, PanelJson, UnitRow } from "../site/types.d.ts" */

// ---------------------------------------------------------------- panels

/** @param {PanelJson} panel */
const nodesOf = (panel) =>
  new Set([
    ...words(panel.nodes),
    ...panel.flows.flatMap((one) => [
      ...words(one.op[2]),
      ...(one.lanes ?? []).flatMap(every).flatMap((item) => words(item[2])),
    ]),
  ]);
/**
 * @param {PanelJson} x
 * @param {PanelJson} y
 */
function likeness(x, y) {
  if (x.half !== y.half) return 0;
  const mine = nodesOf(x),
    theirs = nodesOf(y),
    both = [...mine].filter((name) => theirs.has(name)).length;
  const shared = both / Math.max(1, mine.size + theirs.size - both);
  return x.kind === y.kind
    ? 2 + shared + Number(x.role === y.role) + Number(x.title === y.title)
    : shared >= 0.5
      ? shared
      : 0;
}
/**
 * @param {string[]} [a]
 * @param {string[]} [b]
 */
const list = (a = [], b = []) => aligned(a, b, (x, y) => plain(x) === plain(y));

/**
 * @param {PanelJson | undefined} x
 * @param {PanelJson | undefined} y
 * @returns {MergedPanel}
 */
export function panel(x, y) {
  const any = /** @type {PanelJson} */ (y ?? x),
    flows =
      x && y
        ? matched(x.flows, y.flows, (one, two) => (alike(one, two) ? 1 : 0)).map(([one, two]) => flow(one, two))
        : any.flows.map((one) => (x ? flow(one, undefined) : flow(undefined, one)));
  const pairs =
    x && y
      ? matched(x.groups, y.groups, (one, two) =>
          one[0].split(",")[0].split(" ·")[0] === two[0].split(",")[0].split(" ·")[0] ? 1 : 0,
        )
      : any.groups.map((one) => (x ? [one, undefined] : [undefined, one]));
  /** @type {(one: MatrixSize) => MatrixBox} */
  const sized = ([name, ...sizes]) => ["matrix", name, "", ...sizes];
  const groups = pairs.map(([one, two]) => ({
    heading: /** @type {Both<string>} */ ([one?.[0], two?.[0]]),
    items: /** @type {MergedMatrix[]} */ (boxes((one?.[1] ?? []).map(sized), (two?.[1] ?? []).map(sized))),
  }));
  /** @param {Partial<PanelJson>} [one] */
  const bare = ({ layers, total, where, nodes, ...rest } = {}) => rest;
  return {
    a: x,
    b: y,
    half: any.half,
    role: any.role,
    state: x && y ? state(bare(x), bare(y)) : x ? "a" : "b",
    flows,
    groups,
    chips: list(x?.chips, y?.chips),
    nodes: [...new Set([...words(x?.nodes), ...words(y?.nodes)])],
  };
}
/**
 * @param {PanelJson[]} a
 * @param {PanelJson[]} b
 * @returns {MergedPanel[]}
 */
export const panels = (a, b) => matched(a, b, likeness).map(([x, y]) => panel(x, y));

// ---------------------------------------------------------------- cards

/**
 * Kinds of layers: of the same kinds of halves before those that share one half, then of one colour, then as many.
 * @param {CardJson} x
 * @param {CardJson} y
 */
const sameKind = (x, y) => {
  const halves = x.kinds.filter((kind, i) => kind === y.kinds[i] && kind !== "NoneType").length;
  return halves
    ? 2 * halves + Number(x.role === y.role) + Number(x.says === y.says) + Math.min(x.count, y.count) / 1e4
    : 0;
};
/**
 * @param {CardJson | undefined} x
 * @param {CardJson | undefined} y
 * @returns {MergedCard}
 */
export function card(x, y) {
  const one = x?.units ?? [],
    two = y?.units ?? [],
    any = /** @type {CardJson} */ (y ?? x);
  const units = aligned(one, two, (p, q) => p[0] === q[0]).map(([p, q]) => ({
    a: p,
    b: q,
    name: /** @type {UnitRow} */ (q ?? p)[0],
    kind: /** @type {UnitRow} */ (q ?? p)[1],
    role: /** @type {UnitRow} */ (q ?? p)[4],
    state: p && q ? state(said5(p), said5(q)) : state(p, q),
    nodes: [...new Set([...words(p?.[5]), ...words(q?.[5])])],
  }));
  const key = (/** @type {[from: string, to: string]} */ [from, to]) => `${from} ${to}`,
    mine = new Set((x?.edges ?? []).map(key)),
    theirs = new Set((y?.edges ?? []).map(key));
  const edges = [...new Set([...mine, ...theirs])].map((text) => ({
    from: text.split(" ")[0],
    to: text.split(" ")[1],
    state: /** @type {MergedState} */ (mine.has(text) ? (theirs.has(text) ? "same" : "a") : "b"),
  }));
  return {
    a: x,
    b: y,
    role: any.role,
    full: Boolean(x?.full || y?.full),
    state: x && y ? (x.count === y.count && x.says === y.says ? "same" : "differs") : x ? "a" : "b",
    units,
    edges,
    outs: [x?.out, y?.out],
  };
}
/** @param {UnitRow} row */
const said5 = (row) => row.slice(0, 5);
/**
 * @param {CardJson[]} a
 * @param {CardJson[]} b
 * @returns {MergedCard[]}
 */
export const cards = (a, b) => matched(a, b, sameKind).map(([x, y]) => card(x, y));

// ---------------------------------------------------------------- how near two models are

/**
 * @param {ComparedModel} a
 * @param {ComparedModel} b
 * @returns {number}
 */
export function share(a, b) {
  const mine = new Map(a.mechanisms),
    theirs = new Map(b.mechanisms);
  let both = 0,
    either = 0;
  for (const [key, weight] of [...mine, ...[...theirs].filter(([key]) => !mine.has(key))]) {
    either += weight;
    if (mine.has(key) && theirs.has(key)) both += weight;
  }
  return either ? both / either : 1;
}
