/* The heads widget: controls on top, fans, bars and numbers, ranks, and the inside of MLA. */
import { choices, number, segmented, select } from "../kit/controls.js";
import { afterPaint, h, makeRoot, onWidth, setText } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { circuitView } from "./circuit.js";
import { check, compute, find } from "./compute.js";
import { legalRanks, ownStop, RANKS, resolve } from "./counting.js";
import { barsView, fansView, ranksView } from "./drawing.js";
import { checkRanks, readsWords } from "./words.js";

/** @import { Data, State } from "../../.make/data_types/heads.d.ts" */
/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */
/** @import { Model, Shape } from "./counting.js" */

/** @typedef {ReturnType<typeof build>} View */

export { check, compute, settle } from "./compute.js";

const KEYS = ["model", "shape", "kv", "context", "head", "tp", "path", "rope"];
/** @type {[tokens: number, label: string][]} */
const CONTEXTS = [
  [8192, "8k"],
  [131072, "128k"],
  [1048576, "1M"],
];
/**
 * @param {number} tp
 * @param {number[]} legal
 */
const nearest = (tp, legal) => legal.filter((t) => t <= tp).pop() || 1;

/** @param {Shape} shape */
const shapeName = (shape) => {
  const layers = shape.windows.map(([n, seen]) => (seen ? `${n} of ${fmt.int(seen)} tokens` : `${n} full`)).join(", ");
  return `${layers}: ${shape.latent ? `latent ${shape.rank} + ${shape.rope}` : `${shape.kv} × (${shape.k} + ${shape.v})`}`;
};

/**
 * A slider over stops that change with the model: rebuilt only when its labels do.
 * @param {string} label
 * @param {(value: number) => void} onInput
 */
const stopSlider = (label, onInput) => {
  const el = h("div", { class: "cw-heads-stops" });
  /** @type {ReturnType<typeof choices>} */
  let made;
  let shown = "";
  /**
   * @param {{ value: number, label: string }[]} options
   * @param {number} value
   */
  const update = (options, value) => {
    const key = JSON.stringify(options);
    if (key !== shown) {
      const focused = el.contains(/** @type {Document | ShadowRoot} */ (el.getRootNode()).activeElement);
      made = choices({ label, options, value, onInput });
      el.replaceChildren(made.el);
      if (focused) made.input.focus();
    }
    shown = key;
    made.set(value);
  };
  return { el, update };
};

const readout = () => {
  const parts = {
    bytes: h("p", { class: "cw-heads-main" }),
    formula: h("code", { class: "cw-heads-code" }),
    tokens: h("span"),
    holds: h("b"),
    share: h("span"),
    weights: h("b"),
  };
  const notes = /** @type {const} */ (["windows", "rest", "made"]).map(
    (key) => /** @type {const} */ ([key, h("p", { class: "cw-note" })]),
  );
  const el = h(
    "div",
    { class: "cw-heads-read" },
    parts.bytes,
    h("p", {}, parts.formula),
    h("p", {}, parts.tokens, " tokens take ", parts.holds, ": ", parts.share),
    h("p", {}, "Weights that compute keys and values: ", parts.weights, " per layer."),
    notes.map((n) => n[1]),
  );
  /**
   * @param {Now} now
   * @param {State} state
   */
  const update = (now, state) => {
    fill(parts.bytes, "{bytes_per_token:bytes KB} per token", now);
    put(parts.formula, "formula", "text", now);
    put(parts.tokens, "context", "int", state);
    put(parts.holds, "holds_bytes", "bytes", now);
    put(parts.share, "words.share", "text", now);
    put(parts.weights, "weights", "count 1", now);
    for (const [key, node] of notes) {
      put(node, `words.${key}`, "text", now);
      node.hidden = !now.words[key];
    }
  };
  return { el, update };
};

const toyTable = () =>
  makeTable({
    caption: "Attention scores of the last of four tokens, expanded and absorbed",
    columns: [
      { key: "token", label: "token" },
      ...["expanded", "absorbed", "error"].map((key) => ({
        out: (/** @type {{ token?: number }} */ row) => `toy.${key}.${row.token}`,
        label: key === "error" ? "off by" : key,
        align: "right",
        class: "cw-mono",
        how: "signed 3",
      })),
      {
        out: (row) => `toy.needed.${row.token}`,
        label: "folded query",
        align: "right",
        class: "cw-mono",
        how: "each signed 2",
      },
    ],
  });
