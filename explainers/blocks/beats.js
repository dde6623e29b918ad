/* What the beats of blocks ask, say and draw: answers, goals and figures; the page alone loads it. */

import { h, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill } from "../kit/numbers.js";
import { block_chart, range } from "./chart.js";
import { blocks, compute } from "./compute.js";
import { rule_lab } from "./lab.js";
import { words } from "./parts.js";

/** @import { Answers, FigureMaker, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Drawn } from "./chart.js" */
/** @import { Now, Real, Results, State } from "./compute.js" */
/** @import { Priced } from "./parts.js" */

/** The block after this one. @typedef {Results & { values: number[], scale: number }} Following */

const FIRST = { scheme: "mxfp4", rule: "floor", sample: "bell", seed: 16, outlier: 1 };
/** @param {State} state @param {Data} data @param {Partial<State>} [changes] */
const reading = (state, data, changes) => compute({ ...state, ...changes }, data);
/** @param {State} state @param {Data} data */
const priced = (state, data) => /** @type {Priced} */ (data.ledger.find((r) => r.name === state.scheme));
/** @type {{ key: string, found: Following | null }} */
const followed = { key: "", found: null };
/** @param {State} state @param {Data} data @returns {Following} */
const following = (state, data) => {
  const most = Math.max(state.tensor_amax, words.plain(reading(state, data).amax));
  const key = [state.sample, state.seed, state.own, most].join(" ");
  if (followed.key === key && followed.found) return followed.found;
  const x = Float32Array.from(blocks.given(state, 32).subarray(16));
  const made = blocks.quantized({ ...state, scheme: "nvfp4", tensor_amax: most }, x, "floor", data);
  const found = { values: Array.from(x), scale: made.scales[0], ...blocks.results(x, made, 16) };
  Object.assign(followed, { key, found });
  return found;
};
/** @param {State} state @param {Data} data */
const least = (state, data) => reading(state, data).levels.find((v) => v > 0) || 0;
/** @param {State} state @param {Data} data */
const least_rule = (state, data) => {
  const { lab } = reading(state, data, { scheme: "mxfp4" });
  const errors = [0, 2, 3].map((k) => words.plain(lab[k].mse));
  return errors.indexOf(Math.min(...errors));
};
/** @param {State} state @param {Data} data */
const chosen = (state, data) =>
  reading(state, data).lab.find((r) => r.rule === state.rule) || { kept: "", clipped_count: 0, mse: 0, often: "" };

/** @satisfies {Answers<State, Data>} */
export const answers = {
  label: (state, data) => blocks.row_of(state, data).label,
  least,
  half: (state, data) => least(state, data) / 2,
  next_zeros: (state, data) => following(state, data).zeros,
  next_scale: (state, data) => following(state, data).scale,
  least_rule,
  rule_kept: (state, data) => chosen(state, data).kept,
  rule_clips: (state, data) => chosen(state, data).clipped_count,
  rule_mse: (state, data) => chosen(state, data).mse,
  rule_often: (state, data) => chosen(state, data).often,
  rule_who: (state, data) => data.rules.find((r) => r.name === state.rule)?.who,
  many_floor: (_, data) => data.survey.mxfp4.bell.floor[1],
  many_rceil: (_, data) => data.survey.mxfp4.bell.rceil[1],
  many_even: (_, data) => data.survey.mxfp4.bell.even[1],
  element_bits: (state, data) => blocks.row_of(state, data).bits,
  beside_bits: (state, data) =>
    priced(state, data)
      .costs.slice(1)
      .reduce((sum, [, bits, per]) => sum + (bits * blocks.row_of(state, data).n) / per, 0),
  terms: (state, data) => reading(state, data).cost.terms.join("; "),
};

