/* Twin of drawn.py: the zoom ruler, the layers in a row, the lab's numbers and its table of kinds. */
const [ROW, HIGH, STRIP, ZOOM, GAP, FINE, NAMED] = [24, 16, 3, 12, 0.6, 8, 8];
const px = (x) => String(Math.round(100 * x) / 100);
const across = (back, span) => UNITS * (1 - back / span);
const path_of = (css, d, more) => kit.s("path", { class: css, d, ...more });

const stretch = (css, [low, high, cell], span, y) => {
  const [left, right, period] = [px(across(high, span)), px(across(low, span)), (UNITS * cell) / span];
  if (CELL > period) return path_of(css, `M${left} ${px(y)}H${right}v${HIGH}H${left}z`);
  return path_of(`${css} cells${FINE > period ? " fine" : ""}`, `M${right} ${px(y + HIGH / 2)}H${left}`, { "stroke-dasharray": `${px(period - GAP)} ${px(GAP)}` });
};
const ticks_of = ({ cell, ticks }, span, y) => {
  const [period, wide] = [(UNITS * cell) / span, px(Math.max(TICK, (UNITS * cell) / span - GAP))];
  const place = period >= CELL ? px : Math.round;
  return path_of("read", ticks.map((back) => `M${place(Math.max(0, across(back + cell, span)))} ${px(y)}h${wide}v${HIGH}h-${wide}z`).join(""));
};
const bar_marks = (row, which, span, y) => {
  const bar = row.bars[which];
  const made = [kit.s("rect", { class: "track", y: px(y), width: UNITS, height: HIGH }), bar.scored.map((run) => stretch("scored", run, span, y))];
  made.push(kit.s("g", { class: bar.scored.length ? "bet-answered" : false }, bar.read.map((run) => stretch("read", run, span, y)), bar.ticks.length ? ticks_of(bar, span, y) : null));
  made.push(bar.kept.map(([low, high]) => {
    const [left, right] = [across(high, span), across(low, span)];
    return kit.s("rect", { class: "kept", x: px(left), y: px(y + HIGH + 2), width: px(right - left), height: STRIP });
  }));
  if (row.key === "state" && which === 2) made.push(path_of("kept cells", `M${UNITS} ${px(y + HIGH / 2)}H0`, { "stroke-dasharray": "22 3" }));
  return kit.s("g", { class: row.role }, made);
};

const all_words = ({ spans }) => `{spans.0:int} token${spans[0] > 1 ? "s" : ""}`;
const span_words = (now, which) => {
  const { nearer, spans } = now;
  if (!which) return (spans[0] > 1 ? "all " : "") + all_words(now);
  return `the last {spans.${which}:int}${nearer[which - 1] > 1 ? `, {nearer.${which - 1}:num 3} times nearer` : ""}`;
};
const in_words = (rows, hide) => {
  if (hide) return `What the newest token reads of a layer, and what is kept: ${rows.map((row) => row.short).join(", ")}.`;
  return `${rows.map((row) => `${row.name}: ${kit.fmt.int(row.read)} of ${kit.fmt.int(row.entries)} read`).join("; ")}.`;
};

