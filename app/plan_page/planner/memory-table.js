/* A plan -> GB by part and stage. */

import { h } from "../../../explainers/kit/dom.js";
import * as stageBoxes from "./stage-boxes.js";
import { cell, head, make } from "./tables.js";
import * as tips from "./tips.js";
import * as words from "./words.js";

/** @import { Held, HeldPart, Now, Picked } from "./types.d.ts" */

/**
 * @param {Now} now
 * @param {Held} rank
 * @param {HeldPart} name
 */
const part = (now, rank, name) =>
  cell(rank[name] ? tips.number(words.gb(rank[name]), (formulas) => formulas.part(now, rank, name)) : "–", "n");

/**
 * @param {Now} now
 * @param {Held} rank
 */
const total = (now, rank) =>
  cell(
    tips.number(words.gb(rank.total_bytes), (formulas) => formulas.total(now, rank)),
    "n",
  );

/**
 * GB by part and stage.
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {HTMLDivElement[]}
 */
export const memoryTable = (now, picked) => {
  const boxes = stageBoxes.list(now, picked);
  const { layout: one, plan } = now;
  const parts = words.PARTS.filter(([name]) => plan.ranks.some((rank) => rank[name]));
  const rows = [...parts].reverse().map(([name, word]) => {
    const key = h("i", { class: `ax key-${name}`, "aria-hidden": "true" });
    const said = name === "activations_bytes" ? "activations, peak" : word;
    return h(
      "tr",
      {},
      head(key, said),
      boxes.map(({ rank }) => part(now, rank, name)),
    );
  });
  const totals = boxes.map(({ rank }) => total(now, rank));
  rows.push(h("tr", { class: "sum" }, head(`of ${words.gb(plan.room_bytes)}`), totals));
  if (plan.sequences) {
    const fit = tips.number(words.int(plan.sequences), (formulas) => formulas.sequences(now));
    const empty = boxes.slice(1).map(() => cell(""));
    rows.push(h("tr", { class: "sum" }, head("sequences, all GPUs"), cell(fit, "n"), empty));
  }
  const heads = boxes.map(({ from, to }) => [
    one.pp === 1 ? (one.gpus > 1 ? "each GPU" : "the GPU") : from === to ? `stage ${from}` : `stages ${from}–${to}`,
    "n",
  ]);
  return [make("Memory per GPU, in GB", [["", ""], ...heads], rows)];
};
