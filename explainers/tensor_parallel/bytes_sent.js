/* What each rank sends in a layer's forward pass: the table, and how it was counted. */
import { makeTable } from "../kit/table.js";

/** @import { Column } from "../kit/table.js" */
/** @import { Sent, Shown } from "./compute.js" */
/** @import { Model } from "./shapes.js" */

/** A row of the table of bytes. @typedef {{ key: string, what: string, how: string, now: Shown }} SentRow */
export const sent_table = () => {
  /** @param {keyof Sent} key @param {string} label @returns {Column<SentRow>} */
  const column = (key, label) => ({ out: (r) => `sent.${r.key}.${key}`, how: "kib", label, align: "right" });
  return makeTable({
    caption: "What each rank sends in a layer's forward pass",
    columns: [
      { key: "what", label: "where" },
      { key: "how", label: "collective" },
      column("message", "message"),
      column("counted", "counted in the run"),
      column("formula", "by formula"),
    ],
  });
};
export const COPY =
  "A small copy of the layer ran here: {sizes.heads} query heads and {sizes.kv_heads} KV heads as in the model, but {copy.head} wide, hidden size {copy.hidden}, {copy.mlp} MLP columns, {tokens} tokens, float64. No tensor differs from the unsharded layer's by more than {differ_most}, which is rounding: its numbers reach {largest:sig 3}. The bytes sent come from the log of {log.length:int} messages, scaled to the model.";

/** A row for each collective of a layer, for the layer and for a pass. @param {Model} model @param {Shown} now @returns {SentRow[]} */
export const sent_rows = (model, now) => {
  const how = now.sequence_parallel ? "all-gather + reduce-scatter" : "all-reduce";
  return [
    ...(model.full ? [["norm", "norm of q, k", "all-gather"]] : []),
    ["attention", "attention", model.parallel ? "" : how],
    ["mlp", "MLP", how],
    ["layer", "a layer", ""],
    ["pass", `${model.layers} layers`, ""],
  ].map(([key, words, as]) => ({ key, what: words, how: as, now }));
};
