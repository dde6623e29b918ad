/* mesh.js, schedules.js, network.js: groups of ranks, schedules of collectives by what they leave behind, the log of a network. */
import assert from "node:assert/strict";
import test from "node:test";
import { upto } from "../../explainers/kit/arrays.js";
import { makeMesh } from "../../explainers/kit/mesh.js";
import { carryOut, makeNetwork } from "../../explainers/kit/network.js";
import { addUp, bytesOf } from "../../explainers/kit/parts.js";
import { makeSchedule } from "../../explainers/kit/schedules.js";

const FLAT = ["ring", "tree", "direct"];
const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/* [algorithm, n, ranks of a node]: flat ones, and every way to lay n ranks on equal nodes. */
const CASES = [
  ...FLAT.flatMap((algorithm) => SIZES.map((n) => [algorithm, n, 0])),
  ...[2, 4, 6, 8, 12].flatMap((n) =>
    upto(n)
      .map((i) => i + 1)
      .filter((local) => n % local === 0)
      .map((local) => ["hierarchical", n, local]),
  ),
];
const one = (x) => Float64Array.of(x);
/* Runs a schedule; held[rank][slot] holds a number or nothing. */
const run = (op, [algorithm, n, local], start, root = 0) => {
  const plan = makeSchedule(op, algorithm, n, root, local);
  const held = upto(n).map((rank) =>
    upto(n).map((slot) => {
      const x = start(rank, slot);
      return x === null ? null : one(x);
    }),
  );
  carryOut(plan, held);
  return { plan, held: held.map((slots) => slots.map((part) => part?.[0])) };
};
/* Rank r gives 16^r for slot 0: a hexadecimal digit of a sum counts how often a rank's part went into it. */
const given = (rank, slot) => 16 ** rank * (slot + 1);
const sum = (n, slot) => upto(n).reduce((all, rank) => all + given(rank, slot), 0);
const named = (row) => row.join(" ");

test("an all-reduce leaves the sum in every slot of every rank, each rank's part in it once", () => {
  for (const row of CASES) {
    const { held } = run("all-reduce", row, given);
    for (const slots of held)
      assert.deepEqual(
        slots,
        upto(row[1]).map((slot) => sum(row[1], slot)),
        named(row),
      );
  }
});

test("a reduce-scatter leaves each rank its own slot of the sum", () => {
  for (const row of CASES) {
    const { held } = run("reduce-scatter", row, given);
    held.forEach((slots, rank) => {
      assert.equal(slots[rank], sum(row[1], rank), named(row));
    });
  }
});

test("an all-gather leaves every rank's part in its slot, everywhere", () => {
  for (const row of CASES) {
    const { held } = run("all-gather", row, (rank, slot) => (rank === slot ? 10 + rank : null));
    for (const slots of held)
      assert.deepEqual(
        slots,
        upto(row[1]).map((rank) => 10 + rank),
        named(row),
      );
  }
});

test("an all-to-all transposes what the ranks hold", () => {
  for (const row of CASES) {
    const { held } = run("all-to-all", row, (rank, slot) => 100 * rank + slot);
    held.forEach((slots, rank) => {
      assert.deepEqual(
        slots,
        upto(row[1]).map((from) => 100 * from + rank),
        named(row),
      );
    });
  }
});

test("a broadcast leaves what the root has everywhere, from every root", () => {
  for (const row of CASES)
    for (const root of upto(row[1])) {
      const { held } = run("broadcast", row, (rank, slot) => (rank === root ? 7 + slot : null), root);
      for (const slots of held)
        assert.deepEqual(
          slots,
          upto(row[1]).map((slot) => 7 + slot),
          `${named(row)} from ${root}`,
        );
    }
});

test("an all-gather and a reduce-scatter send each chunk to each rank once", () => {
  for (const row of CASES) {
    const n = row[1];
    const gathered = makeSchedule("all-gather", row[0], n, 0, row[2]).steps.flatMap((step) => step.sends);
    assert.equal(gathered.length, n * (n - 1), named(row));
    assert.equal(new Set(gathered.map((send) => `${send.destination} ${send.into}`)).size, n * (n - 1), named(row));
    const reduced = makeSchedule("reduce-scatter", row[0], n, 0, row[2]).steps.flatMap((step) => step.sends);
    assert.equal(new Set(reduced.map((send) => `${send.source} ${send.chunk}`)).size, reduced.length, named(row));
    assert.equal(reduced.length, n * (n - 1), named(row));
  }
});

