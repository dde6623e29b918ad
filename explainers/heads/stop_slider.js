/* A slider over stops that change with the model. */
import { choices } from "../kit/controls.js";
import { h } from "../kit/dom.js";

/**
 * A slider over stops that change with the model: rebuilt only when its labels do.
 * @param {string} label
 * @param {(value: number) => void} onInput
 */
export const stopSlider = (label, onInput) => {
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
