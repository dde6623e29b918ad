/* The fields of the page <-> what is chosen. */
const inputs = {};

inputs.WHOLE = ["nodes", "per_node", "tp", "pp", "chunks", "cp", "ep", "micro_batch", "redundant", "sequence", "context", "dcp", "dp_shard", "optimizer_bytes"];
inputs.REAL = ["used", "imbalance", "framework_bytes"];
inputs.TYPED = ["split"];
inputs.SELECTS = ["recompute", "weights_dtype", "cache_dtype", "gradient_dtype", "compute_dtype", "cp_kind", "schedule", "order", "dispatch_dtype"];
inputs.OPEN = ["etp", "batch", "n", "mtp"];   // empty: what follows from the rest
inputs.field = (name) => inputs.form.elements[name];

/* "4,096" -> 4096; null for an empty field that may be open; undefined for what is no number. */
inputs.read = (name, text) => {
  const plain = text.replace(/[\s,]/g, "");
  if (inputs.OPEN.includes(name) && (plain === "" || /[a-z]/i.test(plain))) return null;
  if (name === "used") { const share = plain.endsWith("%") ? Number(plain.slice(0, -1)) / 100 : Number(plain); return share > 0 && share <= 1 ? share : undefined; }
  if (name === "imbalance") return Number(plain) >= 1 && Number(plain) <= 9999 ? Number(plain) : undefined;
  if (name === "framework_bytes") return plain !== "" && Number(plain) >= 0 && Number(plain) < 1e4 ? Math.round(Number(plain) * 1e9) : undefined;
  const found = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(plain);
  const number = found ? Number(found[1]) * ({ k: 1024, m: 1048576 }[found[2].toLowerCase()] || 1) : NaN;
  return Number.isInteger(number) && number < 1e9 ? number : undefined;
};

inputs.shown = { etp: (now) => `${now.layout.etp}`, batch: (now) => words.int(now.layout.batch), n: () => "as many as fit", mtp: (now) => `${now.layout.mtp}` };

/* Values into the fields; the one that is being typed in stays as it is. */
inputs.show = (now) => {
  const { chosen } = now;
  for (const name of [...inputs.WHOLE, ...inputs.OPEN, ...inputs.REAL, ...inputs.TYPED]) {
    const field = inputs.field(name);
    if (field === document.activeElement && inputs.typing) continue;
    const value = chosen[name];
    const text = value === null ? inputs.shown[name](now) : name === "framework_bytes" ? String(value / 1e9) : name === "dp_shard" && !value ? "all of dp" : inputs.WHOLE.includes(name) || inputs.OPEN.includes(name) ? words.int(value) : String(value);
    kit.set(field, { value: text, class: `${field.className.replace(/ ?derived/, "")}${value === null ? " derived" : ""}`.trim() || false });
    field.removeAttribute("aria-invalid");
  }
  for (const name of ["device", "zero", ...inputs.SELECTS]) kit.set(inputs.field(name), { value: String(chosen[name]) });
  for (const radio of inputs.form.querySelectorAll("[name=job]")) radio.checked = radio.value === chosen.job;
  for (const part of inputs.form.querySelectorAll("[data-jobs]")) part.hidden = !part.dataset.jobs.split(" ").includes(chosen.job);
  if (inputs.field("m") !== document.activeElement) kit.set(inputs.field("m"), { value: now.title });
  const lines = says.lines(now);
  for (const [name, text] of Object.entries(lines)) kit.text(page.at(`line-${name}`), text);
  for (const [name, text] of Object.entries(says.folded(now))) kit.text(page.at(`fold-${name}`), text);
  kit.text(page.at("gpus"), `= ${words.int(now.layout.gpus)}`);
  kit.text(page.at("dp"), `= ${says.dp(now.layout)}`);
  kit.text(page.at("sub"), says.sub(now));
};

/* What a field takes, and why what was typed is not that; it stands under the fields of its group until something is taken. */
inputs.WANTS = { used: "a share of the memory, as 92 % or 0.92", imbalance: "a number from 1 on", framework_bytes: "a number of GB" };
inputs.refuse = (name, text) => {
  inputs.refused = name;
  const field = inputs.field(name);
  const said = `“${text.trim().slice(0, 40)}” is `;
  inputs.why ||= kit.h("b", { class: "plan-line", id: "in-why", role: "alert" });
  kit.text(inputs.why, name === "m" ? `${said}no catalogued model: a part of a name will do.` : `${said}not ${inputs.WANTS[name] || "a whole number below 1e9, as 4 or 4k"}; what stood there before is planned.`);
  field.closest("fieldset, .plan-row").append(inputs.why);
  kit.set(field, { "aria-invalid": "true", "aria-describedby": "in-why" });
};
inputs.accept = (field) => {
  inputs.refused = "";
  field.removeAttribute("aria-invalid");
};

/* The field that cannot stay as it is. */
inputs.mark = (name) => {
  for (const field of inputs.form.querySelectorAll("[aria-invalid]")) if (field.name !== inputs.refused) field.removeAttribute("aria-invalid");
  if (name && inputs.field(name)) kit.set(inputs.field(name), { "aria-invalid": "true" });
};

