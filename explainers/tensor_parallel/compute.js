/* A state -> everything printed: reference.compute and zero.py, key by key. */
import { fmt } from "../kit/numbers.js";
import { HEAD, HIDDEN, keeping, kv_of, made_numbers, range, ring_of, run_layer } from "./run.js";

/** @import { Data, State } from "../../.make/data_types/tensor-parallel.d.ts" */

/** What only some rows say: widths of other MLPs, ranks of a latent, how often attention and MLPs end in a pass. */
/** @typedef {{ also?: number[], latent?: number[], meets?: number[] }} More */
/** A cache: bytes for each token, the most tokens of it (0: all), its heads (0: a latent). */
/** @typedef {[size: number, cap: number, heads: number]} Cache */
/**
 * A model as data has it, in the order of shapes.COLUMNS.
 * @typedef {[slug: string, title: string | 0, hidden: number, heads: number, kv_heads: number, head_dim: number, mlp: number, kind:
 * number, layers: number, cut: number, kv: number[][] | 0, whole: number, grows: [size: number, cap: number, heads?: number][] |
 * 0, more?: More]} Row
 */
/** @typedef {NonNullable<ReturnType<typeof model_of>>} Model */
/** What a rank holds, in bytes. @typedef {ReturnType<typeof memory_of>} Memory */
/** Bytes of a meeting: the message, what the log counts, what the formula says. */
/** @typedef {{ message: number, counted: number, formula: number }} Sent */
/** @typedef {ReturnType<typeof compute>} Now */
/** What pictures are drawn from: a state, and over it what compute returns. @typedef {Omit<State, keyof Now> & Now} Shown */

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
const zero_of = (state, model, data) => {
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

/* A row with all that it leaves out: shapes.expanded. */
/** @param {Row} row */
export const title_of = ([slug, title]) =>
  title || slug.replace(/^.*\/|-(Instruct|it|hf|Base|PT|Preview|v1)$/g, "").replaceAll("-", " ");
/** @param {Data} data */
export const rows_of = (data) => /** @type {Row[]} */ (/** @type {unknown} */ (data.models));
/** @param {State} state @param {Data} data */
export const model_of = (state, data) => {
  const row = rows_of(data).find(([slug]) => slug === state.model);
  if (!row) return null;
  const [, , hidden, heads, kv_heads, head_dim, mlp, kind, layers, cut, kv, whole, grows, more = {}] = row;
  const [gated, expert, parallel, full, after, bias, norm, cut_in, whole_in, other, plus] = range(11).map(
    (place) => (kind >> place) & 1,
  );
  const { latent: [q_rank = 0, rank = 0, rope = 0] = [] } = more;
  const norms =
    (norm ? 2 * head_dim : 0) +
    (full ? (heads + kv_heads) * head_dim : 0) +
    hidden * (q_rank + rank + rope) +
    q_rank +
    rank;
  return {
    title: title_of(row),
    hidden,
    heads,
    kv_heads,
    head_dim,
    mlp,
    layers,
    gated,
    expert,
    parallel,
    full,
    after,
    other,
    plus,
    latent: /** @type {number[]} */ ([]),
    also: /** @type {number[]} */ ([]),
    meets: [layers, layers],
    ...more,
    cut: cut * (cut_in ? hidden : 1) + layers * hidden * (2 * heads * head_dim + (gated ? 3 : 2) * mlp),
    whole: whole * (whole_in ? hidden : 1) + (2 * layers + 1) * hidden + layers * norms,
    kv: kv || (rank ? [] : [[2 * layers * kv_heads * head_dim * (hidden + bias), kv_heads]]),
    grows: /** @type {[number, number, number?][]} */ (
      grows || (rank ? [[2 * layers * (rank + rope), 0, 0]] : [[layers, 0]])
    ).map(
      /** @returns {Cache} */ ([size, cap, own]) =>
        own === undefined ? [4 * kv_heads * head_dim * size, cap, kv_heads] : [size, cap, own],
    ),
  };
};
/** The model of a state that is legal. @param {State} state @param {Data} data */
export const known_model = (state, data) => /** @type {Model} */ (model_of(state, data));
/** @param {Model} model @param {number} t */
const uneven_kv = (model, t) => [model.kv_heads, ...model.kv.map((one) => one[1])].find((kv) => kv % t && t % kv);
/** @param {Model} model */
export const legal_ranks = (model) =>
  range(17)
    .slice(1)
    .filter((t) => ![model.heads, model.mlp, ...model.also].some((number) => number % t) && !uneven_kv(model, t));

/** @param {Model} m @param {number} t @param {boolean} sp @param {number} s */
export const memory_of = (m, t, sp, s) => {
  /** @param {number} heads */
  const share = (heads) => (heads ? Math.max(1, Math.floor(t / heads)) / t : 1);
  return {
    cut: (2 * m.cut) / t,
    kv: m.kv.reduce((sum, [numbers, heads]) => sum + 2 * numbers * share(heads), 0),
    whole: 2 * m.whole,
    cache: m.grows.reduce((sum, [size, cap, heads]) => sum + size * Math.min(s, cap || s) * share(heads), 0),
    stream: (2 * s * m.hidden) / (sp ? t : 1),
  };
};

/** @param {number} x */
const tiny = (x) => {
  if (x === 0) return "0";
  const [m, e] = x.toExponential(1).split("e");
  return `${m} · 10${fmt.sup(Number(e))}`;
};

/* The ten steps: [name, what happens]. */
/** @param {Model} model @param {boolean} sp @param {Data} data */
const moments_of = (model, sp, data) =>
  data.steps.map(([name, says, parallel, plain], k) => {
    if (model.parallel && k === 4) return data.beside;
    if (model.parallel && k === 5) return data.steps[0].slice(0, 2);
    if (sp && k % 5 === 0)
      return [
        parallel,
        `every rank ${model.after ? "has its tokens" : "normalises its tokens"}, then gathers those of all ranks`,
      ];
    if (sp && k % 5 === 4)
      return [parallel, `the partial sums are added; every rank keeps its own tokens of ${k === 4 ? "y" : "z"}`];
    const [, , own, happens] =
      data.own.find(([kind, at]) => at.includes(k) && String(model[/** @type {keyof Model} */ (kind)]) > "0") || []; // a latent is numbers, or none
    return [own || (!model.gated && plain ? plain : name), happens || says];
  });

/* What every rank holds, or the selected one. */
/** @param {Model} model @param {{ kv_held: number[][], kv_copies: number }} out @param {number} t @param {number} r */
const holds = (model, out, t, r) => {
  const { heads, kv_heads: kv, mlp, expert, latent, also } = model;
  const some = kv === 1 ? "head" : "heads";
  const wide = also.length
    ? ` In other layers ranks share ${also.map((n) => fmt.int(n)).join(" and ")} in the same way.`
    : "";
  if (0 > r || r >= t) {
    const copied =
      out.kv_copies > 1 ? ` ${t} ranks share ${kv} KV ${some}: each is stored on ${out.kv_copies} ranks.` : "";
    return `Every rank holds ${heads / t} of ${heads} query heads, ${latent[1] ? "the whole latents" : `${out.kv_held[0].length} of ${kv} KV ${some}`} and ${fmt.int(mlp / t)} of ${fmt.int(mlp)} ${expert ? "columns of each expert" : "MLP columns"}.${copied}${wide}`;
  }
  /** @param {number} a @param {number} b */
  const span = (a, b) => (a === b ? fmt.int(a) : `${fmt.int(a)} to ${fmt.int(b)}`);
  const held = out.kv_held[r];
  const twins = range(t).filter((o) => o !== r && out.kv_copies > 1 && out.kv_held[o][0] === held[0]);
  const own = `KV ${held.length > 1 ? "heads" : "head"} ${span(held[0], held[held.length - 1])}${twins.length ? ` (also on rank ${twins.join(", ")})` : ""}`;
  return `Rank ${r} holds query heads ${span((r * heads) / t, ((r + 1) * heads) / t - 1)}, ${latent[1] ? "the whole latents" : own}, columns ${span((r * mlp) / t, ((r + 1) * mlp) / t - 1)} of ${model.gated ? "gate and up" : "up"}, the same rows of down.${wide}`;
};

/** @param {Memory} m */
export const total_of = (m) => m.cut + m.kv + m.whole + m.cache + m.stream;
/** @param {Model} model @param {boolean} sp @param {number} s */
const ladder_of = (model, sp, s) =>
  legal_ranks(model)
    .filter((t) => !sp || s % t === 0)
    .map((t) => {
      const parts = memory_of(model, t, sp, s);
      return { t, ...parts, total: total_of(parts) };
    });
/** @param {Model} model */
const sizes_of = ({
  title,
  hidden,
  heads,
  kv_heads,
  head_dim: d,
  mlp,
  layers,
  latent: [q_rank, rank = 0, rope = 0, value = d],
}) => ({
  title,
  hidden,
  heads,
  kv_heads,
  head_dim: d,
  mlp,
  layers,
  q: heads * d,
  kv: rank ? heads * (d - rope + value) : kv_heads * d,
  o: heads * value,
  from: q_rank || hidden,
  latent: rank,
  down: rank + rope,
});

/* What a rank sends at each meeting of a layer and in a pass: reference.meetings_of, words.sent. */
/** @param {Model} model @param {ReturnType<typeof run_layer>} run @param {number} t @param {number} s */
const sent_of = (model, run, t, s) => {
  const heads = model.full ? model.heads + model.kv_heads : 0;
  /**
   * @param {string} what
   * @param {number} numbers
   * @param {number} executed
   * @param {number} turns
   */
  const met = (what, numbers, executed, turns) => {
    const message = s * numbers * 2;
    const counted = run.log.reduce((sum, row) => sum + (row[0] === what ? row[6] : 0), 0) * message;
    return {
      message,
      counted: counted ? counted / (t * run.tokens * executed * 8) : 0,
      formula: (turns * (t - 1) * message) / t,
    };
  };
  const [norm, attention, mlp] = [
    met("norm", heads * model.head_dim, heads * HEAD, 1),
    met("attention", model.parallel ? 0 : model.hidden, HIDDEN, 2),
    met("mlp", model.hidden, HIDDEN, 2),
  ];
  /** @param {(key: keyof Sent) => number} make @returns {Sent} */
  const each = (make) => ({ message: make("message"), counted: make("counted"), formula: make("formula") });
  const layer = each((key) => norm[key] + attention[key] + mlp[key]);
  const [first, second] = model.meets;
  return { norm, attention, mlp, layer, pass: each((key) => first * (layer[key] - mlp[key]) + second * mlp[key]) };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const model = known_model(state, data);
  const { tp: t, sequence: s, sequence_parallel: sp } = state;
  const run = run_layer(
    model.heads,
    model.kv_heads,
    t,
    sp,
    model.gated,
    model.parallel,
    model.full,
    model.after,
    model.expert,
    model.latent[1] ? (model.latent[0] > 0 ? 2 : 1) : 0,
  );
  const message = s * model.hidden * 2;
  const kept = {
    kv_held: range(t).map((r) => kv_of(r, t, model.kv_heads)),
    kv_copies: Math.max(1, Math.floor(t / model.kv_heads)),
  };
  const sizes = sizes_of(model);
  return {
    legal: legal_ranks(model),
    away: run.away,
    largest: run.largest,
    log: run.log,
    tokens: run.tokens,
    message_bytes: message,
    formula_bytes: (2 * (t - 1) * message) / t,
    ...kept,
    stream: [sp ? s / t : s, model.hidden],
    memory: memory_of(model, t, sp, s),
    zero: zero_of(state, model, data),
    sizes,
    copy: { head: HEAD, hidden: HIDDEN, mlp: 2 * model.heads },
    at: { words: `${state.step + 1} of 10` },
    moments: moments_of(model, sp, data),
    differ: run.away.map(tiny),
    differ_most: tiny(Math.max(...run.away)),
    holds: holds(model, kept, t, state.rank),
    ladder: ladder_of(model, sp, s),
    sent: sent_of(model, run, t, s),
  };
}

/** @param {unknown} x @param {number} low @param {number} high */
const is_whole = (x, low, high) => typeof x === "number" && Number.isInteger(x) && x >= low && x <= high;

/** @param {State} state @param {string[]} given @param {Data} data @returns {State} */
export function settle(state, given, data) {
  const model = model_of(state, data);
  if (!model || given.includes("tp")) return state;
  /** @param {number} t */
  const far = (t) => Math.abs(t - state.tp);
  return { ...state, tp: legal_ranks(model).reduce((best, t) => (far(best) > far(t) ? t : best)) };
}

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  const model = model_of(state, data);
  if (model === null)
    return `No model here is called “${state.model}”. The list has models whose layers all use softmax attention.`;
  if (!is_whole(state.sequence, 1, 2 ** 20)) return "The sequence is a whole number of tokens from 1 to 1,048,576.";
  if (!is_whole(state.tp, 1, 16)) return "The number of ranks is a whole number from 1 to 16.";
  if (typeof state.sequence_parallel !== "boolean" || !is_whole(state.step, 0, 9))
    return "The step is a whole number from 0 to 9; sequence parallelism is on or off.";
  if (!is_whole(state.rank, -1, 15)) return "The selected rank is a whole number, or -1 for none.";
  return fits(state, model) || check_zero(state, data);
}

