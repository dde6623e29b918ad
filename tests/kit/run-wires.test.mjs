/* app/your_model/run-wires.js: which value a drawn line carries, and which wires are cut with it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { wireOf, wiresBy } from "../../app/your_model/run-wires.js";

const run = {
  values: {
    model: { embed: 0, head: 0 },
    layer3: { stream: 1, mixer_in_norm: 1, "mixer.q_proj": 1, "mixer.k_proj": 1, "mixer.q_norm": 1, "mlp.choice": 0 },
  },
  norms: { layer3: ["mixer_in_norm", "mixer.q_norm"], model: ["final_norm"] },
  inputs: { "layer3.mixer": "mixer_in_norm" },
};

test("a line between parts carries a value of its layer, and is cut at each of its ends", () => {
  const wire = wireOf(run, "layer3", "mixer_in_norm>mixer.q_proj mixer_in_norm>mixer.k_proj");
  assert.equal(wire.value, "layer3:mixer_in_norm");
  assert.deepEqual(wire.cuts, [
    [3, "mixer.q_proj", "mixer_in_norm"],
    [3, "mixer.k_proj", "mixer_in_norm"],
  ]);
});

test("inside a part names are the part's own, and x is what it reads", () => {
  assert.deepEqual(wireOf(run, "layer3.mixer", "q_proj>q_norm").cuts, [[3, "mixer.q_norm", "mixer.q_proj"]]);
  assert.deepEqual(wireOf(run, "layer3.mixer", "x>q_proj").cuts, [[3, "mixer.q_proj", "mixer_in_norm"]]);
});

test("a trunk, a choice of experts and what lies outside the layers are looked at, not cut", () => {
  for (const [group, edges] of [
    ["layer3", "stream>"],
    ["layer3.mlp", "choice>experts"],
    ["model", "head>out"],
  ])
    assert.deepEqual(wireOf(run, group, edges).cuts, []);
  assert.equal(wireOf(run, "layer3", "weight>mixer.q_proj"), null);
  assert.equal(wireOf(run, "layer9", "stream>mixer_in_norm"), null);
});

test("the list has each wire once, and every norm", () => {
  const found = wiresBy(run, [
    ["layer3.mixer", "q_proj>q_norm"],
    ["layer3.mixer", "q_proj>q_norm"],
  ]);
  assert.deepEqual(
    [...found].map(([group, own]) => [group, own.map(({ words }) => words)]),
    [
      ["layer3.mixer", ["q_proj → q_norm"]],
      ["layer3", ["norm mixer_in_norm", "norm mixer.q_norm"]],
      ["model", ["norm final_norm"]],
    ],
  );
});
