/* Twin of machine.py: a schedule carried out over slots of numbers -> what every rank holds after each step, and what was sent. */
import { upto } from "../kit/arrays.js";
import { carryOut } from "../kit/network.js";
import { makeSchedule } from "../kit/schedules.js";
import { remembered } from "./timed.js";

/** @import { State } from "../../.make/data_types/collectives.d.ts" */
/** @import { Schedule } from "../kit/schedule-steps.js" */
/** @import { Run } from "./timed.js" */

/** A chunk that was sent. @typedef {[step: number, source: number, destination: number, chunk: number, into: number, bytes: number, op: string]} Row */

/**
 * A run: what was sent, the name of each step and whether its senders give up what they send, and what every rank holds
 * before it and after each step.
 * @typedef {{ log: Row[], phases: string[], frees: boolean[], frames: number[][][] }} Machine
 */

/** @typedef {{ steps: number, busiest: number, serial: number, [link: string]: number }} Counted */

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
export const executed = /* @__PURE__ */ remembered((/** @type {Run} */ ...[op, algorithm, n, root, per_node]) => {
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
