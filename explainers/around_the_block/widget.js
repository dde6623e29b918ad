/* The lab: a stack of one's own, switch by switch, then the small machines beside it, a model's numbers, and who does what. */
import { heading, toggle as kitToggle, segmented, select, slider } from "../kit/controls.js";
import { h, makeRoot } from "../kit/dom.js";
import { commit, live, makeOffer, readData } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { borrow_view, ceiling_view, drafts_view, loops_view, mixing_view, scores_view, who_view } from "./charts.js";
import { check, compute, find, switches } from "./compute.js";
import { block_player, results_view, sizes_view } from "./view.js";

export { check, compute, settle } from "./compute.js";

const KEYS = [
  "model",
  "norm",
  "scale",
  "layers",
  "layer",
  "qk",
  "grown",
  "head",
  "cap",
  "score",
  "gate",
  "parallel",
  "drafts",
  "accept",
  "loops",
  "borrow",
  "own",
  "streams",
  "rounds",
];
const NORM_NAMES = [
  ["pre", "in front"],
  ["post", "in the stream, 2017"],
  ["sandwich", "in front and behind"],
  ["behind", "behind only"],
  ["normed", "stream through norms"],
];

const lab_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  const go = (key) => (value) => offer(made[key], { [key]: value });
  const slide = (key, label, min, max, more) => slider({ label, min, max, onInput: go(key), ...more });
  const choose = (key, label, options) => select({ label, options, onInput: go(key) });
  const toggle = (key, label) => kitToggle({ label, onInput: go(key) });
  const pills = (key, label, options) => segmented({ label, options, onInput: go(key) });
  const made = {
    model: select({
      label: "switched like",
      options: data.models.map(([value]) => ({ value, label: find(value, data).title })),
      onInput: (slug) => offer(made.model, { model: slug, ...switches(find(slug, data), data) }),
    }),
    norm: choose(
      "norm",
      "norms",
      NORM_NAMES.map(([value, label]) => ({ value, label })),
    ),
    layers: slide("layers", "layers", 1, 128),
    loops: slide("loops", "runs", 1, 16),
    borrow: slide("borrow", "last layers that borrow", 0, 127),
    scale: slide("scale", "a half gives", 0.01, 2, { step: 0.01, format: (v) => fmt.fixed(v, 2) }),
    gate: pills("gate", "gate", [
      { value: "none", label: "none" },
      { value: "heads", label: "one a head" },
      { value: "numbers", label: "one a number" },
    ]),
    parallel: toggle("parallel", "halves side by side"),
    own: toggle("own", "per-layer embedding"),
    qk: toggle("qk", "QK-norm"),
    streams: pills("streams", "streams", [1, 4]),
    rounds: choose(
      "rounds",
      "Sinkhorn rounds",
      data.kinds.rounds.map((value) => ({ value, label: value || "free" })),
    ),
    cap: slide("cap", "cap", 0, 200, { format: (v) => (v ? String(v) : "none") }),
    grown: slide("grown", "queries and keys times", 0.25, 16, { step: 0.25, format: (v) => fmt.num(v, 4) }),
    head: choose("head", "numbers to a head", data.kinds.head),
    score: slide("score", "score", 0, 200),
    drafts: slide("drafts", "drafts", 0, 7),
    accept: slide("accept", "chance of each", 0.05, 0.99, { step: 0.01, format: (v) => fmt.percent(v, 0) }),
  };
  return made;
};
const TOLD = [
  "Drafts: {drafts:int}, each accepted with a chance of {accept:percent 0}. That gives {drafted.expected:fixed 2} tokens a step as expected, {drafted.measured:fixed 2} over {drafted.many:int} drawn steps. Of all that is looked at, {drafted.wasted:percent 0} is thrown away.",
  "{of.title:text}: {of.layers:int} layers. Runs: {loops:int}. Its cache takes {looped.bytes:bytes} a token, {looped.times:fixed 2} times that of {beside.title:text}.",
  "Four streams through {mixing.places:int} halves: mixed freely a stream can become {mixing.free_gain:fixed 1} times as loud, as chosen {mixing.gain:fixed 2}.",
];

export default {
  render({ model, el }) {
    const root = makeRoot(el, "around-the-block");
    const data = readData(model);
    const made = lab_controls(model, data);
    const player = block_player((layer) => commit(model, { layer }));
    const [sizes, results, scores, ceiling, drafts, loops, borrow, mixing, who] = [
      sizes_view(),
      results_view(),
      scores_view(),
      ceiling_view(),
      drafts_view(),
      loops_view(),
      borrow_view(),
      mixing_view(),
      who_view(),
    ];
    const bare = h("p");
    const told = TOLD.map(() => h("p"));
    const row = (...keys) =>
      h(
        "div",
        { class: "cw-row" },
        keys.map((key) => made[key].el),
      );
    const section = (title, note, ...kids) => h("div", { class: "cw-section" }, heading(title, note), kids);
    root.append(
      row("model", "norm", "layers", "loops", "borrow", "scale"),
      row("gate", "streams", "rounds", "parallel", "own", "qk"),
      h("div", { class: "ab-two" }, h("div", {}, player.el), h("div", {}, sizes.el, results.el)),
      section(
        "How large may a score be?",
        "one head, before and after",
        row("head", "grown"),
        scores.el,
        bare,
        row("cap", "score"),
        ceiling.el,
      ),
      section("How many tokens a step?", "", row("drafts", "accept"), drafts.el, told[0]),
      section("And in a model?", "", loops.el, borrow.el, told[1]),
      section("How do four streams mix?", "", mixing.el, told[2]),
      section("Who does what?", "", who.el),
    );
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      for (const [key, control] of Object.entries(made)) control.set(state[key]);
      player.update(now);
      for (const view of [sizes, results, who]) view.update(now);
      for (const view of [scores, ceiling, drafts, loops, borrow, mixing]) view.update(now, false);
      fill(bare, now.of.head ? "" : "{of.title:text} has no attention: numbers to a head stay as they were.", now);
      bare.hidden = now.of.head > 0;
      told.forEach((p, i) =>
        fill(
          p,
          TOLD[i] +
            (i === 1 && now.of.mtp
              ? " Further layers for drafts have {of.mtp_numbers:count} parameters, {of.mtp_share:percent 1} of all."
              : ""),
          now,
        ),
      );
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      player.stop();
      off();
    };
  },
};
