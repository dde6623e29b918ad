/* build/pack_image.mjs: what is left of a memory when what WebAssembly sets up by itself is left out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { filled, runs } from "../../build/pack_image.mjs";

/** As app/your_model/worker.js does: memory as it is fresh, then each run in its place. */
function restored(size, fresh, memory) {
  const made = new Uint8Array(size);
  made.set(fresh.subarray(0, filled(fresh)));
  for (const [at, bytes] of runs(memory, fresh)) made.set(memory.subarray(at, at + bytes), at);
  return made;
}

test("fresh memory and the runs make the whole memory again", () => {
  const fresh = new Uint8Array(2048).map((_, at) => (at < 700 ? at % 251 : 0));
  const memory = new Uint8Array(4096);
  memory.set(fresh);
  memory[300] = 0; // what was set up, and is zero now
  memory[1500] = 7;
  memory[4095] = 9; // beyond what there was
  assert.deepEqual(restored(4096, fresh, memory), memory);
});

test("what is equal is left out, in blocks of 256 bytes, and neighbours are one run", () => {
  const fresh = new Uint8Array(1024).fill(3, 0, 512);
  const memory = new Uint8Array(2048);
  memory.set(fresh);
  memory[256] = 1;
  memory[600] = 1;
  memory[1600] = 1;
  assert.deepEqual(runs(memory, fresh), [
    [256, 512],
    [1536, 256],
  ]);
  assert.equal(filled(fresh), 512);
});
