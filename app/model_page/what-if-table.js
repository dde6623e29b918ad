// The table "Results of the edits": each figure as published, edited, by how much, and of the model to become.

import { amount } from "../compare/compare-numbers.js";
import { fixed, inBytes, int } from "../weigh/cache-bytes.js";
import { title } from "../weigh/cache-words.js";
import { attributes, made } from "./what-if-elements.js";

/** @import { EditFigures, WeighState } from "../site/types.d.ts" */

/** @type {{ [format: string]: string }} */
const NAMES = { bf16: "BF16", fp8: "FP8", fp4: "FP4" };
/** @type {[key: keyof EditFigures, words: string, says: (value: number) => string][]} */
const FIGURES = [
  ["parameters", "Parameters", amount],
  ["active", "Active per token", amount],
  ["layers", "Layers", int],
  ["bytes", "Weights in 16 bits", (size) => inBytes(size, 2)],
  ["cache", "", (size) => inBytes(size, 2)],
];
/**
 * @param {number} was
 * @param {number} is
 */
const percent = (was, is) =>
  was === is ? "=" : was ? `${is > was ? "+" : "−"}${fixed(Math.abs(is / was - 1) * 100, 1)} %` : "";

/**
 * @param {EditFigures} was
 * @param {EditFigures} is
 * @param {(EditFigures & { title: string }) | null} aim
 * @param {Pick<WeighState, "ctx" | "batch" | "kv">} scene
 */
export function figures(was, is, aim, scene) {
  const head = ["Figure", "as published", "edited", "change", ...(aim ? [aim.title] : [])].map((text, at) =>
    attributes(made("th", text, { className: at ? "n" : "" }), { scope: "col" }),
  );
  const thead = made("thead"),
    tbody = made("tbody"),
    top = made("tr"),
    kv = NAMES[scene.kv] ?? scene.kv;
  top.append(...head);
  thead.append(top);
  for (const [key, words, says] of FIGURES) {
    const row = made("tr"),
      name = words || `${title(scene)}, ${kv}`;
    row.dataset.figure = key;
    row.append(
      attributes(made("th", name), { scope: "row" }),
      ...[says(was[key]), says(is[key]), percent(was[key], is[key]), ...(aim ? [says(aim[key])] : [])].map((text) =>
        made("td", text, { className: "n" }),
      ),
    );
    tbody.append(row);
  }
  return [made("caption", "Results of the edits", { className: "away" }), thead, tbody];
}
