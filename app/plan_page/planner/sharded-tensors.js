/* A sheet -> rows of tensors that are dealt alike, and what one of them is called, where it stands and who holds it. */

import { BYTES, NAME, NUMBERS, PART, RULE, SHAPE, TABLE } from "./pieces.js";
import * as placement from "./placement.js";
import * as ranks from "./ranks.js";
import * as stageWeights from "./stage-weights.js";
import * as stages from "./stages.js";
import * as words from "./words.js";

/** @import { Layout, Now, OwnerRow, Picked, Piece, Rule, Sheet } from "./types.d.ts" */

/** @param {string} name */
const bare = (name) => name.replace(/\.(weight|bias)$/, "").replace("{expert}", "*");
/** @param {string} name */
const parent = (name) => bare(name).split(".").slice(0, -1).join(".");
/** @param {Piece} piece */
const isNorm = (piece) => piece[PART] === "norm" || /norm/.test(`${bare(piece[NAME]).split(".").at(-1)}`);

/**
 * [{label, pieces, layers, rule, most: the largest piece, where}], in the order in which a token meets them.
 * @param {Now} now
 * @returns {OwnerRow[]}
 */
export const rows = (now) => {
  const { sheet } = now;
  /** @type {Map<string, { parent: string, pieces: Map<string, Piece>, layers: Set<number>, rule: Rule, where: OwnerRow["where"] }>} */
  const found = new Map();
  /**
   * @param {Piece} piece
   * @param {number[]} layers
   * @param {OwnerRow["where"]} where
   */
  const add = (piece, layers, where) => {
    const under = isNorm(piece) ? "norms" : parent(piece[NAME]);
    const key = where === "inside" || where === "mtp" ? `${where} ${under} ${piece[RULE]}` : `${where} ${piece[NAME]}`;
    const row = found.get(key) ?? {
      parent: under,
      pieces: new Map(),
      layers: new Set(),
      rule: sheet.rules[piece[RULE]],
      where,
    };
    found.set(key, row);
    if (!row.pieces.has(piece[NAME])) row.pieces.set(piece[NAME], piece);
    for (const layer of layers) row.layers.add(layer);
  };
  for (const piece of sheet.before) add(piece, [], "before");
  const byKind = sheet.kinds.map((_, kind) => sheet.layers.flatMap((one, layer) => (one === kind ? [layer] : [])));
  sheet.kinds.forEach((kind, i) => {
    for (const piece of byKind[i].length ? kind.pieces : []) add(piece, byKind[i], "inside");
  });
  for (const kind of new Set(stages.mtp_kinds(sheet, now.layout)))
    for (const piece of sheet.kinds[kind].pieces) add(piece, [], "mtp");
  for (const piece of sheet.after) add(piece, [], "after");
  return [...found.values()].map((row) => {
    const pieces = [...row.pieces.values()];
    const most = pieces.reduce((best, one) => (one[NUMBERS] > best[NUMBERS] ? one : best));
    const many = pieces.length;
    const ahead = row.where === "mtp" ? "mtp." : "";
    const label =
      row.parent === "norms" && (ahead || row.where === "inside")
        ? `${ahead}norms (${many})`
        : many === 1
          ? ahead + bare(most[NAME])
          : `${ahead}${row.parent ? `${row.parent}.` : ""}* (${many})`;
    return { ...row, label, pieces, most, layers: [...row.layers].sort((a, b) => a - b) };
  });
};

/**
 * @param {Rule} rule
 * @param {Layout} one
 * @returns {string}
 */
export const say_cut = (rule, one) => {
  const [word] = rule;
  if (word === "experts") {
    const bits = [
      one.ep > 1 && `ep: ${words.short((rule[1] + one.redundant) / one.ep)} of ${rule[1] + one.redundant}`,
      rule[2] && one.etp > 1 && `etp ${one.etp}`,
    ];
    return bits.filter(Boolean).join(", ") || "–";
  }
  if (word === "whole" || one.tp === 1) return "–";
  return word === "heads" ? `tp: ${words.short(Math.max(rule[1] / one.tp, 1))} of ${rule[1]} heads` : `tp ${one.tp}`;
};

