// What is chosen, as a model's page shows it: the strip of its layers, bars of other models, the mark on the curves.
import { DTYPES, inBytes, keptBytes, stripBytes } from "./cache-bytes.js";
import { beside } from "./cache-words.js";
import { rests } from "./defer-offscreen.js";
import { plotOf } from "./weigh-curve.js";
import { bars, chosen, curves, put, root, write } from "./weigh-elements.js";
import { scaled } from "./weigh-strip.js";

/** @import { Ends } from "../../explainers/kit/chart.js" */
/** @import { GrowthSheet, WeighState } from "../site/types.d.ts" */
/** @import { columnsNow, legendNow } from "./weigh-elements.js" */

/**
 * @param {GrowthSheet} sheet
 * @param {WeighState} state
 * @param {ReturnType<typeof columnsNow>} columns
 * @param {ReturnType<typeof legendNow>} legend
 */
export function stripOf(sheet, state, columns, legend) {
  const { high, top } = stripBytes(sheet, state);
  for (const { node, kind, still } of rests(root) ? [] : columns)
    node.setAttribute("transform", scaled(high[kind], top, still));
  for (const { node, kind } of legend) write(node, inBytes(high[kind][0] + high[kind][1]));
  put("edge", inBytes(top, 0));
}

/**
 * The bars of other models, and the table of those that were chosen.
 * @param {GrowthSheet} sheet
 * @param {WeighState} state
 * @param {(slug: string) => GrowthSheet | undefined} sheetOf
 */
export function rowsOf(sheet, state, sheetOf) {
  const dtype = DTYPES[state.kv];
  const sizes = bars.map(({ slug }) => {
    const one = sheetOf(slug);
    return one ? keptBytes(one, state.ctx, dtype, state.batch) : 0;
  });
  const most = new Map(); // each table has a scale of its own
  bars.forEach(({ table }, at) => most.set(table, Math.max(1, most.get(table) ?? 1, sizes[at])));
  bars.forEach(({ table, n, bar }, at) => {
    if (rests(n)) return;
    write(n, inBytes(sizes[at]));
    bar?.setAttribute("width", Math.max((1000 * sizes[at]) / most.get(table), 2).toFixed(1));
  });
  for (const row of chosen.rows)
    beside(sheet, /** @type {GrowthSheet} */ (sheetOf(/** @type {string} */ (row.dataset.slug))), state).forEach(
      (text, at) => write(row.cells[1 + at], text),
    );
}

/**
 * The chosen context on the curves.
 * @param {Ends} range of the curves, in bytes
 * @param {number} context
 * @param {number} size bytes
 */
export function markOn(range, context, size) {
  for (const { frame, now, dot } of curves) {
    const { x, y } = plotOf(frame, range);
    now?.setAttribute("transform", `translate(${x(context).toFixed(1)} 0)`);
    if (dot) dot.setAttribute("cy", y(size).toFixed(1));
  }
}
