/* A plan -> the least time that a step can take, and what binds it; the twin of gallery/planning/seconds.py. */

import { count_passes } from "./collective-bytes.js";
import * as communication from "./communication.js";
import { list_once_per_step } from "./gradient-communication.js";
import { peak } from "./product-format.js";
import * as schedules from "./schedules.js";
import { tokens_per_copy, visited_share } from "./visited-experts.js";
import * as work from "./work.js";

/** @import { Bound, Held, Layout, Plan, Sheet, Talk, TermName } from "./types.d.ts" */

/** @type {TermName[]} */
export const TERMS = ["products", "memory", "inside", "outside"];
/** @type {{ [term in TermName]: string }} */
export const BINDS = {
  products: "products",
  memory: "memory",
  inside: "links in a node",
  outside: "links between nodes",
};

/**
 * flows: which of the four flow is. apart: where no traffic hides behind work; flow: what every micro-batch waits for;
 * idle: what the pipeline adds to either.
 * @param {number} products
 * @param {number} memory
 * @param {number} inside
 * @param {number} outside
 * @param {number} [bubble]
 * @param {number} [apart]
 * @param {number} [flow]
 * @param {number} [idle]
 * @param {number} [idle_apart]
 * @param {number} [flows]
 * @returns {Bound}
 */
export const make = (
  products,
  memory,
  inside,
  outside,
  bubble = 0,
  apart = 0,
  flow = 0,
  idle = 0,
  idle_apart = 0,
  flows = 0,
) => {
  const most = Math.max(products, memory, inside, outside);
  const one = /** @type {Bound} */ ({
    products,
    memory,
    inside,
    outside,
    bubble,
    seconds: Math.max(most, flow + idle),
  });
  Object.assign(one, {
    apart,
    flow,
    idle,
    idle_apart,
    flows,
    unhidden: apart + idle_apart,
    of_total: idle ? idle / one.seconds : 0,
  });
  one.term = flow + idle > most ? TERMS[flows] : /** @type {TermName} */ (TERMS.find((term) => one[term] === most));
  one.binds = BINDS[one.term];
  return one;
};

/**
 * Seconds on the links inside a node, and on those that leave it.
 * @param {Layout} one
 * @param {Talk[]} found
 * @returns {number[]}
 */
export const links = (one, found) => {
  const leaving = found.reduce((sum, talk) => sum + talk.leaving_bytes, 0);
  const stay = found.reduce((sum, talk) => sum + talk.bytes, 0) - leaving;
  return [stay / one.device.inside_bytes, leaving / one.outside_bytes];
};

/**
 * Bytes that a step reads of one rank's memory at least.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @param {Held} rank
 * @returns {number}
 */
export const read_bytes = (sheet, plan, rank) => {
  const one = plan.layout;
  if (one.job === "train") return weights_read(rank, one) + 2 * rank.optimizer_bytes;
  const once =
    rank.weights_bytes -
    rank.lookup_bytes +
    rank.experts_bytes * visited_share(sheet, tokens_per_copy(plan), one.redundant);
  return once + (one.job === "decode" ? plan.flight * rank.sequence_read_bytes : 0);
};

/**
 * Training: bytes of weights that all micro-batches read.
 * @param {Held} rank
 * @param {Layout} one
 * @returns {number}
 */
export const weights_read = (rank, one) => (rank.weights_bytes + rank.experts_bytes) * count_passes(one) * one.visits;

/**
 * The least time of each stage.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @returns {Bound[]}
 */
export const stage_bounds = (sheet, plan) =>
  plan.layout.job === "train" ? training_bound(sheet, plan) : serving_bound(sheet, plan);

/**
 * Of a step; the pipeline adds its bubble, in which stages wait for the quickest of them at least.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @returns {Bound[]}
 */
export const training_bound = (sheet, plan) => {
  const { layout: one } = plan;
  const [rate, { bandwidth_bytes: bandwidth }, times] = [peak(one, sheet), one.device, one.batch / one.dp];
  const share = schedules.bubble(one.runs, one.pp, one.chunks, one.micro_batches);
  const forth = work.stage_flops(sheet, one);
  const again = one.recompute === "full" ? work.stage_flops(sheet, one, false) : forth.map(() => 0);
  const spared = work.spared_flops(sheet, one);
  const found = plan.ranks.map((rank, i) => {
    const products = ((forth[i] * work.FORTH_AND_BACK - spared[i] + again[i]) * times) / rate;
    const weights = weights_read(rank, one) / bandwidth;
    const busy = Math.max(products, weights);
    const [near, far] = links(one, communication.list_collectives(sheet, plan, rank.stage));
    const [near_late, far_late] = links(one, list_once_per_step(sheet, one, rank));
    const [inside, outside] = [near - near_late, far - far_late];
    const memory = read_bytes(sheet, plan, rank) / bandwidth;
    const four = [products, weights, inside, outside];
    const flow = Math.max(...four);
    return {
      terms: [products, memory, near, far],
      apart: Math.max(products, memory) + near + far,
      flow,
      flows: four.indexOf(flow),
      alone: busy + inside + outside,
    };
  });
  const [idle, idle_apart] = [
    share * Math.min(...found.map(({ flow }) => flow)),
    share * Math.min(...found.map(({ alone }) => alone)),
  ];
  return found.map(({ terms: [products, memory, inside, outside], apart, flow, flows }) =>
    make(products, memory, inside, outside, share, apart, flow, idle, idle_apart, flows),
  );
};

/**
 * Of the sequences that pass a stage together.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @returns {Bound[]}
 */
export const serving_bound = (sheet, plan) => {
  const { layout: one } = plan;
  const forth = work.stage_flops(sheet, one);
  return plan.ranks.map((rank, i) => {
    const [near, far] = links(one, communication.list_collectives(sheet, plan, rank.stage)).map(
      (time) => (time * plan.flight) / Math.max(plan.here, 1),
    );
    const [products, memory] = [
      (forth[i] * plan.flight) / peak(one, sheet),
      read_bytes(sheet, plan, rank) / one.device.bandwidth_bytes,
    ];
    return make(products, memory, near, far, 0, Math.max(products, memory) + near + far);
  });
};

/**
 * The least time of a step: of its slowest stage; decoding, of one token's way through all stages.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @returns {Bound}
 */
export const bind_step = (sheet, plan) => {
  const found = stage_bounds(sheet, plan);
  /** @param {TermName | "apart"} key */
  const sum = (key) => found.reduce((total, one) => total + one[key], 0);
  if (plan.layout.job === "decode")
    return make(sum("products"), sum("memory"), sum("inside"), sum("outside"), 0, sum("apart"));
  const slowest = found.reduce((best, one) => (one.seconds > best.seconds ? one : best));
  const apart = plan.layout.job === "train" ? Math.max(...found.map((one) => one.apart)) : sum("apart");
  return make(
    slowest.products,
    slowest.memory,
    slowest.inside,
    slowest.outside,
    slowest.bubble,
    apart,
    slowest.flow,
    slowest.idle,
    slowest.idle_apart,
    slowest.flows,
  );
};