/** @param {string} says */
const no = (says) => ({ reached: false, says });
/** @param {State} state @param {Data} data */
const stop_clipping = (state, data) => {
  if (!Object.entries(FIRST).every(([key, v]) => state[/** @type {keyof typeof FIRST} */ (key)] === v))
    return no("This goal needs the first block, with MXFP4 and floor, without an outlier.");
  const now = reading(state, data);
  const changed = Object.keys(state.edits).filter((key) => now.shown > Number(key));
  if (!changed.length)
    return no(
      `Element ${now.clipped[0]} exceeds ${words.num(6 * words.plain(now.scale))}, the largest value with this scale.`,
    );
  if (changed.length > 1 || changed[0] === "5") return no("Change only one number, and not element 5.");
  if (now.scale === "NaN") return no("A NaN clips nothing, but the whole block is lost.");
  const [value, scale] = [words.num(now.values[Number(changed[0])]), words.num(now.scale)];
  if (now.clipped_count) return no(`With element ${changed[0]} at ${value} the scale is ${scale}, and it still clips.`);
  const other = words.plain(now.amax) > words.plain(reading(state, data, { edits: {} }).amax) ? "smaller" : "larger";
  return {
    reached: true,
    says: `Reached with element ${changed[0]} at ${value}: the scale is ${scale}. A ${other} number can do it too.`,
  };
};
/** @param {State} state @param {Data} data */
const under_seven = (state, data) => {
  const now = reading(state, data);
  if (state.outlier < 32 || Object.keys(state.edits).length || now.n !== 32)
    return no("Set the outlier to × 32 in a block of 32 numbers, and change nothing else.");
  const { bits } = priced(state, data);
  const told = `${answers.label(state, data)}: ${now.zeros} of 32 are zero, ${words.num(bits)} bits per weight.`;
  if (now.zeros > 3 || bits >= 7) return no(told);
  const other = reading(state, data, { scheme: "mxfp6_e2m3" }).zeros;
  return {
    reached: true,
    says: `Reached with ${told} Its exponent bits make the difference: E2M3, with as many bits, has ${other}.`,
  };
};

/* The lab's own drawings. While a bet is open the columns are a picture, and of a block that is asked about nothing comes back. */
const asking = (/** @type {BetMode | ""} */ bet) => bet === "open" || bet === "placed";
/** @param {Now} now @returns {Drawn} */
const given = (now) => ({
  ...now,
  dequantized: now.values,
  relative: now.values.map(() => 0),
  clipped: [],
  before: { dequantized: [] },
});
const legend = () =>
  makeLegend([
    { class: "cw-blocks-given", label: "original" },
    { class: "cw-blocks-back", label: "dequantized" },
    { class: "cw-blocks-was", label: "dequantized before the change" },
    { class: "cw-blocks-error", label: "error (below: relative error)" },
  ]);
