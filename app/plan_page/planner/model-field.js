/* The field for the model: the list that it suggests, and a layout that the chosen one can have. */

import { h } from "../../../explainers/kit/dom.js";
import * as elements from "./elements.js";
import { accept, refuse } from "./field-refusals.js";
import { field } from "./fields.js";
import * as session from "./session.js";

/** @import { Changes } from "./types.d.ts" */

/**
 * known: the list of models; turn: of the questions for one.
 * @type {{ known: [slug: string, title: string][] | null, turn: number }}
 */
const state = { known: null, turn: 0 };

/* The list is fetched when somebody comes near it. */
export const list = async () => {
  if (state.known) return state.known;
  /** @type {[slug: string, title: string][]} */
  const known = await (await fetch(/** @type {string} */ (elements.root.dataset.models))).json();
  state.known = known;
  const list = /** @type {HTMLElement} */ (document.getElementById("plan-models"));
  list.replaceChildren(...known.map(([slug, title]) => h("option", { value: title, label: slug })));
  return known;
};
/**
 * The first model that has the text in its name is taken.
 * @param {string} text
 * @param {(changes: Changes, done: boolean, last?: string) => void} change
 */
export const model = async (text, change) => {
  const [plain, turn] = [text.trim().toLowerCase(), (state.turn += 1)];
  const all = await list();
  const found =
    all.find(([slug, title]) => title.toLowerCase() === plain || slug.toLowerCase() === plain) ||
    (plain && all.find(([slug, title]) => `${title} ${slug}`.toLowerCase().includes(plain)));
  const held = found && (await session.load(found[0]));
  if (turn !== state.turn) return; // another was asked for meanwhile
  if (!held) return refuse("m", text);
  accept(field("m"));
  return change(legal({ m: found[0], pick: "" }), true, "m");
};

/**
 * A layout that another model cannot have moves to the nearest that it can: ep, tp, pp in turn.
 * @param {Changes} changes
 */
const legal = (changes) => {
  const chosen = { ...session.state.chosen, ...changes };
  const tries = [
    {},
    { mtp: null },
    { ep: 1, etp: null, redundant: 0 },
    ...[64, 32, 16, 8, 4, 2, 1]
      .filter((tp) => tp <= chosen.tp)
      .flatMap((tp) => [
        { tp },
        { tp, ep: 1, etp: null, redundant: 0 },
        { tp, ep: 1, etp: null, redundant: 0, pp: 1, chunks: 1, cp: 1 },
      ]),
  ];
  return { ...changes, ...tries.find((one) => !session.compute({ ...chosen, ...one }).trouble) };
};
