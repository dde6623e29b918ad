/* What compute returns -> ranks and what each holds, and what the stages hold or send. */
import { upto } from "../kit/arrays.js";
import { h, s, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";

/** @import { Now, Part } from "./compute.js" */

/**
 * A row of cards: the part that it shows, its size, a cell for each rank.
 * @typedef {{ name: string, size: HTMLElement, cells: ReturnType<typeof cell_of>[] }} Row
 */

const [SIDE, SHOWN] = [30, 8];
const HIGH = { weights: 12, gradients: 12, optimizer: 40 };
const LABELS = {
  sends: "Bytes that a rank sends per parameter, by ZeRO stage.",
  per: "Bytes that a rank holds per parameter, by ZeRO stage.",
};
/** @param {number} d ranks */
const shown_of = (d) => (d > SHOWN ? [...upto(SHOWN - 1), d - 1] : upto(d));

const cell_of = () => {
  const [all, part] = [s("rect", { class: "all", width: SIDE }), s("rect")];
  const svg = s("svg", { "aria-hidden": "true" }, all, part);
  /** @param {Part} part @param {number} rank @param {number} shards */
  const update = ({ name, share }, rank, shards) => {
    const high = HIGH[name];
    const at = share > 0 && 1 > share ? (SIDE * (rank % shards)) / shards : 0;
    const wide = share ? Math.max(SIDE * share, 1.5) : 0;
    setAttrs(svg, { viewBox: `0 0 ${SIDE} ${high}` });
    setAttrs(all, { height: high });
    setAttrs(part, { class: name, x: Math.min(at, SIDE - wide).toFixed(2), width: wide.toFixed(2), height: high });
  };
  return { td: h("td", {}, svg), update };
};

export const cards_view = () => {
  const [head, body] = [h("tr"), h("tbody")];
  const el = h("table", { class: "cw-data-parallel-cards" }, h("thead", {}, head), body);
  /** @type {[built: string, rows: Row[]]} */
  let [built, rows] = ["", []];
  /** @param {Now} now @param {number[]} ranks */
  const build = (now, ranks) => {
    head.replaceChildren(
      h("th", { scope: "col", text: "rank" }),
      ...ranks.map((rank, n) =>
        h("th", { scope: "col", "data-index": true, text: `${n && rank - ranks[n - 1] > 1 ? "… " : ""}${rank}` }),
      ),
    );
    rows = now.parts.map((part) => ({ size: h("span"), cells: ranks.map(cell_of), name: part.name }));
    body.replaceChildren(
      ...rows.map(({ size, cells, name }) =>
        h("tr", {}, h("th", { scope: "row" }, `${name} `, h("small", {}, size, " B")), ...cells.map(({ td }) => td)),
      ),
    );
  };
  /** @param {Now} now @param {number} d */
  const update = (now, d) => {
    const ranks = shown_of(d);
    if (built !== ranks.join()) build(now, ranks);
    built = ranks.join();
    rows.forEach(({ size, cells }, i) => {
      put(size, `parts.${i}.bytes`, "int", now);
      cells.forEach((cell, n) => cell.update(now.parts[i], ranks[n], now.shards));
    });
  };
  return { el, update };
};

/** @param {"sends" | "per"} what */
export const bars_view = (what) => {
  /** @param {number} z a stage */
  const make = (z) => {
    const [name, bar, number] = [
      s("text", { x: 0, y: 30 * z + 17, "data-index": true, text: `stage ${z}` }),
      s("rect", { x: "20%", y: 30 * z + 4, height: 18 }),
      s("text", { y: 30 * z + 17 }),
    ];
    return { g: s("g", {}, name, bar, number), bar, number };
  };
  const made = upto(4).map(make);
  const el = s(
    "svg",
    { class: "cw-data-parallel-bars", role: "img", "aria-label": LABELS[what], width: "100%", height: 120 },
    ...made.map(({ g }) => g),
  );
  /** @param {Now} now @param {number} stage @param {boolean} hide */
  const update = (now, stage, hide) => {
    const most = Math.max(...now.rows.map((row) => row[what]));
    made.forEach(({ g, bar, number }, z) => {
      const gone = hide && z === 3;
      const wide = gone ? 0 : (62 * now.rows[z][what]) / most;
      setAttrs(g, { class: z === stage ? "on" : "" });
      setAttrs(bar, { width: `${wide.toFixed(2)}%` });
      setAttrs(number, { x: `${(21 + wide).toFixed(2)}%` });
      if (gone) number.replaceChildren();
      else fill(number, `{rows.${z}.${what}:fixed 2} B`, now);
    });
  };
  return { el, update };
};
