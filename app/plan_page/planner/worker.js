/* Off the page's own thread: a sheet and a layout -> other layouts to press, then the table of the best; plain rows come back. */

import * as candidates from "./candidates.js";
import * as fits from "./fits.js";
import * as fixes from "./fixes.js";
import * as layout from "./layout.js";
import * as legal from "./legal.js";
import * as redundancy from "./redundancy.js";
import * as search from "./search.js";
import * as seconds from "./seconds.js";

/** @import { Bits, Change, Changes, Chosen, Device, Fix, Layout, LayoutTable, Order, PlainRow, PlainWay,
 *   PlannedRow, Problem, Sheet, Ways } from "./types.d.ts" */

/** @typedef {{ chosen: Chosen, devices: Device[] }} Asked */

/**
 * @param {PlannedRow} row
 * @returns {PlainRow}
 */
const plainRow = ({ layout: one, plan, bound, seconds: least, unhidden }) => ({
  fields: Object.fromEntries(
    /** @type {const} */ (["nodes", "per_node", "tp", "pp", "chunks", "cp", "ep", "etp", "batch"]).map((name) => [
      name,
      one[name],
    ]),
  ),
  usual: one.etp === one.usual_etp,
  gpus: one.gpus,
  dp: one.dp,
  here: plan.here,
  fits: plan.fits,
  sequences: plan.sequences,
  bytes: plan.fullest.total_bytes,
  least,
  unhidden,
  step: bound.seconds,
  idle: bound.of_total,
  binds: bound.binds,
});
/**
 * @param {Fix} fix
 * @returns {PlainWay}
 */
const plainWay = ({ changes, row }) => ({ changes, row: plainRow(row) });

/**
 * A legal layout's row, also where nothing of it can be timed.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @returns {PlannedRow}
 */
const any = (sheet, one, bits) => {
  const plan = fits.make_plan(sheet, one, bits);
  return (
    search.row(sheet, one, bits) || {
      layout: one,
      plan,
      bound: seconds.bind_step(sheet, plan),
      seconds: 0,
      unhidden: 0,
    }
  );
};

/**
 * What to change for each nearest legal value; GPUs are given whole nodes where they can be.
 * @param {Layout} one
 * @param {Problem} problem
 * @returns {Change[][]}
 */
const changes = (one, { field, nearest }) =>
  nearest.flatMap((value) => {
    /** @type {Change[]} */
    const whole = [
      ["nodes", 1],
      ["per_node", value],
    ];
    if (field !== "gpus" || typeof value === "string") return /** @type {Change[][]} */ ([[[field, value]]]);
    if (value % one.per_node === 0) return /** @type {Change[][]} */ ([[["nodes", value / one.per_node]]]);
    return value <= one.device.domain ? [whole] : [];
  });

/**
 * Each of them in the place of what was chosen, those that fit first.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @param {Asked} asked
 */
const nearest = (sheet, one, bits, { chosen, devices }) =>
  legal
    .asked(sheet, one)
    .flatMap((problem) => changes(one, problem))
    .map((changes) => ({ changes, made: layout.of({ ...chosen, ...Object.fromEntries(changes) }, devices) }))
    .filter(({ made }) => !legal.asked(sheet, made).length)
    .map(({ changes, made }) => ({ changes, row: any(sheet, made, bits) }))
    .sort((a, b) => Number(b.row.plan.fits) - Number(a.row.plan.fits));

/* Where no single value mends a layout: the two legal ones of the same GPUs that are nearest in all axes. */
const MOST = 4096; // GPUs: all layouts of more are too many to list
/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @returns {Fix[]}
 */
const other = (sheet, one, bits) => {
  if (one.gpus > MOST) return [];
  const axes = /** @type {const} */ (["tp", "pp", "chunks", "cp", "ep"]);
  /** @param {Layout} made */
  const far = (made) => axes.reduce((sum, name) => sum + Math.abs(Math.log2(made[name] / Math.max(one[name], 1))), 0);
  const plain = layout.make({ ...one, dcp: 1, batch: one.job === "train" ? layout.usual_batch(one) : one.batch });
  return candidates
    .dense(sheet, plain)
    .flatMap((made) => candidates.folds(sheet, made).map(([ep, etp]) => layout.make({ ...made, ep, etp })))
    .filter((made) => made.etp === made.usual_etp)
    .sort((a, b) => far(a) - far(b))
    .slice(0, 2)
    .map((made) => ({
      changes: /** @type {const} */ ([...axes, "dcp", "batch"])
        .filter((name) => made[name] !== one[name])
        .map((name) => /** @type {Change} */ ([name, made[name]])),
      row: any(sheet, made, bits),
    }))
    .filter(({ changes }) => changes.length);
};

/**
 * {title, ways}: what to press next.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @param {Asked} asked
 * @returns {Ways}
 */
const ways = (sheet, one, bits, asked) => {
  if (legal.asked(sheet, one).length) {
    const near = nearest(sheet, one, bits, asked);
    return { title: "nearest legal", ways: (near.length ? near : other(sheet, one, bits)).map(plainWay) };
  }
  const own = search.row(sheet, one, bits);
  if (!own?.plan.fits) {
    const found = fixes.of(sheet, one, bits);
    const nodes = found.length ? 0 : fixes.fewest_nodes(sheet, one, bits);
    return { title: found.length ? "cheapest fix" : "", ways: found.map(plainWay), nodes };
  }
  if (redundancy.list_redundancies(sheet, own.plan, bits).length) {
    const moves = fixes.list_moves(sheet, one).filter(([name]) => name !== "nodes");
    const better = moves
      .map((change) => fixes.try_layout(sheet, one, bits, change))
      .filter(Boolean)
      .filter((fix) => search.digits(fix.row.seconds) < search.digits(own.seconds));
    if (better.length) return { title: "cheapest fix", ways: better.sort(fixes.compare).slice(0, 4).map(plainWay) };
  }
  return { title: "one step away", ways: fixes.one_step(sheet, one, bits).slice(0, 6).map(plainWay) };
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @param {Order} order
 * @returns {LayoutTable}
 */
const table = (sheet, one, bits, order) => {
  const { legal: all, fitting, rows, place, own } = search.of(sheet, one, bits, order);
  return { legal: all, fitting, rows: rows.map(plainRow), place, own: own && plainRow(own) };
};

self.onmessage = ({ data: [turn, sheet, one, bits, order, asked] }) => {
  postMessage([turn, "ways", ways(sheet, one, bits, asked)]);
  if (!legal.asked(sheet, one).length && one.gpus <= MOST) postMessage([turn, "table", table(sheet, one, bits, order)]);
  postMessage([turn, "done"]);
};
