// Two drawings of /data/compare/ -> one: panels, cards, flows and boxes matched by the names of their nodes. Pure.
// A merged thing is {a, b, state}: "same" | "differs" | "a" (only in A) | "b" (only in B). Layout never asks whose it is.

/** @import { Both, Box, CardJson, ComparedModel, FieldBox, FlowJson, LaneJson, MatrixBox, MatrixSize, MergedBox,
 *   MergedCard, MergedFlow, MergedItem, MergedLane, MergedMatrix, MergedOp, MergedPanel, MergedState, OpBox,
 *   PanelJson, UnitRow } from "../site/types.d.ts" */

/**
 * What two boxes of a kind become.
 * @template {Box | OpBox | FieldBox} B
 * @typedef {B extends Box ? MergedItem : MergedOp} Merged
 */

/** @param {string | undefined} text */
const words = (text) => (text ? text.split(" ") : []);
/** @param {string} text */
const plain = (text) => text.replace(/\d[\d,.]*/g, "#");
/**
 * @param {unknown} a
 * @param {unknown} b
 * @returns {MergedState}
 */
export const state = (a, b) =>
  a === undefined ? "b" : b === undefined ? "a" : JSON.stringify(a) === JSON.stringify(b) ? "same" : "differs";

/**
 * Longest common subsequence of two lists by a test; what only one has stands where it stood.
 * @template T
 * @param {T[]} one
 * @param {T[]} other
 * @param {(x: T, y: T) => boolean} fits
 * @returns {Both<T>[]}
 */
function aligned(one, other, fits) {
  const n = one.length,
    m = other.length,
    best = Array.from({ length: n + 1 }, () => new Array(m + 1).fill(0));
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1; j >= 0; j--)
      best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], fits(one[i], other[j]) ? best[i + 1][j + 1] + 1 : 0);
  /** @type {Both<T>[]} */
  const out = [];
  let i = 0,
    j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && fits(one[i], other[j]) && best[i][j] === best[i + 1][j + 1] + 1)
      out.push([one[i++], other[j++]]);
    else if (i < n && (j >= m || best[i + 1][j] >= best[i][j + 1])) out.push([one[i++], undefined]);
    else out.push([undefined, other[j++]]);
  }
  return out;
}

// ---------------------------------------------------------------- boxes

const MEETS = new Set(["matrix", "box"]);
/**
 * @param {Box} x
 * @param {Box} y
 */
function fits(x, y) {
  if (x[0] !== y[0]) return false;
  const mine = words(x[2]),
    theirs = words(y[2]);
  if (!mine.length || !theirs.length || x[0] === "tag") return x[1] === y[1];
  return mine.some((name) => theirs.includes(name)) || (!MEETS.has(x[0]) && plain(x[1]) === plain(y[1]));
}
/** @param {Box | OpBox | FieldBox} row */
const said = (row) => /** @type {unknown[]} */ (row).filter((_, i) => i !== 2); // nodes that fold into a box may differ where nothing shown does
/**
 * @param {Box[]} a
 * @param {Box[]} b
 */
const boxes = (a, b) => aligned(a, b, fits).map(([x, y]) => box(x, y));
/**
 * @template {Box | OpBox | FieldBox} B
 * @param {B | undefined} x
 * @param {B | undefined} y
 * @returns {Merged<B>}
 */
export const box = (x, y) =>
  /** @type {Merged<B>} */ (
    /** @type {unknown} */ ({
      kind: (y ?? x)?.[0],
      a: x,
      b: y,
      state: x && y ? state(said(x), said(y)) : state(x, y),
      nodes: [...new Set([...words(x?.[2]), ...words(y?.[2])])],
    })
  );

// ---------------------------------------------------------------- lanes and flows

/**
 * @param {LaneJson} lane
 * @returns {Box[]}
 */
const every = (lane) => [...(lane.items ?? []), ...(lane.branches ?? []).flatMap(every)];
/**
 * @param {LaneJson} x
 * @param {LaneJson} y
 */
const near = (x, y) =>
  Boolean(x.gate) === Boolean(y.gate) &&
  (x.sign ?? "") === (y.sign ?? "") &&
  (every(x).some((one) => every(y).some((two) => fits(one, two))) || (!every(x).length && !every(y).length));
