/* One run of the mesh's, counted, and its alpha-beta time: reference.compute, key by key. */
const WIDTH = 2;
const upto = kit.upto;
const mod = kit.mod;

/* A schedule over slots of WIDTH numbers: machine.py. */
const machine = (start, plan) => {
  const slots = start.map((rank) => upto(rank.length / WIDTH).map((s) => Float32Array.from(rank.slice(s * WIDTH, s * WIDTH + WIDTH))));
  const m = { log: [], phases: [], frees: [] };
  const frame = () => slots.map((rank) => rank.flatMap((slot) => (slot ? [...slot] : [0, 0])));
  m.frames = [frame()];
  kit.carry_out(plan, slots, (step, sent) => {
    m.phases.push(step.phase);
    step.sends.forEach((one, i) => m.log.push([m.phases.length, one.source, one.destination, one.chunk, one.into, sent[i].byteLength, one.adds ? "add" : "copy"]));
    m.frees.push(step.frees);
    m.frames.push(frame());
  });
  if (plan.order) m.frames.push(frame());
  return m;
};

const evaluate = (formula, n) => {
  const log = Math.ceil(Math.log2(n));
  const ones = upto(n).reduce((sum, d) => sum + d.toString(2).split("1").length - 1, 0);
  return {
    "2(n − 1)": 2 * (n - 1), "n − 1": n - 1, "⌈log₂ n⌉": log, "2⌈log₂ n⌉": 2 * log,
    "2(n − 1)/n · S": 2 * (n - 1), "(n − 1)/n · S": n - 1, "(n − 1) · S": (n - 1) * n, "(n − 1)/2 · S": ((n - 1) * n) / 2,
    "ones/n · S": ones, "⌈log₂ n⌉ · S": log * n, "2⌈log₂ n⌉ · S": 2 * log * n, S: n,
  }[formula];
};

const begin = (op, n, root) => upto(n).map((rank) => upto(n).flatMap((slot) => {
  const has = op === "all-gather" ? slot === rank : op === "broadcast" ? rank === root : true;
  return has ? [2 ** rank, 16 * rank + slot + 1] : [0, 0];
}));

/* The number that rank's slot must show, or null where nothing is promised. */
const expected = (op, start, root, rank, slot, k) => {
  const of = (r, s) => start[r][s * WIDTH + k];
  if (op === "all-to-all") return of(slot, rank);
  if (op === "all-gather") return of(slot, slot);
  if (op === "broadcast") return of(root, slot);
  if (op === "reduce-scatter" && slot !== rank) return null;
  return start.reduce((sum, _, r) => sum + of(r, slot), 0);
};

const microseconds = (steps, serial, n, state) => steps * state.alpha + (serial * 2 ** state.message) / n / state.bandwidth / 1000;
const times_of = (op, algorithm, n, state, data) => {
  const row = data.formulas[`${op} ${algorithm}`];
  return microseconds(evaluate(row.steps, n), evaluate(row.serial, n), n, state);
};

const crossover_of = (op, n, state, data) => {
  const [ring, tree] = ["ring", "tree"].map((a) => data.formulas[`${op} ${a}`]);
  const later = evaluate(ring.steps, n) - evaluate(tree.steps, n);
  const fewer = evaluate(tree.serial, n) - evaluate(ring.serial, n);
  return later > 0 && fewer > 0 ? (later * state.alpha * 1000 * state.bandwidth * n) / fewer : 0;
};

/* The run itself: kept while only the step or the sliders of the time move. */
const executed = (() => {
  let kept = "";
  let made = null;
  return (op, algorithm, n, root) => {
    const key = [op, algorithm, n, root].join();
    if (key === kept) return made; // { run, start }
    const start = begin(op, n, root);
    const m = machine(start, kit.schedule(op, algorithm === "naive" ? "direct" : algorithm, n, root));
    const size = 4 * WIDTH;
    const [sent, received] = [upto(n).map(() => 0), upto(n).map(() => 0)];
    const largest = new Map();
    for (const [step, src, dst, , , bytes] of m.log) {
      sent[src] += bytes;
      received[dst] += bytes;
      const messages = largest.get(step) || largest.set(step, new Map()).get(step);
      messages.set(src * n + dst, (messages.get(src * n + dst) || 0) + bytes);
    }
    let mismatches = 0;
    m.frames.at(-1).forEach((rank, r) => rank.forEach((x, i) => {
      const want = expected(op, start, root, r, Math.floor(i / WIDTH), i % WIDTH);
      if (want !== null && want !== x) mismatches += 1;
    }));
    const serial = [...largest.values()].reduce((sum, messages) => sum + Math.max(...messages.values()), 0);
    kept = key;
    const run = {
      log: m.log, frames: m.frames, phases: m.phases, frees: m.frees, mismatches,
      sent: sent.map((b) => b / size), received: received.map((b) => b / size),
      counted: { steps: m.phases.length, busiest: Math.max(...sent) / size, serial: serial / size },
    };
    made = { run, start };
    return made;
  };
})();

