/* A sheet and a layout -> its pipeline stages, equal ones once; the twin of gallery/planning/distinct_stages.py. */

import * as lora from "./lora.js";
import { NUMBERS, RULE } from "./pieces.js";
import { count_sends, crosses_nodes } from "./pipeline-communication.js";
import * as stageWeights from "./stage-weights.js";
import * as stages from "./stages.js";

/** @import { Counts, KindCounts, Layout, Sheet } from "./types.d.ts" */

/**
 * A stage as far as its times differ from others': sums of parameters and of adapters by rule, how often it sends.
 * @typedef {{
 *   stage: number, layers: number[], counts: Counts, kinds: KindCounts, sums: Map<number, number>,
 *   adapters: Map<number, number>, last: boolean,
 * sends: number[],
 * }} StagePart
 */

/**
 * The stages of a layout, equal ones once: the one that holds most activations.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {StagePart[]}
 */
export const distinct_stages = (sheet, one) => {
  /** @type {Map<string, StagePart>} */
  const found = new Map();
  const rows = stageWeights.per_stage(sheet, one);
  const [firsts, lasts, tables] = [
    stages.first_stages(one),
    stages.last_stages(one),
    stageWeights.table_stages(sheet, one),
  ];
  stages.of(sheet.layers.length, one).forEach((layers, stage) => {
    const [counts, sends] = [stages.count_on_stage(sheet, one, stage, layers), count_sends(one, stage)];
    const [first, last] = [firsts.includes(stage), lasts.includes(stage)];
    const key = [
      [...counts].sort((a, b) => a[0] - b[0]).join(";"),
      first,
      last,
      sends,
      crosses_nodes(one, stage),
      tables.includes(stage),
    ].join(" ");
    const like = found.get(key);
    if (like && stages.in_flight(like.stage, one) >= stages.in_flight(stage, one)) return;
    const kinds = [...counts].map(([kind, many]) => /** @type {KindCounts[number]} */ ([sheet.kinds[kind], many]));
    const sums = stageWeights.sum_by_rule(rows[stage].map(([piece, times]) => [piece[RULE], piece[NUMBERS] * times]));
    const adapters = stageWeights.sum_by_rule(lora.adapter_rows(one, rows[stage]));
    found.set(key, { stage, layers, counts, kinds, sums, adapters, last, sends });
  });
  return [...found.values()];
};
