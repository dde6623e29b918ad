/* The ten steps of a layer as buttons: the name of each, and the difference that was measured there. */
import { firstChild, h, renderList, setAttrs, setText } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { range } from "./arithmetic.js";

/** @import { Shown } from "./compute.js" */

/* Ten buttons, one per step: name, and the difference that was measured there. */
/** @param {(step: number) => void} go */
export const step_bar = (go) => {
  const el = h("ol", { class: "cw-tensor-parallel-steps" });
  /** @param {Shown} now @param {number} at */
  const update = (now, at) =>
    renderList(
      el,
      range(10),
      (k) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", on: { click: () => go(k) } },
            h("span", {}, h("span", { "data-index": "" }), " ", h("span")),
            h("small"),
          ),
        ),
      (li, k) => {
        const button = firstChild(li);
        setAttrs(button, { "aria-current": k === at ? "step" : false, class: at >= k ? "done" : false });
        const [words, differ] = button.children;
        const [place, name] = words.children;
        setText(place, k + 1);
        setText(name, now.moments[k][0]);
        fill(differ, `Δ {differ.${k}}`, now);
      },
    );
  return { el, update };
};
