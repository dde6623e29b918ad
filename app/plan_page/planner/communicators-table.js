/* A plan -> what the GPUs of a stage send to whom in a step, and how long their links are busy. */

import { h, s } from "../../../explainers/kit/dom.js";
import * as nowOf from "./now.js";
import { neighbour_stages } from "./pipeline-communication.js";
import * as placement from "./placement.js";
import * as ranks from "./ranks.js";
import { linkWidth } from "./stage-cells.js";
import * as stageWeights from "./stage-weights.js";
import { bar, cell, head, make } from "./tables.js";
import * as tips from "./tips.js";
import * as words from "./words.js";

/** @import { Now, Picked, Talk } from "./types.d.ts" */

/**
 * The ranks that a GPU of a stage sends to, and its own.
 * @param {Now} now
 * @param {number} stage
 * @param {number} me
 * @param {Talk} talk
 */
const members = ({ sheet, layout: one }, stage, me, talk) => {
  /** @param {number[]} stages_ */
  const at = (stages_) =>
    placement.words(
      stages_.map((other) => me + ranks.first_rank(one, other) - ranks.first_rank(one, stage)).sort((a, b) => a - b),
    );
  if (talk.operation.includes("both copies")) return at([stage, one.pp - 1 - stage]);
  if (talk.operation.includes("of the embedding")) return at(stageWeights.table_stages(sheet, one));
  return talk.axis === "pp"
    ? at([stage, ...neighbour_stages(one, stage).keys()])
    : placement.words(ranks.group(one, talk.axis, me));
};

/** @param {Talk} talk */
const link = (talk) => [
  s(
    "svg",
    { class: "wire", width: 26, height: 8, "aria-hidden": "true" },
    s("line", {
      class: `line-${words.role(talk.axis)}${talk.leaving_bytes ? " ln-out" : ""}`,
      "stroke-width": linkWidth(talk.bytes),
      x2: 26,
      y1: 4,
      y2: 4,
    }),
  ),
  talk.leaving_bytes ? `${words.size(talk.leaving_bytes)} leave the node` : "stays inside the node",
];

/**
 * The axes over which nothing is sent.
 * @param {Now} now
 * @param {Talk[]} found
 */
const silent = ({ layout: { job } }, found) => {
  const axes = ["tp", "pp", "cp", "dp", "edp"].filter((axis) => !found.some((talk) => words.role(talk.axis) === axis));
  return h(
    "tr",
    {},
    head(axes.join(", ")),
    h("td", {
      colspan: 6,
      class: "muted",
      text:
        job === "train"
          ? "1 rank each, or nothing to send"
          : "nothing to send: 1 rank each, or each rank has its own sequences",
    }),
  );
};

/**
 * The communicators of the picked tensor's stage, or of the fullest.
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {HTMLDivElement[]}
 */
export const communicatorsTable = (now, picked) => {
  const stage = picked ? picked.stage : now.plan.fullest.stage;
  const found = now.talksOf(stage).filter((talk) => talk.bytes);
  const me = picked ? picked.first : ranks.first_rank(now.layout, stage);
  const most = Math.max(...found.map((talk) => nowOf.busy(now, talk)), 1e-12);
  const rows = found.map((talk) => {
    const [role, busy] = [words.role(talk.axis), nowOf.busy(now, talk)];
    return h(
      "tr",
      { class: picked?.axis === role ? `lit soft-${picked.axis}` : false },
      head(h("i", { class: `ax ax-${role}`, "aria-hidden": "true" }), talk.axis),
      cell(talk.operation),
      cell(`${talk.ranks}: ${members(now, stage, me, talk)}`),
      cell(
        tips.number(words.size(talk.bytes), (formulas) => formulas.talk(now, talk)),
        "n",
      ),
      cell(link(talk)),
      cell(words.duration(busy), "n"),
      cell(bar(busy / most, `fill-${role}`), "wide"),
    );
  });
  return [
    make(
      "Communication between GPUs",
      [["axis"], ["operation"], ["ranks"], ["bytes", "n"], ["link"], ["busy", "n"], ["", "wide"]],
      [...rows, silent(now, found)],
      "talks",
    ),
  ];
};

/**
 * From where the communicators are seen.
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {string}
 */
export const communicatorsNote = ({ layout: one, plan }, picked) =>
  `bytes that GPU ${picked ? picked.first : ranks.first_rank(one, plan.fullest.stage)} sends per step`;