const waysTable = () =>
  makeTable({
    caption: "One layer, one new token: numbers cached and computed per cached token",
    columns: [
      { key: "way", label: "decode" },
      ...[
        ["numbers", "numbers cached"],
        ["flops", "FLOPs"],
        ["step_flops", "FLOPs once per step"],
      ].map(([key, label]) => ({
        out: (/** @type {{ i?: number }} */ row) => `mla.ways.${row.i}.${key}`,
        label,
        align: "right",
        class: "cw-mono",
        how: "int",
      })),
    ],
  });

/**
 * @param {AfmModel<State, Data>} model
 * @param {HTMLElement} root
 * @param {Data} data
 */
const build = (model, root, data) => {
  const now = () => compute(readState(model, KEYS), data);
  /** @param {Partial<State>} changes */
  const go = (changes) => commit(model, changes);
  const shapeNow = () => {
    const found = /** @type {Model} */ (find(readState(model, KEYS), data));
    return found.shapes[model.get("shape")];
  };
  /** @param {number} kv */
  const toKv = (kv) => {
    const legal = legalRanks(shapeNow().heads, kv);
    go({ kv: kv === ownStop(shapeNow()) ? -1 : kv, tp: nearest(model.get("tp"), legal) });
  };
  /**
   * @param {string} slug
   * @param {number} i
   */
  const toShape = (slug, i) => {
    const shape = /** @type {Model} */ (find({ model: slug }, data)).shapes[i];
    go({
      model: slug,
      shape: i,
      kv: -1,
      head: Math.min(model.get("head"), shape.heads - 1),
      tp: nearest(model.get("tp"), legalRanks(shape.heads, ownStop(shape))),
    });
  };

  const fans = fansView(
    (head) => {
      const n = now();
      setText(view.reads, readsWords(head, n.kv, n.heads));
    },
    (head) => go({ head }),
  );
  const view = {
    fans,
    mlaTitle: heading("Inside MLA"),
    shapesOf: "", // whose kinds of attention `shape` lists
    shape: /** @type {ReturnType<typeof select> | null} */ (null),
    later: afterPaint(),
    models: select({
      label: "model",
      options: data.models.map((r) => ({ value: r[0], label: r[1], group: r[0].split("/")[0] })),
      onInput: (slug) => toShape(slug, 0),
    }),
    shapes: h("div"),
    stops: stopSlider("Key/value heads", toKv),
    above: h("span"),
    hint: h("span"),
    kept: h("b"),
    reads: h("b"),
    read: readout(),
    bars: barsView(toKv),
    ranks: ranksView(),
    circuit: circuitView(),
    context: segmented({
      label: "context",
      options: CONTEXTS.map(([value, label]) => ({ value, label, title: `${fmt.int(value)} tokens` })),
      onInput: (context) => go({ context }),
    }),
    tp: stopSlider("Ranks", (tp) => go({ tp })),
    typed: number({
      label: "ranks",
      value: 8,
      min: 1,
      max: RANKS,
      integer: true,
      size: 3,
      allow: (t) => checkRanks(t, shapeNow().heads, resolve(readState(model, KEYS), shapeNow())),
      onInput: (tp) => go({ tp }),
    }),
    spread: h("p"),
    per: h("b"),
    all: h("b"),
    waste: h("b"),
    path: segmented({ label: "decode", options: ["expanded", "absorbed"], onInput: (path) => go({ path }) }),
    ways: waysTable(),
    toy: toyTable(),
    agree: h("p", { class: "cw-heads-agree" }),
    rope: segmented({
      label: "RoPE",
      options: [
        { value: "apart", label: "separate" },
        { value: "inside", label: "inside the key" },
      ],
      onInput: (rope) => go({ rope }),
    }),
  };
  root.append(
    h("div", { class: "cw-row cw-heads-top" }, view.models.el, view.shapes, view.stops.el),
    h("p", { class: "cw-heads-above" }, view.above, view.hint),
    view.fans.el,
    h("p", { class: "cw-heads-below" }, view.kept, view.reads),
    h("div", { class: "cw-split cw-section" }, h("div", {}, view.bars.el), h("div", {}, view.context.el, view.read.el)),
    h(
      "div",
      { class: "cw-section", "data-below": true },
      heading("Split over GPUs", "tensor parallelism splits query heads, and key/value heads with them"),
      h("div", { class: "cw-row cw-heads-top" }, view.typed.el, view.tp.el),
      view.ranks.el,
      view.spread,
      h(
        "p",
        {},
        "Each rank stores ",
        view.per,
        " per token, all ranks together ",
        view.all,
        ": ",
        view.waste,
        " what one copy takes.",
      ),
      makeLegend([
        { class: "cw-heads-dot-q", label: "query heads" },
        { class: "cw-heads-dot-kv", label: "cached, first copy" },
        { class: "cw-heads-dot-copy", label: "cached again" },
      ]),
    ),
    h(
      "div",
      { class: "cw-section" },
      view.mlaTitle,
      h(
        "div",
        { class: "cw-heads-pair" },
        h("div", { "data-omit": true }, view.path.el, view.circuit.el),
        h(
          "div",
          {},
          view.ways.el,
          h("p", { class: "cw-note", text: "FLOPs of one layer for one new token, per token in the cache." }),
          heading("Why RoPE needs its own dimensions"),
          view.rope.el,
          view.toy.el,
          view.agree,
        ),
      ),
    ),
  );
  return view;
};

