/* A number that can be asked how it came to be: a button whose tip shows on hover, focus and tap. */

import { h, setAttrs } from "../../../explainers/kit/dom.js";

/** @import { Formula } from "./types.d.ts" */

/** @typedef {(formulas: typeof import("./formulas.js")) => Formula} Ask */
/** @typedef {HTMLElement & { planAsk?: () => Formula }} Asking */

/** @type {{ shown: Element | null }} */
export const state = { shown: null };
/** @type {typeof import("./formulas.js")} */
let formulas;
/* Nobody asks before the plan stands. */
export const load = async () => {
  formulas = await import("./formulas.js");
};

/**
 * @param {string} text
 * @param {Ask} ask
 * @param {string} [role]
 * @returns {Asking}
 */
export const number = (text, ask, role = "num") => {
  const node = /** @type {Asking} */ (h("button", { type: "button", class: role, text }));
  node.planAsk = () => ask(formulas);
  return node;
};

export const box = h("div", { class: "plan-tip", role: "tooltip", id: "plan-tip", hidden: true });

/**
 * Where the page begins, which tips stand in.
 * @returns {DOMRect}
 */
export const frame = () => /** @type {Element} */ (box.parentNode).getBoundingClientRect();

/**
 * @param {Element} node
 * @param {() => Formula} ask
 */
const show = (node, ask) => {
  const [title, lines, note] = ask();
  box.replaceChildren(
    h("b", { text: title }),
    ...lines.map((line) => h("code", { text: line })),
    h("span", { text: note }),
  );
  box.hidden = false;
  state.shown?.removeAttribute("aria-describedby");
  state.shown = node;
  node.setAttribute("aria-describedby", "plan-tip");
  const [a, root] = [node.getBoundingClientRect(), frame()];
  const wide = box.offsetWidth;
  const left = Math.max(0, Math.min(a.left - root.left + a.width / 2 - wide / 2, root.width - wide));
  setAttrs(box, { style: { left: `${left}px`, top: `${a.bottom - root.top + 8}px` } });
};
export const hide = () => {
  if (!state.shown) return;
  state.shown.removeAttribute("aria-describedby");
  state.shown = null;
  box.hidden = true;
};

/** @param {HTMLElement} root */
export const listen = (root) => {
  root.append(box);
  /** @param {Event} event */
  const asked = (event) => {
    const node = /** @type {Asking | null | undefined} */ (/** @type {Element} */ (event.target).closest?.("button"));
    return node?.planAsk ? node : null;
  };
  for (const kind of ["pointerover", "focusin", "click"])
    root.addEventListener(kind, (event) => {
      const node = asked(event);
      if (formulas && node?.planAsk) show(node, node.planAsk);
    });
  root.addEventListener("pointerout", (event) => {
    if (asked(event) && document.activeElement !== asked(event)) hide();
  });
  root.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
};
