/* What compute returns -> the square tile by tile, and what is on the chip at each, with play, step and scrub. */
import { upto } from "../kit/arrays.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { sees, walk_of } from "./small.js";
import { grid_view, within } from "./tiles.js";

/** @import { State } from "../../.make/data_types/flash.d.ts" */
/** @import { Shown } from "./compute.js" */

/**
 * A row of the tile on the chip.
 * @typedef {[css: string, words: string, path: (j: number) => string, how: string]} Line
 */

const [WIDE, START] = [36, [62, 24]];

const CARRIED = [
  ["max", "signed 1"],
  ["sum", "fixed 3"],
  ["out", "signed 3"],
  ["written", "signed 3"],
];
/** @param {Pick<Shown, "walk">} now */
const walk_words = ({ walk }) =>
  `Tile ${walk.step} of ${walk.steps}: queries ${walk.row} to ${walk.row_to}, keys ${walk.key} to ${walk.key_to}.`;
const numbers_view = () => {
  const [x, y] = START;
  const grid = grid_view(WIDE, START);
  const [names, done, here, numbers] = [
    s("g", { class: "names" }),
    s("g", { class: "done" }),
    s("rect", { class: "here" }),
    s("g", { class: "numbers" }),
  ];
  const svg = s(
    "svg",
    { class: "cw-flash-walk", viewBox: "0 0 352 314", role: "img" },
    s("text", { class: "muted", x: x + 4 * WIDE, y: 14, text: "keys" }),
    grid.el,
    names,
    done,
    here,
    numbers,
  );
  /** @param {Shown} now */
  const update = (now) => {
    const { walk, small, reach } = now;
    const before = small.order.slice(0, walk.step - 1);
    grid.update(now, false);
    renderList(
      names,
      upto(8),
      (q) => s("text", { x: x - 8, y: y + q * WIDE + 22, "data-index": true, text: `query ${q}` }),
      (node, q) => setAttrs(node, { class: q >= walk.row && walk.row_to >= q ? "on" : false }),
    );
    const marks = upto(64)
      .map((i) => [Math.floor(i / 8), i % 8])
      .filter(([q, k]) => sees(q, k, reach) && within(before, q, k, small));
    renderList(
      done,
      marks,
      () => s("circle", { r: 2 }),
      (node, [q, k]) => setAttrs(node, { cx: x + k * WIDE + 18, cy: y + q * WIDE + 18 }),
    );
    setAttrs(here, {
      x: x + walk.key * WIDE,
      y: y + walk.row * WIDE,
      width: small.wide * WIDE,
      height: small.tall * WIDE,
    });
    const each = walk.cells.flatMap((line, i) => line.map((_, j) => [i, j]));
    renderList(
      numbers,
      each,
      () => s("text"),
      (node, [i, j]) =>
        put(
          setAttrs(node, { x: x + (walk.key + j) * WIDE + 18, y: y + (walk.row + i) * WIDE + 22 }),
          `walk.cells.${i}.${j}`,
          "signed 1",
          now,
        ),
    );
    setAttrs(svg, { "aria-label": walk_words(now) });
  };
  return { el: svg, update };
};

const chip_view = () => {
  const [tile, stats] = [h("tbody"), h("tbody")];
  const head = ["row", "max", "sum", "out", "out ÷ sum"].map((text) => h("th", { scope: "col", text }));
  const el = h(
    "div",
    { class: "cw-flash-chip" },
    h("p", { class: "cw-flash-title", text: "on the chip (SRAM), now" }),
    h("table", { class: "cw-flash-tile", "aria-label": "The tile on the chip" }, tile),
    h(
      "table",
      { class: "cw-flash-stats", "aria-label": "Running values of each row" },
      h("thead", {}, h("tr", {}, head)),
      stats,
    ),
  );
  const row = () => h("tr", {}, h("th", { scope: "row" }));
  /** @param {Shown} now */
  const update = (now) => {
    const { values, queries } = now.walk;
    /** @type {Line[]} */
    const lines = [
      ...["1st", "2nd"].map(
        (name, n) => /** @type {Line} */ (["key", `key, ${name}`, (j) => `walk.keys.${j}.${n}`, "num 3"]),
      ),
      ...queries.map(
        (_, i) =>
          /** @type {Line} */ ([
            "score",
            `query {walk.rows.${i}.query:int}: {walk.queries.${i}.0:num 3}, {walk.queries.${i}.1:num 3}`,
            (j) => `walk.cells.${i}.${j}`,
            "signed 1",
          ]),
      ),
      ["value", "value", (j) => `walk.values.${j}`, "signed 0"],
    ];
    /** @param {Element} tr @param {[path: string, how: string][]} each */
    const cells = (tr, each) => {
      while (tr.children.length > each.length + 1) /** @type {Element} */ (tr.lastElementChild).remove();
      each.forEach(([path, how], j) => put(tr.children[j + 1] || tr.appendChild(h("td")), path, how, now));
    };
    renderList(tile, lines, row, (tr, [css, words, path, how]) => {
      fill(/** @type {Element} */ (setAttrs(tr, { class: css }).firstElementChild), words, now);
      cells(
        tr,
        values.map((_, j) => [path(j), how]),
      );
    });
    renderList(stats, queries, row, (tr, _, i) => {
      fill(/** @type {Element} */ (tr.firstElementChild), `{walk.rows.${i}.query:int}`, now);
      cells(
        tr,
        CARRIED.map(([key, how]) => [`walk.rows.${i}.${key}`, how]),
      );
    });
  };
  return { el, update };
};

/**
 * The square and the chip with play, step and scrub.
 * @param {(step: number) => void} keep is told where the reader stops
 */
export const walk_player = (keep) => {
  const [numbers, chip] = [numbers_view(), chip_view()];
  /** @type {[Shown | null, boolean, ((step: number) => Shown) | null]} */
  let [now, quiet, compute_at] = [null, false, null];
  /** @param {number} t */
  const at = (t) => /** @type {(step: number) => Shown} */ (compute_at)(Math.round(t) + 1);
  /** @param {Shown} one */
  const show = (one) => {
    numbers.update(one);
    chip.update(one);
  };
  const play = makeTransport({
    label: "tile",
    length: 5,
    rate: 0.8,
    format: (t) => (now ? walk_words(at(t)) : ""),
    print: (node, t) => {
      if (now) fill(node, "{walk.step:int} of {walk.steps:int}", at(t));
    },
    onFrame: (t) => {
      if (now) show(at(t));
    },
    onStop: (t) => {
      if (!quiet) keep(Math.round(t) + 1);
    },
  });
  /** @param {Shown} given @param {State} state */
  const update = (given, state) => {
    const moved = now && play.playing() && (given.walk.step !== now.walk.step || given.small !== now.small);
    if (moved) {
      quiet = true;
      play.stop();
      quiet = false;
    }
    now = given;
    compute_at = (step) => ({
      .../** @type {Shown} */ (now),
      walk: walk_of(/** @type {Shown} */ (now).small, { ...state, step }),
    });
    play.length(now.walk.steps - 1);
    play.set(now.walk.step - 1);
    if (!play.playing()) show(now);
  };
  return { el: [h("div", { class: "cw-flash-pair walk" }, numbers.el, chip.el), play.el], update, stop: play.stop };
};
