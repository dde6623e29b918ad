/* A mesh of ranks that send: gallery/mesh again, name for name, and the same log; a test holds the two together.
   kit.mesh({ pp: 2, dp: 2, tp: 4 }, 8, { edp: 2, ep: 4, etp: 1 })   ranks, group(rank, axis), groups(axis), place, node, link(a, b)
   kit.schedule(op, algorithm, n, root, local)      { steps: [{ phase, sends, frees, first }], order }; a send is
                                                    { source, destination, chunk, into, adds }
   kit.carry_out(plan, held, seen)                  runs it on held[rank][slot], in place; seen(step, chunks sent)
   kit.network(mesh, algorithm)                     { log, time(), all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, send }
   A part is a typed array, or a list of rows that are; a move is { time, source, destination, tensor, bytes, axis, link }. */
kit.upto = (n) => Array.from({ length: n }, (_, i) => i);
kit.mod = (a, n) => ((a % n) + n) % n;

kit.mesh = (axes, per_node, experts = {}) => {
  const product = (fold) => Object.values(fold).reduce((a, b) => a * b, 1);
  const inner = Object.keys(experts).length ? { ...(axes.pp ? { pp: axes.pp } : {}), ...experts } : axes;
  const folds = [axes, inner];
  const [size, there] = folds.map(product);
  const wrong = [...Object.entries(axes), ...Object.entries(experts)].filter(([, many]) => many - 1 < 0);
  if (wrong.length || per_node - 1 < 0) throw new Error("An axis has at least 1 rank and a node at least 1 device.");
  if (there !== size) throw new Error(`The axes are ${size} ranks, the experts' axes ${there}.`);
  const fold = (axis) => folds.find((one) => axis in one);
  const length = (axis) => (fold(axis) || { [axis]: 1 })[axis];
  const stride = (axis) => {
    const names = Object.keys(fold(axis));
    return names.slice(names.indexOf(axis) + 1).reduce((by, name) => by * fold(axis)[name], 1);
  };
  const place = (rank, axis) => (length(axis) > 1 ? Math.floor(rank / stride(axis)) % length(axis) : 0);
  const group = (rank, axis) => {
    if (length(axis) === 1) return [rank];
    return kit.upto(length(axis)).map((i) => rank + (i - place(rank, axis)) * stride(axis));
  };
  const node = (rank) => Math.floor(rank / per_node);
  const ranks = kit.upto(size);
  const neighbours = (members) => {
    const nodes = members.map(node);
    const first = nodes.filter((one) => one === nodes[0]).length;
    const even = nodes.every((one, i) => one === nodes[i - (i % first)]);
    return even && new Set(nodes).size * first === members.length ? first : 0;
  };
  return {
    axes, experts, per_node, size, ranks, length, stride, place, group, node, neighbours,
    groups: (axis) => ranks.filter((rank) => place(rank, axis) === 0).map((rank) => group(rank, axis)),
    link: (a, b) => (node(a) === node(b) ? "inside" : "outside"),
  };
};

/* ---------------------------------------------------------------- schedules.py and two_levels.py */
kit.distances = (n) => kit.upto(Math.ceil(Math.log2(n))).map((k) => 2 ** k);
kit.step_of = (phase, sends, { adds = false, frees = false, first = false } = {}) => ({
  phase, frees, first, sends: sends.map(([source, destination, chunk, into = chunk]) => ({ source, destination, chunk, into, adds })),
});
kit.summed = (sends) => kit.step_of("reduce-scatter", sends, { adds: true, frees: true });
kit.whole_of = (pairs, n) => kit.step_of("broadcast", pairs.flatMap(([a, b]) => kit.upto(n).map((c) => [a, b, c])));
kit.doubling = (n, root) => kit.distances(n).reverse().map((d) => (
  kit.upto(n).filter((i) => i % (2 * d) === 0 && i + d - n < 0).map((i) => [(root + i) % n, (root + i + d) % n])));

