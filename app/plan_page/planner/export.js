/* A plan -> what can be carried away: the address, and those keys of `cutaway plan --json` that the page has at hand.

Not `layouts`, `owners`, `formulas`, `fits.fixes` and `fits.wastes`: a note says so. `fits.says` and `step.says` are the page's sentences. */

import { setText } from "../../../explainers/kit/dom.js";
import * as address from "./address.js";
import * as flags from "./flags.js";
import * as notes from "./notes.js";
import * as ranks from "./ranks.js";
import * as sentences from "./sentences.js";
import * as stageWeights from "./stage-weights.js";
import * as words from "./words.js";
import * as work from "./work.js";

/** @import { Held, Layout, Now, Talk } from "./types.d.ts" */

const AXES = ["nodes", "per_node", "gpus", "tp", "pp", "chunks", "cp", "dp", "ep", "etp", "edp", "zero", "job"];
const SIZES = [
  "sequence",
  "context",
  "batch",
  "micro_batch",
  "recompute",
  "offload",
  "lora_rank",
  "redundant",
  "gradient_bytes",
  "weights_dtype",
  "cache_dtype",
  "compute_dtype",
  "used",
  "split",
  "cp_kind",
  "dp_shard",
  "order",
  "weight_bytes",
  "optimizer_bytes",
  "dispatch_dtype",
  "dcp",
  "imbalance",
  "mtp",
  "framework_bytes",
];
const LESS = ["not here", "layouts, owners, formulas, fits.fixes, fits.wastes: `cutaway plan --json` has them"];
/**
 * @param {object} from
 * @param {string[]} names
 */
const pick = (from, names) =>
  Object.fromEntries(names.map((name) => [name, /** @type {{ [name: string]: unknown }} */ (from)[name]]));

/**
 * Who is in a communicator of a stage's first rank, and how many of them share its node; plan_json.py's talk_json.
 * @param {Pick<Now, "sheet" | "layout">} now
 * @param {number} stage
 * @param {Talk} talk
 */
const talk = ({ sheet, layout: one }, stage, talk) => {
  /** @param {number[]} list */
  const firsts = (list) => list.map((each) => ranks.first_rank(one, each)).sort((a, b) => a - b);
  let [members, near] = [
    ranks.group(one, talk.axis, ranks.first_rank(one, stage)),
    ranks.count_in_node(one, talk.axis),
  ];
  if (talk.operation.includes("both copies"))
    [members, near] = [firsts([stage, one.pp - 1 - stage]), talk.leaving_bytes ? 1 : 2];
  if (talk.operation.includes("of the embedding")) {
    /** @param {number} rank */
    const node = (rank) => Math.floor(rank / one.per_node);
    members = firsts(stageWeights.table_stages(sheet, one));
    near = members.filter((rank) => node(rank) === node(members[0])).length;
  }
  return { label: "computed", stage, ...talk, members, near };
};

/** @param {Now} now */
export const json = (now) => {
  const { layout: one, plan, bound } = now;
  /** @param {Held} held */
  const rank = (held) => ({
    label: "computed",
    stage: held.stage,
    layers: held.layers,
    alike: one.gpus / one.pp,
    first: ranks.first_rank(one, held.stage),
    ...pick(
      held,
      words.PARTS.map(([name]) => name),
    ),
    ...pick(held, [
      "sequence_cache_bytes",
      "sequence_padding_bytes",
      "sequence_fixed_bytes",
      "sequence_read_bytes",
      "total_bytes",
    ]),
  });
  const train = one.job === "train";
  const step = plan.timed
    ? {
        seconds: bound.seconds,
        unhidden_seconds: bound.unhidden,
        tokens: (train ? one.batch : one.batch || plan.here * one.dp) * (one.job === "decode" ? 1 : one.sequence),
        products_seconds: bound.products,
        memory_seconds: bound.memory,
        inside_seconds: bound.inside,
        outside_seconds: bound.outside,
        flow_seconds: bound.flow,
        idle_seconds: bound.idle,
        bubble: bound.bubble,
        bubble_of_all: bound.of_total,
        binds: bound.binds,
        training_flops_per_token: train ? work.training_flops(now.sheet, one.sequence, one.lora_rank) : null,
        measured: now.runs,
      }
    : { seconds: null };
  return {
    plan: { model: now.chosen.m, device: one.device.name, schedule: one.runs, ...pick(one, AXES), ...pick(one, SIZES) },
    fits: {
      label: train ? "extrapolated" : "computed",
      fits: plan.fits,
      says: sentences.headline(now),
      memory_bytes: one.device.memory_bytes,
      room_bytes: plan.room_bytes,
      fullest: plan.fullest.stage,
      emptiest: plan.emptiest.stage,
      sequences: plan.sequences,
      longest_context: plan.longest_context,
    },
    ranks: plan.ranks.map(rank),
    communicators: plan.ranks.flatMap((held) => now.talksOf(held.stage).map((each) => talk(now, held.stage, each))),
    step: { label: "bounded", says: sentences.because(now), ...step },
    flags: Object.fromEntries(
      flags
        .engines(one)
        .map((name) => [name, { flags: flags.of(one, name, now.sheet), untold: flags.untold(one, name) }]),
    ),
    address: address.of(one, { m: now.chosen.m }),
    notes: [...notes.list(now), LESS],
  };
};

/**
 * @param {Now} now
 * @returns {string[][]}
 */
export const tabs = ({ layout: one }) => [
  ...flags.engines(one).map((name) => [name, name]),
  ["json", "JSON"],
  ["link", "this page's address"],
];
/** @type {{ [engine: string]: (m: string) => string }} */
const BEFORE = {
  "Megatron-LM": () => "",
  vLLM: (m) => `vllm serve ${m} `,
  SGLang: (m) => `python -m sglang.launch_server --model-path ${m} `,
};
/**
 * @param {Now} now
 * @param {string} kind
 * @returns {string}
 */
export const text = (now, kind) => {
  if (kind === "json") return JSON.stringify(json(now), null, 1);
  if (kind === "link") return new URL(now.address, location.href).href;
  const untold = flags
    .untold(now.layout, kind)
    .map((said) => `\n# not said by these flags: ${said}`)
    .join("");
  return `${BEFORE[kind](now.chosen.m.startsWith("local:") ? "MODEL" : now.chosen.m)}${flags.of(now.layout, kind, now.sheet)}${untold}`;
};

/**
 * @param {HTMLElement} button
 * @param {string} text
 */
export const copy = async (button, text) => {
  const word = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    setText(button, "Copied");
  } catch {
    setText(button, "Press Ctrl+C in the box below");
  }
  setTimeout(() => setText(button, word), 2000);
};
