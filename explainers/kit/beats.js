/* What an explainer gives of its beats, in its beats.js and figures.js; and what the parts of a live beat share: its figure
   and its controls are made here. */

import { findIn, h } from "./dom.js";
import { printValue } from "./numbers.js";
import { beginWidth } from "./width.js";

/** @import { Look } from "./beat-words.js" */
/** @import { Hooks, Tool } from "./bet-tools.js" */
/** @import { Index } from "./bet-words.js" */
/** @import { Control } from "./control.js" */
/** @import { Fits, Refusing, Widget } from "./model.js" */
/** @import { BetMode, Described, Row, State, Told } from "./told.js" */

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

/**
 * The figure of a beat, where its explainer has one in JavaScript; else the one that the server drew stays.
 * @param {Beat} beat
 */
export const liveFigure = ({ section, row, page, keep }) => {
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
export const liveControls = ({ row, page, held, start, keep }, box) =>
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
