/* Five update rules over a list of writes, token by token and in chunks: rules.py and reference.py, in plain loops. */
const delta = (() => {
  const D = 8;
  const zeros = () => Array.from({ length: D }, () => new Array(D).fill(0));
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const read = (S, q) => S[0].map((_, j) => S.reduce((sum, row, i) => sum + row[j] * q[i], 0));

  const keys = (overlap) => {
    const base = Math.sqrt(1 - overlap);
    const lean = (Math.sqrt(1 + 7 * overlap) - base) / 8;
    return zeros().map((row, i) => row.map((_, j) => (i === j ? base : 0) + lean));
  };
  const value = (bits) => Array.from({ length: D }, (_, j) => ((bits >> (7 - j)) & 1 ? 1 : -1));
  const channels = (decay, spread) => Array.from({ length: D }, (_, c) => decay ** (1 + spread * ((2 * c) / (D - 1) - 1)));
  const decays = (rule, decay, alphas) => (rule.decay === "channel" ? alphas : new Array(D).fill(rule.decay === "scalar" ? decay : 1));

  const recurrent = (rule, k, v, alpha, beta) => {
    let S = zeros();
    const states = [S];
    const outputs = k.map((key, t) => {
      S = S.map((row, i) => row.map((x) => alpha[i] * x));
      const now = read(S, key);
      const written = v[t].map((x, j) => (rule.delta ? beta * (x - now[j]) : x));
      S = S.map((row, i) => row.map((x, j) => x + key[i] * written[j]));
      states.push(S);
      return read(S, key);
    });
    return { states, outputs };
  };

  const one_chunk = (rule, S, k, v, alpha, beta) => { // U solves (I + b strict lower(A)) U = b (V - faded K S)
    const n = k.length;
    const fade = (key, steps) => key.map((x, d) => x * alpha[d] ** steps);
    const seen = k.map((a, i) => k.map((b, j) => (j <= i ? dot(a, fade(b, i - j)) : 0)));
    const written = [];
    for (let i = 0; i < n; i += 1) {
      let u = v[i];
      if (rule.delta) {
        const before = read(S, fade(k[i], i + 1));
        u = v[i].map((x, c) => {
          let sum = x - before[c];
          for (let j = 0; j < i; j += 1) sum -= seen[i][j] * written[j][c];
          return beta * sum;
        });
      }
      written.push(u);
    }
    const outputs = k.map((key, i) => {
      const o = read(S, fade(key, i + 1));
      for (let j = 0; j <= i; j += 1) written[j].forEach((u, c) => { o[c] += seen[i][j] * u; });
      return o;
    });
    const after = S.map((row, d) => row.map((x, c) => {
      let sum = alpha[d] ** n * x;
      for (let j = 0; j < n; j += 1) sum += alpha[d] ** (n - 1 - j) * k[j][d] * written[j][c];
      return sum;
    }));
    return { after, outputs };
  };
  const chunked = (rule, k, v, alpha, beta, size) => {
    let S = zeros();
    const outputs = [];
    for (let from = 0; from < k.length; from += size) {
      const part = one_chunk(rule, S, k.slice(from, from + size), v.slice(from, from + size), alpha, beta);
      S = part.after;
      outputs.push(...part.outputs);
    }
    return { last: S, outputs };
  };

  const latest = (pairs, t) => {
    const out = new Array(D).fill(null);
    for (const [key, bits] of pairs.slice(0, t)) out[key] = bits;
    return out;
  };
  const recall_errors = (S, all, target) => all.map((key, i) => {
    if (target[i] === null) return null;
    const wrong = value(target[i]);
    return Math.sqrt(read(S, key).reduce((sum, x, j) => sum + (x - wrong[j]) ** 2, 0)) / Math.sqrt(D);
  });
  const mean = (errors) => {
    const there = errors.filter((e) => e !== null);
    return there.length ? there.reduce((a, b) => a + b, 0) / there.length : 0;
  };
  const furthest = (a, b) => a.flat().reduce((most, x, i) => Math.max(most, Math.abs(x - b.flat()[i])), 0);

  const pairs_of = (writes) => Array.from({ length: writes.length / 2 }, (_, i) => [writes[2 * i], writes[2 * i + 1]]);

  const trace = (state, data) => { // everything that does not depend on the step
    const pairs = pairs_of(state.writes);
    const all = keys(state.overlap);
    const [k, v] = [pairs.map(([key]) => all[key]), pairs.map(([, bits]) => value(bits))];
    const alphas = channels(state.decay, state.spread);
    const targets = Array.from({ length: pairs.length + 1 }, (_, t) => latest(pairs, t));
    const found = Object.fromEntries(data.rules.map((rule) => {
      const alpha = decays(rule, state.decay, alphas);
      const { states, outputs } = recurrent(rule, k, v, alpha, state.beta);
      const { last, outputs: again } = chunked(rule, k, v, alpha, state.beta, state.chunk);
      const errors = states.map((S, t) => recall_errors(S, all, targets[t]));
      return [rule.name, { states, errors, last, apart: Math.max(furthest(states.at(-1), last), furthest(outputs, again)) }];
    }));
    return { pairs, all, alphas, targets, found };
  };

  const compute = (state, data) => {
    const { pairs, all, alphas, targets, found } = trace(state, data);
    const t = state.step;
    const rules = Object.entries(found).map(([name, { states, errors, last, apart }]) => [name, {
      state: states[t], recall: all.map((key) => read(states[t], key)), errors: errors[t], error: mean(errors[t]),
      history: errors.map(mean), last_state: states.at(-1), chunked_state: last, apart,
    }]);
    return {
      keys: all, alphas, targets: targets[t].map((bits) => (bits === null ? null : value(bits))),
      writes: pairs.length, chunks: Math.ceil(pairs.length / state.chunk), rules: Object.fromEntries(rules),
    };
  };

  const between = (v, low, high) => typeof v === "number" && Number.isFinite(v) && v >= low && v <= high;
  const whole = (v, low, high) => between(v, low, high) && Number.isInteger(v);
  const check = (state, data) => {
    const { writes } = state;
    const count = writes.length / 2;
    if (writes.length % 2 || count > data.most) return `The writes are pairs of a key and a value, at most ${data.most} of them.`;
    if (!writes.every((n, i) => whole(n, 0, i % 2 ? 255 : 7))) return "A key is a number from 0 (A) to 7 (H), a value one from 0 to 255.";
    if (!whole(state.step, 0, count)) return `The step is a whole number from 0 to ${count}, the number of writes.`;
    for (const [name, low, high] of [["overlap", 0, 0.9], ["beta", 0, 1], ["decay", 0, 1], ["spread", 0, 1]]) {
      if (!between(state[name], low, high)) return `${name} is a number from ${low} to ${high}.`;
    }
    const chunks = data.chunks;
    if (!chunks.includes(state.chunk)) return `A chunk has ${chunks.slice(0, -1).join(", ")} or ${chunks.at(-1)} writes.`;
    const names = data.rules.map((r) => r.name);
    if (!names.includes(state.rule)) return `There is no rule “${state.rule}”. There are: ${names.join(", ")}.`;
    return whole(state.query, 0, 7) ? "" : "The key to read is a number from 0 (A) to 7 (H).";
  };
  return { compute, check, trace, read, value, mean, pairs_of };
})();
export function compute(state, data) { return delta.compute(state, data); }
export function check(state, data) { return delta.check(state, data); }
