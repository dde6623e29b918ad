/* The drawing in words: beside it, for who does not see it, of one GPU, and its legend. */

import { h } from "../../../explainers/kit/dom.js";
import * as cacheCopies from "./cache-copies.js";
import * as placement from "./placement.js";
import * as ranks from "./ranks.js";
import { holder } from "./stage-boxes.js";
import * as topology from "./topology.js";
import * as words from "./words.js";

/** @import { Now, Picked } from "./types.d.ts" */

/**
 * @param {Pick<Now, "layout">} now
 * @returns {string}
 */
export const note = ({ layout: one }) => {
  const nodes = words.plural(one.nodes, "node");
  const alike = one.gpus / one.pp;
  return topology.side({ layout: one })
    ? `${nodes}; the memory of each GPU is the bar below it`
    : `${nodes}, ${words.plural(one.pp, "stage")}; one bar stands for ${words.int(alike)} identical GPUs`;
};

/**
 * The drawing in words, for who does not see it.
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {string}
 */
export const alt = (now, picked) => {
  const { layout: one, plan } = now;
  const out = [
    `${words.plural(one.nodes, "node")} of ${words.plural(one.per_node, "GPU")}, ${words.plural(one.pp, "pipeline stage")}.`,
  ];
  if (one.pp > 1)
    out.push(
      `Stage ${plan.fullest.stage} is fullest, ${words.gb(plan.fullest.total_bytes)} of ${words.gb(one.device.memory_bytes)} GB; stage ${plan.emptiest.stage} emptiest, ${words.gb(plan.emptiest.total_bytes)}.`,
    );
  else out.push(`Each GPU holds ${words.gb(plan.fullest.total_bytes)} of ${words.gb(one.device.memory_bytes)} GB.`);
  if (picked)
    out.push(
      `${picked.name}: ${holder(now, { from: picked.stage, to: picked.stage }, picked)} in stage ${picked.stage}.`,
    );
  const out_ = now.talks.filter((talk) => talk.leaving_bytes);
  out.push(
    out_.length
      ? `${words.capital(out_.map((talk) => `${talk.axis} ${talk.operation}, ${words.size(talk.leaving_bytes)}`).join("; "))}: these leave a node in a step.`
      : "Nothing leaves a node.",
  );
  return out.join(" ");
};

/**
 * The sentence of one GPU; saved(stage): bytes of activations at the cursor, or null.
 * @param {Now} now
 * @param {number} gpu
 * @param {(stage: number) => number | null} saved
 * @returns {string}
 */
export const gpu = (now, gpu, saved) => {
  const { layout: one, plan } = now;
  const stage = ranks.stage_of(one, gpu);
  const rank = plan.ranks[stage];
  const axes = /** @type {const} */ (["tp", "cp", "ep", "dp"])
    .filter((axis) => one[axis] > 1)
    .map((axis) => `${axis} rank ${ranks.place(one, axis, gpu)}`);
  const where = [`node ${Math.floor(gpu / one.per_node)}`, one.pp > 1 && `stage ${stage}`, ...axes]
    .filter(Boolean)
    .join(", ");
  const parts = words.PARTS.filter(([name]) => rank[name])
    .map(([name, word]) => {
      const at = name === "activations_bytes" ? saved(stage) : null;
      return at === null
        ? `${word} ${words.gb(rank[name])}`
        : `${word} ${words.gb(at)} of ${words.gb(rank[name])} at the cursor`;
    })
    .join(", ");
  return `GPU ${gpu}, ${where}, one of ${words.int(placement.perStage(one))} alike: ${words.gb(rank.total_bytes)} of ${words.gb(one.device.memory_bytes)} GB; ${parts}.`;
};

/** @param {Now} now */
export const legend = (now) => {
  const axes = words.AXES.filter((axis) => now.talksAll.some((talk) => talk.axis === axis));
  const held = words.PARTS.filter(([name]) => now.plan.ranks.some((rank) => rank[name]));
  /**
   * @param {string} cls
   * @param {string} text
   */
  const item = (cls, text) => h("li", {}, h("i", { class: cls, "aria-hidden": "true" }), text);
  return [
    axes.length
      ? h(
          "ul",
          { class: "legend" },
          h("li", { text: "a link" }),
          axes.map((axis) => item(`ax ax-${words.role(axis)}`, axis)),
          item("key-line", "inside a node"),
          item("key-dash", "between nodes"),
          h("li", { class: "muted", text: "line width: 1 MB to 1 TB per step, log scale" }),
        )
      : null,
    h(
      "ul",
      { class: "legend" },
      h("li", { text: "a GPU holds" }),
      held.map(([name, word]) => item(`ax key-${name}`, name === "activations_bytes" ? "activations at most" : word)),
      cacheCopies.copied(now) > 0 ? item("ax key-copy", "cache, a copy") : null,
      now.layout.job === "train" ? item("ax key-now", "activations and sends at the cursor") : null,
      item("key-cap", "its memory"),
    ),
  ];
};
