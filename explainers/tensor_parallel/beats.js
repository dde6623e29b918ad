/* What the beats of tensor-parallel ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { setAttrs } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { memory_of, total_of } from "./memory.js";
import { known_model, legal_ranks } from "./shapes.js";
import { layer_view, player } from "./view.js";
import { layer_words } from "./words.js";
import { zero_cards } from "./zero.js";

/** @import { Data, State } from "../../.make/data_types/tensor-parallel.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Now, Shown } from "./compute.js" */

const MODEL = "meta-llama/Llama-3.1-70B";
/** @param {State} state @param {Data} data */
const meetings = (state, data) => new Set(compute(state, data).log.map((row) => row[0])).size;
/** @param {State} state @param {Data} data @param {number} t */
const held_on = (state, data, t) =>
  total_of(memory_of(known_model(state, data), t, state.sequence_parallel, state.sequence));
/** @param {State} state @param {Data} data */
const sends_more = (state, data) => {
  const [old, now] = [false, true].map(
    (sequence_parallel) => compute({ ...state, sequence_parallel }, data).sent.layer.counted,
  );
  return now > old ? 0 : now === old ? 1 : 2;
};
/** @type {Answers<State, Data>} */
export const answers = {
  meetings,
  how_often: (state, data) => [1, 2, 4].indexOf(meetings(state, data)),
  never: (state, data) => 2 * compute(state, data).sent.pass.message,
  held: (state, data) => held_on(state, data, state.tp),
  eight: (state, data) => held_on(state, data, 8),
  half_eight: (state, data) => held_on(state, data, 8) / 2,
  sends_more,
  how: (state) => (state.sequence_parallel ? "A reduce-scatter and an all-gather" : "An all-reduce"),
  whole_stream: (state, data) => compute(state, data).message_bytes,
  traffic: (state, data) => {
    const { sent } = compute(state, data).zero;
    const plain = data.conventions[state.convention].travels * 2 * ((state.dp - 1) / state.dp);
    return plain ? (sent.weights + sent.gradients) / plain : 1;
  },
};

/** @type {Captions<State, Data>} */
export const captions = {
  moment: (state, data) => {
    const [, says] = compute(state, data).moments[state.step];
    return `**Step {at.words}: {moments.${state.step}.0}.** ${says[0].toUpperCase()}${says.slice(1)}.`;
  },
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @param {State} state @param {Data} data @returns {Goal} */
const few_cards = (state, data) => {
  if (state.model !== MODEL || state.sequence !== 8192) return no("This goal needs Llama 3.1 70B and 8,192 tokens.");
  const held = held_on(state, data, state.tp);
  const now = `On ${state.tp} ${state.tp === 1 ? "rank" : "ranks"}, each holds ${fmt.bytes(held)}`;
  if (held > 24e9) return no(`${now}.`);
  const fewer = Math.max(...legal_ranks(known_model(state, data)).filter((t) => state.tp > t));
  if (24e9 >= held_on(state, data, fewer)) return no(`${now}. Fewer ranks are enough.`);
  return {
    reached: true,
    says: `Reached. ${now}. Half as many would need ${fmt.bytes(held_on(state, data, fewer))} each.`,
  };
};
/** @param {State} state @param {Data} data @returns {Goal} */
const train_64 = (state, data) => {
  if (state.model !== MODEL || state.dp !== 64) return no("This goal needs Llama 3.1 70B on 64 data-parallel ranks.");
  const bytes = compute(state, data).zero.rank_bytes;
  const now = `With ZeRO stage ${state.stage}, each rank keeps ${fmt.bytes(bytes)}`;
  if (bytes >= 80e9) return no(`${now}.`);
  return { reached: true, says: `Reached. ${now}, before activations. Gradients kept in fp32 would fit too.` };
};

/** @type {Goals<State, Data>} */
export const goals = { few_cards, train_64 };

/** @param {BetMode | ""} bet */
const hushed = (bet) => bet === "open" || bet === "placed";

/* The lab's drawing and its buttons; while a bet is open it shows no meeting and cannot be played. */
/** @type {FigureMaker<State, Data, Now>} */
export const layerFigure = (el, { data, onSet }) => {
  const view = layer_view(() => true);
  /** @type {Shown | null} */
  let now = null;
  let quiet = false;
  const play = player({
    run: () => now,
    onFrame: (t) => {
      if (now) view.at(t, now);
    },
    onStop: (t) => {
      if (!quiet) onSet({ step: Math.floor(t) });
    },
  });
  el.append(view.svg, play.el);
  /** @type {ReturnType<FigureMaker<State, Data, Now>>["update"]} */
  const update = (state, out, { width, bet }) => {
    if (play.playing()) {
      quiet = true;
      play.stop();
      quiet = false;
    }
    const hush = hushed(bet);
    now = { ...state, ...out };
    const row = known_model(state, data);
    play.el.hidden = hush;
    view.draw(row, now, width, state.step, hush);
    play.set(state.step);
    view.at(state.step, state);
    setAttrs(view.svg, { "aria-label": layer_words(row, now, hush) });
  };
  return { update };
};

/* What every rank keeps; the cards of the lab. */
/** @type {FigureMaker<State, Data, Now>} */
export const zeroFigure = (el) => {
  const cards = zero_cards();
  el.append(cards.svg, cards.legend);
  return { update: (state, now, { width }) => cards.draw(now, state, width) };
};
