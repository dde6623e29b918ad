/* What compute returns -> nodes with their GPUs and a token's way, tokens by nodes, loads, the folding. */

import { upto } from "../kit/arrays.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { STEPS } from "./compute.js";

/** @import { State } from "../../.make/data_types/expert-parallel.d.ts" */
/** @import { Now } from "./compute.js" */

/** A line of a class; x in percent, y in pixels. @typedef {[css: string, x1: number, y1: number, x2: number, y2: number]} Line */
/** Corners [x in percent, y in pixels] of the way that something takes. @typedef {number[][]} Way */

const [ROW, TOP, HIGH, BUS, WIRE, SIDE, OTHER] = [84, 18, 40, 66, 75, 45, 55];
const [BARS, FOOT, CELL] = [190, 24, 25];
/** @param {number} x */
const percent_of = (x) => `${Number(x.toFixed(3))}%`;
/** @param {number} x */
const tenth = (x) => String(Number(x.toFixed(1)));
/** @param {Element} group @param {Line[]} rows */
const lines_in = (group, rows) =>
  renderList(
    group,
    rows,
    () => s("line"),
    (node, [css, x1, y1, x2, y2]) =>
      setAttrs(node, { class: css, x1: percent_of(x1), y1: tenth(y1), x2: percent_of(x2), y2: tenth(y2) }),
  );
/** @param {number} a @param {number} b */
const below = (a, b) => b > a;

/** @param {number} node @param {number} nodes */
const place_of = (node, nodes) => {
  if (nodes === 1) return [0, 100, 0];
  const rows = nodes / 2;
  return [below(node, rows) ? 0 : OTHER, SIDE, (node % rows) * ROW];
};
/** @param {number} gpu @param {number} nodes */
const centre = (gpu, nodes) => {
  const [x, wide, y] = place_of(Math.floor(gpu / 8), nodes);
  return [x + (wide * ((gpu % 8) + 0.5)) / 8, y];
};
/** @param {Now} now @param {number} node @param {number} step */
const bars_of = (now, node, step) => {
  const { per_gpu: per, here } = now;
  const found = { box: "", goal: "", bar: "", out: "", picked: "" };
  const size = now.experts / Math.max(here.marks.length, 1);
  const wide = 860 / per;
  for (const gpu of upto(8)) {
    found[step >= 3 && here.gpus.includes(node * 8 + gpu) ? "goal" : "box"] +=
      `M${1000 * gpu + 30} 0h940v${HIGH}h-940z`;
    for (const j of upto(per)) {
      const slot = (node * 8 + gpu) * per + j;
      const expert = now.slots[slot];
      const high = 3 + (33 * (here.scores[expert] - here.low)) / (here.high - here.low);
      const stays = !here.marks.length || !step || here.kept.includes(Math.floor(expert / size));
      const kind = step >= 2 && here.goals.includes(slot) ? "picked" : stays ? "bar" : "out";
      found[kind] +=
        `M${Math.round(1000 * gpu + 70 + wide * (j + 0.1))} ${HIGH}v-${Math.round(high)}h${Math.round(wide * 0.8)}V${HIGH}z`;
    }
  }
  return found;
};
/** @param {Pick<Now, "here">} now @param {number} nodes */
const net_ends = ({ here }, nodes) => [here.node, ...here.away].map((node) => centre(8 * node + (here.gpu % 8), nodes));
/** @param {Now} now @param {number} nodes @param {number} step */
const wires_of = (now, nodes, step) => {
  const { here } = now;
  /** @type {Line[]} */
  const made = [];
  if (step >= 3 && here.away.length) {
    const on = step === 3 || step === 6 ? "net on" : "net";
    const ends = net_ends(now, nodes);
    for (const [x, y] of ends) made.push([on, x, y + TOP + HIGH, x, y + WIRE], [on, x, y + WIRE, 50, y + WIRE]);
    const heights = ends.map(([, y]) => y + WIRE);
    made.push([on, 50, Math.min(...heights), 50, Math.max(...heights)]);
  }
  if (step >= 4) {
    const on = step === 4 || step === 5 ? "nvl on" : "nvl";
    for (const node of here.nodes) {
      const goals = here.inside.filter((gpu) => Math.floor(gpu / 8) === node);
      if (!goals.length) continue;
      const at = [8 * node + (here.gpu % 8), ...goals].map((gpu) => centre(gpu, nodes));
      for (const [x, y] of at) made.push([on, x, y + TOP + HIGH, x, y + BUS]);
      const xs = at.map(([x]) => x);
      made.push([on, Math.min(...xs), at[0][1] + BUS, Math.max(...xs), at[0][1] + BUS]);
    }
  }
  return made;
};

/**
 * The ways of what moves in a step; back is the same way from its end.
 * @param {Now} now
 * @param {number} nodes
 * @param {number} step
 * @returns {Way[]}
 */
