/* The lanes in words: the label of the drawing, and its legend. */
import { setText } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { short } from "./asked.js";

/** @import { Now, State } from "./compute.js" */

/** @param {number} n */
export const batches = (n) => `micro-batch${n === 1 ? "" : "es"}`;
/**
 * The words of the drawing, for those who do not see it; nothing of its bubble while a bet asks for that.
 * @param {Pick<State, "pp" | "microbatches"> & Pick<Now, "span" | "notes" | "bubble" | "peak">} now
 * @param {string} label
 * @param {boolean} [quiet]
 */
export const lanes_words = (now, label, quiet) =>
  `${label}: ${now.pp} ranks, ${now.microbatches} ${batches(now.microbatches)}${quiet ? "" : `, ${short(now.span)} units long, ${now.notes.who} idle for ${short(now.bubble)}; at most ${short(Math.max(...now.peak))} ${batches(Math.max(...now.peak))} in flight on a rank`}.`;
/** @param {string} words */
export const lanes_legend = (words) => {
  const rows = [
    ["F", "forward F"],
    ["B", "backward B, or its input gradient I"],
    ["W", "weight gradient W"],
    ["later", "fainter: a later chunk"],
    ["M", "in the map: several operations"],
    ["key-idle", "idle"],
    ["message", "a message"],
    ["now", words],
  ];
  const el = makeLegend(rows.map(([css, label]) => ({ class: `cw-pipeline-${css}`, label })));
  /** @param {Now} out @param {boolean} mapped @param {unknown} flows */
  const update = (out, mapped, flows) => {
    const outs = out.other ? [out, out.other] : [out];
    const split = outs.some((one) => one.ops.some((ops) => ops.some((op) => op[0] === "W")));
    setText(
      /** @type {Node} */ (el.children[1].lastChild),
      split ? "backward B, or its input gradient I" : "backward B",
    );
    /** @type {HTMLElement} */ (el.children[2]).hidden = !split;
    setText(
      /** @type {Node} */ (el.children[3].lastChild),
      outs.some((one) => one.chunks > 1) ? "fainter: a later chunk" : "fainter: from the other end",
    );
    /** @type {HTMLElement} */ (el.children[3]).hidden = !outs.some((one) =>
      one.ops.some((ops, r) => ops.some((op) => op[1] !== r)),
    );
    /** @type {HTMLElement} */ (el.children[4]).hidden = !mapped;
    /** @type {HTMLElement} */ (el.children[6]).hidden = !flows;
  };
  return { el, update };
};
