/* Twin of drawn.py: a latent unpacked, two circuits, what stands between them, as cells of numbers. */
const KEPT = [["latent c", "unpack.c", 1, 3, "kept"], ["key for place kᴿ", "unpack.kr", 1, 2, "kept place"]];
const OF_HEAD = [["Wk", "wk", 2, 3, ""], ["key: Wk c, and kᴿ again", "key", 1, 4, "made key"], ["Wv", "wv", 2, 3, ""], ["value: Wv c", "value", 1, 2, "made"]];
const QUERY = [["query q", "toy.q", 1, 2, ""], ["for place: qᴿ", "toy.qr", 1, 2, "place"]];
const GIVEN = [["Wk", "toy.wk", 2, 3, ""], ["Wv", "toy.wv", 2, 3, ""], ["latents c", "toy.c", 3, 4, "kept"], ["keys for place kᴿ", "toy.kr", 2, 4, "kept place"]];
const SIDES = [
  ["expanded", "unpack, then attend", [
    ["keys k = Wk c", "toy.k", 2, 4, "made"], ["scores (q·k + qᴿ·kᴿ) ÷ {toy.divide:int}", "toy.expanded.scores", 1, 4, "score"],
    ["weights: softmax", "toy.expanded.weights", 1, 4, "weight"], ["values v = Wv c", "toy.v", 2, 4, "made"], ["output: weights × v", "toy.expanded.out", 1, 2, "out"],
  ]],
  ["absorbed", "carry, then attend", [
    ["carried q′ = Wkᵀ q", "toy.carried", 1, 3, "made"], ["scores (q′·c + qᴿ·kᴿ) ÷ {toy.divide:int}", "toy.absorbed.scores", 1, 4, "score"],
    ["weights: softmax", "toy.absorbed.weights", 1, 4, "weight"], ["one latent: weights × c", "toy.absorbed.mixed", 1, 3, "made"], ["output: Wv × it", "toy.absorbed.out", 1, 2, "out"],
  ]],
];
const CHAIN = [["query q", "carry.q", 1, 2, ""], ["turn by {carry.distance:int}", "carry.turning", 2, 2, "turn"], ["q as the key sees it", "carry.seen", 1, 2, ""], ["Wk", "toy.wk", 2, 3, ""], ["carried q′", "carry.carried", 1, 3, "made"]];
const NEEDED = ["carried q′ that each of the four tokens would need", "carry.needed", 3, 4, "made"];

const classes = (...words) => words.filter(Boolean).join(" ");
const block_view = ([words, path, rows, columns, css]) => {
  const said = kit.h("span");
  const cells = upto(rows).map((i) => upto(columns).map((j) => [kit.h("td"), `${path}.${i}.${j}`]));
  const table = kit.h("table", { class: classes("m", css) }, kit.h("tbody", {}, cells.map((row) => kit.h("tr", {}, row.map(([td]) => td)))));
  const el = kit.h("div", { class: "block" }, said, table);
  const update = (now, more = "") => {
    kit.set(el, { class: classes("block", more) });
    kit.fill(said, words, now);
    for (const [td, at] of cells.flat()) kit.put(td, at, css === "weight" ? "fixed 3" : "num 3", now);
  };
  return { el, update };
};
const blocks_view = (css, all) => {
  const views = all.map(block_view);
  return { el: kit.h("div", { class: css }, views.map((one) => one.el)), update: (now) => { for (const one of views) one.update(now); } };
};
/* Words in three pieces, of which the middle one is bold. */
const said_view = (tag, css, [before, strong, after = ""]) => {
  const [a, b, c] = [kit.h("span"), kit.h("b"), kit.h("span")];
  const update = (now) => { kit.fill(a, before, now); kit.fill(b, strong, now); kit.fill(c, after, now); };
  return { el: kit.h(tag, { class: css || false }, a, b, c), update };
};

const unpack_view = () => {
  const [kept, grown] = [said_view("p", "name", ["token {unpack.token:int}: ", "{unpack.kept:int} numbers kept"]), said_view("p", "name", ["unpacked for two heads: ", "{unpack.numbers:int} numbers"])];
  const heads = upto(2).map((i) => blocks_view("each", OF_HEAD.map(([words, key, ...rest]) => [words, `unpack.heads.${i}.${key}`, ...rest])));
  heads.forEach((one, i) => one.el.prepend(kit.h("p", { class: "name" }, "head ", kit.h("span", { "data-index": true, text: i + 1 }))));
  const cache = blocks_view("blocks", KEPT);
  const el = kit.h("div", { class: "unpack" }, kept.el, cache.el, grown.el, kit.h("div", { class: "heads" }, heads.map((one) => one.el)));
  return { el, update: (now) => { for (const one of [kept, grown, cache, ...heads]) one.update(now); } };
};

