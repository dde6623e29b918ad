// The words of figures on /compare/.

import assert from "node:assert/strict";
import test from "node:test";
import { FIGURES } from "../../app/compare/compare-words.js";

const told = Object.fromEntries(FIGURES.map(([key, , words]) => [key, words]));

test("Weights of which nobody knows the bytes are called unknown, not 0 B", () => {
  assert.equal(told.weights_bytes(null), "unknown");
  assert.equal(told.weights_bytes(673_150_552_416), "673.15 GB");
});
