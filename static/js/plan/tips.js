/* A number that can be asked how it came to be: a button whose tip shows on hover, focus and tap. */

import { h, setAttrs } from "../../../explainers/kit/dom.js";

export const number = (text, ask, role = "num") => {
  const node = h("button", { type: "button", class: role, text });
  node.planAsk = ask;
  return node;
};

export const box = h("div", { class: "plan-tip", role: "tooltip", id: "plan-tip", hidden: true });
export const state = { shown: null };

const show = (node) => {
  const [title, lines, note] = node.planAsk();
  box.replaceChildren(
    h("b", { text: title }),
    ...lines.map((line) => h("code", { text: line })),
    h("span", { text: note }),
  );
  box.hidden = false;
  state.shown?.removeAttribute("aria-describedby");
  state.shown = node;
  node.setAttribute("aria-describedby", "plan-tip");
  const [a, root] = [node.getBoundingClientRect(), box.parentNode.getBoundingClientRect()];
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

export const listen = (root) => {
  root.append(box);
  const asked = (event) => (event.target.closest?.("button")?.planAsk ? event.target.closest("button") : null);
  for (const kind of ["pointerover", "focusin", "click"])
    root.addEventListener(kind, (event) => {
      if (asked(event)) show(asked(event));
    });
  root.addEventListener("pointerout", (event) => {
    if (asked(event) && document.activeElement !== asked(event)) hide();
  });
  root.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
};
