/* Twin of reference.py, stack.py and claims.py: a mask, a stack and a context -> who sees whom, who can know, bytes. */
import { configEnds } from "../kit/model.js";
import { fmt } from "../kit/numbers.js";
import { seen } from "./mask.js";
import { find, growing, inAll, marksOf, mixOf, savesWords, stackOf } from "./stack.js";
import { int, plural } from "./words.js";

/** @import { Data, State } from "../../.make/data_types/masks.d.ts" */
/** @import { Model } from "./stack.js" */

/** @typedef {ReturnType<typeof compute>} Now */

/** @param {Model} model @param {number} context @param {Data} data */
const rowOf = (model, context, data) => {
  const [bytes, full] = [inAll(model, context, false), inAll(model, context, true)];
  return {
    slug: model.slug,
    title: model.title,
    marks: marksOf(model),
    mix: mixOf(model, data),
    growing: growing(model, false),
    bytes,
    saves: savesWords(bytes ? full / bytes : 1),
  };
};

/* ---------------------------------------------------------------- published claims */
/** @param {Data["claims"][number]} claim @param {number} context */
const claimOf = (claim, context) => {
  const { full, windows, full_bytes: each, window_bytes: near, all_bytes: all } = claim;
  const held = Math.min(context, claim.window);
  const kept = full * each * context + windows * near * held;
  const same = all || each === near;
  const total = (all ? (full + windows) * all : full * each + windows * near) * context;
  const [ratio, limit] = [total / kept, total / context / (full * each)];
  return {
    kept,
    whole: total,
    ratio,
    limit,
    who: claim.model + (claim.claim ? ` “${claim.claim}”` : ""),
    way: claim.way,
    one_in: `1/${fmt.fixed(ratio, 2)}`,
    towards: `1/${fmt.fixed(limit, 2)}`,
    words: claim.claim
      ? `“${claim.claim}” counts layers: ${full} of ${full + windows} are full, 1/${fmt.fixed(limit, 2)}. At ${plural(context, "token")}, the ${windows} windows of ${claim.window} tokens change this to 1/${fmt.fixed(ratio, 2)}.`
      : "",
    kept_words: `${full} × ${int(each)} × ${int(context)} + ${windows} × ${int(near)} × ${int(held)}`,
    whole_words: same
      ? `${full + windows} × ${int(all || each)} × ${int(context)}`
      : `(${full} × ${int(each)} + ${windows} × ${int(near)}) × ${int(context)}`,
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const model = /** @param {string} slug */ (slug) => /** @type {Model} */ (find(slug, data));
  return {
    mask: seen(state),
    stack: stackOf(model(state.model), state, data),
    table: data.listed.map((slug) => ({
      ...rowOf(model(slug), state.context, data),
      past: configEnds({ ...state, model: slug }, data),
    })),
    claims: data.claims.map((claim) => claimOf(claim, state.context)),
  };
}
