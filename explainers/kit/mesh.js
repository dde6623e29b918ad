/* A mesh of ranks and the collectives on it: axes and their sizes -> groups, schedules of sends, a network with a log of
   what was sent. gallery/mesh again, name for name, and the same log; a test holds the two together. */
import { modulo, upto } from "./arrays.js";

/**
 * A mesh of ranks, laid out over axes, the last of which varies fastest.
 * @typedef {object} Mesh
 * @property {Axes} axes
 * @property {Axes} experts the other fold of the same ranks, for experts
 * @property {number} per_node devices of a node
 * @property {number} size
 * @property {number[]} ranks
 * @property {(axis: string) => number} length 1 for an axis that the mesh has not
 * @property {(axis: string) => number} stride how far apart neighbours along an axis are
 * @property {(rank: number, axis: string) => number} place where a rank is along an axis
 * @property {(rank: number, axis: string) => number[]} group the ranks that differ from it along an axis alone
 * @property {(axis: string) => number[][]} groups
 * @property {(rank: number) => number} node
 * @property {(members: number[]) => number} neighbours how many ranks of a group each of its nodes has; 0 if not equally many
 * @property {(a: number, b: number) => Link} link
 */

/** The size of every axis, outermost first. @typedef {{ [axis: string]: number }} Axes */

/** Whether a send stays inside a node. @typedef {"inside" | "outside"} Link */

/**
 * A chunk on its way: `source` sends what its slot `chunk` holds to the slot `into` of `destination`, which adds it or keeps
 * it.
 * @typedef {{ source: number, destination: number, chunk: number, into: number, adds: boolean }} Send
 */

/**
 * Sends at the same time. `frees`: who sends keeps nothing; `first`: what is sent is what was there before all steps.
 * @typedef {{ phase: string, sends: Send[], frees: boolean, first: boolean }} Step
 */

/**
 * The steps of a collective. Where `order` is not 0, `tidy` puts the slots of all-to-all in order at the end.
 * @typedef {{ steps: Step[], order: number, tidy?: typeof tidy }} Schedule
 */

/** A collective. @typedef {"reduce-scatter" | "all-gather" | "all-reduce" | "all-to-all" | "broadcast"} Operation */

/** @typedef {"ring" | "tree" | "direct" | "hierarchical"} Algorithm */

/** The steps on n ranks, `local` of them on each node. @typedef {(n: number, root: number, local: number) => Step[]} Plan */

/** What a rank holds of a tensor: numbers, or rows of them. @typedef {Numbers | Numbers[]} Part */

/** @typedef {Float64Array | Float32Array} Numbers */

/**
 * What was sent when, of which tensor, along which axis.
 * @typedef {{
 *   time: number,
 *   source: number,
 *   destination: number,
 *   tensor: string,
 *   bytes: number,
 *   axis: string,
 *   link: Link,
 * }} Move
 */

/**
 * A mesh of ranks: `makeMesh({ pp: 2, dp: 2, tp: 4 }, 8, { edp: 2, ep: 4, etp: 1 })`.
 * @param {Axes} axes
 * @param {number} per_node
 * @param {Axes} [experts] the axes of the same ranks (but for pp) in layers of experts
 * @returns {Mesh}
 */
export const makeMesh = (axes, per_node, experts = {}) => {
  /** @param {Axes} fold */
  const product = (fold) => Object.values(fold).reduce((a, b) => a * b, 1);
  /** @type {Axes} */
  const inner = Object.keys(experts).length ? { ...(axes.pp ? { pp: axes.pp } : {}), ...experts } : axes;
  const folds = [axes, inner];
  const [size, there] = folds.map(product);
  const wrong = [...Object.entries(axes), ...Object.entries(experts)].filter(([, many]) => many - 1 < 0);
  if (wrong.length || per_node - 1 < 0) throw new Error("An axis has at least 1 rank and a node at least 1 device.");
  if (there !== size) throw new Error(`The axes are ${size} ranks, the experts' axes ${there}.`);
  /** @param {string} axis */
  const fold = (axis) => folds.find((one) => axis in one) || { [axis]: 1 };
  /** @param {string} axis */
  const length = (axis) => fold(axis)[axis];
  /** @param {string} axis */
  const stride = (axis) => {
    const names = Object.keys(fold(axis));
    return names.slice(names.indexOf(axis) + 1).reduce((by, name) => by * fold(axis)[name], 1);
  };
  /** @type {Mesh["place"]} */
  const place = (rank, axis) => (length(axis) > 1 ? Math.floor(rank / stride(axis)) % length(axis) : 0);
  /** @type {Mesh["group"]} */
  const group = (rank, axis) => {
    if (length(axis) === 1) return [rank];
    return upto(length(axis)).map((i) => rank + (i - place(rank, axis)) * stride(axis));
  };
  /** @param {number} rank */
  const node = (rank) => Math.floor(rank / per_node);
  const ranks = upto(size);
  /** @param {number[]} members */
  const neighbours = (members) => {
    const nodes = members.map(node);
    const first = nodes.filter((one) => one === nodes[0]).length;
    const even = nodes.every((one, i) => one === nodes[i - (i % first)]);
    return even && new Set(nodes).size * first === members.length ? first : 0;
  };
  return {
    axes,
    experts,
    per_node,
    size,
    ranks,
    length,
    stride,
    place,
    group,
    node,
    neighbours,
    groups: (axis) => ranks.filter((rank) => place(rank, axis) === 0).map((rank) => group(rank, axis)),
    link: (a, b) => (node(a) === node(b) ? "inside" : "outside"),
  };
};

