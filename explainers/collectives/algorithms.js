/* Ranks that own arrays, a log of what they send, and the runs of algorithms.py, chunk for chunk. */
const WIDTH = 2;

const machine = (start) => {
  const n = start.length;
  let now = start.map((rank) => Float32Array.from(rank));
  const m = { n, log: [], phases: [], frees: [], frames: [] };
  const keep = () => m.frames.push(now.map((rank) => Array.from(rank)));
  keep();
  m.copy = () => now.map((rank) => rank.slice());
  m.held = () => now;
  m.step = (phase, moves, { move = false, source = now } = {}) => {
    const number = m.phases.length + 1;
    const payloads = moves.map(([src, , chunk]) => source[src].slice(chunk * WIDTH, chunk * WIDTH + WIDTH));
    if (move) for (const [src, , chunk] of moves) now[src].fill(0, chunk * WIDTH, chunk * WIDTH + WIDTH);
    moves.forEach(([src, dst, chunk, into, op], i) => {
      for (let k = 0; k !== WIDTH; k += 1) now[dst][into * WIDTH + k] = payloads[i][k] + (op === "add" ? now[dst][into * WIDTH + k] : 0);
      m.log.push([number, src, dst, chunk, into, payloads[i].byteLength, op]);
    });
    m.phases.push(phase);
    m.frees.push(move);
    keep();
  };
  m.reorder = (slot_of) => {
    const before = m.copy();
    now = now.map((rank) => new Float32Array(rank.length));
    before.forEach((rank, i) => { for (let s = 0; s !== n; s += 1) now[i].set(rank.subarray(s * WIDTH, s * WIDTH + WIDTH), slot_of(i, s) * WIDTH); });
    keep();
  };
  return m;
};

const upto = (n) => Array.from({ length: n }, (_, i) => i);
const mod = (a, n) => ((a % n) + n) % n;
const log2_up = (n) => Math.ceil(Math.log2(n));
const distances = (n) => upto(log2_up(n)).map((k) => 2 ** k);
const all_chunks = (n, pairs, op) => pairs.flatMap(([a, b]) => upto(n).map((c) => [a, b, c, c, op]));
const every = (first, end, by) => { const out = []; for (let i = first; i - end < 0; i += by) out.push(i); return out; };

const reduce_scatter = {
  ring: (m) => {
    const n = m.n;
    for (const j of upto(n - 1)) m.step("reduce-scatter", upto(n).map((i) => [i, mod(i + 1, n), mod(i - j - 1, n), mod(i - j - 1, n), "add"]), { move: true });
  },
  tree: (m) => {
    const n = m.n;
    for (const d of distances(n).reverse()) {
      m.step("reduce-scatter", upto(n).flatMap((i) => upto(Math.min(d, n - d)).map((k) => [i, mod(i + d, n), mod(i + d + k, n), mod(i + d + k, n), "add"])), { move: true });
    }
  },
  naive: (m) => {
    const n = m.n;
    for (const d of upto(n).slice(1)) m.step("reduce-scatter", upto(n).map((i) => [i, mod(i + d, n), mod(i + d, n), mod(i + d, n), "add"]), { move: true });
  },
};
const all_gather = {
  ring: (m) => {
    const n = m.n;
    for (const j of upto(n - 1)) m.step("all-gather", upto(n).map((i) => [i, mod(i + 1, n), mod(i - j, n), mod(i - j, n), "copy"]));
  },
  tree: (m) => {
    const n = m.n;
    for (const d of distances(n)) m.step("all-gather", upto(n).flatMap((i) => upto(Math.min(d, n - d)).map((k) => [i, mod(i - d, n), mod(i + k, n), mod(i + k, n), "copy"])));
  },
  naive: (m) => {
    const n = m.n;
    for (const d of upto(n).slice(1)) m.step("all-gather", upto(n).map((i) => [i, mod(i + d, n), i, i, "copy"]));
  },
};
const broadcast = {
  ring: (m, root) => {
    const n = m.n;
    for (const t of upto(2 * n - 2)) {
      const hops = upto(n - 1).filter((h) => t - h >= 0 && t - h - n < 0);
      m.step("broadcast", hops.map((h) => [mod(root + h, n), mod(root + h + 1, n), t - h, t - h, "copy"]));
    }
  },
  tree: (m, root) => {
    const n = m.n;
    for (const d of distances(n).reverse()) {
      m.step("broadcast", all_chunks(n, every(0, n - d, 2 * d).map((i) => [mod(root + i, n), mod(root + i + d, n)]), "copy"));
    }
  },
  naive: (m, root) => {
    const n = m.n;
    for (const d of upto(n).slice(1)) m.step("broadcast", all_chunks(n, [[root, mod(root + d, n)]], "copy"));
  },
};
const all_reduce = {
  ring: (m) => { reduce_scatter.ring(m); all_gather.ring(m); },
  tree: (m) => {
    const n = m.n;
    for (const d of distances(n)) m.step("reduce to rank 0", all_chunks(n, every(d, n, 2 * d).map((i) => [i, i - d]), "add"), { move: true });
    broadcast.tree(m, 0);
  },
  naive: (m) => {
    const n = m.n;
    const source = m.copy();
    for (const d of upto(n).slice(1)) m.step("everyone to everyone", all_chunks(n, upto(n).map((i) => [i, mod(i + d, n)]), "add"), { source });
  },
};
const all_to_all = {
  ring: (m) => {
    const n = m.n;
    for (const t of upto(n - 1)) {
      m.step("pass on", upto(n).flatMap((i) => upto(n - t).slice(1).map((k) => {
        const [to, goal] = [mod(i + 1, n), mod(i + k, n)];
        return [i, to, goal, goal === to ? mod(i - t, n) : goal, "copy"];
      })), { move: true });
    }
  },
  tree: (m) => {
    const n = m.n;
    for (const hop of distances(n)) {
      const far = upto(n).filter((d) => d & hop);
      m.step("exchange", upto(n).flatMap((i) => far.map((d) => [i, mod(i + hop, n), mod(i + d, n), mod(i + hop + d, n), "copy"])), { move: true });
    }
    m.reorder((i, slot) => mod(2 * i - slot, n));
  },
  naive: (m) => {
    const n = m.n;
    for (const d of upto(n).slice(1)) m.step("exchange", upto(n).map((i) => [i, mod(i + d, n), mod(i + d, n), mod(i + 2 * d, n), "copy"]), { move: true });
    m.reorder((i, slot) => mod(2 * i - slot, n));
  },
};
const RUNS = { "all-reduce": all_reduce, "all-gather": all_gather, "reduce-scatter": reduce_scatter, "all-to-all": all_to_all, broadcast };
