/* What the worker found -> buttons that are layouts, and the table of the best ten. */

import { h, s } from "../../../explainers/kit/dom.js";
import { fmt } from "../../../explainers/kit/numbers.js";
import * as elements from "./elements.js";
import * as session from "./session.js";
import * as tables from "./tables.js";
import * as words from "./words.js";

/** @import { Change, Changes, Layout, LayoutTable, Now, Order, PlainRow, Ways } from "./types.d.ts" */

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

/* ---------------------------------------------------------------- the table */
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
              h(
                "button",
                {
                  type: "button",
                  class: "link",
                  "aria-label": `take layout ${place}: ${columns.map(([word, say]) => `${word} ${say(row.fields, row)}`).join(", ")}`,
                  on: { click: () => take(taken(row, now)) },
                },
                String(place),
              ),
              pinned(row, now) && " pinned",
            ],
      ),
      columns.map(([, say]) => tables.cell(String(say(row.fields, row)), "n")),
      facts.map(([, say]) => tables.cell(say(row), "n")),
      tables.cell(
        s(
          "svg",
          { class: "bar", viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" },
          s("rect", { class: "b-sum", width: (1000 * row.unhidden) / most, height: 10 }),
          s("rect", { class: "b-products", width: (1000 * row.least) / most, height: 10 }),
        ),
        "wide",
      ),
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

/* ---------------------------------------------------------------- the worker */
/**
 * turn: which question its answers are for; busy: it works on one.
 * @type {{ turn: number, worker: Worker | null, busy: boolean }}
 */
const state = { turn: 0, worker: null, busy: false };
/* What was asked for last is not wanted any more. */
export const drop = () => {
  state.turn += 1;
};
/**
 * @param {Now} now
 * @param {Order} order
 * @param {{ ways: (found: Ways) => void, table: (found: LayoutTable) => void }} told
 */
export const ask = (now, order, told) => {
  if (state.busy || !state.worker) {
    state.worker?.terminate();
    state.worker = new Worker(/** @type {string} */ (elements.root.dataset.worker));
  }
  state.turn += 1;
  state.busy = true;
  state.worker.onmessage = ({ data: [turn, what, answer] }) => {
    if (turn !== state.turn) return;
    if (what === "done") state.busy = false;
    else told[/** @type {"ways" | "table"} */ (what)](answer);
  };
  state.worker.postMessage([
    state.turn,
    now.sheet,
    now.layout,
    now.bits,
    order,
    { chosen: now.chosen, devices: elements.data.devices },
  ]);
};
