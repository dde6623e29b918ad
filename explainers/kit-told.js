/* The page round the beats: which are loaded when, the rail, the lab's goals, and "start over". */
(() => {
  const { host, rows, lab, seed, memory, remember } = beats;
  const sections = [...document.querySelectorAll("section.beat")];
  const segments = [...document.querySelectorAll(".rail a")];
  const all = [...sections, document.querySelector(".lab")];
  const loaded = () => import(new URL(lab.dataset.module, document.baseURI).href);
  let page = null;
  let now = -1;

  const done = (row) => (row.bet ? ["shown", "skipped"].includes((memory.bets[row.n] || [])[0]) : memory.read.includes(row.n));
  const progress = () => {
    segments.forEach((a, i) => {
      const is = i < rows.beats.length ? done(rows.beats[i]) : rows.goals.length > 0 && rows.goals.every((g) => memory.goals[g]);
      a.classList.toggle("done", is);
      a.querySelector(".rail-tick").hidden = !is;
      if (i === now) a.setAttribute("aria-current", "step");
      else a.removeAttribute("aria-current");
    });
    const bet = rows.beats.filter((row) => row.bet);
    const shown = bet.filter((row) => (memory.bets[row.n] || [])[0] === "shown").length;
    document.querySelector("[data-bets]").textContent = `your bets: ${shown} of ${bet.length} shown`;
  };

  const goals = () => {
    const model = lab.cutaway?.model;
    for (const li of document.querySelectorAll("[data-goal]")) {
      const name = li.dataset.goal;
      const state = model ? Object.fromEntries(Object.keys(seed.state).map((k) => [k, model.get(k)])) : seed.state;
      const legal = page && model && !page.check(state, seed.data);
      const found = legal ? page.beats.goals[name](state, seed.data) : null;
      if (found?.reached && !memory.goals[name]) { memory.goals[name] = found.says; remember(); progress(); }
      if (found?.reached) memory.goals[name] = found.says;
      const says = memory.goals[name] || found?.says;
      li.dataset.reached = String(Boolean(memory.goals[name]));
      li.querySelector(".goal-done").hidden = !memory.goals[name];
      const out = li.querySelector(".goal-says");
      if (says && out.textContent !== says) out.textContent = says;
    }
  };
  const heard = () => {
    const { model } = lab.cutaway;
    let waiting = false;
    const later = () => { if (!waiting) queueMicrotask(() => { waiting = false; goals(); }); waiting = true; };
    for (const key of Object.keys(seed.state)) model.on(`change:${key}`, later);
    lab.addEventListener("cutaway:more", goals); // what a goal asks may come later than the state it is asked of
    loaded().then(ready).then(goals);
  };
  if (lab.cutaway) heard();
  else lab.addEventListener("mounted", heard, { once: true });

  const toLab = (state) => {
    history.pushState(null, "", `${host.write(state, seed.state) || location.pathname}#lab`);
    dispatchEvent(new PopStateEvent("popstate"));
    document.querySelector("#lab").scrollIntoView();
  };
  const ready = (widget) => {
    if (page) return page;
    page = { kit: widget.kit, compute: widget.compute, check: widget.check, settle: widget.settle, beats: widget.beats || {}, data: seed.data, toLab, progress };
    page.look = beats.looker(page);
    return page;
  };
  const mount = async (section) => {
    const row = rows.beats[sections.indexOf(section)];
    try { section.machine = beats.machine(section, row, ready(await loaded())); } catch (wrong) { console.error(wrong); return; }
    if (section === sections[0]) { performance.mark("cutaway:ready"); section.dataset.ready = ""; }
    progress();
  };
  const near = new IntersectionObserver((seen) => {
    for (const one of seen) if (one.isIntersecting) { near.unobserve(one.target); mount(one.target); }
  }, { rootMargin: "100%" });
  mount(sections[0]); // at once: to wait until it is seen would cost a frame of the whole page
  for (const section of sections.slice(1)) near.observe(section);

  /* The section in the middle of the screen is where one is; a beat without a bet is done once it was passed. */
  const where = new IntersectionObserver((seen) => {
    for (const one of seen) {
      const i = all.indexOf(one.target);
      if (one.isIntersecting) now = i;
      else if (one.boundingClientRect.top < 0 && i < rows.beats.length && !memory.read.includes(i + 1)) { memory.read.push(i + 1); remember(); }
    }
    progress();
  }, { rootMargin: "-45% 0px -45% 0px" });
  for (const section of all) where.observe(section);

  document.querySelector("[data-again]").addEventListener("click", () => {
    Object.assign(memory, { bets: {}, read: [], goals: {} });
    remember();
    for (const section of sections) section.machine?.reset();
    history.replaceState(null, "", location.pathname);
    dispatchEvent(new PopStateEvent("popstate"));
    goals();
    progress();
  });
  if (!location.hash && [...new URLSearchParams(location.search).keys()].some((key) => key in seed.state)) document.querySelector("#lab").scrollIntoView({ behavior: "instant" });
  /* What an address names stays at the top while what is above it comes to life, until the reader does something. */
  const named = /^#(beat-\d+|lab)$/.test(location.hash) && document.querySelector(location.hash);
  if (named) {
    const hold = new ResizeObserver(() => named.scrollIntoView({ behavior: "instant" }));
    hold.observe(document.body);
    setTimeout(() => hold.disconnect(), 1500);
    for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(kind, () => hold.disconnect(), { once: true, passive: true });
  }
  progress();
})();