/* ---------------------------------------------------------------- schedules.py and two_levels.py */

/**
 * 1, 2, 4 … below n.
 * @param {number} n
 */
export const distances = (n) => upto(Math.ceil(Math.log2(n))).map((k) => 2 ** k);

/**
 * One step of sends that are written [source, destination, chunk, into].
 * @param {string} phase
 * @param {number[][]} sends
 * @param {{ adds?: boolean, frees?: boolean, first?: boolean }} [flags]
 * @returns {Step}
 */
export const stepOf = (phase, sends, { adds = false, frees = false, first = false } = {}) => ({
  phase,
  frees,
  first,
  sends: sends.map(([source, destination, chunk, into = chunk]) => ({ source, destination, chunk, into, adds })),
});

/**
 * A step of a reduce-scatter: what is sent is added.
 * @param {number[][]} sends
 */
export const summed = (sends) => stepOf("reduce-scatter", sends, { adds: true, frees: true });

/**
 * A step of a broadcast that sends all n chunks between pairs of ranks.
 * @param {number[][]} pairs
 * @param {number} n
 */
export const wholeOf = (pairs, n) =>
  stepOf(
    "broadcast",
    pairs.flatMap(([a, b]) => upto(n).map((c) => [a, b, c])),
  );

/**
 * Who sends to whom so that n ranks have what the root has, twice as many after each step.
 * @param {number} n
 * @param {number} root
 * @returns {number[][][]}
 */
export const doubling = (n, root) =>
  distances(n)
    .reverse()
    .map((d) =>
      upto(n)
        .filter((i) => i % (2 * d) === 0 && i + d - n < 0)
        .map((i) => [(root + i) % n, (root + i + d) % n]),
    );

/**
 * n ranks as nodes of `local`: each as [node, place]; at(node, place) is the rank, or the slot, round both rings.
 * @param {number} n
 * @param {number} local
 */
export const levels = (n, local) => ({
  nodes: n / local,
  ranks: upto(n).map((i) => [Math.floor(i / local), i % local]),
  at: (/** @type {number} */ node, /** @type {number} */ place) =>
    modulo(node, n / local) * local + modulo(place, local),
});

/**
 * [steps round the ring of nodes, steps round each node]: each rank passes on what it got, chunk `late` places behind.
 * @param {number} n
 * @param {number} local
 * @param {number} late
 * @param {(sends: number[][]) => Step} step
 */
export const rings = (n, local, late, step) => {
  const { nodes, ranks, at } = levels(n, local);
  return [
    upto(nodes - 1).map((j) => step(ranks.map(([a, b]) => [at(a, b), at(a + 1, b), at(a - j - late, b)]))),
    upto(local - 1).map((j) =>
      step(ranks.flatMap(([a, b]) => upto(nodes).map((x) => [at(a, b), at(a, b + 1), at(x, b - j - late)]))),
    ),
  ];
};

/**
 * An all-gather in rings: between nodes, then inside each.
 * @param {number} n
 * @param {number} local
 */
export const growing = (n, local) => rings(n, local, 0, (sends) => stepOf("all-gather", sends)).flat();

/**
 * A reduce-scatter in rings: inside each node, then between nodes.
 * @param {number} n
 * @param {number} local
 */
