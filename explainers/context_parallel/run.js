/* Twin of run.py, sum for sum: one layer's attention on c ranks in four ways, and a log of what is sent. */
import { modulo, upto } from "../kit/arrays.js";
import { exp, ln } from "../kit/exp.js";
import { makeMesh } from "../kit/mesh.js";
import { makeNetwork } from "../kit/network.js";
import { attend, finished, furthest_off, layer, merged, once, TOKENS, WIDE } from "./partial_attention.js";

/** @import { ByRank, Network } from "../kit/network.js" */
/** @import { Heads, Rows, Soft } from "./partial_attention.js" */

/**
 * Attention on ranks: queries, keys and values by rank, and the places of each rank's tokens.
 * @typedef {(net: Network, q: ByRank<Rows>, kv: ByRank<Rows>, places: number[][], one: Heads) => Rows[]} Way
 */

export const ORDERS = ["contiguous", "zigzag", "striped"];

export const owners = /* @__PURE__ */ once((/** @type {string} */ order, /** @type {number} */ ranks) =>
  upto(TOKENS).map((p) => {
    if (order === "striped") return p % ranks;
    if (order === "contiguous") return Math.floor((p * ranks) / TOKENS);
    const chunk = Math.floor((p * 2 * ranks) / TOKENS);
    return Math.min(chunk, 2 * ranks - 1 - chunk);
  }),
);

/**
 * @template T
 * @param {number} ranks
 * @param {(rank: number) => T} fn
 * @returns {ByRank<T>}
 */
const by_rank = (ranks, fn) => Object.fromEntries(upto(ranks).map((rank) => [rank, fn(rank)]));

/** @type {{ [name: string]: Way }} */
export const WAYS = {
  ring: (net, q, kv, places, one) => {
    const ranks = places.length;
    /** @type {[Soft[][] | null, ByRank<Rows>]} */
    let [soft, here] = [null, kv];
    for (let step = 0; step !== ranks; step += 1) {
      const now = upto(ranks).map((r) => attend(q[r], here[r], places[r], places[modulo(r - step, ranks)], one));
      soft = soft ? soft.map((own, r) => own.map((a, i) => merged(a, now[r][i]))) : now;
      if (step !== ranks - 1)
        here = net.send(
          here,
          by_rank(ranks, (r) => (r + 1) % ranks),
          "cp",
          "kv",
        );
    }
    return /** @type {Soft[][]} */ (soft).map(finished);
  },
  gather: (net, q, kv, places, one) => {
    const all = net.all_gather(kv, "cp", "kv");
    return places.map((own, r) => finished(attend(q[r], all[r], own, places.flat(), one)));
  },
  ulysses: (net, q, kv, places, one) => {
    const [ranks, at] = [places.length, places.flat()];
    /** @param {ByRank<Rows>} parts @param {string} name @param {(rows: Rows, to: number) => Rows} cut */
    const exchange = (parts, name, cut) =>
      net.all_to_all(
        by_rank(ranks, (r) => upto(ranks).map((to) => cut(parts[r], to))),
        "cp",
        name,
      );
    /** @type {(count: number) => (rows: Rows, to: number) => Rows} */
    const of_heads = (count) => (rows, to) => {
      const wide = rows[0].length / count;
      return rows.map((row) =>
        row.slice(Math.floor((to * count) / ranks) * wide, Math.ceil(((to + 1) * count) / ranks) * wide),
      );
    };
    const mine = exchange(q, "q", of_heads(one.heads));
    const keys = exchange(kv, "kv", of_heads(one.kv_heads));
    const few = { latent: one.latent, heads: one.heads / ranks, kv_heads: Math.ceil(one.kv_heads / ranks) };
    const out = by_rank(ranks, (r) => finished(attend(mine[r].flat(), keys[r].flat(), at, at, few)));
    const back = exchange(out, "o", (rows, to) => rows.slice((to * TOKENS) / ranks, ((to + 1) * TOKENS) / ranks));
    return places.map((own, r) => own.map((_, i) => Float64Array.from(back[r].flatMap((part) => [...part[i]]))));
  },
};

