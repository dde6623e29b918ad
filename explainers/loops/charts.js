/* Drafts as a tape, loops, borrowed keys and values, and how streams mix. */

import { upto } from "../kit/arrays.js";
import { h, s as kitS, renderList, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { stretched } from "../norms/charts.js";
import { four } from "../norms/mixing.js";
import { fine, hushed, log_chart, name_of, path_of } from "../norms/view.js";

/** @import { Kind, Shown } from "../norms/compute.js" */

const [STEP, CELL] = [28, 18];
const FATES = [
  ["sure", "the model’s own next token"],
  ["good", "accepted draft"],
  ["bad", "rejected draft"],
  ["idle", "discarded after a rejected draft"],
];
/**
 * What becomes of the i-th token of a step whose first `good` drafts stand: a place in FATES.
 * @param {number} good
 * @param {number} i
 */
const fate = (good, i) => (i === 0 ? 0 : good >= i ? 1 : i === good + 1 ? 2 : 3);
export const drafts_view = () => {
  const name = name_of();
  const paths = FATES.map(([css]) => kitS("path", { class: css }));
  const svg = kitS("svg", { class: "ab-tape", role: "img", "aria-label": "Twelve steps and their drafts." }, paths);
  /** @param {Shown} now */
  const update = (now) => {
    const high = CELL * (4 > now.drafts ? 4 : 8) + 4;
    fill(name, "{drafted.steps:int} steps produce {drafted.tokens:int} tokens and check {drafted.checked:int}", now);
    setAttrs(svg, { viewBox: `0 0 ${12 * STEP} ${high}` });
    const found = FATES.map(() => "");
    now.drafted.tape.forEach((good, s) =>
      upto(now.drafts + 1).forEach((i) => {
        found[fate(good, i)] += `M${s * STEP + 2} ${high - (i + 1) * CELL}h23v15h-23z`;
      }),
    );
    paths.forEach((node, i) => setAttrs(node, { d: found[i] }));
  };
  return { el: [name, svg, makeLegend(FATES.map(([css, label]) => ({ class: css, label })))], update };
};

const RUNS = 112;
/** @param {number[]} all @param {number} y @param {number} high */
const cells_of = (all, y, high) => all.map((i) => `M${fine(i + 0.08)} ${fine(y)}h.84v${fine(high)}h-.84z`).join("");
/**
 * The cells of the layers of one kind; a state is a third as high.
 * @param {Shown["of"]} of
 * @param {Kind} kind
 * @param {number} y
 * @param {number} high
 */
const kept_of = ({ kinds }, kind, y, high) => {
  const lift = kind === "state" ? (high * 2) / 3 : 0;
  return cells_of(
    upto(kinds.length).filter((i) => kinds[i] === kind),
    y + lift,
    high - lift,
  );
};
export const loops_view = () => {
  const [first, last, stored, left] = [name_of(), name_of(), kitS("path", { class: "weights" }), kitS("g")];
  const [weights, kept] = [
    stretched("ab-runs", 18, "Layers, stored once.", stored),
    stretched("ab-runs", RUNS, "What each run of the layers stores.", left),
  ];
  /** @param {Shown} now */
  const update = (now) => {
    const [{ layers }, { loops }] = [now.of, now];
    const each = RUNS / loops;
    fill(first, "weights: {of.layers:int} layers, stored once", now);
    fill(
      last,
      `keys and values: {loops:int} × {of.keeping:int} layers = {looped.caches:int} caches${now.of.states ? "; {looped.states:int} states" : ""}`,
      now,
    );
    setAttrs(weights, { viewBox: `0 0 ${layers} 18` });
    setAttrs(kept, { viewBox: `0 0 ${layers} ${RUNS}` });
    setAttrs(stored, { d: cells_of(upto(layers), 1, 16) });
    const made = /** @type {const} */ (["kept", "state"]).map((kind) => kept_of(now.of, kind, 1, each - 3));
    renderList(
      left,
      upto(loops),
      () => kitS("g", {}, kitS("path", { class: "kept" }), kitS("path", { class: "state" })),
      (g, run) => {
        setAttrs(g, { transform: `translate(0 ${fine(run * each)})` });
        made.forEach((d, i) => setAttrs(g.children[i], { d }));
      },
    );
  };
  return { el: [first, weights, last, kept], update };
};

/** @type {Kind[]} */
const CELLS = ["kept", "lent", "state"];
export const borrow_view = () => {
  const [first, second, third] = upto(3).map(name_of);
  const [arcs, any, ...rows] = ["arc", "any", ...CELLS].map((css) => kitS("path", { class: css }));
  const svg = stretched(
    "ab-lent",
    90,
    "Layers that store keys and values, and layers that reuse another’s.",
    arcs,
    any,
    ...rows,
  );
  const part = kitS("rect", { class: "table", height: 22 });
  const table = stretched(
    "ab-table",
    22,
    "The tables’ share of all parameters.",
    kitS("rect", { class: "rest", width: "100%", height: 22 }),
    part,
  );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const { layers, sources, table_share, states, none } = now.of;
    setAttrs(svg, { viewBox: `0 0 ${layers} 90` });
    setAttrs(arcs, {
      d: hide
        ? ""
        : sources
            .map((from, i) =>
              0 > from
                ? ""
                : `M${i + 0.5} 60Q${(i + from + 1) / 2} ${fine(56 - 4 * Math.min(i - from, 14))} ${from + 0.5} 60`,
            )
            .join(""),
    });
    setAttrs(any, { d: cells_of(upto(layers), 62, 24) });
    rows.forEach((node, r) => setAttrs(node, { d: hide ? "" : kept_of(now.of, CELLS[r], 62, 24) }));
    setAttrs(part, { width: `${fine(100 * table_share)}%` });
    fill(first, "{of.layers:int} layers of {of.title:text}", now);
    fill(
      second,
      `{of.keeping:int} layers store keys and values, {of.lent:int} reuse those of an earlier layer${states + none ? ", {of.states:int} store only a state, {of.none:int} store nothing" : ""}`,
      now,
    );
    hushed(second, "ab-name", hide);
    fill(
      third,
      `per-layer embeddings: ${now.of.table ? "{of.table:count} of {of.total:count} parameters" : "none"}`,
      now,
    );
  };
  return { el: [first, svg, second, third, table], update };
};

export const mixing_view = () => {
  const [name, head, free, own] = [
    name_of(),
    name_of(),
    kitS("path", { class: "free" }),
    kitS("path", { class: "sizes" }),
  ];
  const { svg, wide } = log_chart("Gain after every sublayer, on a log scale.", free, own);
  const cells = four.map(() => four.map(() => h("span")));
  const rows = cells.map((row) =>
    h(
      "tr",
      {},
      row.map((span) => h("td", {}, span)),
    ),
  );
  const table = h("table", { "aria-label": "Product of all mixing matrices" }, h("tbody", {}, rows));
  const box = h("div", {}, head, table);
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    fill(
      name,
      "gain after each sublayer: {mixing.free_gain:fixed 1} after {mixing.places:int} sublayers with free mixing",
      now,
    );
    fill(head, "product of all mixing matrices", now);
    wide(now.mixing.places);
    setAttrs(free, { d: path_of(now.mixing.free) });
    setAttrs(own, { d: hide ? "M0 0" : path_of(now.mixing.gains) });
    cells.forEach((row, i) => row.forEach((span, j) => put(span, `mixing.all.${i}.${j}`, "signed 2", now)));
    hushed(box, "ab-mix", hide);
    setAttrs(table, { "data-omit": hide });
  };
  return { el: [name, svg, box], update };
};