export const ways_of = (now, nodes, step) => {
  const { here } = now;
  const foot = TOP + HIGH;
  if (step === 3 || step === 6) {
    const [[x, y], ...ends] = net_ends(now, nodes);
    const ways = ends.map(([a, b]) => [
      [x, y + foot],
      [x, y + WIRE],
      [50, y + WIRE],
      [50, b + WIRE],
      [a, b + WIRE],
      [a, b + foot],
    ]);
    return step === 3 ? ways : ways.map((way) => way.reverse());
  }
  if (step !== 4 && step !== 5) return [];
  const ways = here.inside.map((gpu) => {
    const [[x, y], [a]] = [8 * Math.floor(gpu / 8) + (here.gpu % 8), gpu].map((one) => centre(one, nodes));
    return [
      [x, y + foot],
      [x, y + BUS],
      [a, y + BUS],
      [a, y + foot],
    ];
  });
  return step === 4 ? ways : ways.map((way) => way.reverse());
};
/** @param {Way} way @param {number} f @returns {number[]} */
export const along = (way, f) => {
  const at = f * (way.length - 1);
  const i = Math.min(Math.floor(at), way.length - 2);
  return [0, 1].map((k) => way[i][k] + (at - i) * (way[i + 1][k] - way[i][k]));
};

export const map_view = () => {
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
  const make = () =>
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
  /** @param {Now} now @param {number} nodes @param {number} step */
  const scene = (now, nodes, step) => {
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
    renderList(nodes_group, upto(nodes), make, (node, n) => {
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
    });
    lines_in(wires, wires_of(now, nodes, step));
    const [x, y] = centre(here.gpu, nodes);
    setAttrs(home, { cx: percent_of(x), cy: y + TOP + HIGH });
  };
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
    if (seen.some((one, i) => one !== drawn[i])) scene(...seen);
    drawn = seen;
    renderList(
      moving,
      f ? ways_of(now, state.nodes, step) : [],
      () => s("circle", { r: 5 }),
      (node, way) => {
        const [x, y] = along(way, f);
        setAttrs(node, { class: step === 3 || step === 6 ? "net" : "nvl", cx: percent_of(x), cy: tenth(y) });
      },
    );
  };
  return { el: [svg, legend], draw };
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

export const spread_view = () => {
  const [base, columns] = [s("g"), s("g")];
  const svg = s(
    "svg",
    {
      class: "cw-expert-parallel-spread",
      role: "img",
      "aria-label": "Tokens by the number of other nodes.",
      width: "100%",
      height: BARS + FOOT,
    },
    base,
    columns,
  );
  const legend = makeLegend([
    { class: "now", label: "tokens, by how many other nodes they go to" },
    { class: "own", label: "as built" },
  ]);
  /** @param {Now} now */
  const update = (now) => {
    const { spread: counts_now, spread_own: own } = now;
    const [most, n] = [Math.max(...counts_now, ...own, 1), Math.max(counts_now.length, 4)];
    const differ = counts_now.some((c, i) => c !== own[i]);
    /** @param {Element} node @param {number} i @param {number} high @param {string} css */
    const rect = (node, i, high, css) =>
      setAttrs(node, {
        class: css,
        x: percent_of((100 * i + 15) / n),
        y: tenth(BARS - high),
        width: percent_of(70 / n),
        height: tenth(high),
        visibility: css ? false : "hidden",
      });
    lines_in(base, [["base", 0, BARS, 100, BARS]]);
    renderList(
      columns,
      counts_now,
      () => s("g", {}, s("rect"), s("rect"), s("text"), s("text", { class: "index", "data-index": true })),
      (node, c, i) => {
        const high = ((BARS - 30) * c) / most;
        const x = percent_of((100 * i + 50) / n);
        rect(node.children[0], i, high, "now");
        rect(node.children[1], i, ((BARS - 30) * own[i]) / most, differ ? "own" : "");
        put(setAttrs(node.children[2], { x, y: tenth(BARS - high - 6) }), `spread.${i}`, "int", now);
        setAttrs(node.children[3], { x, y: BARS + 18, text: i });
      },
    );
    /** @type {HTMLElement} */ (legend.children[1]).hidden = !differ;
  };
  return { el: [svg, legend], update };
};

