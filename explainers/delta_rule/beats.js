/* What the beats of the delta rule ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { h, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";
import { compute, trace } from "./compute.js";
import { fading_view } from "./fading.js";
import { matrix_view, print_percent } from "./parts.js";
import { recall, row_names } from "./states.js";
import { tape, with_gate } from "./tape.js";
import { pairs_of, value_of } from "./writes.js";

/** @import { Answers, Captions, Figure, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Data, Now, Rule, RuleNow, State, Tape } from "./compute.js" */

/** @type {State} */
const FIRST = {
  writes: [0, 15, 1, 51, 2, 85, 3, 240, 0, 105],
  step: 5,
  seed: 0,
  overlap: 0,
  beta: 1,
  decay: 0.9,
  gates: [],
  channels: [],
  border: 0,
  wanted: [],
  chunk: 4,
  query: 0,
  rule: "linear",
};
/** @type {(Partial<State> & Pick<State, "rule">)[]} */
const WAYS = [{ rule: "delta" }, { rule: "gated", decay: 0.9 }, { rule: "gated", decay: 1, gates: [8, 0] }];
/** @param {number[]} errors */
const least = (errors) => errors.findIndex((e) => Math.min(...errors) + 1e-9 >= e);
/** Of every hundredth of α whether adding is at most a point worse than at its best. @param {Data} data */
const flat = ({ means: { last_four } }) =>
  last_four.decay.map((off) => Math.min(...last_four.decay) + 0.01 + 1e-9 >= off);
/** @param {Data} data @param {"decay" | "gated"} rule @param {number} alpha */
const nth = (data, rule, alpha) => data.means.last_four[rule][Math.floor(100 * alpha + 0.5)];
/** @param {State} state @param {Data} data */
const chosen = (state, data) => compute(state, data).rules[state.rule];

/** @param {State} _ @param {Data} data */
const heard = (_, data) => {
  const { twice } = data.tapes;
  const read = compute({ ...FIRST, ...twice }, data).rules.linear.recall[0];
  const [old, now] = /** @type {number[]} */ ([twice.writes[1], twice.writes.at(-1)]).map(value_of);
  const far = (/** @type {number[]} */ one) => Math.hypot(...read.map((x, j) => x - one[j]));
  return least([far(old), far(now), far(old.map((x, j) => x + now[j]))]);
};
/** @param {State} _ @param {Data} data */
const way = (_, data) =>
  least(
    WAYS.map((change) => {
      const one = compute({ ...FIRST, ...data.tapes.documents, ...change }, data).rules[change.rule];
      return Math.max(one.kept, one.old);
    }),
  );
/** @param {State} state */
const written = (state) => Math.min(24, Math.max(1, state.step));
/** @type {Answers<State, Data>} */
export const answers = {
  size: (state, data) => compute(state, data).rules.linear.state.flat().length,
  letter: (state, data) => data.letters[state.query],
  heard,
  way,
  fits: (state, data) =>
    data.means.fits[["linear", "decay"].includes(state.rule) ? "linear" : "delta"][written(state) - 1],
  attention_fits: (state, data) => data.means.fits.attention[written(state) - 1],
  gentle_beta: (_, data) => data.means.gentle.beta,
  gentle_fits: (_, data) => data.means.gentle.off,
  best_matrix: (_, data) => data.means.solved,
  best_alpha: (_, data) => least(data.means.last_four.decay) / 100,
  alpha_from: (_, data) => flat(data).indexOf(true) / 100,
  alpha_to: (_, data) => flat(data).lastIndexOf(true) / 100,
  least_adding: (_, data) => Math.min(...data.means.last_four.decay),
  undecayed_adding: (_, data) => data.means.last_four.decay[100],
  undecayed_delta: (_, data) => data.means.last_four.gated[100],
  best_delta_alpha: (_, data) => least(data.means.last_four.gated) / 100,
  least_delta: (_, data) => Math.min(...data.means.last_four.gated),
  adding: (state, data) => nth(data, "decay", state.decay),
  deltas: (state, data) => nth(data, "gated", state.decay),
  tapes_measured: (_, data) => data.means.tapes,
  random_keys: (_, data) => data.tapes.random.writes.length / 2,
  attention_four: (_, data) => data.means.attention_last_four,
  a_adding: (state, data) => compute(state, data).rules.linear.errors[0] || 0,
  a_delta: (state, data) => compute(state, data).rules.delta.errors[0] || 0,
  kept: (state, data) => chosen(state, data).kept,
  old: (state, data) => chosen(state, data).old,
  label: (state, data) => /** @type {Rule} */ (data.rules.find((r) => r.name === state.rule)).label,
};

/** @param {State} state @param {Data} data */
const one_write = (state, data) => {
  const { linear } = compute(state, data).rules;
  const size = "The matrix always has **{size:int} numbers**.";
  if (linear.errors[state.query] !== null)
    return `Key {letter} retrieves its value, **{rules.linear.errors.${state.query}:percent 1} off**. ${size}`;
  const read = Math.max(...linear.recall[state.query].map(Math.abs));
  return `Nothing is stored under {letter}; it retrieves **${read ? "something anyway" : "nothing"}**. ${size}`;
};

