/* Twin of folding.py: the same GPUs in two meshes, one for attention and one for experts. */
import { makeMesh } from "../kit/mesh.js";
import { WORLD } from "./legal.js";
import { PER_NODE } from "./routing.js";

/** @import { State } from "../../.make/data_types/expert-parallel.d.ts" */

/** @param {State} state */
export const fold_of = ({ tp, cp, etp, nodes, gpu }) => {
  const ep = nodes * PER_NODE;
  const [attention, experts] = [
    { dp: WORLD / (tp * cp), cp, tp },
    { edp: WORLD / (ep * etp), ep, etp },
  ];
  const mesh = makeMesh(attention, PER_NODE, experts);
  /** @type {<T>(fn: (axis: string) => T) => { [axis: string]: T }} */
  const by_axis = (fn) => Object.fromEntries(Object.keys({ ...attention, ...experts }).map((axis) => [axis, fn(axis)]));
  return {
    gpus: WORLD,
    ...attention,
    ...experts,
    places: by_axis((axis) => mesh.ranks.map((rank) => mesh.place(rank, axis))),
    here: by_axis((axis) => mesh.place(gpu, axis)),
    group: by_axis((axis) => mesh.group(gpu, axis)),
  };
};
