/* The lab, as far as it fits into a single file; widget.js adds the model that runs. A text that is typed and continued,
   its tokens, one head in numbers, sampling and the cache. */
import { makeButton, segmented, slider, text_input } from "../kit/controls.js";
import { h, makeRoot, setText } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, withState } from "../kit/numbers.js";
import { makeStack } from "../kit/table.js";
import { arcs_view } from "./arcs.js";
import { card_view } from "./card.js";
import { check, compute } from "./compute.js";
import { withReplaced, withToken } from "./edits.js";
import { lens_view } from "./lens_view.js";
import { load, running, waitingWords, whenLoaded } from "./load.js";
import { cache_view, candidates_view, draw_view, look_view, tokens_view } from "./view.js";

/** @import { State } from "../../.make/data_types/next-token.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Answered, Data, Look, Shown } from "./compute.js" */
/** @import { Lens } from "./lens.js" */

export { check, compute } from "./compute.js";

const KEYS = ["text", "before", "layer", "head", "at", "temperature", "top_k", "top_p", "draw"];
const TOP_K = [0, 1, 2, 5, 10, 40, 200];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const makeControls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  const two = (/** @type {number} */ value) => value.toFixed(2);
  /** @param {number} many */
  const upTo = (many) => [...Array(many).keys()];
  return {
    text: text_input({ label: "text", size: 60, onInput: (text) => commit(model, { text, before: "", at: -1 }) }),
    layer: segmented({ label: "layer", options: upTo(data.facts.layers), onInput: go("layer") }),
    head: segmented({ label: "head", options: upTo(data.facts.heads), onInput: go("head") }),
    temperature: slider({ label: "temperature", min: 0.1, max: 3, step: 0.1, format: two, onInput: go("temperature") }),
    top_k: segmented({
      label: "top-k",
      options: TOP_K.map((value) => ({ value, label: value || "all" })),
      onInput: go("top_k"),
    }),
    top_p: slider({ label: "top-p", min: 0.05, max: 1, step: 0.05, format: two, onInput: go("top_p") }),
    draw: slider({
      label: "random draw",
      min: 0,
      max: 99,
      format: (value) => (value ? String(value) : "greedy"),
      onInput: go("draw"),
    }),
  };
};

/** The head in numbers: the first of each vector. */
const numbers_table = () => {
  /** @param {string} key @param {number} n */
  const number = (key, n) => ({
    label: `${key[0]}${n}`,
    align: "right",
    out: (/** @type {{ j: number }} */ row) => `look.rows.${row.j}.${key}.${n}`,
    how: "num 3",
  });
  return makeStack({
    caption: "The first numbers of each key and value",
    columns: [
      { label: "token", out: (/** @type {{ j: number }} */ row) => `look.rows.${row.j}.name` },
      ...[0, 1, 2].map((n) => number("key", n)),
      { label: "score", align: "right", out: (row) => `look.rows.${row.j}.score`, how: "num 3" },
      { label: "weight", align: "right", out: (row) => `look.rows.${row.j}.weight`, how: "percent 1" },
      ...[0, 1, 2].map((n) => number("value", n)),
    ],
  });
};

/** @param {string} title @param {string} note @param {(Node | Node[])[]} kids */
const section = (title, note, ...kids) =>
  h("div", { class: "cw-section", "data-below": true }, heading(title, note), kids);

/** What the model is asked to write: a token in another's place, or what comes next. @param {AfmModel<State, Data>} model @param {Data} data */
const makeWriting = (model, data) => {
  const state = () => /** @type {State} */ (readState(model, KEYS));
  /** What is to be done once the model runs. @type {(() => void) | null} */
  let wanted = null;
  /** @param {() => void} job */
  const whenRunning = (job) => {
    wanted = running(data) ? null : job;
    if (wanted) load(data);
    else job();
  };
  /** @param {string} text @param {string} before @param {number} at */
  const write = (text, before, at) => {
    if (!check({ ...state(), text, before }, data)) commit(model, { text, before, at });
  };
  const card = card_view({
    onReplace: (at, typed) =>
      whenRunning(() => {
        const { text } = state();
        write(withReplaced(text, at, typed, data) ?? text, text, at);
      }),
    onBack: () => write(state().before, "", state().at),
  });
  /** @param {number} many */
  const adding = (many) => () =>
    whenRunning(() => {
      let { text } = state();
      for (let i = 0; many > i; i++) {
        const { next } = compute({ ...state(), text }, data);
        if (next) text = withToken(text, next.taken.id, data);
      }
      write(text, "", -1);
    });
  const resume = () => {
    if (wanted && running(data)) whenRunning(wanted);
  };
  return { card, adding, resume };
};

