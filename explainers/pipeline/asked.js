/* What is said of one op, or of a moment: asked.py. */
import { waited_for } from "./simulate.js";

/** @import { Message, Op, Simulated, Span } from "./simulate.js" */
/** @typedef {NonNullable<ReturnType<typeof waited_for>>} Wait */

/** @param {number} x */
export const short = (x) => String(Number(x.toPrecision(5)));
/** @type {{ [kind: string]: string }} */
const OP_NAMES = { F: "forward", B: "backward", I: "input gradient", W: "weight gradient" };
/** @param {Op} op */
const op_name = (op) =>
  op[0] === "X"
    ? `forward of micro-batch ${op[2] + 1} with backward of micro-batch ${op[4] + 1}`
    : `${OP_NAMES[op[0]]} of micro-batch ${op[2] + 1} on stage ${op[1]}`;

/** @param {Simulated} run @param {number} rank @param {number} at @returns {string} */
export const doing = (run, rank, at) => {
  const { lists, times } = run;
  const index = times[rank].findIndex(([, end]) => end > at);
  if (index === -1) return "done";
  if (at >= times[rank][index][0]) return op_name(lists[rank][index]);
  const source = /** @type {Wait} */ (waited_for(run, rank, index));
  return `waits for the ${op_name(lists[source.rank][source.index])}`;
};

/** @param {Simulated} run @param {number} rank @param {number} index */
export const why = ({ lists, times, hop, ...run }, rank, index) => {
  if (!(rank in lists) || !(index >= 0) || index > lists[rank].length) return null;
  if (index === lists[rank].length) {
    const end = /** @type {Span} */ (times[rank].at(-1))[1];
    return { from: end, to: end, rank: -1, index: -1, sentence: `Rank ${rank} is done at ${short(end)}.` };
  }
  const source = waited_for({ lists, times, ...run }, rank, index);
  if (source === null) return null;
  const there = lists[source.rank][source.index];
  const travels = hop ? `; the result then travels for ${short(hop)}.` : ".";
  const sentence =
    `Rank ${rank} is idle from ${short(source.from)} to ${short(source.to)}. Its next operation is the ${op_name(lists[rank][index])}. ` +
    `This needs the ${op_name(there)}, which rank ${source.rank} finishes at ${short(source.end)}${travels}`;
  return { from: source.from, to: source.to, rank: source.rank, index: source.index, sentence };
};

/** @type {{ [kind: string]: string }} */
const SENT = { F: "activations", B: "gradients" };
/** @param {Simulated & { sent: Message[] }} run @param {number} rank @param {number} index */
export const asked = ({ lists, times, sent }, rank, index) => {
  if (!(rank in lists) || !(index in lists[rank])) return { says: "", links: [] };
  const is = (/** @type {number} */ r, /** @type {number} */ k) => r === rank && k === index;
  const links = [...sent.filter((m) => is(m[3], m[4])), ...sent.filter((m) => is(m[1], m[2]))];
  const [start, end] = times[rank][index];
  const words = links.map(([kind, from, , to, k, out, there]) => {
    const way = is(to, k) ? `gets ${SENT[kind]} from rank ${from}` : `sends ${SENT[kind]} to rank ${to}`;
    return ` It ${way}, sent at ${short(out)}${there > out ? ` and received at ${short(there)}` : ""}.`;
  });
  return {
    says: `Rank ${rank} runs the ${op_name(lists[rank][index])} from ${short(start)} to ${short(end)}.${words.join("")}`,
    links,
  };
};
