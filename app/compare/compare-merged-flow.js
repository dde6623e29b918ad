// Two flows of a panel -> one: their lanes and the boxes in them, matched by the names of their nodes. Pure.
import { aligned, plain, state, words } from "./compare-alignment.js";

/** @import { Box, FieldBox, FlowJson, LaneJson, MergedFlow, MergedItem, MergedLane, MergedOp, OpBox } from "../site/types.d.ts" */

/**
 * What two boxes of a kind become.
 * @template {Box | OpBox | FieldBox} B
 * @typedef {B extends Box ? MergedItem : MergedOp} Merged
 */

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
export const boxes = (a, b) => aligned(a, b, fits).map(([x, y]) => box(x, y));
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

/**
 * @param {LaneJson} lane
 * @returns {Box[]}
 */
export const every = (lane) => [...(lane.items ?? []), ...(lane.branches ?? []).flatMap(every)];
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
export const flow = (a, b) => ({
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
export const alike = (x, y) =>
  x.op[0] === y.op[0] &&
  (words(x.op[2]).some((name) => words(y.op[2]).includes(name)) || (x.heading ?? "") === (y.heading ?? ""));
