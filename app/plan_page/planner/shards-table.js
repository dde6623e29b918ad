/* A plan -> its tensors, those that are sharded alike as one row: who owns them, and how many copies there are. */

import { h } from "../../../explainers/kit/dom.js";
import { SHAPE } from "./pieces.js";
import * as placement from "./placement.js";
import * as shardedTensors from "./sharded-tensors.js";
import { cell, head, make } from "./tables.js";
import * as words from "./words.js";

/** @import { Now, OwnerRow, Picked } from "./types.d.ts" */

/**
 * @param {Now} now
 * @param {Picked | null} picked
 * @param {(name: string) => void} pick
 * @param {OwnerRow} row
 */
const line = ({ sheet, layout: one }, picked, pick, row) => {
  const held = placement.owners(one, row.rule, 0);
  const mine =
    picked && picked.row.label === row.label && picked.row.where === row.where && picked.row.rule === row.rule;
  const shape =
    row.most[SHAPE]
      .slice(row.rule[0] === "experts" ? 1 : 0)
      .map(words.int)
      .join(" × ") + (row.pieces.length > 1 ? " …" : "");
  const ends = shardedTensors.ends(sheet, one, row);
  const stage = ends
    ? `${ends.length > 1 ? "stages" : "stage"} ${ends.join(" and ")}`
    : one.copies > 1
      ? "its two stages"
      : "its stage";
  const copies = held.copies * (ends ? ends.length : one.copies);
  const who = held.parts * copies === 1 ? "one GPU" : one.pp > 1 ? stage : "all";
  return h(
    "tr",
    { class: mine ? `lit soft-${picked.axis}` : false },
    head(
      h(
        "button",
        {
          type: "button",
          class: "link",
          "aria-pressed": String(Boolean(mine)),
          on: { click: () => pick(mine ? "" : shardedTensors.name(row)) },
        },
        row.label,
      ),
    ),
    cell(words.runs(row.layers) || "–"),
    cell(shape),
    cell(shardedTensors.say_cut(row.rule, one)),
    cell(words.int(copies), "n"),
    cell(row.rule[0] === "experts" && one.ep > 1 && one.etp === 1 ? `ep rank of the expert` : who),
  );
};

/**
 * Tensors that are dealt alike; pressing one lights its owners.
 * @param {Now} now
 * @param {Picked | null} picked
 * @param {(name: string) => void} pick
 * @returns {HTMLDivElement[]}
 */
export const shardsTable = (now, picked, pick) => {
  const rows = shardedTensors.rows(now).map((row) => line(now, picked, pick, row));
  return [
    make(
      "Shards of every tensor",
      [["tensor"], ["layers"], ["shape"], ["cut by"], ["copies", "n"], ["owners"]],
      rows,
      "owns",
    ),
  ];
};
