/* A plan that serves -> what one step does, one thing after the other; the twin of gallery/planning/phases.py. */

import * as cacheMemory from "./cache-memory.js";
import * as communication from "./communication.js";
import { expert_parallel, expert_tensor } from "./expert-communication.js";
import { NAME, PART, TABLE } from "./pieces.js";
import { count_sends, pipeline_parallel } from "./pipeline-communication.js";
import { peak } from "./product-format.js";
import * as seconds from "./seconds.js";
import * as stageWeights from "./stage-weights.js";
import * as stages from "./stages.js";
import { tokens_per_copy, visited_share } from "./visited-experts.js";
import * as work from "./work.js";

/** @import { Bits, KindCounts, Layout, Pieces, Plan, Sheet, Slot, Talk } from "./types.d.ts" */

/**
 * [{stage, layer, what, axis, amount, seconds}, ...]; layer is -1 before the layers, and as many as there are after
 * them.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @param {Bits} bits_of
 */
export const of = (sheet, plan, bits_of) => {
  const bounds = seconds.stage_bounds(sheet, plan);
  return plan.ranks.flatMap((rank, i) => {
    const reads = bounds[i].memory >= bounds[i].products;
    /** @type {Map<number, Slot[]>} */
    const kinds = new Map();
    /**
     * @param {number} kind
     * @returns {Slot[]}
     */
    const inside = (kind) => {
      const found = kinds.get(kind) || layer(sheet, plan, kind, reads, bits_of);
      kinds.set(kind, found);
      return found;
    };
    /** @type {[layer: number, slots: Slot[]][]} */
    const rows = [
      [-1, ends(sheet, plan, rank.stage, reads, true)],
      ...rank.layers.map((one) => /** @type {[number, Slot[]]} */ ([one, inside(sheet.layers[one])])),
      [sheet.layers.length, [...ends(sheet, plan, rank.stage, reads, false), ...send_onward(sheet, plan, rank.stage)]],
    ];
    return rows.flatMap(([layer, slots]) =>
      slots.filter((slot) => slot.amount > 0).map((slot) => ({ stage: rank.stage, layer, ...slot })),
    );
  });
};

/**
 * @param {Pick<Plan, "flight" | "layout">} plan
 * @returns {number}
 */
export const tokens = ({ flight, layout: one }) => flight * (one.job === "prefill" ? one.sequence : 1);

/**
 * What one layer of a kind takes: its cache, then its weights, and whom its ranks meet between.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @param {number} kind
 * @param {boolean} reads whether memory is read longer than products take
 * @param {Bits} bits_of
 * @returns {Slot[]}
 */
export const layer = (sheet, plan, kind, reads, bits_of) => {
  const { layout: one } = plan;
  /** @type {KindCounts} */
  const row = [[sheet.kinds[kind], 1]];
  const many = tokens(plan);
  /** @param {Talk[]} list */
  const sent = (list) => list.map((talk) => collective_phase(one, talk));
  const [to, ...fro] = expert_parallel(one, row, many / one.tp, sheet.loops);
  const asked = one.job === "decode" ? sent(communication.decode_context(one, row, many, sheet.loops)) : [];
  const between = sent([...communication.tensor_parallel(sheet, one, row, many, sheet.loops), ...(to ? [to] : [])]);
  const late = sent([...fro, ...expert_tensor(one, row, many / one.tp, sheet.loops)]);
  if (!reads) return [...asked, products(sheet, plan, work.kind_flops(sheet, one)[kind]), ...between, ...late];
  const own = sheet.kinds[kind].pieces.map((piece) => /** @type {Pieces} */ ([piece, 1]));
  const [weights, experts] = stageWeights.rank_numbers(
    sheet,
    one,
    stageWeights.sum_by_rule(stageWeights.stored_bits_by_rule(sheet, one, own)),
    8,
  );
  const kept =
    one.job === "decode"
      ? plan.flight *
        cacheMemory.cache_bytes(
          sheet,
          one,
          cacheMemory.read_rows(cacheMemory.cache_rows(sheet, one.cache_dtype, [[kind, 1]], bits_of)),
          one.context,
        )
      : 0;
  return [
    read_bytes(one, "cache", kept),
    ...asked,
    read_bytes(one, "weights", weights),
    ...between,
    read_bytes(one, "experts", experts * visited_share(sheet, tokens_per_copy(plan), one.redundant)),
    ...late,
  ];
};

/**
 * What stands before the layers, or the head after them; a table of which a token reads one row is left out.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @param {number} stage
 * @param {boolean} reads
 * @param {boolean} first
 * @returns {Slot[]}
 */
export const ends = (sheet, plan, stage, reads, first) => {
  const { layout: one } = plan;
  const [last] = stages.last_stages(one);
  if (!reads) return stage === last && !first ? [products(sheet, plan, work.head_flops(sheet, one))] : [];
  const before = sheet.before.map((piece) => /** @type {Pieces} */ ([piece, 1]));
  let own = (stage === 0 ? before : []).filter(([piece]) =>
    first ? piece[PART] !== "embedding" : stageWeights.is_head(sheet, one, piece, stage),
  );
  if (!first && stage === last)
    own = [
      ...own,
      ...sheet.after.map((piece) => /** @type {Pieces} */ ([piece, 1])),
      ...before.filter(([piece]) => last && sheet.tied && piece[NAME] === TABLE),
    ];
  const [weights, experts] = stageWeights.rank_numbers(
    sheet,
    one,
    stageWeights.sum_by_rule(stageWeights.stored_bits_by_rule(sheet, one, own)),
    8,
  );
  return [read_bytes(one, "weights", weights + experts)];
};

/**
 * The stream to the next stage.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @param {number} stage
 * @returns {Slot[]}
 */
export const send_onward = (sheet, plan, stage) =>
  pipeline_parallel(sheet, plan.layout, count_sends(plan.layout, stage), tokens(plan), sheet.loops).map((talk) =>
    collective_phase(plan.layout, talk),
  );

/**
 * @param {Layout} one
 * @param {string} what
 * @param {number} size
 * @returns {Slot}
 */
export const read_bytes = (one, what, size) => ({
  what,
  axis: "",
  amount: size,
  seconds: size / one.device.bandwidth_bytes,
});

/**
 * FLOPs of one sequence, uncut -> the products of all that pass together on a rank.
 * @param {Sheet} sheet
 * @param {Pick<Plan, "flight" | "layout">} plan
 * @param {number} flops
 * @returns {Slot}
 */
export const products = (sheet, { flight, layout: one }, flops) => {
  const mine = (flops / (one.tp * one.cp)) * flight;
  return { what: "products", axis: "", amount: mine, seconds: mine / peak(one, sheet) };
};

/**
 * @param {Layout} one
 * @param {Talk} talk
 * @returns {Slot}
 */
export const collective_phase = (one, talk) => ({
  what: talk.operation,
  axis: talk.axis,
  amount: talk.bytes,
  seconds: seconds.links(one, [talk]).reduce((sum, each) => sum + each, 0),
});
