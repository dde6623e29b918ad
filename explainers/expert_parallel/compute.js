/* Twin of reference.py, folding.py and measured.py: a model, so many nodes and a batch -> all that is printed. */
import { lazy } from "../kit/arrays.js";
import { makeMesh } from "../kit/mesh.js";
import { fmt } from "../kit/numbers.js";
import { exchange_of, OUT_AND_BACK } from "./exchange.js";
import { sent_to, slots_of } from "./placing.js";
import { GROUPS, grouped, PER_NODE, remembered, route, rule_of, TOKENS, upto } from "./routing.js";

export const [WORLD, STEPS] = [64, ["scores", "groups", "choice", "network", "inside", "sums", "back"]];
const NAMES = /* @__PURE__ */ "slug title experts k groups kept group_score scoring bias width layers".split(" ");
export const find = (slug, data) => {
  const row = data.models.find((one) => one[0] === slug);
  return row && Object.fromEntries(NAMES.map((name, i) => [name, row[i]]));
};
const legal_nodes = (row, data) => data.nodes.filter((nodes) => row.experts % (nodes * PER_NODE) === 0);
const or_words = (values) =>
  values.length > 1 ? `${values.slice(0, -1).join(", ")} or ${values.at(-1)}` : String(values[0]);
const whole_below = (v, below) => Number.isInteger(v) && v >= 0 && below > v;

export function check(state, data) {
  const row = find(state.model, data);
  if (!row) return `No mixture of experts here is called “${state.model}”; choose one from the list.`;
  const lists = {
    nodes: data.nodes,
    limit: data.limits,
    capacity: data.capacities,
    dispatch: data.dispatches,
    kind: data.kinds,
    ...data.sizes,
  };
  for (const [key, allowed] of Object.entries(lists))
    if (!allowed.includes(state[key])) return `${key}: one of ${or_words(allowed)}.`;
  if (typeof state.skew !== "number" || !(state.skew >= 0 && 1 >= state.skew)) return "skew: a number from 0 to 1.";
  for (const [key, below] of [
    ["token", TOKENS],
    ["step", STEPS.length],
    ["gpu", WORLD],
  ]) {
    if (!whole_below(state[key], below)) return `${key}: a whole number from 0 to ${fmt.int(below - 1)}.`;
  }
  return fitting(state, row, data);
}
const fitting = (state, row, data) => {
  const gpus = state.nodes * PER_NODE;
  if (!legal_nodes(row, data).includes(state.nodes))
    return `${row.experts} experts are not dealt out evenly to ${gpus} GPUs; they are to ${or_words(legal_nodes(row, data).map((n) => n * PER_NODE))}.`;
  const groups = row.groups > 1 ? row.groups : GROUPS;
  const enough = (limit) => limit * row.experts >= row.k * groups;
  if (state.limit && !enough(state.limit))
    return `${row.k} experts do not fit into ${state.limit} of ${groups} groups; take ${data.limits.slice(1).find(enough)} or more.`;
  return gpus * state.etp > WORLD
    ? `EP ${gpus} × ETP ${state.etp} are more than the ${WORLD} GPUs; take ETP ${WORLD / gpus} or less.`
    : "";
};
export function settle(state, given, data) {
  const row = find(state.model, data);
  if (!row || given.includes("nodes") || !data.nodes.includes(state.nodes)) return { ...state };
  return { ...state, nodes: Math.max(...legal_nodes(row, data).filter((nodes) => state.nodes >= nodes)) };
}

/* ---------------------------------------------------------------- the layer */
const dealt = /* @__PURE__ */ remembered(({ row, nodes, limit, kind, skew, capacity, spare }) => {
  const { choice, scores } = route(row, { kind, skew }, limit);
  const load = upto(row.experts).map(() => 0);
  for (const one of choice) for (const e of one) load[e] += 1;
  const slots = slots_of(load, nodes, spare);
  const room = Math.ceil((capacity * TOKENS * row.k) / row.experts);
  return { row, nodes, choice, scores, load, slots, room, ...sent_to(choice, slots, room) };
});
const exchanged = /* @__PURE__ */ remembered((key) => exchange_of(dealt(key)));
const each_choice = ({ where, fits }, fn) =>
  where.forEach((row, t) => row.forEach((slot, i) => fn(t, slot, fits[t][i])));

const others = (made) => {
  const per = made.slots.length / made.nodes;
  const each = TOKENS / made.nodes;
  return made.where.map(
    (row, t) =>
      new Set(
        row
          .filter((slot, i) => made.fits[t][i] && Math.floor(slot / per) !== Math.floor(t / each))
          .map((slot) => Math.floor(slot / per)),
      ).size,
  );
};
const counts = (values, length) => {
  const out = upto(length).map(() => 0);
  for (const v of values) out[v] += 1;
  return out;
};
const mean_of = (values) => values.reduce((a, b) => a + b, 0) / values.length;
const sorted = (values) => [...new Set(values)].sort((a, b) => a - b);

