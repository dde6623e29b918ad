/* Twin of beats.py: answers, captions, goals and figures of the beats; the page alone loads it. */
import { fmt } from "../kit/numbers.js";
import { gpus_view, grow_view, ways_view } from "./charts.js";
import { circuits_of, compute } from "./compute.js";
import { carry_view, circuits_player, unpack_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/mla-numbers.d.ts" */
/** @import { Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Now, Shown } from "./compute.js" */

/** @type {{ [name: string]: (state: State, data: Data) => number }} */
export const answers = {
  compared: (state) => {
    const { apart } = circuits_of(state.turn, state.head);
    return 1e-9 > apart ? 2 : 0.01 > apart ? 1 : 0;
  },
};

/** @param {number} flops */
const tera = (flops) => `${fmt.sig(flops / 1e12, 3)} TFLOP`;
/** @type {Captions<State, Data>} */
export const captions = {
  placed: (state, data) => {
    const { carry, toy } = compute(state, data);
    const span = fmt.int(carry.span);
    if (state.turn === "every")
      return `**${fmt.int(carry.different)} different products for ${span} distances.** Carried only once, scores come out up to ${fmt.fixed(toy.apart, 2)} wrong.`;
    return `**One product for all ${span} distances**: ${state.turn === "apart" ? "the small key alone turns, outside the matrix" : "nothing turns"}.`;
  },
  grown: (state, data) => {
    const { grow } = compute(state, data);
    const here = `With ${state.fresh} new token${state.fresh > 1 ? "s" : ""}: absorbed ${tera(grow.now.absorbed)}, unpacked ${tera(grow.now.unpacked)} in each layer.`;
    if (!grow.crossing) return `**Absorbed costs fewer FLOP, however many tokens are new.** ${here}`;
    return `**From ${fmt.int(grow.crossing)} new tokens on unpacking costs fewer FLOP.** ${here}`;
  },
  dealt: (state, data) => {
    const { gpus, size } = compute(state, data);
    const each = `**${size.title}: ${fmt.bytes(gpus.each, "KB")} of a token on each of ${state.ranks}`;
    if (state.split === "sequences")
      return `${each}, on average.** No token is kept twice, and sequences must be many enough to share out.`;
    if (state.ranks === 1) return `${each}.** There is nothing to share out yet.`;
    const odd =
      size.heads % state.ranks ? ` ${size.heads} heads do not share out evenly, which changes nothing here.` : "";
    return `${each}, the same on all.** ${gpus.other.title} keeps ${fmt.fixed(gpus.each / gpus.other.each, 1)} times less there.${odd}`;
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
        `While ${state.turn === "none" ? "nothing turns" : "only the small key turns"}, both circuits agree to the last bits. What may not stand before the matrix?`,
      );
    return {
      reached: true,
      says: `Reached: with every key turned, scores are up to ${fmt.fixed(toy.apart, 2)} apart. Latents would have to be unpacked again.`,
    };
  },
  no_gain: (state, data) => {
    const { kept } = compute(state, data);
    const [found, limit] = [fmt.int(kept.numbers), fmt.int(kept.grouped_numbers)];
    if (kept.grouped_numbers > kept.numbers) return no(`${found} numbers of ${limit}. Heads do not count: what does?`);
    if (kept.numbers === kept.grouped_numbers) return no(`${found} numbers, exactly as many. A little more?`);
    return {
      reached: true,
      says: `Reached: ${found} numbers against ${limit}. Unpacked they are ${fmt.int(kept.unpacked_numbers)}.`,
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