export const shrinking = (n, local) => rings(n, local, 1, summed).reverse().flat();

/**
 * An all-to-all: between nodes first, each rank with those of its own place, then inside each node.
 * @param {number} n
 * @param {number} local
 */
export const exchanging = (n, local) => {
  const { nodes, ranks, at } = levels(n, local);
  /** @param {number[][]} sends */
  const step = (sends) => stepOf("exchange", sends, { frees: true });
  return [
    ...upto(nodes)
      .slice(1)
      .map((d) =>
        step(
          ranks.flatMap(([a, b]) => upto(local).map((y) => [at(a, b), at(a + d, b), at(a + d, y), at(a + 2 * d, y)])),
        ),
      ),
    ...upto(local)
      .slice(1)
      .map((d) =>
        step(
          ranks.flatMap(([a, b]) => upto(nodes).map((x) => [at(a, b), at(a, b + d), at(x, b + d), at(x, b + 2 * d)])),
        ),
      ),
  ];
};

/**
 * A broadcast from a root: to one rank of every node, then inside each.
 * @param {number} n
 * @param {number} local
 * @param {number} root
 */
export const broadcasting = (n, local, root) => {
  const { nodes, at } = levels(n, local);
  const [node, place] = [Math.floor(root / local), root % local];
  return [
    ...doubling(nodes, node).map((pairs) =>
      wholeOf(
        pairs.map(([a, b]) => [at(a, place), at(b, place)]),
        n,
      ),
    ),
    ...doubling(local, place).map((pairs) =>
      wholeOf(
        upto(nodes).flatMap((x) => pairs.map(([a, b]) => [at(x, a), at(x, b)])),
        n,
      ),
    ),
  ];
};

/** Every rank to every other, without a detour. @type {Record<Operation, Plan>} */
export const direct = {
  "reduce-scatter": (n) =>
    upto(n)
      .slice(1)
      .map((d) => summed(upto(n).map((i) => [i, (i + d) % n, (i + d) % n]))),
  "all-gather": (n) =>
    upto(n)
      .slice(1)
      .map((d) =>
        stepOf(
          "all-gather",
          upto(n).map((i) => [i, (i + d) % n, i]),
        ),
      ),
  "all-reduce": (n) =>
    upto(n)
      .slice(1)
      .map((d) =>
        stepOf(
          "everyone to everyone",
          upto(n).flatMap((i) => upto(n).map((c) => [i, (i + d) % n, c])),
          { adds: true, first: true },
        ),
      ),
  "all-to-all": (n) => exchanging(n, n),
  broadcast: (n, root) =>
    upto(n)
      .slice(1)
      .map((d) => wholeOf([[root, (root + d) % n]], n)),
};

/** Binomial trees: as few steps as there can be. @type {Record<Operation, Plan>} */
export const tree = {
  "reduce-scatter": (n) =>
    distances(n)
      .reverse()
      .map((d) =>
        summed(upto(n).flatMap((i) => upto(Math.min(d, n - d)).map((k) => [i, (i + d) % n, (i + d + k) % n]))),
      ),
  "all-gather": (n) =>
    distances(n).map((d) =>
      stepOf(
        "all-gather",
        upto(n).flatMap((i) => upto(Math.min(d, n - d)).map((k) => [i, modulo(i - d, n), (i + k) % n])),
      ),
    ),
  "all-reduce": (n) => [
    ...distances(n).map((d) =>
      stepOf(
        "reduce to rank 0",
        upto(n)
          .filter((i) => i % (2 * d) === d)
          .flatMap((i) => upto(n).map((c) => [i, i - d, c])),
        { adds: true, frees: true },
      ),
    ),
    ...tree.broadcast(n, 0, 0),
  ],
  "all-to-all": (n) =>
    distances(n).map((hop) =>
      stepOf(
        "exchange",
        upto(n).flatMap((i) =>
          upto(n)
            .filter((d) => d & hop)
            .map((d) => [i, (i + hop) % n, (i + d) % n, (i + hop + d) % n]),
        ),
        { frees: true },
      ),
    ),
  broadcast: (n, root) => doubling(n, root).map((pairs) => wholeOf(pairs, n)),
};

