/* What the beats of roofline ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { setAttrs } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { blocks_view, reads_view } from "./bars.js";
import { compute } from "./compute.js";
import { roof_view } from "./roof.js";

/** @import { Answers, Captions, FigureMaker, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Data, State } from "../../.make/data_types/roofline.d.ts" */
/** @import { Hide } from "./bars.js" */
/** @import { Now } from "./compute.js" */

/** @satisfies {Answers<State, Data>} */
export const answers = {
  moves: (state, data) => {
    const [one, many] = [1, 64].map((batch) => compute({ ...state, batch }, data).past.intensity);
    return 1e-9 * one >= Math.abs(many - one) ? 1 : many > one ? 0 : 2;
  },
  read_tb: (state, data) => state.gpus * compute(state, data).device.tb,
  made_tflops: (state, data) => {
    const { flops, flops_ms } = compute(state, data).total;
    return flops_ms ? flops / flops_ms / 1e9 : 0;
  },
  past_of_peak: (state, data) => {
    const { past, device } = compute(state, data);
    return past.tflops / (device.plain / 1e12);
  },
};

/** @satisfies {Captions<State, Data>} */
export const captions = {
  one: () =>
    "**Bytes: {total.bytes:bytes} ÷ {read_tb:num 3} TB/s = {total.bytes_ms:fixed 2} ms.** Arithmetic: {total.work} ÷ {made_tflops:fixed 0} TFLOP/s = {total.flops_ms:fixed 4} ms.",
  climbed: (state, data) => {
    const { mlp } = compute(state, data);
    const many = state.batch === 1 ? "sequence" : "sequences";
    return `**With {batch:int} ${many}, the MLPs do {mlp.intensity:fixed 0} FLOP per byte and take {mlp.time}.** They are ${mlp.ridge > mlp.intensity ? "memory" : "compute"}-bound: the ridge is at {mlp.ridge:fixed 0}.`;
  },
  stayed: (state) =>
    `**Attention over the cache of {title} does {past.intensity:num 3} FLOP per byte with {batch:int} sequence${state.batch === 1 ? "" : "s"}.** Every sequence reads its own cache, so more sequences also mean more bytes. It reaches {past_of_peak:percent} of the peak.`,
};

const { int, fixed, bytes: bytes_of } = fmt;
const [LLAMA, V3] = ["meta-llama/Llama-3.1-8B", "deepseek-ai/DeepSeek-V3"];
/** @param {string} says */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  serve: (state, data) => {
    if ([state.model, state.job, state.gpus, state.batch, state.context].join() !== `${LLAMA},decode,1,64,8192`)
      return no("This goal needs Llama 3.1 8B decoding 64 sequences of 8,192 tokens on one GPU.");
    const { total, room, device } = compute(state, data);
    const took = `a step takes ${fixed(total.ms, 2)} ms`;
    const held = `${bytes_of(room.held)} of ${bytes_of(room.room)}`;
    if (!room.fits)
      return no(
        `On ${device.title}, ${took}, but weights and cache would fill ${held}. Try a smaller cache or a GPU with more memory.`,
      );
    if (total.ms > 25) return no(`On ${device.title}, weights and cache fit (${held}), but ${took}.`);
    const other =
      state.kv === "fp8" ? "A GPU with more memory reaches it in 16 bits." : "A smaller cache reaches it on an H100.";
    return { reached: true, says: `Reached on ${device.title}: ${took} and fills ${held}. ${other}` };
  },
  turned: (state, data) => {
    if (state.model !== V3 || state.job !== "decode") return no("This goal needs DeepSeek V3 in decoding.");
    const { past, device } = compute(state, data);
    const where = `${int(past.intensity)} FLOP per byte, and the ridge of ${device.title} in 16 bits is ${int(device.plain_ridge)}`;
    if (device.plain_ridge >= past.intensity) return no(`${where}: attention is bound by reading the cache.`);
    const other =
      state.kv === "fp8"
        ? "Some devices reach it without a smaller cache."
        : "A cache in FP8 reaches it on more devices.";
    return { reached: true, says: `Reached: ${where}. ${other}` };
  },
};

/** @param {BetMode | ""} bet */
const opened = (bet) => bet === "open" || bet === "placed";
/**
 * @type {(make: () => { el: readonly Node[], update(now: State & Now, hide: Hide): void }, hide?: Hide) =>
 * FigureMaker<State, Data, Now>}
 */
const figure =
  (make, hide = false) =>
  (el) => {
    const view = make();
    el.append(...view.el);
    return { update: (state, now, { bet }) => view.update({ ...state, ...now }, opened(bet) && hide) };
  };
export const tokenFigure = /* @__PURE__ */ figure(blocks_view, "time");
export const promptFigure = /* @__PURE__ */ figure(blocks_view, "work");
export const bothFigure = /* @__PURE__ */ figure(() => roof_view(["mlp", "past"]));
export const expertsFigure = /* @__PURE__ */ figure(() => roof_view(["mixer", "mlp"]));
export const readsFigure = /* @__PURE__ */ figure(reads_view);
/** The MLPs climb the roof as the batch doubles. @type {FigureMaker<State, Data, Now>} */
export const climbFigure = (el, { data, onSet }) => {
  const view = roof_view(["mlp"]);
  /** @type {[now: Now | null, state: State | null]} */
  let [now, state] = [null, null];
  /** @param {number} t @returns {State} */
  const at = (t) => ({ .../** @type {State} */ (state), batch: Math.round(2 ** t) });
  /** @param {number} t @param {boolean} hide */
  const show = (t, hide) => view.update({ ...at(t), ...compute(at(t), data) }, hide);
  /** @param {number} t */
  const said = (t) => `${int(at(t).batch)} sequence${at(t).batch === 1 ? "" : "s"}`;
  const player = makeTransport({
    label: "sequences",
    length: 12,
    rate: 1.5,
    format: (t) => (state ? said(t) : ""),
    print: (node, t) => {
      if (state) setAttrs(node, { text: said(t), "data-index": true });
    },
    onFrame: (t) => {
      if (now) show(t, false);
    },
    onStop: (t) => onSet({ batch: at(t).batch }),
  });
  el.append(...view.el, player.el);
  return {
    update: (given, found, { bet }) => {
      [state, now] = [given, found];
      player.el.hidden = opened(bet);
      player.length(12);
      player.set(Math.log2(given.batch));
      if (!player.playing()) view.update({ ...given, ...found }, opened(bet));
    },
  };
};
