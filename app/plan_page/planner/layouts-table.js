/* The best layouts that the worker found -> a table, yours and the pinned one among them. */

import { h, s } from "../../../explainers/kit/dom.js";
import { fmt } from "../../../explainers/kit/numbers.js";
import * as session from "./session.js";
import * as tables from "./tables.js";
import * as words from "./words.js";

/** @import { Changes, LayoutTable, Now, PlainRow } from "./types.d.ts" */

/** @type {{ [job: string]: [word: string, say: (row: PlainRow) => string][] }} */
const HEADS = {
  train: [
    ["fullest GB", (row) => words.gb(row.bytes)],
    ["idle", (row) => fmt.percent(row.idle)],
    ["at least", (row) => words.duration(row.least)],
    ["without overlap", (row) => words.duration(row.unhidden)],
  ],
  serve: [
    ["fullest GB", (row) => words.gb(row.bytes)],
    ["sequences", (row) => (row.sequences === null ? "any" : words.int(row.sequences))],
    ["tokens/s, at most", (row) => words.rate(1 / row.least)],
    ["without overlap", (row) => words.rate(1 / row.unhidden)],
  ],
};
/**
 * @param {string} job
 * @returns {[word: string, say: (one: { [name: string]: number }, row: PlainRow) => string | number][]}
 */
const axes = (job) => [
  ["tp", (one) => one.tp],
  [job === "train" ? "pp × chunks" : "pp", (one) => (job === "train" ? `${one.pp} × ${one.chunks}` : one.pp)],
  .../** @type {ReturnType<typeof axes>} */ (job === "train" ? [["cp", (one) => one.cp]] : []),
  ["dp", (one, row) => row.dp],
  ["ep", (one) => one.ep],
  ["etp", (one) => one.etp],
];

/**
 * @param {PlainRow} a
 * @param {PlainRow} b
 */
const same = (a, b) => Object.keys(a.fields).every((name) => a.fields[name] === b.fields[name]);

/**
 * @param {PlainRow} row
 * @param {Now} now
 */
const pinned = ({ fields }, { layout: { job } }) =>
  session.state.pinned?.job === job &&
  Object.keys(fields).every(
    (name) => fields[name] === /** @type {{ [name: string]: unknown }} */ (session.state.pinned)[name],
  );

/**
 * @param {PlainRow} row
 * @param {Now} now
 * @returns {Changes}
 */
const taken = (row, now) => {
  const { etp, batch, ...axes } = row.fields;
  return {
    ...axes,
    split: "",
    etp: row.usual ? null : etp,
    ...(now.chosen.job !== "decode" && now.chosen.batch !== null ? { batch } : {}),
  };
};

/**
 * @param {number | null} place
 * @param {string} said
 * @param {() => void} click
 */
const choice = (place, said, click) =>
  h(
    "button",
    { type: "button", class: "link", "aria-label": `take layout ${place}: ${said}`, on: { click } },
    String(place),
  );

/**
 * Its time without overlap, and with all of it.
 * @param {PlainRow} row
 * @param {number} most
 */
const bar = (row, most) =>
  s(
    "svg",
    { class: "bar", viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "b-sum", width: (1000 * row.unhidden) / most, height: 10 }),
    s("rect", { class: "b-products", width: (1000 * row.least) / most, height: 10 }),
  );

/**
 * @param {LayoutTable} found
 * @param {Now} now
 * @param {(changes: Changes) => void} take
 * @returns {HTMLDivElement | null}
 */
export const table = (found, now, take) => {
  if (!found.rows.length) return null;
  const { job } = now.layout;
  const [columns, facts] = [axes(job), HEADS[job === "train" ? "train" : "serve"]];
  const own = found.own?.fits ? found.own : null;
  const most = Math.max(...[...found.rows, ...(own ? [own] : [])].map((row) => row.unhidden));
  /**
   * @param {PlainRow} row
   * @param {number | null} place
   * @param {boolean | null} mine
   */
  const line = (row, place, mine) =>
    h(
      "tr",
      { class: mine ? "sum lit" : false },
      tables.head(
        mine
          ? h("span", { text: `${place} yours` })
          : [
              choice(place, columns.map(([word, say]) => `${word} ${say(row.fields, row)}`).join(", "), () =>
                take(taken(row, now)),
              ),
              pinned(row, now) && " pinned",
            ],
      ),
      columns.map(([, say]) => tables.cell(String(say(row.fields, row)), "n")),
      facts.map(([, say]) => tables.cell(say(row), "n")),
      tables.cell(bar(row, most), "wide"),
      tables.cell(row.binds),
    );
  const rows = found.rows.map((row, i) => line(row, i + 1, own && same(row, own)));
  if (own && !found.rows.some((row) => same(row, own))) rows.push(line(own, found.place, true));
  return tables.make(
    "The best layouts",
    [
      ["#"],
      ...columns.map(([word]) => [word, "n"]),
      ...facts.map(([word]) => [word, "n"]),
      ["time", "wide"],
      ["bound by"],
    ],
    rows,
    "layouts",
  );
};

/**
 * @param {LayoutTable} found
 * @returns {string}
 */
export const note = (found) =>
  !found.fitting
    ? `none: of ${words.int(found.legal)} legal ones on these GPUs none fits`
    : `of ${words.int(found.fitting)} that fit, of ${words.int(found.legal)} legal; press one to take it`;
