// Compared models -> their towers on one depth scale, with what stands below and above them, and the discs that stand there.
import { LETTERS } from "./compare-numbers.js";
import { fitted, length, runs, wrap } from "./compare-runs.js";
import { disc, draw, hatching, text } from "./compare-svg.js";
import { slabs } from "./compare-words.js";

/** @import { ComparedModel, Numbered } from "../site/types.d.ts" */

/**
 * A layer of a tower: its mixer's colour, its MLP's, their names.
 * @typedef {[mixer: string, mlp: string, names: string]} Slab
 */

const HALF = 30,
  GAPS = [58, 40], // between towers of up to four, and of more
  TOP = 66,
  AXIS = 34,
  SIDE = 30;
/** @param {string} t */
const plain = (t) => [{ t, k: "" }];
/**
 * @param {number} number
 * @param {string} one
 */
const count = (number, one) => (number ? `${number} ${one}${number > 1 ? "s" : ""}` : "none");

/**
 * A name in two lines at most.
 * @param {string} name
 * @param {number} room
 */
function named(name, room) {
  const lines = wrap(plain(name), "bold", room).map((line) => line.map((run) => run.t).join(""));
  return lines.length > 2 ? [lines[0], fitted(lines.slice(1).join(" "), "bold", room)] : lines;
}

/** Where a tower leads. @typedef {(model: ComparedModel, i: number) => string | null} Link */

/**
 * Layer 0 at the bottom, the tallest sets the height; full colour where the kind differs from A's at that depth.
 * @param {ComparedModel[]} models
 * @param {{ rows?: Numbered[], link?: Link | null }} [options]
 * @returns {SVGSVGElement}
 */
export function towers(models, { rows = [], link = null } = {}) {
  const held = models.map(slabs),
    tallest = Math.max(...held.map((one) => one.length)),
    gap = GAPS[Number(models.length > 4)];
  const pitch = Math.max(2.2, Math.min(8, 430 / tallest)),
    high = tallest * pitch,
    bottom = TOP + 26 + high;
  const width = AXIS + models.length * (2 * HALF + gap) + (rows.length ? SIDE : 0),
    /** @type {(layer: number) => number} */
    y = (layer) => bottom - (layer + 1) * pitch;
  const says = models
    .map((one, i) => `${LETTERS[i]} ${one.title}: ${one.figures.layers} layers, ${one.heads.mixer}; ${one.heads.mlp}`)
    .join(". ");
  const two = models.length === 2,
    tall = bottom + (two ? 60 : 40);
  const svg = draw(
    "svg",
    {
      class: "cmp-towers cmp-in",
      viewBox: `0 0 ${width} ${tall}`,
      width,
      height: tall,
      "aria-label": says,
      role: rows.length || link ? "group" : "img",
      "data-part": "tower",
    },
    hatching("hatch-tower"),
  );
  for (let layer = 0; layer < tallest; layer += tallest > 60 ? 20 : 10)
    svg.append(
      draw("path", { class: "t-axis", d: `M${AXIS - 8} ${y(layer) + pitch / 2}H${width}` }),
      text(AXIS - 12, y(layer) + pitch / 2 + 4, plain(String(layer)), "small", "end"),
    );
  svg.append(...models.map((_, i) => tower(models, held, i, { bottom, pitch, gap, y }, link)));
  if (two) svg.append(ends(models, AXIS + 2 * HALF + gap / 2, bottom + 50));
  place(svg, rows, { x: width - 14, bottom, tops: y(tallest - 1) });
  return svg;
}

/**
 * Where towers stand: `pitch` is from layer to layer, `y` where one begins at the top.
 * @typedef {{ bottom: number, pitch: number, gap: number, y: (layer: number) => number }} Scale
 */

/**
 * One tower, with its boxes for what stands below and above, its name and its layers; a link where it leads somewhere.
 * @param {ComparedModel[]} models
 * @param {Slab[][]} held
 * @param {number} i
 * @param {Scale} scale
 * @param {Link | null} link
 */
