/* The page: what is chosen -> everything on it, the address, the history. */
const page = {};

page.root = document.querySelector("[data-plan]");
page.data = JSON.parse(document.getElementById("plan-data").textContent);
page.at = (name) => page.root.querySelector(`[data-at="${name}"]`);
/* What was pressed there is drawn anew, and keeps the focus. */
page.put = (name, ...kids) => {
  const box = page.at(name);
  const pressed = () => [...box.querySelectorAll("button, input")];
  const i = box.contains(document.activeElement) ? pressed().indexOf(document.activeElement) : -1;
  box.replaceChildren(...kids.flat().filter(Boolean));
  if (i >= 0) (pressed()[i] || pressed().at(-1))?.focus({ preventScroll: true });
};
page.FOLLOWS = ["batch", "n", "etp", "mtp"]; // of an illegal layout they are not known
page.models = { [page.data.first.slug]: page.data.first };
page.state = { chosen: null, last: "tp", tab: "" };
page.idle = 300;

/* The page's own words beside the layout's. */
page.address = ({ chosen, layout: one, trouble }) => `?${address.of(one, { follows: trouble ? page.FOLLOWS.filter((name) => chosen[name] === null) : [], m: chosen.m, pin: chosen.pin, pick: chosen.pick, t: chosen.t, sort: chosen.sort === "least" ? "" : chosen.sort })}`;

/* What is chosen -> all that follows from it, or the trouble with it. */
page.compute = (chosen) => {
  const model = page.models[chosen.m];
  const bits = page.data.cache_bits;
  const { sheet, title } = model;
  const one = layout.of(chosen, page.data.devices);
  const now = { chosen, model, sheet, title, bits, layout: one, compute: page.compute, last: page.state.last };
  now.problems = legal.asked(sheet, one);
  now.trouble = now.problems[0];
  if (now.trouble) return now;
  now.plan = fits.plan(sheet, one, bits);
  const found = seconds.stage_bounds(sheet, now.plan);
  now.bound = seconds.bound(sheet, now.plan);
  now.slowest = found.reduce((best, each, i) => (each.seconds > found[best].seconds ? i : best), 0);
  now.runs = measured.of(model.runs, one);
  const talked = new Map();
  now.talksOf = (stage) => talked.get(stage) || talked.set(stage, talks.of(sheet, now.plan, stage)).get(stage);
  Object.defineProperty(now, "talks", { get: () => now.talksOf(now.plan.fullest.stage) });
  Object.defineProperty(now, "talksAll", { get: () => now.plan.ranks.flatMap((rank) => now.talksOf(rank.stage)) });
  return now;
};

/* ---------------------------------------------------------------- drawing */
/* While somebody types, the verdict and the drawing come first; the words around them a frame later. */
page.unhurried = (after, then) => (inputs.typing ? after(then) : then());
[page.afterVerdict, page.afterDrawing, page.afterAddress] = [kit.after(), kit.after(), kit.after()];

page.draw = () => {
  const now = page.compute(page.state.chosen);
  page.now = now;
  now.address = page.address(now);
  if (now.trouble) {
    inputs.show(now);
    return page.illegal(now);
  }
  page.root.classList.remove("plan-stale", "plan-none");
  page.show(now);
  page.verdict(now);
  page.later(now);
};

page.show = (now) => {
  page.good = now;
  now.address ??= page.address(now);
  page.picked = owners.picked(now, now.chosen.pick);
  page.lives(now);
  page.unhurried(page.afterDrawing, () => { if (now === page.good) page.around(now); });
  page.tables(now);
};

page.verdict = (now) => {
  kit.set(page.at("verdict"), { text: says.headline(now), "data-fits": String(now.plan.fits) });
  kit.text(page.at("because"), says.because(now));
  page.unhurried(page.afterVerdict, () => {
    if (now !== page.now) return;
    inputs.show(now);
    page.put("notes", page.said(says.notes(now)));
    page.put("labels", page.said(says.labels(now)));
  });
};
page.said = (rows) => rows.map(([word, text]) => kit.h("p", {}, kit.h("b", { text: word }), ` ${text}`));

page.lives = (now) => {
  const drawing = page.at("drawing");
  if (!page.drawn) drawing.replaceChildren(); // what stood there before any script
  page.drawn = sketch.into(drawing, [...(more.on || lives).draw(now, page.picked), ring.node], page.drawn);
};