/** Rings: each rank sends to the next one alone. @type {Record<Operation, Plan>} */
export const ring = {
  "reduce-scatter": (n) => shrinking(n, 1),
  "all-gather": (n) => growing(n, 1),
  "all-reduce": (n) => [...shrinking(n, 1), ...growing(n, 1)],
  "all-to-all": (n) =>
    upto(n - 1).map((t) =>
      stepOf(
        "pass on",
        upto(n).flatMap((i) =>
          upto(n - t)
            .slice(1)
            .map((k) => {
              const [to, goal] = [(i + 1) % n, (i + k) % n];
              return [i, to, goal, goal === to ? modulo(i - t, n) : goal];
            }),
        ),
        { frees: true },
      ),
    ),
  broadcast: (n, root) =>
    upto(2 * n - 2).map((t) =>
      stepOf(
        "broadcast",
        upto(n - 1)
          .filter((h) => t - h >= 0 && t - h - n < 0)
          .map((h) => [(root + h) % n, (root + h + 1) % n, t - h]),
      ),
    ),
};

/** Two levels: nodes, and the ranks of each node. @type {Record<Operation, Plan>} */
export const hierarchical = {
  "reduce-scatter": (n, _root, local) => shrinking(n, local),
  "all-gather": (n, _root, local) => growing(n, local),
  "all-reduce": (n, _root, local) => [...shrinking(n, local), ...growing(n, local)],
  "all-to-all": (n, _root, local) => exchanging(n, local),
  broadcast: (n, root, local) => broadcasting(n, local, root),
};

/**
 * The schedule of a collective on n ranks.
 * @param {string} op an Operation
 * @param {string} algorithm an Algorithm
 * @param {number} n
 * @param {number} [root] of a broadcast
 * @param {number} [local] ranks of a node, for the hierarchical algorithm
 * @returns {Schedule}
 */
export const makeSchedule = (op, algorithm, n, root = 0, local = 0) => {
  const all = /** @type {{ [name: string]: { [op: string]: Plan } }} */ ({ ring, tree, direct, hierarchical });
  const steps = all[algorithm]?.[op];
  if (!steps) throw new Error(`There is no ${algorithm} ${op}.`);
  if (algorithm === "hierarchical" && (!local || n % local))
    throw new Error(`${n} ranks in equal parts on nodes were looked for, to go from node to node.`);
  const order = op === "all-to-all" && algorithm !== "ring" ? (algorithm === "hierarchical" ? local : n) : 0;
  return { steps: steps(n, root, local), order, tidy };
};

/**
 * Puts the slots of every rank in order after an all-to-all.
 * @template Chunk
 * @param {number} order
 * @param {Chunk[][]} held held[rank][slot], changed in place
 */
export const tidy = (order, held) => {
  held.forEach((slots, rank) => {
    slots.slice().forEach((chunk, slot) => {
      slots[slotOf(order, rank, slot, held.length)] = chunk;
    });
  });
};

/**
 * Where a slot belongs after an all-to-all.
 * @param {number} order
 * @param {number} rank
 * @param {number} slot
 * @param {number} n
 */
export const slotOf = (order, rank, slot, n) => {
  const [node, place, above, beside] = [Math.floor(rank / order), rank % order, Math.floor(slot / order), slot % order];
  return modulo(2 * node - above, n / order) * order + modulo(2 * place - beside, order);
};

/* ---------------------------------------------------------------- network.py */

/** @type {(a: Numbers, b: Numbers) => Numbers} */
const sumOf = (a, b) => a.map((x, i) => x + b[i]);

/**
 * Adds two parts, number by number.
 * @template {Part} P
 * @param {P} a
 * @param {P} b
 * @returns {P}
 */
export const addUp = (a, b) => {
  const [mine, other] = /** @type {[Part, any]} */ ([a, b]);
  return /** @type {P} */ (Array.isArray(mine) ? mine.map((row, i) => sumOf(row, other[i])) : sumOf(mine, other));
};

/**
 * The bytes of a part.
 * @param {Part} part
 */
export const bytesOf = (part) =>
  Array.isArray(part) ? part.reduce((sum, row) => sum + row.byteLength, 0) : part.byteLength;

/**
 * Carries a schedule out.
 * @template {Part} P
 * @param {Schedule} plan
 * @param {(P | null)[][]} held held[rank][slot], changed in place
 * @param {(step: Step, sent: P[]) => unknown} [seen] called after each step with the chunks sent
 */
