/* Twin of reference.py: who works how much, what travels, what each rank keeps. */
import { lazy, modulo, upto } from "../kit/arrays.js";
import { LATENT, once, TOKENS, WIDE } from "./partial_attention.js";
import { decode, ORDERS, owners, splits, WAYS, way } from "./run.js";

/** @import { Data, State } from "../../.make/data_types/context-parallel.d.ts" */

/** @typedef {Data["models"][number]} Model */

/** A rank's heads. @typedef {ReturnType<typeof here_of>} Own */

/** @typedef {ReturnType<typeof compute>} Now */

/**
 * What pictures are drawn from: a state, and over it what compute returns.
 * @typedef {Omit<State, keyof Now> & Now} Shown
 */

export const [RANKS, TENSOR, CURVE, BF16] = [[2, 4, 8, 16], [1, 2, 4, 8], [2, 4, 8, 16, 32, 64], 2];
/** @param {string} slug @param {Data} data */
const find = (slug, data) => data.models.find((row) => row.slug === slug);

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  if (!find(state.model, data)) return `No model here is called “${state.model}”; choose one from the list.`;
  if (!data.sequences.includes(state.sequence))
    return "A sequence has 8,192, 32,768, 131,072, 262,144, 524,288 or 1,048,576 tokens.";
  if (!RANKS.includes(state.cp)) return "The number of context-parallel ranks is 2, 4, 8 or 16.";
  if (!TENSOR.includes(state.tp)) return "The number of tensor-parallel ranks is 1, 2, 4 or 8.";
  if (!ORDERS.includes(state.order)) return `An order is one of ${ORDERS.join(", ")}.`;
  return upto(17).includes(state.step) ? "" : "A step is a whole number from 0 to 16.";
}

/** @param {number[]} list */
const add_all = (list) => list.reduce((a, b) => a + b, 0);
/** @param {State} state */
const work_of = ({ order, cp, sequence }) => {
  const [own, half] = [sequence / cp, sequence / cp / 2];
  /** @param {number} start @param {number} many */
  const stretch = (start, many) => many * start + (many * (many + 1)) / 2;
  /** @type {{ [order: string]: (r: number) => number }} */
  const pairs = {
    contiguous: (r) => stretch(r * own, own),
    striped: (r) => own * (r + 1) + (cp * own * (own - 1)) / 2,
    zigzag: (r) => stretch(r * half, half) + stretch((2 * cp - 1 - r) * half, half),
  };
  const each = upto(cp).map(pairs[order]);
  const mean = add_all(each) / cp;
  const most = Math.max(...each) / mean;
  return { each: each.map((one) => one / mean), most, least: Math.min(...each) / mean, idle: 1 - 1 / most };
};

const timetable = /* @__PURE__ */ once((/** @type {string} */ order, /** @type {number} */ ranks) => {
  const own = owners(order, ranks);
  const count = upto(ranks).map(() => new Array(ranks).fill(0));
  own.forEach((r, query) => {
    for (let key = 0; query >= key; key += 1) count[r][modulo(r - own[key], ranks)] += 1;
  });
  return count.map((row) => row.map((seen) => seen / (TOKENS / ranks) ** 2));
});

/** @param {State} state @param {number[][]} table @param {number} ring */
const moment = ({ cp, step: asked }, table, ring) => {
  const step = Math.min(asked, cp);
  return {
    words: `${step} of ${cp}`,
    done: add_all(table.map((row) => add_all(row.slice(0, step)))) / add_all(table.map(add_all)),
    busy: table.filter((row) => row[step] > 0).length,
    sent: (ring / (cp - 1)) * Math.min(step, cp - 1),
  };
};

/** @param {Model} row @param {State} state */
const here_of = (row, { tp }) => {
  const kv = Math.max(1, Math.floor(row.kv / tp));
  return { heads: row.heads / tp, kv, copies: (kv * tp) / row.kv };
};

