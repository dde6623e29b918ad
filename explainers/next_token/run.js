/* A text -> what the model made of it: computed here, or, before the weights are here, as Python stored it of the first text. */
import { bytesOf } from "../kit/apart.js";
import { upto } from "../kit/arrays.js";
import { running } from "./load.js";
import { rank } from "./sampling.js";

/** @import { Data } from "./compute.js" */
/** @import { Step } from "./forward.js" */
/** @import { Merge } from "./tokens.js" */

/** A token. @typedef {{ id: number, name: string }} Token */
/** A token's bytes, and the merges that made one token of them. @typedef {{ bytes: string[], merges: Merge[] }} Pieces */
/**
 * What the model made of a text: `steps` and the names of all tokens once it runs here.
 * @typedef {{
 *   ids: number[], dropped: number, logits: Float64Array, name: (id: number) => string, pieces: (id: number) => Pieces,
 *   order: number[], steps: Step[] | null,
 * }} Run
 */

const [JUMP, KEPT] = [32, 4];

/** The runs over the last texts: what is shown, and what it was before an edit. @type {Map<string, Run>} */
const runs = new Map();

/** What Python stored of the first text. @param {Data} data @returns {Run} */
const storedRun = ({ first, facts }) => {
  const numbers = new DataView(bytesOf(first.logits.steps).buffer);
  const logits = Float64Array.from(upto(facts.vocabulary), (i) => first.logits.step * numbers.getInt16(2 * i, true));
  const best = rank(logits);
  /** @type {{ [id: number]: string }} */
  const names = {};
  first.ids.forEach((id, i) => {
    names[id] = first.names[i];
  });
  first.best.forEach((name, i) => {
    names[best[i]] = name;
  });
  return {
    ids: first.ids,
    dropped: 0,
    logits,
    order: best,
    name: (id) => names[id] ?? "another",
    pieces: (id) => first.pieces[first.ids.indexOf(id)] ?? { bytes: [], merges: [] },
    steps: null,
  };
};

/** @param {string} text @param {Data} data @returns {Run | null} */
const makeRun = (text, data) => {
  const here = running(data);
  if (!here) return text === data.first.text ? storedRun(data) : null;
  const ids = here.encode(text);
  const room = data.facts.context - 1;
  const dropped = Math.ceil(Math.max(0, ids.length - room) / JUMP) * JUMP;
  const made = here.run(ids.slice(dropped));
  return { ...made, order: rank(made.logits), dropped, name: here.name, pieces: here.pieces };
};

/** @param {string} text @param {Data} data @returns {Run | null} */
export const runOf = (text, data) => {
  const known = runs.get(text);
  if (known && (known.steps || !running(data))) return known;
  const made = makeRun(text, data);
  runs.delete(text);
  if (made) runs.set(text, made);
  if (runs.size > KEPT) runs.delete([...runs.keys()][0]);
  return made;
};
