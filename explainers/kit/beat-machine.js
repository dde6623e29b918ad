/* One beat: a section.beat of the page, answered already (beats_html.py) -> a live one. Bets open, phrases set states,
   figures move. Its bet is beat-bet.js, its phrases beat-phrases.js, its words beat-words.js. */
import { isOpen, liveBet } from "./beat-bet.js";
import { holdWords, livePhrases } from "./beat-phrases.js";
import { isSame, writeWords } from "./beat-words.js";
import { liveControls, liveFigure } from "./beats.js";
import { findIn, h, setAttrs } from "./dom.js";
import { gettext } from "./gettext.js";
import { readQuery, writeQuery } from "./host.js";
import { knownWidth, onWidth } from "./width.js";

/** @import { Beat, Held, Page } from "./beats.js" */
/** @import { Row, State } from "./told.js" */

/** A beat that lives. @typedef {ReturnType<typeof machine>} Machine */

/** A beat's element. @typedef {HTMLElement & { machine?: Machine }} BeatSection */

/**
 * The link to the lab of the page, which takes the beat's state along.
 * @param {Beat} beat
 */
const labLink = ({ page, held }) => {
  /** @param {Event} e */
  const go = (e) => {
    e.preventDefault();
    page.toLab?.(held.state);
  };
  return h("a", {
    class: "beat-link beat-lab",
    text: gettext("open this in the lab"),
    ...(page.home ? { target: "_blank", rel: "noopener" } : { on: { click: go } }),
  });
};

/**
 * Writes a beat's state into the address.
 * @param {Row} row
 * @param {State} state
 * @param {State} start
 */
const writeAddress = (row, state, start) => {
  try {
    history.replaceState(null, "", `${writeQuery(state, start) || location.pathname}#beat-${row.n}`);
  } catch {
    /* a file has no history */
  }
};

/**
 * Takes the state of an address that names this beat and sets something; what it gets wrong is said above the figure.
 * @param {Beat} beat
 * @returns {boolean} whether it does
 */
const readAddress = ({ section, row, page, held, start }) => {
  if (location.hash !== `#beat-${row.n}` || !location.search) return false;
  const { check, settle, data } = page;
  const { state, says } = readQuery(
    location.search,
    start,
    (s) => check(s, data),
    settle && ((s, given) => settle(s, given, data)),
  );
  held.state = state;
  if (isOpen(held.mode)) held.mode = "skipped";
  if (says.length)
    findIn(section, ".beat-show").prepend(h("p", { class: "learn-message", role: "alert", text: says.join(" ") }));
  return true;
};

/**
 * Sets the controls of a beat to a state, and marks those that only preview it.
 * @param {ReturnType<typeof liveControls>} controls
 * @param {State} state
 * @param {Held} held
 */
const drawControls = (controls, state, held) => {
  for (const { key, control } of controls) {
    control.set(state[key]);
    control.el.classList.toggle("preview", Boolean(held.preview) && !isSame(state[key], held.state[key]));
  }
};

/**
 * Brings a beat to life: a link that sets its state opens it as skipped; what a tab remembers comes next.
 * @param {HTMLElement} section
 * @param {Row} row
 * @param {Page} page
 */
export const machine = (section, row, page) => {
  const { look, seed } = page;
  const { bet } = row;
  const start = { ...seed.state, ...row.state };
  const asked = { ...start, ...bet?.state };
  /** @type {Held} */
  const held = { state: { ...start }, preview: null, words: "", mode: bet ? "open" : "", index: null };
  /** @type {Beat["legal"]} */
  const legal = (changes) => page.check({ ...held.state, ...changes }, page.data);
  /** @type {Beat["keep"]} */
  const keep = (changes, control) => {
    const sentence = legal(changes);
    control?.error(sentence);
    if (sentence) return;
    held.preview = null;
    held.state = { ...held.state, ...changes };
    writeAddress(row, held.state, start);
    draw();
  };
  const beat = { section, row, page, held, start, asked, legal, keep, draw };

  const box = findIn(section, ".beat-controls");
  const captions = findIn(section, ".beat-captions");
  const figure = liveFigure(beat);
  const own = bet && liveBet(beat, bet);
  const caption = captions.querySelector(".beat-caption");
  if (row.caption) setAttrs(/** @type {Element} */ (caption), { "aria-live": "polite" });
  const toLab = labLink(beat);
  const lab = h("p", {}, toLab);
  captions.append(lab);
  const controls = liveControls(beat, box);
  const words = holdWords(section);
  const drawPhrases = livePhrases(beat, words.steady);

  /** @param {State} state the one on the screen */
  const drawCaptions = (state) => {
    const open = isOpen(held.mode);
    if (caption) {
      /** @type {HTMLElement} */ (caption).hidden = open;
      const [lead, tail] = held.preview
        ? [gettext("Previewing {words}: ", { words: held.words }), gettext(" Click to keep it.")]
        : ["", ""];
      if (!open) writeWords(page, caption, look(state), row.caption ?? "", lead, tail);
    }
    const before = captions.querySelector(".beat-before");
    if (before) {
      /** @type {HTMLElement} */ (before).hidden = !open;
      writeWords(page, before, look(state), row.before ?? "");
    }
    lab.hidden = open;
    setAttrs(toLab, { href: `${page.home || location.pathname}${writeQuery(held.state, seed.state)}#lab` });
  };

  function draw() {
    words.release();
    const state = held.preview ? { ...held.state, ...held.preview } : held.state;
    own?.update(state);
    drawPhrases(!isOpen(held.mode));
    figure?.update(state, look(state).now, {
      width: knownWidth(figure.root) || 320,
      preview: held.preview ? held.state : null,
      bet: held.mode,
      guess: own ? own.guess() : null,
    });
    drawControls(controls, state, held);
    box.hidden = isOpen(held.mode) || !controls.length;
    drawCaptions(state);
  }

  own?.recall();
  readAddress(beat);
  addEventListener("popstate", () => {
    if (readAddress(beat)) draw();
  });
  words.watch();
  draw();
  section.dataset.live = "";
  if (figure) onWidth(figure.root, () => draw());
  return {
    row,
    get state() {
      return { ...held.state };
    },
    get mode() {
      return held.mode;
    },
    /** @param {State} changes */
    set: (changes) => {
      Object.assign(held, { preview: null, state: { ...held.state, ...changes } });
      draw();
    },
    asked,
    again: () => own?.again(),
    reset: () => {
      Object.assign(held, { mode: bet ? "open" : "", index: null, state: { ...start } });
      draw();
    },
  };
};
