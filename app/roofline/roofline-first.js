// The compute section of a model's page, as it stands there before any script: build/render.mjs runs this for each model.

import { cells, rows, totalOf, verdict } from "./roofline.js";
import { FRAMES, inner } from "./roofline-figure.js";

/** @import { RooflineData, RooflineState } from "../site/types.d.ts" */

const LABEL = "Roofline: FLOP/byte against FLOP/s, a numbered dot for each block; the table says the same.";

/**
 * What bounds a step, the cells of the table's rows, and the figure in its widths.
 * @param {{ data: RooflineData, state: RooflineState }} asked
 */
export function render({ data, state }) {
  const found = rows(data, state),
    total = totalOf(found);
  const drawn = Object.entries(FRAMES).map(
    ([kind, frame]) =>
      `<svg class="cf cf-${kind}" viewBox="0 0 ${frame[0]} ${frame[1]}" role="img" aria-label="${LABEL}">` +
      `<g data-roof>${inner(frame, found, data, state)}</g></svg>`,
  );
  return { verdict: verdict(found, state), cells: found.map((one) => cells(one, total)), figure: drawn.join("") };
}
