/* A plan -> what is asked of the worker once nobody types: layouts near it as buttons, the best as a table. */

import { setText } from "../../../explainers/kit/dom.js";
import * as elements from "./elements.js";
import * as fieldRefusals from "./field-refusals.js";
import * as inputLines from "./input-lines.js";
import * as lazy from "./lazy.js";
import * as session from "./session.js";

/** @import { Changes, Now, PlainWay } from "./types.d.ts" */

const IDLE = 300; // ms until the worker is asked

const MOST = 4096; // GPUs of which the worker lists all layouts

/** @type {ReturnType<typeof setTimeout> | number} */
let waiting = 0; // the timer of a question

/** @typedef {{ change: (changes: Changes, done: boolean) => void, show: (now: Now) => void }} Page */

/** @type {Page} */
let page;
/** @param {Page} actions */
export const start = (actions) => {
  page = actions;
};

/**
 * An address may begin with what cannot be: then the nearest that can is drawn.
 * @param {Now} now
 * @param {PlainWay[]} ways
 */
const standIn = async (now, [near]) => {
  const { good } = session.state;
  const like = good && good.chosen.m === now.chosen.m && good.chosen.job === now.chosen.job;
  elements.root.classList.toggle("plan-none", !like && !near);
  if (like || !near) return;
  const suggestions = await lazy.suggestions();
  const other = session.compute({ ...now.chosen, ...suggestions.chosen(near.changes, near.row) });
  page.show(other);
  setText(elements.at("because"), `Drawn below is the nearest legal layout, ${inputLines.folded(other).split}.`);
};

/**
 * What takes longer waits until nobody types, and is worked out beside the page: buttons, the table; the verdict is
 * spoken.
 * @param {Now} now
 */
export const later = (now) => {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const spoken = ["verdict", "because", "beside"].map((name) => elements.at(name).textContent);
    setText(elements.at("say"), spoken.join(" ").trim());
    if (now.trouble || now.layout.gpus > MOST) elements.at("layouts-box").hidden = true;
    /**
     * @param {Changes} changes
     * @returns {void}
     */
    const choose = (changes) => page.change(changes, true);
    const order = now.chosen.sort === "sum" ? "unhidden" : "seconds";
    fieldRefusals.mark(now.trouble ? (now.trouble.field === "gpus" ? now.last : now.trouble.field) : "");
    const suggestions = await lazy.suggestions();
    if (now !== session.state.now) return;
    suggestions.ask(now, order, {
      ways: (found) => {
        if (now.trouble) standIn(now, found.ways);
        elements.put("ways", suggestions.buttons(found, now, choose));
      },
      table: (found) => {
        elements.put("layouts", suggestions.table(found, now, choose));
        setText(elements.at("layouts-note"), suggestions.note(found));
        elements.at("layouts-box").hidden = false;
      },
    });
  }, IDLE);
};

/* Nothing is asked any more, and no answer is waited for. */
export const drop = () => {
  clearTimeout(waiting);
  lazy.suggestions().then((suggestions) => suggestions.drop());
};
