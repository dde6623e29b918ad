// The words of figures on /compare/.

import assert from "node:assert/strict";
import test from "node:test";
import { FIGURES, mechanismClauses } from "../../app/compare/compare-words.js";

const told = Object.fromEntries(FIGURES.map(([key, , words]) => [key, words]));

test("Weights of which nobody knows the bytes are called unknown, not 0 B", () => {
  assert.equal(told.weights_bytes(null), "unknown");
  assert.equal(told.weights_bytes(673_150_552_416), "673.15 GB");
});

const OLD = {
    says: [
      ["gqa", 0, "GQA", "GQA", "GQA", []],
      ["sinks", 5, "sinks", "sinks", "sinks", []],
      ["qkv-bias", 5, "QKV biases", "QKV biases", "QKV biases", []],
      ["window", 1, "sliding windows", "a sliding window", "sliding window", ["window-mix"]],
      ["window-mix", 1, "sliding windows of 128 tokens in half the layers", "windows", "sliding windows", []],
    ],
  },
  NEW = {
    says: [
      ["gqa", 0, "GQA", "GQA", "GQA", []],
      ["moe", 2, "128 experts (8 active) instead of a dense MLP", "experts", "experts", []],
      ["qk-norm", 5, "QK-norm", "QK-norm", "QK-norm", []],
    ],
  };

test("A clause per slot in their order: lost, gained as the model says it, gained instead of lost", () => {
  assert.deepEqual(mechanismClauses(OLD, NEW, 24), [
    "128 experts (8 active) instead of a dense MLP",
    "QK-norm instead of sinks and QKV biases",
    "no sliding windows",
  ]);
  assert.deepEqual(mechanismClauses(NEW, OLD, 24), [
    "sliding windows of 128 tokens in half the layers",
    "sinks and QKV biases instead of QK-norm",
    "no experts",
  ]);
  assert.deepEqual(mechanismClauses(OLD, OLD, 24), []);
});

test("Clauses stop at the room there is: a later one that still fits is said", () => {
  const long = (key, slot, words) => [key, slot, Array(words).fill("w").join(" "), "", "", []];
  const clauses = mechanismClauses({ says: [] }, { says: [long("a", 0, 20), long("b", 1, 5), long("c", 2, 4)] }, 24);
  assert.deepEqual(
    clauses.map((words) => words.split(" ").length),
    [20, 4],
  );
});
