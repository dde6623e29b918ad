/* The slider around a drawing: it takes the focus, and keys move what is picked in the drawing. */
import { h } from "../kit/dom.js";

/**
 * @param {SVGElement} svg
 * @param {{ label: string, steps: { [key: string]: number }, onStep: (by: number) => void }} given how far each key moves
 */
export const makeStage = (svg, { label, steps, onStep }) => {
  const el = h(
    "div",
    {
      class: "cw-masks-stage",
      role: "slider",
      tabindex: "0",
      "aria-label": label,
      "aria-orientation": "vertical",
      "aria-valuemin": 0,
    },
    svg,
  );
  el.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    onStep(step);
  });
  return el;
};
