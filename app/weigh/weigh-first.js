// What weighs a cache on a model's page, as it stands there before any script: build/render.mjs runs this for each model.

import { at1 } from "../site/figure-grid.js";
import { inBytes, keptBytes, stripBytes } from "./cache-bytes.js";
import { toldAll } from "./cache-words.js";
import { FRAMES, inner, lineOf, plotOf, rangeOf } from "./weigh-curve.js";
import { madeRow } from "./weigh-row.js";
import { columnsOf, entry, paths, scaled } from "./weigh-strip.js";

/** @import { CurveLine, EditedLayer, Frame, GrowthSheet, TitledSheet, WeighData, WeighState } from "../site/types.d.ts" */

/**
 * What app/weigh/section.py asks for.
 * @typedef {{ data: WeighData, layers: EditedLayer[], others: { [slug: string]: TitledSheet } }} Asked
 */

const LABEL = "What decoding keeps, from 1k to 1M tokens; the table says where lines cross.";

/**
 * Where the context ends that the model was made for; beyond it the ground is another.
 * @param {GrowthSheet} sheet
 * @param {ReturnType<typeof plotOf>} plot
 */
function limit({ longest }, { x, right, top, foot }) {
  if (!longest || x(longest) === right) return "";
  return `<rect class="w-beyond" x="${at1(x(longest))}" y="${top}" width="${at1(right - x(longest))}" height="${foot - top}"/>`;
}

/**
 * The chosen context: an upright line, and a dot on the model's own.
 * @param {ReturnType<typeof plotOf>} plot
 * @param {number} bytes
 * @param {number} ctx tokens
 */
function now({ x, y, top, foot }, bytes, ctx) {
  const dot = bytes ? `<circle class="f-keep" cx="0" cy="${at1(y(bytes))}" r="5"/>` : "";
  return `<g data-now transform="translate(${at1(x(ctx))} 0)"><path class="c-limit" d="M0 ${top}V${foot}"/>${dot}</g>`;
}

/**
 * The curve in its widths.
 * @param {Asked} asked
 * @param {WeighState} state
 */
function curve({ data: { title, sheet }, others }, state) {
  const lines = [lineOf(title, sheet, state), ...Object.values(others).map(([name, one]) => lineOf(name, one, state))];
  const bytes = keptBytes(sheet, state.ctx, "bfloat16", state.batch);
  const drawn = Object.entries(FRAMES).map(([kind, frame]) => {
    const plot = plotOf(frame, rangeOf(lines));
    return (
      `<svg class="cf cf-${kind}" viewBox="0 0 ${frame[0]} ${frame[1]}" role="img" aria-label="${LABEL}">` +
      `${limit(sheet, plot)}<g data-lines>${inner(frame, lines)}</g>${now(plot, bytes, state.ctx)}</svg>`
    );
  });
  return `<figure class="cw-figure w-curve">${drawn.join("")}</figure>`;
}

/**
 * Sentences by their places, and the markup of strip, legend, curve and table.
 * @param {Asked} asked
 */
export function render(asked) {
  const { data, layers, others } = asked,
    { sheet } = data,
    state = { ...data.start, vs: data.chosen };
  const rows = columnsOf(sheet, layers),
    { high, top } = stripBytes(sheet, state);
  const columns = paths(sheet, rows, (kind, still) => scaled(high[kind], top, still));
  return {
    told: { ...toldAll(sheet, data, state), edge: inBytes(top, 0) },
    strip: `<svg class="cf w-strip" viewBox="0 -100 ${layers.length} 100" preserveAspectRatio="none" aria-hidden="true">${columns}</svg>`,
    legend: rows.map((row) => entry(row, inBytes(high[row.kind][0] + high[row.kind][1])).outerHTML).join(""),
    curve: curve(asked, state),
    chosen: data.chosen.map((slug) => madeRow(slug, others[slug], sheet, state).outerHTML).join(""),
  };
}
