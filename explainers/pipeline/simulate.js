/* Op lists -> starts, ends, what is in flight, messages, waits: simulate.py, line by line. */

/**
 * What a rank does: a kind, then a stage and a micro-batch; of a pair (X) those of its forward and of its backward.
 * @typedef {[kind: string, ...numbers: number[]]} Op
 */

/** @typedef {[kind: string, stage: number, micro: number]} OpPart */

/**
 * When an op starts and ends.
 * @typedef {[start: number, end: number]} Span
 */

/**
 * Lists of ops as they ran; made(part) is the end of what it waits for, its rank and the op's place there.
 * @typedef {{ lists: Op[][], times: Span[][], made: (part: OpPart) => number[] | null, hop: number }} Simulated
 */

/**
 * A result that another rank needs.
 * @typedef {[kind: string, source: number, op: number, destination: number, its_op: number, sent: number, there: number]} Message
 */

/**
 * @param {Op} op
 * @returns {OpPart[]}
 */
export const op_parts = (op) =>
  op[0] === "X"
    ? [
        ["F", op[1], op[2]],
        ["B", op[3], op[4]],
      ]
    : [/** @type {OpPart} */ (op)];

/**
 * Results have places in flat arrays: the forwards of every stage and micro-batch, then the backwards; -1 is none.
 * @param {number} stages
 * @param {number} m
 */
const places = (stages, m) => {
  /**
   * @param {string} kind
   * @param {number} stage
   * @param {number} micro
   */
  const slot = (kind, stage, micro) => ((kind === "F" ? 0 : stages) + stage) * m + micro;
  /** @param {OpPart} part */
  const needs = ([kind, stage, micro]) => {
    if (kind === "F") return stage > 0 ? slot("F", stage - 1, micro) : -1;
    if (kind === "W") return slot("B", stage, micro);
    return stage < stages - 1 ? slot("B", stage + 1, micro) : slot("F", stage, micro);
  };
  return { slot, needs, size: 2 * stages * m };
};

/**
 * @param {Op[][]} lists
 * @param {number} v
 * @param {number} m
 * @param {number[]} units
 * @param {number} hop
 * @returns {[times: Span[][], made: (part: OpPart) => number[] | null]}
 */
export const simulate = (lists, v, m, [f, i, w, pair], hop) => {
  const { slot, needs, size } = places(lists.length * v, m);
  const [a, b, c] = [f / v, i / v, w / v];
  /** @type {{ [kind: string]: number }} */
  const long = { F: a, I: b, W: c, B: b + c, X: pair / v };
  const [ends, ranks, indices] = [new Float64Array(size).fill(-1), new Int32Array(size), new Int32Array(size)];
  const at = lists.map(() => 0);
  const free = lists.map(() => 0);
  /** @type {Span[][]} */
  const times = lists.map(() => []);
  /**
   * @param {number} r
   * @param {Op[]} ops
   */
  const run_on = (r, ops) => {
    const from = at[r];
    for (; at[r] !== ops.length; at[r] += 1) {
      const op = ops[at[r]];
      const parts = op_parts(op);
      let start = free[r];
      for (const part of parts) {
        const n = needs(part);
        if (n === -1) continue;
        if (ends[n] === -1) return at[r] !== from;
        start = Math.max(start, ranks[n] === r ? ends[n] : ends[n] + hop);
      }
      const end = start + long[op[0]];
      for (const [kind, stage, micro] of parts) {
        if (kind === "W") continue;
        const n = slot(kind, stage, micro);
        [ends[n], ranks[n], indices[n]] = [end, r, at[r]];
      }
      times[r].push([start, end]);
      free[r] = end;
    }
    return at[r] !== from;
  };
  for (let moved = true; moved; ) {
    moved = false;
    lists.forEach((ops, r) => {
      moved = run_on(r, ops) || moved;
    });
  }
  /** @param {OpPart} part */
  const made = (part) => {
    const n = needs(part);
    return n === -1 ? null : [ends[n], ranks[n], indices[n]];
  };
  return [times, made];
};

/**
 * @param {Op[]} ops
 * @param {Span[]} times
 * @param {number} [until]
 */
export const held = (ops, times, until) => {
  let now = 0;
  let peak = 0;
  for (let k = 0; k !== ops.length; k += 1) {
    const [start, end] = times[k];
    if (until !== undefined && start > until) break;
    now += "FX".includes(ops[k][0]) ? 1 : 0;
    peak = Math.max(peak, now);
    if (until === undefined || end <= until) now -= "BWX".includes(ops[k][0]) ? 1 : 0;
  }
  return until === undefined ? peak : now;
};

/**
 * The input that came last: where it was made, and the wait it ended.
 * @param {Pick<Simulated, "lists" | "times" | "made">} run
 * @param {number} rank
 * @param {number} index
 */
export const waited_for = ({ lists, times, made }, rank, index) => {
  const from = index ? times[rank][index - 1][1] : 0;
  const to = times[rank][index][0];
  if (to <= from) return null;
  const inputs = /** @type {number[][]} */ (op_parts(lists[rank][index]).map(made).filter(Boolean));
  const [end, where, op] = inputs.sort((a, b) => b[0] - a[0] || a[1] - b[1] || a[2] - b[2])[0];
  return { rank: where, index: op, end, from, to };
};

/**
 * Every result that another rank needs: [kind, source, its op, destination, its op, sent, there].
 * @param {Pick<Simulated, "lists" | "made" | "hop">} run
 */
export const messages_of = ({ lists, made, hop }) => {
  /** @type {Message[]} */
  const sent = [];
  lists.forEach((ops, r) =>
    ops.forEach((op, k) =>
      op_parts(op).forEach((part) => {
        const [end, source, index] = made(part) || [0, r];
        if (source !== r) sent.push([part[0] === "F" ? "F" : "B", source, index, r, k, end, end + hop]);
      }),
    ),
  );
  return sent;
};