/* Some kinds of layers on three bars, each opening a part of the one above. */
const ruler_view = (keys) => {
  const [high, lone] = [ROW * keys.length, keys.length === 1];
  const flat = { width: "100%", preserveAspectRatio: "none" };
  const three = upto(3).map((which) => {
    const [words, names, wedge] = [kit.h("span"), kit.h("p", { class: "names" }), kit.s("path")];
    const svg = kit.s("svg", { ...flat, height: high, viewBox: `0 0 ${UNITS} ${high}` });
    const zoom = which === 2 ? null : kit.s("svg", { ...flat, class: "zoom", height: ZOOM, viewBox: `0 0 ${UNITS} ${ZOOM}` }, wedge);
    return { words, names, wedge, svg, el: [kit.h("p", { class: "span" }, words, kit.h("span", { text: "now" })), names, kit.h("div", { class: "bars" }, svg, zoom)] };
  });
  const el = kit.h("div", { class: `cw-long-context-ruler${lone ? " lone" : ""}`, role: "img" }, three.map((one) => one.el));
  const update = (now, hide) => {
    const rows = keys.map((key) => now.ruler.find((row) => row.key === key));
    kit.set(el, { "aria-label": in_words(rows, hide) });
    three.forEach(({ words, names, wedge, svg }, which) => {
      const span = now.spans[which];
      kit.fill(words, span_words(now, which), now);
      if (!lone) kit.list(names, rows, () => kit.h("span"), (node, row) => kit.set(node, { text: row.short }));
      svg.replaceChildren(...rows.map((row, i) => bar_marks(row, which, span, ROW * i)));
      if (which === 2) return;
      const left = px(across(now.spans[which + 1], span));
      svg.append(path_of("frame", `M${left} -1H${UNITS}V${high - 2}H${left}z`));
      kit.set(wedge, { d: `M0 ${ZOOM}L${left} 0H${UNITS}V${ZOOM}z` });
    });
  };
  return { el: [el], update };
};

/* ------------------------------------------------------------ the layers in a row */
const each_layer = (now) => [...now.stack].map((letter) => now.kinds[LETTERS.indexOf(letter)]);
const marked = (svg, paths, wide, high) => {
  kit.set(svg, { viewBox: `0 0 ${10 * wide} ${high}` });
  svg.replaceChildren(...Object.entries(paths).map(([css, d]) => path_of(css, d)));
};
const add_to = (paths, css, d) => { paths[css] = (paths[css] || "") + d; };
const named_in = (ul, items, now) => kit.list(ul, items, () => kit.h("li", {}, kit.h("i", { "aria-hidden": "true" }), kit.h("span")), (li, [css, words]) => {
  kit.set(li.firstChild, { class: css });
  kit.fill(li.lastChild, words, now);
});
const layers_view = (label, height, title, draw) => {
  const [head, ul] = [kit.h("p", { class: "cw-long-context-title" }), kit.h("ul", { class: "cw-legend" })];
  const svg = kit.s("svg", { class: "cw-long-context-strip", role: "img", "aria-label": label, width: "100%", height, preserveAspectRatio: "none" });
  const update = (now) => {
    kit.fill(head, title, now);
    named_in(ul, draw(svg, now, each_layer(now)), now);
  };
  return { el: [head, svg, ul], update };
};

const strip_view = () => layers_view("The layers in order, each as high as what it keeps.", 120, "what each of the {of.layers:int} layers of {of.title} keeps, the first at the left", (svg, now, layers) => {
  const [most, paths] = [layers.reduce((a, kind) => Math.max(a, kind.keeps), 0) || 1, { kept: "" }];
  layers.forEach(({ keeps, role }, i) => {
    if (keeps) paths.kept += `M${10 * i + 1} 78v-${px(Math.max(2, (76 * keeps) / most))}h8V78z`;
    add_to(paths, role, `M${10 * i + 1} 84h8v14h-8z`);
  });
  marked(svg, paths, layers.length, 100);
  const named = now.kinds.slice(0, NAMED).map(({ role }, i) => [role, `{kinds.${i}.count:int} × {kinds.${i}.name}: {kinds.${i}.keeps:bytes} each`]);
  const more = now.kinds.length - NAMED;
  return more > 0 ? [...named, ["dense", `and ${more} further kinds`]] : named;
});

const mixed_view = () => layers_view("Layers with states and layers with caches, in order.", 76, "{mix.layers:int} layers of {mix.title}, in order", (svg, now, layers) => {
  const paths = {};
  layers.forEach(({ keeps, role, slope }, i) => {
    const tall = keeps ? 34 : 14;
    add_to(paths, role, `M${10 * i + 1} ${36 - tall}h8v${tall}h-8z`);
    if (keeps) add_to(paths, slope ? "kept" : "fixed", `M${10 * i + 1} 42h8v${slope ? 30 : 12}h-8z`);
  });
  marked(svg, paths, layers.length, 74);
  const role_of = (wanted, other) => (layers.find(wanted) || { role: other }).role;
  return [
    [role_of((kind) => kind.keeps && !kind.slope, "dense"), "{mix.states:int} states that stay as they are"],
    [role_of((kind) => kind.slope, "full"), "{mix.caches:int} caches that grow"], ["dense", "{mix.rest:int} layers keep nothing"],
  ];
});

