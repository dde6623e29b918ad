/* The page: what is chosen -> everything on it, the address, the history. What the browser loads; lazy.js fetches the rest. */

import { afterPaint, h, setAttrs, setText } from "../../../explainers/kit/dom.js";
import * as address from "./address.js";
import { communicatorsNote, communicatorsTable } from "./communicators-table.js";
import * as elements from "./elements.js";
import * as focusRing from "./focus-ring.js";
import * as inputs from "./inputs.js";
import * as lazy from "./lazy.js";
import { memoryTable } from "./memory-table.js";
import * as sentences from "./sentences.js";
import * as session from "./session.js";
import * as shardedTensors from "./sharded-tensors.js";
import { shardsTable } from "./shards-table.js";
import { holder } from "./stage-boxes.js";
import * as tables from "./tables.js";
import { timeNote, timeTable } from "./time-table.js";
import * as tips from "./tips.js";
import * as topology from "./topology.js";
import * as topologyText from "./topology-text.js";
import * as vdom from "./vdom.js";
import * as words from "./words.js";

/** @import { Changes, Now, Picked, PlainWay, VKids } from "./types.d.ts" */

const IDLE = 300; // ms until the worker is asked
const PAUSE = 100; // ms of typing until what lies below the drawing follows
const MOST = 4096; // GPUs of which the worker lists all layouts

/** @type {VKids} */
let drawn; // the drawing that stands on the page
let tab = ""; // what of "take it with you" is open
let before = ""; // the address before somebody typed
let [below, waiting] = [0, 0]; // timers

/* ---------------------------------------------------------------- drawing */
/**
 * While somebody types, the verdict and the drawing come first; the words around them a frame later.
 * @param {(then: () => void) => void} after
 * @param {() => void} then
 */
const unhurried = (after, then) => (inputs.state.typing ? after(then) : then());
const [afterVerdict, afterDrawing, afterAddress, afterBelow] = [afterPaint(), afterPaint(), afterPaint(), afterPaint()];

const draw = () => {
  const now = session.compute(session.state.chosen);
  session.state.now = now;
  now.address = session.addressOf(now);
  if (now.trouble) {
    inputs.show(now);
    return illegal(now);
  }
  elements.root.classList.remove("plan-stale", "plan-none");
  show(now);
  verdict(now);
  later(now);
};

/** @param {Now} now */
const show = (now) => {
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
    inputs.show(now);
    elements.put("notes", tables.said(sentences.notes(now)));
    elements.put("labels", tables.said(sentences.labels(now)));
  });
};

/** @param {Now} now */
const drawTopology = (now) => {
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
  below = setTimeout(() => afterBelow(then), inputs.state.typing ? PAUSE : 0);
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
    good ? `Drawn below is your last legal layout, ${sentences.folded(good).split}.` : "",
  );
  elements.put("notes");
  later(now);
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
  show(other);
  setText(elements.at("because"), `Drawn below is the nearest legal layout, ${sentences.folded(other).split}.`);
};

/**
 * What takes longer waits until nobody types, and is worked out beside the page: buttons, the table; the verdict is
 * spoken.
 * @param {Now} now
 */
const later = (now) => {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const spoken = ["verdict", "because", "beside"].map((name) => elements.at(name).textContent);
    setText(elements.at("say"), spoken.join(" ").trim());
    if (now.trouble || now.layout.gpus > MOST) elements.at("layouts-box").hidden = true;
    /**
     * @param {Changes} changes
     * @returns {void}
     */
    const choose = (changes) => change(changes, true);
    const order = now.chosen.sort === "sum" ? "unhidden" : "seconds";
    inputs.mark(now.trouble ? (now.trouble.field === "gpus" ? now.last : now.trouble.field) : "");
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

/**
 * Flags, JSON and the address, to copy.
 * @param {Now} now
 */
const take = async (now) => {
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

/* ---------------------------------------------------------------- changing */
/**
 * `done`: the reader let go; else the address follows without a step in the history.
 * @param {Changes} changes
 * @param {boolean} done
 * @param {string} [last]
 */
const change = (changes, done, last) => {
  session.state.chosen = { ...session.state.chosen, ...changes };
  if (last) session.state.last = last;
  inputs.forget();
  before = done ? "" : before || location.search;
  lazy.clear();
  draw();
  const { now } = session.state;
  unhurried(afterAddress, () => {
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
/** @param {string} name */
const pick = (name) => change({ pick: name }, true);
const pin = async () => session.state.good && (await lazy.get()).pin();

const NOT_KEPT = "That pasted config is not kept in this browser any more: paste it in the workbench again.";
/** @param {string} search */
const open = async (search) => {
  [inputs.state.typing, before] = [false, ""];
  const { chosen, why } = address.read_address(search, elements.data);
  const asked = chosen.m;
  const known = await session.load(asked);
  if (!known) why.unshift(asked.startsWith("local:") ? NOT_KEPT : `There is no ${asked} in the catalogue.`);
  if (!known) chosen.m = elements.data.first.slug;
  const bare = address.is_bare(search);
  if (!bare) lazy.clear();
  session.state.chosen = bare ? { ...chosen, ...elements.data.visit } : chosen;
  if (why.length) return unplanned(why, known ? "" : asked);
  draw();
  if (chosen.t || chosen.pin) lazy.get();
  const lost = chosen.pick && session.state.good && !session.state.picked;
  if (lost) tell(`No tensor of this plan is called “${chosen.pick.slice(0, 80)}”.`);
};
/** @param {string} text */
const tell = (text) => elements.at("notes").prepend(h("p", { class: "plan-lost", role: "alert", text }));

/**
 * An address that names what is not known: the sentences stand where the verdict would, and nothing is planned in its place.
 * @param {string[]} why
 * @param {string} m the model's name, where that is not known
 */
const unplanned = (why, m) => {
  const now = session.compute(session.state.chosen);
  session.state.now = now;
  now.address = location.search;
  inputs.show(now);
  if (m) inputs.unknown(m);
  clearTimeout(waiting);
  clearTimeout(below);
  lazy.suggestions().then(({ drop }) => drop());
  elements.root.classList.add("plan-stale", "plan-none");
  setAttrs(elements.at("verdict"), { text: why.join(" "), "data-fits": "illegal" });
  setText(elements.at("because"), "Nothing is planned. Choose a model, devices or another value in the fields.");
  for (const place of ["beside", "sub"]) setText(elements.at(place), "");
  setText(elements.at("say"), why.join(" "));
  for (const place of ["notes", "labels", "ways"]) elements.put(place);
  elements.at("layouts-box").hidden = true;
};

const TYPES = "input, select, textarea, [contenteditable]"; // where a p is a letter
const start = async () => {
  inputs.start({ change, settle, draw });
  lazy.start({ change, drawTopology });
  tips.listen(elements.root);
  focusRing.start({ pick });
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