export const carryOut = (plan, held, seen = () => {}) => {
  const start = held.map((slots) => slots.slice());
  for (const step of plan.steps) {
    const from = step.first ? start : held;
    const sent = step.sends.map((send) => /** @type {P} */ (from[send.source][send.chunk]));
    if (step.frees) for (const send of step.sends) held[send.source][send.chunk] = null;
    step.sends.forEach((send, i) => {
      const there = send.adds ? held[send.destination][send.into] : null;
      held[send.destination][send.into] = there ? addUp(there, sent[i]) : sent[i];
    });
    seen(step, sent);
  }
  if (plan.order) plan.tidy?.(plan.order, held);
};

/**
 * A value of each rank that takes part.
 * @template T
 * @typedef {{ [rank: number]: T }} ByRank
 */

/**
 * Collectives on parts by rank, each of one axis and one tensor: { log, time(), all_gather, reduce_scatter, … }.
 * @typedef {ReturnType<typeof makeNetwork>} Network
 */

/**
 * @template P, Q
 * @param {ByRank<P>} parts
 * @param {(part: P, rank: number) => Q} fn
 * @returns {ByRank<Q>}
 */
const mapped = (parts, fn) =>
  Object.fromEntries(Object.entries(parts).map(([rank, part]) => [rank, fn(part, Number(rank))]));

/**
 * Every slot of a rank after a collective; none may be empty.
 * @template P
 * @param {(P | null)[]} slots
 */
const full = (slots) => {
  if (slots.some((chunk) => !chunk)) throw new Error("A slot is empty after a collective.");
  return /** @type {P[]} */ (slots);
};

/**
 * A part in n equal pieces.
 * @template {Part} P
 * @param {P} part
 * @param {number} n
 */
const equal = (part, n) => {
  if (part.length % n) throw new Error(`${part.length} are no ${n} equal parts.`);
  return upto(n).map((i) => /** @type {P} */ (part.slice((i * part.length) / n, ((i + 1) * part.length) / n)));
};

/**
 * Numbers one behind the other.
 * @param {Numbers[]} chunks
 * @returns {Numbers}
 */
