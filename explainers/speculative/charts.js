/* Bars of speedups, acceptance and model sizes. */
import { pct } from "../kit/chart.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { unbind } from "./view.js";

/** @import { Shown } from "./compute.js" */

/**
 * A bar for each row of a list: a label, a bar or two and their numbers, and a line where the value is one.
 * @param {{ label: string, of: (now: Shown) => { [key: string]: number }[], path: string, key: string, bars: string[], how: string, mark?: boolean, on?: (now: Shown) => number, name: string }} given
 */
export const bars_view = ({ label, of, path, key, bars, how, mark, on, name }) => {
  const [rows, line] = [s("g"), s("line", { class: "one", y1: 0, visibility: mark ? false : "hidden" })];
  const svg = s("svg", { class: "cw-speculative-bars", role: "img", width: "100%" }, rows, line);
  const [FROM, TO] = [0.24, bars.length > 1 ? 0.7 : 0.84];
  const TALL = 26;
  const make = () => {
    const title = s("text", { class: "label", x: pct(FROM), dx: -8 });
    const rects = bars.map((one, i) =>
      s("rect", { class: one, x: pct(FROM), rx: 2, height: bars.length > 1 ? 9 : 16, "data-i": i }),
    );
    const cells = bars.map((_, i) => s("text", { class: "share", x: pct(1 - 0.15 * (bars.length - 1 - i)) }));
    return Object.assign(s("g", {}, rects, title, cells), { parts: { title, rects, cells } });
  };
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const all = of(now);
    const most = Math.max(...all.map((row) => Math.max(...bars.map((one) => row[one]))));
    const chosen = on ? on(now) : -1;
    setAttrs(svg, {
      height: TALL * all.length,
      "aria-label": hide
        ? `${name}: not shown yet.`
        : `${name}: ${all.map((row) => `${row[key]}: ${fmt.fixed(row[bars[0]], 2)}`).join(", ")}.`,
    });
    const one = pct(FROM + (TO - FROM) / most);
    setAttrs(line, { x1: one, x2: one, y2: TALL * all.length, visibility: mark && !hide ? false : "hidden" });
    renderList(rows, all, make, (row, values, i) => {
      setAttrs(row, { class: values[key] === chosen ? "on" : "" });
      setAttrs(row.parts.title, { y: TALL * i + 18 });
      fill(row.parts.title, `${label} {${path}.${i}.${key}:int}`, now);
      bars.forEach((bar, j) => {
        setAttrs(row.parts.rects[j], {
          y: TALL * i + (bars.length > 1 ? 3 + 10 * j : 5),
          width: pct(hide ? 0 : ((TO - FROM) * values[bar]) / most),
          class: mark && 1 >= values[bar] ? `${bar} slower` : bar,
        });
        setAttrs(row.parts.cells[j], { y: TALL * i + 18 });
        if (hide) unbind(row.parts.cells[j], "?");
        else put(row.parts.cells[j], `${path}.${i}.${bar}`, how, now);
      });
    });
  };
  return { el: svg, update };
};

/** The speed-up over numbers of drafts, and over batches. */
export const SPEEDS = {
  name: "Speed-up by number of drafts",
  label: "k =",
  of: (/** @type {Shown} */ now) => now.worth.rows,
  path: "worth.rows",
  key: "k",
  bars: ["speedup"],
  how: "times 2",
  mark: true,
  on: (/** @type {Shown} */ now) => now.worth.best.k,
};
export const SIZES = {
  name: "Speed-up by batch",
  label: "batch",
  of: (/** @type {Shown} */ now) => now.worth.sizes,
  path: "worth.sizes",
  key: "batch",
  bars: ["speedup"],
  how: "times 2",
  mark: true,
};
