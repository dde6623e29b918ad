/* Five update rules over a list of writes, token by token and in chunks: rules.py and reference.py, in plain loops. */

/** @import { Data as SentData, State as SentState } from "../../.make/data_types/delta-rule.d.ts" */

/**
 * Three lists of numbers are empty at first, where no type can be read off them.
 * @typedef {Omit<SentState, "gates" | "channels" | "wanted"> & {
 *   gates: number[], channels: number[], wanted: number[],
 * }} State
 */

/**
 * The part of the state that a button loads.
 * @typedef {Pick<State, "writes" | "step" | "seed" | "border" | "wanted" | "gates" | "channels" | "query">} Tape
 */

/** @typedef {Omit<SentData, "tapes"> & { tapes: Record<keyof SentData["tapes"], Tape> }} Data */
/** @typedef {Data["rules"][number]} Rule */

/** Eight rows of eight numbers: a row for each of a key's; or one vector for each write. @typedef {number[][]} Matrix */
/** A write: which key, and the value's eight signs as bits. @typedef {[key: number, bits: number]} Pair */
/** What a key should read, by key; null where nothing is written under it. @typedef {(number[] | null)[]} Targets */
/** How far off each key reads, by key; null where nothing is written under it. @typedef {(number | null)[]} Errors */
/** The decay at each write, that of KDA's channels, and KDA's at each write. @typedef {{ scalar: number[], channels: number[], rows: Matrix }} Gates */

/**
 * What every key reads after each write, how far off it is, and the mean over those wanted.
 * @typedef {{ reads: Matrix[], errors: Errors[], history: number[] }} Told
 */

/**
 * A rule's states after each write, the last one computed in chunks, and the largest difference between both forms.
 * @typedef {Told & { states: Matrix[], last: Matrix, apart: number }} Found
 */

/**
 * All that does not depend on the step.
 * @typedef {{
 *   pairs: Pair[], all: Matrix, gates: Gates, targets: Targets[], found: { [rule: string]: Found }, attention: Told,
 *   axis: number[],
 * }} Traced
 */

/**
 * A step under a rule, or under attention: `kept` is the mean error of what is to be read, `old` of what is to be gone.
 * @typedef {{
 *   recall: Matrix, errors: Errors, error: number, history: number[], kept: number, old: number,
 * }} Scored
 */

/** @typedef {Scored & { state: Matrix, last_state: Matrix, chunked_state: Matrix, apart: number, agree: string }} RuleNow */
/** @typedef {ReturnType<typeof compute>} Now */

