/* The card of one token: how it was made of bytes, and a field that puts another in its place. */
import { makeButton, text_input } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { merges_view } from "./merges.js";

/** @import { Answered } from "./compute.js" */

/**
 * @param {{ onReplace: (at: number, typed: string) => void, onBack: () => void }} given
 */
export const card_view = ({ onReplace, onBack }) => {
  const merges = merges_view();
  let [typed, open, shown] = ["", 0, 0]; // `shown` is another while it is pointed at
  /** @type {Answered | null} */
  let last = null;
  const replace = () => {
    if (!typed) return;
    onReplace(open, typed);
    typed = field.input.value = "";
  };
  const field = text_input({
    label: "replace it with",
    size: 14,
    onInput: (text) => {
      typed = text;
    },
  });
  field.input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") replace();
  });
  const [go, back] = [
    makeButton({ text: "replace", onClick: replace }),
    makeButton({ text: "take it back", onClick: onBack }),
  ];
  const [name, says] = [h("p"), h("p")];
  const edit = h(
    "div",
    { class: "cw-next-token-edit" },
    name,
    h("div", { class: "cw-row" }, field.el, go.el),
    says,
    back.el,
  );
  const el = h("div", { class: "cw-next-token-card" }, merges.el, edit);
  /** @param {Answered} now @param {number} at the token that is open */
  const update = (now, at) => {
    [last, open, shown] = [now, at, at];
    merges.update(now, at);
    fill(name, at ? `Correct “{tokens.${at}.name:text}” by hand:` : "Choose another token to correct it by hand.", now);
    field.enable(at > 0);
    go.enable(at > 0);
    says.hidden = back.el.hidden = !now.edit;
    if (now.edit) fill(says, EDITED, now);
  };
  /** Shows the merges of a token that is pointed at; -1 goes back to the open one. @param {number} at */
  const point = (at) => {
    const wanted = at >= 0 ? at : open;
    if (!last || wanted === shown) return;
    shown = wanted;
    merges.update(last, wanted);
  };
  return { el, update, point };
};

const EDITED =
  "{edit.same:int} tokens come from the cache, {edit.anew:int} were computed again. Best next token: {edit.was.name:text} {edit.was.share:percent 1} before, {edit.now.name:text} {edit.now.share:percent 1} now.";
