/* The schedules of schedules.py, row by row: what each rank does, in order. */

/** @import { Op, OpPart } from "./simulate.js" */

/**
 * Ranks, micro-batches, chunks and a rank -> how often it does which ops: "F" a forward, "B" a backward, "I" and "W"
 * its
 * halves, "F0+B1" a pair of chunks.
 * @typedef {(p: number, m: number, v: number, r: number) => [times: number, ops: string][]} Plan
 */

/** @param {string} text */
const line = (text) => text.split(" ");
/**
 * A micro-batch's ops at fixed distances, begun anew every 6 units.
 * @param {number} up
 * @param {(p: number) => number[]} gaps
 * @returns {Plan}
 */
const blocks = (up, gaps) => (p, m, v, r) => {
  const [[a, b, c], back] = [gaps(p), up * (p - 1 - r)];
  const second = p - 1 + a;
  const third = second + up * (p - 1) + b;
  /** @type {{ [name: string]: number }} */
  const at = { F0: r, F1: second + back, I1: third + r, I0: third + p - 1 + c + back };
  const used = Object.values(at).map((t) => t % 6);
  const [near, far] = [0, 1, 2, 3, 4, 5].filter((slot) => !used.includes(slot));
  /**
   * @param {string} name
   * @param {number} slot
   */
  const late = (name, slot) => (((slot - at[name] - 1) % 6) + 6) % 6;
  const [one, other] =
    late("I1", far) + late("I0", near) >= late("I1", near) + late("I0", far) ? [near, far] : [far, near];
  [at.W1, at.W0] = [at.I1 + 1 + late("I1", one), at.I0 + 1 + late("I0", other)];
  const all = Object.entries(at).flatMap(([name, t]) =>
    Array.from({ length: m }, (_, k) => /** @type {[number, string]} */ ([t + 6 * k, name])),
  );
  return [
    [
      1,
      all
        .sort((x, y) => x[0] - y[0])
        .map(([, name]) => name)
        .join(" "),
    ],
  ];
};
/** @type {{ [schedule: string]: Plan }} */
const plan = {
  gpipe: (p, m, v) => [
    [v * m, "F"],
    [v * m, "B"],
  ],
  "1f1b": (p, m, v, r) => {
    const warm = Math.min(p - r, m);
    return [
      [warm, "F"],
      [m - warm, "B F"],
      [warm, "B"],
    ];
  },
  interleaved: (p, m, v, r) => {
    const warm = Math.min((v - 1) * p + 2 * (p - 1 - r), v * m);
    return [
      [warm, "F"],
      [v * m - warm, "F B"],
      [warm, "B"],
    ];
  },
  "zb-h1": (p, m, v, r) => {
    const warm = Math.min(p - r, m);
    const fill = Math.min(r, m - warm);
    return [
      [warm, "F"],
      [fill, "I F"],
      [m - warm - fill, "I W F"],
      [warm, "I W"],
      [fill, "W"],
    ];
  },
  "interleaved-zb": (p, m, v, r) => {
    const warm = Math.min((v - 1) * p + p - 1 - r, v * m);
    const both = v * m - warm;
    const late = Math.min(r, both);
    return [
      [warm, "F"],
      [late, "F I"],
      [both - late, "F I W"],
      [warm, "I W"],
      [late, "W"],
    ];
  },
  "zb-v": (p, m, v, r) => {
    const steady = Math.max(2 * p - 1, m) - 2 * p + r + 1;
    return [
      [2 * (p - r) - 1, "F0"],
      [r, "F1 F0"],
      [p - r, "F1 I1 W1"],
      [steady, "F0 I0 W0 F1 I1 W1"],
      [p - r - 1, "I0 W0 F1 I1 W1"],
      [r, "I0 I1"],
      [p - r, "I0 W0"],
      [r, "W1"],
      [r, "W0"],
    ];
  },
  "dualpipe-v": (p, m, v, r) => {
    const late = p - r - 1;
    const main = m - 2 * p + r + 1;
    const turn = 2 * Math.floor((r + 1) / 2) + ((r + 1) % 2);
    const tail = Array.from({ length: 2 * (r + 1) }, (_, i) => (i < turn ? "B" : "I") + (i % 2 ? 0 : 1));
    return [
      [2 * late, "F0"],
      [r + 1, "F0 F1"],
      [late, "I1 W F1"],
      [1, r === p - 1 ? "F0 B1 F1+B0" : "F0+B1 F1+B0"],
      [main - 1, "F0+B1 F1+B0"],
      [late, "B1 F1+B0"],
      [1, tail.join(" ")],
      [late, "W I0"],
      [r + 1, "W"],
    ];
  },
  "v-half": blocks(2, (p) => (p % 2 ? [1, 2, 5] : [4, 2, 2])),
  "v-min": blocks(1, (p) => (p % 3 ? [1, 1, 1] : [1, 3, 1])),
  dualpipe: (p, m, v, r) => plan["dualpipe-v"](p / 2, m / 2, 1, Math.min(r, p - 1 - r)),
};
plan["looped-bfs"] = plan.gpipe;
/** @type {{ [schedule: string]: string }} */
const WALK = { interleaved: "rounds", "interleaved-zb": "rounds", "looped-bfs": "breadth" };
export const V_SHAPED = ["zb-v", "v-half", "v-min", "dualpipe-v"];