/** @type {(now: Now, data: Data, worst: (one: RuleNow) => number) => [rule: Rule, error: number]} */
const best = (now, data, worst) => {
  const rows = data.rules.map((r) => worst(now.rules[r.name]));
  return [data.rules[least(rows)], rows[least(rows)]];
};
/** @param {string} says @returns {Goal} */
const not = (says) => ({ reached: false, says });
/** @param {State} state @param {Tape} tape @param {(keyof Tape)[]} keys */
const equal = (state, tape, keys) => keys.every((key) => JSON.stringify(state[key]) === JSON.stringify(tape[key]));
/** @param {State} state @param {Data} data @returns {Goal} */
const last_four = (state, data) => {
  if (!equal(state, data.tapes.random, ["writes", "seed", "step"]))
    return not("Load the 24 random keys and go to the last write.");
  if ([...state.wanted].sort((a, b) => a - b).join() !== "20,21,22,23")
    return not("Score only U, V, W and X, the last four.");
  const [rule, error] = best(compute(state, data), data, (one) => one.error);
  if (error >= 0.45) return not(`The best rule is ${rule.label} with an error of ${fmt.percent(error)}.`);
  const hint = state.gates.length ? "A constant α slightly below 1 works too." : "A single α = 0 before U works too.";
  return { reached: true, says: `Reached by ${rule.label} with an error of ${fmt.percent(error)}. ${hint}` };
};
/** @param {State} state @param {Data} data @returns {Goal} */
const two_documents = (state, data) => {
  if (!equal(state, data.tapes.documents, ["writes", "seed", "step", "border"]))
    return not("Load the two documents and go to the last write.");
  const now = compute(state, data);
  const [rule, error] = best(now, data, (one) => Math.max(one.kept, one.old));
  const one = now.rules[rule.name];
  const told = `${rule.label} leaves A–D ${fmt.percent(one.kept)} off and E–H ${fmt.percent(one.old)} off.`;
  if (error >= 0.01) return not(`The best rule: ${told}`);
  return {
    reached: true,
    says: `Reached: ${told} After a full reset, even linear attention starts from an empty state.`,
  };
};

/* The lab's own drawings, one rule at a time. */
/** @param {string} bet */
const asked = (bet) => bet === "open" || bet === "placed";
/** @type {(only: string[], label?: boolean) => FigureMaker<State, Data, Now>} */
export const readsFigure =
  (only, label) =>
  (el, { data, onSet }) => {
    const roll = tape(data, (step) => onSet({ step }));
    const matrix = label ? matrix_view() : null;
    const rows = recall(data, only);
    el.append(roll.el, matrix ? h("div", { class: "cw-delta-rule-pair" }, matrix.el, rows.el) : rows.el);
    /** @type {Figure<State, Now>["update"]} */
    const update = (state, now, { bet }) => {
      roll.update(state, now, state.step, asked(bet));
      if (matrix) {
        const S = now.rules.linear.state;
        matrix.update(
          S,
          Math.max(1, ...S.flat().map(Math.abs)),
          `State after ${state.step} writes`,
          row_names(state, data),
        );
        setText(
          /** @type {Node} */ (/** @type {Node} */ (rows.el.lastChild).firstChild),
          `key ${data.letters[state.query]} reads`,
        );
      }
      rows.update(trace(state, data), state, state.step);
    };
    return { update };
  };
/** @type {FigureMaker<State, Data, Now>} */
export const fadingFigure = (el, { data }) => {
  const view = fading_view(data);
  el.append(
    h("p", { class: "cw-delta-rule-above", text: "what is left of each write; the scored keys are marked" }),
    view.el,
  );
  return { update: (state, now) => view.update(state, now, pairs_of(state.writes)) };
};
const keyRow = () =>
  h(
    "li",
    {},
    h("b"),
    h("span"),
    s(
      "svg",
      { width: "100%", height: 10, "aria-hidden": "true" },
      s("rect", { class: "all", width: "100%", height: 10 }),
      s("rect", { class: "off", height: 10 }),
    ),
    h("span", { class: "cw-mono" }),
  );
/** @type {FigureMaker<State, Data, Now>} */
export const documentsFigure = (el, { data, onSet }) => {
  /** @type {State | null} */
  let last = null;
  const roll = tape(
    data,
    (step) => onSet({ step }),
    (i, a) => onSet({ gates: with_gate(/** @type {State} */ (last), i, a) }),
  );
  const matrix = matrix_view();
  const [above, list] = [h("p", { class: "cw-delta-rule-above" }), h("ul", { class: "cw-delta-rule-keys" })];
  el.append(roll.el, h("div", { class: "cw-delta-rule-pair" }, matrix.el, h("div", {}, above, list)));
  /** @type {Figure<State, Now>["update"]} */
  const update = (state, now, { bet }) => {
    last = state;
    const [one, name] = [now.rules[state.rule], answers.label(state, data)];
    roll.update(state, now, state.step, asked(bet));
    matrix.update(
      one.state,
      Math.max(1, ...one.state.flat().map(Math.abs)),
      `State of ${name} after ${state.step} writes`,
      row_names(state, data),
    );
    setText(above, `${name}: what each key should retrieve, and its error`);
    const keys = now.targets.map((target, key) => ({ target, key })).filter(({ target }) => target);
    renderList(list, keys, keyRow, (li, { target, key }) => {
      const [letter, says, svg, off] = li.children;
      setText(letter, data.letters[key]);
      setText(says, /** @type {number[]} */ (target).some((x) => x) ? "its value" : "nothing");
      setAttrs(/** @type {Element} */ (svg.lastChild), {
        width: `${Number(Math.min(100, 100 * /** @type {number} */ (one.errors[key])).toFixed(3))}%`,
      });
      print_percent(off, `rules.${state.rule}.errors.${key}`, /** @type {number} */ (one.errors[key]));
    });
  };
  return { update };
};

/** @type {Captions<State, Data>} */
export const captions = { one_write };
/** @type {Goals<State, Data>} */
export const goals = { last_four, two_documents };
