/* An explainer's beats and a state of each -> what its page shows before, or without, any script, drawn by the modules that
   draw it later. build/render.mjs runs this once for each explainer; no page does. explainers/first.py puts the pieces
   into the page. */
import { choiceOf } from "./beat-bet.js";
import { looker, writeWords } from "./beat-words.js";
import { h } from "./dom.js";
import { firstTool } from "./first-bets.js";
import { wireBet } from "./first-scale.js";
import { bound, strict, wordsOf } from "./first-words.js";
import { gettext, setWords } from "./gettext.js";
import { makeModel } from "./host.js";
import { still, stills } from "./still.js";

/** @import { Explainer } from "./beats.js" */
/** @import { Look } from "./beat-words.js" */
/** @import { FullBet } from "./first-scale.js" */
/** @import { Words } from "./gettext.js" */
/** @import { State } from "./told.js" */

/**
 * A beat as page.md has it. `words` is HTML with {values}; `state` is all of it, `shown` where its bet's answer holds.
 * @typedef {object} AskedBeat
 * @property {number} n
 * @property {string} figure
 * @property {string} caption
 * @property {string} before
 * @property {string} words
 * @property {State} state
 * @property {State} shown
 * @property {FullBet | null} bet
 */

/**
 * What explainers/first.py asks for.
 * @typedef {object} Asked
 * @property {string} name
 * @property {string} where its page.md, for messages
 * @property {State} state the lab's first
 * @property {unknown} data
 * @property {AskedBeat[]} beats
 * @property {{ test: string, words: string }[]} goals
 * @property {Words} said {English: its words} of what scripts say, where the page is not in English
 */

/** What draws a first picture: an explainer and its data. @typedef {Explainer & { data: unknown }} Drawer */

/** Lets pass what is put off until a frame is out. */
const settled = async () => {
  for (let i = 0; i < 4; i += 1) await new Promise((done) => setTimeout(done));
};

/**
 * The {values} in HTML, between its tags.
 * @param {Look} look
 * @param {string} html
 */
const fillHtml = (look, html) =>
  html
    .split(/(<[^>]*>)/)
    .map((piece) =>
      piece.startsWith("<")
        ? piece
        : piece.replace(/\{[\w.-]+(?::[^{}]+)?\}/g, (hole) => stills(wordsOf(look, hole, { at: "beat" }))),
    )
    .join("");

/**
 * The figure of a beat, in its own root.
 * @param {Drawer} drawer
 * @param {Asked} asked
 * @param {string} figure
 * @param {Look} look
 * @param {"" | "open" | "skipped"} bet
 */
const drawFigure = async (drawer, { name }, figure, look, bet) => {
  const make = drawer.beats.figures?.[figure];
  if (!make)
    throw new Error(`no figure “${figure}”; there is ${Object.keys(drawer.beats.figures ?? {}).join(", ") || "none"}.`);
  const root = document.body.appendChild(h("div", { class: `cw cw-${name}` }));
  const made = make(root, { data: drawer.data, onSet: () => {} });
  made.update(look.state, look.now, { width: root.clientWidth, preview: null, bet, guess: null });
  await settled();
  root.remove();
  return still(root);
};

/**
 * The sentence that says a bet's answer.
 * @param {FullBet} bet
 * @param {Look} shown
 */
const answerWords = (bet, shown) => {
  if (bet.kind === "pick") {
    const cuts = bet.cuts.map((cut) => (typeof cut.at === "string" ? shown(cut.at) : cut.at));
    const choice = choiceOf({ kind: bet.kind, cuts }, shown(/** @type {string} */ (bet.answer)));
    return `${still(h("b", { "data-pick": String(bet.answer), text: bet.options[choice] }))}.`;
  }
  const said = [bet.answer].flat().map((path) => still(bound(shown, { path, how: bet.format }, { at: "bet" })));
  const both = said.length > 1 ? gettext("{low} to {high}", { low: said[0], high: said[1] }) : said[0];
  return `<b>${both}${bet.unit ? ` ${stills([bet.unit])}` : ""}</b>.`;
};