/** How the next token is sampled. @param {ReturnType<typeof makeControls>} made @param {(many: number) => () => void} adding */
const next_view = (made, adding) => {
  const [bars, draws] = [candidates_view(), draw_view()];
  const add = makeButton({ text: "append this token", onClick: adding(1) });
  const more = makeButton({ text: "append twenty", onClick: adding(20) });
  const el = h(
    "div",
    {},
    made.temperature.el,
    made.top_k.el,
    made.top_p.el,
    made.draw.el,
    bars.el,
    draws.el,
    h("div", { class: "cw-row" }, add.el, more.el),
  );
  /** @param {Answered} now */
  const update = (now) => {
    bars.update(now, false);
    draws.update(now);
  };
  return { el, update };
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "next-token");
    const data = readData(model);
    const made = makeControls(model, data);
    const { card, adding, resume } = makeWriting(model, data);
    const chips = tokens_view(
      (at) => commit(model, { at }),
      (at) => card.point(at),
    );
    const [arcs, lens, looks, cache, table] = [arcs_view(), lens_view(), look_view(), cache_view(), numbers_table()];
    const next = next_view(made, adding);
    const [counted, waiting, sum, facts] = [h("p", { class: "cw-note" }), h("p"), h("p"), h("p")];
    const headed = h("div", {}, h("div", { class: "cw-row" }, made.layer.el, made.head.el), arcs.el);
    const body = h(
      "div",
      { class: "cw-split" },
      h("div", {}, looks.el, heading("The token through the layers", "what it would predict after each"), lens.el),
      next.el,
    );
    root.append(
      h("div", { class: "cw-row" }, made.text.el),
      waiting,
      chips.el,
      counted,
      card.el,
      headed,
      body,
      section("The KV cache", "a column for each token", cache.el),
      section("The head in numbers", "the first three of each vector", sum, table.el),
      section("The model", "what it is, and how good", facts),
    );
    /** @param {State} given */
    const update = (given) => {
      const now = /** @type {Shown} */ (withState(given, compute(given, data)));
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(given[key]);
      const here = Boolean(now.look && now.lens && (now.edit || !given.before));
      waiting.hidden = here;
      if (!here) {
        load(data);
        setText(waiting, waitingWords());
      }
      body.hidden = chips.el.hidden = card.el.hidden = headed.hidden = !now.next;
      table.el.hidden = looks.el.hidden = arcs.el.hidden = sum.hidden = !now.look;
      lens.el.hidden = !now.lens;
      fill(counted, counts(now), now);
      cache.update(now, false);
      fill(facts, FACTS, now);
      if (now.next) {
        const answered = /** @type {Answered} */ (now);
        const at = given.at >= 0 && now.count > given.at ? given.at : now.count - 1;
        chips.update(answered, at);
        card.update(answered, at);
        next.update(answered);
      }
      if (now.look) {
        const seen = /** @type {Shown & { look: Look }} */ (now);
        looks.update(seen, false);
        arcs.update(seen);
        fill(sum, SUM, now);
        table.update(now.look.rows.slice(0, 40).map((_, j) => ({ j, now })));
      }
      if (now.lens) lens.update(/** @type {Shown & { lens: Lens }} */ (now));
    };
    const stop = live(model, { root, keys: KEYS, check, update });
    const forget = whenLoaded(() => {
      const state = /** @type {State} */ (readState(model, KEYS));
      if (!check(state, data)) update(state);
      resume();
      root.dispatchEvent(new CustomEvent("cutaway:more", { bubbles: true }));
    });
    return () => {
      forget();
      stop();
    };
  },
};

const SUM =
  "q begins {look.query.0:num 3}, {look.query.1:num 3}, {look.query.2:num 3}. The values, summed by the weights, begin {look.read.0:num 3}, {look.read.1:num 3}, {look.read.2:num 3}.";
const FACTS =
  "{model.parameters:int} weights in int8: {model.layers:int} layers, {model.heads:int} query heads that share {model.kv_heads:int} KV heads of {model.head_dim:int} numbers, a vocabulary of {model.vocabulary:int} tokens. Trained for {model.steps:int} steps of {model.tokens_a_step:int} tokens on {model.trained_bytes:int} bytes of Jane Austen. On {model.held_out_bytes:int} bytes that it never saw it needs {model.bits_per_byte:fixed 2} bits per byte; xz needs {model.xz_bits_per_byte:fixed 2}.";
/** @param {Shown} now */
const counts = (now) =>
  !now.next
    ? "{letters:int} characters."
    : now.dropped
      ? "{letters:int} characters; the model sees the last {count:int} tokens, <s> among them. The first {dropped:int} are beyond its context of {model.context:int}."
      : "{letters:int} characters, {count:int} tokens with <s>, which stands before every text. A raised dot (·) is a token’s leading space. Any other text or head loads the model once: {model.file:bytes}.";
