/* One layer on one rank and on t ranks: arithmetic.py and sharded.py, sum for sum, so that no bit differs. */
import { upto } from "../kit/arrays.js";
import { exp } from "../kit/exp.js";
import { carryOut } from "../kit/network.js";
import { growing, shrinking } from "../kit/two-levels.js";

/** Rows of numbers. @typedef {Float64Array[]} Matrix */
/** A span of columns or rows: [from, to]. @typedef {[from: number, to: number]} Span */
/**
 * What a layer is: its heads, and switches that are 0 or 1; latent is 2 if queries have one too.
 * @typedef {{ heads: number, kv_heads: number, gated: number, parallel: number, full: number, after: number, expert:
 * number, latent: number }} Form
 */
/** Rows, columns and how far numbers reach. @typedef {[rows: number, cols: number, scale?: number]} Size */
/**
 * One message of the log.
 * @typedef {[what: string, step: number, source: number, destination: number, first: number, rows: number, bytes:
 * number]} Message
 */
/** What one rank holds of each matrix. @typedef {{ heads: Span, kv: Span, mlp: Span, groups: number[] }} Slices */
/** @typedef {ReturnType<typeof layer_weights>} Weights */
/** The tensors of the unsharded layer. @typedef {ReturnType<typeof unsharded>} Whole */
/** The names of those that ranks make, too. @typedef {"y" | "z"} Met */

export const range = upto;
export const [HIDDEN, HEAD, LATENT] = [32, 2, 8];

/** @param {number} rows @param {number} cols @param {(i: number, j: number) => number} at @returns {Matrix} */
const grid = (rows, cols, at) => range(rows).map((i) => Float64Array.from({ length: cols }, (_, j) => at(i, j)));
/** @param {Matrix} a @param {ArrayLike<number>[]} b @returns {Matrix} */
const matmul = (a, b) => {
  const cols = b[0].length;
  return a.map((row) => {
    const out = new Float64Array(cols);
    for (let k = 0; k !== b.length; k += 1) {
      const [x, other] = [row[k], b[k]];
      for (let j = 0; j !== cols; j += 1) out[j] += x * other[j];
    }
    return out;
  });
};
/** @param {Float64Array} row */
const softmax = (row) => {
  const top = Math.max(...row);
  const e = row.map((x) => exp(x - top));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / sum);
};
/** @param {number} x */
const silu = (x) => x / (1 + exp(-x));
/** @param {Matrix} x @returns {Matrix} */
const rms_norm = (x) =>
  x.map((row) => {
    const sum = row.reduce((a, b) => a + b * b, 0);
    const root = Math.sqrt(sum / row.length + 1e-6);
    return row.map((v) => v / root);
  });
/** @param {number} seed @param {number} rows @param {number} cols @returns {Matrix} */
export const made_numbers = (seed, rows, cols, scale = 1) => {
  let x = seed;
  return grid(rows, cols, () => {
    x = (75 * x + 74) % 65537;
    return (x / 65537 - 0.5) * scale;
  });
};
/** @param {Matrix} a @param {number} from @param {number} to @returns {Matrix} */
const columns = (a, from, to) => a.map((row) => row.slice(from, to));
/** @param {Matrix} a @param {Matrix} b @returns {Matrix} */
const add = (a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j]));
/** @param {Matrix} a @param {Matrix} b */
const furthest = (a, b) =>
  a.reduce((most, row, i) => row.reduce((m, x, j) => Math.max(m, Math.abs(x - b[i][j])), most), 0);

/** @param {Matrix} q @param {Matrix} k @param {Matrix} v @param {number[]} groups */
const attend = (q, k, v, groups) => {
  const out = grid(q.length, q[0].length, () => 0);
  groups.forEach((g, j) => {
    const keys = columns(k, HEAD * g, HEAD * g + HEAD);
    const scores = matmul(
      columns(q, HEAD * j, HEAD * j + HEAD),
      range(HEAD).map((c) => keys.map((row) => row[c])),
    );
    const values = columns(v, HEAD * g, HEAD * g + HEAD);
    scores.forEach((row, i) => {
      const p = softmax(row.slice(0, i + 1).map((x) => x / Math.sqrt(HEAD)));
      out[i].set(matmul([p], values.slice(0, i + 1))[0], HEAD * j);
    });
  });
  return out;
};