/** @param {number} heads @param {number} kv_heads @param {number} ranks */
export const splits = (heads, kv_heads, ranks) =>
  heads % ranks === 0 && (kv_heads % ranks === 0 || ranks % kv_heads === 0);
/** @param {number} ranks */
const grid_of = (ranks) => makeNetwork(makeMesh({ cp: ranks }, 8));

export const way = /* @__PURE__ */ once(
  (
    /** @type {string} */ name,
    /** @type {string} */ order,
    /** @type {number} */ ranks,
    /** @type {number} */ heads,
    /** @type {number} */ kv_heads,
    /** @type {boolean} */ latent,
  ) => {
    if (name === "ulysses" && !splits(heads, kv_heads, ranks)) return null;
    const [one, own, net] = [layer(heads, kv_heads, latent), owners(order, ranks), grid_of(ranks)];
    const places = upto(ranks).map((rank) => upto(TOKENS).filter((p) => own[p] === rank));
    const [q, kv] = [one.q, one.kv].map((rows) => by_rank(ranks, (r) => places[r].map((p) => rows[p])));
    const parts = WAYS[name](net, q, kv, places, one);
    const sent = by_rank(ranks, /** @returns {{ [tensor: string]: number }} */ () => ({}));
    for (const { source, tensor, bytes } of net.log) sent[source][tensor] = (sent[source][tensor] || 0) + bytes / 8;
    /** @param {{ [tensor: string]: number }} row */
    const sum = (row) => Object.values(row).reduce((a, b) => a + b, 0);
    return {
      off: Math.max(
        ...places.map((at, r) =>
          furthest_off(
            parts[r],
            at.map((p) => one.out[p]),
          ),
        ),
      ),
      sent: Object.values(sent).reduce((most, row) => (sum(row) > sum(most) ? row : most)),
      messages: new Set(net.log.map(({ time, source, destination }) => [time, source, destination].join())).size,
    };
  },
);

export const decode = /* @__PURE__ */ once(
  (
    /** @type {number} */ ranks,
    /** @type {number} */ heads,
    /** @type {number} */ kv_heads,
    /** @type {boolean} */ latent,
  ) => {
    const [one, net] = [layer(heads, kv_heads, latent), grid_of(ranks)];
    const mine = by_rank(ranks, (r) => {
      const kept = one.kv.filter((_, p) => p % ranks === r);
      const [soft] = attend(
        [/** @type {Float64Array} */ (one.q.at(-1))],
        kept,
        [1],
        kept.map(() => 0),
        one,
      );
      return [
        Float64Array.from(upto(heads * (WIDE + 1)), (i) => {
          const [h, d] = [Math.floor(i / (WIDE + 1)), i % (WIDE + 1)];
          return d === WIDE ? soft.top[h] + ln(soft.total[h]) : soft.out[h * WIDE + d] / soft.total[h];
        }),
      ];
    });
    const met = net.all_gather(mine, "cp", "partial")[0];
    const weight = upto(heads).map((h) => {
      const lse = met.map((row) => row[h * (WIDE + 1) + WIDE]);
      const each = lse.map((x) => exp(x - Math.max(...lse)));
      const total = each.reduce((a, b) => a + b, 0);
      return each.map((x) => x / total);
    });
    /** @param {(x: number, h: number, r: number) => number} share */
    const joined = (share) =>
      Float64Array.from(upto(heads * WIDE), (i) => {
        const [h, d] = [Math.floor(i / WIDE), i % WIDE];
        return met.reduce((sum, row, r) => sum + share(row[h * (WIDE + 1) + d], h, r), 0);
      });
    /** @param {Float64Array} row */
    const off = (row) => furthest_off([row], [/** @type {Float64Array} */ (one.out.at(-1))]);
    const sent = net.log.filter(({ source }) => source === 0).reduce((sum, { bytes }) => sum + bytes, 0) / 8;
    return {
      weight: weight[0],
      off: off(joined((x, h, r) => weight[h][r] * x)),
      mean_off: off(joined((x) => x / ranks)),
      extra: sent / (ranks - 1) / heads - WIDE,
    };
  },
);
