/* A mesh of ranks: axes and their sizes -> groups, places, nodes, links. gallery/mesh/grid.py again; a test holds the two
   together, as it does schedules.js and network.js. */
import { upto } from "./arrays.js";

/**
 * A mesh of ranks, laid out over axes, the last of which varies fastest.
 * @typedef {object} Mesh
 * @property {Axes} axes
 * @property {Axes} experts the other fold of the same ranks, for experts
 * @property {number} per_node devices of a node
 * @property {number} size
 * @property {number[]} ranks
 * @property {(axis: string) => number} length 1 for an axis that the mesh has not
 * @property {(axis: string) => number} stride how far apart neighbours along an axis are
 * @property {(rank: number, axis: string) => number} place where a rank is along an axis
 * @property {(rank: number, axis: string) => number[]} group the ranks that differ from it along an axis alone
 * @property {(axis: string) => number[][]} groups
 * @property {(rank: number) => number} node
 * @property {(members: number[]) => number} neighbours how many ranks of a group each of its nodes has; 0 if not equally many
 * @property {(a: number, b: number) => Link} link
 */

/** The size of every axis, outermost first. @typedef {{ [axis: string]: number }} Axes */

/** Whether a send stays inside a node. @typedef {"inside" | "outside"} Link */

/**
 * A mesh of ranks: `makeMesh({ pp: 2, dp: 2, tp: 4 }, 8, { edp: 2, ep: 4, etp: 1 })`.
 * @param {Axes} axes
 * @param {number} per_node
 * @param {Axes} [experts] the axes of the same ranks (but for pp) in layers of experts
 * @returns {Mesh}
 */
export const makeMesh = (axes, per_node, experts = {}) => {
  /** @param {Axes} fold */
  const product = (fold) => Object.values(fold).reduce((a, b) => a * b, 1);
  /** @type {Axes} */
  const inner = Object.keys(experts).length ? { ...(axes.pp ? { pp: axes.pp } : {}), ...experts } : axes;
  const folds = [axes, inner];
  const [size, there] = folds.map(product);
  const wrong = [...Object.entries(axes), ...Object.entries(experts)].filter(([, many]) => many - 1 < 0);
  if (wrong.length || per_node - 1 < 0) throw new Error("An axis has at least 1 rank and a node at least 1 device.");
  if (there !== size) throw new Error(`The axes are ${size} ranks, the experts' axes ${there}.`);
  /** @param {string} axis */
  const fold = (axis) => folds.find((one) => axis in one) || { [axis]: 1 };
  /** @param {string} axis */
  const length = (axis) => fold(axis)[axis];
  /** @param {string} axis */
  const stride = (axis) => {
    const names = Object.keys(fold(axis));
    return names.slice(names.indexOf(axis) + 1).reduce((by, name) => by * fold(axis)[name], 1);
  };
  /** @type {Mesh["place"]} */
  const place = (rank, axis) => (length(axis) > 1 ? Math.floor(rank / stride(axis)) % length(axis) : 0);
  /** @type {Mesh["group"]} */
  const group = (rank, axis) => {
    if (length(axis) === 1) return [rank];
    return upto(length(axis)).map((i) => rank + (i - place(rank, axis)) * stride(axis));
  };
  /** @param {number} rank */
  const node = (rank) => Math.floor(rank / per_node);
  const ranks = upto(size);
  /** @param {number[]} members */
  const neighbours = (members) => {
    const nodes = members.map(node);
    const first = nodes.filter((one) => one === nodes[0]).length;
    const even = nodes.every((one, i) => one === nodes[i - (i % first)]);
    return even && new Set(nodes).size * first === members.length ? first : 0;
  };
  return {
    axes,
    experts,
    per_node,
    size,
    ranks,
    length,
    stride,
    place,
    group,
    node,
    neighbours,
    groups: (axis) => ranks.filter((rank) => place(rank, axis) === 0).map((rank) => group(rank, axis)),
    link: (a, b) => (node(a) === node(b) ? "inside" : "outside"),
  };
};
