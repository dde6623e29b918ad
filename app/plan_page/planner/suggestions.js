/* What the worker found -> buttons that are layouts. All that lazy.js fetches of suggestions is exported here. */

import { h } from "../../../explainers/kit/dom.js";
import * as words from "./words.js";

export { note, table } from "./layouts-table.js";
export { ask, drop } from "./worker-link.js";

/** @import { Change, Changes, Now, PlainRow, Ways } from "./types.d.ts" */

/** @type {{ [field: string]: { [value: string]: string } }} */
const SAID = { cache_dtype: { float8_e4m3fn: "cache in float8" }, weights_dtype: { fp8: "weights in fp8" } };
/** @param {Change[]} changes */
const changesText = (changes) =>
  changes
    .map(
      ([name, value]) =>
        SAID[name]?.[value] ||
        (name === "nodes"
          ? words.plural(Number(value), "node")
          : `${name.replace("_", " ")} ${value === "" ? "none" : value}`),
    )
    .join(", ");

/**
 * A button's result: what the fullest GPU holds and a step takes, or how many sequences and tokens a second.
 * @param {PlainRow} row
 * @param {string} job
 */
const result = (row, job) => {
  if (!row.fits) return `${words.gb(row.bytes)} GB, does not fit`;
  if (job === "train") return `${words.gb(row.bytes)} GB, ${words.duration(row.step)}`;
  return `${row.sequences === null ? "" : `${words.plural(row.sequences, "sequence")}, `}${words.rate(1 / row.least)} tokens/s`;
};

/**
 * A layout's change -> what is chosen: an etp that follows from the rest stays open.
 * @param {Change[]} changes
 * @param {PlainRow} row
 * @returns {Changes}
 */
export const chosen = (changes, row) => ({ ...Object.fromEntries(changes), ...(row.usual ? { etp: null } : {}) });

/**
 * @param {Ways} found
 * @param {Now} now
 * @param {(changes: Changes) => void} take
 */
export const buttons = ({ title, ways: list, nodes }, now, take) => {
  if (!list.length && nodes !== undefined && !now.trouble) {
    const gpus = words.plural(now.layout.gpus, "GPU");
    return [
      h("span", {
        text:
          nodes === null
            ? `No layout of up to 4,096 nodes of these holds it.`
            : `No layout of ${gpus} that changes one thing or two holds it; the least is ${words.plural(nodes, "node")}.`,
      }),
      nodes && nodes > now.chosen.nodes
        ? h(
            "button",
            { type: "button", class: "way", on: { click: () => take({ nodes }) } },
            h("b", { text: words.plural(nodes, "node") }),
          )
        : null,
    ];
  }
  return [
    list.length ? h("span", { text: title }) : null,
    ...list.map(({ changes, row }, i) =>
      h(
        "button",
        {
          type: "button",
          class: `way${row.fits ? "" : " way-no"}${i || title === "one step away" ? "" : " way-first"}`,
          on: { click: () => take(chosen(changes, row)) },
        },
        h("b", { text: changesText(changes) }),
        ` ${result(row, now.layout.job)}`,
      ),
    ),
  ];
};
