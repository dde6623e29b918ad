/* Two views over one model: a layer on t ranks step by step, and what ZeRO keeps where. */
import { pct } from "../kit/chart.js";
import { number, segmented, select, slider, toggle } from "../kit/controls.js";
import { announce, firstChild, h, makeRoot, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, makeOffer, readData, readState } from "../kit/model.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { steadyText } from "../kit/time.js";
import { onWidth } from "../kit/width.js";
import { check, compute, known_model, rows_of, settle, title_of } from "./compute.js";
import { range } from "./run.js";
import { layer_view, player, step_name } from "./view.js";
import { zero_view } from "./zero.js";

/** @import { Data, State } from "../../.make/data_types/tensor-parallel.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { Column } from "../kit/table.js" */
/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Memory, Model, Now, Sent, Shown } from "./compute.js" */

export { check, compute, settle } from "./compute.js";

const KEYS = ["view", "model", "tp", "sequence", "sequence_parallel", "step", "rank", "stage", "dp", "convention"];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const tensor_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  const start = data.start;
  /** @type {{ [key: string]: Control<any> }} */
  const made = {};
  /** @type {<Key extends keyof State>(key: Key, also?: { rank?: number }) => (value: State[Key]) => void} */
  const set =
    (key, also = {}) =>
    (value) =>
      offer(made[key], { [key]: value, ...also });
  /** @returns {State} */
  const now = () => readState(model, KEYS);
  const names = rows_of(data)
    .map((m) => ({ value: m[0], label: title_of(m) }))
    .sort((a, b) => a.label.localeCompare(b.label));
  made.view = segmented({
    label: "show",
    options: [
      { value: "layer", label: "one layer on t ranks" },
      { value: "zero", label: "ZeRO: what each rank keeps" },
    ],
    value: start.view,
    onInput: set("view"),
  });
  made.model = select({
    label: "model",
    options: names,
    value: start.model,
    onInput: (slug) => offer(made.model, { model: slug, rank: -1, tp: settle({ ...now(), model: slug }, [], data).tp }),
  });
  made.tp = slider({ label: "ranks t", min: 1, max: 16, value: start.tp, onInput: set("tp", { rank: -1 }) });
  made.sequence = number({
    label: "tokens",
    min: 1,
    max: 2 ** 20,
    integer: true,
    value: start.sequence,
    allow: (sequence) => check({ ...now(), sequence }, data),
    onInput: set("sequence"),
  });
  made.sequence_parallel = toggle({
    label: "sequence parallelism",
    value: start.sequence_parallel,
    onInput: set("sequence_parallel"),
  });
  made.stage = segmented({ label: "ZeRO stage", options: [0, 1, 2, 3], value: start.stage, onInput: set("stage") });
  made.dp = slider({ label: "data-parallel ranks D", min: 1, max: 64, value: start.dp, onInput: set("dp") });
  made.convention = segmented({
    label: "bytes per parameter",
    options: Object.entries(data.conventions).map(([value, c]) => ({ value, label: c.label, title: c.source })),
    value: start.convention,
    onInput: set("convention"),
  });
  const layer = h("div", { class: "cw-row" }, made.tp.el, made.sequence.el, made.sequence_parallel.el);
  const zero = h("div", { class: "cw-row" }, made.stage.el, made.convention.el, made.dp.el);
  return {
    el: h(
      "div",
      { class: "cw-tensor-parallel-controls" },
      h("div", { class: "cw-row" }, made.model.el, made.view.el),
      layer,
      zero,
    ),
    layer,
    zero,
    made,
  };
};

/* Ten buttons, one per step: name, and the difference that was measured there. */
/** @param {(step: number) => void} go */
const step_bar = (go) => {
  const el = h("ol", { class: "cw-tensor-parallel-steps" });
  /** @param {Shown} now @param {number} at */
  const update = (now, at) =>
    renderList(
      el,
      range(10),
      (k) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", on: { click: () => go(k) } },
            h("span", {}, h("span", { "data-index": "" }), " ", h("span")),
            h("small"),
          ),
        ),
      (li, k) => {
        const button = firstChild(li);
        setAttrs(button, { "aria-current": k === at ? "step" : false, class: at >= k ? "done" : false });
        const [words, differ] = button.children;
        const [place, name] = words.children;
        setText(place, k + 1);
        setText(name, now.moments[k][0]);
        fill(differ, `Δ {differ.${k}}`, now);
      },
    );
  return { el, update };
};

