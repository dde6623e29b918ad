/* How often mixers are right: tables by keys to remember and distance, of the mixer here and of each other one. */
import { h } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { heat_view } from "./accuracy.js";
import { every_view } from "./lab.js";

/** @import { Data, Shown } from "./compute.js" */

/** @param {Data} data */
export const measured_panels = (data) => {
  const [heat, every] = [heat_view(data), every_view("all", "percent 1", data)];
  const wherein = h("p");
  const others = h("p", { class: "cw-note" });
  const small = h("p", {
    class: "cw-note",
    "data-omit": true,
    text: "The small tables show the same for each mixer; a stronger colour means more errors.",
  });
  const el = h(
    "div",
    { class: "cw-section cw-split", "data-below": true },
    h("div", { class: "cw-scroll", tabindex: 0, role: "region", "aria-label": "right answers" }, heat.el),
    h("div", {}, every.el, small, others),
  );
  let measured = ""; // what the tables show
  /** @param {Shown} now */
  const update = (now) => {
    const cell = `${now.m} ${now.here.crowd} ${now.here.far}`;
    if (cell !== measured) {
      heat.update(now);
      every.update(now);
    }
    measured = cell;
    fill(
      others,
      "{model.title:text} was trained on {model.trained:int} streams. Its hyperparameters were tuned on the streams measured here. Its accuracy on two held-out sets, chosen in advance, is {model.others.0:percent 1} and {model.others.1:percent 1}.",
      now,
    );
    fill(
      wherein,
      now.here.asked
        ? "On such streams, with the right answers always fed in, {model.title} answers {here.share:percent 1} of {here.asked:int} reads like this one correctly."
        : "{model.title} is right {model.all:percent 1} of the time over all streams.",
      now,
    );
  };
  return { el, wherein, update };
};
