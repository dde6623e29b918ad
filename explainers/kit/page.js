/* The page round the beats: which come to life when, the rail, the lab and its goals, and "start over". */
import { machine } from "./beat-machine.js";
import { looker } from "./beat-words.js";
import { findIn } from "./dom.js";
import { gettext } from "./gettext.js";
import { mount, writeQuery } from "./host.js";
import { readTold } from "./told.js";

/** @import { BeatSection } from "./beat-machine.js" */
/** @import { Explainer } from "./beats.js" */
/** @import { Memory, Row, Rows, State, Told } from "./told.js" */

/**
 * What became of a row's bet, if anything did.
 * @param {Memory} memory
 * @param {Row} row
 */
const modeOf = (memory, row) => memory.bets[row.n]?.[0] ?? "";

/**
 * Whether a beat is done: its bet is shown or skipped; one without a bet was passed.
 * @param {Memory} memory
 * @param {Row} row
 */
const isDone = (memory, row) =>
  row.bet ? ["shown", "skipped"].includes(modeOf(memory, row)) : memory.read.includes(row.n);

/**
 * Draws the rail and the count of bets.
 * @param {Rows} rows
 * @param {Memory} memory
 * @param {number} now the index of the section one is at
 */
const drawProgress = (rows, memory, now) => {
  for (const [i, a] of [...document.querySelectorAll(".rail a")].entries()) {
    const done =
      i < rows.beats.length
        ? isDone(memory, rows.beats[i])
        : rows.goals.length > 0 && rows.goals.every((goal) => memory.goals[goal]);
    a.classList.toggle("done", done);
    findIn(a, ".rail-tick").hidden = !done;
    if (i === now) a.setAttribute("aria-current", "step");
    else a.removeAttribute("aria-current");
  }
  const bets = rows.beats.filter((row) => row.bet);
  const shown = bets.filter((row) => modeOf(memory, row) === "shown").length;
  findIn(document, "[data-bets]").textContent = gettext("your bets: {shown} of {all} shown", {
    shown,
    all: bets.length,
  });
};

/**
 * Draws the goals of the lab, and remembers one that is reached.
 * @param {Told} told
 * @param {Explainer} explainer
 * @param {() => void} progress called when one is reached for the first time
 */
const drawGoals = ({ lab, seed, memory, remember }, { check, beats }, progress) => {
  const model = lab.cutaway?.model;
  for (const li of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-goal]"))) {
    const name = li.dataset.goal ?? "";
    const state = model ? Object.fromEntries(Object.keys(seed.state).map((k) => [k, model.get(k)])) : seed.state;
    const legal = model && !check(state, seed.data);
    const found = legal ? beats.goals?.[name](state, seed.data) : null;
    if (found?.reached && !memory.goals[name]) {
      memory.goals[name] = found.says;
      remember();
      progress();
    }
    if (found?.reached) memory.goals[name] = found.says;
    const says = memory.goals[name] || found?.says;
    li.dataset.reached = String(Boolean(memory.goals[name]));
    findIn(li, ".goal-done").hidden = !memory.goals[name];
    const out = findIn(li, ".goal-says");
    if (says && out.textContent !== says) out.textContent = says;
  }
};

/**
 * Calls when the lab's state changes, once for each burst, and when its widget has more to show.
 * @param {Told} told its lab is mounted
 * @param {() => void} fn
 */
const onLab = ({ lab, seed }, fn) => {
  let waiting = false;
  const run = () => {
    waiting = false;
    fn();
  };
  const later = () => {
    if (!waiting) queueMicrotask(run);
    waiting = true;
  };
  for (const key of Object.keys(seed.state)) lab.cutaway?.model.on(`change:${key}`, later);
  lab.addEventListener("cutaway:more", fn); // what a goal asks may come later than the state it is asked of
};

/** What an address names stays at the top while what is above it comes to life, until the reader does something. */
const holdNamed = () => {
  const named = /^#(beat-\d+|lab)$/.test(location.hash) && document.querySelector(location.hash);
  if (!named) return;
  const hold = new ResizeObserver(() => named.scrollIntoView({ behavior: "instant" }));
  hold.observe(document.body);
  setTimeout(() => hold.disconnect(), 1500);
  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(kind, () => hold.disconnect(), { once: true, passive: true });
};

/**
 * Calls once for each element when it is at most a screen away.
 * @param {readonly Element[]} all
 * @param {(el: Element) => void} fn
 */
const whenNear = (all, fn) => {
  const near = new IntersectionObserver(
    (seen) => {
      for (const one of seen)
        if (one.isIntersecting) {
          near.unobserve(one.target);
          fn(one.target);
        }
    },
    { rootMargin: "100%" },
  );
  for (const el of all) near.observe(el);
};

/**
 * Brings the page of an explainer to life.
 * @param {Explainer} explainer
 */
export const beginPage = (explainer) => {
  const told = readTold();
  const { rows, lab, seed, memory, remember } = told;
  const sections = /** @type {BeatSection[]} */ ([...document.querySelectorAll("section.beat")]);
  const all = [...sections, findIn(document, ".lab")];
  let now = -1;

  const progress = () => drawProgress(rows, memory, now);
  const goals = () => drawGoals(told, explainer, progress);
  /** @param {State} state */
  const toLab = (state) => {
    history.pushState(null, "", `${writeQuery(state, seed.state) || location.pathname}#lab`);
    dispatchEvent(new PopStateEvent("popstate"));
    findIn(document, "#lab").scrollIntoView();
  };
  const given = { ...told, ...explainer, data: seed.data, toLab, progress };
  const page = { ...given, look: looker(given) };
  /** @param {BeatSection} section */
  const begin = (section) => {
    try {
      section.machine = machine(section, rows.beats[sections.indexOf(section)], page);
    } catch (wrong) {
      console.error(wrong);
      return;
    }
    if (section === sections[0]) {
      performance.mark("cutaway:ready");
      section.dataset.ready = "";
    }
    progress();
  };
  begin(sections[0]); // at once: to wait until it is seen would cost a frame of the whole page
  whenNear(sections.slice(1), (section) => begin(/** @type {BeatSection} */ (section)));
  whenNear([lab], () => {
    lab.cutaway = mount(lab, explainer);
    lab.dispatchEvent(new Event("mounted"));
    onLab(told, goals);
    goals();
  });

  /* The section in the middle of the screen is where one is; a beat without a bet is done once it was passed. */
  const where = new IntersectionObserver(
    (seen) => {
      for (const one of seen) {
        const i = all.indexOf(/** @type {HTMLElement} */ (one.target));
        if (one.isIntersecting) now = i;
        else if (one.boundingClientRect.top < 0 && i < rows.beats.length && !memory.read.includes(i + 1)) {
          memory.read.push(i + 1);
          remember();
        }
      }
      progress();
    },
    { rootMargin: "-45% 0px -45% 0px" },
  );
  for (const section of all) where.observe(section);

  findIn(document, "[data-again]").addEventListener("click", () => {
    Object.assign(memory, { bets: {}, read: [], goals: {} });
    remember();
    for (const section of sections) section.machine?.reset();
    history.replaceState(null, "", location.pathname);
    dispatchEvent(new PopStateEvent("popstate"));
    goals();
    progress();
  });
  if (!location.hash && [...new URLSearchParams(location.search).keys()].some((key) => key in seed.state))
    findIn(document, "#lab").scrollIntoView({ behavior: "instant" });
  holdNamed();
  progress();
};