/* One bar per legal number of ranks: what one rank holds. */
const memory_view = () => {
  /** @type {[key: keyof Memory, css: string, label: string][]} */
  const PARTS = [
    ["cut", "cw-tensor-parallel-weight", "sharded weights"],
    ["kv", "cw-tensor-parallel-kvw", "k and v weights"],
    ["whole", "cw-tensor-parallel-optimizer", "on every rank (norms, routers, latents)"],
    ["cache", "cw-tensor-parallel-cache", "KV cache"],
    ["stream", "cw-tensor-parallel-stream", "one layer's residual stream"],
  ];
  const el = h("div", { class: "cw-tensor-parallel-memory" });
  const legend = makeLegend(PARTS.map(([, c, label]) => ({ class: c, label })));
  /** @param {Shown} now */
  const update = (now) => {
    const top = Math.max(...now.ladder.map((row) => row.total));
    renderList(
      el,
      now.ladder,
      () =>
        h(
          "div",
          { class: "cw-tensor-parallel-bar" },
          h("span", { class: "cw-mono" }),
          h(
            "span",
            { class: "cw-tensor-parallel-track" },
            s(
              "svg",
              { "aria-hidden": "true" },
              PARTS.map(([, c]) => s("rect", { class: c, height: "100%" })),
            ),
          ),
          h("b", { class: "cw-mono" }),
        ),
      (node, row, i) => {
        setAttrs(node, {
          class: `cw-tensor-parallel-bar${row.t === now.tp ? " on" : ""}`,
          role: "img",
          "aria-label": `${row.t} ranks: ${PARTS.map(([key, , label]) => `${label} ${fmt.bytes(row[key])}`).join(", ")} on each.`,
        });
        const [ranks, track, total] = node.children;
        fill(ranks, `t = {ladder.${i}.t}`, now);
        let x = 0;
        PARTS.forEach(([key], n) => {
          const width = row[key] / top;
          setAttrs(firstChild(track).children[n], { x: pct(x), width: pct(width) });
          x += width;
        });
        put(total, `ladder.${i}.total`, "bytes", now);
      },
    );
  };
  return { el: h("div", {}, el, legend), update };
};

/** A row of the table of bytes. @typedef {{ key: string, what: string, how: string, now: Shown }} SentRow */
const sent_table = () => {
  /** @param {keyof Sent} key @param {string} label @returns {Column<SentRow>} */
  const column = (key, label) => ({ out: (r) => `sent.${r.key}.${key}`, how: "kib", label, align: "right" });
  return makeTable({
    caption: "What each rank sends in a layer's forward pass",
    columns: [
      { key: "what", label: "where" },
      { key: "how", label: "collective" },
      column("message", "message"),
      column("counted", "counted in the run"),
      column("formula", "by formula"),
    ],
  });
};
const COPY =
  "A small copy of the layer ran here: {sizes.heads} query heads and {sizes.kv_heads} KV heads as in the model, but {copy.head} wide, hidden size {copy.hidden}, {copy.mlp} MLP columns, {tokens} tokens, float64. No tensor differs from the unsharded layer's by more than {differ_most}, which is rounding: its numbers reach {largest:sig 3}. The bytes sent come from the log of {log.length:int} messages, scaled to the model.";
