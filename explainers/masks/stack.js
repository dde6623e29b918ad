/* A real stack -> how far back each layer knows, and the bytes that it keeps: stack.py. */
import { fmt } from "../kit/numbers.js";
import { int, plural, sum } from "./words.js";

/** @import { Data, State } from "../../.make/data_types/masks.d.ts" */

/**
 * What a layer keeps: bytes of an entry, tokens to an entry, at most so many entries (0: all), and whether it is a fixed state.
 * @typedef {[size: number, every: number, cap: number, fixed: number]} Kept
 */

/** A kind of layer of a stack. @typedef {[mark: string, span: number, sink: number, nope: number, kept: Kept[]]} Kind */

/**
 * A model: data.columns by name; in `stack` each layer is a letter, the place of its kind in `kinds`.
 * @typedef {{ slug: string, title: string, loops: number, kinds: Kind[], stack: string }} Model
 */
/** @typedef {ReturnType<typeof stackOf>} Stack */
const BACK = [1, 16, 256, 4096, 65536, 1048576];
export const CURVE = /* @__PURE__ */ Array.from({ length: 13 }, (_, i) => 2 ** (i + 8));
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** @param {string} slug @param {Data} data */
export const find = (slug, data) => {
  const row = data.models.find((r) => r[0] === slug);
  return row ? /** @type {Model} */ (Object.fromEntries(data.columns.map((name, i) => [name, row[i]]))) : null;
};

/* ---------------------------------------------------------------- a real stack */
/** @param {Model} model @param {number} layer */
const kindOf = (model, layer) => model.kinds[LETTERS.indexOf(model.stack[layer])];
/** @param {Model} model */
export const marksOf = (model) => [...model.stack].map((_, i) => kindOf(model, i)[0]).join("");
/** @param {Model} model @returns {[layers: number, kind: Kind][]} */
const counted = (model) =>
  model.kinds.map((kind, i) => [[...model.stack].filter((c) => c === LETTERS[i]).length, kind]);

/** @param {string} letter @param {number} span @param {number} token The first token that a layer of this mark sees. */
const reachStart = (letter, span, token) => {
  if (letter === "W" || letter === "K") return Math.max(0, token - span + 1);
  return letter === "C" ? Math.floor(token / span) * span : letter === "N" ? token : 0;
};
/** @param {Model} model @param {number} token The first token that each layer can know about. */
export const firstKnown = (model, token) =>
  Array.from({ length: model.stack.length }, (_, depth) => {
    let at = token;
    for (let layer = depth; layer >= 0; layer -= 1) {
      const [letter, span] = kindOf(model, layer);
      at = reachStart(letter, span, at);
    }
    return at;
  });

/**
 * What a layer would keep if it kept every token: no window or chunk, no fixed state, nothing compressed.
 * @param {Model} model
 * @param {Kind} kind
 * @returns {Kept[]}
 */
const allKept = (model, kind) => {
  if (kind[0] === "L") return (model.kinds.find((one) => one[0] === "F" && one[4].length) || kind)[4];
  const capped = kind[4].filter(([, , cap]) => cap);
  return capped.length ? capped.map(([size, every, , fixed]) => [size, every, 0, fixed]) : kind[4];
};
/** @param {Model} model @param {Kind} kind @param {boolean} everything */
const keptOf = (model, kind, everything) => (everything ? allKept(model, kind) : kind[4]);
/** @param {Kept[]} kept @param {number} context */
const keptBytes = (kept, context) =>
  sum(
    kept.map(([size, every, cap, fixed]) => {
      const entries = Math.floor(context / every);
      return fixed ? size : size * (cap ? Math.min(entries, cap) : entries);
    }),
  );
/** @param {Model} model @param {number} context @param {boolean} everything The bytes of its whole cache. */
export const inAll = (model, context, everything) =>
  model.loops * sum(counted(model).map(([n, kind]) => n * keptBytes(keptOf(model, kind, everything), context)));
