/* What the beats of heads ask, say and draw: answers, goals and figures; the page alone loads it. */

import { h, s, setAttrs, setText } from "../kit/dom.js";
import { gettext } from "../kit/gettext.js";
import { makeLegend } from "../kit/headings.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { fansView } from "./fans.js";
import { latentView } from "./latent.js";
import { pairsView } from "./pairs.js";
import { ranksView } from "./ranks.js";
import { readsWords } from "./words.js";

/** @import { Data, State } from "../../.make/data_types/heads.d.ts" */
/** @import { Figure, FigureMaker, Goals } from "../kit/beats.js" */
/** @import { Now } from "./compute.js" */

/**
 * @param {State} state
 * @param {Data} data
 * @param {Partial<State>} [changes]
 */
const reading = (state, data, changes) => compute({ ...state, ...changes }, data);
const MODEL = "meta-llama/Llama-3.1-70B";
/** @param {State} state */
const goalsOf = (state) => state.model === MODEL && state.context === 131072;
const about = () => ({ reached: false, says: gettext("This goal needs Llama 3.1 70B and 128k tokens.") });
/** @param {Now} now */
const keptWords = (now) =>
  now.kv > 1 ? gettext("{kv} KV heads", { kv: now.kv }) : now.kv ? gettext("1 KV head") : gettext("a latent");

/**
 * @param {State} state
 * @param {Data} data
 */
const goalFits = (state, data) => {
  const now = reading(state, data);
  const said = { kept: keptWords(now), held: fmt.bytes(now.holds_bytes) };
  if (!goalsOf(state)) return about();
  if (now.holds_bytes > 20e9) return { reached: false, says: gettext("With {kept}, the cache takes {held}.", said) };
  const hint = now.kv ? gettext("MLA would fit too, with 64 different keys.") : gettext("Two KV heads would fit too.");
  return { reached: true, says: gettext("Reached with {kept}: {held}. {hint}", { ...said, hint }) };
};

/**
 * @param {State} state
 * @param {Data} data
 */
const goalNoCopies = (state, data) => {
  if (!goalsOf(state)) return about();
  const [now, today] = [reading(state, data), reading(state, data, { kv: -1, tp: 16 })];
  const [each, held] = [today, now].map((one) => fmt.bytes(one.tp.bytes_per_rank * 131072));
  const said = { kept: keptWords(now), each, held, copies: now.tp.copies };
  if (state.tp !== 16)
    return {
      reached: false,
      says: gettext("With 8 KV heads, each of 16 GPUs stores {each}, and every KV head is stored twice.", said),
    };
  if (now.tp.copies > 1)
    return {
      reached: false,
      says: gettext("With {kept}, each GPU stores {held}, and every number is stored {copies} times.", said),
    };
  if (now.tp.bytes_per_rank > today.tp.bytes_per_rank)
    return { reached: false, says: gettext("Nothing is copied, but each GPU stores {held}, more than {each}.", said) };
  return {
    reached: true,
    says: gettext("Reached with {kept}: {held} on each GPU, as much as before, and no copies.", said),
  };
};

/** @type {{ [name: string]: (state: State, data: Data) => number }} */
export const answers = {
  weights_bytes: (state, data) => data.weights_bytes,
  of_weights: (state, data) => reading(state, data).holds_bytes / data.weights_bytes,
  mha_bytes: (state, data) => reading(state, data, { kv: reading(state, data).heads, tp: 1 }).bytes_per_token,
  mqa_bytes: (state, data) => reading(state, data, { kv: 1, tp: 1 }).bytes_per_token,
  own_bytes: (state, data) => reading(state, data, { kv: -1, tp: 1 }).bytes_per_token,
};

/** @type {FigureMaker<State, Data, Now>} */
export const gridFigure = (el) => {
  const view = pairsView();
  el.append(...view.els);
  return { update: (_, now) => view.update(now) };
};

/** @type {FigureMaker<State, Data, Now>} */
export const latentFigure = (el) => {
  const above = h("span");
  const view = latentView();
  el.append(
    h("p", { class: "cw-heads-above" }, above),
    view.el,
    h(
      "p",
      { class: "cw-heads-below cw-heads-purple" },
      h("span", { text: gettext("purple: each head’s matrices rebuild its key and value from the latent") }),
      h("span", { text: gettext("one positional key, shared by all heads") }),
    ),
  );
  return {
    update: (state, now) => {
      fill(above, gettext("{heads} query heads of one layer"), now);
      view.update(now, state.head);
    },
  };
};

