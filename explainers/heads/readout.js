/* What the chosen heads cost, in numbers: cache bytes and weights, and decoding with MLA in two tables. */
import { h } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";

/** @import { State } from "../../.make/data_types/heads.d.ts" */
/** @import { Now } from "./compute.js" */

export const readout = () => {
  const parts = {
    bytes: h("p", { class: "cw-heads-main" }),
    formula: h("code", { class: "cw-heads-code" }),
    tokens: h("span"),
    holds: h("b"),
    share: h("span"),
    weights: h("b"),
  };
  const notes = /** @type {const} */ (["windows", "rest", "made"]).map(
    (key) => /** @type {const} */ ([key, h("p", { class: "cw-note" })]),
  );
  const el = h(
    "div",
    { class: "cw-heads-read" },
    parts.bytes,
    h("p", {}, parts.formula),
    h("p", {}, parts.tokens, " tokens take ", parts.holds, ": ", parts.share),
    h("p", {}, "Weights that compute keys and values: ", parts.weights, " per layer."),
    notes.map((n) => n[1]),
  );
  /**
   * @param {Now} now
   * @param {State} state
   */
  const update = (now, state) => {
    fill(parts.bytes, "{bytes_per_token:bytes KB} per token", now);
    put(parts.formula, "formula", "text", now);
    put(parts.tokens, "context", "int", state);
    put(parts.holds, "holds_bytes", "bytes", now);
    put(parts.share, "words.share", "text", now);
    put(parts.weights, "weights", "count 1", now);
    for (const [key, node] of notes) {
      put(node, `words.${key}`, "text", now);
      node.hidden = !now.words[key];
    }
  };
  return { el, update };
};

export const toyTable = () =>
  makeTable({
    caption: "Attention scores of the last of four tokens, expanded and absorbed",
    columns: [
      { key: "token", label: "token" },
      ...["expanded", "absorbed", "error"].map((key) => ({
        out: (/** @type {{ token?: number }} */ row) => `toy.${key}.${row.token}`,
        label: key === "error" ? "off by" : key,
        align: "right",
        class: "cw-mono",
        how: "signed 3",
      })),
      {
        out: (row) => `toy.needed.${row.token}`,
        label: "folded query",
        align: "right",
        class: "cw-mono",
        how: "each signed 2",
      },
    ],
  });
export const waysTable = () =>
  makeTable({
    caption: "One layer, one new token: numbers cached and computed per cached token",
    columns: [
      { key: "way", label: "decode" },
      ...[
        ["numbers", "numbers cached"],
        ["flops", "FLOPs"],
        ["step_flops", "FLOPs once per step"],
      ].map(([key, label]) => ({
        out: (/** @type {{ i?: number }} */ row) => `mla.ways.${row.i}.${key}`,
        label,
        align: "right",
        class: "cw-mono",
        how: "int",
      })),
    ],
  });
