/* A pinned layout beside yours: its words in the address, its stacks and lanes under the same cursor, the difference in words. */

import { h, setAttrs, setText } from "../../../explainers/kit/dom.js";
import * as elements from "./elements.js";
import * as inputLines from "./input-lines.js";
import { sentence, table } from "./pin-difference.js";
import * as pinned from "./pinned-layout.js";
import * as session from "./session.js";

/** @import { Changes, Now } from "./types.d.ts" */

/** @type {{ change: (changes: Changes, done: boolean) => void }} */
let page;
/** @param {{ change: (changes: Changes, done: boolean) => void }} actions */
export const start = (actions) => {
  page = actions;
};

export const toggle = () => page.change({ pin: session.state.chosen.pin ? "" : pinned.text(session.state.good) }, true);

/**
 * The button, the sentence and the table.
 * @param {Now} now
 * @returns {Now | undefined}
 */
export const show = (now) => {
  const { now: other, why } = pinned.of(now);
  const name = other ? inputLines.folded(other).split : "not read";
  const on = Boolean(now.chosen.pin);
  setAttrs(elements.at("pin"), {
    text: on ? `Pinned: ${name} ×` : "Pin to compare",
    "aria-label": on && `Pinned: ${name}, press to unpin`,
    "aria-pressed": String(on),
  });
  session.state.pinned = other?.layout;
  setText(elements.at("beside"), why || (other ? sentence(now, other) : ""));
  const take = () =>
    page.change(
      {
        ...pinned.read(now.chosen.pin, now.chosen.m).now?.chosen,
        pick: now.chosen.pick,
        sort: now.chosen.sort,
        t: now.chosen.t,
        pin: pinned.text(now),
      },
      true,
    );
  elements.put(
    "pinned",
    other
      ? [
          h(
            "div",
            { class: "plan-title" },
            h("h2", {}, "Yours and the pinned layout"),
            h("button", { type: "button", class: "button", on: { click: take } }, "Change places"),
          ),
          table(now, other),
        ]
      : [],
  );
  return other;
};
