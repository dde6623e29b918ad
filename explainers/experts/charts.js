/* What compute returns -> what is sent for one token, and what comes to every expert; updates that play. */
import { upto } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { compute, UPDATES } from "./compute.js";
import { NODES } from "./router.js";
import { named, percent_of, tenth } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/experts.d.ts" */
/** @import { Shown } from "./compute.js" */

export const [TOP, HIGH, SEND, BIAS, FOOT, GOAL] = [14, 104, 26, 27, 22, 1.2];
const HIGHS = { crowd: 190, level: 90, lab: 190 };

export const sends_view = () => {
  const rows = /** @type {[css: string, key: "nodes_free" | "nodes", words: string, bytes: string][]} */ ([
    ["free", "nodes_free", "no limit: {here.nodes_free:int} nodes", "{here.bytes_free:bytes KB 1}"],
    ["now", "nodes", "limited: {here.nodes:int} nodes", "{here.bytes:bytes KB 1}"],
  ]).map(([css, key, words, bytes], i) => {
    const y = SEND * i;
    const [label, sent, size] = [
      s("text", { class: "label", x: "36%", y: y + 15 }),
      s("g"),
      s("text", { class: "size", y: y + 15 }),
    ];
    return { css, key, words, bytes, y, label, sent, size };
  });
  const el = s(
    "svg",
    {
      role: "img",
      "aria-label": "What one token sends over the network, without the limit and with it.",
      width: "100%",
      height: 2 * SEND,
    },
    rows.map((r) => [r.label, r.sent, r.size]),
  );
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide) => {
    setAttrs(el, { class: `cw-experts-sends${hide ? " hide" : ""}` });
    for (const { css, key, words, bytes, y, label, sent, size } of rows) {
      const count = now.here[key];
      fill(label, words, now);
      renderList(
        sent,
        upto(count),
        () => s("rect", { class: css, y: y + 2, width: "5.2%", height: 18 }),
        (rect, n) => setAttrs(rect, { x: percent_of(38 + 5.5 * n) }),
      );
      fill(setAttrs(size, { x: percent_of(39 + 5.5 * count) }), bytes, now);
    }
  };
  return { el, update };
};

/** @param {number} at */
const biases_view = (at) => {
  const [raised, lowered] = ["raised", "lowered"].map((css) => s("path", { class: css }));
  const inner = s("svg", { y: at, width: "100%", height: 2 * BIAS, preserveAspectRatio: "none" }, raised, lowered);
  const note = s("text", { class: "note", x: 0, y: at + 2 * BIAS + 14 });
  const base = s("line", { class: "base", x1: 0, x2: "100%", y1: at + BIAS, y2: at + BIAS });
  /** @param {Shown} now @param {number[]} order */
  const update = (now, order) => {
    const reach = Math.max(now.high, -now.low, 0.001);
    /** @param {number} e */
    const high = (e) => Math.round((100 * Math.abs(now.biases[e])) / reach);
    /** @param {number} sign @param {string} dash */
    const path = (sign, dash) =>
      order
        .map((e, i) => (sign * now.biases[e] > 0 && high(e) ? `M${10 * i + 1} 100v${dash}${high(e)}h8V100z` : ""))
        .join("");
    setAttrs(inner, { viewBox: `0 0 ${10 * order.length} 200` });
    setAttrs(raised, { d: path(1, "-") });
    setAttrs(lowered, { d: path(-1, "") });
    fill(note, "biases, from {low:signed 3} to {high:signed 3}", now);
  };
  return { el: [inner, base, note], update };
};

/** The nodes below the experts, and a wall between each two. @param {number} high */
const node_names = (high) =>
  upto(NODES).map((g) => [
    s("text", { class: "node", x: percent_of(12.5 * g + 6.25), y: high + 16, "data-index": true, text: `node ${g}` }),
    g ? s("line", { class: "wall", x1: percent_of(12.5 * g), x2: percent_of(12.5 * g), y1: 16, y2: high }) : null,
  ]);

/**
 * A bar for each expert: what fits, what is over capacity, and what there was before any update.
 * @param {{ [css: string]: SVGPathElement }} paths
 * @param {Shown} now
 * @param {{ order: number[], y: (choices: number) => string | number, fits: (expert: number) => number }} how
 */
const draw_bars = (paths, { load, updates }, { order, y, fits }) => {
  const { counts, before } = load;
  const none = () => 0;
  /** @param {(e: number) => number} from @param {(e: number) => number} to @param {string} close */
  const boxes = (from, to, close) =>
    order
      .map((e, i) => (to(e) > from(e) ? `M${10 * i + 1} ${y(from(e))}V${y(to(e))}h8V${y(from(e))}${close}` : ""))
      .join("");
  setAttrs(paths.kept, { d: boxes(none, fits, "z") });
  setAttrs(paths.lost, { d: boxes(fits, (e) => counts[e], "z") });
  if (paths.before) setAttrs(paths.before, { d: updates ? boxes(none, (e) => before[e], "") : "" });
};

