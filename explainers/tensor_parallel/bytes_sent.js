/* What each rank sends in a layer's forward pass: the table, and how it was counted. */
import { makeTable } from "../kit/table.js";

/** @import { Column } from "../kit/table.js" */
/** @import { Sent, Shown } from "./compute.js" */

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
