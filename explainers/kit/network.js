/* A network of the ranks of a mesh: runs collectives on parts of tensors and logs what is sent. gallery/mesh/network.py
   again, and the same log. */
import { upto } from "./arrays.js";
import { addUp, bytesOf, checkFull, joinParts, reshapeLike, splitEqually, splitNumbers } from "./parts.js";
import { makeSchedule } from "./schedules.js";

/** @import { Link, Mesh } from "./mesh.js" */
/** @import { Part } from "./parts.js" */
/** @import { Schedule, Step } from "./schedule-steps.js" */

/**
 * What was sent when, of which tensor, along which axis.
 * @typedef {{
 *   time: number,
 *   source: number,
 *   destination: number,
 *   tensor: string,
 *   bytes: number,
 *   axis: string,
 *   link: Link,
 * }} Move
 */

/**
 * Carries a schedule out.
 * @template {Part} P
 * @param {Schedule} plan
 * @param {(P | null)[][]} held held[rank][slot], changed in place
 * @param {(step: Step, sent: P[]) => unknown} [seen] called after each step with the chunks sent
 */
export const carryOut = (plan, held, seen = () => {}) => {
  const start = held.map((slots) => slots.slice());
  for (const step of plan.steps) {
    const from = step.first ? start : held;
    const sent = step.sends.map((send) => /** @type {P} */ (from[send.source][send.chunk]));
    if (step.frees) for (const send of step.sends) held[send.source][send.chunk] = null;
    step.sends.forEach((send, i) => {
      const there = send.adds ? held[send.destination][send.into] : null;
      held[send.destination][send.into] = there ? addUp(there, sent[i]) : sent[i];
    });
    seen(step, sent);
  }
  if (plan.order) plan.tidy?.(plan.order, held);
};

/**
 * A value of each rank that takes part.
 * @template T
 * @typedef {{ [rank: number]: T }} ByRank
 */

/**
 * Collectives on parts by rank, each of one axis and one tensor: { log, time(), all_gather, reduce_scatter, … }.
 * @typedef {ReturnType<typeof makeNetwork>} Network
 */

/**
 * @template P, Q
 * @param {ByRank<P>} parts
 * @param {(part: P, rank: number) => Q} fn
 * @returns {ByRank<Q>}
 */
const mapped = (parts, fn) =>
  Object.fromEntries(Object.entries(parts).map(([rank, part]) => [rank, fn(part, Number(rank))]));

/**
 * The groups along an axis of the ranks that take part; none may be broken.
 * @param {Mesh} mesh
 * @param {object} held by rank
 * @param {string} axis
 */
const groupsOf = (mesh, held, axis) => {
  const firsts = [...new Set(Object.keys(held).map((rank) => mesh.group(Number(rank), axis)[0]))].sort((a, b) => a - b);
  const groups = firsts.map((rank) => mesh.group(rank, axis));
  const away = groups.flat().filter((rank) => !(rank in held));
  if (away.length) throw new Error(`Ranks ${away.join(", ")} of ${axis} do not take part; a group meets whole.`);
  return groups;
};

/**
 * What runs one collective in all groups at once, and sends between pairs of ranks; time and the log go on with each.
 * @param {Mesh} mesh
 */
