/* The same block under four scale rules, side by side; choosing one makes it the block's. */
const rule_lab = (data, onRule) => {
  const name = kit.uid("rule");
  const [W, H] = [220, 96];
  const cards = data.rules.map((rule) => {
    const input = kit.h("input", { type: "radio", name, value: rule.name, on: { change: () => onRule(rule.name) } });
    const bars = kit.s("g", {});
    const line = { scale: kit.h("dd", { class: "cw-mono" }), clips: kit.h("dd", { class: "cw-mono" }), mse: kit.h("dd", { class: "cw-mono" }), worst: kit.h("dd", { class: "cw-mono" }) };
    const best = kit.h("span", { class: "cw-blocks-best" });
    const survey = kit.h("span", { class: "cw-note" });
    const el = kit.h(
      "label", { class: "cw-blocks-rule" },
      kit.h("span", { class: "cw-blocks-rulehead" }, input, kit.h("strong", { text: rule.name }), best),
      kit.h("span", { class: "cw-blocks-formula" }, rule.formula[0], kit.h("sup", { text: rule.formula[1] })),
      kit.s("svg", { viewBox: `0 0 ${W} ${H}`, class: "cw-blocks-mini", "aria-hidden": "true", preserveAspectRatio: "none" }, bars),
      kit.h("dl", {}, Object.entries({ scale: "scale", clips: "clips", mse: "mean sq. error", worst: "worst error" }).map(([k, words_]) => kit.h("div", {}, kit.h("dt", { text: words_ }), line[k]))),
      survey,
      kit.h("span", { class: "cw-blocks-who", title: rule.source }, kit.h("b", { text: "Used by " }), rule.who),
    );
    return { rule, el, input, bars, line, best, survey };
  });
  const mini = (card, found, out) => {
    const top = 1.05 * Math.max(...out.values.map(Math.abs), ...out.lab.flatMap((r) => r.dequantized.map(Math.abs)), 1e-30);
    const y = (v) => (H / 2) * (1 - v / top);
    const col = W / out.shown;
    const make = () => kit.s("g", {}, kit.s("rect", {}), kit.s("rect", { class: "cw-blocks-back" }));
    kit.list(card.bars, out.values, make, (g, v, i) => {
      const [given, back] = g.children;
      kit.set(given, { class: found.clipped.includes(i) ? "cw-blocks-cut" : "cw-blocks-given", x: col * (i + 0.15), width: col * 0.7, y: Math.min(y(v), y(0)), height: Math.abs(y(v) - y(0)) });
      kit.set(back, { x: col * i, width: col, y: y(found.dequantized[i]) - 1, height: 2 });
    });
  };
  const update = (state, out, row) => {
    const least = Math.min(...out.lab.map((r) => r.mse));
    cards.forEach((card, k) => {
      const found = out.lab[k];
      if (!found) return;
      kit.set(card.input, { checked: state.rule === card.rule.name });
      card.el.classList.toggle("on", state.rule === card.rule.name);
      mini(card, found, out);
      kit.text(card.best, found.mse === least ? "least error" : "");
      kit.text(card.line.scale, `${words.power(found.scale)} · ${words.hex(found.scale_code, 8)}`);
      kit.text(card.line.clips, `${found.clipped_count} of ${out.n}`);
      kit.text(card.line.mse, words.num(found.mse, 3));
      kit.text(card.line.worst, words.num(found.worst, 3));
      const many = data.survey[row.name]?.[state.sample]?.[card.rule.name];
      kit.text(card.survey, many ? `2,048 such blocks: ${kit.fmt.percent(many[0], 0)} clip, mean sq. error ${words.num(many[1], 3)}` : "");
    });
  };
  const el = kit.h("div", { class: "cw-blocks-lab", role: "radiogroup", "aria-label": "Scale rule" }, cards.map((c) => c.el));
  return { el, update };
};
