/* A pipeline schedule's name -> its bubble, and how many micro-batches a stage has in flight; gallery/planning/schedules.py. */

/** @type {{ [rule: string]: { multiple: (p: number) => number, least: (p: number) => number } }} */
export const RULES = {
  "": { multiple: () => 1, least: () => 1 },
  rounds: { multiple: (p) => p, least: () => 1 },
  "both ways": { multiple: () => 1, least: (p) => 2 * p },
  "both ends": { multiple: () => 2, least: (p) => 2 * p },
};
/**
 * idle(p, v, m): the bubble in forwards of a chunk; told: the same in words; held(p, v, m, r): of the rank's own
 * layers.
 * @param {string} label
 * @param {(p: number, v: number, m: number) => number} idle
 * @param {string} told
 * @param {(p: number, v: number, m: number, r: number) => number} held
 * @param {number[]} [chunks]
 * @param {string} [placement]
 * @param {string} [rule]
 * @param {boolean} [forth_first]
 */
export const row = (label, idle, told, held, chunks = [1, 1], placement = "loop", rule = "", forth_first = false) => {
  const { multiple, least } = RULES[rule];
  return {
    label,
    idle,
    told,
    held,
    chunks,
    placement,
    rule,
    forth_first,
    copies: placement === "both" ? 2 : 1,
    least: (/** @type {number} */ p) => (p === 1 ? 1 : least(p)),
    multiple: (/** @type {number} */ p) => (p === 1 ? 1 : multiple(p)),
  };
};

/**
 * @param {number} p
 * @returns {number}
 */
export const plain = (p) => 3 * (p - 1);
/**
 * @param {number} p
 * @param {number} v
 * @param {number} m
 * @returns {number}
 */
export const v_half = (p, v, m) =>
  p % 2 ? Math.max(3 * p - 3, Math.min(4 * p - 4, 4 * p - 1 - 2 * m)) : Math.max(3 * p - 4, 4 * p - 3 - 2 * m);
/**
 * @param {number} p
 * @param {number} v
 * @param {number} m
 * @param {number} r
 * @returns {number}
 */
export const v_half_held = (p, v, m, r) => Math.min(m, (m + 1 + Math.ceil(r / 2)) / 2, (p + 2 + (r % 2)) / 2);
/**
 * @param {number} p
 * @param {number} v
 * @param {number} m
 * @param {number} r
 * @returns {number}
 */
export const v_min_held = (p, v, m, r) => {
  const steady = p % 3 === 2 ? (p + 1) / 3 + (r % 3 > 0 ? 1 : 0) : Math.floor(p / 3) + 1;
  return Math.min(m, (m + 1 + Math.floor((r + (p % 3 === 1 ? 1 : 2)) / 3)) / 2, steady);
};

/** @type {{ [name: string]: ReturnType<typeof row> }} */
export const ROWS = {
  gpipe: row("GPipe", plain, "3 (p − 1)", (p, v, m) => m, [1, 1], "loop", "", true),
  "1f1b": row("1F1B", plain, "3 (p − 1)", (p, v, m, r) => Math.min(p - r, m)),
  interleaved: row(
    "interleaved 1F1B",
    plain,
    "3 (p − 1)",
    (p, v, m, r) => Math.min(2 * (p - r - 1) + (v - 1) * p + 1, m * v) / v,
    [2, 64],
    "loop",
    "rounds",
  ),
  "looped-bfs": row(
    "Looped BFS",
    (p, v, m) => 3 * (p - 1) + 3 * (v - 1) * Math.max(p - m, 0),
    "3 (p − 1)",
    (p, v, m) => m,
    [2, 64],
    "loop",
    "",
    true,
  ),
  "zb-h1": row(
    "ZB-H1",
    (p, v, m) => p - 1 + Math.max(p - m, 0),
    "p − 1",
    (p, v, m) => Math.min(p, m),
  ),
  "interleaved-zb": row(
    "Interleaved ZB",
    (p) => p - 1,
    "p − 1",
    (p, v, m) => Math.min(p, m),
    [2, 64],
    "loop",
    "rounds",
  ),
  "zb-v": row(
    "ZB-V",
    (p, v, m) => Math.max(p - 1, 4 * p - 2 - 2 * m),
    "p − 1",
    (p, v, m, r) => Math.min(p, m, (m + 1 + r) / 2),
    [2, 2],
    "v",
  ),
  "v-half": row("V-Half", v_half, "3 (p − 1), or 1 less", v_half_held, [2, 2], "v"),
  "v-min": row(
    "V-Min",
    (p, v, m) => (p % 3 || m === 1 ? 4 * p - 5 : 4 * p - 3),
    "4 (p − 1) − 1, or 2 more",
    v_min_held,
    [2, 2],
    "v",
  ),
  "dualpipe-v": row(
    "DualPipeV",
    (p) => 2 * (p - 1),
    "2 (p − 1)",
    (p) => p + 0.5,
    [2, 2],
    "v",
    "both ways",
  ),
  dualpipe: row(
    "DualPipe",
    (p) => p - 2,
    "p − 2",
    (p) => (p + 1) / 2,
    [1, 1],
    "both",
    "both ends",
  ),
};

/**
 * Idle time over the time of the work itself.
 * @param {string} name
 * @param {number} p
 * @param {number} v
 * @param {number} m
 * @returns {number}
 */
export const bubble = (name, p, v, m) => (p > 1 ? ROWS[name].idle(p, v, m) / (3 * v * m) : 0);

/**
 * Micro-batches whose activations a stage holds at its fullest; one stage alone takes one after the other.
 * @param {string} name
 * @param {number} p
 * @param {number} v
 * @param {number} m
 * @param {number} r
 * @returns {number}
 */
export const in_flight = (name, p, v, m, r) => (p > 1 ? ROWS[name].held(p, v, m, r) : 1);