/** @type {FigureMaker<State, Data, Now>} */
export const blockFigure = (el, { data, onSet }) => {
  /** @type {Parameters<typeof update> | null} */
  let last = null;
  const chart = block_chart(el, {
    onPick: (i, focus) => {
      onSet({ picked: i });
      if (focus) queueMicrotask(() => chart.focus(i));
    },
    onValue: (i, v) => onSet({ picked: i, edits: { ...last?.[0].edits, [i]: Object.is(v, -0) ? "-0" : v } }),
  });
  const below = legend();
  el.append(chart.el, below);
  /** @param {State} state @param {Now} now @param {{ width: number, bet: BetMode | "" }} view */
  const update = (state, now, { width, bet }) => {
    last = [state, now, { width, bet }];
    const open = asking(bet);
    el.classList.toggle("cw-blocks-open", open);
    chart.update({ ...state, picked: now.picked }, open ? given(now) : now, width, data.limit, open ? range(now) : "");
  };
  el.addEventListener("cw-redraw", () => last && update(...last));
  return { update };
};
/** @type {FigureMaker<State, Data, Now>} */
export const outlierFigure = (el, { data }) => {
  const chart = block_chart(el, {});
  el.append(chart.el, legend());
  return {
    update: (state, now, { width }) => {
      const said = `${range(now)}; ${now.zeros} round to zero`;
      chart.update({ ...state, picked: now.picked }, now, width, data.limit, said);
    },
  };
};
/** @type {FigureMaker<State, Data, Now>} */
export const sidesFigure = (el, { data }) => {
  const chart = block_chart(el, {});
  const [one, other] = [h("span"), h("span")];
  const head = h("p", {}, one, " ", other);
  const border = s("line", { class: "cw-blocks-border", y1: 0 });
  chart.el.append(border);
  el.append(head, chart.el, legend());
  /** @param {State} state @param {Now} now @param {{ width: number }} view */
  const update = (state, now, { width }) => {
    const two = state.scheme === "nvfp4";
    const near = following(state, data);
    /** @type {(key: "values" | "dequantized" | "relative") => Real[]} */
    const both = (key) => (two ? [...now[key], ...near[key]] : now[key]);
    const was = now.before.dequantized;
    const drawn = {
      ...now,
      values: both("values"),
      dequantized: both("dequantized"),
      relative: both("relative"),
      before: { dequantized: was.length && two ? [...was, ...near.dequantized] : was },
      levels: [],
    };
    setAttrs(head, { class: `cw-blocks-sides${two ? " two" : ""}` });
    fill(one, "{n:int} numbers, scale {scale:num 4}: {zeros:int} round to zero", now);
    fill(other, two ? "next {n:int} numbers, scale {next_scale:num 4}: {next_zeros:int} round to zero" : "", {
      n: now.n,
      next_scale: near.scale,
      next_zeros: near.zeros,
    });
    const said = `${range(drawn)}; of ${now.n} with the outlier, ${now.zeros} round to zero${two ? `, of the next ${near.zeros}` : ""}`;
    chart.update({ ...state, picked: now.picked }, drawn, width, data.limit, said);
    const middle = (width - 48) / 2;
    setAttrs(border, {
      x1: middle,
      x2: middle,
      y2: chart.el.getAttribute("height"),
      visibility: two ? "visible" : "hidden",
    });
    for (const t of chart.el.querySelectorAll(".cw-blocks-cuts text"))
      if (Number(t.getAttribute("data-out")?.slice(7)) >= now.shown) setAttrs(t, { "data-out": false, text: "" });
  };
  return { update };
};
/** @type {FigureMaker<State, Data, Now>} */
export const rulesFigure = (el, { data, onSet }) => {
  const lab = rule_lab(data, (rule) => onSet({ rule }));
  el.append(lab.el);
  return {
    update: (state, now, { bet }) => {
      el.classList.toggle("cw-blocks-open", asking(bet));
      setAttrs(lab.el, { hidden: !now.lab.length });
      lab.update(state, now, asking(bet));
    },
  };
};
/** @type {FigureMaker<State, Data, Now>} */
export const costFigure = (el, { data }) => {
  const above = h("span");
  const more = s("rect", { class: "cw-blocks-more", height: 34 });
  el.append(
    h("p", { class: "cw-blocks-sides" }, above),
    s(
      "svg",
      { class: "cw-blocks-whole", width: "100%", height: 34, "aria-hidden": "true" },
      s("rect", { class: "cw-blocks-codes", width: "100%", height: 34 }),
      more,
    ),
  );
  return {
    update: (state, now) => {
      const [element_bits, beside_bits] = [answers.element_bits(state, data), answers.beside_bits(state, data)];
      const share = (100 * beside_bits) / (now.n * element_bits + beside_bits);
      fill(above, "one block: {n:int} codes of {element_bits:int} bits, and {beside_bits:int} bits of scale", {
        ...now,
        element_bits,
        beside_bits,
      });
      setAttrs(more, { x: `${(100 - share).toFixed(3)}%`, width: `${share.toFixed(3)}%` });
    },
  };
};

/** @type {Goals<State, Data>} */
export const goals = { stop_clipping, under_seven };
