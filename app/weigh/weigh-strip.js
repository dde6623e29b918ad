// The strip of layers and its legend, of a model as it is and as it is edited. The strip's columns are one high: each kind
// of layer is scaled by an attribute, and nothing is laid out anew.

import { grows } from "./cache-bytes.js";

/** @import { EditedLayer, GrowthSheet } from "../site/types.d.ts" */

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
 * Paths, what does not grow below and outlined; without their heights, which weigh-page.js sets, where `high` is left out.
 * @param {Pick<GrowthSheet, "kinds">} sheet
 * @param {StripColumn[]} rows
 * @param {(kind: number, still: boolean) => string} [high] the transform of a column
 * @returns {string}
 */
export function paths({ kinds }, rows, high) {
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
        .map(([word, one]) => {
          const transform = high ? ` transform="${high(kind, !one)}"` : "";
          return `<path class="${word} f-${role || "plain"}" data-kind="${kind}" d="${unit("1")}"${transform}/>`;
        });
    })
    .join("");
}

/**
 * @param {number[]} bytes what grows, what does not
 * @param {number} top bytes at the strip's upper edge
 * @param {boolean} still which of the two
 * @returns {string}
 */
export const scaled = ([grows, fixed], top, still) =>
  still ? `scale(1 ${(100 * fixed) / top})` : `translate(0 ${(-100 * fixed) / top}) scale(1 ${(100 * grows) / top})`;

/**
 * A kind's line of the legend.
 * @param {StripColumn} row
 * @param {string} [bytes]
 * @returns {HTMLLIElement}
 */
export function entry({ role, words, kind, layers }, bytes = "") {
  const row = document.createElement("li"),
    swatch = document.createElement("i"),
    size = document.createElement("span");
  swatch.className = `swatch ${role}`;
  size.dataset.kindBytes = String(kind);
  size.textContent = bytes;
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
  legend.replaceChildren(...rows.map((row) => entry(row)), first.legend[first.legend.length - 1]);
}