/* at(node, place) -> rank or slot; ranks as [node, place]. */
kit.levels = (n, local) => ({
  nodes: n / local, ranks: kit.upto(n).map((i) => [Math.floor(i / local), i % local]),
  at: (node, place) => kit.mod(node, n / local) * local + kit.mod(place, local),
});
/* [steps round the ring of nodes, steps round each node]: each passes on what it got, chunk `late` places behind. */
kit.rings = (n, local, late, step) => {
  const { nodes, ranks, at } = kit.levels(n, local);
  return [
    kit.upto(nodes - 1).map((j) => step(ranks.map(([a, b]) => [at(a, b), at(a + 1, b), at(a - j - late, b)]))),
    kit.upto(local - 1).map((j) => step(ranks.flatMap(([a, b]) => kit.upto(nodes).map((x) => [at(a, b), at(a, b + 1), at(x, b - j - late)])))),
  ];
};
kit.growing = (n, local) => kit.rings(n, local, 0, (sends) => kit.step_of("all-gather", sends)).flat();
kit.shrinking = (n, local) => kit.rings(n, local, 1, kit.summed).reverse().flat();
kit.exchanging = (n, local) => {
  const { nodes, ranks, at } = kit.levels(n, local);
  const step = (sends) => kit.step_of("exchange", sends, { frees: true });
  return [
    ...kit.upto(nodes).slice(1).map((d) => step(ranks.flatMap(([a, b]) => kit.upto(local).map((y) => [at(a, b), at(a + d, b), at(a + d, y), at(a + 2 * d, y)])))),
    ...kit.upto(local).slice(1).map((d) => step(ranks.flatMap(([a, b]) => kit.upto(nodes).map((x) => [at(a, b), at(a, b + d), at(x, b + d), at(x, b + 2 * d)])))),
  ];
};
kit.broadcasting = (n, local, root) => {
  const { nodes, at } = kit.levels(n, local);
  const [node, place] = [Math.floor(root / local), root % local];
  return [
    ...kit.doubling(nodes, node).map((pairs) => kit.whole_of(pairs.map(([a, b]) => [at(a, place), at(b, place)]), n)),
    ...kit.doubling(local, place).map((pairs) => kit.whole_of(kit.upto(nodes).flatMap((x) => pairs.map(([a, b]) => [at(x, a), at(x, b)])), n)),
  ];
};