/* The layer's matrices at the size that runs, and what is done with some columns of them: whole.Weights. */
/** @param {Form} form */
const layer_weights = (form) => {
  const { heads, kv_heads: kv, gated, after, expert, latent } = form;
  const [wide, both] = [HEAD * heads, HEAD * kv];
  /** @type {number[][]} */
  const sizes = [
    [latent === 2 ? LATENT : HIDDEN, wide],
    [HIDDEN, both],
    [HIDDEN, both],
    [wide, HIDDEN, 0.25],
    [HIDDEN, wide],
    [HIDDEN, wide],
    [wide, HIDDEN, 0.25],
    [],
    [HIDDEN, 2],
    [HIDDEN, LATENT],
    [HIDDEN, LATENT + 1],
    [LATENT, 3 * kv],
  ];
  const [q, k, v, o, gate, up, down, , router, q_a, kv_a, kv_b] = sizes.map((size, i) =>
    made_numbers(i + 1, .../** @type {Size} */ (size)),
  );
  /** @param {Matrix} x @param {Span} mine */
  const queries = (x, mine) => matmul(latent === 2 ? rms_norm(matmul(x, q_a)) : x, columns(q, ...mine));
  /** @param {Matrix} x @param {Span} mine @returns {[keys: Matrix, values: Matrix]} */
  const keys_and_values = (x, mine) => {
    if (!latent) return [matmul(x, columns(k, ...mine)), matmul(x, columns(v, ...mine))];
    const kept = matmul(x, kv_a);
    const out = matmul(
      rms_norm(columns(kept, 0, LATENT)),
      columns(kv_b, .../** @type {Span} */ (mine.map((place) => (3 * place) / 2))),
    );
    /** @param {(row: Float64Array, place: number, odd: number, own: Float64Array) => number} at */
    const taken = (at) =>
      out.map((row, i) =>
        Float64Array.from({ length: (2 * row.length) / 3 }, (_, j) => at(row, 3 * (j >> 1), j % 2, kept[i])),
      );
    return [
      taken((row, place, odd, own) => (odd ? own[LATENT] : row[place])),
      taken((row, place, odd) => row[place + 1 + odd]),
    ];
  };
  /** @param {Matrix} x @param {Span} mine @param {Matrix} ups @returns {Matrix} */
  const activate = (x, mine, ups) => {
    const gates = gated && matmul(x, columns(gate, ...mine));
    const weights =
      expert &&
      matmul(x, router)
        .map((row) => softmax(row))
        .map((row) => row.map((w) => (w === Math.max(...row) ? w : 0)));
    return ups.map((row, i) =>
      row.map(
        (u, j) =>
          (gated ? silu(/** @type {Matrix} */ (gates)[i][j]) * u : silu(u)) *
          (expert ? /** @type {Matrix} */ (weights)[i][j % 2] : 1),
      ),
    );
  };
  return {
    form,
    up,
    o,
    down,
    queries,
    keys_and_values,
    activate,
    entered: after ? (/** @type {Matrix} */ x) => x : rms_norm,
    /** @param {Matrix} x @param {Matrix} half */
    added: (x, half) => add(x, after ? rms_norm(half) : half),
  };
};

/** @param {Matrix} x @param {Weights} w */
const unsharded = (x, w) => {
  const { heads, kv_heads: kv, parallel, full } = w.form;
  const n1 = w.entered(x);
  const q = w.queries(n1, [0, HEAD * heads]);
  const [k, v] = w.keys_and_values(n1, [0, HEAD * kv]);
  const a = attend(
    full ? rms_norm(q) : q,
    full ? rms_norm(k) : k,
    v,
    range(heads).map((j) => Math.floor((j * kv) / heads)),
  );
  const out = matmul(a, w.o);
  const y = w.added(x, out);
  const n2 = parallel ? n1 : w.entered(y);
  const up = matmul(n2, w.up);
  const h = w.activate(n2, [0, HEAD * heads], up);
  const down = matmul(h, w.down);
  const added = parallel ? add(out, down) : down;
  return { n1, q, a, "y added": out, y, n2, up, h, "z added": added, z: w.added(parallel ? x : y, added) };
};

