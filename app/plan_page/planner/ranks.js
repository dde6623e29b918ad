/* A layout -> where ranks stand: who is in a group, how many share a node; the twin of gallery/planning/ranks.py. */

/** @import { Layout } from "./types.d.ts" */

/** @typedef {[part: string, ranks: number]} Size */

/** @type {{ [axis: string]: string[] }} */
export const GROUPS = {
  tp: ["dcp", "tp"],
  dcp: ["dcp"],
  cp: ["cp"],
  pp: ["pp"],
  dp: ["cp", "dp_shard", "dp"],
  dp_shard: ["cp", "dp_shard"],
  dp_replicate: ["dp"],
  etp: ["etp"],
  ep: ["ep"],
  edp: ["edp_shard", "edp"],
  edp_shard: ["edp_shard"],
  edp_replicate: ["edp"],
};

/**
 * [[part of an axis, how many ranks], ...], innermost first, in one of the two folds.
 * @param {Layout} one
 * @param {boolean} expert
 * @returns {Size[]}
 */
export const sizes = (one, expert) => {
  /** @type {Size[]} */
  const pp = [["pp", one.pp]];
  /** @type {{ [axis: string]: Size[] }} */
  const own = expert
    ? {
        tp: [["etp", one.etp]],
        ep: [["ep", one.ep]],
        pp,
        dp: [
          ["edp_shard", one.expert_shard],
          ["edp", Math.floor(one.edp / one.expert_shard)],
        ],
      }
    : {
        tp: [
          ["dcp", one.dcp],
          ["tp", Math.floor(one.tp / one.dcp)],
        ],
        cp: [["cp", one.cp]],
        pp,
        dp: [
          ["dp_shard", Math.floor(one.dp / one.replicas)],
          ["dp", one.replicas],
        ],
      };
  return one.order.split("-").flatMap((word) => own[word] || []);
};

/**
 * [[how many, how far apart], ...] along each part of a communicator's axis, innermost first.
 * @param {Layout} one
 * @param {string} axis
 * @returns {[size: number, stride: number][]}
 */
export const steps = (one, axis) => {
  /** @type {[size: number, stride: number][]} */
  const out = [];
  let stride = 1;
  for (const [name, size] of sizes(one, axis[0] === "e")) {
    if (GROUPS[axis].includes(name)) out.push([size, stride]);
    stride *= size;
  }
  return out;
};

/**
 * How many ranks of a group stand in one node.
 * @param {Layout} one
 * @param {string} axis
 * @returns {number}
 */
export const count_in_node = (one, axis) =>
  steps(one, axis).reduce(
    (found, [size, stride]) => found * Math.min(Math.max(Math.floor(one.per_node / stride), 1), size),
    1,
  );

/**
 * The ranks that differ from one along an axis alone, itself among them, in the order of the axis.
 * @param {Layout} one
 * @param {string} axis
 * @param {number} [rank]
 * @returns {number[]}
 */
export const group = (one, axis, rank = 0) => {
  const along = steps(one, axis);
  let found = [rank - along.reduce((sum, [size, stride]) => sum + (Math.floor(rank / stride) % size) * stride, 0)];
  for (const [size, stride] of along)
    found = Array.from({ length: size }, (_, place) => found.map((first) => first + place * stride)).flat();
  return found;
};

/**
 * The place of a rank on an axis.
 * @param {Layout} one
 * @param {string} axis
 * @param {number} rank
 * @returns {number}
 */
export const place = (one, axis, rank) => {
  let [place, many] = [0, 1];
  for (const [size, stride] of steps(one, axis)) {
    place += (Math.floor(rank / stride) % size) * many;
    many *= size;
  }
  return place;
};

/**
 * @param {Layout} one
 * @param {number} rank
 * @returns {number}
 */
export const stage_of = (one, rank) => place(one, "pp", rank);
/**
 * @param {Layout} one
 * @param {number} stage
 * @returns {number}
 */
export const first_rank = (one, stage) => stage * steps(one, "pp")[0][1];
