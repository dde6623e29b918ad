/* What the beats of decoder ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { findIn, h, setAttrs } from "../kit/dom.js";
import { makeTransport } from "../kit/time.js";
import { chart_view, heat_view } from "./accuracy.js";
import { compute } from "./compute.js";
import { every_view } from "./lab.js";
import { kept_of, MANY, row_of } from "./mixers.js";
import { ink_view, state_view } from "./storage.js";
import { VALUES } from "./stream.js";
import { tiles_view } from "./tiles.js";
import { gates_view, heads_view, is_answered, own_writes, says_view } from "./view.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Data, Now } from "./compute.js" */

const WAITING = "Loading the weights.";
const OPTIONS = [12, 8, 2, 30];
const [FAR_BACK, SHORT] = [60, 6];
/** @param {string} name */
const crowded = (name) => (/** @type {State} */ _, /** @type {Data} */ data) => row_of(name, data).right.crowded;
/** @param {string} name */
const old = (name) => (/** @type {State} */ _, /** @type {Data} */ data) => row_of(name, data).right.long_old;
/** The mean over heads of the look on the first write of the key (0), or on the last (-1). @param {number} which */
const looks_at = (which) => (/** @type {State} */ state, /** @type {Data} */ data) => {
  const now = compute(state, data);
  const at = own_writes(now).at(which);
  return now.live && at !== undefined
    ? now.live.looks.reduce((sum, row) => sum + row[at], 0) / now.live.looks.length
    : 0;
};
/**
 * The mean over heads of the look on the unit after the last write of the key: convolutions carry the write there.
 * @param {State} state
 * @param {Data} data
 */