export const loads_view = () => {
  const [kept, away, inner, mean, names, most] = [
    s("path", { class: "kept" }),
    s("path", { class: "lost" }),
    s("svg", { width: "100%", height: BARS, preserveAspectRatio: "none" }),
    s("g"),
    s("g"),
    s("text", { class: "most" }),
  ];
  inner.append(kept, away);
  const svg = s(
    "svg",
    { class: "cw-expert-parallel-loads", role: "img", width: "100%", height: BARS + FOOT },
    inner,
    mean,
    names,
    most,
  );
  const legend = makeLegend([
    { class: "kept", label: "computed" },
    { class: "lost", label: "dropped" },
    { class: "mean", label: "the mean" },
  ]);
  /** @param {Now} now */
  const update = (now) => {
    const { load, gpus } = now;
    const nodes = gpus / 8;
    const wide = gpus * 10 + (nodes - 1) * 6;
    const top = Math.max(2 * load.mean, ...load.asked);
    const y = (/** @type {number} */ n) => BARS - ((BARS - 24) * n) / top;
    const at = (/** @type {number} */ g) => 10 * g + 6 * Math.floor(g / 8) + 1;
    /** @param {number} g @param {number} a @param {number} b */
    const box = (g, a, b) => (b > a ? `M${at(g)} ${tenth(y(a))}V${tenth(y(b))}h8V${tenth(y(a))}z` : "");
    const x = (100 * (at(load.busiest) + 4)) / wide;
    setAttrs(inner, { viewBox: `0 0 ${wide} ${BARS}` });
    setAttrs(kept, { d: load.kept.map((n, g) => box(g, 0, n)).join("") });
    setAttrs(away, { d: load.kept.map((n, g) => box(g, n, load.asked[g])).join("") });
    lines_in(mean, [["mean", 0, y(load.mean), 100, y(load.mean)]]);
    renderList(
      names,
      upto(nodes),
      () => s("text", { class: "index", "data-index": true }),
      (node, n) => setAttrs(node, { x: percent_of((100 * (at(8 * n) + 39)) / wide), y: BARS + 16, text: `node ${n}` }),
    );
    fill(
      setAttrs(most, {
        x: percent_of(x),
        y: tenth(y(Math.max(load.kept[load.busiest], load.asked[load.busiest])) - 6),
        "text-anchor": below(x, 12) ? "start" : x > 88 ? "end" : "middle",
      }),
      "{load.ratio:fixed 2} ×",
      now,
    );
    setAttrs(svg, { "aria-label": `Token copies on each of ${gpus} GPUs.` });
    /** @type {HTMLElement} */ (legend.children[1]).hidden = !load.kept.some((n, g) => load.asked[g] > n);
  };
  return { el: [svg, legend], update };
};

export const COLOURS = 16;
const OWN = 4; // --moe
/* A colour for each set of experts, if there are enough; else one for those of the GPU in hand, and null for the others. */
/** @param {Now["fold"]} fold @param {number} gpu @returns {(number | null)[]} */
export const colours_of_experts = ({ gpus, edp, etp, places }, gpu) => {
  const sets = places.ep.map((e, i) => e * etp + places.etp[i]);
  return gpus / edp > COLOURS ? sets.map((one) => (one === sets[gpu] ? OWN : null)) : sets;
};

export const fold_view = () => {
  /** @param {string} name @param {string} words @param {string} note */
  const half = (name, words, note) => {
    const svg = s("svg", {
      class: "cw-expert-parallel-grid",
      width: "100%",
      height: 8 * CELL,
      role: "img",
      "aria-label": `GPUs as ${name} use${name === "experts" ? "" : "s"} them.`,
      "data-index": true,
    });
    const sizes = h("span");
    /** @param {Now} now @param {number} gpu @param {(number | null)[]} colour @param {number[]} numbers */
    const update = (now, gpu, colour, numbers) => {
      fill(sizes, words, now);
      renderList(
        svg,
        numbers,
        () => s("g", {}, s("rect"), s("text")),
        (node, number, i) => {
          const [x, y] = [(i % 8) * 12.5, Math.floor(i / 8) * CELL];
          const rank = colour[i];
          setAttrs(node.children[0], {
            class: `${rank === null ? "else" : `cw-rank cw-rank${rank}`}${i === gpu ? " on" : ""}`,
            x: percent_of(x + 0.4),
            y: y + 1,
          });
          setAttrs(node.children[1], {
            class: rank === null || rank > 7 ? "dark" : false,
            x: percent_of(x + 6.25),
            y: y + 17,
            text: number,
          });
        },
      );
    };
    return { el: h("div", {}, h("p", {}, h("b", { text: name }), " ", sizes), svg, h("p", { text: note })), update };
  };
  const attention = half(
    "attention",
    "DP {fold.dp:int} × CP {fold.cp:int} × TP {fold.tp:int}",
    "the number is its data-parallel rank",
  );
  const experts = half(
    "experts",
    "EDP {fold.edp:int} × EP {fold.ep:int} × ETP {fold.etp:int}",
    "the number is its expert-parallel rank",
  );
  /** @param {Now} now @param {number} gpu @param {boolean} [alone] */
  const update = (now, gpu, alone) => {
    const { places } = now.fold;
    attention.update(now, gpu, places.tp, places.dp);
    experts.update(now, gpu, colours_of_experts(now.fold, gpu), places.ep);
    setAttrs(experts.el, { "data-omit": alone });
    setAttrs(el, { class: `cw-expert-parallel-fold${alone ? " half" : ""}` });
  };
  const el = h("div", {}, attention.el, experts.el);
  return { el, update };
};
