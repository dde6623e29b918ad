/* A plan -> everything that the page shows of it: the verdict and the drawing at once, the rest when it can wait. */

import { afterPaint, h, setAttrs, setText } from "../../../explainers/kit/dom.js";
import { communicatorsNote, communicatorsTable } from "./communicators-table.js";
import * as elements from "./elements.js";
import { take } from "./export-tabs.js";
import * as fieldRefusals from "./field-refusals.js";
import * as fields from "./fields.js";
import * as focusRing from "./focus-ring.js";
import * as inputLines from "./input-lines.js";
import * as lazy from "./lazy.js";
import { memoryTable } from "./memory-table.js";
import * as notes from "./notes.js";
import * as sentences from "./sentences.js";
import * as session from "./session.js";
import * as shardedTensors from "./sharded-tensors.js";
import { shardsTable } from "./shards-table.js";
import { holder } from "./stage-boxes.js";
import * as tables from "./tables.js";
import { timeNote, timeTable } from "./time-table.js";
import * as topology from "./topology.js";
import * as topologyText from "./topology-text.js";
import * as vdom from "./vdom.js";
import * as words from "./words.js";
import * as workerQuestions from "./worker-questions.js";

/** @import { Changes, Now, Picked, VKids } from "./types.d.ts" */

/** @typedef {{ change: (changes: Changes, done: boolean) => void }} Page */

/** @type {Page} */
let page;

const PAUSE = 100; // ms of typing until what lies below the drawing follows

/** @type {VKids} */
let drawn; // the drawing that stands on the page

let below = 0; // the timer of what lies there

/**
 * While somebody types, the verdict and the drawing come first; the words around them a frame later.
 * @param {(then: () => void) => void} after
 * @param {() => void} then
 */
export const unhurried = (after, then) => (fields.state.typing ? after(then) : then());
const [afterVerdict, afterDrawing, afterBelow] = [afterPaint(), afterPaint(), afterPaint()];

export const draw = () => {
  const now = session.compute(session.state.chosen);
  session.state.now = now;
  now.address = session.addressOf(now);
  if (now.trouble) {
    fields.show(now);
    return illegal(now);
  }
  elements.root.classList.remove("plan-stale", "plan-none");
  show(now);
  verdict(now);
  workerQuestions.later(now);
};

/** @param {Now} now */
export const show = (now) => {
  session.state.good = now;
  now.address ??= session.addressOf(now);
  session.state.picked = shardedTensors.describe_tensor(now, now.chosen.pick);
  drawTopology(now);
  unhurried(afterDrawing, () => {
    if (now === session.state.good) around(now);
  });
  fillLater(now);
};

/** @param {Now} now */
const verdict = (now) => {
  setAttrs(elements.at("verdict"), { text: sentences.headline(now), "data-fits": String(now.plan.fits) });
  setText(elements.at("because"), sentences.because(now));
  unhurried(afterVerdict, () => {
    if (now !== session.state.now) return;
    fields.show(now);
    elements.put("notes", tables.said(notes.list(now)));
    elements.put("labels", tables.said(notes.labels(now)));
  });
};

/** @param {Now} now */
export const drawTopology = (now) => {
  const drawing = elements.at("drawing");
  if (!drawn) drawing.replaceChildren(); // what stood there before any script
  const { on } = lazy.state;
  const made = (on ? on.draw : topology.draw)(now, session.state.picked);
  drawn = vdom.into(drawing, [...made, focusRing.node], drawn);
};

/**
 * What is said of the drawing.
 * @param {Now} now
 */
const around = (now) => {
  const { picked } = session.state;
  for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (elements.root.querySelectorAll("[name=sort]")))
    radio.checked = radio.value === now.chosen.sort;
  setText(elements.at("lives-note"), topologyText.note(now));
  setAttrs(elements.at("drawing"), { role: "group", "aria-label": topologyText.alt(now, picked) });
  elements.put("legend", topologyText.legend(now));
  setAttrs(elements.at("lanes"), { style: { "min-height": topology.lanes(now) } });
  setAttrs(elements.at("cursor"), { "data-train": now.layout.job === "train" });
  const chip = elements.at("pick");
  chip.hidden = !picked;
  if (picked) chip.replaceChildren(...chipOf(now, picked));
};
/**
 * @param {Now} now
 * @param {Picked} picked
 */
const chipOf = (now, picked) => {
  const size = `${picked.shape.map(words.int).join(" × ")}, ${words.size(picked.bytes)}`;
  const cls = `chip-pick soft-${picked.axis} text-${picked.axis}`;
  const drop = {
    type: "button",
    class: cls,
    "aria-label": `${picked.name}: drop the pick`,
    on: { click: () => pick("") },
  };
  return [
    "picked ",
    h("button", drop, `${picked.name} ×`),
    ` ${size}; ${holder(now, { from: picked.stage, to: picked.stage }, picked)}`,
  ];
};

/**
 * What lies below the drawing waits until the next frame is out, and while somebody types until they pause.
 * @param {Now} now
 */
const fillLater = (now) => {
  clearTimeout(below);
  const then = () => {
    if (now === session.state.good) fill(now); // a plan that came since is drawn already: its stages are others
  };
  below = setTimeout(() => afterBelow(then), fields.state.typing ? PAUSE : 0);
};
/** @param {Now} now */
const fill = (now) => {
  const { picked } = session.state;
  elements.put("holds", memoryTable(now, picked));
  elements.put("costs", timeTable(now));
  setText(elements.at("costs-note"), timeNote(now));
  elements.put("owns", shardsTable(now, picked, pick));
  setText(elements.at("owns-note"), "press one to light it above");
  elements.put("talks", communicatorsTable(now, picked));
  setText(elements.at("talks-note"), communicatorsNote(now, picked));
  take(now);
  if (lazy.state.on) lazy.state.on.show(now);
};

/** @param {Now} now */
const illegal = (now) => {
  const { good } = session.state;
  elements.root.classList.add("plan-stale");
  setAttrs(elements.at("verdict"), { text: `${now.trouble?.why}.`, "data-fits": "illegal" });
  setText(
    elements.at("because"),
    good ? `Drawn below is your last legal layout, ${inputLines.folded(good).split}.` : "",
  );
  elements.put("notes");
  workerQuestions.later(now);
};

/**
 * An address that names what is not known: the sentences stand where the verdict would, and nothing is planned in its place.
 * @param {string[]} why
 * @param {string} m the model's name, where that is not known
 */
export const unplanned = (why, m) => {
  const now = session.compute(session.state.chosen);
  session.state.now = now;
  now.address = location.search;
  fields.show(now);
  if (m) fieldRefusals.unknown(m);
  clearTimeout(below);
  workerQuestions.drop();
  elements.root.classList.add("plan-stale", "plan-none");
  setAttrs(elements.at("verdict"), { text: why.join(" "), "data-fits": "illegal" });
  setText(elements.at("because"), "Nothing is planned. Choose a model, devices or another value in the fields.");
  for (const place of ["beside", "sub"]) setText(elements.at(place), "");
  setText(elements.at("say"), why.join(" "));
  for (const place of ["notes", "labels", "ways"]) elements.put(place);
  elements.at("layouts-box").hidden = true;
};

/** @param {string} name */
export const pick = (name) => page.change({ pick: name }, true);

/**
 * `actions`: what of page.js the view calls.
 * @param {Page} actions
 */
export const start = (actions) => {
  page = actions;
  workerQuestions.start({ change: page.change, show });
};