test("no rank sends to itself", () => {
  for (const op of ["reduce-scatter", "all-gather", "all-reduce", "all-to-all", "broadcast"])
    for (const row of CASES)
      for (const step of makeSchedule(op, row[0], row[1], 0, row[2]).steps)
        for (const { source, destination } of step.sends) assert.notEqual(source, destination, `${op} ${named(row)}`);
});

test("a ring's ranks send to the next rank alone, in 2(n − 1) steps for an all-reduce", () => {
  for (const n of SIZES) {
    const { steps } = makeSchedule("all-reduce", "ring", n);
    assert.equal(steps.length, 2 * (n - 1));
    for (const step of steps) {
      assert.equal(step.sends.length, n);
      for (const send of step.sends) assert.equal(send.destination, (send.source + 1) % n);
    }
  }
});

test("a tree takes as few steps as doubling allows", () => {
  const steps = (op, n) => makeSchedule(op, "tree", n).steps.length;
  assert.deepEqual(
    [1, 2, 3, 4, 5, 8, 9].map((n) => steps("broadcast", n)),
    [0, 1, 2, 2, 3, 3, 4],
  );
  assert.deepEqual(
    [2, 5, 8].map((n) => steps("all-reduce", n)),
    [2, 6, 6],
  );
});

test("an unknown collective or algorithm is refused, and nodes that do not divide the ranks", () => {
  assert.throws(() => makeSchedule("all-reduce", "gossip", 4), /There is no gossip all-reduce/);
  assert.throws(() => makeSchedule("gossip", "ring", 4), /There is no ring gossip/);
  assert.throws(() => makeSchedule("all-reduce", "hierarchical", 6, 0, 4));
});

test("the last axis of a mesh varies fastest", () => {
  const mesh = makeMesh({ dp: 2, tp: 3 }, 3);
  assert.deepEqual(mesh.groups("tp"), [
    [0, 1, 2],
    [3, 4, 5],
  ]);
  assert.deepEqual(mesh.groups("dp"), [
    [0, 3],
    [1, 4],
    [2, 5],
  ]);
  assert.deepEqual(
    mesh.ranks.map((rank) => mesh.place(rank, "dp")),
    [0, 0, 0, 1, 1, 1],
  );
  assert.deepEqual([mesh.link(0, 2), mesh.link(2, 3), mesh.node(5)], ["inside", "outside", 1]);
});

test("the groups along an axis hold every rank once, on both folds", () => {
  const mesh = makeMesh({ pp: 2, dp: 2, cp: 3, tp: 2 }, 8, { edp: 2, ep: 6, etp: 1 });
  assert.equal(mesh.size, 24);
  for (const axis of ["pp", "dp", "cp", "tp", "edp", "ep", "etp", "unheard of"])
    assert.deepEqual(
      mesh
        .groups(axis)
        .flat()
        .sort((a, b) => a - b),
      mesh.ranks,
      axis,
    );
  assert.deepEqual(mesh.group(1, "ep"), [0, 1, 2, 3, 4, 5]);
  assert.equal(mesh.length("unheard of"), 1);
});

test("neighbours are the ranks of a group on each node, 0 where nodes have unequally many", () => {
  const mesh = makeMesh({ dp: 3, tp: 2 }, 4);
  assert.equal(mesh.neighbours([0, 1]), 2);
  assert.equal(mesh.neighbours([0, 4]), 1);
  assert.equal(mesh.neighbours([0, 1, 4]), 0);
  assert.equal(mesh.neighbours([0, 4, 1, 5]), 0);
});

