/* What the lab shows once a decoder has answered: the road of the token, where it looks, what it stores, what it predicts. */
import { makeButton } from "../kit/controls.js";
import { h, setAttrs, setText } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { spoken } from "./edits.js";
import { kept_view, road_view, strips_view } from "./lab.js";
import { state_view } from "./storage.js";
import { range_of } from "./vectors.js";
import { says_view } from "./view.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Shown } from "./compute.js" */
/** @import { Edit } from "./edits.js" */
/** @import { Live } from "./live.js" */

/** What the lab draws once the decoder has answered. @typedef {Shown & { live: Live }} Lab */

/** Where the heads look, or how strongly they write: their strips, and below them the state of each. */
const heads_panel = () => {
  const strips = strips_view();
  const heads = range_of(4).map(() => state_view());
  const [title, legend] = [h("h3"), h("p")];
  const states = h(
    "div",
    { class: "cw-decoder-states" },
    heads.map((one) => one.el),
  );
  /** @param {Lab} now */
  const update = (now) => {
    const { state: held } = now.live;
    states.hidden = !held;
    if (held)
      heads.forEach((one, h) => {
        setAttrs(one.el, { display: held[h] ? false : "none" });
        if (held[h]) one.update(held, h);
        one.el.classList.toggle("own", h === now.h);
      });
    strips.update(now);
    setText(title, held ? "What the state contains" : "Attention weights");
    setText(
      legend,
      held
        ? "How strongly each head writes each operation, also shown over the tiles; below, the head’s state."
        : "Each head’s attention weights, also shown on the tiles.",
    );
  };
  return { el: h("section", {}, title, legend, strips.el, states), update };
};

/**
 * What comes next, and buttons that feed it to the read under the cursor.
 * @param {(changes: Edit) => boolean} edit
 * @param {() => State} state
 */
const next_panel = (edit, state) => {
  const says = says_view();
  let dealt = ""; // what the dice gave
  const say = makeButton({ label: "say it", onClick: () => edit(spoken(dealt, state())) });
  const unsay = makeButton({
    label: "take back what was said",
    onClick: () => edit({ x: state().x.replace(/~\d+/g, "") }),
  });
  const [told, taken] = [h("p"), h("p")];
  /** @param {Lab} now */
  const update = (now) => {
    says.update(now);
    fill(
      told,
      now.here.reads
        ? "The right value has a probability of {live.truth:percent 1}. In this stream, {live.right:int} of {live.asked:int} reads are right."
        : "A write cannot be predicted: any value is possible.",
      now,
    );
    dealt = now.live.taken;
    say.enable(now.here.reads && Number(dealt) > 0);
    unsay.enable(now.x.includes("~"));
    fill(taken, "Sampled: {live.taken:text}, from the tokens that top-p keeps ({live.of:int}).", now);
  };
  const el = h(
    "section",
    {},
    h("h3", { text: "What the decoder predicts next" }),
    says.el,
    told,
    taken,
    h("div", { class: "cw-row" }, say.el, unsay.el),
  );
  return { el, update };
};

/** @param {(changes: Edit) => boolean} edit @param {() => State} state */
export const answer_panels = (edit, state) => {
  const [road, kept, next, heads] = [road_view(), kept_view(), next_panel(edit, state), heads_panel()];
  const el = h(
    "div",
    { class: "cw-decoder-live" },
    road.el,
    h(
      "div",
      { class: "cw-decoder-panels" },
      heads.el,
      h("section", {}, h("h3", { text: "What the mixer stores" }), kept.el),
      next.el,
    ),
  );
  return {
    el,
    /** The prediction, which is drawn with the stream. */
    next: next.update,
    /** The other panels. @param {Lab} now */
    rest: (now) => {
      road.update(now);
      kept.update(now);
      heads.update(now);
    },
  };
};