kit.direct = {
  "reduce-scatter": (n) => kit.upto(n).slice(1).map((d) => kit.summed(kit.upto(n).map((i) => [i, (i + d) % n, (i + d) % n]))),
  "all-gather": (n) => kit.upto(n).slice(1).map((d) => kit.step_of("all-gather", kit.upto(n).map((i) => [i, (i + d) % n, i]))),
  "all-reduce": (n) => kit.upto(n).slice(1).map((d) => kit.step_of("everyone to everyone", kit.upto(n).flatMap((i) => kit.upto(n).map((c) => [i, (i + d) % n, c])), { adds: true, first: true })),
  "all-to-all": (n) => kit.exchanging(n, n),
  broadcast: (n, root) => kit.upto(n).slice(1).map((d) => kit.whole_of([[root, (root + d) % n]], n)),
};
kit.tree = {
  "reduce-scatter": (n) => kit.distances(n).reverse().map((d) => kit.summed(kit.upto(n).flatMap((i) => kit.upto(Math.min(d, n - d)).map((k) => [i, (i + d) % n, (i + d + k) % n])))),
  "all-gather": (n) => kit.distances(n).map((d) => kit.step_of("all-gather", kit.upto(n).flatMap((i) => kit.upto(Math.min(d, n - d)).map((k) => [i, kit.mod(i - d, n), (i + k) % n])))),
  "all-reduce": (n) => [
    ...kit.distances(n).map((d) => kit.step_of("reduce to rank 0", kit.upto(n).filter((i) => i % (2 * d) === d).flatMap((i) => kit.upto(n).map((c) => [i, i - d, c])), { adds: true, frees: true })),
    ...kit.tree.broadcast(n, 0),
  ],
  "all-to-all": (n) => kit.distances(n).map((hop) => kit.step_of("exchange", kit.upto(n).flatMap((i) => (
    kit.upto(n).filter((d) => d & hop).map((d) => [i, (i + hop) % n, (i + d) % n, (i + hop + d) % n]))), { frees: true })),
  broadcast: (n, root) => kit.doubling(n, root).map((pairs) => kit.whole_of(pairs, n)),
};
kit.ring = {
  "reduce-scatter": (n) => kit.shrinking(n, 1),
  "all-gather": (n) => kit.growing(n, 1),
  "all-reduce": (n) => [...kit.shrinking(n, 1), ...kit.growing(n, 1)],
  "all-to-all": (n) => kit.upto(n - 1).map((t) => kit.step_of("pass on", kit.upto(n).flatMap((i) => kit.upto(n - t).slice(1).map((k) => {
    const [to, goal] = [(i + 1) % n, (i + k) % n];
    return [i, to, goal, goal === to ? kit.mod(i - t, n) : goal];
  })), { frees: true })),
  broadcast: (n, root) => kit.upto(2 * n - 2).map((t) => (
    kit.step_of("broadcast", kit.upto(n - 1).filter((h) => t - h >= 0 && t - h - n < 0).map((h) => [(root + h) % n, (root + h + 1) % n, t - h])))),
};
kit.hierarchical = {
  "reduce-scatter": (n, root, local) => kit.shrinking(n, local),
  "all-gather": (n, root, local) => kit.growing(n, local),
  "all-reduce": (n, root, local) => [...kit.shrinking(n, local), ...kit.growing(n, local)],
  "all-to-all": (n, root, local) => kit.exchanging(n, local),
  broadcast: (n, root, local) => kit.broadcasting(n, local, root),
};
kit.schedule = (op, algorithm, n, root = 0, local = 0) => {
  const steps = { ring: kit.ring, tree: kit.tree, direct: kit.direct, hierarchical: kit.hierarchical }[algorithm]?.[op];
  if (!steps) throw new Error(`There is no ${algorithm} ${op}.`);
  if (algorithm === "hierarchical" && (!local || n % local)) throw new Error(`${n} ranks in equal parts on nodes were looked for, to go from node to node.`);
  const order = op === "all-to-all" && algorithm !== "ring" ? (algorithm === "hierarchical" ? local : n) : 0;
  return { steps: steps(n, root, local), order, tidy: kit.tidy };
};
kit.tidy = (order, held) => held.forEach((slots, rank) => {
  const was = slots.slice();
  was.forEach((chunk, slot) => { slots[kit.slot_of(order, rank, slot, held.length)] = chunk; });
});
kit.slot_of = (order, rank, slot, n) => {
  const [node, place, above, beside] = [Math.floor(rank / order), rank % order, Math.floor(slot / order), slot % order];
  return kit.mod(2 * node - above, n / order) * order + kit.mod(2 * place - beside, order);
};

/* ---------------------------------------------------------------- network.py */
kit.add_up = (a, b) => a.map((x, i) => (typeof x === "number" ? x + b[i] : kit.add_up(x, b[i])));
kit.bytes_of = (part) => part.byteLength ?? part.reduce((sum, row) => sum + row.byteLength, 0);

kit.carry_out = (plan, held, seen = () => {}) => {
  const start = held.map((slots) => slots.slice());
  for (const step of plan.steps) {
    const from = step.first ? start : held;
    const sent = step.sends.map((send) => from[send.source][send.chunk]);
    if (step.frees) for (const send of step.sends) held[send.source][send.chunk] = null;
    step.sends.forEach((send, i) => {
      const there = send.adds ? held[send.destination][send.into] : null;
      held[send.destination][send.into] = there ? kit.add_up(there, sent[i]) : sent[i];
    });
    seen(step, sent);
  }
  if (plan.order) plan.tidy(plan.order, held);
};