test("a mesh whose folds differ, or whose axis has no rank, is refused", () => {
  assert.throws(() => makeMesh({ tp: 0 }, 8), /at least 1 rank/);
  assert.throws(() => makeMesh({ tp: 2 }, 0), /at least 1 device/);
  assert.throws(() => makeMesh({ dp: 4 }, 8, { ep: 3 }), /4 ranks, the experts' axes 3/);
});

test("parts add up and have bytes, whether numbers or rows of them", () => {
  assert.deepEqual([...addUp(Float64Array.of(1, 2), Float64Array.of(10, 20))], [11, 22]);
  assert.deepEqual(
    addUp([one(1), one(2)], [one(3), one(4)]).map((row) => row[0]),
    [4, 6],
  );
  assert.equal(bytesOf(Float32Array.of(1, 2, 3)), 12);
  assert.equal(bytesOf([one(1), Float64Array.of(1, 2)]), 24);
});

test("a network sums what its ranks give, also where chunks are uneven, and keeps their shape", () => {
  const net = makeNetwork(makeMesh({ tp: 3 }, 8));
  const sums = net.all_reduce(
    upto(3).map((rank) => Float64Array.from([0, 1, 2, 3], (i) => 10 ** rank * i)),
    "tp",
    "y",
  );
  assert.deepEqual(
    Object.values(sums).map((part) => [...part]),
    upto(3).map(() => [0, 111, 222, 333]),
  );
  const rows = net.all_reduce(
    upto(3).map((rank) => [Float64Array.of(rank, 1), Float64Array.of(5)]),
    "tp",
    "rows",
  );
  assert.deepEqual(
    rows[2].map((row) => [...row]),
    [[3, 3], [15]],
  );
});

test("a ring all-reduce logs 2(n − 1)/n of the array for every rank", () => {
  const net = makeNetwork(makeMesh({ tp: 4 }, 2));
  net.all_reduce(
    upto(4).map(() => new Float64Array(32)),
    "tp",
    "grads",
  );
  for (const rank of upto(4)) {
    const sent = net.log.filter((move) => move.source === rank).reduce((all, move) => all + move.bytes, 0);
    assert.equal(sent, (2 * 3 * 32 * 8) / 4);
  }
  assert.equal(net.time(), 6);
  assert.deepEqual(
    net.log.filter((move) => move.time === 1).map(({ source, destination, link }) => [source, destination, link]),
    [
      [0, 1, "inside"],
      [1, 2, "outside"],
      [2, 3, "inside"],
      [3, 0, "outside"],
    ],
  );
});

test("groups of one axis run at the same time, one after another along two axes", () => {
  const net = makeNetwork(makeMesh({ dp: 2, tp: 2 }, 4));
  const parts = upto(4).map((rank) => Float64Array.of(rank, rank));
  const gathered = net.all_gather(parts, "tp", "w");
  assert.equal(net.time(), 1);
  assert.deepEqual([...gathered[3]], [2, 2, 3, 3]);
  const scattered = net.reduce_scatter(gathered, "dp", "g");
  assert.equal(net.time(), 2);
  assert.deepEqual([...scattered[0]], [2, 2]); // the first half of 0 0 1 1 + 2 2 3 3
  assert.deepEqual([...scattered[2]], [4, 4]);
});

test("a send moves a part and takes a step; a rank keeps its own without a word in the log", () => {
  const net = makeNetwork(makeMesh({ pp: 2 }, 1));
  const got = net.send({ 0: one(4), 1: one(5) }, { 0: 1, 1: 1 }, "pp", "x");
  assert.deepEqual(Object.keys(got), ["1"]);
  assert.deepEqual(
    net.log.map(({ time, source, destination, bytes, link }) => [time, source, destination, bytes, link]),
    [[1, 0, 1, 8, "outside"]],
  );
  assert.equal(net.time(), 1);
});

test("a group that is not whole, and parts that cannot be divided, are refused", () => {
  const net = makeNetwork(makeMesh({ tp: 2 }, 2));
  assert.throws(() => net.all_reduce({ 0: one(1) }, "tp", "x"), /Ranks 1 of tp do not take part/);
  assert.throws(() => net.reduce_scatter({ 0: new Float64Array(3), 1: new Float64Array(3) }, "tp", "x"), /3 are no 2/);
});
