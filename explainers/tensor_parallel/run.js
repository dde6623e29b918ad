/* One layer on t ranks, compared with the unsharded layer: sharded.py, sum for sum, so that no bit differs. */
import { add, columns, furthest, made_numbers, matmul, range, rms_norm, turned } from "./arithmetic.js";
import { ring_of } from "./collectives.js";
import { keeping } from "./last_result.js";
import { attend, HEAD, HIDDEN, layer_weights, unsharded } from "./whole.js";

/** @import { Matrix } from "./arithmetic.js" */
/** @import { Form, Span, Weights, Whole } from "./whole.js" */

/** What one rank holds of each matrix. @typedef {{ heads: Span, kv: Span, mlp: Span, groups: number[] }} Slices */
/** The names of those that ranks make, too. @typedef {"y" | "z"} Met */

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

/**
 * How far the ranks are from the unsharded layer: a number for all that is compared, in order.
 * @param {Whole} whole
 * @param {Slices[]} mine
 */
const comparison = (whole, mine) => {
  /** @type {number[]} */
  const away = [];
  /** @param {Matrix[]} parts @param {Matrix[]} places */
  const compare = (parts, places) =>
    away.push(parts.reduce((most, part, i) => Math.max(most, furthest(part, places[i])), 0));
  /** @param {Matrix[]} partial @param {Met} name */
  const summed = (partial, name) => compare([partial.slice(1).reduce(add, partial[0])], [whole[`${name} added`]]);
  /** @param {Matrix[]} parts @param {"q" | "a" | "up" | "h"} name @param {"heads" | "mlp"} cut */
  const sliced = (parts, name, cut) =>
    compare(
      parts,
      mine.map((m) => columns(whole[name], ...m[cut])),
    );
  return { away, compare, summed, sliced };
};
/**
 * A norm over all heads: they are gathered (copies once), normed, and each rank takes its own.
 * @param {ReturnType<typeof ring_of>} ranks
 * @param {Slices[]} mine
 * @param {Matrix[]} parts
 * @param {"heads" | "kv"} cut
 * @param {number} from
 */
const normed = (ranks, mine, parts, cut, from) => {
  const starts = mine.map((m) => m[cut][0]);
  const shares = parts.map((part, r) => (starts.indexOf(starts[r]) === r ? turned(part) : []));
  return ranks.all_gather("norm", shares, from).map((all, r) => columns(rms_norm(turned(all)), ...mine[r][cut]));
};

/**
 * What the ranks compute before they add up: the partial sums of attention, and those of the MLP.
 * @param {Weights} w
 * @param {ReturnType<typeof ring_of>} ranks
 * @param {Slices[]} mine
 * @param {ReturnType<typeof comparison>["sliced"]} sliced
 */
const sublayers = (w, ranks, mine, sliced) => {
  /** @param {Matrix[]} n1 */
  const attention = (n1) => {
    let q = mine.map((m, r) => w.queries(n1[r], m.heads));
    const both = mine.map((m, r) => w.keys_and_values(n1[r], m.kv));
    let k = both.map(([keys]) => keys);
    sliced(q, "q", "heads");
    if (w.form.full) [q, k] = [normed(ranks, mine, q, "heads", 0), normed(ranks, mine, k, "kv", mine.length - 1)];
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
  return { attention, mlp };
};

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
    /** @param {Matrix} a @param {number} rank */
    const own = (a, rank) => (sp ? a.slice((rank * tokens) / t, ((rank + 1) * tokens) / t) : a);
    const { away, compare, summed, sliced } = comparison(whole, mine);
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
    const { attention, mlp } = sublayers(w, ranks, mine, sliced);
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