/**
 * The name of one tensor of a row: in the middle of its layers, its middle expert.
 * @param {OwnerRow} row
 * @returns {string}
 */
export const name = (row) => {
  const layer = row.layers[Math.floor(row.layers.length / 2)];
  const expert = row.rule[0] === "experts" ? Math.floor(row.rule[1] / 7) : 0;
  const bare = row.most[NAME].replace(/\.(weight|bias)$/, "").replace("{expert}", String(expert));
  return row.where === "inside" ? `layers.${layer}.${bare}` : row.where === "mtp" ? `mtp.${bare}` : bare;
};

/**
 * The stages of what stands outside the layers; null inside.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {OwnerRow} row
 * @returns {number[] | null}
 */
export const ends = (sheet, one, { where, most }) => {
  if (where === "before" && most[NAME] === TABLE) return stageWeights.table_stages(sheet, one);
  if (where === "inside") return null;
  return { before: stages.first_stages, mtp: stages.mtp_stages, after: stages.last_stages }[where](one);
};

/**
 * A tensor of the layers that predict further tokens, as an address names it, and which expert that is.
 * @param {string} bare
 * @param {string} text
 * @returns {[name: string, expert: number]}
 */
const ahead = (bare, text) => {
  const expert = /\.experts\.(\d+)\./.exec(text || "")?.[1] ?? "0";
  return [`mtp.${bare.replace("{expert}", expert)}`, Number(expert)];
};

/**
 * "layers.20.mlp.experts.37.gate_proj" -> {row, layer, expert, stage, piece}, or null where the model has no such
 * tensor.
 * @param {Now} now
 * @param {string} text
 */
const find = (now, text) => {
  const match = /^layers\.(\d+)\.(.+)$/.exec(text || "");
  for (const row of rows(now))
    for (const piece of row.pieces) {
      const bare = piece[NAME].replace(/\.(weight|bias)$/, "");
      if (row.where !== "inside") {
        const [own, expert] = row.where === "mtp" ? ahead(bare, text) : [bare, 0];
        if (own === text)
          return {
            row,
            piece,
            layer: null,
            expert,
            stage: /** @type {number[]} */ (ends(now.sheet, now.layout, row))[0],
            name: text,
          };
        continue;
      }
      if (!match || !row.layers.includes(Number(match[1]))) continue;
      const [head, tail] = bare.split("{expert}");
      const middle =
        match[2].startsWith(head) && tail !== undefined && match[2].endsWith(tail)
          ? match[2].slice(head.length, match[2].length - tail.length)
          : "";
      if (match[2] !== bare && !(tail !== undefined && /^\d+$/.test(middle) && Number(middle) < row.rule[1])) continue;
      const layer = Number(match[1]);
      return {
        row,
        piece,
        layer,
        expert: Number(middle) || 0,
        stage: now.plan.ranks.findIndex((rank) => rank.layers.includes(layer)),
        name: text,
      };
    }
  return null;
};

/**
 * Everything the page says of a picked tensor.
 * @param {Now} now
 * @param {string} text
 * @returns {Picked | null}
 */
export const describe_tensor = (now, text) => {
  const found = find(now, text);
  if (!found || found.stage < 0) return null;
  const { layout: one } = now;
  const held = placement.owners(one, found.row.rule, found.expert);
  const all = placement.stage_ranks(one, found.stage);
  const first = all.find((rank) => held.holds(rank) === 0) ?? all[0];
  const shape = found.piece[SHAPE].slice(found.row.rule[0] === "experts" ? 1 : 0);
  const numbers = shape.reduce((a, b) => a * b, 1);
  const bytes = Math.round((numbers * found.piece[BYTES]) / found.piece[NUMBERS]);
  const group = held.axis === "etp" && one.etp === 1 ? [first] : ranks.group(one, held.axis, first);
  const talk = now.talksOf(found.stage).find((row) => words.role(row.axis) === held.axis);
  return { ...found, ...held, first, shape, bytes, group, talk };
};
