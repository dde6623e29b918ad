/* Twin of legal.py: which states are legal, and the nodes that a model's experts fit. */
import { fmt } from "../kit/numbers.js";
import { GROUPS, PER_NODE, TOKENS } from "./routing.js";

/** @import { Data, State } from "../../.make/data_types/expert-parallel.d.ts" */
/** @import { Row } from "./routing.js" */

export const [WORLD, STEPS] = [64, ["scores", "groups", "choice", "network", "inside", "sums", "back"]];
const NAMES = /* @__PURE__ */ "slug title experts k groups kept group_score scoring bias width layers".split(" ");
/** @param {string} slug @param {Data} data @returns {Row | undefined} */
export const find = (slug, data) => {
  const row = data.models.find((one) => one[0] === slug);
  return row && /** @type {Row} */ (Object.fromEntries(NAMES.map((name, i) => [name, row[i]])));
};
/** @param {Row} row @param {Data} data */
const legal_nodes = (row, data) => data.nodes.filter((nodes) => row.experts % (nodes * PER_NODE) === 0);
/** @param {readonly (string | number)[]} values */
const or_words = (values) =>
  values.length > 1 ? `${values.slice(0, -1).join(", ")} or ${values.at(-1)}` : String(values[0]);
/** @param {number} v @param {number} below */
const whole_below = (v, below) => Number.isInteger(v) && v >= 0 && below > v;

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  const row = find(state.model, data);
  if (!row) return `No mixture of experts here is called “${state.model}”; choose one from the list.`;
  /** @type {{ [key: string]: (string | number)[] }} */
  const lists = {
    nodes: data.nodes,
    limit: data.limits,
    capacity: data.capacities,
    dispatch: data.dispatches,
    kind: data.kinds,
    ...data.sizes,
  };
  for (const [key, allowed] of Object.entries(lists))
    if (!allowed.includes(state[/** @type {keyof State} */ (key)])) return `${key}: one of ${or_words(allowed)}.`;
  if (typeof state.skew !== "number" || !(state.skew >= 0 && 1 >= state.skew)) return "skew: a number from 0 to 1.";
  for (const [key, below] of /** @type {const} */ ([
    ["token", TOKENS],
    ["step", STEPS.length],
    ["gpu", WORLD],
  ])) {
    if (!whole_below(state[key], below)) return `${key}: a whole number from 0 to ${fmt.int(below - 1)}.`;
  }
  return fitting(state, row, data);
}
/** @param {State} state @param {Row} row @param {Data} data */
const fitting = (state, row, data) => {
  const gpus = state.nodes * PER_NODE;
  if (!legal_nodes(row, data).includes(state.nodes))
    return `${row.experts} experts do not divide evenly over ${gpus} GPUs; they do over ${or_words(legal_nodes(row, data).map((n) => n * PER_NODE))}.`;
  const groups = row.groups > 1 ? row.groups : GROUPS;
  const enough = (/** @type {number} */ limit) => limit * row.experts >= row.k * groups;
  if (state.limit && !enough(state.limit))
    return `${row.k} experts do not fit into ${state.limit} of ${groups} groups; take ${data.limits.slice(1).find(enough)} or more.`;
  return gpus * state.etp > WORLD
    ? `EP ${gpus} × ETP ${state.etp} are more than the ${WORLD} GPUs; take ETP ${WORLD / gpus} or less.`
    : "";
};
/** @param {State} state @param {string[]} given @param {Data} data @returns {State} */
export function settle(state, given, data) {
  const row = find(state.model, data);
  if (!row || given.includes("nodes") || !data.nodes.includes(state.nodes)) return { ...state };
  return { ...state, nodes: Math.max(...legal_nodes(row, data).filter((nodes) => state.nodes >= nodes)) };
}
