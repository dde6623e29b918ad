// What two files of /data/compare/ make together: their differences, and the sentence that sums them up. Pure.
import { PARTS } from "./compare-numbers.js";

/** @import { ComparedModel, Difference, DifferenceRow, Field, MechanismWords, Pair } from "../site/types.d.ts" */

const ROW = ["part", "what", "key", "a", "b", "parameters", "active", "cache", "fixed", "number", "apart", "place"];
/**
 * @param {DifferenceRow} row
 * @returns {Difference}
 */
const named = (row) =>
  /** @type {Difference} */ (/** @type {unknown} */ (Object.fromEntries(ROW.map((name, i) => [name, row[i]]))));

/**
 * Fields of a pair whose differences nobody counted one by one: those with other values, numbered where both drawings
 * differ.
 * @param {ComparedModel} a
 * @param {ComparedModel} b
 * @returns {[rows: Difference[], equal: Difference[]]}
 */
function plainRows(a, b) {
  const mine = new Map(a.fields.map((row) => [row.slice(0, 2).join("|"), row])),
    theirs = new Map(b.fields.map((row) => [row.slice(0, 2).join("|"), row]));
  const keys = [...new Set([...mine.keys(), ...theirs.keys()])];
  const rows = keys.map((key) => {
    const [part, what, name] = /** @type {Field} */ (mine.get(key) ?? theirs.get(key));
    return {
      part,
      what,
      key: name,
      a: mine.get(key)?.[3] ?? "",
      b: theirs.get(key)?.[3] ?? "",
      parameters: null,
      active: null,
      cache: null,
      fixed: null,
      number: 0,
      place: "",
    };
  });
  const order = Object.keys(PARTS);
  rows.sort((one, other) => order.indexOf(one.part) - order.indexOf(other.part));
  return [rows.filter((row) => row.a !== row.b), rows.filter((row) => row.a === row.b && row.a)];
}

/**
 * @param {number} was
 * @param {number} is
 */
const more = (was, is) => (was ? Math.round(((is - was) / was) * 100) : 0);
const FAR_FEWER = 20; // times as few, from which a ratio says more than per cent
/**
 * @param {number} was
 * @param {number} is
 * @param {"parameters" | "active" | "cache"} what
 */
const sides = (was, is, what) => {
  if (was === is) return `the same ${what}`;
  if (!was || !is) return is ? `${what} where it had none` : `no ${what}`;
  const by = more(was, is),
    less = what === "cache" ? "less" : "fewer";
  if (by >= 100) return `${(is / was).toFixed(1)} times the ${what === "active" ? "active parameters" : what}`;
  if (was / is >= FAR_FEWER) return `${Math.round(was / is)} times ${less} ${what}`;
  return by ? `${Math.abs(by)} % ${by > 0 ? "more" : less} ${what}` : `nearly the same ${what}`;
};

const MOST_WORDS = 40; // of a whole verdict
/** @param {string} text */
const count = (text) => text.split(" ").length;
/** @param {string[]} words */
const joined = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0]);

/**
 * What one model has that another lacks, but for what is not said beside the rest.
 * @param {MechanismWords[]} has
 * @param {MechanismWords[]} other
 * @returns {MechanismWords[]}
 */
function lone(has, other) {
  const found = has.filter(([key]) => !other.some((one) => one[0] === key)),
    keys = new Set(found.map(([key]) => key));
  return found.filter((one) => !one[5].some((key) => keys.has(key)));
}

/**
 * How those of a slot are said, each word once.
 * @param {MechanismWords[]} rows
 * @param {number} slot
 * @param {2 | 3 | 4} at
 */
const said = (rows, slot, at) => [...new Set(rows.filter((one) => one[1] === slot).map((one) => one[at]))];

/**
 * A clause for each slot in which two models have other mechanisms, in the slots' order, what is lost last: QK-norm instead of sinks.
 * @param {Pick<ComparedModel, "says">} a
 * @param {Pick<ComparedModel, "says">} b
 * @param {number} room in words
 * @returns {string[]}
 */
export function mechanismClauses(a, b, room) {
  const gained = lone(b.says, a.says),
    lost = lone(a.says, b.says),
    slots = [...new Set([...gained, ...lost].map((one) => one[1]))].sort((one, other) => one - other);
  let left = room;
  return slots
    .map((slot) => {
      const [news, olds, gone] = [
        [gained, 2],
        [lost, 3],
        [lost, 4],
      ].map(([rows, at]) => said(/** @type {MechanismWords[]} */ (rows), slot, /** @type {2 | 3 | 4} */ (at)));
      const words = joined(news);
      if (!words) return `no ${gone.join(" or ")}`;
      return olds.length && !words.includes(" instead of ") ? `${words} instead of ${joined(olds)}` : words;
    })
    .sort((one, other) => Number(one.startsWith("no ")) - Number(other.startsWith("no ")))
    .filter((words) => {
      const fits = count(words) <= left;
      if (fits) left -= count(words);
      return fits;
    });
}

/**
 * {rows, equal, counted, verdict: [words, bold]..., brief} of model b beside model a.
 * @param {ComparedModel} a
 * @param {ComparedModel} b
 * @returns {Pair}
 */
export function pair(a, b) {
  const found = b.pairs[a.slug];
  const heads = Object.fromEntries(
    Object.keys(PARTS).map((part) => {
      const [one, other] = [a.heads[part], b.heads[part]];
      return [part, one === other ? one : `${one || "none"} → ${other || "none"}`];
    }),
  );
  if (found) {
    const rows = found.rows.map(named),
      clauses = found.clauses.map(([words, heavy, number]) => ({ words, heavy, number }));
    return {
      rows,
      equal: found.equal.map(named),
      counted: true,
      heads: found.heads,
      start: found.start,
      clauses,
      end: found.end,
      brief: found.brief,
    };
  }
  const [rows, equal] = plainRows(a, b),
    was = a.figures,
    is = b.figures;
  const end = `${sides(was.parameters, is.parameters, "parameters")}, ${sides(was.active, is.active, "active")}, ${sides(was.cache_bytes, is.cache_bytes, "cache")}.`;
  const room = MOST_WORDS - count(`Next to ${a.title}, ${b.title} has and ${end}`),
    kinds = mechanismClauses(a, b, room).map((words) => ({ words, heavy: true, number: 0 }));
  const start = kinds.length ? `Next to ${a.title}, ${b.title} has` : `Next to ${a.title}, ${b.title}:`;
  return {
    rows,
    equal,
    counted: false,
    heads,
    start,
    clauses: kinds,
    end,
    brief: `${b.title} has ${kinds.length ? joined(kinds.slice(0, 2).map((one) => one.words)) : end.slice(0, -1)}`,
  };
}

/**
 * @param {Pick<Pair, "start" | "clauses" | "end">} found
 * @returns {string}
 */
export function sentence({ start, clauses, end }) {
  const listed = joined(clauses.map((one) => one.words));
  return `${start}${listed ? ` ${listed}:` : ""} ${end}`;
}

/**
 * Layer by layer from the first: [mixer's colour, MLP's colour, both names].
 * @param {ComparedModel} model
 * @returns {[mixer: string, mlp: string, names: string][]}
 */
export const slabs = (model) =>
  model.tower.flatMap(([mixer, mlp, name, many]) => Array.from({ length: many }, () => [mixer, mlp, name]));
