/* The lab, as far as it fits into a single file: widget.js adds the schemes that are left out there.
   Page order: what to quantize, the block, its scale and one element, the rules, the bytes, what it costs. */
import { afterPaint, announce, h, makeRoot, setAttrs } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { onWidth, widthOf } from "../kit/width.js";
import { block_inputs } from "./block_inputs.js";
import { block_section } from "./block_section.js";
import { compute } from "./compute.js";
import { cost_ledger } from "./cost_ledger.js";
import { element_section } from "./element_section.js";
import { rule_lab } from "./lab.js";
import { check } from "./legal.js";
import { line_list } from "./line_list.js";
import { in_lines, lines } from "./lines.js";
import { memory_section } from "./memory.js";
import { row_of } from "./quantizer.js";
import { num } from "./spell.js";

export { compute } from "./compute.js";
export { check } from "./legal.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Changes, Widget } from "../kit/model.js" */
/** @import { Now, State } from "./compute.js" */
/** @import { Row } from "./float32.js" */

const KEYS = ["scheme", "rule", "sample", "seed", "outlier", "edits", "picked", "tensor_amax", "packing", "own"];

/** The tensor's scale under either convention. */
const reciprocal_section = () => {
  const mixed = line_list("reciprocal");
  const el = h(
    "section",
    { class: "cw-section", "data-omit": true },
    heading("The tensor’s scale and its reciprocal", "for the picked element"),
    mixed.el,
  );
  /** @param {Now} out */
  const update = (out) => {
    setAttrs(el, { hidden: out.said.reciprocal.length === 0 });
    mixed.told("said.reciprocal", out);
  };
  return { el, update };
};

/**
 * The sections of the lab, built once and put together.
 * @param {HTMLElement} root
 * @param {Data} data
 * @param {() => State} get
 * @param {(changes: Changes<State>) => void} set
 */
const build = (root, data, get, set) => {
  /** @param {number} i @param {boolean} focus */
  const onPick = (i, focus) => {
    set({ picked: i });
    if (focus) queueMicrotask(() => block.focus(i));
  };
  /** JSON has no -0. @param {number} i @param {number | "NaN"} v */
  const onValue = (i, v) => set({ picked: i, edits: { ...get().edits, [i]: Object.is(v, -0) ? "-0" : v } });
  /** @param {number} i */
  const onHover = (i) => {
    block.hover(i);
    memory.hover(i);
  };
  const inputs = block_inputs(data, get, set);
  const block = block_section(root, data.limit, { onPick, onValue, onHover });
  const element = element_section(
    data.limit,
    (v) => check({ ...get(), edits: { ...get().edits, [get().picked]: v } }, data),
    (v) => onValue(get().picked, v),
  );
  const lab = rule_lab(data, (rule) => set({ rule }));
  const lab_section = h(
    "section",
    { class: "cw-section", "data-below": true },
    heading("Four rules for this scale", "all in use; choose one"),
    lab.el,
  );
  const memory = memory_section({ onHover, onPick: (i) => onPick(i, false), onPacking: (packing) => set({ packing }) });
  const ledger = cost_ledger(data);
  const reciprocal = reciprocal_section();
  root.append(
    ...inputs.els,
    ...block.els,
    element.el,
    reciprocal.el,
    lab_section,
    memory.el,
    h("section", { class: "cw-section" }, heading("Bits per weight"), ledger.el),
  );
  return { inputs, block, element, reciprocal, lab, lab_section, memory, ledger };
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    in_lines.told = lines;
    const root = makeRoot(el, "blocks");
    const data = readData(model);
    const get = () => readState(model, KEYS);
    const later = afterPaint();
    const view = build(root, data, get, (changes) => commit(model, changes));
    let px = 0;

    /** @param {State} state */
    const update = (state) => {
      const row = row_of(state, data);
      const out = compute(state, data);
      view.inputs.update(state, out);
      view.block.update(state, out, row, (px = widthOf(root)));
      view.element.update(out, row);
      view.reciprocal.update(out);
      setAttrs(view.lab_section, { hidden: out.lab.length === 0 });
      announce(
        root,
        `scale ${num(out.scale)}, ${out.clipped_count} clipped, ${out.zeros} became zero, mean squared error ${num(out.mse, 3)}`,
      );
      later(() => rest(state, out, row));
    };
    /** @param {State} state @param {Now} out @param {Row} row */
    const rest = (state, out, row) => {
      view.element.rest(out);
      view.lab.update(state, out);
      view.memory.update(out, row);
      view.ledger.update(row, out);
    };
    const redraw = () => {
      if (!check(get(), data)) update(get());
    };
    root.addEventListener("cw-redraw", redraw);
    const leave = live(model, { root, keys: KEYS, check, update });
    const unwatch = onWidth(root, (now) => {
      if (now !== px) redraw();
    });
    return () => {
      unwatch();
      leave();
    };
  },
};