const journey = (state, made, rule) => {
  const { token, nodes } = state;
  const gpus = nodes * PER_NODE;
  const per = made.slots.length / gpus;
  const scores = made.scores(token);
  const goals = made.where[token].filter((_, i) => made.fits[token][i]);
  const home = Math.floor((token * gpus) / TOKENS);
  const at = sorted(goals.map((slot) => Math.floor(slot / per)));
  const node = (gpu) => Math.floor(gpu / PER_NODE);
  const doors = sorted(at.map(node));
  const away = doors.filter((one) => one !== node(home));
  const inside = at.filter((gpu) => gpu % PER_NODE !== home % PER_NODE);
  return {
    gpu: home,
    node: node(home),
    scores: [...scores],
    low: Math.min(...scores),
    high: Math.max(...scores),
    picks: made.choice[token],
    goals,
    gpus: at,
    nodes: doors,
    away,
    inside,
    lost: made.row.k - goals.length,
    visits: { gpus: at.length, nodes: doors.length, away: away.length, inside: inside.length },
    ...grouped(scores, rule),
  };
};
const sent_by = ({ visits: { away, inside } }, copy, step) => {
  const upto_step = (steps) => steps.slice(0, step + 1).reduce((a, b) => a + b, 0);
  return {
    network: upto_step([0, 0, 0, away * copy.out, 0, 0, away * copy.back]),
    inside: upto_step([0, 0, 0, 0, inside * copy.out, inside * copy.back, 0]),
    number: step + 1,
    steps: STEPS.length,
    name: STEPS[step],
  };
};
const load_of = (made, gpus) => {
  const per = made.slots.length / gpus;
  const [asked, kept] = [0, 1].map(() => upto(gpus).map(() => 0));
  each_choice(made, (t, slot, ok) => {
    asked[Math.floor(slot / per)] += 1;
    if (ok) kept[Math.floor(slot / per)] += 1;
  });
  const all = TOKENS * made.row.k;
  const [most, expert] = [Math.max(...kept), Math.max(...made.load)];
  return {
    asked,
    kept,
    mean: all / gpus,
    most,
    busiest: kept.indexOf(most),
    ratio: most / (all / gpus),
    expert,
    expert_ratio: (expert * made.load.length) / all,
  };
};
const traffic = (made, copy, away, rule) => {
  const per = made.slots.length / made.nodes;
  let far = 0;
  each_choice(made, (t, slot, ok) => {
    if (ok && Math.floor(slot / per) !== Math.floor((t * made.nodes) / TOKENS)) far += 1;
  });
  const [out, within, within_back, out_back] = OUT_AND_BACK.map((name) => made.counted[name]);
  const reach = rule.groups > 1 ? rule.kept * Math.ceil(made.nodes / rule.groups) : made.nodes;
  const [most, both] = [Math.min(reach, made.row.k, made.nodes - 1), copy.out + copy.back];
  return {
    network: out,
    inside: within,
    network_back: out_back,
    inside_back: within_back,
    network_out_bytes: out * copy.out,
    network_back_bytes: out_back * copy.back,
    inside_out_bytes: within * copy.out,
    inside_back_bytes: within_back * copy.back,
    busiest: made.busiest,
    busiest_bytes: made.busiest * copy.out,
    away: out / TOKENS,
    seen: Math.max(...away),
    most,
    each: far / TOKENS,
    token_bytes: (out / TOKENS) * both,
    each_bytes: (far / TOKENS) * both,
    model_bytes: (out / TOKENS) * both * made.row.layers,
    most_bytes: most * both * made.row.layers,
  };
};

const copy_of = (width, dispatch) => {
  const scales = dispatch === "fp8" ? Math.ceil(width / 128) : 0;
  return { numbers: width, scales, out: width * (scales ? 1 : 2) + 4 * scales, back: 2 * width };
};
const fold_of = ({ tp, cp, etp, nodes, gpu }) => {
  const ep = nodes * PER_NODE;
  const [attention, experts] = [
    { dp: WORLD / (tp * cp), cp, tp },
    { edp: WORLD / (ep * etp), ep, etp },
  ];
  const mesh = makeMesh(attention, PER_NODE, experts);
  const by_axis = (fn) => Object.fromEntries(Object.keys({ ...attention, ...experts }).map((axis) => [axis, fn(axis)]));
  return {
    gpus: WORLD,
    ...attention,
    ...experts,
    places: by_axis((axis) => mesh.ranks.map((rank) => mesh.place(rank, axis))),
    here: by_axis((axis) => mesh.place(gpu, axis)),
    group: by_axis((axis) => mesh.group(gpu, axis)),
  };
};

export function compute(state, data) {
  const row = find(state.model, data);
  const { nodes, limit, kind, skew, capacity, spare } = state;
  const key = { row, nodes, limit, kind, skew, capacity, spare };
  const made = dealt(key);
  const rule = rule_of(row, limit);
  const far = lazy({}, { away: () => others(made), own: () => others(dealt({ ...key, limit: 0 })) });
  const [gpus, copy] = [nodes * PER_NODE, copy_of(row.width, state.dispatch)];
  const token = journey(state, made, rule);
  const dropped = () => {
    const lost = made.fits.map((one) => one.filter((ok) => !ok).length);
    const choices = lost.reduce((a, b) => a + b);
    return { room: made.room, choices, share: choices / (TOKENS * row.k), tokens: lost.filter(Boolean).length };
  };
  return lazy(
    {
      title: row.title,
      experts: row.experts,
      chosen: row.k,
      layers: row.layers,
      scoring: row.scoring || "none",
      groups: rule.groups,
      kept: rule.kept,
      gpus,
      tokens: TOKENS,
      own_tokens: TOKENS / gpus,
      per_gpu: made.slots.length / gpus,
      slots: made.slots,
      copied: counts(made.slots, row.experts).filter((n) => n > 1).length,
      copy,
      here: token,
      at: sent_by(token, copy, state.step),
      measured: data.measured,
    },
    {
      // the journey of one token asks for none of these
      layer: () => traffic({ ...made, ...exchanged(key) }, copy, far.away, rule),
      wrong: () => exchanged(key).wrong,
      spread: () => counts(far.away, nodes),
      spread_own: () => counts(far.own, nodes),
      own_away: () => mean_of(far.own),
      load: () => load_of(made, gpus),
      drop: dropped,
      fold: () => fold_of(state),
    },
  );
}