/**
 * @param {View} view
 * @param {AfmModel<State, Data>} model
 * @param {Model} found
 * @param {(i: number) => void} onInput
 */
const shapeSelect = (view, model, found, onInput) => {
  if (view.shapesOf === found.slug) {
    view.shape?.set(model.get("shape"));
    return;
  }
  view.shapesOf = found.slug;
  const options = found.shapes.map((shape, i) => ({ value: i, label: shapeName(shape) }));
  view.shape = options.length > 1 ? select({ label: "layers", options, value: model.get("shape"), onInput }) : null;
  view.shapes.replaceChildren(...(view.shape ? [view.shape.el] : []));
  view.shapes.hidden = !view.shape;
};

/**
 * @param {View} view
 * @param {AfmModel<State, Data>} model
 * @param {State} state
 * @param {Data} data
 * @param {number} width
 */
const draw = (view, model, state, data, width) => {
  const now = compute(state, data);
  const found = /** @type {Model} */ (find(state, data));
  view.models.set(state.model);
  shapeSelect(view, model, found, (i) => {
    const shape = found.shapes[i];
    commit(model, {
      shape: i,
      kv: -1,
      head: Math.min(model.get("head"), shape.heads - 1),
      tp: nearest(model.get("tp"), legalRanks(shape.heads, ownStop(shape))),
    });
  });
  view.stops.update(
    now.stops.map((s) => ({ value: s.kv, label: s.tick })),
    now.kv,
  );
  fill(view.above, "{heads} query heads, {width} wide", now);
  setText(view.hint, now.kv === now.own ? "" : "hypothetical");
  fill(view.kept, "cached per token: {keeps}", now);
  put(view.reads, "reads", "text", now);
  view.fans.update(now, state.head, width);
  view.context.set(state.context);
  view.read.update(now, state);
  view.tp.update(
    now.tp.legal.map(String).map((t) => ({ value: Number(t), label: t })),
    state.tp,
  );
  view.typed.set(state.tp);
  view.later(() => below(view, state, now, width));
};
/**
 * @param {View} view
 * @param {State} state
 * @param {Now} now
 * @param {number} width
 */
const below = (view, state, now, width) => {
  view.bars.update(now, Math.max(280, /** @type {Element} */ (view.bars.el.parentNode).clientWidth)); // read before anything is written
  view.ranks.update(now, width);
  put(view.spread, "tp.words", "text", now);
  put(view.per, "tp.bytes_per_rank", "bytes", now);
  put(view.all, "tp.bytes_all", "bytes", now);
  put(view.waste, "tp.waste", Number.isInteger(now.tp.waste) ? "times" : "times 2", now);
  view.path.set(state.path);
  view.rope.set(state.rope);
  fill(
    /** @type {Element} */ (view.mlaTitle.lastChild),
    now.own === 0 ? "the layers of {title}" : "{title} has no MLA; this latent is the one of the slider's MLA setting",
    now,
  );
  view.circuit.update(now, state.path);
  view.ways.update(
    now.mla.ways.map((way, i) => ({
      now,
      i,
      way: way.way,
      class: (way.way === "absorbed") === (state.path === "absorbed") ? "cw-heads-row" : false,
    })),
  );
  view.toy.update(now.toy.error.map((_, token) => ({ now, token })));
  setText(
    view.agree,
    now.toy.agree
      ? "Both methods give the same scores: one folded query W_ukᵀ q works for every cached token."
      : "With RoPE inside the key, the rotation stands between W_uk and the query: each cached token would need its own folded query, and a shared one is wrong.",
  );
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "heads");
    const data = readData(model);
    const view = build(model, root, data);
    let width = 0;
    /** @type {State | null} */
    let last = null;
    const redraw = () => last && width && draw(view, model, last, data, width);
    const stopWatching = onWidth(root, (px_) => {
      width = px_;
      redraw();
    });
    const stop = live(model, {
      root,
      keys: KEYS,
      check,
      update: (state) => {
        last = state;
        redraw();
      },
    });
    return () => {
      stopWatching();
      stop();
    };
  },
};
