/* Op lists -> starts, ends, peaks, waits: simulate.py and reference.compute, line by line. */
const op_parts = (op) => (op[0] === "X" ? [["F", op[1], op[2]], ["B", op[3], op[4]]] : [op]);
const slot = (kind, stage, micro) => `${kind === "F" ? "F" : "B"}${stage}:${micro}`;

const op_needs = ([kind, stage, micro], last) => {
  if (kind === "F") return stage > 0 ? slot("F", stage - 1, micro) : "";
  if (kind === "W") return slot("B", stage, micro);
  return stage < last ? slot("B", stage + 1, micro) : slot("F", stage, micro);
};

const simulate = (lists, v, f, i, w, hop) => {
  const last = lists.length * v - 1;
  const [a, b, c] = [f / v, i / v, w / v];
  const long = { F: a, I: b, W: c, B: b + c, X: a + (b + c) };
  const done = new Map();
  const at = lists.map(() => 0);
  const free = lists.map(() => 0);
  const times = lists.map(() => []);
  for (let moved = true; moved;) {
    moved = false;
    lists.forEach((ops, r) => {
      while (at[r] !== ops.length) {
        const op = ops[at[r]];
        const parts = op_parts(op);
        const inputs = parts.map((part) => op_needs(part, last)).filter(Boolean);
        if (inputs.some((n) => !done.has(n))) return;
        let start = free[r];
        for (const n of inputs) {
          const [end, where] = done.get(n);
          start = Math.max(start, where === r ? end : end + hop);
        }
        const end = start + long[op[0]];
        for (const [kind, stage, micro] of parts) if (kind !== "W") done.set(slot(kind, stage, micro), [end, r, at[r]]);
        times[r].push([start, end]);
        free[r] = end;
        at[r] += 1;
        moved = true;
      }
    });
  }
  return [times, done];
};

