/* The heads widget: its state drawn in the parts of the lab. */
import { select } from "../kit/controls.js";
import { makeRoot, setText } from "../kit/dom.js";
import { commit, live, readData } from "../kit/model.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { onWidth } from "../kit/width.js";
import { check, compute, find } from "./compute.js";
import { legalRanks, ownStop } from "./counting.js";
import { build, KEYS, nearest } from "./lab.js";

/** @import { Data, State } from "../../.make/data_types/heads.d.ts" */
/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */
/** @import { Model, Shape } from "./counting.js" */
/** @import { View } from "./lab.js" */

export { check, compute, settle } from "./compute.js";

/** @param {Shape} shape */
const shapeName = (shape) => {
  const layers = shape.windows.map(([n, seen]) => (seen ? `${n} of ${fmt.int(seen)} tokens` : `${n} full`)).join(", ");
  return `${layers}: ${shape.latent ? `latent ${shape.rank} + ${shape.rope}` : `${shape.kv} × (${shape.k} + ${shape.v})`}`;
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
