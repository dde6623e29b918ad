/* Twin of reference.py and measured.py: a model, so many nodes and a batch -> all that is printed. */
import { lazy } from "../kit/arrays.js";
import { fold_of } from "./folding.js";
import {
  copy_of,
  counts,
  dealt,
  exchanged,
  expected_away,
  journey,
  load_of,
  mean_of,
  others,
  sent_by,
  traffic,
} from "./layer.js";
import { find } from "./legal.js";
import { PER_NODE, rule_of, TOKENS } from "./routing.js";

/** @import { Data, State } from "../../.make/data_types/expert-parallel.d.ts" */
/** @import { Row } from "./routing.js" */

/** @typedef {ReturnType<typeof compute>} Now */

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const row = /** @type {Row} */ (find(state.model, data));
  const { nodes, limit, kind, skew, capacity, spare } = state;
  const key = { row, nodes, limit, kind, skew, capacity, spare };
  const made = dealt(key);
  const rule = rule_of(row, limit);
  const far = lazy({}, { away: () => others(made), own: () => others(dealt({ ...key, limit: 0 })) });
  const [gpus, copy] = [nodes * PER_NODE, copy_of(row.width, state.dispatch)];
  const token = journey(state, made, rule);
  const dropped = () => {
    const lost = made.fits.map((one) => one.filter((ok) => !ok).length);
    const choices = lost.reduce((a, b) => a + b);
    return { room: made.room, choices, share: choices / (TOKENS * row.k), tokens: lost.filter(Boolean).length };
  };
  return lazy(
    {
      title: row.title,
      experts: row.experts,
      chosen: row.k,
      layers: row.layers,
      scoring: row.scoring || "none",
      groups: rule.groups,
      kept: rule.kept,
      gpus,
      tokens: TOKENS,
      own_tokens: TOKENS / gpus,
      per_gpu: made.slots.length / gpus,
      slots: made.slots,
      copied: counts(made.slots, row.experts).filter((n) => n > 1).length,
      copy,
      here: token,
      at: sent_by(token, copy, state.step),
      measured: data.measured,
    },
    {
      // the journey of one token asks for none of these
      layer: () => traffic({ ...made, ...exchanged(key) }, copy, far.away, rule, expected_away(key, data)),
      wrong: () => exchanged(key).wrong,
      spread: () => counts(far.away, nodes),
      spread_own: () => counts(far.own, nodes),
      own_away: () => expected_away({ ...key, limit: 0 }, data) ?? mean_of(far.own),
      load: () => load_of(made, gpus),
      drop: dropped,
      fold: () => fold_of(state),
    },
  );
}