const circuits_view = () => {
  const [query, given] = [blocks_view("query", QUERY), blocks_view("blocks", GIVEN)];
  given.el.prepend(query.el);
  const sides = SIDES.map(([way, title, all]) => {
    const [views, count] = [all.map(block_view), kit.h("span")];
    return { way, views, count, el: kit.h("div", { class: `side ${way}` }, kit.h("p", { class: "name" }, kit.h("b", { text: title }), " ", count), views.map((one) => one.el)) };
  });
  const said = kit.h("p");
  const el = kit.h("div", { class: "circuits" }, given.el, kit.h("div", { class: "sides" }, sides.map((one) => one.el)), said);
  const update = (now, hide) => {
    for (const one of [query, given]) one.update(now);
    for (const { way, views, count } of sides) {
      views.forEach((one, i) => one.update(now, classes("row", (i >= now.step || (hide && way === "absorbed" && i)) && "hush", now.step === i + 1 && "here")));
      kit.fill(count, `{so_far.${way}.flops:int} FLOP, {so_far.${way}.made:int} new numbers`, now);
    }
    kit.set(said, { class: classes("verdict", now.toy.equal ? "same" : "off", (hide || 2 > now.step) && "hush") });
    kit.fill(said, now.toy.equal ? "scores are equal in both" : "scores are up to {toy.apart:fixed 3} apart", now);
  };
  return { el, update };
};

/* The circuits with play, step and scrub; `keep(step)` is told where the reader stops. */
const circuits_player = (keep) => {
  const view = circuits_view();
  let [now, hidden] = [null, false];
  const names = ["nothing yet", "the matrix", "scores", "weights", "values or sum", "output"];
  const show = (step) => view.update({ ...now, step, so_far: counted_to(step) }, hidden);
  const play = kit.transport({
    label: "step", length: 5, value: 5, rate: 0.8, format: (t) => names[Math.round(t)],
    onFrame: (t) => { if (now) show(Math.round(t)); }, onStop: (t) => keep(Math.round(t)),
  });
  const update = (given, hide) => {
    [now, hidden] = [given, hide];
    play.set(now.step);
    if (!play.playing()) show(now.step);
  };
  return { el: [view.el, play.el], update, stop: play.stop };
};

const carry_view = () => {
  const [chain, needed, lines] = [blocks_view("blocks", CHAIN), block_view(NEEDED), upto(3).map((i) => kit.s("polyline", { class: `w${i}` }))];
  const here = kit.s("line", { class: "here", y1: 0, y2: 124 });
  const svg = kit.s("svg", { viewBox: "0 0 310 124", preserveAspectRatio: "none", height: 124, role: "img" }, kit.s("line", { class: "axis", x1: 0, x2: 310, y1: MIDDLE, y2: MIDDLE }), lines, here);
  const count = said_view("p", "", ["", "{carry.different:int}", " different q′ over {carry.span:int} distances"]);
  const told = kit.h("div", {}, kit.h("div", { class: "waves" }, kit.h("p", { class: "name", text: "the three numbers of q′, by distance" }), svg), kit.h("div", {}, needed.el, count.el));
  const update = (now, hide) => {
    const { carry } = now;
    for (const one of [chain, needed, count]) one.update(now);
    kit.set(told, { class: classes("told", hide && "hush") });
    lines.forEach((line, i) => kit.set(line, { points: carry.waves[i].map((y, d) => `${10 * d},${(MIDDLE - SCALE * y).toFixed(2)}`).join(" ") }));
    kit.set(here, { x1: 10 * carry.distance, x2: 10 * carry.distance });
    kit.set(svg, { "aria-label": hide ? "Three numbers over distances." : `The three numbers of the carried query over ${SEEN} distances: ${carry.different > 1 ? "waves" : "flat lines"}.` });
  };
  return { el: kit.h("div", { class: "carry" }, chain.el, told), update };
};
