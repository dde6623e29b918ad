/* A plan -> flags, JSON and the address, each behind a tab and to copy. */

import { h } from "../../../explainers/kit/dom.js";
import * as elements from "./elements.js";
import * as lazy from "./lazy.js";
import * as session from "./session.js";

/** @import { Now } from "./types.d.ts" */

let tab = ""; // what of "take it with you" is open

/**
 * Flags, JSON and the address, to copy.
 * @param {Now} now
 */
export const take = async (now) => {
  const exporting = await lazy.exporting();
  if (now !== session.state.good) return;
  const all = exporting.tabs(now);
  const open = all.some(([kind]) => kind === tab) ? tab : all[0][0];
  const box = h("pre", { tabindex: "0", "aria-label": "to copy", text: exporting.text(now, open) });
  const tabs = all.map(([kind, name]) => {
    const click = () => {
      tab = kind;
      take(now);
    };
    return h("button", { type: "button", class: "link", "aria-pressed": String(kind === open), on: { click } }, name);
  });
  const click = () => exporting.copy(copy, box.textContent);
  const copy = h("button", { type: "button", class: "button", on: { click } }, "Copy");
  elements.put("take", h("p", { class: "plan-tabs" }, tabs), h("div", { class: "copy" }, box, copy));
};
