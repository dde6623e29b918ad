/* One layer on one rank and on t ranks: arithmetic.py and sharded.py, sum for sum, so that no bit differs. */
const range = kit.upto;
const [LN2, HIGH, LOW] = [0.6931471805599453, 0.6931471803691238, 1.9082149292705877e-10];
const [HIDDEN, HEAD] = [32, 2];

const grid = (rows, cols, at) => range(rows).map((i) => Float64Array.from({ length: cols }, (_, j) => at(i, j)));
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
const own_exp = (x) => {
  const k = Math.floor(x / LN2 + 0.5);
  const rest = (x - k * HIGH) - k * LOW;
  let out = 1;
  for (let n = 14; n > 0; n -= 1) out = 1 + (rest / n) * out;
  return out * 2 ** k;
};
const softmax = (row) => {
  const top = Math.max(...row);
  const e = row.map((x) => own_exp(x - top));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / sum);
};
const silu = (x) => x / (1 + own_exp(-x));
const rms_norm = (x) => x.map((row) => {
  const sum = row.reduce((a, b) => a + b * b, 0);
  const root = Math.sqrt(sum / row.length + 1e-6);
  return row.map((v) => v / root);
});
const made_numbers = (seed, rows, cols, scale = 1) => {
  let x = seed;
  return grid(rows, cols, () => {
    x = (75 * x + 74) % 65537;
    return (x / 65537 - 0.5) * scale;
  });
};
const columns = (a, from, to) => a.map((row) => row.slice(from, to));
const add = (a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j]));
const furthest = (a, b) => a.reduce((most, row, i) => row.reduce((m, x, j) => Math.max(m, Math.abs(x - b[i][j])), most), 0);

const attend = (q, k, v, groups) => {
  const out = grid(q.length, q[0].length, () => 0);
  groups.forEach((g, j) => {
    const keys = columns(k, HEAD * g, HEAD * g + HEAD);
    const scores = matmul(columns(q, HEAD * j, HEAD * j + HEAD), range(HEAD).map((c) => keys.map((row) => row[c])));
    const values = columns(v, HEAD * g, HEAD * g + HEAD);
    scores.forEach((row, i) => {
      const p = softmax(row.slice(0, i + 1).map((x) => x / Math.sqrt(HEAD)));
      out[i].set(matmul([p], values.slice(0, i + 1))[0], HEAD * j);
    });
  });
  return out;
};
const activate = (x, gate, up, gated) => {
  if (!gated) return up.map((row) => row.map(silu));
  return matmul(x, gate).map((row, i) => row.map((g, j) => silu(g) * up[i][j]));
};

const layer_weights = (heads, kv, gated) => ({
  heads, kv_heads: kv, gated,
  q: made_numbers(1, HIDDEN, HEAD * heads), k: made_numbers(2, HIDDEN, HEAD * kv), v: made_numbers(3, HIDDEN, HEAD * kv), o: made_numbers(4, HEAD * heads, HIDDEN, 0.25),
  gate: made_numbers(5, HIDDEN, 2 * heads), up: made_numbers(6, HIDDEN, 2 * heads), down: made_numbers(7, 2 * heads, HIDDEN, 0.25),
});

const unsharded = (x, w, parallel) => {
  const n1 = rms_norm(x);
  const q = matmul(n1, w.q);
  const a = attend(q, matmul(n1, w.k), matmul(n1, w.v), range(w.heads).map((j) => Math.floor((j * w.kv_heads) / w.heads)));
  const out = matmul(a, w.o);
  const y = add(x, out);
  const n2 = parallel ? n1 : rms_norm(y);
  const up = matmul(n2, w.up);
  const h = activate(n2, w.gate, up, w.gated);
  const down = matmul(h, w.down);
  const added = parallel ? add(out, down) : down;
  return { n1, q, a, "y added": out, y, n2, up, h, "z added": added, z: add(parallel ? x : y, added) };
};

/* A function that keeps its last result: while one control moves, most of what is computed stays. */
const keeping = (fn) => {
  let [key, made] = [];
  return (...args) => {
    if (key !== args.join()) made = fn(...args);
    key = args.join();
    return made;
  };
};

