/* What compute returns -> nodes with their GPUs and experts, and one token's way through them, with play, step and scrub. */
import { upto } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { STEPS } from "./legal.js";
import { lines_in, percent_of, tenth } from "./percent_lines.js";
import { along, bars_of, centre, HIGH, place_of, ROW, TOP, ways_of, wires_of } from "./token_way.js";

/** @import { State } from "../../.make/data_types/expert-parallel.d.ts" */
/** @import { Now } from "./compute.js" */

const node_parts = () =>
  s(
    "g",
    {},
    s("text", { "data-index": true }),
    s("text"),
    s(
      "svg",
      { height: HIGH, viewBox: `0 0 8000 ${HIGH}`, preserveAspectRatio: "none" },
      ["box", "goal", "bar", "out", "picked"].map((css) => s("path", { class: css })),
    ),
  );
/** @param {Element} node @param {number} n @param {Now} now @param {number} nodes @param {number} step */
const draw_node = (node, n, now, nodes, step) => {
  const { here } = now;
  const [x, wide, y] = place_of(n, nodes);
  const [name, mark, inner] = node.children;
  const marked = step >= 1 && here.marks.length === nodes;
  const kept = marked && here.kept.includes(n) ? " kept" : "";
  setAttrs(name, { class: `name${kept}`, x: percent_of(x), y: y + 12, text: `node ${n}` });
  setAttrs(mark, { class: `sum${kept}`, x: percent_of(x + wide), y: y + 12 });
  if (marked) put(mark, `here.marks.${n}`, "fixed 3", now);
  else setAttrs(mark, { text: "", "data-out": false, "data-format": false });
  setAttrs(inner, { x: percent_of(x), y: y + TOP, width: percent_of(wide) });
  Object.values(bars_of(now, n, step)).forEach((d, i) => setAttrs(inner.children[i], { d }));
};

const make_parts = () => {
  const [spine, nodes_group, wires, moving] = /** @type {const} */ (["line", "g", "g", "g"]).map((tag) => s(tag));
  const home = s("circle", { class: "home", r: 5 });
  const svg = s(
    "svg",
    { class: "cw-expert-parallel-map", role: "img", width: "100%" },
    spine,
    nodes_group,
    wires,
    home,
    moving,
  );
  return { svg, spine, nodes_group, wires, home, moving };
};

/**
 * The nodes, and the token's way through them up to a step; not what moves.
 * @param {ReturnType<typeof make_parts>} parts
 * @param {Now} now
 * @param {number} nodes
 * @param {number} step
 */
const draw_step = ({ svg, spine, nodes_group, wires, home }, now, nodes, step) => {
  const high = Math.max(nodes / 2, 1) * ROW;
  const { here, gpus, per_gpu } = now;
  setAttrs(svg, {
    height: high,
    "aria-label": `${gpus} GPUs with ${per_gpu} experts each; the token is on GPU ${here.gpu}.${step >= 2 ? ` It goes to ${here.visits.gpus} GPUs on ${here.visits.nodes} nodes.` : ""}`,
  });
  setAttrs(spine, {
    class: "spine",
    x1: "50%",
    x2: "50%",
    y1: TOP,
    y2: high - 6,
    visibility: nodes > 1 ? false : "hidden",
  });
  renderList(nodes_group, upto(nodes), node_parts, (node, n) => draw_node(node, n, now, nodes, step));
  lines_in(wires, wires_of(now, nodes, step));
  const [x, y] = centre(here.gpu, nodes);
  setAttrs(home, { cx: percent_of(x), cy: y + TOP + HIGH });
};

export const map_view = () => {
  const parts = make_parts();
  const legend = makeLegend(
    [
      ["home", "the token"],
      ["picked", "its experts"],
      ["net", "network"],
      ["nvl", "inside a node"],
    ].map(([css, label]) => ({ class: css, label })),
  );
  /** @type {[now?: Now, nodes?: number, step?: number]} */
  let drawn = [];
  /**
   * At a whole t the step is drawn; on the way to the next one its wires are there, and what moves along them.
   * @param {State} state
   * @param {Now} now
   * @param {number} t
   */
  const draw = (state, now, t) => {
    const [step, f] = [Math.ceil(t), t - Math.floor(t)];
    /** @type {[now: Now, nodes: number, step: number]} */
    const seen = [now, state.nodes, step];
    if (seen.some((one, i) => one !== drawn[i])) draw_step(parts, ...seen);
    drawn = seen;
    renderList(
      parts.moving,
      f ? ways_of(now, state.nodes, step) : [],
      () => s("circle", { r: 5 }),
      (node, way) => {
        const [x, y] = along(way, f);
        setAttrs(node, { class: step === 3 || step === 6 ? "net" : "nvl", cx: percent_of(x), cy: tenth(y) });
      },
    );
  };
  return { el: [parts.svg, legend], draw };
};

/**
 * The drawing with play, step and scrub; `set(state, now)` draws, `keep(step)` is told where the reader stops.
 * @param {(step: number) => void} keep
 */
export const map_player = (keep) => {
  const view = map_view();
  /** @type {[State | null, Now | null, boolean]} */
  let [state, now, quiet] = [null, null, false];
  const at = (/** @type {number} */ t) => ({
    at: { number: Math.floor(t) + 1, steps: STEPS.length, name: STEPS[Math.floor(t)] },
  });
  const words = (/** @type {number} */ t) => `${at(t).at.number} of ${STEPS.length}: ${at(t).at.name}`;
  const play = makeTransport({
    label: "steps",
    length: STEPS.length - 1,
    rate: 0.7,
    format: words,
    print: (node, t) => fill(node, "{at.number:int} of {at.steps:int}: {at.name}", at(t)),
    onFrame: (t) => {
      if (now) view.draw(/** @type {State} */ (state), now, t);
    },
    onStop: (t) => {
      if (!quiet) keep(Math.round(t));
    },
  });
  /** @param {State} given @param {Now} result */
  const set = (given, result) => {
    if (state && play.playing() && given.step !== state.step) {
      quiet = true;
      play.stop();
      quiet = false;
    }
    [state, now] = [given, result];
    play.set(state.step);
    if (!play.playing()) view.draw(state, now, state.step);
  };
  return { el: [...view.el, play.el], set, stop: play.stop };
};
