/* The block: what shares the scale, what quantizing does to it, and its columns with their legend. */
import { h, setText } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill } from "../kit/numbers.js";
import { block_chart } from "./chart.js";
import { line_list } from "./line_list.js";
import { counted } from "./parts.js";

/** @import { Hooks } from "./chart.js" */
/** @import { Now, State } from "./compute.js" */
/** @import { Row } from "./float32.js" */

const LEGEND = [
  { class: "cw-blocks-given", label: "original" },
  { class: "cw-blocks-most", label: "the largest: it sets the scale" },
  { class: "cw-blocks-back", label: "dequantized" },
  { class: "cw-blocks-was", label: "dequantized before the change" },
  { class: "cw-blocks-error", label: "error (below: relative error)" },
  { class: "cw-blocks-level", label: "values of the codes" },
];

/** @param {HTMLElement} root @param {number} limit of a typed number @param {Hooks} hooks */
export const block_section = (root, limit, hooks) => {
  const chart = block_chart(root, hooks);
  const [count, how] = [h("span"), h("small", { "data-omit": true })];
  const title = h("h2", { class: "cw-heading" }, count, " ", how);
  const facts = line_list("facts");
  const below = h("span");
  /** @param {State} state @param {Now} out @param {Row} row @param {number} width */
  const update = (state, out, row, width) => {
    fill(count, "{label}: {said.shared}", { ...out, label: row.label });
    fill(
      how,
      out.n > out.shown
        ? "the first {shown:int} are drawn; drag one, or use the arrow keys"
        : "drag one, or pick it and use the arrow keys",
      out,
    );
    const changed = out.before.dequantized.length > 0;
    facts.update(
      [
        ["scale", "{said.now}"],
        ["clipped", "{clipped_count:int} of {n:int}"],
        ["rounded to zero", `{zeros:int} of {n:int}${changed ? ", before {before.zeros:int}" : ""}`],
        ["mean relative error", `{off:percent 0}${changed ? ", before {before.off:percent 0}" : ""}`],
        ["root mean square error", "{rms:num 3}"],
        ["worst error", "{worst:num 3}"],
      ],
      out,
    );
    chart.update({ ...state, picked: out.picked }, out, width, limit);
    setText(
      below,
      !chart.labelled()
        ? ""
        : row.bits === 4
          ? `Under each column: ${counted(row) ? "the code" : "the element before scaling"}.`
          : "Under each column: the code, in hexadecimal.",
    );
  };
  const els = [title, facts.el, chart.el, makeLegend(LEGEND), h("p", { class: "cw-note" }, below)];
  return { els, update, focus: chart.focus, hover: chart.hover };
};
