/* The lab, as far as it fits into a single file: a sentence, a head and a token; its scores and weights, the grid of all tokens, and the layer's heads. */
import { segmented, select, text_input, toggle } from "../kit/controls.js";
import { h, makeRoot, setText } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, fmt, withState } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { check, compute } from "./compute.js";
import { load, waitingWords, whenLoaded } from "./load.js";
import { grid_view, heads_view, look_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/attention.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Answered, Shown } from "./compute.js" */

export { check, compute } from "./compute.js";

const KEYS = ["text", "own", "layer", "head", "at", "scaled", "masked"];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const makeControls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  /** @param {number} many */
  const upTo = (many) => [...Array(many).keys()];
  return {
    text: select({
      label: "sentence",
      options: data.texts.map(({ words }, value) => ({ value, label: words })),
      onInput: (text) => commit(model, { text, own: "", at: -1 }),
    }),
    own: text_input({
      label: `or your own text (loads ${fmt.bytes(data.model.bytes)})`,
      size: 40,
      onInput: (own) => commit(model, { own, at: -1 }),
    }),
    layer: segmented({ label: "layer", options: upTo(data.config.num_hidden_layers), onInput: go("layer") }),
    head: segmented({ label: "head", options: upTo(data.config.num_attention_heads), onInput: go("head") }),
    scaled: toggle({ label: "scale by √head size", onInput: go("scaled") }),
    masked: toggle({ label: "causal mask", onInput: go("masked") }),
  };
};

/** The sentence's tokens; each is a button that uses its query. @param {(at: number) => void} onPick */
const tokens_view = (onPick) => {
  const box = h("div", { class: "cw-row" });
  /** @type {Control<number> | null} */
  let row = null;
  let shown = "";
  /** @param {Answered} now */
  const update = (now) => {
    const names = now.tokens.map(({ name }) => name).join(" ");
    if (names !== shown || !row) {
      row = segmented({
        label: "query of",
        options: now.tokens.map(({ name }, value) => ({ value, label: name })),
        onInput: onPick,
      });
      box.replaceChildren(row.el);
      shown = names;
    }
    row.set(now.look.at);
  };
  return { el: box, update };
};

/** What the layer's heads do over the whole sentence. */
const means_table = () =>
  makeTable({
    caption: "Mean weights over the sentence, from the third token on",
    columns: [
      { key: "head", label: "head" },
      {
        label: "token before",
        align: "right",
        out: (/** @type {{ head: number, now: Answered }} */ { head }) => `heads.${head}.previous`,
        how: "percent 1",
      },
      { label: "<s>", align: "right", out: ({ head }) => `heads.${head}.first`, how: "percent 1" },
      { label: "same word", align: "right", out: ({ head }) => `heads.${head}.same`, how: "percent 1" },
    ],
  });

/** @param {string} title @param {string} note @param {(Node | Node[])[]} kids */
const section = (title, note, ...kids) =>
  h("div", { class: "cw-section", "data-below": true }, heading(title, note), kids);

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "attention");
    const data = readData(model);
    const made = makeControls(model, data);
    const tokens = tokens_view((at) => commit(model, { at }));
    const [looks, grid, heads, means] = [look_view(), grid_view(), heads_view(), means_table()];
    const [waiting, sum] = [h("p"), h("p", { class: "cw-note" })];
    const body = h("div", { class: "cw-split" }, h("div", {}, looks.el, sum), h("div", {}, grid.el));
    const below = section("The heads of this layer", "most attended token, and mean weights", heads.el, means.el);
    root.append(
      h("div", { class: "cw-row" }, made.text.el, made.own.el),
      h("div", { class: "cw-row" }, made.layer.el, made.head.el, made.scaled.el, made.masked.el),
      tokens.el,
      waiting,
      body,
      below,
    );
    /** @param {State} state */
    const update = (state) => {
      const now = /** @type {Shown} */ (withState(state, compute(state, data)));
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      waiting.hidden = Boolean(now.look);
      body.hidden = below.hidden = tokens.el.hidden = !now.look;
      if (!now.look) {
        load(state, data);
        setText(waiting, waitingWords(state, data));
        return;
      }
      const seen = /** @type {Answered} */ (now);
      tokens.update(seen);
      looks.update(seen, "");
      grid.update(seen, state.head);
      heads.update(seen, false);
      fill(sum, seen.cut ? SUM + CUT : SUM, seen);
      means.update(seen.heads.map((_, head) => ({ head, now: seen })));
    };
    const stop = live(model, { root, keys: KEYS, check, update });
    const forget = whenLoaded(() => {
      const state = /** @type {State} */ (readState(model, KEYS));
      if (!check(state, data)) update(state);
      root.dispatchEvent(new CustomEvent("cutaway:more", { bubbles: true }));
    });
    return () => {
      forget();
      stop();
    };
  },
};

const SUM =
  "{look.counting:int} of {count:int} tokens get at least {few:percent 0}. Query head {head:int} reads KV head {look.shared:int}. The mask keeps {pairs.computed:int} of {pairs.all:int} pairs.";
const CUT = " The text’s last {cut:int} tokens are left out.";
