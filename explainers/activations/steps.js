/* What compute returns -> one output's weights while GPTQ stores them, and its error after each step. */
import { linearScale, linePath, pct } from "../kit/chart.js";
import { s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, fmt } from "../kit/numbers.js";
import { hundredth, stretched } from "./charts.js";

/** @import { Now } from "./compute.js" */

const [HALF, LINES, FOOT] = [60, 142, 252]; // pixels: the middle of the bars, the top and the foot of the lines

/** Bars around zero as one path. @param {number[]} changed @param {number} most @param {number} from @param {number} to */
const bars = (changed, most, from, to) =>
  changed
    .map((v, i) => {
      const x = hundredth((100 * (i + 0.5)) / changed.length);
      return i >= from && i < to ? `M${x} 50V${hundredth(50 - (50 * v) / most)}` : "";
    })
    .join("");

export const steps_view = () => {
  const [done, open] = [s("path", { class: "done" }), s("path", { class: "open" })];
  const zero = s("line", { class: "axis", x1: 0, x2: "100%", y1: HALF, y2: HALF });
  const halves = [s("line", { class: "half", x1: 0, x2: "100%" }), s("line", { class: "half", x1: 0, x2: "100%" })];
  const upper = stretched({ x: 0, y: 0, width: "100%", height: 2 * HALF }, done, open);
  const [nearest, gptq] = [s("path", { class: "nearest" }), s("path", { class: "gptq" })];
  const lower = stretched({ x: 0, y: LINES, width: "100%", height: FOOT - LINES }, nearest, gptq);
  const axis = s("line", { class: "axis", x1: 0, x2: "100%", y1: FOOT, y2: FOOT });
  const now_line = s("line", { class: "now", y1: 0, y2: FOOT });
  const feet = [
    s("text", { x: 0, y: FOOT + 18, text: "first input" }),
    s("text", { x: "100%", y: FOOT + 18, "text-anchor": "end", text: "last input" }),
    s("text", { x: 0, y: LINES - 6, text: "error of this output" }),
  ];
  const parts = [zero, halves, upper, lower, axis, now_line, feet];
  const svg = s("svg", { class: "cw-activations-steps", role: "img", width: "100%", height: FOOT + 26 }, parts);
  const legend = makeLegend([
    { class: "done", label: "error of a stored weight" },
    { class: "open", label: "correction of a later one" },
    { class: "nearest", label: "each rounded to nearest" },
    { class: "gptq", label: "GPTQ" },
  ]);
  /** @param {Now} now @param {boolean} hide */
  const update = (now, hide) => {
    const { changed, step, lines, here } = now.feedback;
    const most = Math.max(step, ...changed.map(Math.abs));
    setAttrs(done, { d: bars(changed, most, 0, now.stored) });
    setAttrs(open, { d: bars(changed, most, now.stored, changed.length) });
    halves.forEach((line, i) => {
      const y = hundredth(HALF + ((i ? HALF : -HALF) * step) / 2 / most);
      setAttrs(line, { y1: y, y2: y });
    });
    const y = linearScale([0, Math.max(...lines.nearest, ...lines.gptq)], [100, 0]);
    /** @param {number[]} line */
    const path = (line) => linePath(line.map((v, i) => [hundredth((100 * i) / (line.length - 1)), hundredth(y(v))]));
    setAttrs(nearest, { d: path(lines.nearest) });
    setAttrs(gptq, { d: path(lines.gptq) });
    const at = pct(now.stored / changed.length);
    setAttrs(now_line, { x1: at, x2: at });
    for (const node of [done, open, gptq]) node.style.display = hide ? "none" : "";
    legend.hidden = hide;
    const told = hide ? "" : `, with error feedback ${fmt.percent(here.gptq, 1)}`;
    setAttrs(svg, {
      "aria-label": `After ${fmt.int(now.stored)} of ${changed.length} inputs, this output is off by ${fmt.percent(here.nearest, 1)} where each weight is rounded to nearest${told}.`,
    });
  };
  return { el: [svg, legend], update };
};

/** What the drawing shows, in words. @param {Element} node @param {Now} now */
export const say_step = (node, now) =>
  fill(
    node,
    "After {stored:int} inputs, the first output of this layer is off by {feedback.here.nearest:percent 1} with rounding to nearest, by {feedback.here.gptq:percent 1} with GPTQ.",
    now,
  );