/**
 * A paragraph with a caption, as a live beat has it.
 * @param {Drawer} drawer
 * @param {string} css
 * @param {Look} look
 * @param {string} caption
 */
const captionOf = (drawer, css, look, caption) => {
  if (!caption) return "";
  if (!drawer.beats.captions?.[caption]) wordsOf(look, caption); // says so where a path leads nowhere
  const p = h("p", { class: css });
  writeWords(drawer, p, look, caption);
  return still(p);
};

/**
 * All pieces of a beat. `first` is its figure as it opens, `last` answered.
 * @param {Drawer} drawer
 * @param {Asked} asked
 * @param {AskedBeat} beat
 */
const renderBeat = async (drawer, asked, beat) => {
  const { bet, figure } = beat;
  const lookAt = looker(drawer);
  const [look, shown] = [beat.state, beat.shown].map((state) => strict(lookAt(state)));
  const first = figure ? await drawFigure(drawer, asked, figure, look, bet ? "open" : "") : "";
  return {
    words: fillHtml(look, beat.words),
    first,
    last: figure && bet ? await drawFigure(drawer, asked, figure, shown, "skipped") : first,
    before: bet ? captionOf(drawer, "beat-before", look, beat.before) : "",
    caption: captionOf(drawer, "beat-caption", shown, beat.caption),
    ...(bet
      ? {
          ask: stills(wordsOf(look, bet.ask, { at: "beat" })),
          says: stills(wordsOf(shown, bet.says, { at: "bet" })),
          answer: answerWords(bet, shown),
          tool: still(firstTool(bet, look, shown, lookAt)),
          row: wireBet(bet, look, shown, lookAt),
        }
      : {}),
  };
};

/**
 * The lab as it opens, without its controls: what stands above its first part with data-below, the rest, and of the former
 * what an embed shows, too: nothing in it that has data-below.
 * @param {Drawer} drawer
 * @param {Asked} asked
 */
const renderLab = async (drawer, { state }) => {
  const el = document.body.appendChild(h("div"));
  const stop = drawer.widget.render({ model: makeModel({ ...state }, drawer.data, () => {}), el });
  await settled();
  const parts = [...(el.firstElementChild?.children ?? [])];
  const at = parts.findIndex((part) => part.matches("[data-below]"));
  const pieces = at < 1 ? [parts, []] : [parts.slice(0, at), parts.slice(at)];
  const [above, more] = pieces.map(stills);
  for (const below of el.querySelectorAll("[data-below]")) below.remove();
  const brief = stills(pieces[0]);
  stop?.();
  el.remove();
  return { brief, above, more };
};

/**
 * What is said of a goal in the lab's first state.
 * @param {Drawer} drawer
 * @param {Asked} asked
 * @param {{ test: string, words: string }} goal
 */
const renderGoal = (drawer, { state }, { test, words }) => {
  const { goals = {} } = drawer.beats;
  if (!goals[test]) throw new Error(`no goal “${test}”; there is ${Object.keys(goals).join(", ") || "none"}.`);
  const { reached, says } = goals[test](state, drawer.data);
  if (reached) throw new Error(`the goal “${test}” is reached before anyone did anything.`);
  return { test, words: stills(wordsOf(strict(looker(drawer)(state)), words)), says };
};

/**
 * Renders everything that a page has before its scripts.
 * @param {Explainer} explainer
 * @param {Asked} asked
 */
export const renderFirst = async (explainer, asked) => {
  setWords(asked.said);
  const drawer = { ...explainer, data: asked.data };
  const beats = [];
  for (const beat of asked.beats) beats.push(await renderBeat(drawer, asked, beat));
  const goals = asked.goals.map((goal) => renderGoal(drawer, asked, goal));
  return { beats, goals, lab: await renderLab(drawer, asked) };
};
