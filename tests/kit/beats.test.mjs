/* A page in beats without a page: places on an axis, how far off a guess is, verdicts (bet-words.js, beat-bet.js); a state seen
   through its explainer (beat-words.js); what a tab remembers (told.js). */
import assert from "node:assert/strict";
import test from "node:test";
import { guessAt, isLegalIndex, isOpen, verdictWords } from "../../explainers/kit/beat-bet.js";
import { looker } from "../../explainers/kit/beat-words.js";
import { betWords, howFar, nearestIndex, shareAt, shortened } from "../../explainers/kit/bet-words.js";
import { readMemory } from "../../explainers/kit/told.js";

globalThis.addEventListener ??= () => {}; // a window hears when files apart have come

const LINEAR = { kind: "line", low: 0, high: 200, log: false, ratio: false, format: "int", unit: "tokens" };
const LOG = { kind: "bar", low: 1, high: 10_000, log: true, ratio: true, format: "int" };
const BYTES = { kind: "bar", answer: ["from", "to"], low: 0, high: 4e5, log: false, ratio: true, format: "bytes KB" };
const PICK = { kind: "pick", options: ["fewer", "as many", "more"], cuts: [10, 20], low: 0, high: 40, log: false };

test("a value is printed in the bet's format with its unit, two as from and to", () => {
  assert.equal(betWords(LINEAR, 1500), "1,500 tokens");
  assert.equal(betWords(BYTES, [60_000, 327_680]), "60.0 KB to 327.7 KB");
  assert.equal(betWords(BYTES, [60_000, 327_680], true), "60 KB to 327.7 KB");
  assert.equal(betWords({ ...LINEAR, unit: "ms" }, [1, 2]), "1 to 2 ms");
  assert.equal(betWords({}, "none of its 32"), "none of its 32");
  for (const [unit, one] of [
    ["tokens", "token"],
    ["passes", "pass"],
    ["new tokens", "new token"],
    ["ms", "ms"],
    ["×", "×"],
  ]) {
    assert.equal(betWords({ ...LINEAR, unit }, 1), `1 ${one}`);
    assert.equal(betWords({ ...LINEAR, unit }, 21), `21 ${unit}`);
  }
});

test("zeros behind the point go, others stay", () => {
  const rows = [
    ["60.0 KB", "60 KB"],
    ["60.50 KB", "60.50 KB"],
    ["100.00 %", "100 %"],
    ["1.005", "1.005"],
    ["100", "100"],
  ];
  for (const [long, short] of rows) assert.equal(shortened(long), short);
});

test("a place on an axis is a share of its length or of its powers, and never off it", () => {
  assert.deepEqual(
    [0, 50, 200, -10, 900, "none"].map((x) => shareAt(LINEAR, x)),
    [0, 0.25, 1, 0, 1, 1],
  );
  assert.deepEqual(
    [1, 10, 100, 10_000, 0, -5].map((x) => Math.round(1000 * shareAt(LOG, x))),
    [0, 250, 500, 1000, 0, 0],
  );
});

test("a pointer takes the value nearest on the axis; of two equally near the first", () => {
  const bet = { ...LINEAR, values: [0, 50, 100, 200] };
  assert.deepEqual(
    [0, 0.12, 0.125, 0.13, 0.7, 0.8, 1].map((share) => nearestIndex(bet, share)),
    [0, 0, 0, 1, 2, 3, 3],
  );
  const log = { ...LOG, values: [1, 10, 100] };
  assert.equal(nearestIndex(log, 0.3), 1); // 16 on this axis: near to 10 by its powers
});

test("a guess on a log axis is off by a ratio, on a linear one by a difference", () => {
  assert.deepEqual(howFar(LOG, 100, 350), { near: false, text: "3.5 times more" });
  assert.deepEqual(howFar(LOG, 5000, 100), { near: false, text: "50 times less" });
  assert.deepEqual(howFar(LINEAR, 100, 160), { near: false, text: "60 more" });
  assert.deepEqual(howFar(LINEAR, 160, 100), { near: false, text: "60 less" });
});

test("within a tenth of the answer a guess is near", () => {
  assert.equal(howFar(LINEAR, 90, 100).near, true);
  assert.equal(howFar(LINEAR, 89, 100).near, false);
  assert.equal(howFar(LOG, 100, 110).near, true);
  assert.equal(howFar(LOG, 100, 111).near, false);
});

test("a guess that prints as the answer does is exact", () => {
  assert.deepEqual(howFar(LINEAR, 100, 100.4), { near: true, text: "exactly" });
});

test("no ratio is told of what is not above zero", () => {
  assert.deepEqual(howFar(LOG, 0, 40), { near: false, text: "40 more" });
});

test("how far off words are cannot be told", () => {
  assert.equal(howFar(LINEAR, 3, "none of its 32"), null);
});

test("each end of a bar is off by itself, near within a tenth of the bar", () => {
  const answer = [40_960, 327_680];
  assert.deepEqual(howFar(BYTES, [100_000, 327_680], answer), {
    near: false,
    text: "which begins 59 KB lower and ends where you said",
  });
  assert.equal(howFar(BYTES, [60_000, 327_680], answer).near, true);
  assert.deepEqual(howFar(BYTES, answer, answer), { near: true, text: "exactly" });
});

