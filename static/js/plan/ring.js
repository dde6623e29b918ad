/* The drawing by keyboard: one button that stands on a GPU; arrows move it, Enter picks what the GPU holds, Escape drops the pick. */
const ring = { at: 0 };
ring.node = kit.h("button", { type: "button", class: "plan-ring", "aria-label": "GPUs: arrow keys move" });
ring.cell = () => page.at("drawing").querySelector(`[data-rank="${ring.at}"]`);
ring.move = (rank) => {
  ring.at = Math.max(0, Math.min(rank, page.good.layout.gpus - 1));
  const says_ = lives.gpu(page.good, ring.at);
  kit.set(ring.node, { "aria-label": says_ });
  kit.text(page.at("gpu"), says_);
  const cell = ring.cell();
  if (!cell) return;
  const [a, b] = [cell.getBoundingClientRect(), page.at("drawing").getBoundingClientRect()];
  kit.set(ring.node, { style: { left: `${a.left - b.left - 3}px`, top: `${a.top - b.top - 3}px`, width: `${a.width + 6}px`, height: `${a.height + 6}px` } });
};
ring.keys = (event) => {
  const apart = page.good.layout.pp > 1 ? ranks.first_of(page.good.layout, 1) : 0;
  const way = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -apart, ArrowDown: apart }[event.key];
  if (way !== undefined) ring.move(ring.at + way);
  else if (event.key === "Escape" && page.picked) page.pick("");
  else return;
  event.preventDefault();
  ring.node.focus({ preventScroll: true });
};
ring.held = () => {
  const now = page.good;
  const stage = ranks.stage_of(now.layout, ring.at);
  const row = owners.rows(now).filter((one) => one.where === "inside").reduce((best, one) => (one.most[NUMBERS] > best.most[NUMBERS] ? one : best));
  const layer = now.plan.ranks[stage].layers.find((one) => row.layers.includes(one));
  if (layer === undefined) return "";
  const expert = row.rule[0] === "experts" ? Math.floor((ranks.place(now.layout, "ep", ring.at) * row.rule[1]) / now.layout.ep) : 0;
  return `layers.${layer}.${row.most[NAME].replace(/\.(weight|bias)$/, "").replace("{expert}", expert)}`;
};

ring.start = () => {
  ring.node.addEventListener("focus", () => ring.move(ring.at));
  ring.node.addEventListener("keydown", ring.keys);
  ring.node.addEventListener("click", () => page.pick(ring.held()));
  page.at("drawing").addEventListener("click", (event) => {
    const rank = event.target.dataset?.rank;
    if (rank === undefined) return;
    ring.move(Number(rank));
    ring.node.focus({ preventScroll: true });
  });
};
