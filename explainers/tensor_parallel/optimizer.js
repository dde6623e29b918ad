/* One Adam step over data-parallel ranks, sharded by the stages of ZeRO: what is kept and sent for a parameter: zero.py. */

import { made_numbers, range } from "./arithmetic.js";
import { ring_of } from "./collectives.js";
import { keeping } from "./last_result.js";
import { tiny } from "./words.js";

/** @import { Data, State } from "../../.make/data_types/tensor-parallel.d.ts" */
/** @import { Model } from "./shapes.js" */

/** @param {number[]} w @param {number[]} g */
const adam = (w, g) =>
  w.map((x, i) => {
    const [m, v] = [0.1 * g[i], 0.001 * (g[i] * g[i])]; // of the first step: both averages begin at 0
    return x - (0.125 * (m / 0.1)) / (Math.sqrt(v / 0.001) + 1e-8);
  });

/* One Adam step on d ranks, two parameters each. */
const zero_step = /* @__PURE__ */ keeping((/** @type {number} */ stage, /** @type {number} */ d) => {
  const n = 2 * d;
  const w = Array.from(made_numbers(11, 1, n)[0]);
  const data = made_numbers(12, d, n);
  const ring = ring_of(d);
  /** @param {number[]} part */
  const rows = (part) => Array.from(part, (x) => Float64Array.of(x)); // a parameter is a row of one
  /** @param {number[]} part @param {number} r */
  const share = (part, r) => part.slice(2 * r, 2 * r + 2);
  /** @param {string} what @param {number[][]} shares */
  const gather = (what, shares) => ring.all_gather(what, shares.map(rows)).map((part) => part.map(([x]) => x));
  /** @param {string} what */
  const sent = (what) => ring.log.reduce((sum, row) => sum + (row[0] === what && row[2] === 0 ? row[6] / 8 : 0), 0);
  const passes =
    stage === 3
      ? range(2).map(() =>
          gather(
            "weights",
            range(d).map((r) => share(w, r)),
          ),
        )
      : range(2).map(() => range(d).map(() => w));
  const grads = range(d).map((r) => w.map((_, i) => passes[0][r][i] * data[r][i] + passes[1][r][i] * 0.5));
  const summed = ring.reduce_scatter("gradients", grads.map(rows)).map((part) => part.map(([x]) => x));
  /** @param {number[]} g */
  const over = (g) => g.map((x) => x / d);
  /** @type {number[][]} */
  let after;
  if (stage === 0) after = gather("gradients", summed).map((full) => adam(w, over(full)));
  else {
    const shares = range(d).map((r) => adam(share(w, r), over(summed[r])));
    after = stage === 3 ? shares : gather("weights", shares);
  }
  const all = w.map((x, i) =>
    range(d)
      .slice(1)
      .reduce((sum, r) => sum + (x * data[r][i] + x * 0.5), x * data[0][i] + x * 0.5),
  );
  const answer = adam(w, over(all));
  const away = after.reduce(
    (most, part, r) =>
      part.reduce((m, x, i) => Math.max(m, Math.abs(x - (stage === 3 ? share(answer, r) : answer)[i])), most),
    0,
  );
  return { away, sent: { weights: sent("weights") / n, gradients: sent("gradients") / n } };
});

/** @typedef {[what: string, bytes: number, from: number]} Kept */
/** @param {number} stage @param {number} d @param {Kept[]} kept */
const per_parameter = (stage, d, kept) => {
  /** @param {Kept[]} list */
  const sum = (list) => list.reduce((total, k) => total + k[1], 0);
  return sum(kept.filter((k) => k[2] > stage)) + sum(kept.filter((k) => k[2] <= stage)) / d;
};

/** @param {State} state @param {Model} model @param {Data} data */
export const zero_of = (state, model, data) => {
  const { stage, dp: d } = state;
  const { kept, travels } = data.conventions[state.convention];
  const ran = zero_step(stage, d);
  const per = per_parameter(stage, d, kept);
  const sent = { weights: 2 * ran.sent.weights, gradients: travels * ran.sent.gradients };
  const parameters = model.cut + model.kv.reduce((sum, [numbers]) => sum + numbers, 0) + model.whole;
  const once = (d - 1) / d;
  const { label, source } = data.conventions[state.convention];
  const stages = range(4).map((z) => per_parameter(z, d, kept));
  return {
    away: ran.away,
    differ: ran.away
      ? `differ from the unsharded step's by at most ${tiny(ran.away)}`
      : "equal the unsharded step's to the last bit",
    label,
    source,
    rows: stages.map((bytes, z) => ({
      per: bytes,
      bytes: bytes * parameters,
      gradients: travels * (z ? 1 : 2) * once,
      weights: 2 * [0, 1, 1, 2][z] * once,
    })),
    held: kept.map(
      /** @returns {[what: string, bytes: number, share: number]} */ ([what, bytes, from]) => [
        what,
        bytes,
        stage >= from ? 1 / d : 1,
      ],
    ),
    per_parameter: per,
    stages,
    parameters,
    rank_bytes: per * parameters,
    sent,
    formula_sent: { weights: 2 * [0, 1, 1, 2][stage] * once, gradients: travels * (stage === 0 ? 2 : 1) * once },
    sent_bytes: (sent.weights + sent.gradients) * parameters,
  };
};
