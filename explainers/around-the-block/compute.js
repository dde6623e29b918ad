/* Twin of legal.py and reference.py: what is legal, what a model's name chooses, and everything the page prints. */
const NORMS = ["pre", "post", "sandwich", "behind", "normed"];
const GATES = ["none", "heads", "numbers"];
const WHOLE = {
  layers: [1, 128, "A stack has 1 to 128 layers."], layer: [0, 255, "A layer to look at is one of 0 to 255, in the order they run."],
  drafts: [0, 7, "There are 0 to 7 drafts."], loops: [1, 16, "A stack runs 1 to 16 times."], borrow: [0, 127, "Layers that borrow are a whole number."],
};
const REAL = {
  scale: [0.01, 4, "What a half gives is multiplied by a number from 0.01 to 4."], grown: [0.25, 16, "Queries and keys are made larger by a factor from 0.25 to 16."],
  cap: [0, 200, "A cap is a number up to 200; 0 stands for none."], score: [0, 200, "A score is a number from 0 to 200."],
  accept: [0.05, 0.99, "A draft is accepted with a chance from 0.05 to 0.99."],
};
const SWITCHES = { qk: "QK-norm", parallel: "Halves side by side", own: "An embedding per layer" };
const PASSES = 256;
const find = (slug, data) => {
  const row = data.models.find((one) => one[0] === slug);
  return row && Object.fromEntries(row.map((value, i) => [data.columns[i], value]));
};
const within = (value, [low, high]) => typeof value === "number" && value >= low && high >= value;

export function check(state, data) {
  if (!find(state.model, data)) return `No model here is called “${state.model}”; choose one from the list.`;
  for (const [key, row] of Object.entries(WHOLE)) if (!Number.isInteger(state[key]) || !within(state[key], row)) return row[2];
  for (const [key, row] of Object.entries(REAL)) if (!within(state[key], row)) return row[2];
  for (const [key, name] of Object.entries(SWITCHES)) if (state[key] !== true && state[key] !== false) return `${name}: on or off.`;
  const { norm: kind, gate, head, streams, rounds, layers, loops, borrow } = state;
  if (!NORMS.includes(kind)) return `Norms stand in one of these ways: ${NORMS.join(", ")}.`;
  if (!GATES.includes(gate)) return `A gate is one of ${GATES.join(", ")}.`;
  if (!data.heads.includes(head)) return `A head has ${data.heads.join(", ")} numbers.`;
  if (streams !== 1 && streams !== 4) return "There is one stream, or there are four.";
  if (!data.rounds.includes(rounds)) return `Rounds are ${data.rounds.join(", ")}.`;
  if (layers * loops > PASSES) return `Layers times loops are at most ${PASSES}.`;
  return borrow >= layers ? "At least one layer must keep keys and values of its own." : "";
}

const lent_of = ({ sources }) => sources.filter((one) => one >= 0).length;
const nearest = (value, values) => values.filter((one) => value >= one).at(-1) ?? values[0];
const switches = (row, data) => {
  const layers = Math.min(row.layers, 128);
  return {
    norm: row.norm, scale: Math.min(Math.max(row.scale, 0.01), 4), layers, qk: row.qk === 1, cap: row.cap || row.logits_cap, gate: row.gate,
    parallel: row.parallel === 1, head: nearest(row.head, data.heads), drafts: Math.min(row.mtp, 7), loops: Math.min(row.loops, 16, Math.floor(PASSES / layers)),
    borrow: Math.min(lent_of(row), layers - 1), own: row.table > 0, streams: nearest(row.streams, [1, 4]), rounds: nearest(row.rounds || 20, data.rounds),
  };
};
export function settle(state, given, data) {
  const row = find(state.model, data);
  if (!row || !given.includes("model")) return state;
  return { ...state, ...Object.fromEntries(Object.entries(switches(row, data)).filter(([key]) => !given.includes(key))) };
}

export function compute(state, data) {
  const row = find(state.model, data);
  const [made, cost] = [run(state), cost_of(state)];
  const plain = cost_of({ layers: cost.passes, loops: 1, borrow: 0, gate: "none", own: false, parallel: false });
  const lent = lent_of(row);
  const each = row.per_token / row.loops;
  return {
    ...made, growth: made.size / made.sizes[0], cost, plain,
    share: Object.fromEntries(["weights", "kept", "meetings"].map((key) => [key, cost[key] / plain[key]])),
    scores: scores_of(state), ceiling: ceiling_of(state), drafted: drafted_of(state), mixing: mixing_of(state),
    of: {
      ...row, lent, keeping: row.layers - lent, saved: 1 - 1 / row.full, table_share: row.table / row.total,
      mtp_share: row.mtp_numbers / (row.total + row.mtp_numbers), halves: 2 * row.layers,
    },
    looped: { each, bytes: each * state.loops, times: (each * state.loops) / data.beside.per_token, runs: row.layers * state.loops },
    beside: data.beside, who: data.who,
  };
}
