/* Scores as dots, the soft ceiling, drafts as a tape, loops, borrowing, mixing, and who does what. */

import { upto } from "../kit/arrays.js";
import { linearScale, linePath, logScale } from "../kit/chart.js";
import { h, s as kitS, renderList, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { four } from "./mixing.js";
import { capped } from "./stack.js";
import { fine, hushed, log_chart, name_of, path_of } from "./view.js";

/** @import { Kind, Shown } from "./compute.js" */

const SCALE = ["0.01", "0.1", "1", "10", "100", "1,000", "10,000"];
const DOTS = 46;
/** Where a score stands, of 1000. */
const along = /* @__PURE__ */ logScale([0.01, 1e4], [0, 1000], true);
/**
 * A picture as wide as the page, whatever its units.
 * @param {string} css
 * @param {number} high
 * @param {string} label
 * @param {...(SVGElement | null)} kids
 */
const stretched = (css, high, label, ...kids) =>
  kitS(
    "svg",
    { class: css, width: "100%", height: high, preserveAspectRatio: "none", role: "img", "aria-label": label },
    kids,
  );
/**
 * One dot for each score, by its size: points of a stretched path with round ends.
 * @param {"plain" | "normed"} which
 */
const dots_view = (which) => {
  const [edge, dots] = ["bound", "all"].map((css) => kitS("path", { class: css }));
  const bounded = which === "normed";
  const svg = stretched("", DOTS, "Scores by size, on a log scale.", bounded ? edge : null, dots);
  setAttrs(svg, { viewBox: `0 0 1000 ${DOTS}` });
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    hushed(svg, `ab-dots ${which}`, hide);
    setAttrs(edge, { d: `M${along(now.scores.bound).toFixed(0)} 0V${DOTS}` });
    setAttrs(dots, {
      d: now.scores[which].all.map((one, i) => `M${along(one).toFixed(0)} ${23 + (((i * 7) % 9) - 4) * 3}h0`).join(""),
    });
  };
  return { svg, update };
};
export const scores_view = () => {
  const [plain, normed, first, last] = [dots_view("plain"), dots_view("normed"), name_of(), name_of()];
  const scale = kitS(
    "svg",
    { class: "ab-scale", width: "100%", height: 16, "aria-hidden": "true" },
    SCALE.map((text, i) => kitS("text", { x: `${fine((100 * i) / 6)}%`, y: 12, "data-index": true, text })),
  );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    fill(
      first,
      "scaled by {grown:num 3}: largest score {scores.plain.top:fixed 1}; a query’s top key gets {scores.plain.peak:percent 0} on average",
      now,
    );
    fill(
      last,
      "with QK-norm: largest score {scores.normed.top:fixed 1}; a query’s top key gets {scores.normed.peak:percent 0} on average",
      now,
    );
    hushed(last, "ab-name", hide);
    plain.update(now, false);
    normed.update(now, hide);
  };
  return { el: [first, plain.svg, last, normed.svg, scale], update };
};

const [FOOT, ROOF, SIDE, ACROSS, HEIGHT] = [196, 16, 34, 340, 200];
const across = /* @__PURE__ */ linearScale([0, HEIGHT], [SIDE, ACROSS]);
const up = /* @__PURE__ */ linearScale([0, HEIGHT], [FOOT, ROOF], true);
/** @param {number} score @param {number} out */
const spot = (score, out) => [fine(across(score)), fine(up(out))];
export const ceiling_view = () => {
  const [lid, cap, curve, less, more, name] = [
    kitS("path", { class: "cap" }),
    kitS("text", { class: "cap", x: SIDE + 4 }),
    kitS("path", { class: "curve" }),
    kitS("circle", { class: "less", r: 6 }),
    kitS("circle", { class: "more", r: 6 }),
    name_of(),
  ];
  /** @param {SVGElement} node @param {number} score @param {number} out */
  const put = (node, score, out) => {
    const [cx, cy] = spot(score, out);
    setAttrs(node, { cx, cy });
  };
  const ticks = [
    ...[0, 50, 100, 150, 200].map((s) =>
      kitS("text", { class: "x", x: fine(across(s)), y: FOOT + 16, "data-index": true, text: s }),
    ),
    ...[50, 100, 150].map((s) =>
      kitS("text", { class: "y", x: SIDE - 6, y: fine(up(s) + 4), "data-index": true, text: s }),
    ),
  ];
  const [after, over_it] = [kitS("g", {}, curve, less, more), kitS("g", {}, lid, cap)];
  const svg = kitS(
    "svg",
    {
      class: "ab-ceiling",
      viewBox: "0 0 352 220",
      role: "img",
      "aria-label": "A score after the cap, by the score before it.",
    },
    kitS("path", { class: "base", d: `M${SIDE} ${ROOF}V${FOOT}H${ACROSS}` }),
    kitS("path", { class: "free", d: linePath([spot(0, 0), spot(HEIGHT, HEIGHT)]) }),
    over_it,
    ticks,
    after,
  );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const { score, out, less: below, less_out } = now.ceiling;
    const lidded = now.cap > 0 && HEIGHT >= now.cap;
    const top = up(now.cap);
    over_it.replaceChildren(...(lidded ? [lid, cap] : []));
    setAttrs(lid, { d: `M${SIDE} ${fine(top)}H${ACROSS}` });
    fill(setAttrs(cap, { y: fine(top - 5) }), "cap {cap:num 3}", now);
    setAttrs(curve, { d: linePath(upto(51).map((i) => spot(4 * i, capped(4 * i, now.cap)))) });
    put(less, below, less_out);
    put(more, score, out);
    after.replaceChildren(...(hide ? [] : [curve, less, more]));
    fill(
      name,
      "{ceiling.score:num 4} becomes {ceiling.out:fixed 1}; {ceiling.less:num 4} becomes {ceiling.less_out:fixed 1}: a difference of {ceiling.apart:num 4} shrinks to {ceiling.left:fixed 1}",
      now,
    );
    hushed(name, "ab-name", hide);
  };
  return { el: [svg, name], update };
};

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

/** @type {[key: keyof Shown["who"], words: string][]} */
const WHO = [
  ["drafts", "draft tokens"],
  ["qk", "QK-norm per head"],
  ["qk_all", "QK-norm across the whole projection"],
  ["gate", "gate on attention"],
  ["cap", "soft cap"],
  ["sandwich", "sandwich norm"],
  ["behind", "output norm only"],
  ["post", "post-norm"],
  ["normed", "normalised stream"],
  ["scale", "scaled residuals"],
  ["weighed", "weighted sums"],
  ["parallel", "parallel sublayers"],
  ["borrow", "cross-layer KV sharing"],
  ["own", "per-layer embeddings"],
  ["streams", "several residual streams"],
  ["loops", "looped layers"],
];
export const who_view = () => {
  const lines = WHO.map(() => h("li"));
  /** @param {Shown} now */
  const update = (now) => {
    for (const [i, [key, words]] of WHO.entries()) {
      const some = now.who[key].count ? `. {who.${key}.some:text}` : "";
      fill(lines[i], `${words}: {who.${key}.count:int} models on this site${some}`, now);
    }
  };
  return { el: h("ul", { class: "ab-who" }, lines), update };
};