/* What is said of the drawing. */
page.around = (now) => {
  const { picked } = page;
  for (const radio of page.root.querySelectorAll("[name=sort]")) radio.checked = radio.value === now.chosen.sort;
  kit.text(page.at("lives-note"), lives.note(now));
  kit.set(page.at("drawing"), { role: "group", "aria-label": lives.alt(now, picked) });
  page.put("legend", lives.legend(now));
  kit.set(page.at("lanes"), { style: { "min-height": lives.lanes(now) } });
  kit.set(page.at("cursor"), { "data-train": now.layout.job === "train" });
  const chip = page.at("pick");
  chip.hidden = !picked;
  if (picked) {
    const size = `${picked.shape.map(words.int).join(" × ")}, ${words.size(picked.bytes)}`;
    chip.replaceChildren("picked ", kit.h("button", { type: "button", class: `chip-pick soft-${picked.axis} text-${picked.axis}`, "aria-label": `${picked.name}: drop the pick`, on: { click: () => page.pick("") } }, `${picked.name} ×`), ` ${size}; ${lives.holder(now, { from: picked.stage, to: picked.stage }, picked)}`);
  }
};

/* What lies below the drawing waits until the next frame is out, and while somebody types until they pause. */
page.tables = (now) => {
  clearTimeout(page.below);
  page.below = setTimeout(() => page.after(() => page.fill(now)), inputs.typing ? page.pause : 0);
};
page.pause = 100;
page.fill = (now) => {
  const { picked } = page;
  page.put("holds", tables.holds(now, picked));
  page.put("costs", tables.costs(now));
  kit.text(page.at("costs-note"), now.layout.job === "train" ? `${now.layout.pp > 1 ? `stage ${now.slowest}, the slowest; ` : ""}${words.count(now.layout.batch * now.layout.sequence)} tokens` : `one ${words.STEP[now.layout.job]} of every sequence`);
  page.put("owns", tables.owns(now, picked, page.pick));
  kit.text(page.at("owns-note"), "press one to light it above");
  page.put("talks", tables.talks(now, picked));
  kit.text(page.at("talks-note"), `seen from GPU ${picked ? picked.first : ranks.first_of(now.layout, now.plan.fullest.stage)}; bytes it sends in a step`);
  page.take(now);
  if (more.on) more.on.show(now);
};
page.after = kit.after();

page.illegal = (now) => {
  page.root.classList.add("plan-stale");
  kit.set(page.at("verdict"), { text: `${now.trouble.why}.`, "data-fits": "illegal" });
  kit.text(page.at("because"), page.good ? `Drawn below is your last legal layout, ${says.folded(page.good).split}.` : "");
  page.put("notes");
  page.later(now);
};

/* An address may begin with what cannot be: then the nearest that can is drawn. */
page.stand_in = (now, list) => {
  const like = page.good && page.good.chosen.m === now.chosen.m && page.good.chosen.job === now.chosen.job;
  const [near] = list;
  page.root.classList.toggle("plan-none", !like && !near);
  if (like || !near) return;
  page.show(page.compute({ ...now.chosen, ...ways.chosen(near.changes, near.row) }));
  kit.text(page.at("because"), `Drawn below is the nearest legal layout, ${says.folded(page.good).split}.`);
};

/* What takes longer waits until nobody types, and is worked out beside the page: buttons, the table; the verdict is spoken. */
page.later = (now) => {
  clearTimeout(page.waiting);
  page.waiting = setTimeout(() => {
    kit.text(page.at("say"), `${page.at("verdict").textContent} ${page.at("because").textContent} ${page.at("beside").textContent}`.trim());
    if (now.trouble || now.layout.gpus > page.MOST) page.at("layouts-box").hidden = true;
    const take = (changes) => page.change(changes, true);
    const order = now.chosen.sort === "sum" ? "unhidden" : "seconds";
    inputs.mark(now.trouble ? now.trouble.field === "gpus" ? now.last : now.trouble.field : "");
    ways.ask(now, order, {
      ways: (found) => {
        if (now.trouble) page.stand_in(now, found.ways);
        page.put("ways", ways.buttons(found, now, take));
      },
      table: (found) => {
        page.put("layouts", ways.table(found, now, take));
        kit.text(page.at("layouts-note"), ways.note(found));
        page.at("layouts-box").hidden = false;
      },
    });
  }, page.idle);
};
page.MOST = 4096;  // GPUs of which the worker lists all layouts
page.sort = (sort) => page.change({ sort }, true);