/* A function that keeps its last result: while one control moves, most of what is computed stays. */
/** @template {unknown[]} A @template R @param {(...args: A) => R} fn @returns {(...args: A) => R} */
export const keeping = (fn) => {
  let [key, made] = /** @type {[key?: string, made?: R]} */ ([]);
  return (...args) => {
    if (key !== args.join()) made = fn(...args);
    key = args.join();
    return /** @type {R} */ (made);
  };
};

/* t ranks in a ring of the mesh, and the log of what they send: [what, step, src, dst, first row, rows, bytes]. */
/** @param {number} t */
export const ring_of = (t) => {
  /** @type {Message[]} */
  const log = [];
  /**
   * @param {typeof growing} steps
   * @param {string} what
   * @param {(Matrix | null)[][]} slots
   * @param {number} after
   * @returns {Matrix[][]}
   */
  const run = (steps, what, slots, after) => {
    let number = after;
    carryOut({ steps: steps(t, 1), order: 0 }, slots, (step, sent) => {
      number += 1;
      step.sends.forEach(({ source, destination, chunk }, i) => {
        const part = sent[i];
        log.push([
          what,
          number,
          source,
          destination,
          chunk * part.length,
          part.length,
          part.reduce((sum, row) => sum + 8 * row.length, 0),
        ]);
      });
    });
    return /** @type {Matrix[][]} */ (slots); // every chunk has arrived
  };
  /** @param {string} what @param {Matrix[]} parts */
  const reduce_scatter = (what, parts) => {
    const blocks = parts.map((part) =>
      range(t).map((c) => part.slice((c * part.length) / t, ((c + 1) * part.length) / t)),
    );
    return run(shrinking, what, blocks, 0).map((mine, i) => mine[i]);
  };
  /** @param {string} what @param {Matrix[]} shares @param {number} [after] */
  const all_gather = (what, shares, after = 0) =>
    run(
      growing,
      what,
      shares.map((share, i) => range(t).map((c) => (c === i ? share : null))),
      after,
    ).map((mine) => mine.flat());
  return {
    log,
    reduce_scatter,
    all_gather,
    /** @param {string} what @param {Matrix[]} parts */
    all_reduce: (what, parts) => all_gather(what, reduce_scatter(what, parts), t - 1),
  };
};

/** @param {number} rank @param {number} t @param {number} kv */
export const kv_of = (rank, t, kv) => {
  if (kv >= t) return range(kv / t).map((i) => (rank * kv) / t + i);
  return [Math.floor((rank * kv) / t)];
};
/** @param {Form} form @param {number} t @param {number} rank @returns {Slices} */
const slices_of = ({ heads, kv_heads: kv }, t, rank) => {
  const [per, held] = [heads / t, kv_of(rank, t, kv)];
  return {
    heads: [HEAD * per * rank, HEAD * per * (rank + 1)],
    // biome-ignore format: it would widen the cast to the whole sum
    kv: [HEAD * held[0], HEAD * (/** @type {number} */ (held.at(-1)) + 1)],
    mlp: [2 * per * rank, 2 * per * (rank + 1)],
    groups: range(per).map((j) => Math.floor(((per * rank + j) * kv) / heads) - held[0]),
  };
};
/** @param {Matrix} a @returns {Matrix} */
const turned = (a) => (a.length ? range(a[0].length).map((j) => Float64Array.from(a, (row) => row[j])) : []);