/** @param {"crowd" | "level" | "lab"} kind */
export const loads_view = (kind) => {
  const high = HIGHS[kind];
  const paths = Object.fromEntries(
    (kind === "crowd" ? ["kept", "lost"] : ["kept", "lost", "before"]).map((css) => [css, s("path", { class: css })]),
  );
  const inner = s("svg", { width: "100%", height: high, preserveAspectRatio: "none" }, Object.values(paths));
  const [even, other] = ["even", kind === "lab" ? "goal" : "room"].map((css) =>
    s("line", { class: css, x1: 0, x2: "100%" }),
  );
  const [label, busiest] = [s("text", { class: "end", x: "100%" }), s("text", { x: "3%", y: 12 })];
  const below = kind === "crowd" ? null : biases_view(high + (kind === "lab" ? FOOT + 2 : 8));
  const nodes = kind === "lab" ? node_names(high) : null;
  const foot = { crowd: 4, level: 2 * BIAS + 26, lab: 2 * BIAS + 26 + FOOT }[kind];
  const svg = s(
    "svg",
    { class: "cw-experts-loads", role: "img", width: "100%", height: high + foot },
    inner,
    even,
    other,
    label,
    busiest,
    nodes,
    below ? below.el : null,
  );
  const legend = named(
    /** @type {[css: string, label: string, on: boolean][]} */ ([
      ["kept", "choices per expert", true],
      ["lost", "over capacity", kind !== "level"],
      ["even", "average load", true],
      ["before", "before any update", kind !== "crowd"],
      ["goal", "the goal", kind === "lab"],
    ]).filter(([, , on]) => on),
  );
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide) => {
    const { load, tokens } = now;
    const { counts, before, room, even: share } = load;
    const order = kind === "lab" ? upto(counts.length) : load.order;
    /** @param {number} n */
    const y = (n) => tenth(high - ((high - 18) * n) / Math.max(load.busiest, ...before, GOAL * share));
    /** @param {number} e */
    const fits = (e) => (hide || kind === "level" ? counts[e] : Math.min(counts[e], room || load.busiest));
    setAttrs(inner, { viewBox: `0 0 ${10 * order.length} ${high}` });
    draw_bars(paths, now, { order, y, fits });
    const at = kind === "lab" ? GOAL * share : room;
    setAttrs(even, { y1: y(share), y2: y(share) });
    setAttrs(other, { y1: y(at), y2: y(at), visibility: kind === "level" || !at ? "hidden" : false });
    const words = {
      lab: "busiest: {load.ratio:fixed 3} × the average load",
      level: "{updates:int} updates: busiest {load.ratio:fixed 2} × the average load",
      crowd: room ? "capacity {load.room:int}, average load {load.even:int}" : "",
    };
    fill(setAttrs(label, { y: kind === "crowd" ? tenth(Number(y(room)) - 6) : 12 }), words[kind], now);
    fill(busiest, kind === "crowd" && !hide ? "busiest: {load.busiest:int}, {load.ratio:fixed 1} × average" : "", now);
    if (below) below.update(now, order);
    setAttrs(svg, { "aria-label": `Choices that each of ${counts.length} experts gets from ${tokens} tokens.` });
  };
  return { el: [svg, legend], update };
};

/**
 * Updates with play, step and scrub.
 * @param {Data} data
 * @param {(state: State, now: Shown) => void} draw shows a moment
 * @param {(updates: number) => void} keep is told where the reader stops
 */
export const updates_player = (data, draw, keep) => {
  /** @type {[State | null, boolean]} */
  let [state, quiet] = [null, false];
  /** @param {number} t */
  const show = (t) => {
    const moment = { .../** @type {State} */ (state), updates: Math.floor(t) };
    if (moment.updates !== drawn_at) draw(moment, { ...moment, ...compute(moment, data) });
    drawn_at = moment.updates;
  };
  let drawn_at = -1;
  const play = makeTransport({
    label: "updates of the bias",
    length: UPDATES,
    rate: 20,
    format: (t) => `${Math.floor(t)} updates`,
    print: (node, t) => fill(node, "{updates:int} updates", { updates: Math.floor(t) }),
    onFrame: (t) => {
      if (state) show(t);
    },
    onStop: (t) => {
      if (!quiet) keep(Math.floor(t));
    },
  });
  /** @param {State} given @param {Shown} now */
  const set = (given, now) => {
    if (play.playing() && given.updates !== drawn_at) {
      quiet = true;
      play.stop();
      quiet = false;
    }
    state = given;
    if (play.playing()) return;
    drawn_at = given.updates;
    play.set(given.updates);
    draw(given, now);
  };
  return { el: play.el, set, stop: play.stop };
};
