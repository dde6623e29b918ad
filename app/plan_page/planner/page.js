/* The page: what is chosen, and how it changes -> a plan to show, the address, the history. What the browser loads; lazy.js fetches the rest. */

import { afterPaint, h, setAttrs } from "../../../explainers/kit/dom.js";
import * as address from "./address.js";
import * as elements from "./elements.js";
import * as fieldRefusals from "./field-refusals.js";
import * as fields from "./fields.js";
import * as focusRing from "./focus-ring.js";
import * as inputs from "./inputs.js";
import * as lazy from "./lazy.js";
import * as planView from "./plan-view.js";
import * as session from "./session.js";
import * as tips from "./tips.js";

/** @import { Changes } from "./types.d.ts" */

let before = ""; // the address before somebody typed

const afterAddress = afterPaint();

/**
 * `done`: the reader let go; else the address follows without a step in the history.
 * @param {Changes} changes
 * @param {boolean} done
 * @param {string} [last]
 */
const change = (changes, done, last) => {
  session.state.chosen = { ...session.state.chosen, ...changes };
  if (last) session.state.last = last;
  fieldRefusals.forget();
  before = done ? "" : before || location.search;
  lazy.clear();
  planView.draw();
  const { now } = session.state;
  planView.unhurried(afterAddress, () => {
    if (now !== session.state.now || now.address === location.search) return;
    history[done ? "pushState" : "replaceState"](null, "", now.address);
  });
};
/* What was typed is let go of: one step in the history, from the address before it. */
const settle = () => {
  const { now } = session.state;
  if (before && before !== now.address) {
    history.replaceState(null, "", before);
    history.pushState(null, "", now.address);
  }
  before = "";
};

const pin = async () => session.state.good && (await lazy.get()).pin();

const NOT_KEPT = "That pasted config is not kept in this browser any more: paste it in the workbench again.";
/** @param {string} search */
const open = async (search) => {
  [fields.state.typing, before] = [false, ""];
  const { chosen, why } = address.read_address(search, elements.data);
  const asked = chosen.m;
  const known = await session.load(asked);
  if (!known) why.unshift(asked.startsWith("local:") ? NOT_KEPT : `There is no ${asked} in the catalogue.`);
  if (!known) chosen.m = elements.data.first.slug;
  const bare = address.is_bare(search);
  if (!bare) lazy.clear();
  session.state.chosen = bare ? { ...chosen, ...elements.data.visit } : chosen;
  if (why.length) return planView.unplanned(why, known ? "" : asked);
  planView.draw();
  if (chosen.t || chosen.pin) lazy.get();
  const lost = chosen.pick && session.state.good && !session.state.picked;
  if (lost) tell(`No tensor of this plan is called “${chosen.pick.slice(0, 80)}”.`);
};
/** @param {string} text */
const tell = (text) => elements.at("notes").prepend(h("p", { class: "plan-lost", role: "alert", text }));

const TYPES = "input, select, textarea, [contenteditable]"; // where a p is a letter
const start = async () => {
  planView.start({ change });
  inputs.start({ change, settle, draw: planView.draw });
  lazy.start({ change, drawTopology: planView.drawTopology });
  tips.listen(elements.root);
  focusRing.start({ pick: planView.pick });
  for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (elements.root.querySelectorAll("[name=sort]"))) {
    radio.addEventListener("change", () => change({ sort: radio.value }, true));
  }
  elements.at("pin").addEventListener("click", pin);
  document.addEventListener("keydown", (event) => {
    const bare = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "p" && bare && !(/** @type {Element} */ (event.target).closest(TYPES))) pin();
  });
  addEventListener("popstate", () => open(location.search));
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (elements.root.querySelectorAll("[data-take]"))) {
    const kind = button.dataset.take ?? "";
    button.addEventListener("click", async () => {
      const { copy, text } = await lazy.exporting();
      const now = kind === "link" ? session.state.now : session.state.good;
      if (now) copy(button, text(now, kind));
    });
  }
  await open(location.search);
  await Promise.all([lazy.exporting(), tips.load()]);
  setAttrs(elements.root, { "data-ready": true });
  lazy.watch();
};
start();