function tower(models, held, i, { bottom, pitch, gap, y }, link) {
  const model = models[i],
    x = AXIS + i * (2 * HALF + gap),
    against = held[i ? 0 : Math.min(1, models.length - 1)],
    own = held[i],
    g = draw("g", { class: `tw tw-${i}` });
  stack(g, own, against, x, y, pitch, models.length > 1 && i > 0);
  const top = y(own.length - 1),
    mtp = model.ends[1],
    cap = top - 34;
  g.append(
    draw("rect", { class: "t-box", x, y: bottom + 5, width: 2 * HALF + 1, height: 12, rx: 2 }),
    draw("rect", { class: "t-box", x, y: top - 17, width: 2 * HALF + 1, height: 12, rx: 2 }),
  );
  if (mtp)
    g.append(
      draw("rect", { class: "t-mtp", fill: "url(#hatch-tower)", x, y: cap + 6, width: 2 * HALF + 1, height: 8, rx: 1 }),
    );
  g.append(
    ...named(`${LETTERS[i]} ${model.title}`, 2 * HALF + gap - 8).map((line, at, { length: lines }) =>
      text(x + HALF, cap - 2 - 15 * (lines - 1 - at), plain(line), "bold", "middle"),
    ),
    text(x + HALF, bottom + 31, plain(`${own.length} layers`), "small", "middle"),
  );
  const goal = link?.(model, i),
    to = goal ? draw("a", { href: goal, "aria-label": `${models[0].title} beside ${model.title}` }) : null;
  if (to)
    to.append(
      draw("rect", { class: "t-hit", x: x - 6, y: cap - 16, width: 2 * HALF + 13, height: bottom + 36 - cap }),
      g,
    );
  return to ?? g;
}

/**
 * @param {Element} g
 * @param {Slab[]} own
 * @param {Slab[]} against
 * @param {number} x
 * @param {(layer: number) => number} y
 * @param {number} pitch
 * @param {boolean} ringed
 */
function stack(g, own, against, x, y, pitch, ringed) {
  const unlike = own.map((slab, layer) => against[layer]?.[2] !== slab[2]),
    paths = new Map();
  own.forEach((slab, layer) =>
    slab.slice(0, 2).forEach((role, half) => {
      const cls = role && `c-${role} ${against[layer]?.[half] === role && against !== own ? "same" : "other"}`;
      if (role)
        paths.set(
          cls,
          `${paths.get(cls) ?? ""}M${x + half * (HALF + 1)} ${Math.round((y(layer) + 0.4) * 100) / 100}h${HALF}v${Math.max(pitch - 0.8, 0.8)}h${-HALF}z`,
        );
    }),
  );
  for (const [cls, d] of paths) g.append(draw("path", { class: cls, d }));
  for (let layer = 0, from = -1; ringed && layer <= own.length; layer++) {
    if (unlike[layer] && from < 0) from = layer;
    if (!unlike[layer] && from >= 0) {
      g.append(
        draw("rect", {
          class: "t-ring",
          x: x - 2,
          y: y(layer - 1) - 1,
          width: 2 * HALF + 5,
          height: (layer - from) * pitch + 2,
          rx: 2,
        }),
      );
      from = -1;
    }
  }
}
/**
 * @param {ComparedModel[]} models
 * @param {number} x
 * @param {number} y
 */
function ends([a, b], x, y) {
  const [was, is] = [a.ends, b.ends],
    vocabulary = runs(`vocabulary ${was[0].toLocaleString("en-US")}`, `vocabulary ${is[0].toLocaleString("en-US")}`),
    g = draw("g");
  g.append(text(x, y, vocabulary, "small", "middle"));
  if (was[1] || is[1])
    g.append(
      text(
        x,
        14,
        was[1] === is[1]
          ? plain(`${count(is[1], "MTP layer")} each`)
          : [{ t: "MTP: ", k: "" }, ...runs(count(was[1], "layer"), count(is[1], "layer"))],
        "small",
        "middle",
      ),
    );
  g.dataset.wide = String(length(vocabulary, "small"));
  return g;
}
/**
 * Discs right of the towers, each level with what it counts, none on another.
 * @param {Element} svg
 * @param {Numbered[]} rows
 * @param {{ x: number, bottom: number, tops: number }} edges
 */
function place(svg, rows, { x, bottom, tops }) {
  /** @type {{ [place: string]: () => number }} */
  const at = {
    mtp: () => 10,
    head: () => tops - 12,
    tower: () => tops + 14,
    embed: () => bottom + 12,
    dense: () => bottom - 12,
  };
  const found = rows
    .map((row) => ({ row, y: (at[row.place] ?? (() => (tops + bottom) / 2))() }))
    .sort((one, other) => one.y - other.y);
  found.forEach((one, i) => {
    if (i) one.y = Math.max(one.y, found[i - 1].y + 21);
    svg.append(disc(one.row.number, x, one.y));
  });
}
