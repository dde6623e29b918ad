/* host.js: a state to a query and back, what a link gets wrong, the model on a page of ours. */
import assert from "node:assert/strict";
import test from "node:test";
import { makeModel, readQuery, writeQuery } from "../../explainers/kit/host.js";

const START = {
  model: "meta-llama/Llama-3.1-70B",
  tp: 1,
  rate: 0.5,
  causal: true,
  sizes: [1, 2],
  edits: {},
  pick: null,
};
const changed = (changes) => ({ ...START, ...changes });
const read = (query) => readQuery(query, START);

test("a state that is the default has no query", () => {
  assert.equal(writeQuery(START, START), "");
  assert.equal(writeQuery({ ...START, sizes: [1, 2] }, START), "");
});

test("a query holds what differs: words, numbers and booleans bare, lists of numbers with commas, the rest as JSON", () => {
  const rows = [
    [{ tp: 8 }, "?tp=8"],
    [{ rate: -1.5e-7 }, "?rate=-1.5e-7"],
    [{ causal: false }, "?causal=false"],
    [{ model: "Qwen/Qwen3-8B" }, "?model=Qwen/Qwen3-8B"],
    [{ model: "a:b, c" }, "?model=a:b,%20c"],
    [{ sizes: [3, 0.5, -2] }, "?sizes=3,0.5,-2"],
    [{ sizes: [] }, "?sizes=%5B%5D"],
    [{ edits: { 5: 0.25 } }, "?edits=%7B%225%22:0.25%7D"],
    [{ tp: 2, causal: false }, "?tp=2&causal=false"],
  ];
  for (const [changes, query] of rows) assert.equal(writeQuery(changed(changes), START), query);
});

test("a state comes back from its query", () => {
  const states = [
    {},
    { tp: -3, rate: 1e21 },
    { model: "a&b=c #d?e+f%20 “ü” 模型" },
    { model: "" },
    { sizes: [7] },
    { sizes: [] },
    { sizes: [1e-9, -4, 12345678.9] },
    { edits: { "a b": [1, { c: null }], d: "x,y" } },
    { pick: { any: ["thing"] } },
    { causal: false, tp: 64, model: "true" },
  ];
  for (const changes of states) {
    const state = changed(changes);
    assert.deepEqual(read(writeQuery(state, START)), { state, says: [] });
  }
});

test("a lone number reads as a list where the default is a list", () => {
  assert.deepEqual(read("?sizes=7").state.sizes, [7]);
  assert.deepEqual(read("?sizes=[7,8]").state.sizes, [7, 8]);
});

test("booleans may be written 1 and 0", () => {
  assert.equal(read("?causal=0").state.causal, false);
  assert.equal(read("?causal=1").state.causal, true);
});

test("what a link gets wrong is said, and the default stays", () => {
  const rows = [
    ["?tp=many", /tp = “many” is not a number; it stays 1\./],
    ["?tp=", /is not a number/],
    ["?tp=Infinity", /is not a number/],
    ["?causal=yes", /is not a boolean; it stays true/],
    ["?sizes=1,x", /is not a list; it stays \[1,2\]/],
    ["?sizes={}", /is not a list/],
    ["?edits=[]", /is not a object/],
    ["?colour=red", /sets “colour”, which does not exist here/],
  ];
  for (const [query, sentence] of rows) {
    const { state, says } = read(query);
    assert.deepEqual(state, START, query);
    assert.equal(says.length, 1, query);
    assert.match(says[0], sentence);
  }
});

test("what is right of a link that gets something wrong is taken", () => {
  const { state, says } = read("?tp=4&colour=red&rate=x");
  assert.deepEqual(state, changed({ tp: 4 }));
  assert.equal(says.length, 2);
});

test("a message quotes 40 characters of a long value at most", () => {
  const [said] = read(`?tp=${"9x".repeat(60)}`).says;
  assert.ok(said.includes(`“${"9x".repeat(20)}”`));
});

test("the theme and what campaigns add are nobody's mistake", () => {
  assert.deepEqual(read("?theme=dark&utm_source=x&tp=2"), { state: changed({ tp: 2 }), says: [] });
});

test("a state that check refuses is left out whole", () => {
  const check = (state) => (state.tp > 4 ? "At most 4 ranks." : "");
  assert.deepEqual(readQuery("?tp=8&rate=2", START, check), {
    state: START,
    says: ["The link's settings were left out. At most 4 ranks."],
  });
  assert.deepEqual(readQuery("?tp=4", START, check), { state: changed({ tp: 4 }), says: [] });
});

test("what a link does not set may be settled before it is checked", () => {
  const check = (state) => (state.tp * state.rate > 4 ? "Too much." : "");
  const settle = (state, given) => (given.includes("rate") ? state : { ...state, rate: 4 / state.tp });
  assert.deepEqual(readQuery("?tp=16", START, check, settle).state, changed({ tp: 16, rate: 0.25 }));
  assert.equal(readQuery("?tp=16&rate=0.5", START, check, settle).says.length, 1);
});

test("a model calls once for each change and never for the same value", () => {
  const model = makeModel({ tp: 1, rate: NaN }, { constant: 1 }, () => {});
  let heard = 0;
  const listen = () => {
    heard += 1;
  };
  model.on("change:tp", listen);
  model.on("change:rate", listen);
  model.set("tp", 1);
  model.set("rate", NaN);
  assert.equal(heard, 0);
  model.set("tp", 2);
  model.set("rate", 3);
  assert.equal(heard, 2);
  model.off("change:tp", listen);
  model.off("change:nothing", listen);
  model.set("tp", 3);
  assert.equal(heard, 2);
  assert.deepEqual([model.get("tp"), model.get("rate"), model.get("data")], [3, 3, { constant: 1 }]);
});

test("a listener that stops listening while it is called keeps no other from being called", () => {
  const model = makeModel({ tp: 1 }, {}, () => {});
  const heard = [];
  const first = () => {
    heard.push("first");
    model.off("change:tp", first);
  };
  model.on("change:tp", first);
  model.on("change:tp", () => heard.push("second"));
  model.set("tp", 2);
  model.set("tp", 3);
  assert.deepEqual(heard, ["first", "second", "second"]);
});