/** @param {State} state @param {Model} model */
const fits = (state, model) => {
  const { tp: t, sequence: s } = state;
  const { heads, mlp, also } = model;
  const works = `Legal for ${model.title}: ${legal_ranks(model).join(", ")}.`;
  if (heads % t) return `${t} ranks cannot share ${heads} query heads evenly: ${heads} / ${t} is not whole. ${works}`;
  const [kv, wide] = [uneven_kv(model, t), [mlp, ...also].find((number) => number % t)];
  if (kv) return `${kv} KV heads can be neither split nor copied evenly over ${t} ranks. ${works}`;
  if (wide)
    return `${t} ranks cannot cut ${fmt.int(wide)} MLP columns evenly: ${fmt.int(wide)} / ${t} is not whole. ${works}`;
  if (state.sequence_parallel && s % t)
    return `Sequence parallelism gives every rank the same number of tokens: ${t} does not divide ${fmt.int(s)}.`;
  return "";
};

/** @param {State} state @param {Data} data */
const check_zero = (state, data) => {
  if (!["layer", "zero"].includes(state.view)) return "The view is layer or zero.";
  if (!is_whole(state.stage, 0, 3)) return "ZeRO has the stages 0, 1, 2 and 3.";
  if (!is_whole(state.dp, 1, 64)) return "The number of data-parallel ranks is a whole number from 1 to 64.";
  return state.convention in data.conventions
    ? ""
    : `The conventions are ${Object.keys(data.conventions).join(", ")} bytes per parameter.`;
};
