/* What compute returns -> the square of plain attention, a row in two tiles, the square in tiles, and the chip. */

import { upto } from "../kit/arrays.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { hundredth } from "../kit/roof.js";
import { makeTransport } from "../kit/time.js";
import { sees, walk_of } from "./compute.js";

/** @import { State } from "../../.make/data_types/flash.d.ts" */
/** @import { Kid } from "../kit/dom.js" */
/** @import { Cut, Shown } from "./compute.js" */

/** A tile of the square. @typedef {[css: string, at: number[]]} Mark */
/**
 * A row of the tile on the chip.
 * @typedef {[css: string, words: string, path: (j: number) => string, how: string]} Line
 */

const [SIDE, SQUARE] = [236, [112, 60]];
const [CELL, CORNER, ONE, WIDE, START] = [30, [56, 24], 92, 36, [62, 24]];
const PASSES = [
  ["scores = Q × K", "written", "written {plain.pass_bytes:bytes}"],
  ["softmax, row by row", "read, written", "read {plain.pass_bytes:bytes}, written {plain.pass_bytes:bytes}"],
  ["weights × V", "read", "read {plain.pass_bytes:bytes}"],
];
/** @param {string} css @param {Kid} svg @param {Kid[]} side */
const pair = (css, svg, ...side) =>
  h("div", { class: `cw-flash-pair${css}` }, svg, h("div", { class: "cw-flash-side" }, side));
/** @param {string} css @param {boolean} hide */
const hushed = (css, hide) => css + (hide ? " hush" : "");

export const square_view = () => {
  const [q, k] = [
    s("rect", { class: "input", y: SQUARE[1], height: SIDE }),
    s("rect", { class: "input", x: SQUARE[0], width: SIDE }),
  ];
  const [of_q, of_k] = [
    s("text", { class: "muted end", y: SQUARE[1] + SIDE / 2 }),
    s("text", { class: "muted", x: SQUARE[0] + SIDE / 2 }),
  ];
  const inside = s("text", { class: "strong", x: SQUARE[0] + SIDE / 2, y: SQUARE[1] + SIDE / 2 - 4 });
  const svg = s(
    "svg",
    {
      class: "cw-flash-square",
      viewBox: "0 0 360 304",
      role: "img",
      "aria-label": "A square of scores: every query against every key, with Q and K beside it to scale.",
    },
    s("rect", { class: "score", x: SQUARE[0], y: SQUARE[1], width: SIDE, height: SIDE }),
    k,
    q,
    of_k,
    of_q,
    inside,
    s("text", {
      class: "muted",
      x: SQUARE[0] + SIDE / 2,
      y: SQUARE[1] + SIDE / 2 + 16,
      text: "one head, drawn to scale",
    }),
  );
  const steps = PASSES.map(() => h("span"));
  const ends = h("p", { class: "cw-flash-ends" });
  const list = h(
    "ol",
    { class: "cw-flash-passes" },
    PASSES.map(([name], i) => h("li", {}, h("b", { text: name }), steps[i])),
  );
  const el = pair("", svg, h("p", { class: "cw-flash-title", text: "plain attention, pass by pass" }), list, ends);
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const thick = Math.max(0.75, Math.min(36, (SIDE * now.head.qk) / now.tokens));
    setAttrs(k, { y: hundredth(SQUARE[1] - 5 - thick), height: hundredth(thick) });
    setAttrs(q, { x: hundredth(SQUARE[0] - 5 - thick), width: hundredth(thick) });
    fill(setAttrs(of_k, { y: hundredth(SQUARE[1] - 13 - thick) }), "K, {tokens:int} keys", now);
    fill(setAttrs(of_q, { x: hundredth(SQUARE[0] - 13 - thick) }), "Q, {tokens:int}", now);
    fill(inside, "{square:count} scores", now);
    PASSES.forEach(([, bare, said], i) => fill(steps[i], hide ? bare : said, now));
    fill(ends, "Q, K, V and the output: {ends:bytes}", now);
  };
  return { el, update };
};

