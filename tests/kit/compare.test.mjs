// The words of figures on /compare/.

import assert from "node:assert/strict";
import test from "node:test";
import { queryOf, readAddress } from "../../app/compare/compare-address.js";
import { modelOf } from "../../app/compare/compare-names.js";
import { FIGURES } from "../../app/compare/compare-numbers.js";
import { mechanismClauses } from "../../app/compare/compare-words.js";

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

test("an address and what it shows are the same, there and back", () => {
  const first = ["a/A", "b/B"];
  const addresses = [
    "",
    "?a=x/X&b=y/Y",
    "?a=x/X&b=y/Y&c=z/Z&show=a&equal=1&view=table&ctx=4096&kv=fp8&part=mixer",
    "?part=mlp",
  ];
  for (const address of addresses) {
    const state = readAddress(address, first);
    assert.deepEqual(readAddress(queryOf(state, first), first), state);
  }
  assert.equal(queryOf(readAddress("", first), first), "");
  assert.equal(queryOf(readAddress("?a=x/X&b=y/Y&equal=1", first), first), "?a=x/X&b=y/Y&equal=1");
  const odd = readAddress("?show=nonsense&part=toString&equal=2&view=3&ctx=-1", first);
  assert.deepEqual([odd.slugs, odd.show, odd.part, odd.equal, odd.table], [first, "both", "", false, false]);
});

test("a model is meant by its title, its slug, either written together, or a part; else there is a sentence", () => {
  const models = [
    ["org/Qwen3-32B", "Qwen3 32B", "", "", true],
    ["org/Qwen3-Next", "Qwen3 Next", "", "", true],
    ["org/Gone-7B", "Gone 7B", "", "", false],
  ];
  const meant = (typed) => modelOf(typed, models, (slug) => slug === "local:1");
  for (const typed of ["Qwen3 32B", "org/qwen3-32b", "qwen332b", " QWEN3_32B ", "3 32"])
    assert.deepEqual(meant(typed), ["org/Qwen3-32B", ""]);
  assert.deepEqual(meant("next"), ["org/Qwen3-Next", ""]);
  for (const [typed, words] of [
    ["", "No model here"],
    ["zzz", "“zzz”"],
    ["Gone 7B", "not drawn"],
    ["local:2", "paste it again"],
  ]) {
    const [slug, wrong] = meant(typed);
    assert.equal(slug, null);
    assert.ok(wrong.includes(words), wrong);
  }
});