kit.network = (mesh, usual = "ring") => {
  const log = [];
  let now = 0;
  const mapped = (parts, fn) => Object.fromEntries(Object.entries(parts).map(([rank, part]) => [rank, fn(part, Number(rank))]));
  const record = (time, source, destination, tensor, chunk, axis) => {
    const bytes = kit.bytes_of(chunk);
    if (bytes) log.push({ time, source, destination, tensor, bytes, axis, link: mesh.link(source, destination) });
  };
  const groups_of = (held, axis) => {
    const firsts = [...new Set(Object.keys(held).map((rank) => mesh.group(Number(rank), axis)[0]))].sort((a, b) => a - b);
    const groups = firsts.map((rank) => mesh.group(rank, axis));
    const away = groups.flat().filter((rank) => !(rank in held));
    if (away.length) throw new Error(`Ranks ${away.join(", ")} of ${axis} do not take part; a group meets whole.`);
    return groups;
  };
  const run = (op, slots, axis, tensor, algorithm, root = 0) => {
    const held = mapped(slots, (own) => own.slice());
    let longest = 0;
    for (const group of groups_of(held, axis)) {
      const plan = kit.schedule(op, algorithm, group.length, root, algorithm === "hierarchical" ? mesh.neighbours(group) : 0);
      let done = 0;
      kit.carry_out(plan, group.map((rank) => held[rank]), (step, sent) => {
        done += 1;
        step.sends.forEach((send, i) => record(now + done, group[send.source], group[send.destination], tensor, sent[i], axis));
      });
      longest = Math.max(longest, done);
    }
    now += longest;
    return held;
  };
  const full = (slots) => {
    if (slots.some((chunk) => !chunk)) throw new Error("A slot is empty after a collective.");
    return slots;
  };
  const equal = (part, n) => {
    if (part.length % n) throw new Error(`${part.length} are no ${n} equal parts.`);
    return kit.upto(n).map((i) => part.slice((i * part.length) / n, ((i + 1) * part.length) / n));
  };
  const joined = (chunks) => {
    if (chunks[0].byteLength === undefined) return chunks.flat();
    const out = new chunks[0].constructor(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    chunks.reduce((at, chunk) => { out.set(chunk, at); return at + chunk.length; }, 0);
    return out;
  };
  const slots_of = (parts, axis, fill) => mapped(parts, (part, rank) => kit.upto(mesh.length(axis)).map((slot) => fill(part, slot, mesh.place(rank, axis))));
  const flat = (part) => (part.byteLength === undefined ? joined(part) : part);
  const shaped = (numbers, like) => {
    if (like.byteLength !== undefined) return numbers;
    let at = 0;
    return like.map((row) => numbers.slice(at, (at += row.length)));
  };
  const chunks_of = (part, n) => {
    const numbers = flat(part);
    const [each, more] = [Math.floor(numbers.length / n), numbers.length % n];
    const from = (i) => i * each + Math.min(i, more);
    return kit.upto(n).map((i) => numbers.slice(from(i), from(i + 1)));
  };
  return {
    mesh, log, time: () => now,
    all_gather: (parts, axis, tensor, algorithm = usual) => {
      const done = run("all-gather", slots_of(parts, axis, (part, slot, place) => (slot === place ? part : null)), axis, tensor, algorithm);
      return mapped(done, (own) => joined(full(own)));
    },
    reduce_scatter: (parts, axis, tensor, algorithm = usual) => {
      const done = run("reduce-scatter", mapped(parts, (part) => equal(part, mesh.length(axis))), axis, tensor, algorithm);
      return mapped(done, (own, rank) => full([own[mesh.place(rank, axis)]])[0]);
    },
    all_reduce: (parts, axis, tensor, algorithm = usual) => {
      const done = run("all-reduce", mapped(parts, (part) => chunks_of(part, mesh.length(axis))), axis, tensor, algorithm);
      return mapped(done, (own, rank) => shaped(joined(full(own)), parts[rank]));
    },
    all_to_all: (parts, axis, tensor, algorithm = "direct") => mapped(run("all-to-all", parts, axis, tensor, algorithm), full),
    broadcast: (parts, axis, tensor, root = 0, algorithm = usual) => {
      const n = mesh.length(axis);
      const done = run("broadcast", mapped(parts, (part, rank) => (mesh.place(rank, axis) === root ? chunks_of(part, n) : kit.upto(n).map(() => null))), axis, tensor, algorithm, root);
      return mapped(done, (own, rank) => shaped(joined(full(own)), parts[mesh.group(rank, axis)[root]]));
    },
    send: (parts, to, axis, tensor) => {
      const pairs = Object.entries(to).map(([source, destination]) => [Number(source), destination]);
      for (const [source, destination] of pairs) if (source !== destination) record(now + 1, source, destination, tensor, parts[source], axis);
      now += 1;
      return Object.fromEntries(pairs.map(([source, destination]) => [destination, parts[source]]));
    },
  };
};