/** @param {Model} model @param {boolean} everything Bytes for each further token. */
export const growing = (model, everything) =>
  model.loops *
  sum(
    counted(model).map(([n, kind]) =>
      sum(
        keptOf(model, kind, everything)
          .filter(([, , cap, fixed]) => !fixed && !cap)
          .map(([size, every]) => (n * size) / every),
      ),
    ),
  );

/** @param {Data} data @param {Kind} kind */
const kindName = (data, [letter, span, , nope]) => {
  /** @type {{ [letter: string]: string }[]} */
  const [spans, marks] = [data.spans, data.marks];
  return (spans[letter] ? `${spans[letter]} ${int(span)}` : marks[letter]) + (nope ? " without RoPE" : "");
};
/** @param {Model} model @param {Data} data */
export const mixOf = (model, data) => {
  /** @type {Map<string, { n: number, kind: Kind }>} */
  const counts = new Map();
  for (const [n, kind] of counted(model)) {
    const key = [kind[0], kind[1], kind[3]].join();
    counts.set(key, { n: n + (counts.get(key)?.n || 0), kind });
  }
  /** @param {{ kind: Kind }} one */
  const rank = ({ kind }) => [..."CWKLSHFN"].indexOf(kind[0]);
  const ordered = [...counts.values()].sort(
    (a, b) => rank(a) - rank(b) || a.kind[1] - b.kind[1] || a.kind[3] - b.kind[3],
  );
  return ordered.map(({ n, kind }) => `${n} × ${kindName(data, kind)}`).join(", ");
};

/** @param {number} n */
const sinksWords = (n) => (n ? `${n} of its layers ${n === 1 ? "has" : "have"} a learned sink in every head.` : "");
/** @param {Model} model */
const comparedWords = (model) => {
  const states = sum(counted(model).map(([n, kind]) => (kind[0] === "L" && allKept(model, kind) !== kind[4] ? n : 0)));
  if (states)
    return `In this comparison ${states > 1 ? `its ${states} layers with a state of fixed size keep` : "its layer with a state of fixed size keeps"} what a full layer keeps.`;
  const compressed = model.kinds.some((kind) => kind[4].some(([, every]) => every > 1));
  return compressed ? "In this comparison nothing is compressed: each layer keeps one vector for each token." : "";
};
/** @param {number} ratio */
export const savesWords = (ratio) => (ratio > 1 ? fmt.times(ratio, 1) : "nothing");

/** @param {Model} model @param {State} state @param {Data} data */
export const stackOf = (model, state, data) => {
  const token = state.context - 1;
  const first = firstKnown(model, token);
  const at = first[state.layer];
  const far = at ? `${plural(token - at + 1, "token")}, none before token ${int(at)}` : "every token from the first on";
  const everywhere = first.indexOf(0);
  const [bytes, full] = [inAll(model, state.context, false), inAll(model, state.context, true)];
  return {
    title: model.title,
    marks: marksOf(model),
    mix: mixOf(model, data),
    sinks: sinksWords(sum(first.map((_, i) => kindOf(model, i)[2]))),
    compared: comparedWords(model),
    back: BACK.filter((t) => state.context >= t),
    sees: first.map((_, i) => reachStart(kindOf(model, i)[0], kindOf(model, i)[1], token)),
    first,
    knows: `Layer ${state.layer} (${kindName(data, kindOf(model, state.layer))}): at token ${int(token)}, it can know about ${far}.`,
    verdict:
      everywhere === -1
        ? `No layer of ${model.title} can know about token 0 from here: the stack is not deep enough.`
        : `From layer ${everywhere} (${kindName(data, kindOf(model, everywhere))}) on, every layer can know about token 0.`,
    tokens_hold: `${plural(state.context, "token")} ${state.context === 1 ? "takes" : "take"}`,
    bytes,
    bytes_full: full,
    ratio: bytes ? full / bytes : 1,
    growing: growing(model, false),
    growing_full: growing(model, true),
    curve: CURVE.map((t) => inAll(model, t, false)),
    curve_full: CURVE.map((t) => inAll(model, t, true)),
  };
};
