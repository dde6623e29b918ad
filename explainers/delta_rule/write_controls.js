/* What is written: tapes to load, a key and a value for the next write, and writes to take back. */
import { makeButton, segmented } from "../kit/controls.js";
import { h, setText } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { moved, value_editor } from "./tape.js";

/** @import { Changes } from "../kit/model.js" */
/** @import { Data, State } from "./compute.js" */

/** A control with a pill for each key. @typedef {{ el: Element }} Pills */

/** @type {[name: keyof Data["tapes"], label: string][]} */
const TAPES = [
  ["twice", "A written twice"],
  ["random", "{random_keys:int} random keys"],
  ["documents", "two documents"],
];

/** All 24 keys have a pill; those that the tape does not have are hidden. @param {Pills} pills @param {number} many */
export const show_keys = ({ el }, many) =>
  el.querySelectorAll(".cw-pill").forEach((pill, i) => {
    /** @type {HTMLElement} */ (pill).hidden = i >= many;
  });

/**
 * The tape with one more write, after the step.
 * @param {State} state
 * @param {number[]} write
 * @param {number} most
 */
const with_write = (state, write, most) => {
  const { writes, step } = state;
  return {
    ...moved(state, step, 1, most),
    writes: [...writes.slice(0, 2 * step), ...write, ...writes.slice(2 * step)],
    step: step + 1,
    query: write[0],
  };
};
/** The tape without the write at the step. @param {State} state @param {number} most */
const without_write = (state, most) => {
  const { writes, step } = state;
  return {
    ...moved(state, step - 1, -1, most),
    writes: [...writes.slice(0, 2 * step - 2), ...writes.slice(2 * step)],
    step: step - 1,
  };
};

/** Buttons that load a tape. @param {Data} data @param {(changes: Changes<State>) => void} set */
const tape_buttons = (data, set) =>
  h(
    "div",
    { class: "cw-row cw-delta-rule-tapes", "data-omit": true },
    h("span", { class: "cw-label", text: "Tape" }),
    TAPES.map(([name, label]) => {
      const { el: button } = makeButton({ onClick: () => set(data.tapes[name]) });
      return fill(button, label, { random_keys: data.tapes.random.writes.length / 2 });
    }),
  );

/** @param {Data} data @param {() => State} get @param {(changes: Changes<State>) => void} set */
export const write_controls = (data, get, set) => {
  const next = [0, 105]; // what the Write button writes
  const letters = [...data.letters].map((label, value) => ({ value, label }));
  const key = segmented({
    label: "Key",
    options: letters,
    value: next[0],
    onInput: (v) => {
      next[0] = v;
    },
  });
  const editor = value_editor((j) => {
    next[1] ^= 128 >> j;
    editor.update(next[1]);
  });
  editor.update(next[1]);
  const write = makeButton({
    label: "Write",
    onClick: () => {
      const state = get();
      if (state.writes.length >= 2 * data.most)
        setText(full, `The tape is full: ${data.most} writes. Undo one or clear.`);
      else set(with_write(state, next, data.most));
    },
  });
  const undo = makeButton({
    label: "Remove this write",
    onClick: () => {
      const state = get();
      if (state.step) set(without_write(state, data.most));
    },
  });
  const clear = makeButton({ label: "Clear", onClick: () => set({ writes: [], step: 0, gates: [], border: 0 }) });
  const full = h("span", { class: "cw-error", role: "alert" });
  const el = h(
    "div",
    { class: "cw-delta-rule-write", "data-omit": true },
    key.el,
    editor.el,
    h("div", { class: "cw-delta-rule-buttons" }, write.el, undo.el, clear.el),
    full,
  );
  /** @param {State} state @param {{ keys: unknown[], writes: number }} out */
  const update = ({ step }, { keys, writes }) => {
    const many = keys.length;
    show_keys(key, many);
    if (next[0] >= many) {
      next[0] = 0;
      key.set(0);
    }
    setText(full, "");
    write.enable(true);
    undo.enable(step > 0);
    clear.enable(writes > 0);
  };
  return { tapes: tape_buttons(data, set), el, update };
};
