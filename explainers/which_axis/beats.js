/* Twin of beats.py: answers, captions, goals and figures of the beats; the page alone loads it. */
import { fmt } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { bars_view, grid_view } from "./view.js";

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
/** @satisfies {Captions<State, Data>} */
export const captions = {
  copies: (state, data) => {
    const { rows, one } = compute(state, data);
    const whole = rows.filter((row) => row.weights_share > 0.995).map((row) => row.name);
    const too = one.parts.some((part) => part.name === "experts") ? ", experts too" : "";
    const fits = rows.filter((row) => row.fits).map((row) => row.name);
    const said = `${listed(fits)} alone fit${2 > fits.length ? "s" : ""} a GPU of ${gb(data.room)}`;
    return `${state.gpus} GPUs: **${listed(whole)}** ${2 > whole.length ? "keeps" : "keep"} all weights${too}. ${said[0].toUpperCase()}${said.slice(1)}.`;
  },
  cache: (state, data) => {
    const { tp, cp } = by_axis(state, data);
    const said = `On ${state.gpus} tensor ranks each holds **${fmt.percent(share_of(tp, "cache"), 0)}** of all cache.`;
    return cp.legal
      ? `${said} With ${cp.detail}: **${fmt.percent(share_of(cp, "cache"), 0)}**.`
      : `${said} No head is kept twice, so context ranks have nothing to share.`;
  },
  activations: (state, data) => {
    const less = compute(state, data)
      .rows.filter((row) => row.legal && 0.6 > share_of(row, "activations"))
      .map((row) => row.name);
    return `${state.gpus} GPUs: **${listed(less)}** ${2 > less.length ? "makes" : "make"} activations much smaller. The others keep most of them.`;
  },
  waits: (state, data) => {
    const found = ordered(state, data, "ms").map(({ ms, name }) => ({ ms: fmt.fixed(ms, 1), name }));
    const [first, last] = [found[0].ms, /** @type {{ ms: string }} */ (found.at(-1)).ms];
    const [ahead, behind] = [first, last].map((one) =>
      listed(found.filter(({ ms }) => ms === one).map(({ name }) => name)),
    );
    return `First is **${ahead}** with ${first} ms, last **${behind}** with ${last} ms.`;
  },
  talks: (state, data) => {
    const found = ordered(state, data, "sent");
    const [less, most] = [found[0], /** @type {Row} */ (found.at(-1))];
    return `**${less.name}** sends least, ${fmt.bytes(less.sent)}; **${most.name}** most, ${fmt.bytes(most.sent)}, ${fmt.bytes(most.away)} of it to another node.`;
  },
};

/** @param {string} says */
const no = (says) => ({ reached: false, says });
/** @param {Row} row */
const held_by = (row) => `${row.detail} holds ${gb(row.total)} on its fullest GPU`;
/** @param {Row} row @param {Data} data */
const near = (row, data) => (row.legal ? (row.fits ? "" : `${held_by(row)}: too much for ${gb(data.room)}.`) : row.why);
/** @type {Goals<State, Data>} */
export const goals = {
  trains: (state, data) => {
    if (state.model !== "meta-llama/Llama-3.1-70B" || state.job !== "train")
      return no("This goal is about training Llama 3.1 70B.");
    const row = by_axis(state, data)[state.axis];
    if (near(row, data)) return no(near(row, data));
    return { reached: true, says: `Reached: ${held_by(row)}. It sends ${fmt.bytes(row.sent)} in a step, though.` };
  },
  serves: (state, data) => {
    if (state.model !== "deepseek-ai/DeepSeek-V3" || state.job !== "decode")
      return no("This goal is about serving DeepSeek V3.");
    const row = by_axis(state, data)[state.axis];
    if (near(row, data)) return no(near(row, data));
    const fewer = data.gpus.filter((n) => state.gpus > n);
    if (fewer.some((gpus) => compute({ ...state, gpus }, data).rows.some((one) => one.fits)))
      return no(`${held_by(row)}. Fewer GPUs are enough.`);
    const others = compute(state, data)
      .rows.filter((one) => one.fits && one.axis !== state.axis)
      .map((one) => one.name);
    return {
      reached: true,
      says: `Reached: ${held_by(row)}.${others.length ? ` With ${listed(others)} it fits too.` : ""}`,
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
