/* The masks widget: one mask, a real stack's reach, its cache against context, stacks side by side, MiMo's claim. */
import { findIn, makeRoot, setAttrs } from "../kit/dom.js";
import { live, readData } from "../kit/model.js";
import { fill, put } from "../kit/numbers.js";
import { onWidth, widthOf } from "../kit/width.js";
import { compute } from "./compute.js";
import { build } from "./lab.js";
import { check } from "./legal.js";
import { ROLE } from "./mask_drawing.js";

/** @import { Data, State } from "../../.make/data_types/masks.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */
/** @import { View } from "./lab.js" */

export { compute } from "./compute.js";
export { check } from "./legal.js";

const KEYS = ["kind", "span", "first", "sink", "logit", "depth", "query", "model", "layer", "context"];

/** A sentence; an empty one is hidden. @param {HTMLElement} node @param {string} path @param {object} now */
const said = (node, path, now) => {
  put(node, path, "text", now);
  node.hidden = !node.textContent;
};
/** @param {View} view @param {State} state @param {Data} data */
const draw = (view, state, data) => {
  const now = { ...state, ...compute(state, data) };
  for (const key of /** @type {const} */ (["kind", "span", "depth", "first", "sink", "logit"])) {
    const control = /** @type {Control<unknown>} */ (view[key]);
    control.set(state[key]);
  }
  view.span.enable(state.kind !== "causal");
  view.logit.enable(state.sink);
  view.mask.update(now.mask, state);
  said(view.row, "mask.row", now);
  setAttrs(findIn(view.keys, ".seen"), { class: `cw-masks-key seen ${ROLE[state.kind]}` });
  view.more.forEach((p, i) => said(p, `mask.more.${i}`, now));
  view.models.set(state.model);
  view.context.set(state.context);
  view.typed.set(state.context);
  view.later(() => below(view, state, now));
};
/** @param {View} view @param {State} state @param {State & Now} now */
const below = (view, state, now) => {
  const wide = Math.max(260, view.stack.el.clientWidth); // read before anything is written
  const { stack } = now;
  view.stack.update(stack, state, wide);
  view.legend.update(stack.marks);
  for (const key of /** @type {const} */ (["mix", "knows", "verdict", "sinks", "compared"]))
    said(view[key], `stack.${key}`, now);
  view.curve.update(stack, state, wide);
  fill(view.holds, "{stack.tokens_hold} {stack.bytes:bytes}.", now);
  fill(
    view.full,
    stack.bytes_full > stack.bytes
      ? "If every layer stored every token, the cache would take {stack.bytes_full:bytes}, {stack.ratio:times 2} as much."
      : "At this length, every layer stores every token.",
    now,
  );
  fill(
    view.slope,
    `In a long text, each new token adds {stack.growing:bytes}${stack.growing_full > stack.growing ? " instead of {stack.growing_full:bytes}" : ""}.`,
    now,
  );
  view.table.update(now, state.model);
  view.claims.update(now);
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "masks");
    const data = readData(model);
    const view = build(model, root, data);
    /** @type {State | null} */
    let last = null;
    const stop = live(model, {
      root,
      keys: KEYS,
      check,
      update: (state) => {
        last = state;
        draw(view, state, data);
      },
    });
    const first = widthOf(root);
    const stopWatching = onWidth(root, (now) => {
      if (last && now !== first) draw(view, last, data);
    });
    return () => {
      stopWatching();
      stop();
    };
  },
};