page.take = (now) => {
  const all = taking.tabs(now);
  const tab = all.some(([kind]) => kind === page.state.tab) ? page.state.tab : all[0][0];
  const box = kit.h("pre", { tabindex: "0", "aria-label": "to copy", text: taking.text(now, tab) });
  const tabs = all.map(([kind, text]) => kit.h("button", { type: "button", class: "link", "aria-pressed": String(kind === tab), on: { click: () => { page.state.tab = kind; page.take(now); } } }, text));
  const copy = kit.h("button", { type: "button", class: "button", on: { click: () => taking.copy(copy, box.textContent) } }, "Copy");
  page.put("take", kit.h("p", { class: "plan-tabs" }, tabs), kit.h("div", { class: "copy" }, box, copy));
};

/* ---------------------------------------------------------------- changing */
/* `done`: the reader let go; else the address follows without a step in the history. */
page.change = (changes, done, last) => {
  page.state.chosen = { ...page.state.chosen, ...changes };
  if (last) page.state.last = last;
  if (!inputs.refused) inputs.why?.remove();
  page.before = done ? "" : page.before || location.search;
  more.clear();
  page.draw();
  const { now } = page;
  page.unhurried(page.afterAddress, () => {
    if (now !== page.now || now.address === location.search) return;
    history[done ? "pushState" : "replaceState"](null, "", now.address);
  });
};
/* What was typed is let go of: one step in the history, from the address before it. */
page.settle = () => {
  if (page.before && page.before !== page.now.address) {
    history.replaceState(null, "", page.before);
    history.pushState(null, "", page.now.address);
  }
  page.before = "";
};
page.pick = (pick) => page.change({ pick }, true);
page.pin = async () => (await more.get()).pin();

/* Another model: its sheet is fetched once; one that was pasted in the workbench waits in the browser's own storage. */
page.load = async (slug) => {
  if (page.models[slug]) return true;
  try {
    if (slug.startsWith("local:")) page.models[slug] = JSON.parse(localStorage.getItem(`plan-${slug}`));
    else {
      const answer = await fetch(`${page.root.dataset.sheets}${slug}.json`);
      if (answer.ok) page.models[slug] = await answer.json();
    }
  } catch { /* said by whoever asked */ }
  return Boolean(page.models[slug]);
};

page.open = async (search) => {
  [inputs.typing, page.before] = [false, ""];
  const { chosen, wrong } = address.read(search, page.data);
  const known = await page.load(chosen.m);
  const lost = known ? "" : chosen.m.startsWith("local:") ? "That pasted config is not kept in this browser any more: paste it in the workbench again." : `There is no ${chosen.m} in the catalogue.`;
  if (!known) chosen.m = page.data.first.slug;
  const bare = !new URLSearchParams(search).has("m");
  if (!bare) more.clear();
  page.state.chosen = bare ? { ...chosen, ...page.data.visit } : chosen;
  page.draw();
  if (chosen.t || chosen.pin) more.get();
  const said = [lost, wrong.length && `Not read in the address: ${wrong.join(", ")}.`].filter(Boolean).join(" ");
  if (said) page.at("notes").prepend(kit.h("p", { class: "plan-lost", role: "alert", text: said }));
};

page.start = () => {
  inputs.start(page);
  tips.listen(page.root);
  ring.start();
  for (const radio of page.root.querySelectorAll("[name=sort]")) radio.addEventListener("change", () => page.sort(radio.value));
  page.at("pin").addEventListener("click", page.pin);
  document.addEventListener("keydown", (event) => {
    if (event.key === "p" && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest("input, select, textarea, [contenteditable]")) page.pin();
  });
  addEventListener("popstate", () => page.open(location.search));
  for (const button of page.root.querySelectorAll("[data-take]")) button.addEventListener("click", () => taking.copy(button, taking.text(button.dataset.take === "link" ? page.now : page.good, button.dataset.take)));
  page.open(location.search).then(() => { kit.set(page.root, { "data-ready": true }); more.start(); });
};
page.start();