/**
 * The fan of the lab, and below it one bar: bytes per token beside those of a pair for each head.
 * @type {FigureMaker<State, Data, Now>}
 */
export const fanFigure = (el, { data, onSet }) => {
  const reads = h("b");
  const keeps = h("b");
  const above = h("span");
  /** @type {{ now: Now }} */
  let state_;
  /** @param {number} head */
  const sayHead = (head) => setText(reads, readsWords(head, state_.now.kv, state_.now.heads)); // the one that is pointed at
  const fans = fansView(sayHead, (head) => onSet({ head }));
  const most = h("span");
  const [held, bar] = [
    s("rect", { class: "cw-heads-held", height: 22, rx: 2 }),
    s("rect", { class: "cw-heads-now", height: 22, rx: 2 }),
  ];
  const label = s("text", { y: 16, dx: 8 });
  const svg = s(
    "svg",
    { class: "cw-heads-one", width: "100%", height: 22, role: "img" },
    s("rect", { class: "cw-heads-rest", width: "100%", height: 22 }),
    held,
    bar,
    label,
  );
  el.append(
    h("p", { class: "cw-heads-above" }, above),
    fans.el,
    h("p", { class: "cw-heads-below" }, keeps, reads),
    h("p", { class: "cw-heads-above cw-heads-scale" }, h("span", { text: gettext("per token, all layers") }), most),
    svg,
  );
  /** @type {Figure<State, Now>["update"]} */
  const update = (state, now, { width, preview }) => {
    state_ = { now };
    fans.update(now, state.head, width);
    fill(above, gettext("{heads} query heads of one layer"), now);
    fill(keeps, gettext("stored per token: {keeps}"), now);
    put(reads, "reads", "text", now);
    const all = answers.mha_bytes(state, data);
    /** @param {number} bytes */
    const share = (bytes) => Math.max(0.4, (100 * bytes) / all);
    fill(most, gettext("{mha_bytes:bytes KB} with {heads} KV heads"), { ...now, mha_bytes: all });
    setAttrs(bar, { width: `${share(now.bytes_per_token)}%` });
    const before = preview ? reading(preview, data).bytes_per_token : now.bytes_per_token;
    setAttrs(held, { width: `${share(before)}%` });
    held.style.display = preview ? "" : "none";
    put(
      setAttrs(label, { x: `${Math.min(70, share(Math.max(before, now.bytes_per_token)))}%` }),
      "bytes_per_token",
      "bytes KB",
      now,
    );
    setAttrs(svg, {
      "aria-label": gettext("{bytes} per token, of {most}", {
        bytes: label.textContent ?? "",
        most: most.textContent ?? "",
      }),
    });
  };
  return { update };
};

/**
 * What stands above the ranks, with its values still to be filled in.
 * @param {number} ranks
 * @param {number} heads of each
 */
const ranksWords = (ranks, heads) => {
  if (ranks === 1) return gettext("{tp.tiles.length} GPU, {tp.query_heads} query heads each, and the cache they read");
  return heads === 1
    ? gettext("{tp.tiles.length} GPUs, {tp.query_heads} query head each, and the cache they read")
    : gettext("{tp.tiles.length} GPUs, {tp.query_heads} query heads each, and the cache they read");
};

/** @type {FigureMaker<State, Data, Now>} */
export const ranksFigure = (el) => {
  const view = ranksView();
  const above = h("span");
  el.append(
    h("p", { class: "cw-heads-above" }, above),
    view.el,
    makeLegend([
      { class: "cw-heads-dot-q", label: gettext("query head") },
      { class: "cw-heads-dot-kv", label: gettext("first copy") },
      { class: "cw-heads-dot-copy", label: gettext("another copy") },
    ]),
  );
  return {
    update: (state, now, { width }) => {
      fill(above, ranksWords(state.tp, now.tp.query_heads), now);
      view.update(now, width);
    },
  };
};

/** @type {Goals<State, Data>} */
export const goals = { fits_20_gb: goalFits, no_copies: goalNoCopies };