/** @param {Model} row @param {{ heads: number, kv: number }} own @param {number} sequence @param {number} ranks */
const formulas = (row, { heads, kv }, sequence, ranks) => {
  const tokens = (ranks - 1) * (sequence / ranks) * BF16;
  const ring = tokens * kv * row.pair;
  const swapped = heads * (row.key + row.value) + Math.max(kv, ranks) * row.pair;
  return { ring, gather: ring, ulysses: splits(heads, kv, ranks) ? (tokens * swapped) / ranks : 0 };
};
/** @param {Model} row @param {{ heads: number, kv: number }} own @param {number} sequence @param {number} ranks */
const held_of = (row, { heads, kv }, sequence, ranks) => {
  const whole = sequence * kv * row.pair * BF16;
  const few = splits(heads, kv, ranks) ? Math.max(kv, ranks) / ranks : 0;
  return { ring: (2 * whole) / ranks, gather: whole, ulysses: sequence * few * row.pair * BF16 };
};
/** @param {Model} row @param {{ sent: { [tensor: string]: number } }} made @param {number} sequence */
const counted_of = (row, made, sequence) => {
  const [key, pair] = row.latent ? [LATENT, LATENT] : [WIDE, 2 * WIDE];
  /** @type {{ [tensor: string]: number }} */
  const times = { q: row.key / key, kv: row.pair / pair, o: row.value / WIDE };
  return (
    add_all(Object.entries(made.sent).map(([name, numbers]) => numbers * times[name])) * (sequence / TOKENS) * BF16
  );
};

/** @param {Model} row @param {State} state @param {Own} own */
const ways_of = (row, state, own) => {
  const { sequence, cp } = state;
  /** @type {{ [way: string]: number }[]} */
  const [sent, holds] = [formulas(row, own, sequence, cp), held_of(row, own, sequence, cp)];
  return Object.fromEntries(
    Object.keys(WAYS).map((name) => {
      const made = () => way(name, state.order, cp, own.heads, own.kv, row.latent); // a run, which most beats do not ask for
      return [
        name,
        lazy(
          { sent: sent[name], held: holds[name] },
          {
            counted: () =>
              made() ? counted_of(row, /** @type {{ sent: { [tensor: string]: number } }} */ (made()), sequence) : 0,
            off: () => made()?.off ?? 0,
            messages: () => made()?.messages ?? 0,
          },
        ),
      ];
    }),
  );
};

/** @param {Model} row @param {Own} own @param {number} sequence */
const curve_of = (row, own, sequence) => {
  const each = CURVE.map((ranks) => formulas(row, own, sequence, ranks));
  const less = CURVE.filter((_, i) => each[i].ulysses > 0 && each[i].ring > each[i].ulysses);
  return {
    ring: each.map((one) => one.ring),
    ulysses: each.map((one) => one.ulysses),
    less: less[0] || 0,
    most: CURVE[CURVE.length - 1],
  };
};

/** @param {Model} row @param {State} state @param {Own} own */
const cache_of = (row, { sequence, cp, tp }, own) => {
  const token = row.layers * row.pair * BF16;
  return {
    whole: sequence * row.kv * token,
    rank: (sequence / cp) * own.kv * token,
    alone: sequence * Math.max(1, Math.floor(row.kv / (cp * tp))) * token,
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const row = /** @type {Model} */ (find(state.model, data));
  const { title, heads, kv, pair, layers, windows, states } = row;
  const [own, table] = [here_of(row, state), timetable(state.order, state.cp)];
  const ways = ways_of(row, state, own);
  return lazy(
    {
      row: { title, heads, kv, pair, layers, windows, states, state: row.state },
      here: own,
      tokens: state.sequence / state.cp,
      gpus: state.cp * state.tp,
      drawn: { tokens: TOKENS, each: TOKENS / state.cp },
      owner: owners(state.order, state.cp),
      work: work_of(state),
      table,
      at: moment(state, table, ways.ring.sent),
      ways,
      swap: {
        heads: Math.floor(own.heads / state.cp),
        kv: Math.max(1, Math.floor(own.kv / state.cp)),
        copies: Math.max(1, Math.floor(state.cp / own.kv)),
        fits: [16, 8, 4, 2, 1].find((n) => state.cp >= n && splits(own.heads, own.kv, n)),
      },
      curve: curve_of(row, own, state.sequence),
      cache: cache_of(row, state, own),
    },
    { decode: () => decode(state.cp, own.heads, own.kv, row.latent) },
  );
}