const strung = (chunks) => {
  const Type = /** @type {new (length: number) => Numbers} */ (chunks[0].constructor);
  const out = new Type(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
};

/**
 * Parts one behind the other, as one part.
 * @template {Part} P
 * @param {P[]} chunks
 */
const joined = (chunks) => {
  const all = /** @type {Part[]} */ (chunks);
  return /** @type {P} */ (Array.isArray(all[0]) ? all.flat() : strung(/** @type {Numbers[]} */ (all)));
};

/**
 * The numbers of a part in n pieces, of which the first are longer by one where n does not divide them.
 * @param {Part} part
 * @param {number} n
 */
const chunksOf = (part, n) => {
  const numbers = Array.isArray(part) ? strung(part) : part;
  const [each, more] = [Math.floor(numbers.length / n), numbers.length % n];
  /** @param {number} i */
  const from = (i) => i * each + Math.min(i, more);
  return upto(n).map((i) => numbers.slice(from(i), from(i + 1)));
};

/**
 * Numbers in rows as long as another part's.
 * @template {Part} P
 * @param {Numbers} numbers
 * @param {P} like
 */
const shaped = (numbers, like) => {
  let at = 0;
  /** @param {Numbers} row */
  const cut = (row) => {
    at += row.length;
    return numbers.slice(at - row.length, at);
  };
  return /** @type {P} */ (Array.isArray(like) ? like.map(cut) : numbers);
};

/**
 * A network: runs collectives on a mesh and keeps a log of what was sent.
 * @param {Mesh} mesh
 * @param {string} [usual] the Algorithm of collectives that name none
 */
export const makeNetwork = (mesh, usual = "ring") => {
  /** @type {Move[]} */
  const log = [];
  let now = 0;
  /** @type {(time: number, source: number, destination: number, tensor: string, chunk: Part, axis: string) => void} */
  const record = (time, source, destination, tensor, chunk, axis) => {
    const bytes = bytesOf(chunk);
    if (bytes) log.push({ time, source, destination, tensor, bytes, axis, link: mesh.link(source, destination) });
  };
  /** @type {(held: object, axis: string) => number[][]} */
  const groupsOf = (held, axis) => {
    const firsts = [...new Set(Object.keys(held).map((rank) => mesh.group(Number(rank), axis)[0]))].sort(
      (a, b) => a - b,
    );
    const groups = firsts.map((rank) => mesh.group(rank, axis));
    const away = groups.flat().filter((rank) => !(rank in held));
    if (away.length) throw new Error(`Ranks ${away.join(", ")} of ${axis} do not take part; a group meets whole.`);
    return groups;
  };
  /**
   * @template {Part} P
   * @param {string} op
   * @param {ByRank<readonly (P | null)[]>} slots
   * @param {string} axis
   * @param {string} tensor
   * @param {string} algorithm
   */
  const run = (op, slots, axis, tensor, algorithm, root = 0) => {
    const held = mapped(slots, (own) => own.slice());
    let longest = 0;
    for (const group of groupsOf(held, axis)) {
      const local = algorithm === "hierarchical" ? mesh.neighbours(group) : 0;
      let done = 0;
      carryOut(
        makeSchedule(op, algorithm, group.length, root, local),
        group.map((rank) => held[rank]),
        (step, sent) => {
          done += 1;
          step.sends.forEach((send, i) => {
            record(now + done, group[send.source], group[send.destination], tensor, sent[i], axis);
          });
        },
      );
      longest = Math.max(longest, done);
    }
    now += longest;
    return held;
  };
  return {
    mesh,
    log,
    time: () => now,
    /**
     * Every rank gets the parts of its group, one behind the other.
     * @template {Part} P
     * @param {ByRank<P>} parts
     * @param {string} axis
     * @param {string} tensor
     */
    all_gather: (parts, axis, tensor, algorithm = usual) => {
      const slots = mapped(parts, (part, rank) =>
        upto(mesh.length(axis)).map((slot) => (slot === mesh.place(rank, axis) ? part : null)),
      );
      return mapped(run("all-gather", slots, axis, tensor, algorithm), (own) => joined(full(own)));
    },
    /**
     * Every rank gets its share of the sum of its group's parts.
     * @template {Part} P
     * @param {ByRank<P>} parts
     * @param {string} axis
     * @param {string} tensor
     */
    reduce_scatter: (parts, axis, tensor, algorithm = usual) => {
      const slots = mapped(parts, (part) => equal(part, mesh.length(axis)));
      const done = run("reduce-scatter", slots, axis, tensor, algorithm);
      return mapped(done, (own, rank) => full([own[mesh.place(rank, axis)]])[0]);
    },
    /**
     * Every rank gets the sum of its group's parts.
     * @template {Part} P
     * @param {ByRank<P>} parts
     * @param {string} axis
     * @param {string} tensor
     */
    all_reduce: (parts, axis, tensor, algorithm = usual) => {
      const slots = mapped(parts, (part) => chunksOf(part, mesh.length(axis)));
      const done = run("all-reduce", slots, axis, tensor, algorithm);
      return mapped(done, (own, rank) => shaped(joined(full(own)), parts[rank]));
    },
    /**
     * Every rank sends a part to each rank of its group: `parts[source][place]`, and what it gets is in the same order.
     * @template {Part} P
     * @param {ByRank<readonly P[]>} parts
     * @param {string} axis
     * @param {string} tensor
     */
    all_to_all: (parts, axis, tensor, algorithm = "direct") =>
      mapped(run("all-to-all", parts, axis, tensor, algorithm), full),
    /**
     * Every rank gets the part of one rank of its group, the one at place `root`.
     * @template {Part} P
     * @param {ByRank<P>} parts
     * @param {string} axis
     * @param {string} tensor
     */
    broadcast: (parts, axis, tensor, root = 0, algorithm = usual) => {
      const n = mesh.length(axis);
      const slots = mapped(parts, (part, rank) =>
        mesh.place(rank, axis) === root ? chunksOf(part, n) : upto(n).map(() => null),
      );
      const done = run("broadcast", slots, axis, tensor, algorithm, root);
      return mapped(done, (own, rank) => shaped(joined(full(own)), parts[mesh.group(rank, axis)[root]]));
    },
    /**
     * Ranks send their parts to one other rank each: `to[source]` is the destination.
     * @template {Part} P
     * @param {ByRank<P>} parts
     * @param {ByRank<number>} to
     * @param {string} axis
     * @param {string} tensor
     * @returns {ByRank<P>}
     */
    send: (parts, to, axis, tensor) => {
      const pairs = Object.entries(to).map(([source, destination]) => [Number(source), destination]);
      for (const [source, destination] of pairs)
        if (source !== destination) record(now + 1, source, destination, tensor, parts[source], axis);
      now += 1;
      return Object.fromEntries(pairs.map(([source, destination]) => [destination, parts[source]]));
    },
  };
};