/* ------------------------------------------------------------ softmax in two tiles */
const KEPT = [
  ["largest score", "max", "fixed 1"],
  ["sum", "sum", "fixed 3"],
  ["output so far", "out", "signed 3"],
];
const MEND = [
  ["factor e^({row.first.max:fixed 1} − {row.second.max:fixed 1}) = {row.factor:fixed 3}", ""],
  ["", "sum: {row.first.sum:fixed 3} × {row.factor:fixed 3} + {row.fresh_sum:fixed 3} = {row.second.sum:fixed 3}"],
  [
    "",
    "output: {row.first.out:signed 3} × {row.factor:fixed 3} + {row.fresh_out:signed 3} = {row.second.out:signed 3}",
  ],
  ["final output: {row.second.out:signed 3} ÷ {row.second.sum:fixed 3} = {row.tiled:fixed 4}", ""],
  ["", "plain softmax, all at once: {row.plain:fixed 4}"],
];
export const pieces_view = () => {
  const cells = [
    ["score", "scores", "fixed 1"],
    ["value", "values", "signed 0"],
    ["e^(score − max)", "weights", "fixed 3"],
  ].map(([name, path, how]) => ({ name, path, how, each: upto(8).map(() => h("td")) }));
  const head = h(
    "tr",
    {},
    h("td"),
    ["first tile", "second tile"].map((text) => h("th", { scope: "colgroup", colspan: 4, text })),
  );
  const rows = cells.map(({ name, each }) => h("tr", {}, h("th", { scope: "row", text: name }), each));
  const table = h(
    "table",
    { class: "cw-flash-cells", "aria-label": "One row of scores in two tiles" },
    h("thead", {}, head),
    h("tbody", {}, rows),
  );
  const boxes = [
    ["first", "kept after the first tile"],
    ["second", "kept after the second tile"],
  ].map(([which, title]) => {
    const each = KEPT.map(() => h("dd"));
    return {
      which,
      each,
      el: h(
        "div",
        {},
        h("p", { text: title }),
        h(
          "dl",
          {},
          KEPT.map(([name], i) => h("div", {}, h("dt", { text: name }), each[i])),
        ),
      ),
    };
  });
  const lines = MEND.map(() => [h("b"), h("span")]);
  const mend = h(
    "div",
    {},
    lines.map((both) => h("p", {}, both)),
  );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    for (const { path, how, each } of cells)
      each.forEach((td, i) =>
        put(setAttrs(td, { class: hushed(path, hide && path === "weights" && i > 3) }), `row.${path}.${i}`, how, now),
      );
    for (const { which, each, el } of boxes) {
      setAttrs(el, { class: hushed(`cw-flash-kept ${which}`, hide && which === "second") });
      KEPT.forEach(([, key, how], i) => put(each[i], `row.${which}.${key}`, how, now));
    }
    setAttrs(mend, { class: hushed("cw-flash-mend", hide) });
    lines.forEach((both, i) => both.forEach((node, j) => fill(node, MEND[i][j], now)));
  };
  return {
    el: [
      table,
      h(
        "div",
        { class: "cw-flash-carried" },
        boxes.map((one) => one.el),
      ),
      mend,
    ],
    update,
  };
};

/* ------------------------------------------------------------ the square in tiles */
/** @param {number[][]} tiles @param {number} q @param {number} k @param {Cut} cut */
const within = (tiles, q, k, { tall, wide }) =>
  tiles.some(([r, c]) => q >= r && r + tall > q && k >= c && c + wide > k);
/** @param {number} cell @param {number[]} corner */
const grid_view = (cell, [x, y]) => {
  const [cells, lines] = [s("g"), s("g")];
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const { small, reach } = now;
    renderList(
      cells,
      upto(64),
      (i) =>
        s("rect", {
          x: x + (i % 8) * cell + 1,
          y: y + Math.floor(i / 8) * cell + 1,
          width: cell - 2,
          height: cell - 2,
        }),
      (node, i) => {
        const [q, k] = [Math.floor(i / 8), i % 8];
        setAttrs(node, {
          class: sees(q, k, reach) ? "needed" : !hide && within(small.order, q, k, small) ? "idle" : "none",
        });
      },
    );
    const tiles = hide
      ? []
      : [
          ...small.skipped.map(/** @returns {Mark} */ (at) => ["out", at]),
          ...small.order.map(/** @returns {Mark} */ (at) => ["tile", at]),
        ];
    renderList(
      lines,
      tiles,
      () => s("rect"),
      (node, [css, [r, k]]) =>
        setAttrs(node, {
          class: css,
          x: x + k * cell,
          y: y + r * cell,
          width: small.wide * cell,
          height: small.tall * cell,
        }),
    );
  };
  return { el: [cells, lines], update };
};

export const tiles_view = () => {
  const grid = grid_view(CELL, CORNER);
  const svg = s(
    "svg",
    { class: "cw-flash-tiles", viewBox: "0 0 300 268", role: "img" },
    s("text", { class: "muted", x: CORNER[0] + 4 * CELL, y: 14, text: "keys" }),
    s("text", { class: "muted end", x: CORNER[0] - 8, y: CORNER[1] + 4 * CELL + 4, text: "queries" }),
    grid.el,
  );
  const tile = s("rect", { class: "tile", x: 0, y: 0 });
  const one = s(
    "svg",
    { class: "cw-flash-one", height: ONE, preserveAspectRatio: "xMinYMid meet", "aria-hidden": "true" },
    tile,
  );
  const [needed, size, cover, left] = upto(4).map(() => h("p"));
  const bold = h("b");
  needed.append(bold);
  const legend = makeLegend(
    [
      ["needed", "needed"],
      ["idle", "computed, then masked"],
      ["out", "skipped"],
    ].map(([css, label]) => ({ class: css, label })),
  );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const { tall, wide } = now.small;
    grid.update(now, hide);
    const high = Math.max(ONE, tall * CELL + 2); // larger tiles are drawn smaller, so that nothing below moves
    setAttrs(tile, { width: wide * CELL, height: tall * CELL });
    setAttrs(one, { viewBox: `-1 ${(tall * CELL - high) / 2} ${8 * CELL + 2} ${high}` });
    fill(bold, "needed: {small.needed:int} of {small.scores:int} scores", now);
    fill(size, "one tile: {small.tall:int} queries × {small.wide:int} keys", now);
    fill(cover, "{small.tiles:int} such tiles cover the square", now);
    fill(
      setAttrs(left, { class: hide ? "hush" : "strong" }),
      "{small.computed:int} tiles computed, {small.left:int} skipped",
      now,
    );
    setAttrs(svg, {
      "aria-label": `Queries against keys: no query needs a later key.${hide ? "" : ` Tiles lie over it: ${now.small.computed} are computed, ${now.small.left} skipped.`}`,
    });
  };
  return { el: pair("", svg, needed, one, size, cover, left, legend), update };
};

/* ------------------------------------------------------------ what is on the chip */
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
