/* The lab: any model at any length: its layers, what it keeps and reads, and every kind of layer on one ruler. */
const KEYS = ["model", "storage", "tokens", "batch", "window", "topk"];
const LENGTHS = [...upto(80).map((at) => (2 ** (10 + Math.floor(at / 8)) * (8 + (at % 8))) / 8), 2 ** 20];
const length_of = (tokens) => LENGTHS.reduce((best, one, i) => (Math.abs(Math.log(LENGTHS[best] / tokens)) > Math.abs(Math.log(one / tokens)) ? i : best), 0);

const lab_controls = (model, data) => {
  const go = (key) => (value) => kit.commit(model, { [key]: value });
  const select = (key, label, options) => kit.select({ label, options, onInput: go(key) });
  const several = (key, label, options) => kit.segmented({ label, options, onInput: go(key) });
  const slider = kit.slider({ label: "tokens", min: 0, max: LENGTHS.length - 1, format: (at) => kit.fmt.int(LENGTHS[at]), onInput: (at) => kit.commit(model, { tokens: LENGTHS[at] }) });
  return {
    model: select("model", "model", data.models.map(([value, label]) => ({ value, label, group: value.split("/")[0] }))),
    storage: select("storage", "storage", data.storages.map(([value, label]) => ({ value, label }))),
    tokens: { ...slider, set: (tokens) => slider.set(length_of(tokens)) },
    batch: several("batch", "sequences", BATCHES),
    window: several("window", "window", WINDOWS.map((value) => ({ value, label: kit.fmt.int(value) }))),
    topk: several("topk", "the indexer picks", TOPKS.map((value) => ({ value, label: value ? kit.fmt.int(value) : "all" }))),
  };
};

const crossings_view = () => kit.table({ caption: "Where the caches of hybrids overtake their states", columns: [
  ["model", "title", "text"], ["layers with states", "states", "int"], ["states", "fixed", "bytes"], ["layers with caches", "caches", "int"], ["a token adds", "slope", "bytes"], ["caches lead from", "tokens", "int"],
].map(([label, key, how]) => ({ label, how, out: ({ at }) => `cross.${at}.${key}` })) });
const CLAIMED = ["model", "what", "published", "counted here", "how", "source"];
const claims_view = (claims) => {
  const caption = "What others published, counted again";
  const said = (text, css) => kit.h("td", { "data-index": true, class: css || false, text });
  const found = claims.map(([who, says, published, , how, source, link]) => {
    const ours = kit.h("td", { class: "ours" });
    const from = kit.h("td", { "data-index": true }, kit.h("a", { href: link, text: source }));
    return { ours, tr: kit.h("tr", {}, kit.h("th", { scope: "row", text: who }), said(says), said(published, "published"), ours, said(how), from) };
  });
  const table = kit.h("table", { class: "cw-table cw-long-context-claims" }, kit.h("caption", { text: caption }), kit.h("thead", {}, kit.h("tr", {}, CLAIMED.map((text) => kit.h("th", { scope: "col", text })))), kit.h("tbody", {}, found.map((one) => one.tr)));
  const update = (now) => found.forEach(({ ours }, i) => kit.put(ours, `claims.${i}.ours`, "text", now));
  return { el: kit.h("div", { class: "cw-scroll", tabindex: "0", role: "region", "aria-label": caption }, table), update };
};

export default { render({ model, el }) {
  const root = kit.root(el, "long-context");
  const data = kit.data(model);
  const made = lab_controls(model, data);
  const [strip, bars, results, kinds] = [strip_view(), models_view(), results_view(), kinds_view(data.examples.slice(0, -1))];
  const [crossed, claimed] = [crossings_view(), claims_view(data.claims)];
  const line = (...keys) => kit.h("div", { class: "cw-row" }, keys.map((key) => made[key].el));
  const section = (title, note, ...kids) => kit.h("div", { class: "cw-section" }, kit.heading(title, note), kids);
  root.append(
    line("model", "storage", "batch"), line("tokens"), ...strip.el,
    kit.h("div", { class: "cw-split" }, kit.h("div", {}, bars.el), kit.h("div", {}, results.el)),
    section("Every kind of layer on one ruler", "above what the newest token reads, below in yellow what is kept; bytes of one layer", line("window", "topk"), kinds.el),
    section("Where caches overtake states", "hybrids in BF16, their states in FP32", crossed.el),
    section("What others published", "counted again from each model’s config", claimed.el));
  const update = (state) => {
    const now = { ...state, ...compute(state, data) };
    for (const [key, control] of Object.entries(made)) control.set(state[key]);
    for (const view of [strip, bars, results, kinds]) view.update(now);
    crossed.update(now.cross.map((_, at) => ({ at, now })));
    claimed.update(now);
  };
  return kit.live(model, { root, keys: KEYS, check, update });
} };