const looks_after = (state, data) => {
  const now = compute(state, data);
  const at = own_writes(now).at(-1);
  return now.live && at !== undefined
    ? now.live.looks.reduce((sum, row) => sum + (row[at + 1] ?? 0), 0) / now.live.looks.length
    : 0;
};
/** The head that looks elsewhere than at the key of the read, or at the unit after it, most; and where. @param {Now} now */
const astray = ({ here: { key }, stream: { units }, live }) => {
  let most = { share: 0, head: 0, unit: 0 };
  (live?.looks ?? []).forEach((row, head) =>
    row.forEach((share, unit) => {
      if (![units[unit].key, units[unit - 1]?.key].includes(key) && share > most.share) most = { share, head, unit };
    }),
  );
  return most;
};
/** @type {Answers<State, Data>} */
export const answers = {
  held: (state, data) => OPTIONS.indexOf(Number(compute(state, data).here.truth)),
  cliff: (_, data) => row_of("window", data).right.said_far, // 26 tokens back or more
  blind: () => 1 / VALUES,
  overwritten: (state, data) => row_of("linear", data).right.again,
  equal_after: (state, data) => Math.ceil(row_of("delta", data).keeps.fixed / row_of("full", data).keeps.row),
  lit: (state, data) => {
    const [first, last] = [0, -1].map((which) => looks_at(which)(state, data) >= 0.2);
    return first && last ? 2 : last ? 1 : 0;
  },
  crowded_full: crowded("full8"),
  crowded_delta: crowded("delta8"),
  first_look: looks_at(0),
  last_look: looks_at(-1),
  after_look: looks_after,
  old_delta: old("delta-x"),
  old_gated: old("gated-x"),
  again_delta: (state, data) => row_of("delta", data).right.again,
  astray: (state, data) => astray(compute(state, data)).head,
  after_many: (state, data) => kept_of(row_of(state.m, data), MANY).bytes,
  full_after_many: (state, data) => kept_of(row_of("full", data), MANY).bytes,
};
/** @type {Captions<State, Data>} */
export const captions = {
  shares: (state, data) => {
    const now = compute(state, data);
    if (!now.live) return WAITING;
    const after = looks_after(state, data) >= 0.2 ? ", {after_look:percent 0} on the operation after that" : "";
    const said = `On average, a head puts {first_look:percent 0} of its attention on the first write of {here.key}, **{last_look:percent 0}** on the last${after}.`;
    const { share, head, unit } = astray(now);
    if (0.2 > share) return said;
    const one = `{stream.units.${unit}.word} {stream.units.${unit}.key} {stream.units.${unit}.value:int}`;
    return `${said} Head {astray:int} puts {live.looks.${head}.${unit}:percent 0} of its attention on ${one}, which is not the key that the read asks for.`;
  },
  long: (state, data) =>
    row_of(state.m, data).resets
      ? "On streams four times as long as in training, **{model.title}** is right {model.long_all:percent 1} of the time; for keys mentioned long ago, {model.long_old:percent 1}."
      : "**{model.title}** was trained without resets.",
  sizes: () =>
    "After {meets.many:int} tokens, **{model.title}** stores {after_many:bytes}, full attention {full_after_many:bytes}. Not counted: the convolutions’ inputs, here {kept.conv:int} numbers.",
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @param {string} text */
const capital = (text) => text[0].toUpperCase() + text.slice(1);
/** @type {Goals<State, Data>} */
export const goals = {
  far_right: (state, data) => {
    if (state.m !== "window") return no("Choose the 24-token window.");
    const { here, live } = compute(state, data);
    if (!here.reads) return no("Put the cursor on a read.");
    const where = `${here.key} was written ${here.written} tokens back and last seen ${here.said} back`;
    if (FAR_BACK >= here.written) return no(`${capital(where)}: not far enough.`);
    if (!live) return no(WAITING);
    if (!live.here) return no(`${capital(where)}: the window answers ${live.answers[state.u]}.`);
    return { reached: true, says: `Reached: ${where}. A read in between repeated it.` };
  },
  old_value: (state, data) => {
    if (!["linear", "delta"].includes(state.m)) return no("Choose linear or delta.");
    const units = state.x.split(".").length;
    if (units > SHORT) return no(`${units} operations are too many.`);
    const [adding, delta] = ["linear", "delta"].map((m) => compute({ ...state, m }, data));
    const { here } = adding;
    if (!here.reads) return no("Put the cursor on a read.");
    if (!adding.live || !delta.live) return no(WAITING);
    const both = [adding.live, delta.live].map((live) => live.answers[state.u]);
    const said = `linear answers ${both[0]}, delta ${both[1]}; the right answer is ${here.truth}`;
    if (adding.live.here || !delta.live.here) return no(`${capital(said)}.`);
    return { reached: true, says: `Reached: ${said}.` };
  },
};

/** @param {BetMode | ""} bet */
const open = (bet) => bet === "open" || bet === "placed";
/**
 * The units pass one by one and turn face down; with reduced motion, a step each.
 * @type {FigureMaker<State, Data, Now>}
 */
export const cardsFigure = (el) => {
  const tiles = tiles_view();
  let now = /** @type {Now | null} */ (null);
  let [hide, u] = [true, 0];
  /** @param {number} t */
  const draw = (t) => {
    if (now) tiles.update(now, { u, hide, ask: true, only: u > Math.floor(t) ? Math.floor(t) : -1 });
  };
  const time = makeTransport({
    label: "the operations, one by one",
    length: 13,
    rate: 1,
    print: (node, t) => setAttrs(node, { text: `operation ${Math.floor(t) + 1}`, "data-index": true }),
    format: (t) => `operation ${Math.floor(t) + 1}`,
    onFrame: draw,
  });
  el.append(tiles.el, time.el);
  return {
    update: (state, made, { bet }) => {
      now = made;
      [hide, u] = [open(bet), state.u];
      time.el.hidden = !hide;
      if (!time.playing()) tiles.update(made, { u, hide, ask: hide, only: -1 });
    },
  };
};

/** @type {FigureMaker<State, Data, Now>} */
export const looksFigure = (el) => {
  const [tiles, heads] = [tiles_view(), heads_view()];
  el.append(tiles.el, heads.el);
  return {
    update: (state, now, { bet }) => {
      tiles.update(now, { u: state.u, ask: true });
      heads.el.hidden = open(bet) || !is_answered(now) || !own_writes(now).length;
      if (is_answered(now) && !heads.el.hidden) heads.update(now);
      else findIn(heads.el, "tbody").replaceChildren();
    },
  };
};

/** @type {FigureMaker<State, Data, Now>} */
export const chartFigure = (el, { data }) => {
  const view = chart_view(data);
  el.append(...view.el);
  return { update: (state, now, { bet }) => view.update(state, open(bet)) };
};

/** @type {FigureMaker<State, Data, Now>} */
export const tableFigure = (el) => {
  const [tiles, held, says] = [tiles_view(), state_view(), says_view()];
  el.append(tiles.el, h("div", { class: "cw-decoder-table" }, held.el, says.el));
  return {
    update: (state, now, { bet }) => {
      tiles.update(now, { u: state.u, ask: true });
      if (now.live?.state) held.update(now.live.state, state.h);
      if (open(bet) || !is_answered(now)) says.el.replaceChildren();
      else says.update(now);
    },
  };
};

/** @type {FigureMaker<State, Data, Now>} */
export const priceFigure = (el) => {
  const [ink, every] = [ink_view(), every_view("bytes", "bytes")];
  el.append(ink.el, every.el);
  return {
    update: (state, now, { bet }) => {
      ink.update(now, open(bet));
      if (open(bet)) every.el.replaceChildren();
      else every.update(now);
    },
  };
};

/** @type {FigureMaker<State, Data, Now>} */
export const crowdFigure = (el, { data }) => {
  const heat = heat_view(data);
  el.append(heat.el);
  return { update: (state, now, { bet }) => heat.update(now, open(bet)) };
};

/** @type {FigureMaker<State, Data, Now>} */
export const gatesFigure = (el) => {
  const [tiles, gates] = [tiles_view(), gates_view()];
  el.append(tiles.el, gates.el);
  return {
    update: (state, now, { bet }) => {
      tiles.update(now, { u: state.u, ask: true });
      gates.el.hidden = open(bet);
      if (!open(bet)) gates.update(now);
      else findIn(gates.el, "tbody").replaceChildren();
    },
  };
};
