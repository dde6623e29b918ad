/* One run of the mesh's, counted, and its alpha-beta time: reference.compute, key by key. */

import { upto } from "../kit/arrays.js";
import { carryOut } from "../kit/network.js";
import { fmt } from "../kit/numbers.js";
import { makeSchedule } from "../kit/schedules.js";
import {
  between,
  cost_of,
  crossover_of,
  evaluate,
  largest_of,
  levels,
  offered_of,
  remembered,
  time_of,
} from "./timed.js";

/** @import { Data, State } from "../../.make/data_types/collectives.d.ts" */
/** @import { Schedule } from "../kit/schedule-steps.js" */
/** @import { Run } from "./timed.js" */

/** A chunk that was sent. @typedef {[step: number, source: number, destination: number, chunk: number, into: number, bytes: number, op: string]} Row */
/**
 * A run: what was sent, the name of each step and whether its senders give up what they send, and what every rank holds
 * before it and after each step.
 * @typedef {{ log: Row[], phases: string[], frees: boolean[], frames: number[][][] }} Machine
 */
/** @typedef {{ steps: number, busiest: number, serial: number, [link: string]: number }} Counted */
/** What compute gives. @typedef {ReturnType<typeof compute>} Now */
/** A state, and what compute gives of it. @typedef {State & Now} Shown */

const WIDTH = 2;

/**
 * A schedule over slots of WIDTH numbers: machine.py.
 * @param {number[][]} start
 * @param {Schedule} plan
 */
const machine = (start, plan) => {
  /** @type {(Float32Array | null)[][]} */
  const slots = start.map((rank) =>
    upto(rank.length / WIDTH).map((s) => Float32Array.from(rank.slice(s * WIDTH, s * WIDTH + WIDTH))),
  );
  const frame = () => slots.map((rank) => rank.flatMap((slot) => (slot ? [...slot] : [0, 0])));
  /** @type {Machine} */
  const m = { log: [], phases: [], frees: [], frames: [frame()] };
  carryOut(plan, slots, (step, sent) => {
    m.phases.push(step.phase);
    step.sends.forEach((one, i) =>
      m.log.push([
        m.phases.length,
        one.source,
        one.destination,
        one.chunk,
        one.into,
        sent[i].byteLength,
        one.adds ? "add" : "copy",
      ]),
    );
    m.frees.push(step.frees);
    m.frames.push(frame());
  });
  if (plan.order) m.frames.push(frame());
  return m;
};

/** @param {string} op @param {number} n @param {number} root */
const begin = (op, n, root) =>
  upto(n).map((rank) =>
    upto(n).flatMap((slot) => {
      const has = op === "all-gather" ? slot === rank : op === "broadcast" ? rank === root : true;
      return has ? [2 ** rank, 16 * rank + slot + 1] : [0, 0];
    }),
  );

/**
 * The number that rank's slot must show, or null where nothing is promised.
 * @param {string} op
 * @param {number[][]} start
 * @param {number} root
 * @param {number} rank
 * @param {number} slot
 * @param {number} k
 */
const expected = (op, start, root, rank, slot, k) => {
  /** @param {number} r @param {number} s */
  const of = (r, s) => start[r][s * WIDTH + k];
  if (op === "all-to-all") return of(slot, rank);
  if (op === "all-gather") return of(slot, slot);
  if (op === "broadcast") return of(root, slot);
  if (op === "reduce-scatter" && slot !== rank) return null;
  return start.reduce((sum, _, r) => sum + of(r, slot), 0);
};

