/* Twin of beats.py: answers, goals and figures of the beats; the page alone loads it. */
const reading = (state, data, changes) => compute({ ...state, ...changes }, data);
const MODEL = "meta-llama/Llama-3.1-70B";
const goalsOf = (state) => state.model === MODEL && state.context === 131072;
const ABOUT = { reached: false, says: "This goal is about Llama 3.1 70B and 128k tokens." };
const keptWords = (now) => (now.kv ? `${now.kv} pair${plural(now.kv)}` : "a latent");

const goalFits = (state, data) => {
  const now = reading(state, data);
  const held = kit.fmt.bytes(now.holds_bytes);
  if (!goalsOf(state)) return ABOUT;
  if (now.holds_bytes > 20e9) return { reached: false, says: `With ${keptWords(now)} it takes ${held}.` };
  const hint = now.kv ? "There is another way, and it keeps 64 different keys." : "Two shared pairs would do it too.";
  return { reached: true, says: `Reached with ${keptWords(now)}: ${held}. ${hint}` };
};

const goalNoCopies = (state, data) => {
  if (!goalsOf(state)) return ABOUT;
  const [now, today] = [reading(state, data), reading(state, data, { kv: -1, tp: 16 })];
  const [each, nowEach] = [today, now].map((one) => kit.fmt.bytes(one.tp.bytes_per_rank * 131072));
  if (state.tp !== 16) return { reached: false, says: `Today, on 16 GPUs: ${each} on each, and every pair is held twice.` };
  if (now.tp.copies > 1) return { reached: false, says: `With ${keptWords(now)}, ${nowEach} on each, held ${now.tp.copies} times.` };
  if (now.tp.bytes_per_rank > today.tp.bytes_per_rank) return { reached: false, says: `Nothing is copied, but each keeps ${nowEach}, more than ${each}.` };
  return { reached: true, says: `Reached with ${keptWords(now)}: ${nowEach} on each, all different, for the price of copies.` };
};

const answers = {
  weights_bytes: (state, data) => data.weights_bytes,
  of_weights: (state, data) => reading(state, data).holds_bytes / data.weights_bytes,
  mha_bytes: (state, data) => reading(state, data, { kv: reading(state, data).heads, tp: 1 }).bytes_per_token,
  mqa_bytes: (state, data) => reading(state, data, { kv: 1, tp: 1 }).bytes_per_token,
  own_bytes: (state, data) => reading(state, data, { kv: -1, tp: 1 }).bytes_per_token,
};

/* The fan of the lab, and below it one bar: bytes per token beside those of a pair for each head. */
const fanFigure = (el, { data, onSet }) => {
  const reads = kit.h("b");
  const keeps = kit.h("b");
  const above = kit.h("span");
  let state_ = null;
  const sayHead = (head) => kit.text(reads, readsWords(head, state_.now.kv, state_.now.heads)); // the one that is pointed at
  const fans = fansView(sayHead, (head) => onSet({ head }));
  const most = kit.h("span");
  const [held, bar] = [kit.s("rect", { class: "cw-heads-held", height: 22, rx: 2 }), kit.s("rect", { class: "cw-heads-now", height: 22, rx: 2 })];
  const label = kit.s("text", { y: 16, dx: 8 });
  const svg = kit.s("svg", { class: "cw-heads-one", width: "100%", height: 22, role: "img" }, kit.s("rect", { class: "cw-heads-rest", width: "100%", height: 22 }), held, bar, label);
  el.append(kit.h("p", { class: "cw-heads-above" }, above), fans.el, kit.h("p", { class: "cw-heads-below" }, keeps, reads),
    kit.h("p", { class: "cw-heads-above cw-heads-scale" }, kit.h("span", { text: "per token, all layers" }), most), svg);
  const update = (state, now, { width, preview }) => {
    state_ = { now };
    fans.update(now, state.head, width);
    kit.fill(above, "{heads} query heads of one layer", now);
    kit.fill(keeps, "{keeps}: what a token leaves behind", now);
    kit.put(reads, "reads", "text", now);
    const all = answers.mha_bytes(state, data);
    const share = (bytes) => Math.max(0.4, (100 * bytes) / all);
    kit.fill(most, "{mha_bytes:bytes KB} with {heads} pairs", { ...now, mha_bytes: all });
    kit.set(bar, { width: `${share(now.bytes_per_token)}%` });
    const before = preview ? reading(preview, data).bytes_per_token : now.bytes_per_token;
    kit.set(held, { width: `${share(before)}%` });
    held.style.display = preview ? "" : "none";
    kit.put(kit.set(label, { x: `${Math.min(70, share(Math.max(before, now.bytes_per_token)))}%` }), "bytes_per_token", "bytes KB", now);
    kit.set(svg, { "aria-label": `${label.textContent} per token, of ${most.textContent}` });
  };
  return { update };
};

const ranksFigure = (el) => {
  const view = ranksView();
  const above = kit.h("span");
  el.append(kit.h("p", { class: "cw-heads-above" }, above), view.el, kit.legend([{ class: "cw-heads-dot-q", label: "query head" }, { class: "cw-heads-dot-kv", label: "first copy" }, { class: "cw-heads-dot-copy", label: "the same again" }]));
  return { update: (state, now, { width }) => {
    kit.fill(above, `{tp.tiles.length} GPU${plural(state.tp)}, {tp.query_heads} query head${plural(now.tp.query_heads)} each, and what they read`, now);
    view.update(now, width);
  } };
};

export const beats = {
  answers,
  goals: { fits_20_gb: goalFits, no_copies: goalNoCopies },
  figures: { fan: fanFigure, ranks: ranksFigure },
};
