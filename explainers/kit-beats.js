/* Beats: one small machine for each section.beat of a learn page, the rail, the lab's goals, the URL, what a tab remembers.
   The page is there already, answered (beats_html.py); this makes bets open, phrases set states, and figures live.

   From the page      script#beats: {name, beats: [{n, figure, state, controls, caption, before, bet}], goals}, and the lab's own seed.
   From the module    compute, check, kit, and `export const beats = { answers, captions, goals, figures, controls }`:
     answers.name(state, data) -> number      captions.name(state, data) -> words      goals.name(state, data) -> { reached, says }
     figures.name(el, { data, onSet, kit }) -> { update(state, now, { width, preview, bet, guess }) }    onSet({kv: 8}) keeps a state
     controls.name(state, data) -> {kind, key, label, ...}: only where front matter cannot say it
   A bet is open -> placed -> shown, or skipped; nothing is locked. Guesses never enter the URL. */
const beats = (() => {
  const host = globalThis.cutawayHost;
  const rows = JSON.parse(document.querySelector("#beats").textContent);
  const lab = document.querySelector(".lab [data-widget]");
  const seed = JSON.parse(lab.querySelector("script[type='application/json']").textContent);
  const saved = (() => { try { return JSON.parse(sessionStorage.getItem(`beats/${rows.name}`)) || {}; } catch { return {}; } })();
  const memory = { bets: saved.bets || {}, read: saved.read || [], goals: saved.goals || {} };
  const remember = () => { try { sessionStorage.setItem(`beats/${rows.name}`, JSON.stringify(memory)); } catch { /* a private window: for this page only */ } };
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  /* A state seen through the module: look(path) is a value; look.fill(template) is [{text, path, how} | text]. */
  const looker = (page) => {
    const known = new Map();
    return (state) => {
      const key = JSON.stringify(state);
      if (!known.has(key)) {
        if (known.size > 60) known.clear();
        const now = page.compute(state, page.data);
        const look = (path) => {
          if (page.beats.answers?.[path]) return page.beats.answers[path](state, page.data);
          return page.kit.path(path.split(".")[0] in now ? now : state, path);
        };
        known.set(key, Object.assign(look, { now, state }));
      }
      return known.get(key);
    };
  };

  /* A template or a caption's function into an element: **bold**, and an element with data-out for each value. */
  const write = (page, el, look, template, lead = "", tail = "") => {
    const { kit } = page;
    const made = page.beats.captions?.[template];
    const text = `${lead}${made ? made(look.state, page.data) : template}${tail}`;
    const nodes = text.split(/(\*\*.+?\*\*)/).map((piece) => {
      const inner = kit.holes(piece.replace(/^\*\*(.+)\*\*$/, "$1")).map((bit) => (typeof bit === "string" ? bit
        : kit.h("span", { "data-out": bit.path, "data-format": bit.how, text: kit.print(look(bit.path), bit.how) })));
      return piece.startsWith("**") ? [kit.h("b", {}, inner)] : inner;
    });
    const whole = kit.h("span", made ? { "data-out": `captions.${template}`, "data-lead": lead || false, "data-tail": tail || false } : {}, nodes);
    if (el.firstChild?.outerHTML !== whole.outerHTML) el.replaceChildren(whole);
  };

  /* ------------------------------------------------------------ one beat */
  const machine = (section, row, page) => {
    const { kit, look } = page;
    const { bet } = row;
    const start = { ...seed.state, ...row.state };
    const asked = { ...start, ...(bet?.state || {}) };
    const held = { state: { ...start }, preview: null, mode: bet ? "open" : "", index: null, words: "" };
    const find = (css) => section.querySelector(css);
    const place = { show: find(".beat-show"), controls: find(".beat-controls"), after: find(".beat-after"), captions: find(".beat-captions") };
    const isShown = () => !bet || held.mode === "shown" || held.mode === "skipped";
    const legal = (changes) => page.check({ ...held.state, ...changes }, page.data);

    const url = () => {
      const query = host.write(held.state, start);
      try { history.replaceState(null, "", `${query || location.pathname}#beat-${row.n}`); } catch { /* a file has no history */ }
    };
    const keep = (changes, control) => {
      const sentence = legal(changes);
      control?.error(sentence);
      if (sentence) return;
      held.preview = null;
      held.state = { ...held.state, ...changes };
      url();
      draw();
    };

    const figure = (() => {
      const make = row.figure && page.beats.figures?.[row.figure];
      if (!make) return null;
      const root = kit.h("div", { class: `cw cw-${rows.name} beat-live` });
      const box = find(".beat-figure");
      root.kitWidth = Math.round(box.clientWidth);
      box.append(root);
      const made = make(root, { kit, data: page.data, onSet: keep });
      return { ...made, root };
    })();

    const ask = `ask-${row.n}`;
    const tool = bet && bets.tools[bet.kind](section, bet, { kit, ask, place: (index) => turn([index].flat().includes(null) ? "open" : "placed", index) });
    const main = bet && kit.h("button", { type: "button", class: "beat-main", on: { click: () => (held.mode === "placed" ? turn("shown") : held.mode === "open" ? null : again()) } });
    const other = bet && kit.h("button", { type: "button", class: "beat-link", on: { click: () => (held.mode === "open" ? turn("skipped") : again()) } });
    const verdict = bet && kit.h("p", { class: "bet-verdict", role: "status" });
    if (bet) place.after.append(verdict, kit.h("p", { class: "bet-buttons" }, main, other));
    const caption = place.captions.querySelector(".beat-caption");
    if (row.caption) kit.set(caption, { "aria-live": "polite" });
    const toLab = kit.h("a", { class: "beat-link beat-lab", text: "open this in the lab", ...(page.home ? { target: "_blank", rel: "noopener" } : { on: { click: (e) => { e.preventDefault(); page.toLab(held.state); } } }) });
    place.captions.append(kit.h("p", {}, toLab));

    const controls = row.controls.map((given) => {
      const described = given.kind ? given : page.beats.controls[given.name](held.state, page.data);
      const { kind, key, name, format, ...rest } = described;
      const control = kit[kind]({ ...rest, ...(format ? { format: (v) => kit.print(v, format) } : {}), value: start[key], onInput: (v) => keep({ [key]: v }, control) });
      place.controls.append(control.el);
      return { key, control };
    });

    const answerAt = (state) => (Array.isArray(bet.answer) ? bet.answer.map((path) => look(state)(path)) : look(state)(bet.answer));
    const choiceOf = (answer) => (bet.cuts?.length ? bet.cuts.filter((c) => answer > c).length : answer);
    const guess = () => {
      if ([held.index].flat().includes(null)) return null; // no end, or only one of two, is placed
      return bet.kind === "pick" ? held.index : Array.isArray(held.index) ? held.index.map((i) => bet.values[i]) : bet.values[held.index];
    };
    const turn = (mode, index = held.index) => {
      Object.assign(held, { mode, index });
      if (isShown()) held.state = { ...held.state, ...(bet.state || {}) };
      memory.bets[row.n] = [mode, index];
      remember();
      if (mode === "skipped") { draw(); main.focus({ preventScroll: true }); } else draw();
      if (mode === "shown") { section.classList.add("grow"); setTimeout(() => section.classList.remove("grow"), 700); }
      page.progress();
    };
    const again = () => {
      Object.assign(held, { mode: "open", index: null, state: { ...start } });
      delete memory.bets[row.n];
      remember();
      draw();
      page.progress();
      tool.focus();
    };

    const drawVerdict = () => {
      const answer = answerAt(asked);
      const g = guess();
      let text = "";
      if (bet.kind === "pick" && isShown()) {
        const right = bet.options[choiceOf(answer)];
        text = g === null ? `**${right}**.` : choiceOf(answer) === g ? `You picked **${right}**. So it is.` : `You picked ${bet.options[g]}. It is **${right}**.`;
      } else if (isShown()) {
        const far = g === null ? null : bets.far(kit, bet, g, answer);
        const its = `It is **${bets.words(kit, bet, answer)}**`;
        text = far ? `You bet ${bets.words(kit, bet, g, true)}. ${its}${far.text === "exactly" ? ", exactly" : far.near ? ": close" : `, ${far.text}`}.` : `${its}.`;
      }
      const says = isShown() && bet.says ? ` ${bet.says}` : "";
      if (text) write(page, verdict, look(asked), `${text}${says}`);
      else verdict.replaceChildren();
      kit.set(verdict, { "data-verdict": text ? JSON.stringify([held.mode, g]) : false });
    };
    const LABEL = { open: "your bet", placed: "your bet, placed", shown: "your bet, shown", skipped: "no bet" };
    const MAIN = { open: "Show me", placed: "Show me", shown: "bet again", skipped: "bet after all" };
    const OTHER = { open: "skip the bet", placed: "take it back", shown: "", skipped: "" };
    const drawBet = (state) => {
      section.dataset.state = held.mode;
      kit.text(find(".bet-label"), LABEL[held.mode]);
      kit.set(main, { text: MAIN[held.mode], "aria-disabled": held.mode === "open" ? "true" : false, class: isShown() ? "beat-link" : "beat-main" });
      kit.text(other, OTHER[held.mode]);
      other.hidden = isShown();
      const at = isShown() ? state : asked;
      const answer = answerAt(at);
      const far = guess() !== null && bet.kind !== "pick" && bets.far(kit, bet, guess(), answer);
      const heights = bet.kind === "curve" ? bet.at.map((x) => answerAt({ ...at, [bet.along]: x })) : null;
      tool.update({
        open: !isShown(), shown: isShown(), index: held.index, guess: guess(), answer, heights, choice: choiceOf(answer),
        same: same(answer, answerAt(asked)), heard: far ? (far.near ? "close" : far.text) : "",
        beside: (bet.beside || []).map((path) => (typeof path === "string" ? look(state)(path) : path)),
      });
      for (const out of section.querySelectorAll(".bet-tool [data-out]:not(.bet-value)")) kit.text(out, kit.print(look(state)(out.dataset.out), out.dataset.format));
      drawVerdict();
    };
    const drawPhrases = () => {
      for (const a of section.querySelectorAll("a.set")) {
        if (a.dataset.after !== undefined) kit.set(a, { href: isShown() ? a.dataset.href : false });
        const sets = JSON.parse(a.dataset.set);
        kit.set(a, { "aria-current": Object.entries(sets).every(([k, v]) => same(held.state[k], v)) ? "true" : false });
      }
    };
    function draw() {
      for (const part of [section, ...parts]) for (const key of ["--grown", "min-height"]) part.style.removeProperty(key);
      const state = held.preview ? { ...held.state, ...held.preview } : held.state;
      if (bet) drawBet(state);
      drawPhrases();
      if (figure) figure.update(state, look(state).now, { width: figure.root.kitWidth || 320, preview: held.preview ? held.state : null, bet: held.mode, guess: bet ? guess() : null });
      for (const { key, control } of controls) {
        control.set(state[key]);
        control.el.classList.toggle("preview", Boolean(held.preview) && !same(state[key], held.state[key]));
      }
      place.controls.hidden = !isShown() || !controls.length;
      toLab.parentElement.hidden = !isShown();
      if (caption) {
        caption.hidden = !isShown();
        const [lead, tail] = held.preview ? [`Previewing ${held.words}: `, " Click to keep it."] : ["", ""];
        if (isShown()) write(page, caption, look(state), row.caption, lead, tail);
      }
      const before = place.captions.querySelector(".beat-before");
      if (before) { before.hidden = isShown(); write(page, before, look(state), row.before); }
      kit.set(toLab, { href: `${page.home || location.pathname}${host.write(held.state, seed.state)}#lab` });
    }

    /* Where a phrase makes the figure taller or lower, the words stay where they are, also at the lower end of their beat:
       the phrase would leave the pointer, and come back, and so on. Any other change lets them go. */
    const text = find(".beat-text");
    const parts = [place.show, text, place.after];
    const size = (part, key, pixels) => part.style.setProperty(key, `${pixels}px`); // where it is used: all below is styled anew
    const sized = () => {
      const [shown, words, more] = parts.map((part) => part.getBoundingClientRect().height);
      size(place.captions, "--show", Math.round(shown)); // so that captions stand on whole pixels
      size(place.after, "--text", words);
      size(text, "--after", more);
    };
    const top = () => text.getBoundingClientRect().top;
    const steady = (change) => {
      const [from, high, at] = [top(), section.offsetHeight, scrollY];
      change();
      sized();
      if (scrollY !== at) scrollTo({ top: at, behavior: "instant" }); // a browser held on to something in the figure
      if (from > top() + 0.5) size(section, "min-height", high);
      const grown = Math.max(0, top() - from);
      for (const part of [text, place.after]) size(part, "--grown", grown);
    };
    for (const a of section.querySelectorAll("a.set")) {
      const sets = JSON.parse(a.dataset.set);
      a.dataset.href = a.getAttribute("href");
      const peek = (on) => {
        if (!a.hasAttribute("href") || legal(sets)) return;
        Object.assign(held, { preview: on && !a.hasAttribute("aria-current") ? sets : null, words: a.textContent });
        steady(draw);
      };
      a.addEventListener("pointerenter", (e) => { if (e.pointerType === "mouse") peek(true); });
      a.addEventListener("pointerleave", () => peek(false));
      a.addEventListener("focus", () => { if (a.matches(":focus-visible")) peek(true); });
      a.addEventListener("blur", () => peek(false));
      a.addEventListener("click", (e) => {
        if (e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || !a.hasAttribute("href")) return;
        e.preventDefault();
        if (!legal(sets)) steady(() => keep(sets));
      });
    }

    /* A link that sets this beat's state opens it as skipped; what a tab remembers comes next. */
    const fromUrl = () => {
      if (location.hash !== `#beat-${row.n}` || !location.search) return false;
      const { state, says } = host.read(location.search, start, (s) => page.check(s, page.data), page.settle && ((s, given) => page.settle(s, given, page.data)));
      held.state = state;
      if (bet && !isShown()) held.mode = "skipped";
      if (says.length) place.show.prepend(kit.h("p", { class: "learn-message", role: "alert", text: says.join(" ") }));
      return true;
    };
    const [mode, index] = memory.bets[row.n] || [];
    const room = bet && (bet.kind === "pick" ? bet.options : bet.values).length;
    const whole = (i) => Number.isInteger(i) && i >= 0 && room > i;
    const legalGuess = Array.isArray(bet?.answer) ? Array.isArray(index) && index.length === 2 && index.every(whole) && index[1] >= index[0] : whole(index);
    const fits = ["placed", "shown"].includes(mode) ? legalGuess : mode === "skipped";
    if (bet && mode && !fits) delete memory.bets[row.n]; // of a page that was another one then
    if (bet && fits) { Object.assign(held, { mode, index: legalGuess ? index : null }); if (isShown()) held.state = { ...held.state, ...(bet.state || {}) }; }
    fromUrl();
    addEventListener("popstate", () => { if (fromUrl()) draw(); });
    const resized = new ResizeObserver(sized);
    for (const part of parts) resized.observe(part);
    draw();
    section.dataset.live = "";
    if (figure) kit.width(figure.root, () => draw());
    const set = (changes) => { Object.assign(held, { preview: null, state: { ...held.state, ...changes } }); draw(); };
    return { row, get state() { return { ...held.state }; }, get mode() { return held.mode; }, set, asked, again, reset: () => { Object.assign(held, { mode: bet ? "open" : "", index: null, state: { ...start } }); draw(); } };
  };
  return { host, rows, lab, seed, memory, remember, looker, machine };
})();
