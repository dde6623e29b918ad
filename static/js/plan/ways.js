/* What the worker found -> buttons that are layouts, and the table of the best ten. */
const ways = {};

ways.SAID = { cache_dtype: { float8_e4m3fn: "cache in float8" }, weights_dtype: { fp8: "weights in fp8" } };
ways.words = (changes) => changes.map(([name, value]) => ways.SAID[name]?.[value] || (name === "nodes" ? words.plural(value, "node") : `${name.replace("_", " ")} ${value === "" ? "none" : value}`)).join(", ");

/* A button's result: what the fullest GPU holds and a step takes, or how many sequences and tokens a second. */
ways.result = (row, job) => {
  if (!row.fits) return `${words.gb(row.bytes)} GB, does not fit`;
  if (job === "train") return `${words.gb(row.bytes)} GB, ${words.duration(row.step)}`;
  return `${row.sequences === null ? "" : `${words.plural(row.sequences, "sequence")}, `}${words.rate(1 / row.least)} tokens/s`;
};

/* A layout's change -> what is chosen: an etp that follows from the rest stays open. */
ways.chosen = (changes, row) => ({ ...Object.fromEntries(changes), ...(row.usual ? { etp: null } : {}) });
ways.taken = (row, now) => {
  const { etp, batch, ...axes } = row.fields;
  return { ...axes, split: "", etp: row.usual ? null : etp, ...(now.chosen.job !== "decode" && now.chosen.batch !== null ? { batch } : {}) };
};

ways.buttons = ({ title, ways: list, nodes }, now, take) => {
  if (!list.length && nodes !== undefined && !now.trouble) {
    const gpus = words.plural(now.layout.gpus, "GPU");
    return [kit.h("span", { text: nodes === null ? `No layout of up to 4,096 nodes of these holds it.` : `No layout of ${gpus} that changes one thing or two holds it; the least is ${words.plural(nodes, "node")}.` }),
      nodes && nodes > now.chosen.nodes ? kit.h("button", { type: "button", class: "way", on: { click: () => take({ nodes }) } }, kit.h("b", { text: words.plural(nodes, "node") })) : null];
  }
  return [list.length ? kit.h("span", { text: title }) : null, ...list.map(({ changes, row }, i) => kit.h("button", {
    type: "button", class: `way${row.fits ? "" : " way-no"}${i || title === "one step away" ? "" : " way-first"}`, on: { click: () => take(ways.chosen(changes, row)) },
  }, kit.h("b", { text: ways.words(changes) }), ` ${ways.result(row, now.layout.job)}`))];
};

/* ---------------------------------------------------------------- the table */
ways.HEADS = {
  train: [["fullest GB", (row) => words.gb(row.bytes)], ["idle", (row) => kit.fmt.percent(row.idle)], ["at least", (row) => words.duration(row.least)], ["nothing hides", (row) => words.duration(row.unhidden)]],
  serve: [["fullest GB", (row) => words.gb(row.bytes)], ["sequences", (row) => (row.sequences === null ? "any" : words.int(row.sequences))], ["tokens/s, at most", (row) => words.rate(1 / row.least)], ["if nothing hides", (row) => words.rate(1 / row.unhidden)]],
};
ways.axes = (job) => [["tp", (one) => one.tp], [job === "train" ? "pp × chunks" : "pp", (one) => (job === "train" ? `${one.pp} × ${one.chunks}` : one.pp)], ...(job === "train" ? [["cp", (one) => one.cp]] : []), ["dp", (one, row) => row.dp], ["ep", (one) => one.ep], ["etp", (one) => one.etp]];

ways.same = (a, b) => Object.keys(a.fields).every((name) => a.fields[name] === b.fields[name]);

ways.pinned = ({ fields }, { layout: { job } }) => page.pinned?.job === job && Object.keys(fields).every((name) => fields[name] === page.pinned[name]);

ways.table = (found, now, take) => {
  if (!found.rows.length) return null;
  const { job } = now.layout;
  const [axes, facts] = [ways.axes(job), ways.HEADS[job === "train" ? "train" : "serve"]];
  const own = found.own?.fits ? found.own : null;
  const most = Math.max(...[...found.rows, ...(own ? [own] : [])].map((row) => row.unhidden));
  const line = (row, place, mine) => kit.h("tr", { class: mine ? "sum lit" : false },
    tables.head(mine ? kit.h("span", { text: `${place} yours` }) : [kit.h("button", { type: "button", class: "link", "aria-label": `take layout ${place}: ${axes.map(([word, say]) => `${word} ${say(row.fields, row)}`).join(", ")}`, on: { click: () => take(ways.taken(row, now)) } }, String(place)), ways.pinned(row, now) && " pinned"]),
    axes.map(([, say]) => tables.cell(String(say(row.fields, row)), "n")), facts.map(([, say]) => tables.cell(say(row), "n")),
    tables.cell(kit.s("svg", { class: "bar", viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      kit.s("rect", { class: "b-sum", width: (1000 * row.unhidden) / most, height: 10 }), kit.s("rect", { class: "b-products", width: (1000 * row.least) / most, height: 10 })), "wide"),
    tables.cell(row.binds));
  const rows = found.rows.map((row, i) => line(row, i + 1, own && ways.same(row, own)));
  if (own && !found.rows.some((row) => ways.same(row, own))) rows.push(line(own, found.place, true));
  return tables.make("The best layouts", [["#"], ...axes.map(([word]) => [word, "n"]), ...facts.map(([word]) => [word, "n"]), ["time", "wide"], ["bound by"]], rows, "layouts");
};

ways.note = (found) => (!found.fitting ? `none: of ${words.int(found.legal)} legal ones on these GPUs none fits` : `of ${words.int(found.fitting)} that fit, of ${words.int(found.legal)} legal; press one to take it`);

/* ---------------------------------------------------------------- the worker */
ways.turn = 0;
ways.ask = (now, order, told) => {
  if (ways.busy || !ways.worker) {
    ways.worker?.terminate();
    ways.worker = new Worker(page.root.dataset.worker);
  }
  ways.turn += 1;
  ways.busy = true;
  ways.worker.onmessage = ({ data: [turn, what, answer] }) => {
    if (turn !== ways.turn) return;
    if (what === "done") ways.busy = false;
    else told[what](answer);
  };
  ways.worker.postMessage([ways.turn, now.sheet, now.layout, now.bits, order, { chosen: now.chosen, devices: page.data.devices }]);
};
