/* A plan -> its verdict in sentences: the headline, and the because. tests/site/plan_said.py holds their numbers. */

import { fmt } from "../../../explainers/kit/numbers.js";
import { copied, tokens } from "./cache-copies.js";
import * as fits from "./fits.js";
import * as words from "./words.js";

/** @import { Now } from "./types.d.ts" */

const BINDS = {
  products: "Compute-bound",
  memory: "Memory-bound",
  inside: "Bound by communication inside a node",
  outside: "Bound by communication between nodes",
};
const IDLE = 0.005; // of a step: less is not worth a word

/**
 * How many tokens a second a step makes at most: of a training GPU, or of all sequences that decode; 0 where unknown.
 * @param {Now} now
 * @returns {number}
 */
export const speed = (now) => {
  const { layout: one, plan, bound } = now;
  if (!plan.timed) return 0;
  if (one.job === "train") return (one.batch * one.sequence) / one.gpus / bound.seconds;
  if (one.job === "prefill") return one.pp === 1 ? (plan.here * one.dp * one.sequence) / bound.seconds : 0;
  return one.pp === 1 ? (one.batch || plan.here * one.dp) / bound.seconds : 0;
};

/**
 * @param {Now} now
 * @returns {string}
 */
export const headline = (now) => {
  const { layout: one, plan } = now;
  const capacity = words.gb(one.device.memory_bytes);
  if (!plan.fits) {
    const rank = fits.neediest(plan);
    const who = one.pp > 1 ? `stage ${rank.stage}` : "a GPU";
    return `Does not fit: ${fits.lacks_a_sequence(plan) ? "with one sequence " : ""}${who} needs ${words.gb(rank.total_bytes)} GB${one.used < 1 ? `; ${words.gb(plan.room_bytes)} of ${capacity} GB usable` : ` of ${capacity}`}.`;
  }
  if (one.job === "train")
    return `Fits: the fullest GPU holds ${words.gb(plan.fullest.total_bytes)} of ${capacity} GB, and a step takes at least ${words.duration(now.bound.seconds)}.`;
  if (plan.sequences === null)
    return `Fits: sequences need no cache, and a ${words.STEP[one.job]} takes at least ${words.duration(now.bound.seconds)}.`;
  const copies = copied(now);
  const and =
    copies >= 0.01
      ? `${words.share(copies)} of the cache is copies`
      : `a ${words.STEP[one.job]} takes at least ${words.duration(now.bound.seconds)}`;
  const many = plan.sequences === 1 ? "1 sequence" : `${words.int(plan.sequences)} sequences`;
  return `Fits ${plan.at_most ? "at most " : ""}${many} of ${words.int(tokens(one))} tokens, and ${and}.`;
};

/**
 * @param {Now} now
 * @returns {string}
 */
export const because = (now) => {
  const { layout: one, plan, bound } = now;
  if (!plan.fits) return why(now);
  const out = [`${BINDS[bound.term]}: at least ${words.duration(bound.seconds)} per ${words.STEP[one.job]}`];
  if (speed(now))
    out[0] += `, at most ${words.rate(speed(now))} tokens per second${one.job === "train" ? " and GPU" : ` over ${words.plural(one.batch || plan.here * one.dp, "sequence")}`}`;
  out[0] += ".";
  const leaving = now.talksAll.filter((talk) => talk.leaving_bytes);
  const axes = [...new Set(leaving.map((talk) => talk.axis))];
  if (now.talksAll.length)
    out.push(
      leaving.length
        ? `${words.and(axes)} ${axes.length > 1 ? "leave" : "leaves"} the node.`
        : "All communication stays inside a node.",
    );
  if (bound.bubble > IDLE) out.push(`The pipeline idles ${fmt.percent(bound.of_total)} of the step.`);
  return out.join(" ");
};

/**
 * Why it does not fit: the largest part of what the neediest rank needs.
 * @param {Pick<Now, "plan">} now
 */
export const why = ({ plan }) => {
  const rank = fits.neediest(plan);
  const [name, word] = words.PARTS.reduce((best, part) => (rank[part[0]] > rank[best[0]] ? part : best));
  const share = fmt.percent(rank[name] / rank.total_bytes, 0);
  const of_one = fits.lacks_a_sequence(plan) && name === "cache_bytes" ? " for one sequence" : "";
  return `Because of ${words.gb(rank[name])} GB of ${word}${of_one}, ${share} of all.`;
};
