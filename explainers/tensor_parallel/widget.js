/* Two views over one model: a layer on t ranks step by step, and what ZeRO keeps where. */
import { heading, makeLegend, makeTable, number, segmented, select, slider, toggle } from "../kit/controls.js";
import { announce, h, makeRoot, onWidth, renderList, setAttrs, setText } from "../kit/dom.js";
import { commit, live, makeOffer, readData, readState } from "../kit/model.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { steadyText } from "../kit/time.js";
import { check, compute, model_of, settle, title_of } from "./compute.js";
import { range } from "./run.js";
import { layer_view, player, step_name } from "./view.js";
import { zero_view } from "./zero.js";

export { check, compute, settle } from "./compute.js";

const KEYS = ["view", "model", "tp", "sequence", "sequence_parallel", "step", "rank", "stage", "dp", "convention"];

const tensor_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  const start = data.start;
  const made = {};
  const set =
    (key, also = {}) =>
    (value) =>
      offer(made[key], { [key]: value, ...also });
  const legal = (key) => (value) => check({ ...readState(model, KEYS), [key]: value }, data);
  const names = data.models
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
    label: "numbers of",
    options: names,
    value: start.model,
    onInput: (slug) =>
      offer(made.model, { model: slug, rank: -1, tp: settle({ ...readState(model, KEYS), model: slug }, [], data).tp }),
  });
  made.tp = slider({ label: "ranks t", min: 1, max: 16, value: start.tp, onInput: set("tp", { rank: -1 }) });
  made.sequence = number({
    label: "tokens",
    min: 1,
    max: 2 ** 20,
    integer: true,
    value: start.sequence,
    allow: legal("sequence"),
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
const step_bar = (go) => {
  const el = h("ol", { class: "cw-tensor-parallel-steps" });
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
        const button = li.firstChild;
        setAttrs(button, { "aria-current": k === at ? "step" : false, class: at >= k ? "done" : false });
        setText(button.firstChild.firstChild, k + 1);
        setText(button.firstChild.lastChild, now.moments[k][0]);
        fill(button.lastChild, `Δ {differ.${k}}`, now);
      },
    );
  return { el, update };
};

/* One bar per legal number of ranks: what one rank holds. */
const memory_view = () => {
  const PARTS = [
    ["cut", "cw-tensor-parallel-weight", "weights, cut"],
    ["kv", "cw-tensor-parallel-kvw", "k and v weights"],
    ["whole", "cw-tensor-parallel-optimizer", "kept whole (norms, routers, latents)"],
    ["cache", "cw-tensor-parallel-cache", "KV cache"],
    ["stream", "cw-tensor-parallel-stream", "one layer's residual stream"],
  ];
  const el = h("div", { class: "cw-tensor-parallel-memory" });
  const legend = makeLegend(PARTS.map(([, c, label]) => ({ class: c, label })));
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
            PARTS.map(([, c]) => h("i", { class: c })),
          ),
          h("b", { class: "cw-mono" }),
        ),
      (node, row, i) => {
        setAttrs(node, {
          class: `cw-tensor-parallel-bar${row.t === now.tp ? " on" : ""}`,
          role: "img",
          "aria-label": `${row.t} ranks: ${PARTS.map(([key, , label]) => `${label} ${fmt.bytes(row[key])}`).join(", ")} on each.`,
        });
        fill(node.children[0], `t = {ladder.${i}.t}`, now);
        PARTS.forEach(([key], n) =>
          setAttrs(node.children[1].children[n], { style: { width: `${((100 * row[key]) / top).toFixed(3)}%` } }),
        );
        put(node.children[2], `ladder.${i}.total`, "bytes", now);
      },
    );
  };
  return { el: h("div", {}, el, legend), update };
};

const sent_table = () => {
  const column = (key, label) => ({ out: (r) => `sent.${r.key}.${key}`, how: "kib", label, align: "right" });
  return makeTable({
    caption: "What each rank sends in a layer's forward pass",
    columns: [
      { key: "what", label: "meeting" },
      { key: "how", label: "as" },
      column("message", "message"),
      column("counted", "counted in the log"),
      column("formula", "by formula"),
    ],
  });
};
const COPY =
  "A small copy ran here: {sizes.heads} heads of queries and {sizes.kv_heads} of keys and values as in the model, but {copy.head} wide, hidden size {copy.hidden}, {copy.mlp} MLP columns, {tokens} tokens, float64. No tensor is off the unsharded layer's by more than {differ_most} where numbers reach {largest:sig 3}: rounding. Bytes are those of its log of {log.length:int} messages, scaled to the model.";
export const layer_words = (row, now, hush) => {
  const ends = now.sequence_parallel ? "reduce-scatter and all-gather" : "an all-reduce";
  const meets = hush
    ? ""
    : `; ${ends} after ${row.parallel ? "both" : "each"}: every rank sends ${fmt.kib(now.formula_bytes)} of ${fmt.kib(now.message_bytes)}`;
  return `${row.title}, one layer on ${now.tp} ${now.tp === 1 ? "rank" : "ranks"}. Attention by heads and rows of o, MLP by columns and rows of down${meets}.`;
};

export default {
  render({ model, el }) {
    const root = makeRoot(el, "tensor-parallel");
    const data = readData(model);
    const { el: controls, layer: layer_row, zero: zero_row, made } = tensor_controls(model, data);
    const view = layer_view((px) => 640 > px);
    const [zero, memory, sent] = [zero_view(), memory_view(), sent_table()];
    const title = heading("", "one colour per rank, grey is a copy on every rank");
    const picks = h("div", { class: "cw-tensor-parallel-picks", role: "group", "aria-label": "Point at a rank" });
    const held = h("p", { class: "cw-tensor-parallel-held", "aria-live": "polite" });
    const [what, proof] = [
      steadyText({ class: "cw-tensor-parallel-now", "data-index": "" }),
      h("p", { class: "cw-note" }),
    ];
    let state = data.start;
    let row = model_of(state, data);
    let out;
    let width = 0;
    let at = state.step;
    let drawn = "";

    const moment = (k) => `Step ${step_name(out, k)}; ${out.moments[k][1]}.`;
    const show = (t) => {
      at = t;
      const now = Math.floor(t);
      if (width) view.at(t, state);
      steps.update({ ...state, ...out }, now);
      what.update(range(10).map(moment), now);
    };
    const transport = player({
      run: () => out,
      onFrame: show,
      onStop: (t) => {
        commit(model, { step: Math.floor(t) });
        announce(root, moment(Math.floor(t)));
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
      h("p", { class: "cw-note", text: "Δ: the largest difference from the unsharded run, over all ranks." }),
      h(
        "div",
        { class: "cw-section" },
        heading("What is sent", "on a ring, per rank and layer, forward"),
        sent.el,
        proof,
      ),
      h(
        "div",
        { class: "cw-section" },
        heading("Memory on each rank", "weights in bf16, cache of all tokens"),
        memory.el,
      ),
    );
    root.append(controls, first, zero.el);

    const print = () => {
      const now = { ...state, ...out };
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
    const update = (now) => {
      state = now;
      row = model_of(state, data);
      out = compute(state, data);
      for (const [key, control] of Object.entries(made)) control.set(state[key]);
      const layer = state.view === "layer";
      first.hidden = layer_row.hidden = !layer;
      zero.el.hidden = zero_row.hidden = layer;
      const key = JSON.stringify({ ...state, step: 0 });
      if (key !== drawn) {
        print();
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
