// The text of a merged panel: its title, cost and sentence above the drawing, its remarks below.
import { clauses } from "./compare-alignment.js";
import { LINE } from "./compare-boxes.js";
import { length, runs, wide, wrap } from "./compare-runs.js";
import { disc, text } from "./compare-svg.js";

/** @import { Difference, MergedPanel, PanelJson, Run } from "../site/types.d.ts" */

export const PAD = 16;

/**
 * @param {MergedPanel} panel
 * @returns {Run[]}
 */
function says(panel) {
  if (!panel.a || !panel.b) return [{ t: /** @type {PanelJson} */ (panel.a ?? panel.b).says, k: "" }];
  return clauses(panel.a.says, panel.b.says).flatMap(
    ([x, y], i) =>
      /** @type {Run[]} */ ([
        ...(i ? [{ t: " · ", k: "" }] : []),
        ...(x === undefined
          ? [
              { t: "⊕ ", k: "r" },
              { t: y, k: "b" },
            ]
          : y === undefined
            ? [
                { t: "⊖ ", k: "r" },
                { t: x, k: "a" },
              ]
            : x === y
              ? [{ t: x, k: "" }]
              : runs(x, y)),
      ]),
  );
}
/**
 * @param {Element} g
 * @param {MergedPanel} panel
 * @param {number} W
 * @param {{ cost: string, sub: string, rows: Difference[], own: boolean }} options
 */
export function head(g, panel, W, { cost, sub, rows, own }) {
  const title = runs(panel.a?.title, panel.b?.title),
    mark = own || (panel.a && panel.b) ? "" : panel.a ? "⊖ only in A: " : "⊕ only in B: ",
    price = cost ? wide(cost, "strong") : 0,
    room = W - 2 * PAD - price - 18 - 22 * rows.length;
  const lines = wrap(mark ? [{ t: mark, k: "" }, ...title] : title, "title", room);
  lines.forEach((line, i) => g.append(text(PAD, 27 + 20 * i, line, "title")));
  rows.forEach((row, i) =>
    g.append(
      disc(row.number, PAD + length(lines[lines.length - 1], "title") + 14 + 22 * i, 22 + 20 * (lines.length - 1)),
    ),
  );
  if (cost) g.append(text(W - PAD, 28, [{ t: cost, k: "" }], "strong", "end"));
  const phone = W < 420,
    note = sub ? wrap([{ t: sub, k: "" }], "small", phone ? W - 2 * PAD : Math.max(price, 170)) : [],
    aside = note.length && !phone ? Math.max(...note.map((line) => length(line, "small"))) + 16 : 0;
  const y = 47 + 20 * (lines.length - 1),
    told = wrap(says(panel), "ink", W - 2 * PAD - aside),
    low = phone ? y + 17 * told.length : y - 1;
  told.forEach((line, i) => g.append(text(PAD, y + 17 * i, line, "ink")));
  note.forEach((line, i) =>
    g.append(text(phone ? PAD : W - PAD, low + LINE * i, line, "small", phone ? "start" : "end")),
  );
  return Math.max(y + 17 * told.length, low + LINE * note.length);
}
/**
 * @param {Element} g
 * @param {MergedPanel} panel
 * @param {number} W
 * @param {number} y
 */
export function foot(g, panel, W, y) {
  const chips = panel.chips.flatMap(
    ([x, y2], i) =>
      /** @type {Run[]} */ ([
        ...(i ? [{ t: " · ", k: "" }] : [{ t: "also ", k: "" }]),
        ...(x !== undefined && y2 !== undefined
          ? runs(x, y2)
          : x !== undefined
            ? [{ t: x, k: "a" }]
            : [{ t: y2, k: "b" }]),
      ]),
  );
  const lines = chips.length ? wrap(chips, "small", W - 2 * PAD) : [];
  lines.forEach((line, i) => g.append(text(PAD, y + 10 + LINE * i, line, "small")));
  return y + lines.length * LINE;
}
