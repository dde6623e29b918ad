/* Two views over one model: a layer on t ranks step by step, and what ZeRO keeps where. */
import { announce, h, makeRoot, renderList, setAttrs, setText } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill } from "../kit/numbers.js";
import { steadyText } from "../kit/time.js";
import { onWidth } from "../kit/width.js";
import { range } from "./arithmetic.js";
import { COPY, sent_rows, sent_table } from "./bytes_sent.js";
import { compute } from "./compute.js";
import { KEYS, tensor_controls } from "./controls.js";
import { check } from "./legal.js";
import { memory_view } from "./memory_bars.js";
import { known_model } from "./shapes.js";
import { step_bar } from "./step_bar.js";
import { layer_view, player, step_name } from "./view.js";
import { layer_words } from "./words.js";
import { zero_view } from "./zero.js";

/** @import { Data, State } from "../../.make/data_types/tensor-parallel.d.ts" */
/** @import { Widget } from "../kit/model.js" */
/** @import { Now, Shown } from "./compute.js" */
/** @import { Model } from "./shapes.js" */

export { compute } from "./compute.js";
export { check, settle } from "./legal.js";

/** All ranks, or one: buttons. @param {(rank: number) => void} go */
const rank_picks = (go) => {
  const el = h("div", { class: "cw-tensor-parallel-picks", role: "group", "aria-label": "Select a rank" });
  /** @param {number} ranks @param {number} picked */
  const update = (ranks, picked) =>
    renderList(
      el,
      [-1, ...range(ranks)],
      (r) => h("button", { type: "button", "data-index": "", on: { click: () => go(r) } }),
      (node, r) =>
        setAttrs(node, {
          class: r === -1 ? "cw-tensor-parallel-all" : `cw-rank cw-rank${r} ${r > 7 ? "dark" : ""}`,
          "aria-pressed": String(picked === r),
          "aria-label": r === -1 ? "all ranks" : `rank ${r}`,
          text: r === -1 ? "all" : r,
        }),
      (r) => r,
    );
  return { el, update };
};

/**
 * The layer step by step, and what each rank sends in it: everything around its drawing.
 * @param {SVGElement} svg
 * @param {ReturnType<typeof rank_picks>} picks
 * @param {HTMLElement} what
 * @param {HTMLElement} transport
 * @param {HTMLElement} steps
 */
const layer_section = (svg, picks, what, transport, steps) => {
  const title = heading("", "one colour per rank; grey is a copy on every rank");
  const held = h("p", { class: "cw-tensor-parallel-held", "aria-live": "polite" });
  const sent = sent_table();
  const proof = h("p", { class: "cw-note" });
  const el = h(
    "div",
    {},
    title,
    picks.el,
    what,
    svg,
    transport,
    steps,
    held,
    h("p", {
      class: "cw-note",
      "data-omit": true,
      text: "Δ: the largest difference from the unsharded run, over all ranks.",
    }),
    h(
      "div",
      { class: "cw-section" },
      heading("What does each rank send?", "on a ring, per layer, in the forward pass"),
      sent.el,
      proof,
    ),
  );
  /** @param {Model} row @param {Shown} now */
  const update = (row, now) => {
    const t = now.tp;
    setText(title.children[0], `${row.title}: one layer, ${t} ${t === 1 ? "rank" : "ranks"}`);
    fill(held, "{holds}", now);
    sent.update(sent_rows(row, now));
    fill(proof, COPY, now);
    setAttrs(svg, { "aria-label": layer_words(row, now) });
    picks.update(t, now.rank);
  };
  return { el, update };
};

/** @param {HTMLElement} memory */
const memory_section = (memory) =>
  h(
    "div",
    { class: "cw-section", "data-omit": true },
    heading("Memory on each rank", "weights in bf16, cache of all tokens"),
    memory,
  );

/** The ten steps in words. @param {Now} run */
const moments = (run) => range(10).map((k) => `Step ${step_name(run, k)}; ${run.moments[k][1]}.`);

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "tensor-parallel");
    const data = readData(model);
    const { el: controls, layer: layer_row, zero: zero_row, made } = tensor_controls(model, data);
    const view = layer_view((px) => 640 > px);
    const [zero, memory] = [zero_view(), memory_view()];
    const picks = rank_picks((rank) => commit(model, { rank }));
    const what = steadyText({ class: "cw-tensor-parallel-now", "data-index": "", "data-omit": true });
    setAttrs(view.svg, { "data-below": true });
    let state = data.start;
    let row = known_model(state, data);
    /** @type {Now | null} */
    let out = null;
    let width = 0;
    let at = state.step;
    let drawn = "";

    /** @param {number} t */
    const show = (t) => {
      at = t;
      if (width) view.at(t, state);
      if (!out) return;
      steps.update({ ...state, ...out }, Math.floor(t));
      what.update(moments(out), Math.floor(t));
    };
    const transport = player({
      run: () => out,
      onFrame: show,
      onStop: (t) => {
        commit(model, { step: Math.floor(t) });
        if (out) announce(root, moments(out)[Math.floor(t)]);
      },
    });
    const steps = step_bar((k) => {
      transport.stop();
      commit(model, { step: k });
    });
    const layer = layer_section(view.svg, picks, what.el, transport.el, steps.el);
    const below = memory_section(memory.el);
    root.append(controls, layer.el, below, zero.el);

    const redraw = () => {
      if (!width || !out) return;
      if (state.view === "zero") zero.update(out, state, width);
      else view.draw(row, { ...state, ...out }, width, Math.floor(at));
    };
    /** @param {State} now */
    const update = (now) => {
      state = now;
      row = known_model(state, data);
      out = compute(state, data);
      for (const [key, control] of Object.entries(made)) control.set(state[/** @type {keyof State} */ (key)]);
      const shows_zero = state.view === "zero";
      layer.el.hidden = below.hidden = layer_row.hidden = shows_zero;
      zero.el.hidden = zero_row.hidden = !shows_zero;
      const key = JSON.stringify({ ...state, step: 0 });
      if (key !== drawn) {
        const shown = { ...state, ...out };
        layer.update(row, shown);
        memory.update(shown);
        redraw();
      }
      drawn = key;
      transport.set(state.step);
      if (!transport.playing()) show(state.step);
    };
    const stop = onWidth(root, (px) => {
      width = px;
      redraw();
      if (out) show(at);
    });
    if (check(readState(model, KEYS), data)) update(data.start); // a refused state must have something to stay at
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      stop();
      transport.stop();
      off();
    };
  },
};
