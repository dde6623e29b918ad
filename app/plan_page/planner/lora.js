/* A sheet's matrices and a rank r -> LoRA: beside each frozen matrix A of r x in and B of out x r; the twin of gallery/planning/lora.py. */

/** @import { Kind, Layout, Piece, Pieces, Terms } from "./types.d.ts" */

export const ADAPTED = ["attention", "linear", "ssm", "dense", "shared", "experts"];
export const BYTES = 2;

/**
 * Numbers of A and B beside one piece: r x (in + out), as often as it has experts; 0 where it has no adapter.
 * @param {Piece} piece
 * @param {number} rank
 * @returns {number}
 */
export const adapter_numbers = ([, shape, part, numbers, , , matrix], rank) => {
  if (!(rank && matrix && ADAPTED.includes(part))) return 0;
  const [out, into] = shape.slice(-2);
  return rank * (out + into) * Math.floor(numbers / (out * into));
};

/**
 * [[rule, numbers of adapters], ...] of the pieces of a stage; none without LoRA.
 * @param {Pick<Layout, "lora_rank">} one
 * @param {Pieces[]} own
 * @returns {number[][]}
 */
export const adapter_rows = ({ lora_rank }, own) =>
  lora_rank ? own.map(([piece, times]) => [piece[5], adapter_numbers(piece, lora_rank) * times]) : [];

/**
 * Going forth through a layer's adapters: FLOPs of one token [all, routed experts']; it visits few experts.
 * @param {Kind} kind
 * @param {number} rank
 * @returns {[every: number, routed: number]}
 */
export const adapter_flops = ({ pieces, experts }, rank) => {
  let [dense, routed] = [0, 0];
  for (const piece of pieces) {
    const numbers = adapter_numbers(piece, rank);
    if (numbers && piece[2] === "experts") {
      const many = piece[1][0];
      const visited = experts.findLast((moe) => moe.num_experts === many)?.num_experts_per_tok ?? many;
      routed += 2 * Math.floor(numbers / many) * visited;
    } else dense += 2 * numbers;
  }
  return [dense + routed, routed];
};

/**
 * A layer's work with its adapters'.
 * @param {Kind} kind
 * @param {number} rank
 * @returns {Terms}
 */
export const adapted_work = (kind, rank) => {
  if (!rank) return kind.work;
  const [every, routed] = adapter_flops(kind, rank);
  return { ...kind.work, token: kind.work.token + every, experts: kind.work.experts + routed };
};