/* The run itself, counted. */
const executed = /* @__PURE__ */ remembered((/** @type {Run} */ ...[op, algorithm, n, root, per_node]) => {
  const start = begin(op, n, root);
  const m = machine(
    start,
    makeSchedule(op, algorithm, n, root, algorithm === "hierarchical" ? Math.min(per_node, n) : 0),
  );
  const size = 4 * WIDTH;
  const [sent, received, inside, outside] = upto(4).map(() => upto(n).map(() => 0));
  /** @type {Map<number, Map<number, number>>} */
  const largest = new Map();
  for (const [step, src, dst, , , bytes] of m.log) {
    sent[src] += bytes;
    received[dst] += bytes;
    (Math.floor(src / per_node) === Math.floor(dst / per_node) ? inside : outside)[src] += bytes;
    const messages = largest.get(step) ?? new Map();
    largest.set(step, messages.set(src * n + dst, (messages.get(src * n + dst) ?? 0) + bytes));
  }
  let mismatches = 0;
  m.frames[m.frames.length - 1].forEach((rank, r) =>
    rank.forEach((x, i) => {
      const want = expected(op, start, root, r, Math.floor(i / WIDTH), i % WIDTH);
      if (want !== null && want !== x) mismatches += 1;
    }),
  );
  const serial = [...largest.values()].reduce((sum, messages) => sum + Math.max(...messages.values()), 0);
  /** @type {Counted} */
  const counted = { steps: m.phases.length, busiest: Math.max(...sent) / size, serial: serial / size };
  if (n > per_node)
    Object.assign(counted, { inside: Math.max(...inside) / size, outside: Math.max(...outside) / size });
  const run = {
    log: m.log,
    frames: m.frames,
    phases: m.phases,
    frees: m.frees,
    mismatches,
    sent: sent.map((b) => b / size),
    received: received.map((b) => b / size),
    crossing: outside.reduce((sum, b) => sum + b, 0) / size,
    counted,
  };
  return { run, start };
}, 8);

/**
 * How far a run is after so many steps: its name, what comes next, what is sent, and which slots are finished.
 * @param {{ run: Machine, start: number[][] }} made
 * @param {State} state
 * @param {number} step
 */
export const progress = ({ run, start }, { op, ranks: n, root, per_node }, step) => {
  const frame = Math.min(Math.max(Math.floor(step), 0), run.frames.length - 1); // one more than steps where slots are put in order at the end
  const done = Math.min(frame, run.phases.length);
  const sent = upto(n).map(() => 0);
  const crossing = new Set();
  for (const [number, src, dst] of run.log) {
    if (done >= number) sent[src] += 1;
    if (number === done + 1) crossing.add(Math.floor(src / per_node) !== Math.floor(dst / per_node));
  }
  const where =
    crossing.size > 1 ? "inside and between the nodes" : crossing.has(true) ? "between the nodes" : "inside the nodes";
  const slots = upto(n).flatMap((r) =>
    upto(n).map((s) =>
      upto(WIDTH).map((k) => [expected(op, start, root, r, s, k), run.frames[frame][r][s * WIDTH + k]]),
    ),
  );
  const promised = slots.filter((slot) => slot[0][0] !== null);
  return {
    words: `${done} of ${run.phases.length}`,
    phase: run.phases[frame] || "",
    where: n > per_node && crossing.size ? where : "",
    sent,
    most: Math.max(...sent),
    finished: promised.filter((slot) => slot.every(([want, is]) => want === is)).length,
    wanted: promised.length,
  };
};

