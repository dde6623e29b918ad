/* One beat: a section.beat of the page, answered already (beats_html.py) -> a live one. Bets open, phrases set states,
   figures move. Its bet is beat-bet.js, its phrases beat-phrases.js, its words beat-words.js. */
import { isOpen, liveBet } from "./beat-bet.js";
import { holdWords, livePhrases } from "./beat-phrases.js";
import { isSame, writeWords } from "./beat-words.js";
import { beginWidth, findIn, h, knownWidth, onWidth, setAttrs } from "./dom.js";
import { gettext } from "./gettext.js";
import { readQuery, writeQuery } from "./host.js";
import { printValue } from "./numbers.js";

export { looker } from "./beat-words.js";

/** @import { Look } from "./beat-words.js" */
/** @import { Guess, Index } from "./bet-words.js" */
/** @import { Hooks, Tool } from "./bet-tools.js" */
/** @import { Control } from "./control.js" */
/** @import { Fits, Refusing, Widget } from "./model.js" */
/** @import { BetMode, Described, Row, State, Told } from "./told.js" */

/* ---------------------------------------------------------------- what an explainer gives, in its beats.js and figures.js */

/**
 * Values that compute does not have, by the name that page.md gives them.
 * @template S, D
 * @typedef {{ [name: string]: (state: S, data: D) => unknown }} Answers
 */

/**
 * Captions, verdicts and the like as words with **bold** and {values}.
 * @template S, D
 * @typedef {{ [name: string]: (state: S, data: D) => string }} Captions
 */

/**
 * Whether a goal of the lab is reached, and a sentence: how it was reached, or how near one is.
 * @typedef {{ reached: boolean, says: string }} Goal
 */

/**
 * @template S, D
 * @typedef {{ [name: string]: (state: S, data: D) => Goal }} Goals
 */

/**
 * Controls that page.md cannot describe: { kind, key, label, … }.
 * @template S, D
 * @typedef {{ [name: string]: (state: S, data: D) => Described }} DescribedControls
 */

/**
 * Keeps a state for the beat, unless `check` refuses it: onSet({ kv: 8 }).
 * @template S
 * @typedef {<Changed extends object>(changes: Changed & Fits<S, Changed>, control?: Refusing) => void} SetState
 */

/**
 * What a figure is drawn with beside the state: its width in pixels, the state that is kept while another is previewed, what
 * the bet is at ("" where there is none) and the guess.
 * @template S, [G=number | null]
 * @typedef {{ width: number, preview: S | null, bet: BetMode | "", guess: G }} FigureView
 */

/**
 * What makes a figure in an element, once; `update` draws a state and what compute returns of it.
 * @template S, D, Now, [G=number | null]
 * @typedef {(el: HTMLElement, given: { data: D, onSet: SetState<S> }) => Figure<S, Now, G>} FigureMaker
 */

/**
 * @template S, Now, [G=number | null]
 * @typedef {{ update(state: S, now: Now, view: FigureView<S, G>): void }} Figure
 */

/**
 * An explainer as its page has it, with the controls and the tools of bets that its beats use. The page knows no types of
 * its state and its data: each explainer checks its own.
 * @typedef {{
 *   widget: Widget<any, any>,
 *   check: (state: any, data: any) => string,
 *   compute: (state: any, data: any) => any,
 *   settle?: (state: any, given: string[], data: any) => State,
 *   beats: {
 *     answers?: Answers<any, any>,
 *     captions?: Captions<any, any>,
 *     goals?: Goals<any, any>,
 *     figures?: { [name: string]: FigureMaker<any, any, any, any> },
 *     controls?: DescribedControls<any, any>,
 *   },
 *   controls: { [kind: string]: (given: any) => Control<any> },
 *   tools: { [kind: string]: (section: Element, bet: any, hooks: Hooks) => Tool },
 * }} Explainer
 */

/* ---------------------------------------------------------------- one beat */

/**
 * What all beats of a page share. `home` is the page that a frame is of, `toLab` shows a state in the lab, `progress` is
 * called when something was done.
 * @typedef {Told & Explainer & {
 *   data: unknown,
 *   look: (state: State) => Look,
 *   progress: () => void,
 *   home?: string,
 *   toLab?: (state: State) => void,
 * }} Page
 */

/**
 * What a beat holds: its state, what is previewed and in which words, and its bet.
 * @typedef {{ state: State, preview: State | null, words: string, mode: BetMode | "", index: Index }} Held
 */

/**
 * What the parts of a beat share: `start` is its first state, `asked` the one that its bet asks about.
 * @typedef {{
 *   section: HTMLElement,
 *   row: Row,
 *   page: Page,
 *   held: Held,
 *   start: State,
 *   asked: State,
 *   legal: (changes: State) => string,
 *   keep: (changes: State, control?: Refusing) => void,
 *   draw: () => void,
 * }} Beat
 */

/** A beat that lives. @typedef {ReturnType<typeof machine>} Machine */

/** A beat's element. @typedef {HTMLElement & { machine?: Machine }} BeatSection */

/**
 * The figure of a beat, where its explainer has one in JavaScript; else the one that the server drew stays.
 * @param {Beat} beat
 */
const liveFigure = ({ section, row, page, keep }) => {
  const make = row.figure && page.beats.figures?.[row.figure];
  if (!make) return null;
  const root = h("div", { class: `cw cw-${page.rows.name} beat-live` });
  const box = findIn(section, ".beat-figure");
  beginWidth(root, box);
  box.append(root);
  return { root, update: make(root, { data: page.data, onSet: keep }).update };
};

/**
 * The controls of a beat: each keeps what is set.
 * @param {Beat} beat
 * @param {Element} box
 */
const liveControls = ({ row, page, held, start, keep }, box) =>
  row.controls.map((given) => {
    const described = given.kind ? given : page.beats.controls?.[given.name](held.state, page.data);
    const { kind, key, name, format, ...rest } = /** @type {Described & { name?: string }} */ (described);
    /** @type {Control<unknown>} */
    const control = page.controls[kind]({
      ...rest,
      ...(format ? { format: (/** @type {unknown} */ v) => printValue(v, format) } : {}),
      value: start[key],
      onInput: (/** @type {unknown} */ v) => keep({ [key]: v }, control),
    });
    box.append(control.el);
    return { key, control };
  });

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
    for (const { key, control } of controls) {
      control.set(state[key]);
      control.el.classList.toggle("preview", Boolean(held.preview) && !isSame(state[key], held.state[key]));
    }
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