const held = (ops, times, until) => {
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

/* The input that came last: where it was made, and the wait it ended. */
const waited_for = ({ lists, times, done, v }, rank, index) => {
  const from = index ? times[rank][index - 1][1] : 0;
  const to = times[rank][index][0];
  if (to <= from) return null;
  const inputs = op_parts(lists[rank][index]).map((part) => op_needs(part, lists.length * v - 1)).filter(Boolean).map((n) => done.get(n));
  const [end, where, made] = inputs.sort((a, b) => b[0] - a[0] || a[1] - b[1] || a[2] - b[2])[0];
  return { rank: where, index: made, end, from, to };
};

const short = (x) => String(Number(x.toPrecision(5)));
const OP_NAMES = { F: "forward", B: "backward", I: "input gradient", W: "weight gradient" };
const op_name = (op) => (op[0] === "X"
  ? `forward of micro-batch ${op[2] + 1} with backward of micro-batch ${op[4] + 1}`
  : `${OP_NAMES[op[0]]} of micro-batch ${op[2] + 1} on stage ${op[1]}`);

const doing = (run, rank, at) => {
  const { lists, times } = run;
  const index = times[rank].findIndex(([, end]) => end > at);
  if (index === -1) return "done";
  if (at >= times[rank][index][0]) return op_name(lists[rank][index]);
  const source = waited_for(run, rank, index);
  return `waits for the ${op_name(lists[source.rank][source.index])}`;
};

const why = (run, rank, index, hop) => {
  const { lists, times } = run;
  if (!(rank in lists) || !(index >= 0) || index > lists[rank].length) return null;
  if (index === lists[rank].length) {
    const end = times[rank].at(-1)[1];
    return { from: end, to: end, rank: -1, index: -1, sentence: `Rank ${rank} is done at ${short(end)}.` };
  }
  const source = waited_for(run, rank, index);
  if (source === null) return null;
  const there = lists[source.rank][source.index];
  const travels = hop && source.rank !== rank ? `; then it travels for ${short(hop)}.` : ".";
  const sentence = `Rank ${rank} is idle from ${short(source.from)} to ${short(source.to)}. Next in its list is the ${op_name(lists[rank][index])}. `
    + `That needs the ${op_name(there)}, which rank ${source.rank} ends at ${short(source.end)}${travels}`;
  return { from: source.from, to: source.to, rank: source.rank, index: source.index, sentence };
};

const closed_form = (row, p, m, v, f, i, w) => {
  const each = { "F + I + W": f + i + w, "F + I − W": f + i - w, "F + 2I − W": f + 2 * i - w }[row.bubble];
  const holds = {
    "": true,
    "m ≥ p": m >= p,
    "m ≥ p, W ≤ F, W ≤ I": m >= p && w <= f && w <= i,
    "W ≤ F, W ≤ I": w <= f && w <= i,
    "m ≥ 2p, F = I = W": m >= 2 * p && f === i && i === w,
    "F = I, W ≤ F": f === i && w <= f,
  }[row.holds];
  return [((p - 1) * each) / v, holds];
};

/* Every gap in reading order: [rank, op after it]. */
const gaps_of = (lists, times) => lists.flatMap((ops, rank) => ops.map((_, k) => [rank, k]).filter(([, k]) => times[rank][k][0] > (k ? times[rank][k - 1][1] : 0)));

/* What stands beside each number of the bubble. */
const notes_of = (state, row, v, holds) => {
  const [p, m] = [state.pp, state.microbatches];
  const plain = holds && row.bubble === "F + I + W" && v === 1;
  const lacks = [row.holds, state.hop && "transfers that take no time"].filter(Boolean);
  return {
    whole: `${plain ? `= (p − 1)/(m + p − 1) = ${p - 1}/${m + p - 1}` : "= idle / (work + idle)"} · the zero-bubble papers`,
    ideal: `${plain ? `= (p − 1)/m = ${p - 1}/${m}` : "= idle / work"} · Megatron-LM, arXiv 2104.04473`,
    formula: `= (p − 1)(${row.bubble})${v > 1 ? ` / ${v}` : ""}${holds ? " · equal to the simulation" : ` · not valid here, it needs ${lacks.join(", and ")}`}`,
  };
};

const row_of = (state, data) => data.schedules.find((s) => s.value === state.schedule);
const chunks_of = (state, data) => {
  const own = row_of(state, data).chunks;
  return own.length === 1 ? own[0] : state.chunks;
};

/* The schedule and its times, without the cursor: kept while only the cursor moves. */
const timeline = (() => {
  let kept = "";
  let made = null;
  let [order, lists] = []; // the lists do not depend on the times
  return (state, data) => {
    const v = chunks_of(state, data);
    const { schedule, pp: p, microbatches: m, forward: f, input_grad: i, weight_grad: w, hop } = state;
    const key = [schedule, p, m, v, f, i, w, hop].join();
    if (key === kept) return made;
    const wanted = [schedule, p, m, v].join();
    if (wanted !== order) lists = Array.from({ length: p }, (_, r) => rank_ops(schedule, p, m, v, r));
    order = wanted;
    const [times, done] = simulate(lists, v, f, i, w, hop);
    const span = Math.max(...times.map((rank) => rank.at(-1)[1]));
    const work = m * (f + i + w);
    const [formula, holds] = closed_form(row_of(state, data), p, m, v, f, i, w);
    made = {
      v, lists, times, done, key, gaps: gaps_of(lists, times),
      out: {
        chunks: v,
        ops: lists.map((ops, r) => ops.map((op, k) => [...op, ...times[r][k]])),
        span, work, bubble: span - work, of_ideal: (span - work) / work, of_total: (span - work) / span,
        formula, formula_holds: holds && hop === 0, notes: notes_of(state, row_of(state, data), v, holds && hop === 0),
        peak: lists.map((ops, r) => held(ops, times[r]) / v),
      },
    };
    kept = key;
    return made;
  };
})();

export function compute(state, data) {
  const run = timeline(state, data);
  const { v, lists, times, gaps, out } = run;
  const at = Math.min(Math.max(state.cursor, 0), out.span);
  return {
    ...out,
    at,
    gaps: gaps.length,
    gap: gaps.findIndex(([r, k]) => r === state.rank && k === state.op) + 1,
    now: lists.map((ops, r) => held(ops, times[r], at) / v),
    doing: lists.map((_, r) => doing(run, r, at)),
    why: why(run, state.rank, state.op, state.hop),
  };
}

const LIMITS = {
  pp: [2, 16, "ranks"], microbatches: [1, 64, "micro-batches"], chunks: [1, 4, "chunks"],
  forward: [0.25, 4, "The forward time"], input_grad: [0.25, 4, "The input-gradient time"],
  weight_grad: [0, 4, "The weight-gradient time"], hop: [0, 2, "The transfer time"],
};

export function check(state, data) {
  const row = row_of(state, data);
  if (!row) return `The schedules here are ${data.schedules.map((s) => s.value).join(", ")}; there is no “${state.schedule}”.`;
  for (const [key, [low, high, what]] of Object.entries(LIMITS)) {
    const within = typeof state[key] === "number" && state[key] >= low && state[key] <= high;
    const whole = ["pp", "microbatches", "chunks"].includes(key);
    if (whole && !(within && Number.isInteger(state[key]))) return `A whole number of ${what} from ${low} to ${high} is drawn here.`;
    if (!within) return `${what} goes from ${short(low)} to ${short(high)}.`;
  }
  if (!["cursor", "rank", "op"].every((key) => typeof state[key] === "number" && Math.abs(state[key]) < 1e9 && (key === "cursor" || Number.isInteger(state[key])))) {
    return "The cursor is a time, rank and op are whole numbers.";
  }
  return fits(row, state);
}

const fits = (row, state) => {
  const { pp: p, microbatches: m } = state;
  if (row.chunks.length > 1 && !row.chunks.includes(state.chunks)) return `${row.label} needs at least 2 chunks on each rank; with 1 there is nothing to interleave.`;
  if (WALK[row.value] === "rounds" && m % p) {
    const low = Math.floor(m / p) * p;
    return `${row.label} sends micro-batches in rounds of ${p}, one per rank: ${m} is not a multiple of ${p}. Take ${m > p ? `${low} or ${low + p}` : p} micro-batches.`;
  }
  if (row.value === "dualpipe-v" && m < 2 * p) return `${row.label} fills the pipeline from both ends: ${p} ranks need at least ${2 * p} micro-batches, not ${m}.`;
  return "";
};
