/* What stands under the stream: what is asked, what the decoder answers or that its weights are awaited, what was measured. */
import { afterPaint, h } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { answer_panels } from "./answer_panels.js";
import { measured_panels } from "./measured_panels.js";
import { is_answered } from "./view.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Data, Shown } from "./compute.js" */
/** @import { Edit } from "./edits.js" */

/** What the unit under the cursor does, or asks. @param {Shown} now */
const unit_words = ({ stream, u, here: { reads, empty } }) =>
  !reads
    ? stream.units[u].word === "X"
      ? "X: from here on, every key is empty."
      : "W {here.key:text} {here.truth:text}: a write. Put the cursor on a read to ask."
    : `R {here.key:text}: written {here.written:int} tokens back, last seen {here.said:int} back; ${empty ? "cleared since. The right answer is {here.truth:text}, no value." : "{here.live:int} keys to remember. The right answer is {here.truth:text}."}`;

/**
 * @param {(changes: Edit) => boolean} edit
 * @param {() => State} state
 * @param {Data} data
 * @param {HTMLElement | null} home the page that has weights, if there is one
 */
export const stream_panels = (edit, state, data, home) => {
  const [answer, rates] = [answer_panels(edit, state), measured_panels(data)];
  const [waiting, asked] = [h("p"), h("p")];
  let began = false; // the first update draws all panels at once
  const later = afterPaint();
  /** @param {Shown} now */
  const update = (now) => {
    fill(asked, unit_words(now), now);
    answer.el.hidden = !now.live;
    waiting.hidden = Boolean(now.live);
    if (is_answered(now)) answer.next(now);
    else
      fill(
        waiting,
        home
          ? "{model.title}: {model.file:bytes} of weights are being fetched."
          : "An embed has no room for weights, so it shows only the first stream. The page runs every stream.",
        now,
      );
    const rest = () => {
      rates.update(now);
      if (is_answered(now)) answer.rest(now);
    };
    if (began)
      later(rest); // the stream and what is said come first, the other panels a frame later
    else rest();
    began = true;
  };
  return { els: [asked, waiting, answer.el, rates.el, rates.wherein], update };
};