/** @param {number} us */
export const spelt = (us) =>
  us >= 1e6 ? `${fmt.fixed(us / 1e6, 2)} s` : us >= 1000 ? `${fmt.fixed(us / 1000, 2)} ms` : `${fmt.fixed(us, 1)} µs`;

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const { op, algorithm, ranks: n, root, per_node } = state;
  const made = executed(op, algorithm, n, root, per_node);
  const { run } = made;
  const local = Math.min(per_node, n);
  /** @type {{ steps: string, busiest: string, serial: string, [link: string]: string }} */
  const written = {
    ...data.formulas[`${op} ${algorithm}`],
    ...(n > per_node ? { inside: "", outside: between(op, algorithm, n, local, data) } : {}),
  };
  /** @type {<In, Out>(from: { [key: string]: In }, fn: (x: In) => Out) => { [key: string]: Out }} */
  const mapped = (from, fn) => Object.fromEntries(Object.entries(from).map(([key, x]) => [key, fn(x)]));
  const total = 2 ** state.message;
  const cost = cost_of(largest_of(op, algorithm, n, root, per_node), n, state);
  const { steps: _steps, ...chunks } = run.counted;
  const bytes = mapped(chunks, (x) => (x * total) / n);
  /** @type {{ time: string, steps: string, [amount: string]: string }} */
  const words = {
    time: spelt(cost.us),
    steps: spelt(cost.inside.steps * state.alpha + cost.outside.steps * state.net_alpha),
    ...mapped(bytes, (x) => fmt.kib(x)),
  };
  const bus = op === "all-reduce" ? 2 : op === "broadcast" ? 0 : 1;
  const offered = offered_of(state, data);
  const times_us = Object.fromEntries(offered.map((a) => [a, time_of(a, state)]));
  return {
    ...run,
    formula: mapped(written, (text) => text && evaluate(text, n, local)),
    written,
    nodes: Math.ceil(n / per_node),
    bytes,
    chunk_bytes: total / n,
    cost,
    time_us: cost.us,
    times_us,
    fastest: offered.reduce((a, b) => (times_us[a] > times_us[b] ? b : a)),
    bus_gbs: cost.us ? (total / cost.us / 1000) * (bus ? (bus * (n - 1)) / n : 1) : 0,
    crossover: n > per_node ? 0 : crossover_of(op, n, state, data),
    at: progress(made, state, state.step),
    words,
  };
}

/** Of a key of the state: from, to, whether it is whole, and what is legal. @type {{ [key: string]: [number, number, boolean, string] }} */
const RANGES = {
  ranks: [2, 16, true, "The number of ranks is a whole number from 2 to 16."],
  message: [10, 34, true, "The message is a whole power of two, from 2¹⁰ bytes (1 KiB) to 2³⁴ (16 GiB)."],
  alpha: [0, 100, false, "The start-up time α goes from 0 to 100 µs."],
  bandwidth: [1, 2000, false, "The bandwidth goes from 1 to 2,000 GB/s."],
  per_node: [1, 16, true, "The number of GPUs in a node is a whole number from 1 to 16."],
  net_alpha: [0, 100, false, "The start-up time between nodes goes from 0 to 100 µs."],
  net_bandwidth: [1, 2000, false, "The bandwidth between nodes goes from 1 to 2,000 GB/s."],
};

/**
 * A link may call an algorithm by its old name.
 * @param {State} state
 */
export function settle(state) {
  return state.algorithm === "naive" ? { ...state, algorithm: "direct" } : state;
}

/** @param {State} state @param {Data} data */
export function check(state, data) {
  if (!data.ops.includes(state.op))
    return `The collectives here are ${data.ops.join(", ")}; there is no “${state.op}”.`;
  if (!data.algorithms.includes(state.algorithm))
    return `The algorithms here are ${data.algorithms.join(", ")}; there is no “${state.algorithm}”.`;
  for (const [key, [low, high, whole, sentence]] of Object.entries(RANGES)) {
    const x = state[/** @type {keyof State} */ (key)];
    if (typeof x !== "number" || !(x >= low && x <= high) || (whole && !Number.isInteger(x))) return sentence;
  }
  const n = state.ranks;
  if (!Number.isInteger(state.root) || !upto(n).includes(state.root))
    return `The root is one of the ${n} ranks, 0 to ${n - 1}.`;
  if (!Number.isFinite(state.step)) return "The step is a number.";
  if (state.algorithm !== "hierarchical" || levels(n, state.per_node)) return "";
  const legal = upto(n)
    .filter((local) => local && n % local === 0)
    .join(" or ");
  return `Hierarchical needs several nodes of equal size: for ${n} ranks, ${legal} in a node.`;
}
