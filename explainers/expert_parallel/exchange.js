/* Twin of exchange.py: out to the experts and back by the mesh’s direct all-to-all, every chunk that is sent counted.
   A row is [token, number]. */

import { upto } from "../kit/arrays.js";
import { makeMesh } from "../kit/mesh.js";
import { carryOut } from "../kit/network.js";
import { tidy } from "../kit/schedule-steps.js";
import { exchanging } from "../kit/two-levels.js";
import { PER_NODE, TOKENS } from "./routing.js";

/** @import { Sent } from "./placing.js" */

/** What a rank holds: a number for each token that has come. @typedef {Map<number, number>} Held */

export const OUT_AND_BACK = ["out, network", "out, inside", "back, inside", "back, network"];

/**
 * An all-to-all along an axis of the mesh: what each rank holds after it. `count` is told of every chunk that is sent.
 * @param {ReturnType<typeof makeMesh>} mesh
 * @param {string} axis
 * @param {Held[]} held
 * @param {(rank: number, token: number) => number[]} to places on the axis
 * @param {boolean} back what comes back is added up
 * @param {(rank: number, copies: number) => void} count
 */
const all_to_all = (mesh, axis, held, to, back, count) => {
  const parts = held.map((own, rank) => {
    /** @type {number[][]} */
    const box = upto(mesh.length(axis)).map(() => []);
    for (const [token, number] of own) for (const place of to(rank, token)) box[place].push(token, number);
    return box.map((rows) => Float64Array.from(rows));
  });
  const plan = { steps: exchanging(mesh.length(axis), mesh.length(axis)), order: mesh.length(axis), tidy: tidy };
  for (const group of mesh.groups(axis)) {
    carryOut(
      plan,
      group.map((rank) => parts[rank]),
      (step, sent) => step.sends.forEach((send, i) => count(group[send.source], sent[i].byteLength / 16)),
    );
  }
  return parts.map((come) => {
    /** @type {Held} */
    const made = new Map();
    for (const part of come)
      for (let i = 0; i !== part.length; i += 2) made.set(part[i], (back ? made.get(part[i]) || 0 : 0) + part[i + 1]);
    return made;
  });
};

/** @param {Sent & { nodes: number, slots: number[] }} made */
export const exchange_of = ({ nodes, slots, where, fits }) => {
  const mesh = makeMesh({ node: nodes, gpu: PER_NODE }, PER_NODE);
  const [ranks, per] = [mesh.size, slots.length / mesh.size];
  const each = TOKENS / ranks;
  /** @type {[gpu: number, expert: number][][]} */
  const goals = where.map((row, t) =>
    row.filter((_, i) => fits[t][i]).map((slot) => [Math.floor(slot / per), slots[slot]]),
  );
  const distinct = (/** @type {number[]} */ values) => [...new Set(values)].sort((a, b) => a - b);
  const gpus = goals.map((one) => distinct(one.map(([gpu]) => gpu)));
  const doors = gpus.map((one) => distinct(one.map((gpu) => mesh.node(gpu))));
  const home = (/** @type {number} */ token) => Math.floor(token / each);

  const counted = Object.fromEntries(OUT_AND_BACK.map((name) => [name, 0]));
  const busy = upto(ranks).map(() => 0);
  /**
   * @param {string} axis
   * @param {string} name
   * @param {Held[]} held
   * @param {(rank: number, token: number) => number[]} to places on the axis
   * @param {boolean} [back] what comes back is added up
   */
  const pass_on = (axis, name, held, to, back = false) =>
    all_to_all(mesh, axis, held, to, back, (rank, copies) => {
      counted[name] += copies;
      if (name === OUT_AND_BACK[0]) busy[rank] += copies;
    });
  const own = upto(ranks).map((rank) => new Map(upto(each).map((i) => [rank * each + i, rank * each + i + 1])));
  const at_door = pass_on("node", OUT_AND_BACK[0], own, (r, t) => doors[t]);
  const there = pass_on("gpu", OUT_AND_BACK[1], at_door, (r, t) =>
    gpus[t].filter((g) => mesh.node(g) === mesh.node(r)).map((g) => g % PER_NODE),
  );
  const made = there.map(
    (rows, rank) =>
      new Map(
        [...rows].map(([t, x]) => [t, goals[t].reduce((sum, [gpu, e]) => sum + (gpu === rank ? (e + 1) * x : 0), 0)]),
      ),
  );
  const summed = pass_on("gpu", OUT_AND_BACK[2], made, (r, t) => [home(t) % PER_NODE], true);
  const sums = pass_on("node", OUT_AND_BACK[3], summed, (r, t) => [mesh.node(home(t))], true);

  const whole = (/** @type {number} */ t) => goals[t].reduce((sum, [, e]) => sum + (e + 1) * (t + 1), 0);
  return {
    counted,
    busiest: Math.max(...busy),
    wrong: upto(TOKENS).filter((t) => (sums[home(t)].get(t) || 0) !== whole(t)).length,
  };
};
