/* model.js: plain objects of what a host sends, commits of what differs, one update for each burst. */
import assert from "node:assert/strict";
import test from "node:test";
import { makeModel } from "../../explainers/kit/host.js";
import { commit, live, makeOffer, readData, readState, toPlain } from "../../explainers/kit/model.js";

/* A model, what was saved of it and a microtask's wait. */
const hosted = (state, data = {}) => {
  const saved = [];
  const model = makeModel(state, data, () => saved.push({ ...state }));
  return { model, saved };
};
const root = () => ({ remove() {} });
const settled = () => new Promise((done) => setTimeout(done));

test("maps become plain objects, however deep they are", () => {
  const sent = new Map([["a", [new Map([["b", 1]]), 2]]]);
  assert.deepEqual(toPlain(sent), { a: [{ b: 1 }, 2] });
  assert.deepEqual(toPlain({ a: new Map([["b", null]]), c: "x" }), { a: { b: null }, c: "x" });
  assert.deepEqual([toPlain(null), toPlain(0), toPlain("")], [null, 0, ""]);
});

test("data is read as JSON, as maps and as objects", () => {
  for (const data of ['{"models":[1]}', new Map([["models", [1]]]), { models: [1] }])
    assert.deepEqual(readData(hosted({}, data).model), { models: [1] });
});

test("a state is read key by key", () => {
  const { model } = hosted({ tp: 8, edits: new Map([["5", 0.25]]), other: 1 });
  assert.deepEqual(readState(model, ["tp", "edits"]), { tp: 8, edits: { 5: 0.25 } });
});

test("a commit saves what differs, once", () => {
  const { model, saved } = hosted({ tp: 1, rate: 2, sizes: [1, 2] });
  commit(model, { tp: 1, sizes: [1, 2] });
  assert.deepEqual(saved, []);
  commit(model, { tp: 4, rate: 3, sizes: [1, 2] });
  assert.deepEqual(saved, [{ tp: 4, rate: 3, sizes: [1, 2] }]);
});

test("a commit takes a map for the object it holds", () => {
  const { model, saved } = hosted({ edits: new Map([["5", 0.25]]) });
  commit(model, { edits: { 5: 0.25 } });
  assert.deepEqual(saved, []);
  commit(model, { edits: { 5: 0.5 } });
  assert.deepEqual(model.get("edits"), { 5: 0.5 });
});

test("a widget draws at once, then once for each burst of changes", async () => {
  const { model } = hosted({ tp: 1, rate: 1 }, { most: 8 });
  const drawn = [];
  live(model, { root: root(), keys: ["tp", "rate"], update: (state, data) => drawn.push([{ ...state }, data.most]) });
  assert.deepEqual(drawn, [[{ tp: 1, rate: 1 }, 8]]);
  commit(model, { tp: 2, rate: 2 });
  model.set("tp", 3);
  assert.equal(drawn.length, 1);
  await settled();
  assert.deepEqual(drawn.slice(1), [[{ tp: 3, rate: 2 }, 8]]);
});

test("a state that check refuses is not drawn, and the next good one is", async () => {
  const { model } = hosted({ tp: 1 });
  const drawn = [];
  const check = ({ tp }) => (tp > 4 ? "At most 4." : "");
  live(model, { root: root(), keys: ["tp"], check, update: ({ tp }) => drawn.push(tp) });
  for (const tp of [8, 4]) {
    model.set("tp", tp);
    await settled();
  }
  assert.deepEqual(drawn, [1, 4]);
});

test("a widget that is gone draws no more, not even what was waiting", async () => {
  const { model } = hosted({ tp: 1 });
  const drawn = [];
  let removed = 0;
  const here = { remove: () => (removed += 1) };
  const stop = live(model, { root: here, keys: ["tp"], update: ({ tp }) => drawn.push(tp) });
  model.set("tp", 2);
  stop();
  model.set("tp", 3);
  await settled();
  assert.deepEqual([drawn, removed], [[1], 1]);
});

test("an offer commits what is legal and says why beside the control what is not", () => {
  const { model, saved } = hosted({ tp: 1, rate: 1 }, {});
  const check = ({ tp, rate }) => (tp * rate > 8 ? "At most 8 in all." : "");
  const offer = makeOffer(model, { keys: ["tp", "rate"], data: {}, check });
  const control = () => {
    const one = { said: "", error: (sentence) => (one.said = sentence) };
    return one;
  };
  const [tp, rate] = [control(), control()];
  assert.equal(offer(tp, { tp: 16 }), false);
  assert.deepEqual([tp.said, model.get("tp"), saved.length], ["At most 8 in all.", 1, 0]);
  assert.equal(offer(rate, { rate: 2 }), true); // and the sentence of the other control goes
  assert.deepEqual([tp.said, rate.said, model.get("rate"), saved.length], ["", "", 2, 1]);
});