export const run_layer = /* @__PURE__ */ keeping(
  /**
   * @param {number} heads
   * @param {number} kv_heads
   * @param {number} t
   * @param {boolean} sp
   * @param {number} gated
   * @param {number} parallel
   * @param {number} full
   * @param {number} after
   * @param {number} expert
   * @param {number} latent
   */
  (heads, kv_heads, t, sp, gated, parallel, full, after, expert, latent) => {
    const form = { heads, kv_heads, gated, parallel, full, after, expert, latent };
    const [w, ranks] = [layer_weights(form), ring_of(t)];
    const mine = range(t).map((r) => slices_of(form, t, r));
    const tokens = t * Math.ceil(8 / t);
    const x = made_numbers(8, tokens, HIDDEN).map((row) => row.map((v) => 2 * v));
    const whole = unsharded(x, w);
    /** @type {number[]} */
    const away = [];
    /** @param {Matrix} a @param {number} rank */
    const own = (a, rank) => (sp ? a.slice((rank * tokens) / t, ((rank + 1) * tokens) / t) : a);
    /** @param {Matrix[]} parts @param {Matrix[]} places */
    const compare = (parts, places) =>
      away.push(parts.reduce((most, part, i) => Math.max(most, furthest(part, places[i])), 0));
    /** @param {string} what @param {Matrix[]} stream @param {"n1" | "n2"} name */
    const enter = (what, stream, name) => {
      const normed = stream.map(w.entered);
      const every = sp ? ranks.all_gather(what, normed) : normed;
      compare(
        every,
        every.map(() => whole[name]),
      );
      return every;
    };
    /** @param {Matrix[]} partial @param {Met} name */
    const summed = (partial, name) => compare([partial.slice(1).reduce(add, partial[0])], [whole[`${name} added`]]);
    /** @param {string} what @param {Matrix[]} stream @param {Matrix[]} partial @param {Met} name */
    const leave = (what, stream, partial, name) => {
      summed(partial, name);
      const met = (sp ? ranks.reduce_scatter : ranks.all_reduce)(what, partial);
      const next = stream.map((part, r) => w.added(part, met[r]));
      compare(
        next,
        next.map((_, r) => own(whole[name], r)),
      );
      return next;
    };
    /** @param {Matrix[]} parts @param {"q" | "a" | "up" | "h"} name @param {"heads" | "mlp"} cut */
    const sliced = (parts, name, cut) =>
      compare(
        parts,
        mine.map((m) => columns(whole[name], ...m[cut])),
      );
    /** @param {Matrix[]} parts @param {"heads" | "kv"} cut @param {number} from */
    const normed = (parts, cut, from) => {
      // all heads are gathered (copies once), normed, and each rank takes its own
      const starts = mine.map((m) => m[cut][0]);
      const shares = parts.map((part, r) => (starts.indexOf(starts[r]) === r ? turned(part) : []));
      return ranks.all_gather("norm", shares, from).map((all, r) => columns(rms_norm(turned(all)), ...mine[r][cut]));
    };
    /** @param {Matrix[]} n1 */
    const attention = (n1) => {
      let q = mine.map((m, r) => w.queries(n1[r], m.heads));
      const both = mine.map((m, r) => w.keys_and_values(n1[r], m.kv));
      let k = both.map(([keys]) => keys);
      sliced(q, "q", "heads");
      if (full) [q, k] = [normed(q, "heads", 0), normed(k, "kv", t - 1)];
      const a = mine.map((m, r) => attend(q[r], k[r], both[r][1], m.groups));
      sliced(a, "a", "heads");
      return mine.map((m, r) => matmul(a[r], w.o.slice(...m.heads)));
    };
    /** @param {Matrix[]} n2 */
    const mlp = (n2) => {
      const up = mine.map((m, r) => matmul(n2[r], columns(w.up, ...m.mlp)));
      sliced(up, "up", "mlp");
      const h = mine.map((m, r) => w.activate(n2[r], m.mlp, up[r]));
      sliced(h, "h", "mlp");
      return mine.map((m, r) => matmul(h[r], w.down.slice(...m.mlp)));
    };
    const stream = range(t).map((r) => own(x, r));
    if (parallel) {
      const n1 = enter("mlp", stream, "n1");
      const first = attention(n1);
      [0, 0].forEach(() => summed(first, "y"));
      compare(
        n1,
        n1.map(() => whole.n2),
      );
      const second = mlp(n1);
      leave(
        "mlp",
        stream,
        first.map((part, r) => add(part, second[r])),
        "z",
      );
    } else {
      const y = leave("attention", stream, attention(enter("attention", stream, "n1")), "y");
      leave("mlp", y, mlp(enter("mlp", y, "n2")), "z");
    }
    return {
      away,
      log: ranks.log,
      tokens,
      largest: whole.z.reduce((most, row) => row.reduce((m, b) => Math.max(m, Math.abs(b)), most), 0),
    };
  },
);
