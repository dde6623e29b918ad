/* What the beats of next-token ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { h, setAttrs, setText } from "../kit/dom.js";
import { fmt, withState } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { load, running, waitingWords, whenLoaded } from "./load.js";
import { cache_view, candidates_view, draw_view, look_view, tokens_view } from "./view.js";

/** @import { State } from "../../.make/data_types/next-token.d.ts" */
/** @import { Answers, Captions, FigureMaker, FigureView, Goal, Goals } from "../kit/beats.js" */
/** @import { Answered, Data, Look, Now, Shown } from "./compute.js" */

const WAITING = "The model, {model.file:bytes}, is loading.";
/** @param {State} state @param {Data} data */
const nextOf = (state, data) => compute(state, data).next;

/** @type {Answers<State, Data>} */
export const answers = {
  best: (state, data) => nextOf(state, data)?.rows[0].share ?? 0,
  kept: (state, data) => nextOf(state, data)?.kept ?? 0,
  most: (state, data) => OPTIONS.indexOf(compute(state, data).look?.best.at ?? -1),
  anew: (_, data) => (data.edited.moved[0] ? 0 : data.edited.moved[data.edited.moved.length - 1] ? 1 : 2),
  changed: (_, data) => data.edited.moved.filter(Boolean).length,
};
/** The tokens among which the bet on the head chooses. */
const OPTIONS = [3, 9, 10];

/** @param {string} words */
const answered = (words) => (/** @type {State} */ state, /** @type {Data} */ data) =>
  nextOf(state, data) ? words : WAITING;

/** @type {Captions<State, Data>} */
export const captions = {
  next: answered(
    "Best candidate: **{next.rows.0.name:text}**, with a probability of {next.rows.0.share:percent 1}. The {model.vocabulary:int} probabilities add up to one.",
  ),
  looks: (state, data) =>
    compute(state, data).look
      ? "“{look.name:text}” attends most to **{look.best.name:text}**: {look.best.weight:percent 1} in head {head:int} of layer {layer:int}."
      : WAITING,
  tempered: answered(
    "At temperature {temperature:num 2}: **{next.rows.0.name:text}** {next.rows.0.share:percent 1}. Grey ticks: without it, {next.rows.0.plain:percent 1}.",
  ),
  sampled: answered(
    "**{next.kept:int} tokens** are kept; before the cut they held {next.held:percent 1} of the probability. Drawn: {next.taken.name:text}.",
  ),
  grown: () =>
    "Blue: computed again. Each new token adds {cache.per_token:int} bytes; {model.context:int} tokens fill {cache.most:int}.",
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  broad: (state, data) => {
    const next = nextOf(state, data);
    if (!next) return no("This text needs the model; load it.");
    const best = fmt.percent(next.rows[0].kept, 1);
    if (8 > next.kept || 0.5 >= next.rows[0].kept)
      return no(`Now ${fmt.int(next.kept)} candidates; the best has ${best}.`);
    return { reached: true, says: `Reached: ${fmt.int(next.kept)} candidates, and ${next.rows[0].name} has ${best}.` };
  },
  before: (state, data) => {
    const { look } = compute(state, data);
    if (!look) return no("This head needs the model; load it.");
    const [weight, name] = [fmt.percent(look.best.weight, 1), look.best.name];
    if (look.best.at !== look.at - 1 || 2 > look.at)
      return no(`Layer ${state.layer}, head ${state.head}: “${look.name}” attends most to “${name}”, ${weight}.`);
    if (0.5 > look.best.weight) return no(`Nearly: ${weight} on ${name}, the token before. The goal is 50 %.`);
    return { reached: true, says: `Reached: layer ${state.layer}, head ${state.head}, ${weight} on ${name}.` };
  },
};

/**
 * A figure that is drawn again once the weights are here.
 * @param {(el: HTMLElement, data: Data) => (now: Shown, hide: boolean) => void} make
 * @param {"next" | "look"} [wants]
 * @returns {FigureMaker<State, Data, Now>}
 */
const drawing =
  (make, wants = "next") =>
  (el, { data, onSet }) => {
    const waiting = h("p", { class: "cw-note" });
    const box = h("div");
    const draw = make(box, data);
    el.append(box, waiting);
    /** @type {{ state: State, hide: boolean } | null} */
    let shown = null;
    /** @param {State} state @param {boolean} hide */
    const update = (state, hide) => {
      const now = /** @type {Shown} */ (withState(state, compute(state, data)));
      const ready = Boolean(now[wants]);
      if (!ready && !running(data)) load(data);
      waiting.hidden = ready;
      if (!ready) setText(waiting, waitingWords());
      box.hidden = !now.next;
      draw(now, hide);
    };
    whenLoaded(() => {
      if (!shown) return;
      update(shown.state, shown.hide);
      onSet({ text: shown.state.text });
    });
    return {
      update: (state, _, { bet }) => {
        shown = { state, hide: bet === "open" || bet === "placed" };
        update(state, shown.hide);
      },
    };
  };

export const tokensFigure = /* @__PURE__ */ drawing((el, data) => {
  const [chips, bars, way] = [tokens_view(), candidates_view(), h("p", { class: "cw-note" })];
  el.append(chips.el, way, bars.el);
  return (now, hide) => {
    setText(way, `↓ ${data.facts.layers} layers ↓`);
    setAttrs(way, { "data-index": true });
    if (!now.next) return;
    chips.update(/** @type {Answered} */ (now));
    bars.update(/** @type {Answered} */ (now), hide);
  };
});
export const lookFigure = /* @__PURE__ */ drawing((el) => {
  const look = look_view();
  el.append(look.el);
  return (now, hide) => {
    look.el.hidden = !now.look;
    if (now.look) look.update(/** @type {Shown & { look: Look }} */ (now), hide);
  };
}, "look");
export const candidatesFigure = /* @__PURE__ */ drawing((el) => {
  const bars = candidates_view();
  el.append(bars.el);
  return (now, hide) => {
    if (now.next) bars.update(/** @type {Answered} */ (now), hide);
  };
});
const STORIES = [
  "greedy, from “Elizabeth could not”",
  "drawn at temperature 0.8, top-p 0.95",
  "another draw, same settings",
];
export const samplesFigure = /* @__PURE__ */ drawing((el, data) => {
  const [bars, draws] = [candidates_view(), draw_view()];
  const stories = data.stories.texts.map((text, i) =>
    h("p", { class: "cw-next-token-story", "data-index": true }, h("b", { text: STORIES[i] }), text),
  );
  el.append(bars.el, draws.el, ...stories);
  return (now, hide) => {
    draws.el.hidden = hide;
    for (const story of stories) story.hidden = hide;
    if (!now.next) return;
    bars.update(/** @type {Answered} */ (now), hide);
    draws.update(/** @type {Answered} */ (now));
  };
});
export const cacheFigure = /* @__PURE__ */ drawing((el, data) => {
  const [chips, cache] = [tokens_view(), cache_view({ moved: data.edited.moved })];
  el.append(chips.el, cache.el);
  return (now, hide) => {
    if (now.next) chips.update(/** @type {Answered} */ (now), data.edited.at);
    cache.update(now, hide);
  };
});