/* The next legal value above or below; steppers skip what is illegal. */
inputs.step = (name, way) => {
  const { chosen } = page.state;
  const now = { chosen, compute: page.compute };
  const least = ["redundant", "dp_shard"].includes(name) ? 0 : 1;
  for (let value = chosen[name] + way; value >= least && value <= chosen[name] + 4096; value += way) {
    if (!page.compute({ ...chosen, [name]: value, ...inputs.follow(chosen, name, value) }).trouble) return page.change({ [name]: value, ...inputs.follow(chosen, name, value) }, true, name);
  }
  return now;
};
/* One pipeline stage has no chunks. */
inputs.follow = (chosen, name, value) => (name === "pp" && value === 1 && chosen.chunks > 1 ? { chunks: 1 } : {});

inputs.typed = (event) => {
  const { name, value } = event.target;
  if (![...inputs.WHOLE, ...inputs.OPEN, ...inputs.REAL, ...inputs.TYPED].includes(name)) return;
  inputs.typing = true;
  const read = inputs.TYPED.includes(name) ? value.trim() : name === "dp_shard" && /^(all.*)?$/.test(value.trim()) ? 0 : inputs.read(name, value);
  if (read === undefined) return inputs.refuse(name, value);  // until something else is typed, whatever is drawn meanwhile
  inputs.accept(event.target);
  page.change({ [name]: read }, false, name);
};

inputs.changed = async (event) => {
  const { name, value } = event.target;
  [inputs.typing, inputs.refused] = [false, ""];
  if (name === "m") return inputs.model(value);
  if (name === "zero") return page.change({ zero: Number(value) }, true, name);
  if (name === "device") return page.change(inputs.device(value), true, name);
  if (name === "job") return page.change({ job: value, ...inputs.forJob(value) }, true, name);
  if (inputs.SELECTS.includes(name)) return page.change({ [name]: value }, true, name);
  page.settle();
  return page.draw();
};

/* What a job does not have goes back to nothing; a schedule of training has no place in serving. */
inputs.forJob = (job) => ({ ...(job === "train" ? {} : { cp: 1, chunks: 1, schedule: "", split: "", dp_shard: 0, mtp: null }), ...(job === "decode" ? {} : { dcp: 1 }), batch: null });

/* Another device keeps as many GPUs as its nodes can join. */
inputs.device = (name) => {
  const { nodes, per_node } = page.state.chosen;
  const device = page.data.devices.find((one) => one.name === name);
  const gpus = nodes * per_node;
  if (per_node <= device.domain) return { device: name };
  return { device: name, per_node: device.domain, nodes: Math.max(1, Math.ceil(gpus / device.domain)) };
};

/* The list is fetched when somebody comes near it. */
inputs.list = async () => {
  if (inputs.known) return inputs.known;
  inputs.known = await (await fetch(page.root.dataset.models)).json();
  const list = document.getElementById("plan-models");
  list.replaceChildren(...inputs.known.map(([slug, title]) => kit.h("option", { value: title, label: slug })));
  return inputs.known;
};
inputs.model = async (text) => {
  const [plain, turn] = [text.trim().toLowerCase(), inputs.turn = (inputs.turn ?? 0) + 1];
  const all = await inputs.list();
  const found = all.find(([slug, title]) => title.toLowerCase() === plain || slug.toLowerCase() === plain) || (plain && all.find(([slug, title]) => `${title} ${slug}`.toLowerCase().includes(plain)));
  const held = found && await page.load(found[0]);
  if (turn !== inputs.turn) return;  // another was asked for meanwhile
  if (!held) return inputs.refuse("m", text);
  inputs.accept(inputs.field("m"));
  return page.change(inputs.legal({ m: found[0], pick: "" }), true, "m");
};

/* A layout that another model cannot have moves to the nearest that it can: ep, tp, pp in turn. */
inputs.legal = (changes) => {
  const chosen = { ...page.state.chosen, ...changes };
  const tries = [{}, { mtp: null }, { ep: 1, etp: null, redundant: 0 }, ...[64, 32, 16, 8, 4, 2, 1].filter((tp) => tp <= chosen.tp).flatMap((tp) => [{ tp }, { tp, ep: 1, etp: null, redundant: 0 }, { tp, ep: 1, etp: null, redundant: 0, pp: 1, chunks: 1, cp: 1 }])];
  return { ...changes, ...tries.find((one) => !page.compute({ ...chosen, ...one }).trouble) };
};

inputs.start = () => {
  inputs.form = page.root.querySelector("form");
  inputs.form.addEventListener("submit", (event) => event.preventDefault());
  inputs.form.addEventListener("input", inputs.typed);
  inputs.form.addEventListener("change", inputs.changed);
  inputs.form.addEventListener("click", (event) => {
    const { less, more } = event.target.dataset;
    if (less || more) inputs.step(less || more, less ? -1 : 1);
  });
  inputs.form.addEventListener("keydown", (event) => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!way || !inputs.WHOLE.includes(event.target.name)) return;
    event.preventDefault();
    inputs.typing = false;
    inputs.step(event.target.name, way);
  });
  inputs.field("m").addEventListener("focus", (event) => { inputs.list(); event.target.select(); });
  const change = page.root.querySelector(".plan-change");
  change.addEventListener("click", () => kit.set(change, { "aria-expanded": String(inputs.form.classList.toggle("open")), text: inputs.form.classList.contains("open") ? "Close" : "Change" }));
};
