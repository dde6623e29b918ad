/* A sheet and a layout -> layouts near it that can be and fit: nearest legal ones, cheapest changes; gallery/planning/fixes.py. */

import * as candidates from "./candidates.js";
import * as fits from "./fits.js";
import * as layout from "./layout.js";
import * as legal from "./legal.js";
import * as legalAxes from "./legal-axes.js";
import * as search from "./search.js";
import * as searchBatched from "./search-batched.js";

/** @import { Bits, Change, Fix, Layout, PlannedRow, Problem, Sheet } from "./types.d.ts" */

export const MOST_NODES = 4096;

/**
 * The layout with some values changed; an etp that follows from the others follows.
 * @param {Layout} one
 * @param {Change[]} changes
 * @returns {Layout}
 */
export const change_layout = (one, changes) => {
  const given = Object.fromEntries(changes);
  const made = layout.make({ ...one, ...given });
  const whole = Math.min(made.tp, made.pp, made.cp, made.ep, made.gpus) > 0 && made.dp > 0;
  const follows = one.etp === one.usual_etp && whole && !("etp" in given);
  return follows ? layout.make({ ...made, etp: made.usual_etp }) : made;
};

/**
 * What may be changed by itself: axes on the same GPUs, then what the job can do without, then more nodes.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Change[]}
 */
export const list_moves = (sheet, one) => {
  /** @type {Change[]} */
  const out = [];
  const train = one.job === "train";
  /** @type {[name: "tp" | "pp" | "ep" | "cp" | "chunks", most: number][]} */
  const axes = [
    ["tp", candidates.MOST],
    ["pp", candidates.MOST],
  ];
  if (legalAxes.experts_of(sheet).length) axes.push(["ep", one.gpus]);
  if (train) axes.push(["cp", candidates.MOST], ["chunks", candidates.MOST_CHUNKS]);
  for (const [name, most] of axes) {
    const values =
      name === "chunks" ? Array.from({ length: most }, (_, i) => i + 1) : candidates.divisors(one.gpus, most);
    out.push(...values.filter((value) => value !== one[name]).map((value) => /** @type {Change} */ ([name, value])));
  }
  if (train) {
    for (let stage = one.zero + 1; stage < 4; stage += 1) out.push(["zero", stage]);
    if (one.recompute === "none") out.push(["recompute", "parts"], ["recompute", "full"]);
    out.push(
      ...candidates
        .divisors(one.micro_batch, one.micro_batch - 1)
        .map((size) => /** @type {Change} */ (["micro_batch", size])),
    );
  } else {
    if (one.job === "decode")
      out.push(
        ...candidates
          .divisors(one.tp, 8)
          .filter((size) => size > one.dcp)
          .map((size) => /** @type {Change} */ (["dcp", size])),
      );
    if (one.cache_dtype === "bfloat16") out.push(["cache_dtype", "float8_e4m3fn"]);
    if (sheet.element === "" && one.weights_dtype === "") out.push(["weights_dtype", "fp8"]);
  }
  return [
    ...out,
    ...[2, 4, 8]
      .filter((times) => one.nodes * times <= MOST_NODES)
      .map((times) => /** @type {Change} */ (["nodes", one.nodes * times])),
  ];
};

/**
 * The changed layout, where it is legal and fits.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @param {...Change} changes
 * @returns {Fix | null}
 */
export const try_layout = (sheet, one, bits, ...changes) => {
  const made = change_layout(one, changes);
  if (legal.problems(sheet, made).length) return null;
  const row = search.row(sheet, made, bits);
  return row?.plan.fits ? { changes, row } : null;
};

/**
 * What fixes are sorted by: GPUs that are added, time, how many changes; then their words.
 * @param {Fix} fix
 * @returns {number[]}
 */
export const cost = (fix) => [
  fix.row.layout.gpus,
  search.digits(fix.row.seconds),
  fix.changes.length,
  search.digits(fix.row.unhidden),
];
/**
 * @param {Fix} fix
 * @returns {string}
 */
export const words = (fix) => fix.changes.map(([name, value]) => `${name} ${value}`).join(", ");
/**
 * @param {Fix} a
 * @param {Fix} b
 * @returns {number}
 */
export const compare = (a, b) => {
  const by = search.compare(cost(a), cost(b));
  const [one, two] = [words(a), words(b)];
  return by || (one < two ? -1 : one > two ? 1 : 0);
};

/**
 * The cheapest changes of a legal layout that fit: single ones, and pairs where no single one helps.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @param {number} [most]
 * @returns {Fix[]}
 */
