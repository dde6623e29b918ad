/* Twin of router.py: logits of 4,096 tokens, choices, and a bias that levels the load. */
const [TOKENS, BATCH, NODES, SPREAD] = [4096, 512, 8, 1.3];
const [LIKED, WALL, FRESH] = [2 ** 20 + 18, 2 ** 21, TOKENS];
const upto = (n) => Array.from({ length: n }, (_, i) => i);
const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/* The last few results of a function of plain arguments. */
const remembered = (fn, most = 3) => {
  const known = new Map();
  return (...given) => {
    const key = given.join();
    if (!known.has(key)) {
      if (known.size >= most) known.delete(known.keys().next().value);
      known.set(key, fn(...given));
    }
    return known.get(key);
  };
};

const logits_of = (first, rows, experts, skew) => {
  const [liked, made] = [normal(LIKED, 1, experts), normal(first, rows, experts)];
  for (let i = 0; i !== made.length; i += 1) made[i] = skew * liked[i % experts] + SPREAD * made[i];
  return made;
};
const logits = remembered((experts, skew) => logits_of(0, TOKENS, experts, skew));
const scores = remembered((experts, skew) => logits(experts, skew).map(sigmoid));
const probable = remembered((experts, skew) => {
  const [all, sums] = [scores(experts, skew).map((s) => s / (1 - s)), new Float64Array(experts)]; // e to the logit
  for (let t = 0; t !== all.length; t += experts) {
    let whole = 0;
    for (let e = 0; e !== experts; e += 1) whole += all[t + e];
    for (let e = 0; e !== experts; e += 1) sums[e] += all[t + e] / whole;
  }
  return sums.map((sum) => sum / TOKENS);
});

/* What each group counts as: its two best together. */
const marks_of = (ranked, at, experts, groups) => {
  const size = experts / groups;
  const marks = [];
  for (let g = 0; g !== groups; g += 1) {
    let first = -Infinity;
    let second = -Infinity;
    for (let i = at + g * size; i !== at + (g + 1) * size; i += 1) {
      const v = ranked[i];
      if (v > first) { second = first; first = v; } else if (v > second) second = v;
    }
    marks.push(size > 1 ? second + first : first);
  }
  return marks;
};
const largest = (values, k) => upto(values.length).sort((a, b) => values[b] - values[a] || a - b).slice(0, k);

/* rows x k experts, the largest first, of equals the first; `bias` is added for the choice alone. */
const chosen = (given, experts, k, kept, bias, groups = NODES) => {
  const rows = given.length / experts;
  const [choice, best, ranked] = [new Int32Array(rows * k), new Float64Array(k), new Float64Array(experts)];
  const size = experts / groups;
  for (let row = 0; row !== rows; row += 1) {
    for (let e = 0; e !== experts; e += 1) ranked[e] = given[row * experts + e] + (bias ? bias[e] : 0);
    if (groups > kept) {
      const marks = marks_of(ranked, 0, experts, groups);
      for (let out = kept; out !== groups; out += 1) {
        let least = 0;
        for (let g = 1; g !== groups; g += 1) if (marks[least] >= marks[g]) least = g;
        marks[least] = Infinity;
        ranked.fill(-Infinity, least * size, (least + 1) * size);
      }
    }
    best.fill(-Infinity);
    for (let e = 0; e !== experts; e += 1) {
      const v = ranked[e];
      if (!(v > best[k - 1])) continue;
      let at = k - 1;
      while (at > 0 && v > best[at - 1]) { best[at] = best[at - 1]; choice[row * k + at] = choice[row * k + at - 1]; at -= 1; }
      best[at] = v;
      choice[row * k + at] = e;
    }
  }
  return choice;
};
const counted = (choice, experts) => {
  const found = new Int32Array(experts);
  for (const e of choice) found[e] += 1;
  return found;
};

const bf16 = (x) => {
  const [near, bits] = [new Float32Array(x), new Uint32Array(x.length)];
  const whole = new Uint32Array(near.buffer);
  for (let i = 0; i !== bits.length; i += 1) bits[i] = ((whole[i] + 0x7fff + ((whole[i] >>> 16) & 1)) & 0xffff0000) >>> 0;
  return new Float64Array(new Float32Array(bits.buffer));
};
const flips = remembered((experts, k, skew) => {
  const exact = logits(experts, skew);
  const [one, other] = [exact, bf16(exact)].map((x) => chosen(x, experts, k, NODES));
  let differ = 0;
  for (let t = 0; t !== TOKENS; t += 1) {
    const met = one.subarray(t * k, t * k + k);
    for (let i = t * k; i !== t * k + k; i += 1) if (!met.includes(other[i])) { differ += 1; break; }
  }
  return differ;
}, 8);

/* All biases so far of a walk, and on to the one that is asked for. */
const walk = remembered((experts) => [new Float64Array(experts)], 8);
const balance = (experts, k, kept, skew, step, updates) => {
  const walked = walk(experts, k, kept, skew, step);
  while (updates >= walked.length) {
    const last = walked.at(-1);
    const fresh = logits_of(FRESH + BATCH * (walked.length - 1), BATCH, experts, skew).map(sigmoid);
    const got = counted(chosen(fresh, experts, k, kept, last), experts);
    walked.push(last.map((b, e) => b + step * Math.sign((BATCH * k) / experts - got[e])));
  }
  return walked[updates];
};

const wall_of = remembered((layers, experts, k, groups, kept) => {
  const all = chosen(normal(WALL, layers, experts).map(sigmoid), experts, k, kept, null, groups);
  return upto(layers).map((i) => [...all.subarray(i * k, i * k + k)]);
}, 8);
