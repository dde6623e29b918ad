// Driven by test_compare_insides.py: pairs drawn at some widths; what is drawn against the files, sizes against shapes, text against text.
async ([pairs, widths]) => {
  const at = (name) => import(document.querySelector('script[src*="compare.js"]').src.replace(/compare\.js.*/, name));
  const { drawing } = await at("compare-drawing.js"),
    { pair } = await at("compare-words.js");
  const files = new URL(document.querySelector(".cmp").dataset.files, location.href),
    held = new Map(),
    body = document.querySelector(".cmp-body");
  const file = (slug) =>
    held.get(slug) ??
    held
      .set(
        slug,
        fetch(new URL(`${slug}.json`, files)).then((one) => one.json()),
      )
      .get(slug);
  const words = (text) => (text ? text.split(" ").filter(Boolean) : []);
  const items = (lane) => [...(lane.items ?? []), ...(lane.branches ?? []).flatMap(items)],
    saids = (lane) => [...words(lane.said), ...(lane.branches ?? []).flatMap(saids)];
  const nodesOf = (panel) => [
    ...words(panel.nodes),
    ...panel.flows.flatMap((flow) => [
      ...words(flow.op[2]),
      ...[...(flow.tail ?? []), ...(flow.lanes ?? []).flatMap(items)].flatMap((one) => words(one[2])),
      ...(flow.lanes ?? []).flatMap(saids),
    ]),
  ];
  const wrong = [];
  let checked = 0;
  const hit = (p, q, by = 1) =>
    p.left < q.right - by && q.left < p.right - by && p.top < q.bottom - by && q.top < p.bottom - by;
  for (const [one, other] of pairs) {
    const a = await file(one),
      b = await file(other),
      found = pair(a, b);
    for (const [width, equal] of widths) {
      const bad = (what) => wrong.push([one, other, width, what]);
      const el = document.createElement("div");
      el.style.width = `${width}px`;
      el.dataset.show = "both";
      el.className = "cmp-seen";
      body.replaceChildren(el);
      const drawn = drawing([a, b], found, { width, equal, narrow: width < 640 });
      el.append(drawn);
      const parts = [...drawn.querySelectorAll("svg[data-part]")],
        folded = words(drawn.querySelector(".cmp-folded")?.dataset.n);
      for (const [side, file] of [
        ["a", a],
        ["b", b],
      ]) {
        for (const panel of file.insides.panels) {
          const homes = parts.filter((svg) => svg.dataset[side] === panel.where && svg.dataset.part !== "card");
          checked += 1;
          if (homes.length !== 1 && !(homes.length === 0 && (side === "a" || folded.includes(panel.where))))
            bad(`panel ${side} ${panel.where} ${homes.length}`);
        }
        for (const card of file.insides.cards) {
          checked += 1;
          if (
            parts.filter((svg) => svg.dataset.part === "card" && svg.dataset[side] === `layer${card.layer}`).length !==
            1
          )
            bad(`card ${side} ${card.layer}`);
        }
      }
      for (const svg of parts.filter((one) => one.dataset.part !== "tower")) {
        const iscard = svg.dataset.part === "card",
          expected = new Set();
        for (const [side, file] of [
          ["a", a],
          ["b", b],
        ])
          if (svg.dataset[side]) {
            const home = iscard
              ? file.insides.cards.find((one) => `layer${one.layer}` === svg.dataset[side])
              : file.insides.panels.find((one) => one.where === svg.dataset[side]);
            for (const name of iscard ? home.units.flatMap((unit) => words(unit[5])) : nodesOf(home))
              expected.add(name);
          }
        const shown = new Set([...svg.querySelectorAll("[data-n]")].flatMap((one) => words(one.dataset.n)));
        checked += expected.size;
        for (const name of expected) if (!shown.has(name)) bad(`not drawn: ${name} ${svg.dataset.part}`);
        for (const name of shown) if (!expected.has(name)) bad(`of neither: ${name} ${svg.dataset.part}`);
        const scales = [];
        for (const group of svg.querySelectorAll('[data-k="matrix"]')) {
          const box = (kinds) => {
            const list = kinds
              .map((kind) => group.querySelector(`.mx .${kind}`))
              .filter(Boolean)
              .map((path) => path.getBBox());
            return [
              Math.max(...list.map((one) => one.x + one.width)) - Math.min(...list.map((one) => one.x)),
              Math.max(...list.map((one) => one.y + one.height)) - Math.min(...list.map((one) => one.y)),
            ];
          };
          for (const [side, kinds] of [
            ["a", ["m-both", "m-a"]],
            ["b", ["m-both", "m-b"]],
          ])
            if (group.dataset[side]) {
              const [reads, writes] = words(group.dataset[side]).map(Number),
                [w, h] = box(kinds);
              checked += 1;
              scales.push([Math.sqrt((w * h) / (reads * writes)), Math.min(w, h), `${group.dataset.n} ${side}`]);
            }
          const ratio = (s) => {
            const [p, q] = [words(group.dataset.a).map(Number), words(group.dataset.b).map(Number)],
              A = box(["m-both", "m-a"]),
              B = box(["m-both", "m-b"]);
            return [
              Math.abs(A[0] / B[0] / (p[1] / q[1]) - 1),
              Math.abs(A[1] / B[1] / (p[0] / q[0]) - 1),
              Math.min(...A, ...B),
            ];
          };
          if (group.dataset.a && group.dataset.b) {
            const [x, y, least] = ratio();
            if (Math.max(x, y) > 0.02 + 0.02 / least) bad(`sides of ${group.dataset.n}: ${x} ${y}`);
          }
        }
        const big = scales.filter(([, least]) => least > 1);
        if (big.length > 1) {
          const k = big.map(([one]) => one),
            most = Math.max(...k),
            least = Math.min(...k);
          if (most / least > 1.05) bad(`scale ${least} ${most} ${big.find(([one]) => one === most)[2]}`);
        }
        for (const group of svg.querySelectorAll(".cells")) {
          const many = (kind) => (group.querySelector(`.${kind}`)?.getAttribute("d").match(/M/g) ?? []).length,
            [p, q] = [Number(group.dataset.a), Number(group.dataset.b)];
          checked += 2;
          if (many("m-both") + many("m-a") !== p || many("m-both") + many("m-b") !== q) bad(`cells: ${p} ${q}`);
        }
        const frame = svg.getBoundingClientRect(),
          texts = [...svg.querySelectorAll("text")]
            .filter((one) => one.textContent && !one.closest(".i-disc"))
            .map((one) => [one.getBoundingClientRect(), one.textContent]);
        checked += texts.length;
        texts.forEach(([p, t], i) => {
          if (p.left < frame.left + 3 || p.right > frame.right - 3 || p.top < frame.top || p.bottom > frame.bottom + 1)
            bad(`outside: ${t}`);
          for (let j = i + 1; j < texts.length; j++)
            if (hit(p, texts[j][0])) bad(`on each other: ${t} | ${texts[j][1]}`);
        });
        const rel = svg.getBoundingClientRect(),
          vb = svg.viewBox.baseVal,
          k = rel.width / vb.width;
        for (const path of svg.querySelectorAll("path.e")) {
          const pts = path
            .getAttribute("d")
            .slice(1)
            .split("L")
            .map((one) => one.split(" ").map(Number))
            .map(([x, y]) => [rel.left + x * k, rel.top + y * k]);
          for (let i = 1; i < pts.length; i++) {
            const seg = {
              left: Math.min(pts[i][0], pts[i - 1][0]),
              right: Math.max(pts[i][0], pts[i - 1][0]),
              top: Math.min(pts[i][1], pts[i - 1][1]),
              bottom: Math.max(pts[i][1], pts[i - 1][1]),
            };
            for (const [t, words_] of texts)
              if (seg.left < t.right - 1 && seg.right > t.left + 1 && seg.top < t.bottom - 3 && seg.bottom > t.top + 3)
                bad(`edge over text: ${words_}`);
            for (const box of svg.querySelectorAll(".bx, .pill, .keep, .tag, .half, .mx")) {
              const q = box.getBoundingClientRect();
              if (seg.left < q.right - 2 && seg.right > q.left + 2 && seg.top < q.bottom - 2 && seg.bottom > q.top + 2)
                bad(`edge over box: ${box.closest("[data-n]")?.dataset.n} ${svg.dataset.part}`);
            }
          }
        }
        const solid = [...svg.querySelectorAll(".bx, .pill, .keep, .tag, .half, .mx, .sum")].map((one) =>
          one.getBBox(),
        );
        const lines = [...svg.querySelectorAll("path.e")].map((path) =>
          path
            .getAttribute("d")
            .slice(1)
            .split("L")
            .map((one) => one.split(" ").map(Number)),
        );
        const tips = [...svg.querySelectorAll("path.tip")].map((path) =>
            path.getAttribute("d").slice(1).split("l")[0].split(" ").map(Number),
          ),
          words_ = [...svg.querySelectorAll("text")]
            .filter((one) => /^x |stream/.test(one.textContent))
            .map((one) => one.getBBox());
        const by = ([x, y], q, room) =>
          x > q.x - room && x < q.x + q.width + room && y > q.y - room && y < q.y + q.height + room;
        const on = ([x, y], line) =>
          line.slice(1).some(([p, q], i) => {
            const [r, t] = line[i];
            return (
              x > Math.min(p, r) - 1.5 &&
              x < Math.max(p, r) + 1.5 &&
              y > Math.min(q, t) - 1.5 &&
              y < Math.max(q, t) + 1.5
            );
          });
        for (const sum of [...svg.querySelectorAll(".sum")].map((one) => one.getBBox()))
          if (lines.flatMap((line) => [line[0], line.at(-1)]).filter((end) => by(end, sum, 2.5)).length < 3)
            bad(`a sum of one: ${sum.x},${sum.y} ${svg.dataset.part}`);
        lines.forEach((line, i) =>
          [line[0], line.at(-1)].forEach((end) => {
            checked += 1;
            if (
              !solid.some((q) => by(end, q, 2.5)) &&
              !lines.some((other, j) => j !== i && on(end, other)) &&
              !tips.some(([x, y]) => Math.hypot(x - end[0], y - end[1]) < 2) &&
              !words_.some((q) => by(end, q, 26))
            )
              bad(`a line that ends nowhere: ${end} ${svg.dataset.part}`);
          }),
        );
        const boxes = [...svg.querySelectorAll(".bx, .pill, .keep, .tag, .half")].map((one) => [
          one.getBoundingClientRect(),
          one,
        ]);
        boxes.forEach(([p, el], i) => {
          if (p.left < frame.left || p.right > frame.right) bad(`box outside ${el.closest("[data-n]")?.dataset.n}`);
          for (const [t, text] of texts)
            if (
              hit(p, t) &&
              !(t.left >= p.left - 0.5 && t.right <= p.right + 0.5 && t.top >= p.top - 1 && t.bottom <= p.bottom + 1)
            )
              bad(`text over a box's edge: ${text}`);
          for (let j = i + 1; j < boxes.length; j++)
            if (hit(p, boxes[j][0]))
              bad(`boxes: ${el.closest("[data-n]")?.dataset.n} | ${boxes[j][1].closest("[data-n]")?.dataset.n}`);
        });
      }
    }
  }
  return { checked, wrong };
};
