/* How the stream of the lab is edited: typed as text, by keys and dragging on its tiles, by buttons. */
import { makeButton, text_input } from "../kit/controls.js";
import { afterPaint } from "../kit/dom.js";
import { commit, makeOffer } from "../kit/model.js";
import { LAB_KEYS } from "./controls.js";
import { draggable, edited, random_stream } from "./edits.js";
import { check } from "./legal.js";
import { row_of } from "./mixers.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { AfmModel } from "../kit/model.js" */
/** @import { Data } from "./compute.js" */
/** @import { Edit } from "./edits.js" */

/**
 * The stream as text, and `edit` for what changes it elsewhere: where that is not legal, the text says why.
 * @param {AfmModel<State, Data>} model
 * @param {() => State} state
 * @param {Data} data
 */
export const stream_text = (model, state, data) => {
  const offer = makeOffer(model, { keys: LAB_KEYS, data, check });
  const text = text_input({
    label: "the stream",
    size: 44,
    onInput: (typed) => {
      const x = typed
        .split(/[\s.]+/)
        .filter(Boolean)
        .join(".");
      offer(text, { x, u: Math.max(0, x.split(".").length - 1) });
    },
  });
  const saved = afterPaint();
  /** @param {Partial<State>} changes */
  const edit = (changes) => {
    const sentence = check({ ...state(), ...changes }, data);
    text.error(sentence);
    if (sentence) return false;
    for (const [key, value] of Object.entries(changes)) model.set(/** @type {keyof State} */ (key), value);
    saved(() => model.save_changes()); // the address, once the edit is drawn: to write it would cost the frame
    return true;
  };
  return { text, edit };
};

/**
 * Keys, clicks and dragging on the tiles; the space bar plays.
 * @param {HTMLElement} el
 * @param {AfmModel<State, Data>} model
 * @param {() => State} state
 * @param {(changes: Edit) => boolean} edit
 * @param {() => void} play
 */
export const edit_on_tiles = (el, model, state, edit, play) => {
  el.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const changes = e.key === " " ? {} : edited(e.key, e.shiftKey && e.key.length > 1, state());
    if (!changes) return;
    e.preventDefault();
    if (e.key === " ") play();
    else edit(changes);
  });
  el.addEventListener("click", (e) => {
    const u = [...el.children].indexOf(/** @type {Element} */ (/** @type {Element} */ (e.target).closest("li")));
    if (u >= 0) commit(model, { u });
  });
  draggable(el, (from, to) => {
    const parts = state().x.split(".");
    parts.splice(to, 0, ...parts.splice(from, 1));
    return edit({ x: parts.join("."), u: to });
  });
};

/**
 * @param {AfmModel<State, Data>} model
 * @param {() => State} state
 * @param {Data} data
 */
export const stream_buttons = (model, state, data) => [
  makeButton({ label: "random stream", onClick: () => commit(model, random_stream(row_of(state().m, data).resets)) }),
  makeButton({ label: "sample again", onClick: () => commit(model, { draw: (state().draw % 999) + 1 }) }),
  makeButton({ label: "greedy", onClick: () => commit(model, { draw: 0 }) }),
];
