/* What the beats of long-context say and draw: answers, captions, goals and figures; the page alone loads it. */
import { makeLegend } from "../kit/headings.js";
import { fmt } from "../kit/numbers.js";
import { chart_view, work_view } from "./charts.js";
import { compute } from "./compute.js";
import { kept_by, STORED, total } from "./counting.js";
import { mixed_view } from "./layers_view.js";
import { find, MILLION, V32 } from "./models.js";
import { ruler_view } from "./ruler_view.js";

/** @import { Data, State } from "../../.make/data_types/long-context.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Model } from "./models.js" */
/** @import { Now, Ruled, Shown } from "./compute.js" */

/** A part of a figure. @typedef {{ el: Element[], update: (now: Shown, hide: boolean) => void }} View */

const [K3, GB] = ["moonshotai/Kimi-K3", (/** @type {number} */ n) => fmt.bytes(n)];
const { int } = fmt;

/** @param {State} state */
const length_in = ({ tokens }) => `${int(tokens)} token${tokens === 1 ? "" : "s"}`;

/** @param {State} state @param {Data} data The whole past of a layer with an indexer, on the ruler. */
const past_of = (state, data) =>
  /** @type {Ruled} */ (compute(state, data).ruler.find((row) => row.key === "dsa")).bars[0];
/** @type {Answers<State, Data>} */
export const answers = {
  one_in: (state, data) => past_of(state, data).one_in,
  wide: (state, data) => past_of(state, data).wide,
  a_million_published: () => 0.27, // the table of published figures has where
};

/** @type {Captions<State, Data>} */
export const captions = {
  looked: (state, data) => {
    const top = past_of(state, data);
    const own =
      "**In each of {indexer.layers} layers the indexer takes {indexer.look_gflop:fixed 1} GFLOP and attention takes {indexer.read_gflop:fixed 1} GFLOP**; attending to all entries would take {indexer.all_gflop:fixed 1} GFLOP.";
    const kept = "Every entry is stored, with {indexer.keys} more numbers for the indexer.";
    if (!top.ticks.length) return `${own} ${kept}`;
    return `${own} ${kept} The picks shown are random: one in {one_in} of {spans.0:int} entries is drawn, ${top.wide > 1 ? "{wide:int} times wider than to scale" : "to scale"}.`;
  },
  served: (state, data) => {
    const slopes = compute(state, data)
      .pair.new.slopes.map((_, i) => `{pair.new.slopes.${i}:num 4}`)
      .reverse()
      .join(" or ");
    return `**V4-Pro stores {pair.new.bytes:bytes}, and V3.2 stores {pair.old.bytes:bytes}.** V4-Pro needs {pair.flop_share:percent} of V3.2’s FLOP per token: {pair.new.gflop:int} of {pair.old.gflop:int} GFLOP (published at a million tokens: {a_million_published:percent 0}, in FP8 FLOP). V4-Pro stores ${slopes} bytes per token and layer, and V3.2 stores {pair.old.slopes.0:int} bytes.`;
  },
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  ten_gb: (state, data) => {
    const { of, kinds } = compute(state, data);
    const kept = GB(of.kept);
    if (MILLION > state.tokens) return no(`The length is ${length_in(state)}, not 1,048,576.`);
    if (of.kept > 1e10) return no(`${of.title} stores ${kept}.`);
    const away = total(kinds.filter((kind) => !kind.reach).map((kind) => kind.count));
    if (away) return no(`${kept}, but ${away} of ${of.layers} layers do not attend that far back.`);
    return {
      reached: true,
      says: `Reached with ${of.title}${STORED[state.storage][2]}: ${kept}. Hybrids get there too, with attention in a few layers only.`,
    };
  },
  short: (state, data) => {
    if (state.model !== K3 || state.storage !== "bf16") return no("Choose Kimi K3, in BF16.");
    const [mine, other] = [K3, V32].map((slug) =>
      kept_by(/** @type {Model} */ (find(slug, data)), data, state.tokens, "bf16"),
    );
    const [own, theirs] = [GB(mine), GB(other)];
    if (other >= mine)
      return no(
        `At ${length_in(state)} Kimi K3 needs ${own} and DeepSeek V3.2 needs ${theirs}. Try the other end of the slider.`,
      );
    return {
      reached: true,
      says: `Reached at ${length_in(state)}: ${own}, compared with ${theirs}. Even a short text needs the states at full size.`,
    };
  },
};

/** @param {BetMode | ""} bet */
const opened = (bet) => bet === "open" || bet === "placed";
/** @type {(...make: (() => View)[]) => FigureMaker<State, Data, Now>} */
const figure =
  (...make) =>
  (el) => {
    const views = make.map((one) => one());
    el.append(...views.flatMap((view) => view.el));
    return {
      update: (state, now, { bet }) => {
        for (const view of views) view.update({ ...state, ...now }, opened(bet));
      },
    };
  };
/** @type {(...items: string[][]) => () => View} */
const legend_of =
  (...items) =>
  () => ({ el: [makeLegend(items.map(([css, label]) => ({ class: css, label })))], update: () => {} });
const KEPT = ["kept", "kept"];
export const past = /* @__PURE__ */ figure(
  () => ruler_view(["gqa"]),
  legend_of(["full", "read by the newest token"], KEPT),
  () => chart_view("work"),
);
export const windows = /* @__PURE__ */ figure(
  () => ruler_view(["gqa", "chunk", "window"]),
  legend_of(["full", "read"], ["window", "read in a chunk or a window"], KEPT),
);
export const hybrid = /* @__PURE__ */ figure(mixed_view, () => chart_view("bytes"));
export const indexer = /* @__PURE__ */ figure(
  () => ruler_view(["dsa"]),
  legend_of(["scored", "scored by the indexer"], ["sparse", "read"], KEPT),
);
export const entries = /* @__PURE__ */ figure(
  () => ruler_view(["csa", "hca", "raw"]),
  legend_of(["scored", "entries scored"], ["sparse", "entries read"], ["window", "single tokens read"], KEPT),
  work_view,
);