/** @param {Model} row @param {Shown} now @param {boolean} [hush] */
export const layer_words = (row, now, hush) => {
  const ends = now.sequence_parallel ? "reduce-scatter and all-gather" : "an all-reduce";
  const meets = hush
    ? ""
    : `; ${ends} after ${row.parallel ? "both" : "each"}: every rank sends ${fmt.kib(now.formula_bytes)} of ${fmt.kib(now.message_bytes)}`;
  return `${row.title}, one layer on ${now.tp} ${now.tp === 1 ? "rank" : "ranks"}. Attention is sharded by heads and rows of o, the MLP by columns and rows of down${meets}.`;
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "tensor-parallel");
    const data = readData(model);
    const { el: controls, layer: layer_row, zero: zero_row, made } = tensor_controls(model, data);
    const view = layer_view((px) => 640 > px);
    const [zero, memory, sent] = [zero_view(), memory_view(), sent_table()];
    setAttrs(view.svg, { "data-below": true });
    const title = heading("", "one colour per rank; grey is a copy on every rank");
    const picks = h("div", { class: "cw-tensor-parallel-picks", role: "group", "aria-label": "Select a rank" });
    const held = h("p", { class: "cw-tensor-parallel-held", "aria-live": "polite" });
    const [what, proof] = [
      steadyText({ class: "cw-tensor-parallel-now", "data-index": "", "data-omit": true }),
      h("p", { class: "cw-note" }),
    ];
    let state = data.start;
    let row = known_model(state, data);
    /** @type {Now | null} */
    let out = null;
    let width = 0;
    let at = state.step;
    let drawn = "";

    /** @param {Now} run @param {number} k */
    const moment = (run, k) => `Step ${step_name(run, k)}; ${run.moments[k][1]}.`;
    /** @param {number} t */
    const show = (t) => {
      at = t;
      const [run, now] = [out, Math.floor(t)];
      if (width) view.at(t, state);
      if (!run) return;
      steps.update({ ...state, ...run }, now);
      what.update(
        range(10).map((k) => moment(run, k)),
        now,
      );
    };
    const transport = player({
      run: () => out,
      onFrame: show,
      onStop: (t) => {
        commit(model, { step: Math.floor(t) });
        if (out) announce(root, moment(out, Math.floor(t)));
      },
    });
    const steps = step_bar((k) => {
      transport.stop();
      commit(model, { step: k });
    });

    const first = h(
      "div",
      {},
      title,
      picks,
      what.el,
      view.svg,
      transport.el,
      steps.el,
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
    const below = h(
      "div",
      { class: "cw-section", "data-omit": true },
      heading("Memory on each rank", "weights in bf16, cache of all tokens"),
      memory.el,
    );
    root.append(controls, first, below, zero.el);

    /** @param {Now} run */
    const print = (run) => {
      const now = { ...state, ...run };
      const { tp: t, sequence_parallel: sp } = state;
      setText(title.children[0], `${row.title}: one layer, ${t} ${t === 1 ? "rank" : "ranks"}`);
      fill(held, "{holds}", now);
      const how = sp ? "all-gather + reduce-scatter" : "all-reduce";
      sent.update(
        [
          ...(row.full ? [["norm", "norm of q, k", "all-gather"]] : []),
          ["attention", "attention", row.parallel ? "" : how],
          ["mlp", "MLP", how],
          ["layer", "a layer", ""],
          ["pass", `${row.layers} layers`, ""],
        ].map(([key, words, as]) => ({ key, what: words, how: as, now })),
      );
      fill(proof, COPY, now);
      setAttrs(view.svg, { "aria-label": layer_words(row, now) });
      renderList(
        picks,
        [-1, ...range(t)],
        (r) => h("button", { type: "button", "data-index": "", on: { click: () => commit(model, { rank: r }) } }),
        (node, r) =>
          setAttrs(node, {
            class: r === -1 ? "cw-tensor-parallel-all" : `cw-rank cw-rank${r} ${r > 7 ? "dark" : ""}`,
            "aria-pressed": String(state.rank === r),
            "aria-label": r === -1 ? "all ranks" : `rank ${r}`,
            text: r === -1 ? "all" : r,
          }),
        (r) => r,
      );
      memory.update(now);
    };
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
      const layer = state.view === "layer";
      first.hidden = below.hidden = layer_row.hidden = !layer;
      zero.el.hidden = zero_row.hidden = layer;
      const key = JSON.stringify({ ...state, step: 0 });
      if (key !== drawn) {
        print(out);
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