export const of = (sheet, one, bits, most = 3) => {
  const single = list_moves(sheet, one);
  let found = single.map((change) => try_layout(sheet, one, bits, change)).filter(Boolean);
  if (!found.length) {
    const pairs = single.flatMap((a, at) =>
      single
        .slice(at + 1)
        .filter((b) => a[0] !== b[0])
        .map((b) => [a, b]),
    );
    found = pairs.map((pair) => try_layout(sheet, one, bits, ...pair)).filter(Boolean);
  }
  return found.sort(compare).slice(0, most);
};

/**
 * Whether a change leaves all as it was: what each rank holds, how many sequences fit, and the times.
 * @param {PlannedRow} own
 * @param {PlannedRow} other
 * @returns {boolean}
 */
export const changes_nothing = (own, other) =>
  own.seconds === other.seconds &&
  own.unhidden === other.unhidden &&
  own.plan.sequences === other.plan.sequences &&
  own.plan.ranks.length === other.plan.ranks.length &&
  own.plan.ranks.every((rank, i) => rank.total_bytes === other.plan.ranks[i].total_bytes);

/**
 * What is one step away on each axis, whether it fits or not; what would change nothing is left out.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @returns {Fix[]}
 */
export const one_step = (sheet, one, bits) => {
  const own = search.row(sheet, one, bits);
  /** @type {Change[]} */
  const back = [];
  if (one.job === "train" && one.zero > 0) back.push(["zero", one.zero - 1]);
  if (one.job === "train" && one.recompute !== "none") back.push(["recompute", "none"]);
  /** @param {Change} change */
  const is_step = ([name, value]) => {
    if (typeof value !== "number") return true;
    if (name === "zero") return value === one.zero + 1;
    const times = value / Number(/** @type {{ [name: string]: unknown }} */ (/** @type {unknown} */ (one))[name]);
    return name !== "nodes" && [0.5, 2].includes(times);
  };
  return [...back, ...list_moves(sheet, one).filter(is_step)].flatMap((change) => {
    const made = change_layout(one, [change]);
    const row = legal.problems(sheet, made).length ? null : search.row(sheet, made, bits);
    return row && !(own && changes_nothing(own, row)) ? [{ changes: [change], row }] : [];
  });
};

/**
 * The layouts with each nearest legal value of a problem in place; `gpus` are given whole nodes where they can be.
 * @param {Layout} one
 * @param {Problem} problem
 * @returns {Layout[]}
 */
export const mend_layout = (one, { field, nearest }) =>
  nearest.flatMap((value) => {
    if (field !== "gpus" || typeof value === "string") return [layout.make({ ...one, [field]: value })];
    if (value % one.per_node === 0) return [layout.make({ ...one, nodes: value / one.per_node })];
    return value <= one.device.domain ? [layout.make({ ...one, nodes: 1, per_node: value })] : [];
  });

/**
 * What an illegal layout might have meant: each nearest legal value in place, those that fit first.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @returns {Fix[]}
 */
export const nearest_legal = (sheet, one, bits) => {
  /** @type {Fix[]} */
  const out = [];
  for (const problem of legal.problems(sheet, one))
    for (const made of mend_layout(one, problem)) {
      const row = legal.problems(sheet, made).length ? null : search.row(sheet, made, bits);
      const field = problem.field === "gpus" ? "nodes" : problem.field;
      if (row)
        out.push({
          changes: [
            [field, /** @type {{ [field: string]: string | number }} */ (/** @type {unknown} */ (made))[field]],
          ],
          row,
        });
    }
  return out.sort((a, b) => Number(b.row.plan.fits) - Number(a.row.plan.fits));
};

/**
 * Whether any legal layout of the same GPUs holds the job.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @returns {boolean}
 */
export const fits_anywhere = (sheet, one, bits) => {
  if (one.job === "train") return searchBatched.search_fitting(sheet, one).fits > 0;
  return candidates.dense(sheet, one).some((made) =>
    candidates
      .folds(sheet, made)
      .reverse()
      .some(([ep, etp]) => fits.make_plan(sheet, layout.make({ ...made, ep, etp }), bits).fits),
  );
};

/**
 * The fewest nodes, of powers of two, that hold the job in any layout; null: none of up to 4,096 do.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @returns {number | null}
 */
export const fewest_nodes = (sheet, one, bits) => {
  for (let nodes = 1; nodes <= MOST_NODES; nodes *= 2)
    if (fits_anywhere(sheet, layout.make({ ...one, nodes }), bits)) return nodes;
  return null;
};