/**
 * @param {string} schedule
 * @param {number} p
 * @param {number} rank
 * @param {number} chunk
 */
const stage_of = (schedule, p, rank, chunk) => {
  if (V_SHAPED.includes(schedule)) return chunk === 0 ? rank : 2 * p - 1 - rank;
  if (schedule === "dualpipe") return (chunk === 0) === p / 2 > rank ? rank : p - 1 - rank;
  return chunk * p + rank;
};

/**
 * @param {string | undefined} order
 * @param {number} p
 * @param {number} m
 * @param {number} v
 */
const walk = (order, p, m, v) => {
  /** @type {[chunk: number, micro: number][]} */
  const ahead = [];
  if (order === "rounds") {
    for (let j = 0; j < m / p; j += 1)
      for (let c = 0; c < v; c += 1) for (let i = 0; i < p; i += 1) ahead.push([c, j * p + i]);
    return [ahead, ahead.map(([c, k]) => [v - 1 - c, k])];
  }
  for (let c = 0; c < v; c += 1) for (let k = 0; k < m; k += 1) ahead.push([c, k]);
  return [ahead, order === "breadth" ? [...ahead].reverse() : ahead];
};

/**
 * @param {string} schedule
 * @param {number} p
 * @param {number} m
 * @param {number} v
 * @param {number} rank
 * @returns {Op[]}
 */
export const rank_ops = (schedule, p, m, v, rank) => {
  const [ahead, back] = walk(WALK[schedule], p, m, v);
  /** @type {{ [key: string]: number }} */
  const count = {};
  /** @type {[chunk: number, micro: number][]} */
  const owed = [];
  /** @type {Op[]} */
  const ops = [];
  /**
   * @param {string} kind
   * @param {string} chunk
   */
  const take = (kind, chunk) => {
    const key = (kind === "F" ? "F" : "B") + chunk;
    let k = count[key] || 0;
    count[key] = k + 1;
    if (schedule === "dualpipe" && (chunk === "1") !== rank >= p / 2) k += m / 2; // they go the other way
    return /** @type {[chunk: number, micro: number]} */ (
      chunk ? [Number(chunk), k] : (kind === "F" ? ahead : back)[k]
    );
  };
  /**
   * @param {string} token
   * @returns {OpPart}
   */
  const one = (token) => {
    const [kind, chunk] = [token[0], token.slice(1)];
    let found;
    if (kind === "W")
      [found] = owed.splice(
        owed.findIndex((o) => chunk === "" || chunk === String(o[0])),
        1,
      );
    else found = take(kind, chunk);
    if (kind === "I") owed.push(found);
    return [kind, stage_of(schedule, p, rank, found[0]), found[1]];
  };
  for (const [times, pattern] of plan[schedule](p, m, v, rank)) {
    const tokens = line(pattern).map((token) => token.split("+"));
    for (let n = 0; n < times; n += 1) {
      for (const token of tokens) {
        const parts = token.map(one);
        if (parts.some((part) => part[2] >= m)) continue;
        ops.push(parts.length === 1 ? parts[0] : ["X", parts[0][1], parts[0][2], parts[1][1], parts[1][2]]);
      }
    }
  }
  return ops;
};
