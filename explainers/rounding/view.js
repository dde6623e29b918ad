/* What compute returns -> where each mode takes a number, and the way of a number through FP64 and FP32. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";

/** @import { Now, Step } from "./compute.js" */

const [LEFT, RIGHT, HEAD, ROW] = [0.06, 0.94, 46, 42]; // of the width; pixels
const SHORT = ["nearest, ties to even", "nearest, ties away from zero", "toward zero", "up", "down", "stochastic"];
const [CHANCE, RADIUS] = [5, 9];
/** @param {number} share */
const x = (share) => pct(LEFT + (RIGHT - LEFT) * share);

/** A row of the drawing: a mode's name, its track, and an arrow to what it keeps. */
const makeRow = () => {
  const [name, track, way] = [
    s("text", { x: x(0), dx: 8 }),
    s("line", { x1: x(0), x2: x(1) }),
    s("line", { class: "way" }),
  ];
  const [low, high] = [s("circle", { class: "kept", cx: x(0) }), s("circle", { class: "kept", cx: x(1) })];
  return Object.assign(s("g", {}, name, track, way, low, high), { parts: { name, track, way, low, high } });
};

export const modes_view = () => {
  const [low, high] = [s("text", { x: x(0), y: 16 }), s("text", { x: x(1), y: 16 })];
  const [mark, label] = [s("line", { class: "number" }), s("text", { class: "number", y: 34 })];
  const ends = [0, 1].map((share) => s("line", { class: "end", x1: x(share), x2: x(share), y1: 22 }));
  const rows = s("g");
  const svg = s(
    "svg",
    { class: "cw-rounding-chart cw-rounding-modes", role: "img", width: "100%" },
    ends,
    mark,
    rows,
    low,
    high,
    label,
  );
  const none = h("p", { class: "cw-rounding-none" });
  /** @param {Now} now @param {boolean} hide */
  const update = (now, hide) => {
    svg.style.display = now.between ? "" : "none";
    none.hidden = now.between;
    if (!now.between) {
      fill(none, "{number:text} is not between two values of {label:text}, so there is nothing to round.", now);
      return;
    }
    const foot = HEAD + ROW * SHORT.length;
    setAttrs(svg, { height: foot + 4, "aria-label": said(now, hide) });
    put(low, "low", "text", now);
    put(high, "high", "text", now);
    put(setAttrs(label, { x: x(now.share) }), "number", "text", now);
    label.style.display = now.share > 0.12 && 0.88 > now.share ? "" : "none";
    setAttrs(mark, { x1: x(now.share), x2: x(now.share), y1: 38, y2: foot });
    for (const end of ends) setAttrs(end, { y2: foot });
    renderList(rows, SHORT, makeRow, ({ parts }, name, i) => {
      const [y, chance] = [HEAD + ROW * i, i === CHANCE];
      setAttrs(parts.name, { y: y + 12, text: name });
      setAttrs(parts.track, { y1: y + 26, y2: y + 26 });
      const aim = chance ? Number(now.share >= 0.5) : now.aims[i];
      setAttrs(parts.way, { x1: x(now.share), x2: x(aim), y1: y + 26, y2: y + 26 });
      parts.way.style.display = hide || chance ? "none" : "";
      for (const [end, node] of [parts.low, parts.high].entries()) {
        const part = chance ? (end ? now.share : 1 - now.share) : Number(aim === end);
        setAttrs(node, { cy: y + 26, r: (RADIUS * Math.sqrt(part)).toFixed(2) });
        node.style.display = hide || !part ? "none" : "";
      }
    });
  };
  return { el: [none, svg], update };
};
/** @param {Now} now @param {boolean} hide */
const said = ({ number, low, high, aims }, hide) => {
  const between = `${number} lies between ${low} and ${high}.`;
  if (hide) return between;
  const kept = aims.map((aim, i) => `${SHORT[i]}: ${aim ? high : low}`).join(", ");
  return `${between} ${kept}; stochastic: each of them, the nearer one more often.`;
};

const NAMES = { typed: "the number", float64: "in FP64", float32: "then in FP32" };
const SIDES = { above: "above the tie", below: "below the tie", on: "exactly on the tie", "": "" };

export const paths_view = () => {
  const list = h("ol", { class: "cw-rounding-steps" });
  const table = makeTable({
    caption: "What each library’s cast makes of the number",
    columns: [
      { key: "library", label: "cast" },
      { key: "path", label: "rounds to" },
      {
        key: "becomes",
        label: "keeps",
        out: (/** @type {{ i: number }} */ row) => `policies.${row.i}.becomes`,
        mark: (_, /** @type {any} */ row) => row.differs && "differs",
      },
    ],
  });
  const make = () => {
    const [name, holds, keeps] = [h("b"), h("span", { class: "holds" }), h("span", { class: "keeps" })];
    return Object.assign(h("li", {}, name, holds, keeps), { parts: { name, holds, keeps } });
  };
  /** @param {Now} now @param {boolean} hide */
  const update = (now, hide) => {
    renderList(list, /** @type {Step[]} */ (hide ? now.steps.slice(0, 2) : now.steps), make, ({ parts }, step, i) => {
      setText(parts.name, NAMES[/** @type {keyof typeof NAMES} */ (step.name)]);
      put(parts.holds, `steps.${i}.holds`, "text", now);
      const side = SIDES[/** @type {keyof typeof SIDES} */ (step.side)];
      const keeps = `rounded from here, {label:text} keeps {steps.${i}.keeps:text}`;
      fill(parts.keeps, [side, hide ? "" : keeps].filter(Boolean).join("; "), now);
    });
    table.el.hidden = hide || !now.policies.length;
    table.update(now.policies.map((row, i) => ({ ...row, i, now })));
  };
  return { el: [list, table.el], update };
};
