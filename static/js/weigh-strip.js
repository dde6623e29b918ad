// The strip of layers and its legend for an edited model, as app/weigh/figures.py draws them for the model as it is.

import { grows } from "./cache-bytes.js";

/** @import { EditedLayer, GrowthSheet } from "./types.d.ts" */

/**
 * Layers that keep the same in the same kind of mixer.
 * @typedef {EditedLayer & { layers: number[] }} StripColumn
 */

const WIDE = 0.86; // of a column
const strip = /** @type {HTMLElement} */ (document.querySelector(".w-strip")),
  legend = /** @type {HTMLElement} */ (document.querySelector(".w-legend")),
  end = /** @type {HTMLElement} */ (document.querySelector(".w-ends span:last-child"));
const first = strip && {
  box: strip.getAttribute("viewBox"),
  columns: strip.innerHTML,
  legend: [...legend.children],
  end: end.textContent,
};

/**
 * Layers that keep the same in the same kind of mixer; those that keep nothing last.
 * @param {Pick<GrowthSheet, "kinds">} sheet
 * @param {EditedLayer[]} layers
 * @returns {StripColumn[]}
 */
export function columnsOf({ kinds }, layers) {
  /** @type {Map<string, StripColumn>} */
  const found = new Map();
  layers.forEach(({ role, words, kind }, layer) => {
    const key = [role, words, kind].join("|"),
      row = found.get(key) ?? { role, words: words || "no mixer", kind, layers: [] };
    row.layers.push(layer);
    found.set(key, row);
  });
  const rows = [...found.values()],
    /** @type {(row: StripColumn) => boolean} */
    keeps = (row) => kinds[row.kind][1].length > 0;
  return [...rows.filter(keeps), ...rows.filter((row) => !keeps(row))];
}

/**
 * Paths without their heights: weigh-page.js sets those.
 * @param {Pick<GrowthSheet, "kinds">} sheet
 * @param {StripColumn[]} rows
 * @returns {string}
 */
export function paths({ kinds }, rows) {
  return rows
    .flatMap(({ role, kind, layers }) => {
      /** @param {string} high */
      const unit = (high) => layers.map((layer) => `M${layer} 0h${WIDE}v-${high}h-${WIDE}z`).join("");
      if (!kinds[kind][1].length) return [`<path class="f-empty" d="${unit(".02")}" transform="scale(1 100)"/>`];
      const has = new Set(kinds[kind][1].map(grows));
      return /** @type {[word: string, grows: boolean][]} */ ([
        ["w-still", false],
        ["w-grows", true],
      ])
        .filter(([, one]) => has.has(one))
        .map(([word]) => `<path class="${word} f-${role || "plain"}" data-kind="${kind}" d="${unit("1")}"/>`);
    })
    .join("");
}

/** @param {StripColumn} row */
function entry({ role, words, kind, layers }) {
  const row = document.createElement("li"),
    swatch = document.createElement("i"),
    size = document.createElement("span");
  swatch.className = `swatch ${role}`;
  size.dataset.kindBytes = String(kind);
  row.append(swatch, `${layers.length} × ${words}: `, size, layers.length > 1 ? " each" : "");
  return row;
}

/**
 * The strip of an edited model, or as the page came.
 * @param {{ sheet: GrowthSheet, layers: EditedLayer[] } | null} edited
 */
export function relaid(edited) {
  if (!edited) {
    [strip.innerHTML, end.textContent] = [first.columns, first.end];
    strip.setAttribute("viewBox", `${first.box}`);
    legend.replaceChildren(...first.legend);
    return;
  }
  const rows = columnsOf(edited.sheet, edited.layers);
  strip.innerHTML = paths(edited.sheet, rows);
  strip.setAttribute("viewBox", `0 -100 ${edited.layers.length} 100`);
  end.textContent = `layer ${edited.layers.length - 1}`;
  legend.replaceChildren(...rows.map(entry), first.legend[first.legend.length - 1]);
}
