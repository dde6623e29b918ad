/* What the beats of blocks draw: the lab's own drawings, each as far as its beat needs it. */
import { h, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill } from "../kit/numbers.js";
import { answers, following } from "./beats.js";
import { block_chart, range } from "./chart.js";
import { rule_lab } from "./lab.js";

/** @import { FigureMaker } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Drawn } from "./axis.js" */
/** @import { Now, Real, State } from "./compute.js" */

/* While a bet is open the columns are a picture, and of a block that is asked about nothing comes back. */
const asking = (/** @type {BetMode | ""} */ bet) => bet === "open" || bet === "placed";
/** @param {Now} now @returns {Drawn} */
const originals = (now) => ({
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
    chart.update(
      { ...state, picked: now.picked },
      open ? originals(now) : now,
      width,
      data.limit,
      open ? range(now) : "",
    );
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
