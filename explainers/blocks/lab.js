/* The same block under four scale rules, side by side; choosing one makes it the block's. */
const rule_lab = (data, onRule) => {
  const name = kit.uid("rule");
  const [W, H] = [220, 96];
  const LINES = { kept: "scale", clips: "clips", mse: "mean sq. error", worst: "worst error" };
  const cards = data.rules.map((rule) => {
    const input = kit.h("input", { type: "radio", name, value: rule.name, on: { change: () => onRule(rule.name) } });
    const bars = kit.s("g", {}, ["given", "cut", "back"].map((part) => kit.s("path", { class: `cw-blocks-${part}` })));
    const line = Object.fromEntries(Object.keys(LINES).map((key) => [key, kit.h("dd", { class: "cw-mono" })]));
    const best = kit.h("span", { class: "cw-blocks-best" });
    const survey = kit.h("span", { class: "cw-note" });
    const el = kit.h(
      "label", { class: "cw-blocks-rule" },
      kit.h("span", { class: "cw-blocks-rulehead" }, input, kit.h("strong", { text: rule.name }), best),
      kit.h("span", { class: "cw-blocks-formula", text: rule.formula }),
      kit.s("svg", { viewBox: `0 0 ${W} ${H}`, class: "cw-blocks-mini", "aria-hidden": "true", preserveAspectRatio: "none" }, bars),
      kit.h("dl", {}, Object.entries(LINES).map(([key, what]) => kit.h("div", {}, kit.h("dt", { text: what }), line[key]))),
      survey, kit.h("span", { class: "cw-blocks-who" }, kit.h("b", { text: "Used by " }), rule.who),
    );
    return { rule, el, input, bars, line, best, survey };
  });
  const mini = (card, found, out) => {
    const sizes = [...out.values, ...out.lab.flatMap((r) => r.dequantized)].map((v) => Math.abs(words.plain(v)));
    const top = 1.05 * Math.max(...sizes, 1e-30);
    const y = (v) => (H / 2) * (1 - words.plain(v) / top);
    const col = W / out.shown;
    const [given, cut, back] = card.bars.children;
    const bars = (clipped) => out.values.map((v, i) => (found.clipped.includes(i) === clipped ? `M${col * (i + 0.5)} ${H / 2}V${y(v)}` : "")).join("");
    kit.set(given, { d: bars(false), "stroke-width": col * 0.7 });
    kit.set(cut, { d: bars(true), "stroke-width": col * 0.7 });
    kit.set(back, { d: found.scale === "NaN" ? "" : found.dequantized.map((v, i) => `M${col * i} ${y(v)}h${col}`).join(""), "stroke-width": 2 });
  };
  const update = (state, out) => {
    out.lab.forEach((found, k) => {
      const { el, rule, input, line, best, survey } = cards[k];
      kit.set(input, { checked: state.rule === rule.name });
      el.classList.toggle("on", state.rule === rule.name);
      mini(cards[k], found, out);
      kit.text(best, found.best);
      kit.put(line.kept, `lab.${k}.kept`, "text", out);
      kit.fill(line.clips, `{lab.${k}.clipped_count:int} of {n:int}`, out);
      kit.put(line.mse, `lab.${k}.mse`, "num 3", out);
      kit.put(line.worst, `lab.${k}.worst`, "num 3", out);
      kit.put(survey, `lab.${k}.often`, "text", out);
    });
  };
  const el = kit.h("div", { class: "cw-blocks-lab", role: "radiogroup", "aria-label": "Scale rule" }, cards.map((c) => c.el));
  return { el, update };
};
