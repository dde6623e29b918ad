// Which numbered differences stand on which merged panel, and what they cost together.
import { amount, change } from "./compare-numbers.js";

/** @import { Difference, MergedPanel } from "../site/types.d.ts" */

export const DENSE = "first_k_dense_replace",
  EXPERTS = /expert|rout|shared|group|scor|choosing only/;

/** @param {MergedPanel} one */
const both = (one) => Boolean(one.a && one.b);
/**
 * B's, or A's where B has none.
 * @template T
 * @param {{ a?: T, b?: T }} one
 */
export const eitherOf = (one) => /** @type {T} */ (one.b ?? one.a);
/**
 * @param {Difference} row
 * @param {MergedPanel[]} all
 */
function holder(row, all) {
  const own = all.filter((one) => one.half === row.place),
    /** @type {(text: string) => string} */
    kind = (text) => /** @type {string} */ (text.split(" × ").at(-1)).split(", ")[0];
  if (!own.length) return null;
  /**
   * @param {"a" | "b"} side
   * @param {string} text
   */
  const named = (side, text) => own.find((one) => one[side]?.label === kind(text));
  if (row.what.startsWith("kind of")) return named("b", row.b) ?? named("a", row.a) ?? own[0];
  /** @param {MergedPanel} one */
  const fits = (one) =>
    (one.half !== "mlp" ? 0 : eitherOf(one).groups.length > 0 === EXPERTS.test(row.what) ? 4 : 0) +
    (/window/.test(row.what) && eitherOf(one).role === "window" ? 8 : 0) +
    (one.state === "differs" ? 2 : 0) +
    (both(one) ? 1 : 0);
  return own.reduce((best, one) => (fits(one) > fits(best) ? one : best));
}
/**
 * @param {Difference[]} rows
 * @param {MergedPanel[]} all
 * @returns {[Map<MergedPanel, Difference[]>, Difference[]]}
 */
export function spread(rows, all) {
  /** @type {Map<MergedPanel, Difference[]>} */
  const found = new Map(all.map((one) => [one, []])),
    /** @type {Difference[]} */
    rest = [];
  for (const row of rows.filter((one) => one.number)) {
    const home = row.place === "mixer" || row.place === "mlp" ? holder(row, all) : null;
    if (home) found.get(home)?.push(row);
    else rest.push(row);
  }
  return [found, rest];
}

/** @param {{ a?: { layers: number }, b?: { layers: number } }} one */
export const span = (one) => {
  const [a, b] = [one.a?.layers ?? 0, one.b?.layers ?? 0],
    /** @type {(n: number) => string} */
    many = (n) => `${n} layer${n === 1 ? "" : "s"}`;
  return a === b ? many(a) : `${a} → ${many(b)}`;
};
/**
 * @param {MergedPanel} one
 * @param {Difference[]} rows
 * @param {boolean} counted
 */
export function cost(one, rows, counted) {
  if (counted) {
    const sum = rows.reduce((all, row) => all + (row.parameters ?? 0), 0),
      names = rows.map((row) => row.number);
    return rows.length
      ? { cost: change(sum, amount), sub: `row${names.length > 1 ? "s" : ""} ${names.join(", ")}; in ${span(one)}` }
      : { cost: one.state === "same" ? "=" : "", sub: `in ${span(one)}` };
  }
  const more = (one.b?.total ?? 0) - (one.a?.total ?? 0);
  return { cost: change(more, amount), sub: `all of it, in ${span(one)}` };
}
