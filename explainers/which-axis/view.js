/* Twin of drawn.py: squares of what a GPU holds by axis, bars of what it sends or takes. */
const SIDE = 30;
const FORMATS = { sent: "bytes", ms: "fixed 1" };
const LABELS = { sent: () => "What the busiest GPU sends in a step, by axis, on a log scale.", ms: (step) => `Milliseconds for ${step} at least, by axis.` };

const square = (share, css, hide) => {
  const high = hide ? 0 : SIDE * Math.min(share, 1);
  return kit.s("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true" }, kit.s("rect", { class: "all", width: SIDE, height: SIDE }),
    kit.s("rect", { class: css, y: (SIDE - high).toFixed(2), width: SIDE, height: high.toFixed(2) }));
};

const grid_view = () => {
  const [head, body] = [kit.h("tr"), kit.h("tbody")];
  const el = kit.h("table", { class: "cw-which-axis-grid" }, kit.h("thead", {}, head), body);
  const number = (path, how, now, hide) => { const node = kit.h("span"); if (!hide) kit.put(node, path, how, now); return node; };
  const cells = (now, i, hide) => {
    const row = now.rows[i];
    if (!row.legal) return [kit.h("td", { class: "why", colspan: now.one.parts.length + 1, text: row.why })];
    const parts = row.parts.map((part, j) => kit.h("td", {}, square(part.share, part.name, hide), number(`rows.${i}.parts.${j}.share`, "percent 1", now, hide)));
    return [...parts, kit.h("td", { class: row.fits && !hide ? "fits" : "" }, number(`rows.${i}.total`, "bytes GB 0", now, hide))];
  };
  const update = (now, axis, hide) => {
    head.replaceChildren(...["axis", ...now.one.parts.map((part) => part.name), "a GPU"].map((text) => kit.h("th", { scope: "col", text })));
    body.replaceChildren(...now.rows.map((row, i) => kit.h("tr", { class: row.axis === axis ? "on" : "" }, kit.h("th", { scope: "row", text: row.name }), ...cells(now, i, hide))));
  };
  return { el, update };
};

const length_of = (value, most, what) => {
  if (!value || !most) return 0;
  return what === "ms" ? (62 * value) / most : (62 * Math.max(Math.log10(value / 1e6), 0.02)) / Math.max(Math.log10(most / 1e6), 1);
};

const bars_view = (what) => {
  const el = kit.s("svg", { class: "cw-which-axis-bars", role: "img", width: "100%" });
  const make = () => {
    const [name, bar, number] = [kit.s("text", { x: 0 }), kit.s("rect", { x: "20%", height: 18 }), kit.s("text")];
    return Object.assign(kit.s("g", {}, name, bar, number), { parts: { name, bar, number } });
  };
  const update = (now, axis, hide) => {
    const rows = now.rows.map((row, i) => ({ row, i })).filter(({ row }) => row.legal);
    kit.list(el, rows, make, (node, { row, i }, at) => {
      const { name, bar, number } = node.parts;
      const wide = hide ? 0 : length_of(row[what], now.largest[what], what);
      kit.set(node, { class: row.axis === axis ? "on" : "" });
      kit.set(name, { y: 30 * at + 17, text: row.name });
      kit.set(bar, { y: 30 * at + 4, width: `${wide.toFixed(2)}%` });
      kit.set(number, { x: `${(21 + wide).toFixed(2)}%`, y: 30 * at + 17 });
      if (hide) number.replaceChildren();
      else kit.fill(number, `{rows.${i}.${what}:${FORMATS[what]}}${what === "ms" ? " ms" : ""}`, now);
    });
    kit.set(el, { height: 30 * rows.length, "aria-label": LABELS[what](now.step) });
  };
  return { el, update };
};