const makeRunner = (mesh) => {
  /** @type {Move[]} */
  const log = [];
  let now = 0;
  /** @type {(time: number, source: number, destination: number, tensor: string, chunk: Part, axis: string) => void} */
  const record = (time, source, destination, tensor, chunk, axis) => {
    const bytes = bytesOf(chunk);
    if (bytes) log.push({ time, source, destination, tensor, bytes, axis, link: mesh.link(source, destination) });
  };
  /**
   * @template {Part} P
   * @param {string} op
   * @param {ByRank<readonly (P | null)[]>} slots
   * @param {string} axis
   * @param {string} tensor
   * @param {string} algorithm
   */
  const run = (op, slots, axis, tensor, algorithm, root = 0) => {
    const held = mapped(slots, (own) => own.slice());
    let longest = 0;
    for (const group of groupsOf(mesh, held, axis)) {
      const local = algorithm === "hierarchical" ? mesh.neighbours(group) : 0;
      let done = 0;
      carryOut(
        makeSchedule(op, algorithm, group.length, root, local),
        group.map((rank) => held[rank]),
        (step, sent) => {
          done += 1;
          step.sends.forEach((send, i) => {
            record(now + done, group[send.source], group[send.destination], tensor, sent[i], axis);
          });
        },
      );
      longest = Math.max(longest, done);
    }
    now += longest;
    return held;
  };
  /**
   * Ranks send their parts to one other rank each: `to[source]` is the destination.
   * @template {Part} P
   * @param {ByRank<P>} parts
   * @param {ByRank<number>} to
   * @param {string} axis
   * @param {string} tensor
   * @returns {ByRank<P>}
   */
  const send = (parts, to, axis, tensor) => {
    const pairs = Object.entries(to).map(([source, destination]) => [Number(source), destination]);
    for (const [source, destination] of pairs)
      if (source !== destination) record(now + 1, source, destination, tensor, parts[source], axis);
    now += 1;
    return Object.fromEntries(pairs.map(([source, destination]) => [destination, parts[source]]));
  };
  return { log, time: () => now, run, send };
};

/**
 * A network: runs collectives on a mesh and keeps a log of what was sent.
 * @param {Mesh} mesh
 * @param {string} [usual] the Algorithm of collectives that name none
 */
export const makeNetwork = (mesh, usual = "ring") => {
  const { log, time, run, send } = makeRunner(mesh);
  return {
    mesh,
    log,
    time,
    send,
    /**
     * Every rank gets the parts of its group, one behind the other.
     * @template {Part} P
     * @param {ByRank<P>} parts
     * @param {string} axis
     * @param {string} tensor
     */
    all_gather: (parts, axis, tensor, algorithm = usual) => {
      const slots = mapped(parts, (part, rank) =>
        upto(mesh.length(axis)).map((slot) => (slot === mesh.place(rank, axis) ? part : null)),
      );
      return mapped(run("all-gather", slots, axis, tensor, algorithm), (own) => joinParts(checkFull(own)));
    },
    /**
     * Every rank gets its share of the sum of its group's parts.
     * @template {Part} P
     * @param {ByRank<P>} parts
     * @param {string} axis
     * @param {string} tensor
     */
    reduce_scatter: (parts, axis, tensor, algorithm = usual) => {
      const slots = mapped(parts, (part) => splitEqually(part, mesh.length(axis)));
      const done = run("reduce-scatter", slots, axis, tensor, algorithm);
      return mapped(done, (own, rank) => checkFull([own[mesh.place(rank, axis)]])[0]);
    },
    /**
     * Every rank gets the sum of its group's parts.
     * @template {Part} P
     * @param {ByRank<P>} parts
     * @param {string} axis
     * @param {string} tensor
     */
    all_reduce: (parts, axis, tensor, algorithm = usual) => {
      const slots = mapped(parts, (part) => splitNumbers(part, mesh.length(axis)));
      const done = run("all-reduce", slots, axis, tensor, algorithm);
      return mapped(done, (own, rank) => reshapeLike(joinParts(checkFull(own)), parts[rank]));
    },
    /**
     * Every rank sends a part to each rank of its group: `parts[source][place]`, and what it gets is in the same order.
     * @template {Part} P
     * @param {ByRank<readonly P[]>} parts
     * @param {string} axis
     * @param {string} tensor
     */
    all_to_all: (parts, axis, tensor, algorithm = "direct") =>
      mapped(run("all-to-all", parts, axis, tensor, algorithm), checkFull),
    /**
     * Every rank gets the part of one rank of its group, the one at place `root`.
     * @template {Part} P
     * @param {ByRank<P>} parts
     * @param {string} axis
     * @param {string} tensor
     */
    broadcast: (parts, axis, tensor, root = 0, algorithm = usual) => {
      const n = mesh.length(axis);
      const slots = mapped(parts, (part, rank) =>
        mesh.place(rank, axis) === root ? splitNumbers(part, n) : upto(n).map(() => null),
      );
      const done = run("broadcast", slots, axis, tensor, algorithm, root);
      return mapped(done, (own, rank) => reshapeLike(joinParts(checkFull(own)), parts[mesh.group(rank, axis)[root]]));
    },
  };
};