/* How far a run is after so many steps: its name, what comes next, what is sent, and which slots are finished. */
const progress = ({ run, start }, { op, ranks: n, root }, step) => {
  const frame = Math.min(Math.max(Math.floor(step), 0), run.frames.length - 1); // one more than steps where slots are put in order at the end
  const done = Math.min(frame, run.phases.length);
  const sent = upto(n).map(() => 0);
  for (const [number, src] of run.log) if (done >= number) sent[src] += 1;
  const slots = upto(n).flatMap((r) => upto(n).map((s) => upto(WIDTH).map((k) => [expected(op, start, root, r, s, k), run.frames[frame][r][s * WIDTH + k]])));
  const promised = slots.filter((slot) => slot[0][0] !== null);
  return {
    words: `${done} of ${run.phases.length}`, phase: run.phases[frame] || "", sent, most: Math.max(...sent),
    finished: promised.filter((slot) => slot.every(([want, is]) => want === is)).length, wanted: promised.length,
  };
};

const spelt = (us) => (us >= 1e6 ? `${kit.fmt.fixed(us / 1e6, 2)} s` : us >= 1000 ? `${kit.fmt.fixed(us / 1000, 2)} ms` : `${kit.fmt.fixed(us, 1)} µs`);

export function compute(state, data) {
  const { op, algorithm, ranks: n, root } = state;
  const made = executed(op, algorithm, n, root);
  const { run } = made;
  const row = data.formulas[`${op} ${algorithm}`];
  const total = 2 ** state.message;
  const time = microseconds(run.counted.steps, run.counted.serial, n, state);
  const bytes = { busiest: (run.counted.busiest * total) / n, serial: (run.counted.serial * total) / n };
  const bus = { "all-reduce": 2, broadcast: 0 }[op] ?? 1;
  return {
    ...run,
    formula: { steps: evaluate(row.steps, n), busiest: evaluate(row.busiest, n), serial: evaluate(row.serial, n) },
    written: row,
    bytes,
    chunk_bytes: total / n,
    time_us: time,
    times_us: Object.fromEntries(data.algorithms.map((a) => [a, times_of(op, a, n, state, data)])),
    bus_gbs: time ? (total / time / 1000) * (bus ? (bus * (n - 1)) / n : 1) : 0,
    crossover: crossover_of(op, n, state, data),
    at: progress(made, state, state.step),
    words: { time: spelt(time), steps: spelt(run.counted.steps * state.alpha), busiest: kit.fmt.kib(bytes.busiest), serial: kit.fmt.kib(bytes.serial) },
  };
}

const RANGES = {
  ranks: [2, 16, true, "Between 2 and 16 ranks are drawn here; a whole number."],
  message: [10, 34, true, "The message is a whole power of two, from 2¹⁰ bytes (1 KiB) to 2³⁴ (16 GiB)."],
  alpha: [0, 100, false, "The start-up time α goes from 0 to 100 µs."],
  bandwidth: [1, 2000, false, "The bandwidth goes from 1 to 2,000 GB/s."],
};

export function check(state, data) {
  if (!data.ops.includes(state.op)) return `The collectives here are ${data.ops.join(", ")}; there is no “${state.op}”.`;
  if (!data.algorithms.includes(state.algorithm)) return `The algorithms here are ${data.algorithms.join(", ")}; there is no “${state.algorithm}”.`;
  for (const [key, [low, high, whole, sentence]] of Object.entries(RANGES)) {
    const x = state[key];
    if (typeof x !== "number" || !(x >= low && x <= high) || (whole && !Number.isInteger(x))) return sentence;
  }
  const n = state.ranks;
  if (!Number.isInteger(state.root) || !upto(n).includes(state.root)) return `The root is one of the ${n} ranks, 0 to ${n - 1}.`;
  return Number.isFinite(state.step) ? "" : "The step is a number.";
}
