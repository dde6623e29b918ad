/* What compute returns -> each request over the steps, and below it how much of the cache is held and how much is filled. */
import { pct } from "../kit/chart.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { counted, letter } from "./view.js";

/** @import { Seen } from "./view.js" */

const [LEFT, RIGHT, ROW, LEVEL, FOOT] = [0.06, 0.94, 16, 74, 18]; // of the width; pixels
/** The classes of what a request does in a step, by its mark. @type {{ [mark: string]: string }} */
const KINDS = { w: "waits", p: "prefills", d: "decodes", r: "repeats", s: "stalls", x: "preempted" };
/** A lane -> its runs: [mark, first step, steps]. @param {string} lane */
export const runs = (lane) =>
  [...lane.matchAll(/(.)\1*/g)]
    .map(([text, mark]) => ({ mark, length: text.length }))
    .reduce(
      (all, { mark, length }) => {
        const from = all.length ? all[all.length - 1].from + all[all.length - 1].length : 0;
        return [...all, { mark, from, length }];
      },
      /** @type {{ mark: string, from: number, length: number }[]} */ ([]),
    );
/** @param {number} value */
const fine = (value) => Number(value.toFixed(2));
/** A line of steps through values from 0 to 1, closed down to the foot, in a box of 100 by 100. @param {number[]} values */
const area = (values) => {
  const x = (/** @type {number} */ i) => fine((100 * i) / values.length);
  const line = values.map((v, i) => `L${x(i)} ${fine(100 - 100 * v)}H${x(i + 1)}`).join("");
  return `M0 100${line}V100Z`;
};

/** @param {number} step @param {number} steps */
const x_of = (step, steps) => pct(LEFT + (RIGHT * step) / steps);
const make_lane = () => {
  const parts = { name: s("text"), runs: s("g") };
  return Object.assign(s("g", {}, parts.name, parts.runs), { parts });
};
/**
 * A request's name and what it does over the steps.
 * @param {{ name: Element, runs: Element }} parts
 * @param {string} lane
 * @param {number} number
 * @param {number} steps
 */
const draw_lane = (parts, lane, number, steps) => {
  const top = ROW * number;
  setAttrs(parts.name, { x: "1%", y: top + 12, text: letter(number) });
  renderList(
    parts.runs,
    runs(lane).filter(({ mark }) => mark !== " "),
    () => s("rect"),
    (bar, { mark, from, length }) => {
      const thin = mark === "w" || mark === "s";
      setAttrs(bar, {
        class: KINDS[mark],
        x: x_of(from, steps),
        width: pct((RIGHT * length) / steps),
        y: top + (thin ? 7 : 2),
        height: thin ? 2 : 12,
      });
    },
  );
};
/** The first and the last step, below the lanes. @param {Element} ends @param {number} steps @param {number} foot */
const draw_ends = (ends, steps, foot) =>
  renderList(
    ends,
    [
      { text: "step 1", at: LEFT, anchor: "start" },
      { text: `step ${steps}`, at: LEFT + RIGHT, anchor: "end" },
    ],
    () => s("text", { "data-index": true }),
    (node, { text, at, anchor }) => setAttrs(node, { text, x: pct(at), y: foot + 14, "text-anchor": anchor }),
  );

/** @param {{ level?: boolean, onPick?: (picked: { step: number, request?: number }) => void }} [given] */
export const lanes_view = ({ level = true, onPick } = {}) => {
  const [rows, cursor, ends] = [s("g"), s("line", { class: "cursor" }), s("g", { class: "ends" })];
  const [held, filled] = [s("path", { class: "held" }), s("path", { class: "filled" })];
  const box = s(
    "svg",
    { viewBox: "0 0 100 100", preserveAspectRatio: "none", x: pct(LEFT), width: pct(RIGHT) },
    held,
    filled,
  );
  const rim = s("rect", { class: "rim", x: pct(LEFT), width: pct(RIGHT), height: LEVEL });
  const svg = s(
    "svg",
    { class: "cw-paged-cache-lanes", role: "img", width: "100%" },
    rows,
    level ? [rim, box] : null,
    ends,
    cursor,
  );
  let count = 0;
  let steps = 1;
  if (onPick)
    svg.addEventListener("click", (e) => {
      const at = svg.getBoundingClientRect();
      const share = ((e.clientX - at.left) / at.width - LEFT) / RIGHT;
      const row = Math.floor((e.clientY - at.top) / ROW);
      const step = Math.min(steps, Math.max(1, Math.ceil(share * steps)));
      onPick(row < count ? { step, request: row } : { step });
    });
  /** @param {Seen} now */
  const update = (now) => {
    steps = now.end;
    count = now.rows.length;
    renderList(rows, now.rows, make_lane, (node, { lane }, number) => {
      setAttrs(node, { class: number === now.request ? "on" : false });
      draw_lane(node.parts, lane, number, steps);
    });
    const foot = ROW * count + (level ? LEVEL + 8 : 0);
    if (level) {
      setAttrs(box, { y: ROW * count + 8, height: LEVEL });
      setAttrs(rim, { y: ROW * count + 8 });
      setAttrs(held, { d: area(now.timeline.map(([used]) => used / now.blocks)) });
      setAttrs(filled, { d: area(now.timeline.map(([, tokens]) => tokens / now.capacity)) });
    }
    const x = x_of(now.at.step - 0.5, steps);
    setAttrs(cursor, { x1: x, x2: x, y1: 0, y2: foot });
    draw_ends(ends, steps, foot);
    setAttrs(svg, { height: foot + FOOT, "aria-label": said(now) });
  };
  return { el: svg, update };
};
/** @param {Seen} now */
const said = ({ rows, end, sums }) =>
  `${counted(rows.length, "request")} over ${counted(end, "step")}; at most ${sums.most_running} run at once; ${counted(sums.preemptions, "preemption")}.`;

/** @param {boolean} [level] */
export const lanes_legend = (level = true) =>
  makeLegend([
    { class: "prefills", label: "prefill" },
    { class: "decodes", label: "decode: a token per step" },
    { class: "stalls", label: "running, but not scheduled in this step" },
    { class: "waits", label: "waiting" },
    { class: "preempted", label: "preempted" },
    { class: "repeats", label: "computed again" },
    ...(level
      ? [
          { class: "held", label: "below: blocks in use" },
          { class: "filled", label: "below: slots with a token" },
        ]
      : []),
  ]);
