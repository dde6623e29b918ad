/* A pointer over an element: drags, and tooltips on hover and on focus. */
import { h, setAttrs, setText, uid } from "./dom.js";

/**
 * A moment of a drag: where the pointer is, in pixels from the node's upper left corner.
 * @typedef {(x: number, y: number, event: PointerEvent) => unknown} OnPoint
 */

/**
 * Listens to a pointer that drags on a node. `start` may refuse with false; `move` is called on pointerdown too.
 * @param {Element} node
 * @param {{ start?: OnPoint, move: OnPoint, end?: OnPoint }} on
 */
export const onDrag = (node, { start, move, end }) => {
  const el = /** @type {HTMLElement} */ (node);
  /** @type {(e: PointerEvent) => [number, number, PointerEvent]} */
  const at = (e) => {
    const box = el.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top, e];
  };
  el.addEventListener("pointerdown", (e) => {
    if (start && start(...at(e)) === false) return;
    el.setPointerCapture(e.pointerId);
    /** @param {PointerEvent} m */
    const onMove = (m) => move(...at(m));
    /** @param {PointerEvent} u */
    const onEnd = (u) => {
      el.removeEventListener("pointermove", onMove);
      if (end) end(...at(u));
    };
    el.addEventListener("pointermove", onMove);
    el.addEventListener("pointerup", onEnd, { once: true });
    el.addEventListener("pointercancel", onEnd, { once: true });
    move(...at(e));
  });
};

/**
 * Gives an element inside a root a tooltip, shown on hover and on focus and read out as the element's description.
 * @param {Element} node
 * @param {string | (() => string | null | undefined | false)} words a function is asked when the tooltip is shown
 */
export const addTooltip = (node, words) => {
  const el = /** @type {HTMLElement} */ (node);
  const read = () => (typeof words === "function" ? words() : words);
  const box = h("div", { class: "cw-tip", role: "tooltip", id: uid("tip"), hidden: true });
  const show = () => {
    const root = el.closest(".cw");
    if (!root || !read()) return;
    setText(box, read());
    root.append(box);
    box.hidden = false;
    const [a, b, t] = [el, root, box].map((n) => n.getBoundingClientRect());
    const left = Math.max(0, Math.min(a.left - b.left + a.width / 2 - t.width / 2, b.width - t.width));
    setAttrs(box, { style: { left: `${left}px`, top: `${a.top - b.top - t.height - 6}px` } });
    el.setAttribute("aria-describedby", box.id);
  };
  const hide = () => {
    box.hidden = true;
    box.remove();
    el.removeAttribute("aria-describedby");
  };
  for (const event of ["pointerenter", "focus"]) el.addEventListener(event, show);
  for (const event of ["pointerleave", "blur", "pointerdown"]) el.addEventListener(event, hide);
  el.addEventListener("keydown", (e) => {
    if (e.key === "Escape") hide();
  });
};
