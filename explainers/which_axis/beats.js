/* What the beats of which-axis ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { fmt } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { bars_view, grid_view, too_large } from "./view.js";

/** @import { Answers, Captions, FigureMaker, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Axis, Data, Now, Row, State } from "./compute.js" */

/** @param {State} state @param {Data} data */
const by_axis = (state, data) => Object.fromEntries(compute(state, data).rows.map((row) => [row.axis, row]));
/** @param {Row} row @param {string} part */
const share_of = (row, part) => row.parts.find((one) => one.name === part)?.share ?? 0;
/** @param {State} state @param {Data} data @param {Axis[]} axes @param {"ms" | "sent"} what */
const least = (state, data, axes, what) => {
  const found = by_axis(state, data);
  const values = axes.map((axis) => found[axis][what]);
  return values.indexOf(Math.min(...values));
};
const TWO_NODES = 16;
/** @type {(axis: Axis) => (state: State, data: Data) => number} */
const leaving = (axis) => (state, data) => by_axis({ ...state, gpus: TWO_NODES }, data)[axis].away;
/** @param {State} state @param {Data} data */
const pipeline_share = (state, data) => share_of(by_axis(state, data).pp, "activations");
/** @satisfies {Answers<State, Data>} */
export const answers = {
  over: (state, data) => compute(state, data).one.total / data.room,
  keeps_weights: (state, data) => {
    const found = by_axis(state, data);
    const held = ["tp", "pp", "dp"].map((axis) => found[axis].weights_share);
    return held.indexOf(Math.max(...held));
  },
  tensor_cache: (state, data) => share_of(by_axis(state, data).tp, "cache"),
  context_cache: (state, data) => share_of(by_axis(state, data).cp, "cache"),
  pipeline_keeps: (state, data) => {
    const held = pipeline_share(state, data);
    return 0.3 > held ? 0 : 0.75 > held ? 1 : 2;
  },
  pipeline_share,
  two_nodes: () => TWO_NODES,
  tensor_leaves: leaving("tp"),
  pipeline_leaves: leaving("pp"),
  first_token: (state, data) => least(state, data, ["dp", "tp", "pp"], "ms"),
  sends_least: (state, data) => least(state, data, ["tp", "zero", "pp"], "sent"),
};

