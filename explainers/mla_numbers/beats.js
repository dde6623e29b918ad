/* What the beats of mla-numbers ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { fmt } from "../kit/numbers.js";
import { gpus_view, grow_view, ways_view } from "./charts.js";
import { circuits_player } from "./circuits.js";
import { compute } from "./compute.js";
import { circuits_of } from "./toy.js";
import { carry_view, unpack_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/mla-numbers.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Now, Shown } from "./compute.js" */

/** @param {State} state @param {Data} data @param {"absorbed" | "unpacked"} way */
const tera_of = (state, data, way) => compute(state, data).grow.now[way] / 1e12;
/** @type {Answers<State, Data>} */
export const answers = {
  compared: (state) => {
    const { apart } = circuits_of(state.turn, state.head);
    return 1e-9 > apart ? 2 : 0.01 > apart ? 1 : 0;
  },
  absorbed_tera: (state, data) => tera_of(state, data, "absorbed"),
  unpacked_tera: (state, data) => tera_of(state, data, "unpacked"),
  other_less: (state, data) => {
    const { gpus } = compute(state, data);
    return gpus.each / gpus.other.each;
  },
};

/** @type {Captions<State, Data>} */
export const captions = {
  placed: ({ turn }) => {
    if (turn === "every")
      return "**{carry.different:int} different products for {carry.span:int} distances.** With one absorbed query for all of them, scores are off by up to {toy.apart:fixed 2}.";
    return `**One product for all {carry.span:int} distances**: ${turn === "apart" ? "only the small key is rotated, outside the matrix" : "nothing is rotated"}.`;
  },
  grown: (state, data) => {
    const here = `With {fresh:int} new token${state.fresh > 1 ? "s" : ""}, each layer needs {absorbed_tera:sig 3} TFLOP absorbed and {unpacked_tera:sig 3} TFLOP unpacked.`;
    if (!compute(state, data).grow.crossing)
      return `**Absorption costs fewer FLOP for any number of new tokens.** ${here}`;
    return `**With {grow.crossing:int} new tokens or more, unpacking costs fewer FLOP.** ${here}`;
  },
  dealt: (state, data) => {
    const gpus = state.ranks === 1 ? "one GPU" : "each of {ranks:int} GPUs";
    const each = `**{size.title} stores {gpus.each:bytes KB} per token on ${gpus}`;
    if (state.split === "sequences")
      return `${each}, on average.** No token is stored twice, but there must be enough sequences to split.`;
    if (state.ranks === 1) return `${each}.** There is nothing to split yet.`;
    const odd =
      compute(state, data).size.heads % state.ranks
        ? " {size.heads:int} heads do not split evenly, which changes nothing here."
        : "";
    return `${each}, the same on all.** {gpus.other.title} stores {other_less:fixed 1} times less on each GPU.${odd}`;
  },
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  broken: (state, data) => {
    const { toy } = compute(state, data);
    if (toy.equal)
      return no(
        `While ${state.turn === "none" ? "nothing is rotated" : "only the small key is rotated"}, both sides agree up to rounding. Which rotation cannot be absorbed?`,
      );
    return {
      reached: true,
      says: `Reached: with every key rotated, scores differ by up to ${fmt.fixed(toy.apart, 2)}. Latents would have to be unpacked.`,
    };
  },
  no_gain: (state, data) => {
    const { kept } = compute(state, data);
    const [found, limit] = [fmt.int(kept.numbers), fmt.int(kept.grouped_numbers)];
    if (kept.grouped_numbers > kept.numbers)
      return no(
        `The latent takes ${found} numbers, eight KV heads ${limit}. The number of heads does not matter. Which sizes do?`,
      );
    if (kept.numbers === kept.grouped_numbers)
      return no(`The latent takes ${found} numbers, exactly as many as eight KV heads. Enlarge it a little more.`);
    return {
      reached: true,
      says: `Reached: the latent takes ${found} numbers, eight KV heads ${limit}. Unpacked keys and values would be ${fmt.int(kept.unpacked_numbers)}.`,
    };
  },
};

/**
 * @param {() => { el: Element | Element[], update: (now: Shown, hide: boolean) => void }} make
 * @returns {FigureMaker<State, Data, Now>}
 */
const drawing = (make) => (el) => {
  const view = make();
  el.append(...[view.el].flat());
  return { update: (state, now, { bet }) => view.update({ ...state, ...now }, bet === "open" || bet === "placed") };
};
export const unpackFigure = /* @__PURE__ */ drawing(unpack_view);
export const waysFigure = /* @__PURE__ */ drawing(() => ways_view(2));
export const carryFigure = /* @__PURE__ */ drawing(carry_view);
export const growFigure = /* @__PURE__ */ drawing(grow_view);
export const gpusFigure = /* @__PURE__ */ drawing(gpus_view);
/** @type {FigureMaker<State, Data, Now>} */
export const circuitsFigure = (el, { onSet }) => {
  const player = circuits_player((step) => onSet({ step }));
  el.append(...player.el);
  return { update: (state, now, { bet }) => player.update({ ...state, ...now }, bet === "open" || bet === "placed") };
};