/* ------------------------------------------------------------ the lab */
const RESULTS = [
  ["kept in all", "of.kept", "bytes", ""], ["read for one new token", "of.reads", "bytes", ""], ["of that, keys of indexers", "of.index", "bytes", ""],
  ["arithmetic, weights", "of.weights_gflop", "fixed 1", " GFLOP"], ["arithmetic, states", "of.states_gflop", "fixed 1", " GFLOP"],
  ["arithmetic, indexers", "of.index_gflop", "fixed 1", " GFLOP"], ["arithmetic, reading", "of.read_gflop", "fixed 1", " GFLOP"],
  ["of all arithmetic, looking back", "of.past_share", "percent 1", ""],
];
const results_view = () => {
  const values = RESULTS.map(() => kit.h("dd"));
  const [big, formula, note] = [kit.h("p", { class: "cw-long-context-big" }), kit.h("p", { class: "cw-long-context-formula" }), kit.h("p", { class: "cw-note" })];
  const dl = kit.h("dl", { class: "cw-long-context-results" }, RESULTS.map(([label], i) => kit.h("div", {}, kit.h("dt", { text: label }), values[i])));
  const update = (now) => {
    const { longest } = now.of;
    kit.fill(big, "{of.slope} bytes per token", now);
    kit.fill(formula, "{of.formula}", now);
    RESULTS.forEach(([, path, how, unit], i) => kit.fill(values[i], `{${path}:${how}}${unit}`, now));
    const ends = longest && now.spans[0] > longest ? " Its config ends at {of.longest:int} tokens." : "";
    kit.fill(note, `{of.read_share:percent 1} of what is kept is read for each new token.${ends}`, now);
  };
  return { el: [big, formula, dl, note], update };
};

const kinds_view = (rows) => {
  const high = HIGH + 2 + STRIP;
  const heads = upto(3).map(() => kit.h("th", { scope: "col" }));
  const made = rows.map((_, r) => {
    const bars = upto(3).map(() => kit.s("svg", { width: "100%", height: high, viewBox: `0 0 ${UNITS} ${high}`, preserveAspectRatio: "none", "aria-hidden": "true" }));
    const [name, title] = [kit.h("b"), kit.h("small")];
    const sizes = ["reads", "keeps"].map((key) => kit.h("td", { class: `size ${key}` }));
    return { bars, name, title, sizes, r, tr: kit.h("tr", {}, kit.h("th", { scope: "row" }, name, title), bars.map((svg) => kit.h("td", {}, svg)), sizes) };
  });
  const column = (text, css) => kit.h("th", { scope: "col", class: css || false, text });
  const table = kit.h("table", { class: "cw-long-context-kinds" }, kit.h("caption", { text: "Kinds of layers on one ruler, with the bytes that one layer reads for the newest token and keeps" }),
    kit.h("thead", {}, kit.h("tr", {}, column("kind of layer"), heads, column("reads", "size"), column("keeps", "size"))), kit.h("tbody", {}, made.map((one) => one.tr)));
  const update = (now) => {
    [all_words(now), "the last {spans.1:int}", "the last {spans.2:int}"].forEach((words, i) => kit.fill(heads[i], words, now));
    const first = ({ role, name }) => role + name.split(" ")[0];
    const own = now.kinds.map(first);
    for (const { bars, name, title, sizes, r, tr } of made) {
      const row = now.ruler[r];
      kit.set(tr, { class: own.includes(first(row)) ? "own" : false });
      kit.fill(name, `{ruler.${r}.name}`, now);
      kit.fill(title, `{ruler.${r}.title}`, now);
      bars.forEach((svg, which) => svg.replaceChildren(bar_marks(row, which, now.spans[which], 0)));
      ["reads", "keeps"].forEach((key, i) => kit.fill(sizes[i], `{ruler.${r}.${key}:bytes}`, now));
    }
  };
  return { el: [table], update };
};