/** @param {string[]} names */
const listed = (names) =>
  names.length ? (names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`) : "no axis";
/** @param {number} bytes */
const gb = (bytes) => fmt.bytes(bytes, "GB", 0);
/** @param {State} state @param {Data} data @param {"ms" | "sent"} what */
const ordered = (state, data, what) =>
  compute(state, data)
    .rows.filter((row) => row.legal)
    .sort((a, b) => a[what] - b[what]);
/**
 * A value of an axis's row, for a template.
 * @param {Data} data
 * @param {Row} row
 * @param {string} path
 */
const hole = (data, row, path) => `{rows.${data.axes.indexOf(row.axis)}.${path}}`;
/** @satisfies {Captions<State, Data>} */
export const captions = {
  copies: (state, data) => {
    const { rows, one } = compute(state, data);
    const whole = rows.filter((row) => row.weights_share > 0.995).map((row) => row.name);
    const too = one.parts.some((part) => part.name === "experts") ? ", experts too" : "";
    const fits = rows.filter((row) => row.fits).map((row) => row.name);
    const said = fits.length
      ? `Only ${listed(fits)} parallelism ${2 > fits.length ? "fits" : "fit"} the model on GPUs of {room:bytes GB 0}`
      : "No single axis fits the model on GPUs of {room:bytes GB 0}";
    return `{gpus:int} GPUs: with **${listed(whole)}** parallelism, each GPU keeps all weights${too}. ${said}.`;
  },
  cache: (state, data) => {
    const { cp } = by_axis(state, data);
    const shared = cp.legal
      ? `With ${hole(data, cp, "detail")}, each holds **{context_cache:percent 0}**.`
      : "No head is stored twice, so context-parallel ranks have nothing to split.";
    return `On {gpus:int} tensor-parallel ranks, each holds **{tensor_cache:percent 0}** of the whole cache. ${shared}`;
  },
  activations: (state, data) => {
    const less = compute(state, data)
      .rows.filter((row) => row.legal && 0.6 > share_of(row, "activations"))
      .map((row) => row.name);
    return `{gpus:int} GPUs: **${listed(less)}** parallelism ${2 > less.length ? "makes" : "make"} activations much smaller. With the other axes, each GPU keeps most of them.`;
  },
  waits: (state, data) => {
    const rows = ordered(state, data, "ms");
    /** @param {Row} row */
    const printed = (row) => fmt.fixed(row.ms, 1);
    const [ahead, behind] = [rows[0], /** @type {Row} */ (rows.at(-1))].map((end) => ({
      names: listed(rows.filter((row) => printed(row) === printed(end)).map((row) => row.name)),
      ms: hole(data, end, "ms:fixed 1"),
    }));
    return `Fastest: **${ahead.names}** parallelism with ${ahead.ms} ms; slowest: **${behind.names}** parallelism with ${behind.ms} ms. ${too_large(compute(state, data))}`.trim();
  },
  talks: (state, data) => {
    const found = ordered(state, data, "sent");
    const [less, most] = [found[0], /** @type {Row} */ (found.at(-1))];
    return `Least sent: **${less.name}** parallelism with ${hole(data, less, "sent:bytes")}; most sent: **${most.name}** parallelism with ${hole(data, most, "sent:bytes")}, ${hole(data, most, "away:bytes")} of it to another node. ${too_large(compute(state, data))}`.trim();
  },
};

/** @param {string} says */
const no = (says) => ({ reached: false, says });
/** Without its first letter, a w. @param {Row} row */
const held_by = (row) => `ith ${row.detail}, the most loaded GPU holds ${gb(row.total)}`;
/** @param {Row} row @param {Data} data */
const near = (row, data) => (row.legal ? (row.fits ? "" : `W${held_by(row)}, more than ${gb(data.room)}.`) : row.why);
/** @type {Goals<State, Data>} */
export const goals = {
  trains: (state, data) => {
    if (state.model !== "meta-llama/Llama-3.1-70B" || state.job !== "train")
      return no("This goal is about training Llama 3.1 70B.");
    const row = by_axis(state, data)[state.axis];
    if (near(row, data)) return no(near(row, data));
    return { reached: true, says: `Reached: w${held_by(row)}. However, it sends ${fmt.bytes(row.sent)} in a step.` };
  },
  serves: (state, data) => {
    if (state.model !== "deepseek-ai/DeepSeek-V3" || state.job !== "decode")
      return no("This goal is about serving DeepSeek V3.");
    const row = by_axis(state, data)[state.axis];
    if (near(row, data)) return no(near(row, data));
    const fewer = data.gpus.filter((n) => state.gpus > n);
    if (fewer.some((gpus) => compute({ ...state, gpus }, data).rows.some((one) => one.fits)))
      return no(`W${held_by(row)}. Fewer GPUs are enough.`);
    const others = compute(state, data)
      .rows.filter((one) => one.fits && one.axis !== state.axis)
      .map((one) => one.name);
    return {
      reached: true,
      says: `Reached: w${held_by(row)}.${others.length ? ` The model also fits with ${listed(others)} parallelism.` : ""}`,
    };
  },
};

/** @param {BetMode | ""} bet */
const hidden = (bet) => bet === "open" || bet === "placed";
/** @type {FigureMaker<State, Data, Now>} */
export const gridFigure = (el) => {
  const view = grid_view();
  el.append(view.el);
  return { update: (state, now, { bet }) => view.update(now, "", hidden(bet)) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const timesFigure = (el) => {
  const view = bars_view("ms");
  el.append(view.el);
  return { update: (state, now, { bet }) => view.update(now, state.axis, hidden(bet)) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const sentFigure = (el) => {
  const view = bars_view("sent");
  el.append(view.el);
  return { update: (state, now, { bet }) => view.update(now, state.axis, hidden(bet)) };
};
