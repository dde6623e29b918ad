/* A drawing's lines and what a small copy computed -> what can be looked at and what can be cut. Pure.
   A line of "layer3.mixer" says "q_proj>q_norm"; its value is layer3's "mixer.q_proj". "x" is what the part reads. */

/** @import { CutWire, SmallRun } from "./types.d.ts" */

/**
 * Something to choose: a wire, or a norm where it has no source.
 * @typedef {{ key: string, group: string, words: string, value: string, cuts: CutWire[] }} Wire
 */

/** @param {string} group */
const parts = (group) => {
  const [where, ...inside] = group.split(".");
  return { where, before: inside.map((part) => `${part}.`).join("") };
};

/**
 * The name in its layer of what a line calls a value; "" where nothing of that name ran.
 * @param {SmallRun} run
 * @param {string} group
 * @param {string} name
 */
export function inLayer(run, group, name) {
  const { where, before } = parts(group),
    known = run.values[where] ?? {};
  if (before && name === "x") return run.inputs[group] ?? "";
  return [before + name, name].find((one) => one in known) ?? "";
}

/**
 * What a line carries: its value, and the wires that are cut with it.
 * @param {SmallRun} run
 * @param {string} group
 * @param {string} edges "a>b a>c", or "a>" for a trunk that several share
 * @returns {Wire | null}
 */
export function wireOf(run, group, edges) {
  const pairs = edges.split(" ").map((edge) => edge.split(">"));
  const source = inLayer(run, group, pairs[0][0]),
    { where } = parts(group);
  if (!source) return null;
  const ends = pairs.map(([, node]) => node && inLayer(run, group, node)).filter(Boolean);
  const layer = where === "model" ? null : Number(where.slice(5));
  const isPlain = run.values[where][source] === 1 && layer !== null;
  return {
    key: `${group} ${edges}`,
    group,
    words: ends.length ? `${pairs[0][0]} → ${pairs.map(([, node]) => node).join(", ")}` : pairs[0][0],
    value: `${where}:${source}`,
    cuts: isPlain ? ends.map((node) => [layer, /** @type {string} */ (node), source]) : [],
  };
}

/**
 * The norms of a layer, each as what can be removed.
 * @param {SmallRun} run
 * @returns {Wire[]}
 */
export const normsOf = (run) =>
  Object.entries(run.norms).flatMap(([where, names]) =>
    names.map((name) => ({
      key: `${where} ${name}`,
      group: where,
      words: `norm ${name}`,
      value: `${where}:${name}`,
      cuts: [[where === "model" ? null : Number(where.slice(5)), name]],
    })),
  );

/**
 * Everything to choose, by part of the drawing, each once.
 * @param {SmallRun} run
 * @param {[group: string, edges: string][]} lines
 * @returns {Map<string, Wire[]>}
 */
export function wiresBy(run, lines) {
  /** @type {Map<string, Map<string, Wire>>} */
  const found = new Map();
  const all = [...lines.map(([group, edges]) => wireOf(run, group, edges)), ...normsOf(run)];
  for (const wire of all) {
    if (!wire) continue;
    const own = found.get(wire.group) ?? new Map();
    const same = own.get(wire.words);
    if (!same || wire.cuts.length > same.cuts.length) own.set(wire.words, wire);
    found.set(wire.group, own);
  }
  return new Map([...found].map(([group, own]) => [group, [...own.values()]]));
}
