/* The lab: a stack of one's own, switch by switch, then the small machines beside it, a model's numbers, and who does what. */
const KEYS = ["model", "norm", "scale", "layers", "layer", "qk", "grown", "head", "cap", "score", "gate", "parallel", "drafts", "accept", "loops", "borrow", "own", "streams", "rounds"];
const NORM_NAMES = [["pre", "in front"], ["post", "in the stream, 2017"], ["sandwich", "in front and behind"], ["behind", "behind only"], ["normed", "stream through norms"]];

const lab_controls = (model, data) => {
  const offer = kit.offer(model, { keys: KEYS, data, check });
  const go = (key) => (value) => offer(made[key], { [key]: value });
  const slide = (key, label, min, max, more) => kit.slider({ label, min, max, onInput: go(key), ...more });
  const choose = (key, label, options) => kit.select({ label, options, onInput: go(key) });
  const toggle = (key, label) => kit.toggle({ label, onInput: go(key) });
  const pills = (key, label, options) => kit.segmented({ label, options, onInput: go(key) });
  const made = {
    model: kit.select({ label: "switched like", options: data.models.map(([value]) => ({ value, label: find(value, data).title })), onInput: (slug) => offer(made.model, { model: slug, ...switches(find(slug, data), data) }) }),
    norm: choose("norm", "norms", NORM_NAMES.map(([value, label]) => ({ value, label }))),
    layers: slide("layers", "layers", 1, 128), loops: slide("loops", "runs", 1, 16), borrow: slide("borrow", "last layers that borrow", 0, 127),
    scale: slide("scale", "a half gives", 0.01, 2, { step: 0.01, format: (v) => kit.fmt.fixed(v, 2) }),
    gate: pills("gate", "gate", [{ value: "none", label: "none" }, { value: "heads", label: "one a head" }, { value: "numbers", label: "one a number" }]),
    parallel: toggle("parallel", "halves side by side"), own: toggle("own", "per-layer embedding"), qk: toggle("qk", "QK-norm"),
    streams: pills("streams", "streams", [1, 4]), rounds: choose("rounds", "Sinkhorn rounds", data.kinds.rounds.map((value) => ({ value, label: value || "free" }))),
    cap: slide("cap", "cap", 0, 200, { format: (v) => (v ? String(v) : "none") }), grown: slide("grown", "queries and keys times", 0.25, 16, { step: 0.25, format: (v) => kit.fmt.num(v, 4) }),
    head: choose("head", "numbers to a head", data.kinds.head), score: slide("score", "score", 0, 200),
    drafts: slide("drafts", "drafts", 0, 7), accept: slide("accept", "chance of each", 0.05, 0.99, { step: 0.01, format: (v) => kit.fmt.percent(v, 0) }),
  };
  return made;
};
const TOLD = [
  "Drafts: {drafts:int}, each accepted with a chance of {accept:percent 0}. That gives {drafted.expected:fixed 2} tokens a step as expected, {drafted.measured:fixed 2} over {drafted.many:int} drawn steps. Of all that is looked at, {drafted.wasted:percent 0} is thrown away.",
  "{of.title:text}: {of.layers:int} layers. Runs: {loops:int}. Its cache takes {looped.bytes:bytes} a token, {looped.times:fixed 2} times that of {beside.title:text}.",
  "Four streams through {mixing.places:int} halves: mixed freely a stream can become {mixing.free_gain:fixed 1} times as loud, as chosen {mixing.gain:fixed 2}.",
];

export default { render({ model, el }) {
  const root = kit.root(el, "around-the-block");
  const data = kit.data(model);
  const made = lab_controls(model, data);
  const player = block_player((layer) => kit.commit(model, { layer }));
  const [sizes, results, scores, ceiling, drafts, loops, borrow, mixing, who] = [sizes_view(), results_view(), scores_view(), ceiling_view(), drafts_view(), loops_view(), borrow_view(), mixing_view(), who_view()];
  const bare = kit.h("p");
  const told = TOLD.map(() => kit.h("p"));
  const row = (...keys) => kit.h("div", { class: "cw-row" }, keys.map((key) => made[key].el));
  const section = (title, note, ...kids) => kit.h("div", { class: "cw-section" }, kit.heading(title, note), kids);
  root.append(
    row("model", "norm", "layers", "loops", "borrow", "scale"), row("gate", "streams", "rounds", "parallel", "own", "qk"),
    kit.h("div", { class: "ab-two" }, kit.h("div", {}, player.el), kit.h("div", {}, sizes.el, results.el)),
    section("How large may a score be?", "one head, before and after", row("head", "grown"), scores.el, bare, row("cap", "score"), ceiling.el),
    section("How many tokens a step?", "", row("drafts", "accept"), drafts.el, told[0]),
    section("And in a model?", "", loops.el, borrow.el, told[1]),
    section("How do four streams mix?", "", mixing.el, told[2]),
    section("Who does what?", "", who.el));
  const update = (state) => {
    const now = { ...state, ...compute(state, data) };
    for (const [key, control] of Object.entries(made)) control.set(state[key]);
    player.update(now);
    for (const view of [sizes, results, who]) view.update(now);
    for (const view of [scores, ceiling, drafts, loops, borrow, mixing]) view.update(now, false);
    kit.fill(bare, now.of.head ? "" : "{of.title:text} has no attention: numbers to a head stay as they were.", now);
    bare.hidden = now.of.head > 0;
    told.forEach((p, i) => kit.fill(p, TOLD[i] + (i === 1 && now.of.mtp ? " Further layers for drafts have {of.mtp_numbers:count} parameters, {of.mtp_share:percent 1} of all." : ""), now));
  };
  const off = kit.live(model, { root, keys: KEYS, check, update });
  return () => { player.stop(); off(); };
} };