export const delta = /* @__PURE__ */ (() => {
  const D = 8;
  /** @returns {Matrix} */
  const zeros = () => Array.from({ length: D }, () => new Array(D).fill(0));
  /** @param {number[]} a @param {number[]} b @returns {number} */
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  /** @param {Matrix} S @param {number[]} q @returns {number[]} */
  const read = (S, q) => S[0].map((_, j) => S.reduce((sum, row, i) => sum + row[j] * q[i], 0));

  /** @param {number} overlap @returns {Matrix} */
  const keys = (overlap) => {
    const base = Math.sqrt(1 - overlap);
    const lean = (Math.sqrt(1 + 7 * overlap) - base) / 8;
    return zeros().map((row, i) => row.map((_, j) => (i === j ? base : 0) + lean));
  };
  /** @param {number} seed */
  const uniform = (seed) => {
    // mulberry32
    let at = seed;
    return () => {
      at = (at + 0x6d2b79f5) >>> 0;
      let t = Math.imul(at ^ (at >>> 15), at | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  };
  /** @param {number} seed @returns {Matrix} */
  const random_keys = (seed) => {
    const draw = uniform(seed);
    return Array.from({ length: 24 }, () => {
      const key = [];
      for (let i = 0; i < D / 2; i += 1) {
        const far = Math.sqrt(-2 * Math.log(1 - draw()));
        const turn = 2 * Math.PI * draw();
        key.push(far * Math.cos(turn), far * Math.sin(turn));
      }
      const long = Math.sqrt(dot(key, key));
      return key.map((x) => x / long);
    });
  };
  /** @param {State} state */
  const keys_of = (state) => (state.seed ? random_keys(state.seed) : keys(state.overlap));
  /** @param {number} bits @returns {number[]} */
  const value = (bits) => Array.from({ length: D }, (_, j) => ((bits >> (7 - j)) & 1 ? 1 : -1));

  /** @param {number[]} gates @returns {Map<number, number>} */
  const own_gates = (gates) =>
    new Map(Array.from({ length: gates.length / 2 }, (_, i) => [gates[2 * i], gates[2 * i + 1]]));
  /** @param {State} state @param {number} n @returns {Gates} */
  const gates_of = (state, n) => {
    // the decay at each write, and KDA's at each write and channel
    const own = own_gates(state.gates);
    const channels = state.channels.length ? state.channels : new Array(D).fill(state.decay);
    const all = Array.from({ length: n }, (_, t) => t);
    return {
      scalar: all.map((t) => (own.has(t) ? /** @type {number} */ (own.get(t)) : state.decay)),
      channels,
      rows: all.map((t) => (own.has(t) ? new Array(D).fill(own.get(t)) : channels)),
    };
  };
  /** @param {Rule} rule @param {Gates} gates @returns {Matrix} */
  const alpha_of = (rule, { scalar, rows }) =>
    rule.decay === "channel" ? rows : scalar.map((a) => new Array(D).fill(rule.decay === "scalar" ? a : 1));

  /** @param {Rule} rule @param {Matrix} k @param {Matrix} v @param {Matrix} alpha @param {number} beta */
  const recurrent = (rule, k, v, alpha, beta) => {
    let S = zeros();
    const states = [S];
    const outputs = k.map((key, t) => {
      S = S.map((row, i) => row.map((x) => alpha[t][i] * x));
      const now = read(S, key);
      const written = v[t].map((x, j) => (rule.delta ? beta * (x - now[j]) : x));
      S = S.map((row, i) => row.map((x, j) => x + key[i] * written[j]));
      states.push(S);
      return read(S, key);
    });
    return { states, outputs };
  };

  /**
   * @param {Rule} rule
   * @param {Matrix} S
   * @param {Matrix} k
   * @param {Matrix} v
   * @param {Matrix} alpha
   * @param {number} beta
   */
  const one_chunk = (rule, S, k, v, alpha, beta) => {
    // U solves (I + b strict lower(A)) U = b (V - faded K S)
    const n = k.length;
    const decay = k.map((_, i) => {
      // decay[i][j + 1]: from after token j to token i; decay[i][0]: from before the chunk
      /** @type {Matrix} */
      const rows = [];
      /** @type {number[]} */
      let all = new Array(D).fill(1);
      for (let j = i; j >= 0; j -= 1) {
        rows[j + 1] = all;
        all = all.map((x, d) => x * alpha[j][d]);
      }
      rows[0] = all;
      return rows;
    });
    /** @param {number} i @param {number} j */
    const fade = (i, j) => k[i].map((x, d) => x * decay[i][j + 1][d]);
    const seen = k.map((_, i) => k.map((b, j) => (j <= i ? dot(fade(i, j), b) : 0)));
    /** @type {Matrix} */
    const written = [];
    for (let i = 0; i < n; i += 1) {
      let u = v[i];
      if (rule.delta) {
        const before = read(S, fade(i, -1));
        u = v[i].map((x, c) => {
          let sum = x - before[c];
          for (let j = 0; j < i; j += 1) sum -= seen[i][j] * written[j][c];
          return beta * sum;
        });
      }
      written.push(u);
    }
    const outputs = k.map((_, i) => {
      const o = read(S, fade(i, -1));
      for (let j = 0; j <= i; j += 1)
        written[j].forEach((u, c) => {
          o[c] += seen[i][j] * u;
        });
      return o;
    });
    const last = decay[n - 1];
    const after = S.map((row, d) =>
      row.map((x, c) => {
        let sum = last[0][d] * x;
        for (let j = 0; j < n; j += 1) sum += last[j + 1][d] * k[j][d] * written[j][c];
        return sum;
      }),
    );
    return { after, outputs };
  };
  /**
   * @param {Rule} rule
   * @param {Matrix} k
   * @param {Matrix} v
   * @param {Matrix} alpha
   * @param {number} beta
   * @param {number} size
   */
  const chunked = (rule, k, v, alpha, beta, size) => {
    let S = zeros();
    /** @type {Matrix} */
    const outputs = [];
    for (let from = 0; from < k.length; from += size) {
      const to = from + size;
      const part = one_chunk(rule, S, k.slice(from, to), v.slice(from, to), alpha.slice(from, to), beta);
      S = part.after;
      outputs.push(...part.outputs);
    }
    return { last: S, outputs };
  };
  /** @param {Matrix} all @param {Matrix} k @param {Matrix} v @param {number} sharp @returns {Matrix} */
  const attend = (all, k, v, sharp) =>
    all.map((q) => {
      const weights = k.map((key) => Math.exp(sharp * dot(q, key)));
      const sum = weights.reduce((a, b) => a + b, 0);
      return Array.from({ length: D }, (_, j) => weights.reduce((o, w, i) => o + (w / sum) * v[i][j], 0));
    });

  /** @param {Pair[]} pairs @param {number} t @param {number} border @param {number} many */
  const latest = (pairs, t, border, many) => {
    /** @type {Targets} */
    const out = new Array(many).fill(null);
    pairs.slice(0, t).forEach(([key, bits], i) => {
      out[key] = border > i && t > border ? new Array(D).fill(0) : value(bits);
    });
    return out;
  };
  /** @param {Matrix} reads @param {Targets} target @returns {Errors} */
  const recall_errors = (reads, target) =>
    reads.map((read_, i) => {
      if (target[i] === null) return null;
      const off =
        Math.sqrt(read_.reduce((sum, x, j) => sum + (x - /** @type {number[]} */ (target[i])[j]) ** 2, 0)) /
        Math.sqrt(D);
      return off > 1e-12 ? off : 0;
    });
  /** @param {Errors} errors @returns {number} */
  const mean = (errors) => {
    const there = errors.filter((e) => e !== null);
    return there.length ? there.reduce((a, b) => a + b, 0) / there.length : 0;
  };
  /** @param {Matrix} a @param {Matrix} b */
  const furthest = (a, b) => a.flat().reduce((most, x, i) => Math.max(most, Math.abs(x - b.flat()[i])), 0);
  /** @param {Matrix} S @returns {Matrix} */
  const quiet = (S, least = 1e-12) => S.map((row) => row.map((x) => (Math.abs(x) >= least ? x : 0)));

  /** @param {number[]} writes @returns {Pair[]} */
  const pairs_of = (writes) => Array.from({ length: writes.length / 2 }, (_, i) => [writes[2 * i], writes[2 * i + 1]]);

  /** @param {State} state @param {Data} data @returns {Traced} */
  const trace = (state, data) => {
    // everything that does not depend on the step
    const pairs = pairs_of(state.writes);
    const all = keys_of(state);
    const [k, v] = [pairs.map(([key]) => all[key]), pairs.map(([, bits]) => value(bits))];
    const gates = gates_of(state, pairs.length);
    const targets = Array.from({ length: pairs.length + 1 }, (_, t) => latest(pairs, t, state.border, all.length));
    /** @param {Errors} row */
    const wanted = (row) => row.filter((_, key) => !state.wanted.length || state.wanted.includes(key));
    /** @param {Matrix[]} reads @returns {Told} */
    const told = (reads) => {
      const errors = reads.map((row, t) => recall_errors(row, targets[t]));
      return { reads, errors, history: errors.map((row) => mean(wanted(row))) };
    };
    const found = Object.fromEntries(
      data.rules.map((rule) => {
        const alpha = alpha_of(rule, gates);
        const { states, outputs } = recurrent(rule, k, v, alpha, state.beta);
        const { last, outputs: again } = chunked(rule, k, v, alpha, state.beta, state.chunk);
        const reads = states.map((S) => all.map((key) => read(S, key)));
        return [
          rule.name,
          {
            ...told(reads),
            states,
            last,
            apart: Math.max(furthest(/** @type {Matrix} */ (states.at(-1)), last), furthest(outputs, again)),
          },
        ];
      }),
    );
    const attention = told(targets.map((_, t) => attend(all, k.slice(0, t), v.slice(0, t), data.sharp)));
    const most = Math.max(1, ...attention.history, ...Object.values(found).flatMap((one) => one.history));
    return { pairs, all, gates, targets, found, attention, axis: [0, most / 2, most] };
  };

  /** @param {Told} told @param {Targets[]} targets @param {number} t @returns {Scored} */
  const scored = ({ reads, errors, history }, targets, t) => {
    const of = (/** @type {boolean} */ some) =>
      mean(errors[t].filter((_, key) => targets[t][key] && targets[t][key].some((x) => x !== 0) === some));
    return {
      recall: quiet(reads[t], 1e-6),
      errors: errors[t],
      error: history[t],
      history,
      kept: of(true),
      old: of(false),
    };
  };
  /** @param {State} state @param {Data} data @param {Traced} [traced] */
  const compute = (state, data, traced = trace(state, data)) => {
    const { pairs, all, gates, targets, found, attention, axis } = traced;
    const t = Math.min(state.step, pairs.length); // a curve asks for steps that a shorter tape does not have
    /** @type {[name: string, rule: RuleNow][]} */
    const rules = Object.entries(found).map(([name, one]) => [
      name,
      {
        ...scored(one, targets, t),
        state: quiet(one.states[t]),
        last_state: quiet(/** @type {Matrix} */ (one.states.at(-1))),
        chunked_state: quiet(one.last),
        apart: one.apart,
        agree: 1e-12 > one.apart ? "below 10⁻¹²" : "above 10⁻¹²",
      },
    ]);
    return {
      keys: all,
      gates: gates.scalar,
      channels: gates.channels,
      targets: targets[t],
      writes: pairs.length,
      chunks: Math.ceil(pairs.length / state.chunk),
      left: pairs.slice(0, t).map((_, i) => gates.scalar.slice(i + 1, t).reduce((a, b) => a * b, 1)),
      rules: Object.fromEntries(rules),
      attention: { ...scored(attention, targets, t), numbers: 2 * D * t },
      axis,
    };
  };

  /** @param {unknown} v @param {number} low @param {number} high */
  const between = (v, low, high) => typeof v === "number" && Number.isFinite(v) && v >= low && v <= high;
  /** @param {unknown} v @param {number} low @param {number} high */
  const whole = (v, low, high) => between(v, low, high) && Number.isInteger(v);
  /** @param {State} state @param {Data} data @returns {string} */
  const check = (state, data) => {
    const { writes } = state;
    const count = writes.length / 2;
    const last = whole(state.seed, 1, 999) ? 23 : 7;
    const letter = data.letters[last];
    if (writes.length % 2 || count > data.most)
      return `The writes are pairs of a key and a value, at most ${data.most} of them.`;
    if (!whole(state.seed, 0, 999))
      return "The seed is 0 for eight keys, or a whole number up to 999 for 24 random ones.";
    if (!writes.every((n, i) => whole(n, 0, i % 2 ? 255 : last)))
      return `A key is a number from 0 (A) to ${last} (${letter}), a value one from 0 to 255.`;
    for (const name of /** @type {const} */ (["step", "border"]))
      if (!whole(state[name], 0, count))
        return `The ${name} is a whole number from 0 to ${count}, the number of writes.`;
    for (const [name, low, high] of /** @type {const} */ ([
      ["overlap", 0, 0.9],
      ["beta", 0, 2],
      ["decay", 0, 1],
    ])) {
      if (!between(state[name], low, high)) return `${name} is a number from ${low} to ${high}.`;
    }
    return check_gates(state, data, count) || check_choices(state, data, last, letter);
  };
  /** @param {State} state @param {Data} data @param {number} count */
  const check_gates = ({ gates, channels }, data, count) => {
    const odd =
      gates.length % 2 || gates.length > 2 * data.most || !gates.every((n, i) => i % 2 || whole(n, 0, data.most - 1));
    if (odd) return `The gates are pairs of a write, counted from 0, and its α; there are ${count} writes.`;
    if (![...gates.filter((_, i) => i % 2), ...channels].every((a) => between(a, 0, 1)))
      return "An α is a number from 0 (forget all) to 1 (keep all).";
    return [0, D].includes(channels.length) ? "" : `KDA has ${D} channels: give an α for each, or none.`;
  };
  /** @param {State} state @param {Data} data @param {number} last @param {string} letter */
  const check_choices = ({ wanted, chunk, rule, query }, data, last, letter) => {
    if (!wanted.every((n) => whole(n, 0, last)) || wanted.length > new Set(wanted).size)
      return `The keys wanted are different numbers from 0 (A) to ${last} (${letter}).`;
    const chunks = data.chunks;
    if (!chunks.includes(chunk)) return `A chunk has ${chunks.slice(0, -1).join(", ")} or ${chunks.at(-1)} writes.`;
    const names = data.rules.map((r) => r.name);
    if (!names.includes(rule)) return `There is no rule “${rule}”. There are: ${names.join(", ")}.`;
    return whole(query, 0, last) ? "" : `The key to read is a number from 0 (A) to ${last} (${letter}).`;
  };
  return { compute, check, trace, read, value, pairs_of, own_gates };
})();
/** @param {State} state @param {Data} data */
export function compute(state, data) {
  return delta.compute(state, data);
}
/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  return delta.check(state, data);
}