/**
 * Where one forks and the other does not: what comes behind the last box of the shared way becomes a fork of one.
 * @param {LaneJson} lane
 * @param {LaneJson} other
 * @returns {LaneJson}
 */
function forked(lane, other) {
  if (lane.branches || !other.branches) return lane;
  const items = lane.items ?? [],
    shared = items.findLastIndex((one) => (other.items ?? []).some((two) => fits(one, two))) + 1;
  return { ...lane, items: items.slice(0, shared), branches: [{ items: items.slice(shared) }] };
}
/**
 * @param {LaneJson[]} [a]
 * @param {LaneJson[]} [b]
 * @returns {MergedLane[]}
 */
function lanes(a = [], b = []) {
  return aligned(a, b, near).map(([x, y]) => {
    const one = x && y ? forked(x, y) : x,
      two = x && y ? forked(y, x) : y,
      any = /** @type {LaneJson} */ (two ?? one);
    return {
      a: Boolean(x),
      b: Boolean(y),
      gate: Boolean(any.gate),
      sign: words(any.sign),
      loose: Boolean(any.loose),
      beside: [one?.beside, two?.beside],
      said: [...new Set([...words(one?.said), ...words(two?.said)])],
      items: boxes(one?.items ?? [], two?.items ?? []),
      branches: lanes(one?.branches, two?.branches),
    };
  });
}
/**
 * A lane that meets the tail knows at which sign: they stand in one order.
 * @param {FlowJson | undefined} one
 * @returns {LaneJson[] | undefined}
 */
function signed(one) {
  const signs = (one?.tail ?? []).filter((step) => step[0] === "sign");
  let i = 0;
  return one?.lanes?.map((lane) => (lane.gate ? { ...lane, sign: signs[i++]?.[2] } : lane));
}
/**
 * @param {FlowJson | undefined} a
 * @param {FlowJson | undefined} b
 * @returns {MergedFlow}
 */
const flow = (a, b) => ({
  a: Boolean(a),
  b: Boolean(b),
  source: [a?.source, b?.source],
  heading: [a?.heading, b?.heading],
  lanes: lanes(signed(a), signed(b)),
  op: box(a?.op, b?.op),
  tail: boxes(a?.tail ?? [], b?.tail ?? []),
});
/**
 * @param {FlowJson} x
 * @param {FlowJson} y
 */
const alike = (x, y) =>
  x.op[0] === y.op[0] &&
  (words(x.op[2]).some((name) => words(y.op[2]).includes(name)) || (x.heading ?? "") === (y.heading ?? ""));

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
 * Pairs of two lists by the largest likeness first, in the order of the second; what only the first has keeps its
 * place.
 * @template T
 * @param {T[]} a
 * @param {T[]} b
 * @param {(x: T, y: T) => number} like
 * @returns {Both<T>[]}
 */
function matched(a, b, like) {
  const all = a
    .flatMap((x, i) => b.map((y, j) => [like(x, y), i, j]))
    .filter(([much]) => much > 0)
    .sort((one, other) => other[0] - one[0] || one[1] - other[1] || one[2] - other[2]);
  /** @type {Map<number, number>} */
  const taken = new Map(),
    used = new Set();
  for (const [, i, j] of all)
    if (!taken.has(i) && !used.has(j)) {
      taken.set(i, j);
      used.add(j);
    }
  /** @type {Both<T>[]} */
  const out = b.map((y, j) => {
    const i = [...taken].find(([, to]) => to === j)?.[0];
    return [i === undefined ? undefined : a[i], y];
  });
  a.forEach((x, i) => {
    if (!taken.has(i))
      out.splice(
        i ? out.findLastIndex(([one]) => one !== undefined && a.indexOf(one) >= 0 && a.indexOf(one) < i) + 1 : 0,
        0,
        [x, undefined],
      );
  });
  return out;
}

/**
 * Clauses of a line, those of one pattern side by side: "8 heads · RoPE" and "4 heads · NoPE".
 * @param {string} a
 * @param {string} b
 * @returns {Both<string>[]}
 */
export function clauses(a, b) {
  /** @param {string} text */
  const split = (text) => (text ? text.split(" · ") : []);
  return aligned(split(a), split(b), (x, y) => plain(x) === plain(y));
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
