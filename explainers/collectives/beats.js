/* What the beats of collectives ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { setAttrs } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";
import { LOW, time_chart } from "./chart.js";
import { compute } from "./compute.js";
import { KEYS } from "./lab_controls.js";
import { player } from "./player.js";
import { crossover_of, evaluate, time_of } from "./timed.js";
import { run_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/collectives.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Point } from "./chart.js" */
/** @import { Now } from "./compute.js" */

/** @param {State} state @param {Data} data @param {string} algorithm @param {"steps" | "busiest" | "serial"} what */
const known = (state, data, algorithm, what) => evaluate(data.formulas[`${state.op} ${algorithm}`][what], state.ranks);
/** @param {State} state @param {Data} data @param {string} algorithm */
const times_straight = (state, data, algorithm) =>
  known(state, data, algorithm, "busiest") / known(state, data, "direct", "busiest");
/** @type {Answers<State, Data>} */
export const answers = {
  half: (state, data) => Math.floor(known(state, data, "ring", "steps") / 2),
  array: (state) => 2 ** state.message,
  twice: (state) => 2 * 2 ** state.message,
  ring_steps: (state, data) => known(state, data, "ring", "steps"),
  tree_steps: (state, data) => known(state, data, "tree", "steps"),
  later: (state, data) => known(state, data, "ring", "steps") - known(state, data, "tree", "steps"),
  ring_arrays: (state, data) => known(state, data, "ring", "serial") / state.ranks,
  tree_arrays: (state, data) => known(state, data, "tree", "serial") / state.ranks,
  straight: (state, data) => known(state, data, "direct", "busiest"),
  times_straight: (state, data) => times_straight(state, data, state.algorithm),
  round_about: (state, data) => {
    const ratio = times_straight(state, data, "ring");
    return ratio >= 3 ? 2 : ratio >= 1.5 ? 1 : 0;
  },
};

/** @param {State} state @param {Data} data */
const meets = (state, data) => {
  if (!crossover_of(state.op, state.ranks, state, data))
    return "On {ranks:int} ranks, there is no crossover: the same algorithm is faster at every size.";
  return "On {ranks:int} ranks, ring and tree take the same time at **{crossover:kib}**: the ring’s {later:int} extra start-ups then take as long as the tree’s extra bytes.";
};

/** @type {Captions<State, Data>} */
export const captions = { meets };

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @param {State} state @param {Data} data @returns {Goal} */
const small_fast = (state, data) => {
  const { op, ranks, message, per_node, alpha, bandwidth, algorithm } = state;
  if ([op, ranks, message, per_node, alpha, bandwidth].join() !== "all-reduce,4,16,16,5,450")
    return no("This goal needs an all-reduce of 64 KiB on 4 ranks of one node, with α 5 µs and 450 GB/s.");
  const { time_us, words } = compute(state, data);
  if (time_us >= 25) return no(`The ${algorithm} takes ${words.time}; ${words.steps} of that is start-up.`);
  const hint = algorithm === "tree" ? "Direct is faster still." : "The tree reaches it too and sends less.";
  return { reached: true, says: `Reached with ${algorithm}: ${words.time}. ${hint}` };
};
/** @param {State} state @param {Data} data @returns {Goal} */
const large_fast = (state, data) => {
  const { op, ranks, message, per_node, alpha, bandwidth, algorithm } = state;
  if ([op, ranks, message, per_node].join() !== "all-reduce,16,27,16")
    return no("This goal needs an all-reduce of 128 MiB on 16 ranks of one node.");
  const { time_us, words } = compute(state, data);
  if (time_us >= 600) return no(`With ${algorithm} it takes ${words.time}; ${words.steps} of that is start-up.`);
  const [wider, quicker] = [bandwidth > 450, 5 > alpha];
  const hint =
    algorithm !== "ring"
      ? "The ring needs less bandwidth."
      : wider && quicker
        ? "One change may be enough."
        : `${wider ? "Faster start-up" : "More bandwidth"} would be enough too.`;
  return { reached: true, says: `Reached with ${algorithm}: ${words.time}. ${hint}` };
};

/** @type {Goals<State, Data>} */
export const goals = { small_fast, large_fast };

/** @param {BetMode | ""} bet */
const hushed = (bet) => bet === "open" || bet === "placed";

/* The lab's drawing and its buttons; while a bet is open it tells no number of steps and cannot be played. */
/** @type {FigureMaker<State, Data, Now>} */
export const runFigure = (el, { onSet }) => {
  const view = run_view(450);
  /** What is drawn, and how wide. @type {{ state: State, now: Now, width: number, hush: boolean } | null} */
  let drawn = null;
  let quiet = false;
  /** @param {number} t */
  const show = (t) => {
    if (drawn) view.draw(drawn.state, drawn.now, drawn.width, t, drawn.hush);
  };
  const play = player({
    run: () => drawn?.now,
    onFrame: show,
    onStop: (t) => {
      if (!quiet) onSet({ step: Math.round(t) });
    },
  });
  el.append(view.svg, play.el);
  /** @type {ReturnType<FigureMaker<State, Data, Now>>["update"]} */
  const update = (state, now, { width, bet }) => {
    const before = drawn;
    if (before && play.playing() && KEYS.some((key) => before.state[key] !== state[key])) {
      quiet = true;
      play.stop();
      quiet = false;
    }
    const hush = hushed(bet);
    drawn = { state, now, width, hush };
    play.el.hidden = hush;
    const step = play.set(state.step);
    if (!play.playing()) show(step);
    setAttrs(view.svg, {
      "aria-label": `${state.ranks} ranks, each a column of chunks.${hush ? "" : ` After ${now.at.words} steps, ${now.at.finished} of ${now.at.wanted} slots are finished.`}`,
    });
  };
  return { update };
};

/* Ring and tree above the bet's line: only their ends until the answer is shown. */
/** @type {FigureMaker<State, Data, Now>} */
export const chartFigure = (el) => {
  const chart = time_chart({ to: 30, height: 280 });
  el.append(chart.svg);
  /** @type {ReturnType<FigureMaker<State, Data, Now>>["update"]} */
  const update = (state, now, { width, bet, guess }) => {
    /** @param {string} name @param {number} message */
    const time = (name, message) => time_of(name, { ...state, message });
    const ends = hushed(bet);
    const size = ends ? guess : now.crossover;
    const inside = size && Math.log2(size) >= LOW && 30 >= Math.log2(size);
    const small = matchMedia("(max-width: 700px)").matches;
    /** @type {Point[]} */
    const dots = ends
      ? ["ring", "tree"].flatMap((a) => [LOW, 30].map((m) => /** @type {Point} */ ([state.algorithm, m, time(a, m)])))
      : inside
        ? [[state.algorithm, Math.log2(size), time("ring", Math.log2(size))]]
        : [];
    chart.update(state, {
      names: ["ring", "tree"],
      width,
      left: small ? 48 : 60,
      right: small ? 20 : 24,
      at: inside ? Math.log2(size) : null,
      points: dots,
      ends,
    });
    setAttrs(chart.svg, {
      "aria-label": `Time of ring and tree against message size, both axes logarithmic.${!ends && inside ? ` They cross at ${fmt.kib(size)}.` : ""}`,
    });
  };
  return { update };
};
