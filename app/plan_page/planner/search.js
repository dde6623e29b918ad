/* A sheet and a layout -> the best ways to lay the same job over the same GPUs, and its place; gallery/planning/search.py. */

import { dense, folds } from "./candidates.js";
import * as fits from "./fits.js";
import * as layout from "./layout.js";
import * as legal from "./legal.js";
import * as legalAxes from "./legal-axes.js";
import * as searchBatched from "./search-batched.js";
import * as seconds from "./seconds.js";

/** @import { Bits, FoundLayout, Layout, Order, Plan, PlannedRow, Sheet } from "./types.d.ts" */

/** @type {Order[]} */
export const ORDERS = ["seconds", "unhidden"];
export const BEST = 10;

/**
 * @param {number} number
 * @returns {number}
 */
export const digits = (number) => Number(number.toPrecision(3));

/**
 * What a table is sorted by.
 * @param {FoundLayout} found
 * @param {Order} order
 * @returns {number[]}
 */
export const key = (found, order) => {
  const both = [digits(found.seconds), digits(found.unhidden)];
  const { base } = found;
  return [
    ...(order === "seconds" ? both : both.reverse()),
    found.bytes,
    base.pp,
    base.chunks,
    base.tp,
    base.cp,
    found.ep,
    found.etp,
  ];
};
/**
 * @param {number[]} a
 * @param {number[]} b
 * @returns {number}
 */
export const compare = (a, b) => {
  const at = a.findIndex((number, i) => number !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
};

/**
 * Units of work in a step of a plan: training 1, else tokens of all sequences.
 * @param {Pick<Plan, "layout" | "here">} plan
 * @returns {number}
 */
export const work = ({ layout: one, here }) =>
  one.job === "train" ? 1 : (one.batch || here * one.dp) * (one.job === "prefill" ? one.sequence : 1);

/**
 * A legal layout with its plan and its times; null where nothing of it can be timed.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @returns {PlannedRow | null}
 */
export const row = (sheet, one, bits) => {
  const plan = fits.make_plan(sheet, one, bits);
  if (!plan.timed) return null;
  const [bound, units] = [seconds.bind_step(sheet, plan), work(plan)];
  return { layout: one, plan, bound, seconds: bound.seconds / units, unhidden: bound.unhidden / units };
};
/**
 * @param {PlannedRow} row
 * @returns {FoundLayout}
 */
export const row_key = (row) => ({
  seconds: row.seconds,
  unhidden: row.unhidden,
  bytes: row.plan.fullest.total_bytes,
  base: row.layout,
  ep: row.layout.ep,
  etp: row.layout.etp,
});

/**
 * Every legal way to serve on the same GPUs; null for one that does not fit.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @returns {(FoundLayout | null)[]}
 */
export const search_serving = (sheet, one, bits) =>
  dense(sheet, one).flatMap((made) =>
    folds(sheet, made).map(([ep, etp]) => {
      const found = row(sheet, layout.make({ ...made, ep, etp }), bits);
      return found?.plan.fits ? row_key(found) : null;
    }),
  );

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Order} order
 * @param {PlannedRow | null} own
 * @param {number} best
 * @param {Bits} bits
 */
export const candidates = (sheet, one, order, own, best, bits) => {
  if (one.job === "train")
    return searchBatched.search_fitting(sheet, one, ORDERS.indexOf(order), own ? own[order] : 0, best);
  const all = search_serving(sheet, one, bits);
  const found = all.filter(Boolean);
  return { legal: all.length, fits: found.length, found };
};

/**
 * The best of them: those whose time is near the tenth's are compared digit by digit.
 * @param {FoundLayout[]} found
 * @param {Order} order
 * @param {number} best
 * @returns {FoundLayout[]}
 */
export const best_rows = (found, order, best) => {
  const times = found.map((one) => one[order]).sort((a, b) => a - b);
  const most = times.length ? times[Math.min(best, times.length) - 1] * searchBatched.ALIKE : 0;
  return found
    .filter((one) => one[order] <= most)
    .map((one) => /** @type {const} */ ([key(one, order), one]))
    .sort((a, b) => compare(a[0], b[0]))
    .slice(0, best)
    .map(([, one]) => one);
};

/**
 * How many are better, and one.
 * @param {FoundLayout[]} found
 * @param {FoundLayout} own
 * @param {Order} order
 * @returns {number}
 */
export const place = (found, own, order) => {
  const [mine, time] = [key(own, order).slice(0, 3), own[order]];
  /** @param {FoundLayout} one */
  const better = (one) => {
    if (one[order] * searchBatched.ALIKE < time) return true;
    return (
      time <= one[order] * searchBatched.ALIKE &&
      one[order] <= time * searchBatched.ALIKE &&
      compare(key(one, order).slice(0, 3), mine) < 0
    );
  };
  return 1 + found.filter(better).length;
};

/**
 * The layout as the table names it: without experts any etp is the same plan.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Layout}
 */
export const normalise_layout = (sheet, one) =>
  legalAxes.experts_of(sheet).length ? one : layout.make({ ...one, etp: one.usual_etp });

/**
 * The best layouts, and the place of this one among all that fit.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits
 * @param {Order} [order]
 * @param {number} [best]
 */
export const of = (sheet, one, bits, order = "seconds", best = BEST) => {
  const own = legal.problems(sheet, one).length ? null : row(sheet, normalise_layout(sheet, one), bits);
  const mine = own?.plan.fits ? own : null;
  const all = candidates(sheet, one, order, mine, best, bits);
  const rows = best_rows(all.found, order, best)
    .map(({ base, ep, etp }) => row(sheet, layout.make({ ...base, ep, etp }), bits))
    .filter(Boolean);
  return {
    legal: all.legal,
    fitting: all.fits,
    rows,
    place: mine ? place(all.found, row_key(mine), order) : null,
    own,
  };
};