test("a verdict says what was bet, what it is and how far off that was", () => {
  const rows = [
    [LINEAR, null, 100, "**100 tokens**."],
    [LINEAR, 100, 100, "You bet 100 tokens. The answer is **100 tokens**, exactly."],
    [LINEAR, 95, 100, "You bet 95 tokens. The answer is **100 tokens**: close."],
    [LINEAR, 20, 100, "You bet 20 tokens. The answer is **100 tokens**, 80 more."],
    [LINEAR, 20, "none", "**none tokens**."],
    [LOG, 10, 40, "You bet 10. The answer is **40**, 4.0 times more."],
  ];
  for (const [bet, guess, answer, text] of rows) assert.equal(verdictWords(bet, guess, answer), text);
});

test("a pick's verdict names the option, found by its cuts where the answer is a number on an axis", () => {
  assert.equal(verdictWords(PICK, null, 15), "**as many**.");
  assert.equal(verdictWords(PICK, 1, 15), "You picked **as many**, which is right.");
  assert.equal(verdictWords(PICK, 0, 21), "You picked fewer. The answer is **more**.");
  assert.equal(verdictWords(PICK, 0, 10), "You picked **fewer**, which is right."); // a cut itself is still below it
  assert.equal(verdictWords({ ...PICK, cuts: [] }, 0, 2), "You picked fewer. The answer is **more**.");
});

test("an index is a guess once it is placed, with both its ends where there are two", () => {
  const two = { ...BYTES, values: [1, 2, 3] };
  assert.equal(guessAt({ ...LINEAR, values: [5, 6] }, 1), 6);
  assert.equal(guessAt({ ...LINEAR, values: [5, 6] }, null), null);
  assert.equal(guessAt(PICK, 2), 2);
  assert.equal(guessAt(two, [0, null]), null);
  assert.deepEqual(guessAt(two, [0, 2]), [1, 3]);
});

test("what a tab remembers of another page's bet is no legal guess", () => {
  const line = { ...LINEAR, answer: "x", values: [5, 6] };
  const two = { ...BYTES, values: [1, 2, 3] };
  for (const index of [0, 1]) assert.equal(isLegalIndex(line, index), true);
  for (const index of [-1, 2, 0.5, null, "1", [0, 1]]) assert.equal(isLegalIndex(line, index), false, `${index}`);
  assert.equal(isLegalIndex({ ...PICK, answer: "x" }, 2), true);
  assert.equal(isLegalIndex({ ...PICK, answer: "x" }, 3), false);
  assert.equal(isLegalIndex(two, [0, 2]), true);
  for (const index of [1, [2, 0], [0], [0, null], [0, 1, 2], [0, 3]])
    assert.equal(isLegalIndex(two, index), false, `${index}`);
});

test("a bet is open until its answer is shown or it is skipped; no bet is never open", () => {
  assert.deepEqual(["open", "placed", "shown", "skipped", ""].map(isOpen), [true, true, false, false, false]);
});

/* ---------------------------------------------------------------- beat-words.js */
const page = () => {
  const made = { computed: 0, data: { heads: 64 } };
  made.compute = (state, data) => {
    made.computed += 1;
    return { kv: state.kv, share: state.kv / data.heads, tp: { bytes: 10 * state.kv } };
  };
  made.beats = { answers: { twice: (state, data) => 2 * state.kv + data.heads, share: () => "an answer" } };
  return made;
};

test("a path is an answer, else of what is computed, else of the state", () => {
  const look = looker(page())({ kv: 8, model: "x" });
  assert.deepEqual([look("twice"), look("share"), look("tp.bytes"), look("model")], [80, "an answer", 80, "x"]);
});

test("a state is computed once, however its looks are asked for", () => {
  const one = page();
  const look = looker(one);
  assert.equal(look({ kv: 8 }), look({ kv: 8 }));
  assert.notEqual(look({ kv: 8 }), look({ kv: 1 }));
  assert.equal(one.computed, 2);
  assert.deepEqual([look({ kv: 8 }).state, look({ kv: 8 }).now.share], [{ kv: 8 }, 0.125]);
});

test("old states are forgotten, so that a page does not grow", () => {
  const one = page();
  const look = looker(one);
  for (let kv = 0; kv <= 200; kv += 1) look({ kv });
  look({ kv: 0 });
  assert.equal(one.computed, 202);
});

test("an explainer without answers is seen through compute alone", () => {
  const look = looker({ ...page(), beats: {} })({ kv: 4 });
  assert.equal(look("tp.bytes"), 40);
});

/* ---------------------------------------------------------------- told.js */
const NOTHING = { bets: {}, read: [], goals: {} };

test("a tab that remembers nothing, or nothing readable, begins anew", () => {
  for (const text of ["", "null", "{}", "not JSON", "{", "0", '""', '{"bets":null,"read":0}'])
    assert.deepEqual(readMemory(text), NOTHING, text);
});

test("bets, passed beats and goals come back as they were kept", () => {
  const memory = { bets: { 2: ["shown", [1, 4]], 3: ["skipped", null] }, read: [1, 4], goals: { fits: "Reached." } };
  assert.deepEqual(readMemory(JSON.stringify(memory)), memory);
});

test("what is missing is empty, what is there stays", () => {
  assert.deepEqual(readMemory('{"read":[2]}'), { ...NOTHING, read: [2] });
});

test("two readers of nothing share nothing", () => {
  readMemory("").read.push(1);
  assert.deepEqual(readMemory(""), NOTHING);
});
