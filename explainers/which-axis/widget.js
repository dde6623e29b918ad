/* The lab: a model, a job, GPUs and an axis; what each GPU holds, the axis in words, what is sent and how long it takes. */
const KEYS = ["model", "job", "gpus", "axis"];
const TOLD = [["split", "split"], ["copied", "copied"], ["who talks", "talk"], ["what is sent", "sent"]];
const JOBS = { train: "in a step of {batch:int} sequences", decode: "for the next token of all readers" };

const axis_controls = (model, data) => {
  const go = (key) => (value) => kit.commit(model, { [key]: value });
  return {
    model: kit.select({ label: "model", options: data.models.map((row) => ({ value: row.slug, label: row.title })), onInput: go("model") }),
    job: kit.segmented({ label: "job", options: [{ value: "train", label: "training" }, { value: "decode", label: "serving" }], onInput: go("job") }),
    gpus: kit.segmented({ label: "GPUs", options: data.gpus, onInput: go("gpus") }),
    axis: kit.segmented({ label: "axis", options: data.axes.map((value) => ({ value, label: data.words[value].name })), onInput: go("axis") }),
  };
};

export default { render({ model, el }) {
  const root = kit.root(el, "which-axis");
  const data = kit.data(model);
  const made = axis_controls(model, data);
  const grid = grid_view();
  const [sent, times] = ["sent", "ms"].map(bars_view);
  const [said, sums, paid] = [kit.h("p"), kit.h("p"), kit.h("p")];
  const lines = TOLD.map(([label, key]) => ({ key, dd: kit.h("dd"), dt: kit.h("dt", { text: label }) }));
  root.append(
    kit.h("div", { class: "cw-row" }, made.model.el, made.job.el, made.gpus.el), said, grid.el,
    kit.h("div", { class: "cw-section" }, kit.h("div", { class: "cw-row" }, made.axis.el), kit.h("dl", { class: "cw-which-axis-told" }, lines.map(({ dt, dd }) => [dt, dd])), sums),
    kit.h("div", { class: "cw-section" }, kit.heading("What does the busiest GPU send?", "in one step, on a log scale"), sent.el, paid),
    kit.h("div", { class: "cw-section" }, kit.heading("How long does a step take at least?", "milliseconds; links’ latency left out"), times.el));
  const update = (state) => {
    const now = { ...state, ...compute(state, data) };
    for (const [key, control] of Object.entries(made)) control.set(state[key]);
    grid.update(now, state.axis, false);
    for (const { key, dd } of lines) dd.textContent = now.told[key];
    kit.fill(said, "{title}: one GPU would hold {one.total:bytes GB 0}; an H100 has {room:bytes GB 0}. On {gpus:int} of them, with one axis alone, a GPU holds at most:", now);
    kit.fill(sums, now.here.legal ? "{here.detail}: {here.total:bytes GB 0} on the fullest GPU, {here.share:percent 0} of what one would hold." : "{here.why:text}", now);
    sent.update(now, state.axis, false);
    kit.fill(paid, `${now.here.legal ? "{here.detail} sends at most {here.sent:bytes}, of it {here.away:bytes} to another node at least, " : "Bytes "}${JOBS[state.job]}.`, now);
    times.update(now, state.axis, false);
  };
  return kit.live(model, { root, keys: KEYS, check, update });
} };
