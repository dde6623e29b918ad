/* A model's published runs and a layout -> what a GPU did in a run of the same layout, the fastest first; gallery/planning/measured.py. */

/** @import { Layout, MeasuredRun } from "./types.d.ts" */

/** @type {(keyof MeasuredRun & keyof Layout)[]} */
export const SAME = ["gpus", "batch", "micro_batch", "sequence", "tp", "pp", "chunks", "cp", "ep", "zero"];
/**
 * @param {MeasuredRun[] | undefined} runs
 * @param {Layout} one
 * @returns {MeasuredRun[]}
 */
export const matching_runs = (runs, one) =>
  one.job !== "train"
    ? []
    : (runs || [])
        .filter(
          (run) =>
            run.device === one.device.name &&
            ["", run.compute_dtype].includes(one.compute_dtype) &&
            !run.lora_rank === !one.lora_rank &&
            SAME.every((name) => run[name] === one[name]),
        )
        .sort((a, b) => b.tokens - a.tokens);