/* t ranks in a ring of the mesh, and the log of what they send: [what, step, src, dst, first row, rows, bytes]. */
const ring_of = (t) => {
  const log = [];
  const run = (steps, what, slots, after) => {
    let number = after;
    kit.carry_out({ steps: steps(t, 1), order: 0 }, slots, (step, sent) => {
      number += 1;
      step.sends.forEach(({ source, destination, chunk }, i) => {
        const part = sent[i];
        log.push([what, number, source, destination, chunk * part.length, part.length, part.length * part[0].length * 8]);
      });
    });
    return slots;
  };
  const reduce_scatter = (what, parts) => {
    const blocks = parts.map((part) => range(t).map((c) => part.slice((c * part.length) / t, ((c + 1) * part.length) / t)));
    return run(kit.shrinking, what, blocks, 0).map((mine, i) => mine[i]);
  };
  const all_gather = (what, shares, after = 0) => (
    run(kit.growing, what, shares.map((share, i) => range(t).map((c) => (c === i ? share : null))), after).map((mine) => mine.flat()));
  return { log, reduce_scatter, all_gather, all_reduce: (what, parts) => all_gather(what, reduce_scatter(what, parts), t - 1) };
};

const kv_of = (rank, t, kv) => {
  if (kv >= t) return range(kv / t).map((i) => (rank * kv) / t + i);
  return [Math.floor((rank * kv) / t)];
};
const slices_of = (w, t, rank) => {
  const [per, held] = [w.heads / t, kv_of(rank, t, w.kv_heads)];
  return {
    heads: [HEAD * per * rank, HEAD * per * (rank + 1)], kv: [HEAD * held[0], HEAD * (held.at(-1) + 1)], mlp: [2 * per * rank, 2 * per * (rank + 1)],
    groups: range(per).map((j) => Math.floor(((per * rank + j) * w.kv_heads) / w.heads) - held[0]),
  };
};

const run_layer = keeping((heads, kv_heads, gated, t, sp, parallel) => {
  const [w, ranks] = [layer_weights(heads, kv_heads, gated), ring_of(t)];
  const mine = range(t).map((r) => slices_of(w, t, r));
  const tokens = t * Math.ceil(8 / t);
  const x = made_numbers(8, tokens, HIDDEN).map((row) => row.map((v) => 2 * v));
  const whole = unsharded(x, w, parallel);
  const away = [];
  const own = (a, rank) => (sp ? a.slice((rank * tokens) / t, ((rank + 1) * tokens) / t) : a);
  const compare = (parts, places) => away.push(parts.reduce((most, part, i) => Math.max(most, furthest(part, places[i])), 0));
  const enter = (what, stream, name) => {
    const normed = stream.map(rms_norm);
    const full = sp ? ranks.all_gather(what, normed) : normed;
    compare(full, full.map(() => whole[name]));
    return full;
  };
  const summed = (partial, name) => compare([partial.slice(1).reduce(add, partial[0])], [whole[`${name} added`]]);
  const leave = (what, stream, partial, name) => {
    summed(partial, name);
    const met = (sp ? ranks.reduce_scatter : ranks.all_reduce)(what, partial);
    const after = stream.map((part, r) => add(part, met[r]));
    compare(after, after.map((_, r) => own(whole[name], r)));
    return after;
  };
  const sliced = (parts, name, cut) => compare(parts, mine.map((m) => columns(whole[name], ...m[cut])));
  const attention = (n1) => {
    const [q, k, v] = [["q", "heads"], ["k", "kv"], ["v", "kv"]].map(([name, cut]) => mine.map((m, r) => matmul(n1[r], columns(w[name], ...m[cut]))));
    sliced(q, "q", "heads");
    const a = mine.map((m, r) => attend(q[r], k[r], v[r], m.groups));
    sliced(a, "a", "heads");
    return mine.map((m, r) => matmul(a[r], w.o.slice(...m.heads)));
  };
  const mlp = (n2) => {
    const up = mine.map((m, r) => matmul(n2[r], columns(w.up, ...m.mlp)));
    sliced(up, "up", "mlp");
    const h = mine.map((m, r) => activate(n2[r], columns(w.gate, ...m.mlp), up[r], gated));
    sliced(h, "h", "mlp");
    return mine.map((m, r) => matmul(h[r], w.down.slice(...m.mlp)));
  };
  const stream = range(t).map((r) => own(x, r));
  if (parallel) {
    const n1 = enter("mlp", stream, "n1");
    const first = attention(n1);
    [0, 0].forEach(() => summed(first, "y"));
    compare(n1, n1.map(() => whole.n2));
    const second = mlp(n1);
    leave("mlp", stream, first.map((part, r) => add(part, second[r])), "z");
  } else {
    const y = leave("attention", stream, attention(enter("attention", stream, "n1")), "y");
    leave("mlp", y, mlp(enter("mlp", y, "n2")), "z");
  }
  return { away, log: ranks.log, tokens, largest: whole.z.reduce((most, row) => row.reduce((m, b) => Math.max(m, Math.abs(b)), most), 0) };
});
